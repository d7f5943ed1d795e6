"""How the proxies are, for `tabwright proxy status`: all replicas, asked through the broker, or the one beside us."""

import asyncio
import contextlib
from typing import Any, Final

import msgspec

from tabwright.errors import GatewayError
from tabwright.proxy.cluster_wire import ASK, ASKERS, Beat, broadcast
from tabwright.proxy_settings import ProxySettings

ANSWER_S: Final = 1.0
CONNECT_S: Final = 3.0


class NoStatus(GatewayError):
    """Nobody answers."""


async def replicas(settings: ProxySettings) -> list[Beat]:
    """What each replica on the broker tells of itself, by name.

    Raises:
        NoStatus: the broker, or everybody on it, is silent.
    """
    import nats.errors
    from nats.aio.client import Client

    from tabwright.edges.proxy.complaints import explain
    from tabwright.edges.proxy.credentials import Credentials

    wrong: list[str] = []

    async def note(exc: Exception) -> None:
        wrong.extend(filter(None, [explain(exc)]))

    link: Any = Client()
    credentials = Credentials(settings)
    try:
        async with asyncio.timeout(CONNECT_S):
            await link.connect(
                list(settings.broker),
                allow_reconnect=False,
                connect_timeout=CONNECT_S,
                error_cb=note,
                inbox_prefix=ASKERS,
                tls=credentials.tls,
                **credentials.shown,
            )
    except (OSError, TimeoutError, nats.errors.Error) as exc:
        why = explain(exc) or next(iter(wrong), type(exc).__name__)
        told = f"The broker ({', '.join(settings.broker)}) cannot be asked: {why}."
        raise NoStatus(told, "Look at --broker and --broker-credentials.") from None
    try:
        found = await _ask(link)
    finally:
        await link.close()
    if wrong:
        raise NoStatus(f"{wrong[0].capitalize()}.", "To ask, it needs those of `status` there.")
    if not found:
        raise NoStatus("The broker is there, but no proxy on it answers.", "Start `tabwright proxy --broker …`.")
    return sorted(found.values(), key=lambda beat: (beat.host, beat.replica))


async def _ask(link: Any) -> dict[str, Beat]:
    import nats.errors

    found: dict[str, Beat] = {}
    inbox = link.new_inbox()
    answers = await link.subscribe(inbox)
    await link.publish(ASK, b"", reply=inbox)
    with contextlib.suppress(TimeoutError, nats.errors.Error):
        async with asyncio.timeout(ANSWER_S):
            while True:
                message = await answers.next_msg(timeout=ANSWER_S)
                _note(message.data, found)
    return found


def _note(data: bytes, found: dict[str, Beat]) -> None:
    with contextlib.suppress(msgspec.DecodeError):
        told = broadcast.decode(data)
        if isinstance(told, Beat):
            found[told.replica] = told


async def metrics(port: int) -> dict[str, float]:
    """The numbers of a proxy on this machine.

    Raises:
        NoStatus: none answers there.
    """
    try:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            text = (await reader.read(-1)).decode()
            writer.close()
    except (OSError, TimeoutError) as exc:
        told = f"No proxy answers on metrics port {port}: {type(exc).__name__}."
        raise NoStatus(told, "Start it with --metrics-port.") from None
    found: dict[str, float] = {}
    for line in text.partition("\r\n\r\n")[2].splitlines():
        name, _, value = line.rpartition(" ")
        if name.startswith("tabwright_proxy_") and "{" not in name:
            found[name.removeprefix("tabwright_proxy_")] = float(value)
    return found
