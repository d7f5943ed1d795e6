"""navigate: a tab goes to an address, back, forward, or loads anew; the answer says where that led."""

from typing import Final

from pydantic import Field

from tabwright.browser.navigation import Arrival, Ending, reason
from tabwright.errors import Denied, InvalidArguments, NavigationFailed
from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access, Deny
from tabwright.policy.text import MAX_TITLE, quotable
from tabwright.policy.urls import origin_of, read_address
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool

BLANK: Final = "about:blank"
_WAYS: Final = frozenset({"back", "forward", "reload"})


class Navigate(Params):
    url: str = Field(description="Address, or back, forward, reload")
    tabId: TabNumber | None = None


async def run(desk: Desk, params: Navigate) -> ToolResult:
    to = _way(params.url)
    if not desk.has_target:
        if to in _WAYS:
            raise InvalidArguments("This session has no tab yet.", "Give an address; it opens in a new tab.")
        await desk.adopt((await desk.browser.new_tabs.open(BLANK)).tab)
    return ToolResult((Text(await go(desk, to)),))


async def go(desk: Desk, to: str) -> str:
    """Send the call's tab there, and say where that led.

    Raises:
        NavigationFailed: it shows an error page now, or did not move.
        Denied: it led to a page that agents may not see.
        ToolError: a dialog is open, or the tab is gone.
    """
    before = desk.browser.downloads.mark
    return await led(desk, await desk.browser.journeys.go(desk.target, to), to, before)


async def led(desk: Desk, arrival: Arrival, to: str, before: int) -> str:
    """Where a journey of the call's tab led. `before` marks the downloads of earlier ones.

    Raises:
        ToolError: as `go`.
    """
    match arrival.ending:
        case Ending.ARRIVED:
            _check(desk, arrival.url)
            return _arrived(desk, arrival, to, before)
        case Ending.DOWNLOAD:
            return await _downloaded(desk, before)
        case Ending.EMPTY:
            said = "" if arrival.status is None else f" (HTTP {arrival.status})"
            return f"The server sent no page{said}; tab {desk.target} still shows {arrival.url}."
        case Ending.SUPERSEDED:
            raise NavigationFailed(
                f"Another navigation of tab {desk.target} took over before {to} was there.",
                "Look where the tab is now; navigate again, one at a time, or use a tab for each.",
            )
        case Ending.FAILED:
            raise _failure(arrival, to)
        case Ending.RUNNING:
            raise _waiting(desk, arrival, to)
        case Ending.HELD_UP:
            raise _held_up(desk, arrival)


def _way(written: str) -> str:
    word = written.strip().lower()
    return word if word in _WAYS else read_address(written).href


def _check(desk: Desk, url: str) -> None:
    """The policy is asked again of the page that came: what an agent may not see is not told."""
    decision = desk.consult(Access.READ, url) if url else None
    if isinstance(decision, Deny):
        raise Denied(f"The tab was led to a page that is closed to agents: {decision.reason}", "Navigate elsewhere.")


def _arrived(desk: Desk, arrival: Arrival, to: str, before: int) -> str:
    title = quotable(arrival.title, MAX_TITLE)
    named = f' "{title}"' if title and title != arrival.url else ""
    status = "" if arrival.status is None or arrival.same_document else f" (HTTP {arrival.status})"
    what = "Same page, now at" if arrival.same_document else "Loaded"
    lines = [f"{what} {arrival.url}{named}{status} in tab {desk.target}."]
    if to not in _WAYS and _host(to) != _host(arrival.url):
        lines.append(f"{_host(to)} redirected to another site: {_host(arrival.url)}.")
    if arrival.loading:
        lines.append("It is still loading; what is there already can be used.")
    lines += [each.text for each in desk.browser.downloads.of(desk.target, arrival.url, since=before)]
    return "\n".join(lines)


async def _downloaded(desk: Desk, before: int) -> str:
    saved = await desk.browser.downloads.caused(desk.target, "", before)
    page = desk.browser.tab(desk.target).url
    return "\n".join(
        [f"That is a file, not a page; tab {desk.target} still shows {page}.", *(each.text for each in saved)]
    )


def _failure(arrival: Arrival, to: str) -> NavigationFailed:
    where = arrival.url or to
    if arrival.status == 401:
        return _locked(where)
    if arrival.status is not None and arrival.status >= 400:
        return NavigationFailed(f"{where} answered HTTP {arrival.status} with an empty page.", "Check the address.")
    why, next_step = reason(arrival.error)
    return NavigationFailed(f"{where} did not load: {why} ({arrival.error}).", next_step)


def _waiting(desk: Desk, arrival: Arrival, to: str) -> NavigationFailed:
    if arrival.status == 401:
        return _locked(to)
    return NavigationFailed(
        f"{to} has not answered yet; tab {desk.target} still shows {arrival.url}.",
        "Wait and look again, or navigate elsewhere.",
    )


def _locked(where: str) -> NavigationFailed:
    return NavigationFailed(
        f"{where} asks for a user name and password (HTTP 401).", "Ask the person to log in in that tab."
    )


def _held_up(desk: Desk, arrival: Arrival) -> NavigationFailed:
    """Nobody was attached who could be told of the dialog: only the person sees it."""
    return NavigationFailed(
        f"Tab {desk.target} did not leave {arrival.url}: the browser asks the person whether it may.",
        "Ask the person to answer in the browser, or work in another tab.",
    )


def _host(url: str) -> str:
    return origin_of(url).rpartition("//")[2] or url.partition(":")[0]


TOOL = Tool(
    name="navigate",
    description="Go to a URL and wait until the page has settled.",
    params=Navigate,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    opens_tab=True,
    own_list=True,
    destination=lambda params: None if params.url.strip().lower() in _WAYS else params.url,
    hints=ToolHints(read_only=False, destructive=False),
)
