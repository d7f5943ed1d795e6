"""T02, T04, T05, T09 in real Chromium: pages, frames, rebound names and another extension get nowhere."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tabwright.edges.chrome.chrome import Chrome, LaunchPlan
from tabwright.edges.chrome.finder import find_browser
from tabwright.edges.chrome.profile import prepare_profile
from tests.attacks.wire import nothing_came_of_it
from tests.cdp import Cdp
from tests.conftest import Site
from tests.gateway import GatewayProcess, until

pytestmark = pytest.mark.browser

# what a page can try, each told as one word
TRIES = """
const socket = (url) => new Promise((done) => {
  const made = new WebSocket(url);
  made.onopen = () => done('open');
  made.onerror = () => done('refused');
});
const read = (url, options) => fetch(url, options).then((answer) => answer.type, () => 'refused');
const sent = (url, options) => fetch(url, {...options, mode: 'no-cors'}).then((answer) => answer.type, () => 'refused');
const image = (url) => new Promise((done) => {
  const made = new Image();
  made.onload = () => done('loaded');
  made.onerror = () => done('refused');
  made.src = url;
});
const initialize = JSON.stringify({jsonrpc: '2.0', id: 1, method: 'initialize', params: {
  protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {name: 'page', version: '1'}}});
async function tries(http, extension) {
  const json = {method: 'POST', body: initialize, headers: {'content-type': 'application/json'}};
  const plain = {method: 'POST', body: initialize, headers: {'content-type': 'text/plain'}};
  navigator.sendBeacon(`http://${http}/mcp`, initialize);
  return {
    socket: await socket(`ws://${extension}`),
    socketOnHttp: await socket(`ws://${http}/mcp`),
    post: await read(`http://${http}/mcp`, json),
    health: await read(`http://${http}/health`),
    noCorsPost: await sent(`http://${http}/mcp`, plain),
    noCorsGet: await sent(`http://${http}/mcp`),
    image: await image(`http://${http}/health`),
  };
}
"""
NOTHING = {
    "socket": "refused",
    "socketOnHttp": "refused",
    "post": "refused",
    "health": "refused",
    "image": "refused",
}
FRAME = """
new Promise((done) => {
  addEventListener('message', (event) => done({origin: event.origin, told: event.data}));
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.srcdoc = CODE;
  document.body.append(frame);
})
"""
WORKER = """
chrome.runtime.onInstalled.addListener(() => {});
fetch('http://HTTP/mcp', {method: 'POST', mode: 'no-cors', body: '{}'});
new WebSocket('ws://EXTENSION').onopen = ({target}) => target.send('{"type":"connected","browser":{},"tabs":[]}');
"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cdp]:
    """A plain browser of the person's, where `evil.test` is a name of 127.0.0.1: what rebinding ends in."""
    profile = tmp_path_factory.mktemp("chromium")
    found = find_browser(None, os.environ, "linux")
    assert found is not None, "these tests need a browser"
    command = [str(found.path), "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
    flags = ["--host-resolver-rules=MAP evil.test 127.0.0.1", "--no-first-run", "--disable-background-networking"]
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    process = subprocess.Popen(
        [*command, *flags, *root, "about:blank"],
        env={**os.environ, "BREAKPAD_DUMP_LOCATION": str(profile)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(lambda: "/devtools/" in _read(profile / "DevToolsActivePort"))
        with Cdp(profile) as cdp:
            yield cdp
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
        shutil.rmtree(profile, ignore_errors=True)


def test_a_page_of_another_loopback_port_gets_nowhere(target: GatewayProcess, chromium: Cdp, site: Site) -> None:
    told = in_page(chromium, site.url, call(target, "127.0.0.1"))
    refused_all(told)
    assert nothing_came_of_it(target)


def test_a_sandboxed_frame_gets_nowhere(target: GatewayProcess, chromium: Cdp, site: Site) -> None:
    script = f"{TRIES}; {call(target, '127.0.0.1')}.then((told) => parent.postMessage(told, '*'))"
    told = in_page(chromium, site.url, FRAME.replace("CODE", json.dumps(f"<script>{script}</script>")))
    assert told["origin"] == "null"
    refused_all(told["told"])
    assert nothing_came_of_it(target)


def test_a_rebound_name_gets_nowhere(target: GatewayProcess, chromium: Cdp, site: Site) -> None:
    """The page is served as evil.test and asks evil.test: for the browser one site, for us a wrong Host."""
    port = site.url.rpartition(":")[2]
    before = target.log().count("This Host is not served here")
    told = in_page(chromium, f"http://evil.test:{port}/", call(target, "evil.test"))
    refused_all(told)
    assert target.log().count("This Host is not served here") >= before + 5
    assert nothing_came_of_it(target)


def test_the_gateway_s_own_pages_are_none(target: GatewayProcess, chromium: Cdp) -> None:
    """Typed into the address bar, by its name and by a rebound one, it shows a refusal and no more."""
    for host, status in (("127.0.0.1", 403), ("evil.test", 421)):
        address = f"http://{host}:{target.port}/health"
        shown = in_page(chromium, address, "({text: document.body.innerText, status: performance.getEntriesByType("
                        "'navigation')[0].responseStatus})")  # fmt: skip
        assert shown["status"] == status
        assert "version" not in shown["text"]


async def test_another_extension_gets_nowhere(target: GatewayProcess, tmp_path: Path) -> None:
    """It has no permission at all, and its id is not ours."""
    found = find_browser(None, os.environ, "linux")
    assert found is not None, "this test needs a browser"
    folder = tmp_path / "extension"
    folder.mkdir()
    background = {"service_worker": "worker.js"}
    manifest = {"manifest_version": 3, "name": "other", "version": "1", "background": background}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    worker = WORKER.replace("HTTP", f"127.0.0.1:{target.port}")
    (folder / "worker.js").write_text(worker.replace("EXTENSION", f"127.0.0.1:{target.extension_port}"))
    prepare_profile(tmp_path / "profile")
    before = len(target.log())
    chrome = await Chrome.launch(LaunchPlan(found.path, tmp_path / "profile", folder, True))
    try:
        told = f"(origin 'chrome-extension://{chrome.extension_id}')"
        await asyncio.to_thread(until, lambda: told in target.log()[before:] and "POST '/mcp'" in target.log()[before:])
    finally:
        await chrome.close()
    assert nothing_came_of_it(target)


def call(gateway: GatewayProcess, host: str) -> str:
    return f"tries('{host}:{gateway.port}', '{host}:{gateway.extension_port}')"


def refused_all(told: dict[str, Any]) -> None:
    # an opaque answer is one the page cannot look into; the gateway's own books say that it was a refusal
    assert {name: word for name, word in told.items() if not name.startswith("noCors")} == NOTHING
    assert {told["noCorsPost"], told["noCorsGet"]} <= {"opaque", "refused", "basic"}


def in_page(cdp: Cdp, address: str, expression: str) -> Any:
    """Evaluate in a fresh page at that address."""
    made = cdp.send("Target.createTarget", url=address)["targetId"]
    session = cdp.send("Target.attachToTarget", targetId=made, flatten=True)["sessionId"]
    try:
        until(lambda: cdp.evaluate(session, "location.href !== 'about:blank' && document.readyState === 'complete'"))
        cdp.evaluate(session, f"{TRIES}; 0" if "tries(" in expression else "0")
        return cdp.evaluate(session, expression)
    finally:
        cdp.send("Target.closeTarget", targetId=made)


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""
