"""While the person is asked: no page reaches the window that asks, nor does the agent that waits for the answer."""

import asyncio
import json
from pathlib import Path

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.approvals.test_prompt import RAN, paired, press, prompted, shop
from tests.clients import connect
from tests.conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.rule("T71")]

TRIES = """(async () => {
  const prompt = 'chrome-extension://ID/ui/approve.html', got = [];
  const late = () => new Promise((_, no) => setTimeout(no, 1000));
  const noted = (what, work) => Promise.race([Promise.resolve().then(work), late()])
    .then((value) => { if (value) got.push(what + ': ' + value); }, () => {});
  await noted('fetch', async () => (await fetch(prompt)).status);
  await noted('frame', () => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.src = prompt;
    frame.onload = () => {
      try { done(frame.contentDocument?.querySelector('[data-answer]') && 'read'); } catch { done(''); }
    };
    document.body.append(frame);
  }));
  await noted('script', async () => Object.keys(await import('chrome-extension://ID/ui/approve.js')).length + 1);
  await noted('opened', async () => {
    const other = open(prompt);
    await new Promise((done) => setTimeout(done, 300));
    return other?.document.querySelector('[data-answer]') && 'read';
  });
  await noted('message', () => globalThis.chrome?.runtime?.sendMessage?.('ID', { askId: 'x', answer: 'once' }));
  await noted('port', () => globalThis.chrome?.runtime?.connect?.('ID', { name: 'approve' }) && 'connected');
  for (const to of [window, window.opener, window.parent].filter(Boolean))
    to.postMessage({ type: 'tabwright', askId: 'x', answer: 'once', press: 'answer' }, '*');
  for (const key of ['Enter', ' ', 'Escape'])
    document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  return JSON.stringify(got);
})()"""


async def test_neither_a_page_nor_the_agent_answers_for_the_person(tmp_path: Path, site: Site) -> None:
    site.pages["/shop"] = "<title>shop</title>"
    site.pages["/thief"] = "<title>thief</title>"
    async with paired(tmp_path) as (gateway, cdp), connect(gateway) as agent, connect(gateway) as other:
        for each in (agent, other):
            await each.call("connect_browser")
        await agent.call("open_tab", url=shop(site))
        await other.call("open_tab", url=shop(site, "/thief"))
        calling = asyncio.create_task(agent.result("javascript_tool", text=RAN))
        await prompted(cdp)
        assert json.loads(await asyncio.to_thread(cdp.in_page, "/thief", TRIES.replace("ID", extension_id()))) == []

        shown = str(await other.result("list_tabs"))
        assert "approve.html" not in shown
        assert extension_id() not in shown
        for name, arguments in (
            ("navigate", {"url": f"chrome-extension://{extension_id()}/ui/approve.html"}),
            ("open_tab", {"url": f"chrome-extension://{extension_id()}/ui/popup.html"}),
            ("navigate", {"url": f"http://127.0.0.1:{gateway.port}/"}),
        ):
            assert (await other.refused(name, **arguments))["code"] == "denied", arguments
        assert not calling.done(), "the question is still open"
        assert cdp.in_page(shop(site), "document.title") == "shop", "nothing ran"
        await prompted(cdp)
        await press(cdp, "deny")
        assert (await calling).is_error
        assert cdp.in_page(shop(site), "document.title") == "shop"
