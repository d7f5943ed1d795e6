"""A replica's side of the broker: performs what the cluster decides, feeds it what arrives, keeps presence written.

Presence is a key-value bucket with one record for each user, changed only from what was read (compare and set), and
expiring unless refreshed. Every operation of the broker's is bounded; while it is away, everything on this replica
goes on as if there were none.
"""

import asyncio
import logging
import random
import time
from collections.abc import Coroutine, Iterable
from typing import Any, Final, Protocol

import nats.errors
import nats.js.errors
from nats.js import JetStreamContext
from nats.js.api import KeyValueConfig, StorageType
from nats.js.kv import KeyValue

from tabwright.edges.proxy.complaints import Complaints
from tabwright.edges.proxy.credentials import Credentials
from tabwright.edges.proxy.nats import NatsWire
from tabwright.proxy.cluster import Cluster
from tabwright.proxy.cluster_wire import HEADROOM, Record, encode, record, user_key
from tabwright.proxy.model import Announce, Close, Effect, Find, Listen, PeerId, Publish, Send, UserId
from tabwright.proxy_settings import ProxySettings

log = logging.getLogger(__name__)

BUCKET: Final = "tabwright_presence"
OPERATION_S: Final = 1.0
RETRY_S: Final = 0.2
REOPEN_S: Final = 0.5
WRITERS: Final = 8
TRIES: Final = 8
KEEP_S: Final = 3600.0
"""A record expires unless it is written again: what nobody keeps alive goes by itself."""
LINGER_S: Final = 0.3
MET_S: Final = 3.0
"""A broker that has not been met by then may well have another address."""
TICK_S: Final = 0.25
_BROKEN: Final = (TimeoutError, OSError, nats.errors.Error, nats.js.errors.Error)


class Peers(Protocol):
    """The proxy's sockets."""

    def perform(self, effects: Iterable[Effect]) -> None: ...
    def hold(self, peer: PeerId) -> None: ...
    def release(self, peer: PeerId) -> None: ...


class Broker:
    def __init__(self, cluster: Cluster, peers: Peers, settings: ProxySettings, credentials: Credentials) -> None:
        self._cluster = cluster
        self._guests = cluster.guests
        self._peers = peers
        self._feed = peers.perform
        self._settings = settings
        self._credentials = credentials
        self._complaints = Complaints()
        self._loop = asyncio.get_running_loop()
        self._wire = NatsWire(self._received, self._settle)
        self._bucket: KeyValue | None = None
        self._changed: dict[UserId, None] = {}
        self._written: dict[UserId, float] = {}
        self._work = asyncio.Semaphore(0)
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_there = False
        for subject in cluster.subjects:
            self._wire.listen(subject)

    async def run(self) -> None:
        """Until cancelled."""
        met = self._loop.call_later(MET_S, self._miss)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._connect())
                tasks.create_task(self._tick_forever())
                for _ in range(WRITERS):
                    tasks.create_task(self._write_forever())
        finally:
            met.cancel()

    async def leave(self) -> None:
        """What is on its way is answered and everybody is told; then the connection ends."""
        if self._wire.is_connected:
            await asyncio.sleep(LINGER_S)
        await self._wire.catch_up()
        self._feed(self._cluster.farewell())
        await self._wire.leave()

    # --- effects

    def perform(self, effect: Effect) -> None:
        """What concerns no socket of ours."""
        # calls and answers first
        if type(effect) is Publish:
            self._publish(effect)
            return
        match effect:
            case Send() | Close():
                for more in self._guests.carry(effect):
                    self._publish(more)
                if self._guests.unsettled:
                    self._wire.wake()
            case Listen(subject=subject, on=on):
                (self._wire.listen if on else self._wire.unlisten)(subject)
            case Announce(user=user, within_s=0):
                self._announce(user)
            case Announce(user=user, within_s=within_s):
                self._loop.call_later(random.random() * within_s, self._announce, user)
            case Find():
                self._peers.hold(effect.asker)
                self._spawn(self._find(effect))
            case _:
                pass

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _publish(self, effect: Publish) -> None:
        if not self._wire.send(effect.subject, effect.data, effect.reply) and effect.reply:
            # it has not left: as good as nobody there
            self._loop.call_soon(self._received, effect.reply, "", None)

    def _received(self, subject: str, reply: str, data: bytes | None) -> None:
        self._feed(self._cluster.received(subject, reply, data, self._loop.time()))

    def _settle(self) -> None:
        if self._guests.unsettled:
            self._feed(self._guests.settle())

    # --- up and down

    async def _connect(self) -> None:
        name = f"tabwright {self._cluster.replica}"
        while True:
            try:
                await self._wire.open(
                    self._settings.broker,
                    name=name,
                    up=self._up,
                    down=self._down,
                    wrong=self._complaints.hear,
                    credentials=self._credentials,
                )
            except _BROKEN as exc:
                self._complaints.hear(exc)
            await asyncio.sleep(REOPEN_S)

    def _miss(self) -> None:
        if not self._is_there:
            self._complaints.away(self._settings.broker)

    def _up(self) -> None:
        self._is_there = True
        log.info("broker is there", extra={"replica": self._cluster.replica})
        self._complaints.carries(self._wire.max_payload, self._settings.extension_frame_bytes + HEADROOM)
        self._bucket = None
        self._spawn(self._look_at_store())
        self._feed(self._cluster.broker_up(self._wire.max_payload, self._loop.time()))

    def _down(self) -> None:
        if self._is_there:
            self._is_there = False
            log.warning("broker is gone", extra={"replica": self._cluster.replica})
        self._feed(self._cluster.broker_down(self._loop.time()))

    async def _tick_forever(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._feed(self._cluster.tick(self._loop.time()))
            self._refresh()

    # --- presence

    async def _look_at_store(self) -> None:
        """Tell at once, and not with the first browser, that presence cannot be kept."""
        try:
            async with asyncio.timeout(2 * OPERATION_S):
                await self._store()
        except _BROKEN as exc:
            self._complaints.hear_store(exc)

    async def _find(self, effect: Find) -> None:
        found: Record | None = None
        try:
            found = (await self._read(effect.user))[0]
        except _BROKEN as exc:
            self._complaints.hear_store(exc)
        except Exception:
            log.exception("presence cannot be read")
        finally:
            self._feed(self._cluster.found(effect.asker, found, self._loop.time()))
            self._peers.release(effect.asker)

    def _announce(self, user: UserId) -> None:
        if user not in self._changed:
            self._changed[user] = None
            self._work.release()

    def _refresh(self) -> None:
        """Users whose record would expire."""
        late = self._loop.time() - KEEP_S / 3
        for user in [user for user, at in self._written.items() if at < late]:
            self._written[user] = self._loop.time()
            self._announce(user)

    async def _write_forever(self) -> None:
        while True:
            await self._work.acquire()
            user = next(iter(self._changed))
            del self._changed[user]
            try:
                await self._write(user)
            except _BROKEN as exc:
                self._complaints.hear_store(exc)
                self._bucket = None
                self._loop.call_later(RETRY_S + random.random() * RETRY_S, self._announce, user)
            except Exception:
                log.exception("presence cannot be written")
                self._loop.call_later(10 * RETRY_S, self._announce, user)

    async def _write(self, user: UserId) -> None:
        for attempt in range(TRIES):
            found, revision = await self._read(user)
            claimed = self._cluster.claim(user, found, int(time.time() * 1000))
            fresh = self._loop.time() - self._written.get(user, -KEEP_S) < KEEP_S / 4
            try:
                if claimed.record != found or (claimed.record and not fresh):
                    async with asyncio.timeout(OPERATION_S):
                        await (await self._store()).update(user_key(user), encode(claimed.record), last=revision)
            except nats.js.errors.KeyWrongLastSequenceError:
                await asyncio.sleep(random.random() * 0.02 * (attempt + 1))
                continue
            self._note_written(user, bool(claimed.epochs))
            self._feed(self._cluster.claimed(user, claimed, self._loop.time()))
            return
        raise TimeoutError

    def _note_written(self, user: UserId, ours: bool) -> None:
        if ours:
            self._written[user] = self._loop.time()
        else:
            self._written.pop(user, None)

    async def _read(self, user: UserId) -> tuple[Record, int]:
        async with asyncio.timeout(OPERATION_S):
            bucket = await self._store()
            try:
                entry = await bucket.get(user_key(user))
            except nats.js.errors.KeyNotFoundError:
                return {}, 0
            return record.decode(entry.value or b"\x80"), entry.revision or 0

    async def _store(self) -> KeyValue:
        if self._bucket is not None:
            return self._bucket
        if not self._wire.is_connected:
            raise ConnectionError
        js: Any = JetStreamContext(self._wire, timeout=OPERATION_S)
        config = KeyValueConfig(
            bucket=BUCKET, ttl=KEEP_S, storage=StorageType.MEMORY, replicas=self._settings.broker_copies, direct=True
        )
        bucket: KeyValue = await js.create_key_value(config)
        self._bucket = bucket
        return bucket
