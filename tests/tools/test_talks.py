"""What comes of a gesture, or of loading, by another way than the answer to a request: sockets, streams, workers."""

import asyncio
import contextlib
import itertools
import re
import threading
from collections.abc import AsyncIterator

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.told import told
from tests.tools.web import Answer, Web

pytestmark = pytest.mark.browser

_paths = itertools.count()

LATER_S = 0.15
"""A server takes its time; nothing on a page tells that it does."""


async def converse(line: ServerConnection) -> None:
    """Says each word of what it hears, one after the other."""
    with contextlib.suppress(ConnectionClosed):
        async for said in line:
            await asyncio.sleep(LATER_S)
            for word in str(said).split():
                await line.send(word)


@pytest.fixture
async def socket() -> AsyncIterator[str]:
    async with serve(converse, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()[:2]
        yield f"ws://{host}:{port}/"


@pytest.fixture
async def stream() -> AsyncIterator[str]:
    """`/events` is a stream; whatever else is asked for is answered with nothing, and then told in the stream."""
    open_streams: list[asyncio.StreamWriter] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        allowed = b"Access-Control-Allow-Origin: *\r\n"
        if b"/events" in head:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + allowed + b"\r\n: here\n\n")
            open_streams.append(writer)
            return
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n" + allowed + b"\r\n")
        await writer.drain()
        writer.close()
        await asyncio.sleep(LATER_S / 3)
        for each in open_streams:
            each.write(b"event: news\ndata: pushed\n\n")

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    yield f"http://{host}:{port}"
    for each in open_streams:
        each.close()
    server.close()


async def visit(agent: Agent, site: Site, html: str) -> str:
    path = f"/talks/{next(_paths)}"
    site.pages[path] = f"<!doctype html><title>A page</title>{html}"
    return await told(agent, "navigate", url=site.url + path)


async def clicked(agent: Agent, name: str) -> str:
    """What is said after a button was clicked, without the line that names it."""
    found = re.search(rf'^(e\d+) button "{name}"', await told(agent, "find", query=f"{name} button"), re.MULTILINE)
    assert found is not None
    return (await told(agent, "computer", action="left_click", ref=found[1])).partition("\n")[2]


def talking(socket: str) -> str:
    return f"""<button onclick="line.send('bread')">Order</button>
      <button onclick="line.send('bread and butter')">Order all</button>
      <button onclick="this.className = 'on'; line.send('milk')">Mark</button>
      <p id=o></p><script>
      const line = new WebSocket("{socket}")
      line.onopen = () => line.send('welcome')
      line.onmessage = ({{ data }}) => o.insertAdjacentHTML('beforeend', `<b>Got ${{data}}</b>`)
      </script>"""


async def test_what_a_socket_says_when_a_page_loads_is_there_when_it_is_told_to_be(
    agent: Agent, site: Site, socket: str
) -> None:
    await visit(agent, site, talking(socket))
    assert "Got welcome" in await told(agent, "get_page_text")


@pytest.mark.parametrize(
    ("button", "said"),
    [("Order", "Got bread"), ("Order all", "Got bread · Got and · Got butter"), ("Mark", "Got milk")],
)
async def test_a_click_tells_what_a_socket_answers(
    agent: Agent, site: Site, socket: str, button: str, said: str
) -> None:
    await visit(agent, site, talking(socket))
    assert await clicked(agent, button) == f"New on the page: “{said}”."


async def test_a_click_tells_what_a_worker_answers(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        f"""<button onclick="work.postMessage('stone')">Cut</button><p id=o></p><script>
        const code = 'onmessage = ({{ data }}) => setTimeout(() => postMessage(data), {LATER_S * 1000})'
        const work = new Worker(URL.createObjectURL(new Blob([code])))
        work.onmessage = ({{ data }}) => {{ o.textContent = 'Cut ' + data }}</script>""",
    )
    assert await clicked(agent, "Cut") == "New on the page: “Cut stone”."


async def test_a_stream_is_no_request_to_wait_for_and_tells_what_another_caused(
    agent: Agent, site: Site, stream: str
) -> None:
    said = await visit(
        agent,
        site,
        f"""<button onclick="fetch('{stream}/order')">Order</button><p id=o></p><script>
        const events = new EventSource('{stream}/events')
        events.addEventListener('news', ({{ data }}) => {{ o.textContent = 'Now ' + data }})</script>""",
    )
    assert "still" not in said
    assert await clicked(agent, "Order") == "New on the page: “Now pushed”."


async def test_a_page_whose_content_is_not_answered_yet_is_not_told_to_have_loaded_and_no_more(
    agent: Agent, web: Web
) -> None:
    release = threading.Event()
    web.answers["/late"] = (
        "<!doctype html><title>Late</title><p id=o></p><script>fetch('/data').then(() => {})</script>"
    )
    web.answers["/data"] = Answer("{}", after=release)
    try:
        assert "It is still loading" in await told(agent, "navigate", url=f"{web.url}/late")
    finally:
        release.set()


async def test_a_page_finds_its_sockets_and_workers_as_the_browser_made_them(
    agent: Agent, site: Site, socket: str
) -> None:
    await visit(agent, site, "<p>Here")
    looks = """class Own extends WebSocket {}
      const made = new Own('SOCKET')
      const all = [`${WebSocket}`, `${WebSocket.prototype.send}`, WebSocket.name, WebSocket.length, WebSocket.OPEN,
        made instanceof WebSocket, made.constructor === Own, WebSocket.prototype.constructor === WebSocket,
        `${Worker}`, `${EventSource}`, Object.keys(made).length]
      let refused = ''
      try { WebSocket('x') } catch ({ name }) { refused = name }
      made.close();
      [...all, refused].join('|')"""
    native = "function () { [native code] }"
    expected = [native, native, "WebSocket|1|1|true|true|true", native, native, "0|TypeError"]
    seen = await told(agent, "javascript_tool", action="javascript_exec", text=looks.replace("SOCKET", socket))
    assert "|".join(expected) in seen
