"""How the proxies are, for `tabwright proxy status`: all replicas, asked through the broker, or the one beside us."""

import asyncio
import contextlib
from typing import Any, Final

import msgspec

from tabwright.errors import GatewayError
from tabwright.proxy.cluster_wire import EVERYBODY, Beat, Hello, broadcast, encode
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

    from tabwright.edges.proxy_replica import credentials_of

    async def quietly(_: Exception) -> None:
        return

    link: Any = Client()
    try:
        async with asyncio.timeout(CONNECT_S):
            await link.connect(
                list(settings.broker),
                allow_reconnect=False,
                connect_timeout=CONNECT_S,
                error_cb=quietly,
                **credentials_of(settings),
            )
    except (OSError, TimeoutError, nats.errors.Error) as exc:
        told = f"The broker ({', '.join(settings.broker)}) does not let us in: {type(exc).__name__}."
        raise NoStatus(told, "Look at --broker and --broker-credentials.") from None
    found: dict[str, Beat] = {}
    try:
        beats = await link.subscribe(EVERYBODY)
        await link.publish(EVERYBODY, encode(Hello()))
        with contextlib.suppress(TimeoutError, nats.errors.Error):
            async with asyncio.timeout(ANSWER_S):
                while True:
                    message = await beats.next_msg(timeout=ANSWER_S)
                    _note(message.data, found)
    finally:
        await link.close()
    if not found:
        raise NoStatus("The broker is there, but no proxy on it answers.", "Start `tabwright proxy --broker …`.")
    return sorted(found.values(), key=lambda beat: (beat.host, beat.replica))


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
