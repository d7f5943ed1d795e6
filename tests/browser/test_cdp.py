"""The debugger of a tab: what it sets up, what ends a command, and that nobody attaches behind the person's back."""

import asyncio
from typing import Any

import anyio
import pytest

from tabwright.browser import patience
from tabwright.browser.debugger import attachment, requests
from tabwright.browser.debugger import cdp as cdp_module
from tabwright.browser.debugger.cdp import Cdp
from tabwright.errors import (
    BrowserNotConnected,
    CommandFailed,
    DialogOpen,
    OutcomeUnknown,
    Stopped,
    TabNotFound,
    TimedOut,
    ToolError,
    UnreachablePage,
)
from tabwright.link.events import CdpEvent
from tabwright.model import JsonObject

RAW = 7


class Chrome:
    """A link whose browser answers at once, unless a method is to hang or fail."""

    def __init__(self) -> None:
        self.asked: list[JsonObject] = []
        self.hanging: set[str] = set()
        self.failing: dict[str, ToolError] = {}
        self.commands = frozenset({"forwardCDPCommand", "detach", "screenshot"})
        self.remote = False
        self.detached = asyncio.Event()

    async def request(self, command: str, params: JsonObject, timeout_s: float | None = None) -> JsonObject:
        self.asked.append({"command": command, **params})
        method = str(params.get("method", command))
        if command == "detach":
            self.detached.set()
        if method in self.failing:
            raise self.failing.pop(method)
        if method in self.hanging:
            try:
                async with asyncio.timeout(timeout_s if timeout_s is not None else 5):
                    await asyncio.Event().wait()
            except TimeoutError:
                raise TimedOut(command, timeout_s or 5) from None
        return {}

    @property
    def methods(self) -> list[object]:
        return [asked.get("method", asked["command"]) for asked in self.asked]


def event(method: str, **params: str) -> CdpEvent:
    return CdpEvent(RAW, method, dict(params))


@pytest.fixture
def chrome() -> Chrome:
    return Chrome()


@pytest.fixture
def cdp(chrome: Chrome) -> Cdp:
    return Cdp(chrome, RAW)


async def test_only_the_first_command_attaches(chrome: Chrome, cdp: Cdp) -> None:
    await cdp.send("Runtime.evaluate")
    await cdp.send("Runtime.evaluate")
    assert [asked["method"] for asked in chrome.asked if asked["attach"]] == ["Page.enable"]
    assert chrome.methods.count("Runtime.evaluate") == 2


async def test_cancel_on_the_bar_ends_the_call_and_the_next_call_attaches_again(chrome: Chrome, cdp: Cdp) -> None:
    await cdp.prepare()
    chrome.hanging.add("Input.dispatchMouseEvent")
    pressed = asyncio.create_task(cdp.send("Input.dispatchMouseEvent"))
    await asyncio.sleep(0)
    cdp.apply(event("Inspector.detached", reason="canceled_by_user"))
    with pytest.raises(Stopped):
        await pressed
    with pytest.raises(Stopped):
        await cdp.send("Runtime.evaluate")
    assert chrome.methods.count("Page.enable") == 1
    cdp.attachment.allow()
    await cdp.send("Runtime.evaluate")
    assert chrome.methods.count("Page.enable") == 2


async def test_an_attachment_that_ended_unheard_is_made_again(chrome: Chrome, cdp: Cdp) -> None:
    await cdp.prepare()
    chrome.failing["Runtime.evaluate"] = CommandFailed("not attached", word="detached")
    await cdp.send("Runtime.evaluate")
    assert chrome.methods.count("Page.enable") == 2
    assert chrome.methods[-1] == "Runtime.evaluate"


@pytest.mark.parametrize("error", [OutcomeUnknown("forwardCDPCommand"), CommandFailed("gone", word="detached")])
async def test_what_only_sets_up_is_done_again_where_the_link_broke(chrome: Chrome, cdp: Cdp, error: ToolError) -> None:
    chrome.failing["Inspector.enable"] = error
    await cdp.send("Runtime.evaluate")
    assert chrome.methods.count("Inspector.enable") == 2
    assert chrome.methods.count("Runtime.evaluate") == 1


async def test_what_only_looks_is_asked_again_where_the_link_broke_and_what_acts_is_not(
    chrome: Chrome, cdp: Cdp
) -> None:
    chrome.failing["Runtime.evaluate"] = OutcomeUnknown("forwardCDPCommand")
    await cdp.read("Runtime.evaluate", {})
    assert chrome.methods.count("Runtime.evaluate") == 2
    chrome.failing["Runtime.evaluate"] = OutcomeUnknown("forwardCDPCommand")
    with pytest.raises(OutcomeUnknown):
        await cdp.send("Runtime.evaluate")
    assert chrome.methods.count("Runtime.evaluate") == 3


async def test_a_picture_is_taken_again_where_the_attachment_was_cut_off(chrome: Chrome, cdp: Cdp) -> None:
    chrome.failing["screenshot"] = CommandFailed("The debugger was detached before the answer came.", word="cut_off")
    await cdp.capture({})
    assert chrome.methods.count("screenshot") == 2


async def test_a_closed_tab_ends_what_waits_for_it(chrome: Chrome, cdp: Cdp) -> None:
    await cdp.prepare()
    chrome.hanging.add("Runtime.evaluate")
    waiting = asyncio.create_task(cdp.send("Runtime.evaluate"))
    held = asyncio.create_task(cdp.dialogs.unless_open(asyncio.sleep(5)))
    await asyncio.sleep(0)
    cdp.over(TabNotFound(RAW, closed=True))
    for task in (waiting, held):
        with pytest.raises(TabNotFound, match="was closed"):
            await task
    with pytest.raises(TabNotFound):
        await cdp.send("Runtime.evaluate")


async def test_a_crash_ends_commands_under_way(chrome: Chrome, cdp: Cdp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cdp_module, "CRASHED_S", 0.01)
    await cdp.prepare()
    chrome.hanging.add("Runtime.evaluate")
    waiting = asyncio.create_task(cdp.send("Runtime.evaluate"))
    await asyncio.sleep(0)
    cdp.apply(event("Inspector.targetCrashed"))
    with pytest.raises(CommandFailed, match="crashed"):
        await waiting


async def test_cancelling_a_call_is_still_cancelling(chrome: Chrome, cdp: Cdp) -> None:
    await cdp.prepare()
    chrome.hanging.add("Runtime.evaluate")
    waiting = asyncio.create_task(cdp.send("Runtime.evaluate"))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_work_whose_client_cancels_it_cleans_up(cdp: Cdp) -> None:
    cleaned = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(5):
                await asyncio.sleep(0)
            cleaned.set()

    # as the SDK does it: whatever is awaited meanwhile is cancelled anew
    with anyio.CancelScope() as scope:
        asyncio.get_running_loop().call_later(0.01, scope.cancel)
        await cdp.dialogs.unless_open(work())
    async with asyncio.timeout(5):
        await cleaned.wait()


async def test_a_dialog_ends_work_even_if_it_closes_at_once(cdp: Cdp) -> None:
    work = asyncio.create_task(cdp.dialogs.unless_open(asyncio.sleep(5)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    cdp.apply(event("Page.javascriptDialogOpening", type="confirm", message="Sure?"))
    cdp.apply(event("Page.javascriptDialogClosed"))
    with pytest.raises(DialogOpen, match=r"Sure\?"):
        await work


async def test_a_dialog_ends_a_question_in_the_task_that_asked(cdp: Cdp) -> None:
    asked: asyncio.Future[set[asyncio.Task[Any] | None]] = asyncio.get_running_loop().create_future()

    async def question(asker: "asyncio.Task[Any] | None") -> None:
        asked.set_result({asker, asyncio.current_task()})
        await asyncio.Event().wait()

    async def ask() -> None:
        await cdp.dialogs.unless_open_asking(question(asyncio.current_task()))

    asking = asyncio.create_task(ask())
    assert await asked == {asking}
    cdp.apply(event("Page.javascriptDialogOpening", type="confirm", message="Sure?"))
    with anyio.fail_after(5), pytest.raises(DialogOpen, match=r"Sure\?"):
        await asking


async def test_no_question_is_put_to_a_page_that_a_dialog_holds_up(cdp: Cdp) -> None:
    cdp.apply(event("Page.javascriptDialogOpening", type="alert", message="First"))
    with anyio.fail_after(5), pytest.raises(DialogOpen, match="First"):
        await cdp.dialogs.unless_open_asking(asyncio.sleep(60))
    cdp.apply(event("Page.javascriptDialogClosed"))
    assert await cdp.dialogs.unless_open_asking(asyncio.sleep(0, "answered")) == "answered"


async def test_a_closed_tab_ends_a_question(cdp: Cdp) -> None:
    asking = asyncio.create_task(cdp.dialogs.unless_open_asking(asyncio.sleep(60)))
    await asyncio.sleep(0)
    cdp.over(TabNotFound(RAW, closed=True))
    with anyio.fail_after(5), pytest.raises(TabNotFound, match="was closed"):
        await asking


async def test_a_page_that_stands_still_without_a_script_has_a_dialog_nobody_told_of(
    chrome: Chrome, cdp: Cdp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "PATIENCE_S", 0.05)
    chrome.hanging |= {"Page.enable", "Performance.getMetrics", "askFrames"}
    with pytest.raises(DialogOpen):
        await cdp.unless_held_up(chrome.request("askFrames", {}), _never)
    assert chrome.methods[-1] == "detach", "the bar goes again"


class Standstill(Chrome):
    """The way to the browser stands still, until `getStatus` has been asked and so much time has passed."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.commands |= {"getStatus"}
        self._seconds = seconds

    async def request(self, command: str, params: JsonObject, timeout_s: float | None = None) -> JsonObject:
        self.hanging = {"Page.enable", "Performance.getMetrics"} if "getStatus" not in self.methods else set()
        if command == "getStatus":
            if timeout_s is not None and timeout_s < self._seconds:
                raise TimedOut(command, timeout_s)
            await asyncio.sleep(self._seconds)
        return await super().request(command, params, timeout_s)


class Far(Chrome):
    """A browser at the end of a long way."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.commands |= {"getStatus"}
        self._seconds = seconds

    async def request(self, command: str, params: JsonObject, timeout_s: float | None = None) -> JsonObject:
        answer = await super().request(command, params, timeout_s)
        if timeout_s is not None and timeout_s < self._seconds:
            await asyncio.sleep(timeout_s)
            raise TimedOut(command, timeout_s)
        await asyncio.sleep(self._seconds)
        return answer


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "PROBE_S", 0.02)


@pytest.mark.usefixtures("impatient")
async def test_a_way_to_the_browser_that_stood_still_is_not_taken_for_a_dialog() -> None:
    chrome = Standstill(0.05)
    await Cdp(chrome, RAW).send("Runtime.evaluate")
    assert chrome.methods.count("Runtime.evaluate") == 1


@pytest.mark.usefixtures("impatient")
async def test_in_a_browser_that_is_far_away_a_page_has_as_much_longer_to_answer() -> None:
    chrome = Far(0.05)
    cdp = Cdp(chrome, RAW)
    assert await cdp.probe(), "it was the way that took long"
    assert not await cdp.probe(), "which is known by then"
    assert chrome.methods == ["Performance.getMetrics", "getStatus", "Performance.getMetrics", "Performance.getMetrics"]


@pytest.mark.usefixtures("impatient")
async def test_nor_is_it_taken_for_a_script_that_keeps_the_page_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "PATIENCE_S", 0.02)
    monkeypatch.setattr(patience, "BUSY_S", 0.02)
    chrome = Standstill(0.05)
    cdp = Cdp(chrome, RAW)

    async def answered() -> str:
        # longer than a page that is busy gets, and than the way there stands still
        await asyncio.sleep(0.3)
        return "read"

    async def lives() -> bool:
        return chrome.methods.count("Performance.getMetrics") > 1

    cdp.attachment.adopt()
    assert await cdp.unless_held_up(answered(), lives) == "read"


@pytest.mark.usefixtures("impatient")
async def test_a_browser_that_does_not_answer_at_all_is_told_as_that() -> None:
    with pytest.raises(BrowserNotConnected, match="does not answer"):
        await Cdp(Standstill(60), RAW).send("Runtime.evaluate")


@pytest.mark.usefixtures("impatient")
async def test_a_page_that_stands_still_in_a_browser_that_answers_at_once_has_a_dialog() -> None:
    chrome = Chrome()
    chrome.commands |= {"getStatus"}
    chrome.hanging |= {"Page.enable", "Performance.getMetrics"}
    with pytest.raises(DialogOpen):
        await Cdp(chrome, RAW).send("Runtime.evaluate")


async def test_a_page_whose_agent_lives_is_not_attached_to(
    chrome: Chrome, cdp: Cdp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "PATIENCE_S", 0.02)

    async def slow() -> str:
        await asyncio.sleep(0.1)
        return "done"

    async def lives() -> bool:
        return True

    assert await cdp.unless_held_up(slow(), lives) == "done"
    assert chrome.asked == []


async def test_what_is_in_use_is_set_up_again(chrome: Chrome, cdp: Cdp) -> None:
    await cdp.attachment.enable("Network")
    cdp.attachment.lost()
    await cdp.send("Runtime.evaluate")
    assert chrome.methods.count("Network.enable") == 2


async def test_whoever_records_hears_on_when_the_link_is_back(chrome: Chrome, cdp: Cdp) -> None:
    await cdp.attachment.enable("Network")
    cdp.attachment.resume()
    assert not cdp.attached
    for _ in range(20):
        await asyncio.sleep(0)
    assert chrome.methods.count("Network.enable") == 2
    assert cdp.attached


async def test_what_a_tab_on_its_way_holds_back_ends_with_the_word_of_where_it_goes(cdp: Cdp) -> None:
    async def on_its_way() -> None:
        raise UnreachablePage("Tab 7 is being loaded.", "Wait.")

    async def held_back() -> None:
        await asyncio.Event().wait()

    async def done() -> int:
        return 42

    assert await cdp.requests.unless_leaving(done()) == 42
    cdp.requests.ready = on_its_way
    async with asyncio.timeout(10):
        with pytest.raises(UnreachablePage, match="is being loaded"):
            await cdp.requests.unless_leaving(held_back())


async def test_a_gesture_has_a_hidden_tab_drawn_at_the_usual_pace(chrome: Chrome, cdp: Cdp) -> None:
    await asyncio.gather(*(cdp.send("Input.dispatchMouseEvent", {"n": number}) for number in range(3)))
    sent = [asked["params"] for asked in chrome.asked if asked.get("method") == "Input.dispatchMouseEvent"]
    assert sent == [{"n": 0}, {"n": 1}, {"n": 2}], "in order, whatever else is sent"
    await asyncio.sleep(0)
    assert chrome.methods.count("Page.startScreencast") == 1


async def test_gestures_leave_tabs_in_sight_uncast_and_pictures_do_not(chrome: Chrome, cdp: Cdp) -> None:
    await cdp.send("Input.dispatchMouseEvent", {})
    await cdp.capture({}, within_s=1.0)
    await cdp.send("Input.dispatchMouseEvent", {})
    await asyncio.sleep(0)
    casts = [asked for asked in chrome.asked if asked.get("method") == "Page.startScreencast"]
    assert [asked.get("unlessSeen", False) for asked in casts] == [True, False]


async def _never() -> bool:
    return False


async def test_a_dialog_that_opens_while_a_busy_page_is_looked_at_can_be_answered(chrome: Chrome, cdp: Cdp) -> None:
    chrome.hanging.add("Page.enable")
    looking = asyncio.create_task(cdp.look())
    asyncio.get_running_loop().call_later(
        0.01, cdp.apply, event("Page.javascriptDialogOpening", type="confirm", message="Sure?")
    )
    await looking
    assert "detach" not in chrome.methods
    await cdp.close_dialog(accept=True)
    assert cdp.dialog is None


async def test_a_tab_is_let_go_when_it_was_idle_and_not_before(
    chrome: Chrome, cdp: Cdp, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, begun = asyncio.get_running_loop(), list[float]()
    monkeypatch.setattr(attachment, "IDLE_S", 0.2)
    for _ in range(4):
        begun.append(loop.time())
        await cdp.send("Runtime.evaluate")
        await asyncio.sleep(0.1)
    with anyio.fail_after(10):
        await chrome.detached.wait()
    assert loop.time() - begun[-1] >= 0.2
    assert chrome.methods.count("Page.enable") == 1
