"""Every failure that has a name, with its JSON-RPC code.

GatewayError
├── ToolError               an `isError` result the model can act on
│   ├── InvalidArguments    invalid_arguments      -32602
│   ├── TabNotFound         tab_not_found          -32001
│   ├── BrowserNotConnected browser_not_connected  -32003
│   ├── TabHeld             tab_held               -32004
│   ├── TabNotHeld          tab_not_held           -32004
│   ├── UnreachablePage     unreachable_page       -32005
│   │   ├── PageBusy
│   │   └── PageCrashed
│   ├── Denied              denied                 -32006
│   ├── ApprovalTimeout     approval_timeout       -32007
│   ├── DialogOpen          dialog_open            -32008
│   │   ├── PopupDialog
│   │   └── UnwatchedDialog
│   ├── NoDialog            no_dialog              -32008
│   ├── Stopped             stopped                -32006
│   ├── NobodyToAsk         nobody_to_ask          -32009
│   ├── OutcomeUnknown      outcome_unknown        -32011
│   ├── DefinitionChanged   definition_changed     -32012
│   ├── TimedOut            timeout                -32014
│   ├── LimitReached        limit                  -32013
│   ├── StaleTarget         stale_target           -32015
│   ├── StaleRef            stale_ref              -32016
│   ├── ChooseBrowser       choose_browser         -32017
│   ├── StaleScreenshot     stale_screenshot       -32018
│   ├── NavigationFailed    navigation_failed      -32000
│   ├── LaunchFailed        launch_failed          -32000
│   │   └── NoBrowserInstalled
│   └── CommandFailed       the browser's own words
├── UnknownTool             -32602, for the host
├── ParseError              -32700
└── InvalidRequest          -32600

The word is `error.code` in an `isError` result and `error.data.code` in a JSON-RPC error.
"""

from typing import Final

from tabwright.deeds import deed_of

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

CONNECT: Final = "Call connect_browser first."
LIST_TABS: Final = "Call list_tabs to see open tabs."
CLAIM_TAB: Final = "Call focus_tab first."
ANSWER_DIALOG: Final = "Call handle_dialog."
LEAVING: Final = "beforeunload"
"""The kind of dialog that asks whether to leave a page."""


class GatewayError(Exception):
    """A failure with a name. `message` says what is wrong, `next` what to do about it."""

    code: int = -32000
    word: str = "failed"

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(f"{message} {next_step}".strip())
        self.message = message
        self.next_step = next_step

    def advise(self, next_step: str) -> None:
        """Name another next step."""
        self.next_step = next_step
        self.args = (f"{self.message} {next_step}".strip(),)


class ToolError(GatewayError):
    """Any other failure that the model can act on; like all of these it becomes an `isError` result."""


class InvalidArguments(ToolError):
    """The arguments do not fit: one is missing, unknown or has a wrong value."""

    code = INVALID_PARAMS
    word = "invalid_arguments"


class TabNotFound(ToolError):
    """There is no such tab, or it was closed meanwhile."""

    code = -32001
    word = "tab_not_found"

    def __init__(
        self,
        tab_id: int,
        next_step: str = LIST_TABS,
        *,
        closed: bool = False,
    ) -> None:
        if closed:
            super().__init__(f"Tab {tab_id} was closed meanwhile.", "Work in another tab, or open one.")
        else:
            super().__init__(f"No tab {tab_id}.", next_step)
        self.tab_id = tab_id


class BrowserNotConnected(ToolError):
    """The session has no browser, or lost the one it had."""

    code = -32003
    word = "browser_not_connected"

    def __init__(self, message: str = "No browser is connected.", next_step: str = CONNECT) -> None:
        super().__init__(message, next_step)


class TabHeld(ToolError):
    """Another session works in that tab."""

    code = -32004
    word = "tab_held"

    def __init__(self, tab_id: int, holder: str) -> None:
        super().__init__(
            f"Tab {tab_id} is held by another session ({holder}).",
            "Work in a tab of your own, or ask the person to take it back in the tabwright popup.",
        )
        self.tab_id = tab_id
        self.holder = holder


class TabNotHeld(ToolError):
    """The session must claim that tab with `focus_tab` before it acts there."""

    code = -32004
    word = "tab_not_held"

    def __init__(self, tab_id: int) -> None:
        super().__init__(f"Tab {tab_id} is not yours.", CLAIM_TAB)
        self.tab_id = tab_id


class Denied(ToolError):
    """The policy or the person said no; the message names the rule."""

    code = -32006
    word = "denied"


class UnreachablePage(ToolError):
    """The page cannot be read or used, because it loads, is busy, crashed, was unloaded, or is out of reach."""

    code = -32005
    word = "unreachable_page"


class PageBusy(UnreachablePage):
    """A script of the page's own runs on and on, or stands still while the browser asks the person how to print."""

    def __init__(self) -> None:
        super().__init__(
            "The page does not respond: a script of its own keeps it busy, or the browser's print window lies over it.",
            "Wait and try again, or end it: navigate with reload or another address, or close the tab.",
        )


class PageCrashed(UnreachablePage):
    """The process of the page has ended."""

    def __init__(self, tab_id: int) -> None:
        super().__init__(
            f"The page of tab {tab_id} crashed.", "Call navigate with reload or another address, or close the tab."
        )


class DialogOpen(ToolError):
    """A dialog of the page is open and holds it up: `handle_dialog` answers it."""

    code = -32008
    word = "dialog_open"

    def __init__(self, kind: str, message: str, *, caused: bool = False) -> None:
        # whoever is told only that it failed does it again
        done = "Done, and " if caused else ""
        if kind == LEAVING:
            said = f"{done}the page asks whether it may be left ({kind}); accept leaves it."
        else:
            happened = "it opened a dialog" if caused else "the page is held up by a dialog"
            said = f'{done}{happened} ({kind}): "{_quotable(message)}".'
        super().__init__(said[0].upper() + said[1:], ANSWER_DIALOG)
        self.kind = kind
        self.dialog_message = message
        self.caused = caused


class PopupDialog(DialogOpen):
    """It is open in a tab that this one opened, whose pages may share a process: then both stand still."""

    def __init__(self, tab_id: int, kind: str, message: str, *, caused: bool = False) -> None:
        done = "Done, and tab" if caused else "Tab"
        ToolError.__init__(
            self,
            f'{done} {tab_id}, which this one opened, shows a dialog ({kind}): "{_quotable(message)}".',
            f"Call handle_dialog with tabId {tab_id}.",
        )
        self.tab_id, self.kind, self.dialog_message, self.caused = tab_id, kind, message, caused


class UnwatchedDialog(DialogOpen):
    """It opened while nobody was attached who could be told of it, so nobody but the person can answer it."""

    def __init__(self) -> None:
        ToolError.__init__(
            self,
            "The page stands still: a dialog that opened before tabwright watched this tab, which only the person can "
            "answer; or so much to draw that the browser is busy with it.",
            "Try again in a moment; else ask them to answer it in the browser, navigate elsewhere, or close the tab.",
        )
        self.kind, self.dialog_message, self.caused = "unknown", "", False


def _quotable(message: str) -> str:
    """A page's words, which end neither their quotes nor the line."""
    return " ".join(message.split())[:300].replace('"', "'")


class NoDialog(ToolError):
    """`handle_dialog` was called, but no dialog is open."""

    code = -32008
    word = "no_dialog"

    def __init__(self) -> None:
        super().__init__("No dialog is open.", "Nothing holds the page up: go on with it.")


class Stopped(ToolError):
    """The person stopped this agent, took back the tab it worked in, or pressed *Cancel* on the debugging bar."""

    code = -32006
    word = "stopped"

    def __init__(
        self,
        message: str = "The person pressed Cancel on the browser's debugging bar; what was under way was stopped.",
        next_step: str = "Go on only if they want you to: another call works again.",
    ) -> None:
        super().__init__(message, next_step)


class LimitReached(ToolError):
    """Too many calls, tabs or bytes at once; the message says of what."""

    code = -32013
    word = "limit"


class NobodyToAsk(ToolError):
    """The call needs consent, and nobody can be asked; the message says what the person can run instead."""

    code = -32009
    word = "nobody_to_ask"


class ApprovalTimeout(ToolError):
    """The person was asked and did not answer in time, which counts as a no."""

    code = -32007
    word = "approval_timeout"

    def __init__(self, tool: str, seconds: float) -> None:
        super().__init__(
            f"{tool} was not run: nobody answered the question within {seconds:g} s.",
            "Ask the person whether to try again.",
        )


class DefinitionChanged(ToolError):
    """The page defines the tool differently than when it was cached. Nothing was run."""

    code = -32012
    word = "definition_changed"

    def __init__(self, name: str, changed: tuple[str, ...]) -> None:
        super().__init__(
            f"{name} was not run: its page defines it differently from what was listed.",
            "List the tools again and use what is there now.",
        )
        self.name = name
        self.changed = changed


class OutcomeUnknown(ToolError):
    """The link broke, or the page went, after the call was sent: it may or may not have happened."""

    code = -32011
    word = "outcome_unknown"

    def __init__(self, command: str) -> None:
        super().__init__(
            f"The link to the browser broke before it could {deed_of(command)}; it may or may not have happened.",
            "Look at the page before you try again.",
        )
        self.command = command


class TimedOut(ToolError):
    """The browser did not answer in time; what was asked may still happen."""

    code = -32014
    word = "timeout"

    def __init__(self, command: str, seconds: float) -> None:
        super().__init__(
            f"The browser did not {deed_of(command)} within {seconds:g} s; it may still happen.",
            "Look at the page before you try again.",
        )
        self.command = command
        self.seconds = seconds


class StaleTarget(ToolError):
    """The page tool is not what this client was shown: page, origin or definition changed. Nothing was run."""

    code = -32015
    word = "stale_target"

    def __init__(self, name: str, reason: str, changed: tuple[str, ...] = ()) -> None:
        super().__init__(f"{name} was not run: {reason}", "List the tools again and use what is there now.")
        self.name = name
        self.changed = changed


class StaleRef(ToolError):
    """The element of that ref, or its document, is gone."""

    code = -32016
    word = "stale_ref"

    def __init__(self, ref: str) -> None:
        super().__init__(f"{ref} is not on the page any more.", "Call read_page or find for refs of the page as it is.")
        self.ref = ref


class StaleScreenshot(ToolError):
    """Coordinates refer to a screenshot that no longer shows the page."""

    code = -32018
    word = "stale_screenshot"

    def __init__(self, reason: str) -> None:
        super().__init__(f"The last image no longer shows the page: {reason}", "Take a screenshot and use its pixels.")


class ChooseBrowser(ToolError):
    """More than one browser is connected, and the session has not chosen one with `select_browser`."""

    code = -32017
    word = "choose_browser"

    def __init__(self, choices: tuple[tuple[str, str], ...]) -> None:
        listed = ", ".join(f"{browser_id} ({name})" for browser_id, name in choices)
        super().__init__(f"More than one browser is linked: {listed}.", "Call select_browser with one of these ids.")
        self.choices = choices


class NavigationFailed(ToolError):
    """The address could not be loaded; the message says why."""

    word = "navigation_failed"


class LaunchFailed(ToolError):
    """No browser could be launched; the message says why."""

    word = "launch_failed"


class NoBrowserInstalled(LaunchFailed):
    """There is no browser on this machine, or not where the settings say."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "Install one, or set TABWRIGHT_BROWSER to its path.")


class CommandFailed(ToolError):
    """What the extension answered as an error, in its words and with its code."""

    def __init__(self, message: str, code: int = -32000, word: str = "failed") -> None:
        super().__init__(message)
        self.code = code
        self.word = word


class UnknownTool(GatewayError):
    """The client's list has no tool of that name."""

    code = INVALID_PARAMS
    word = "unknown_tool"

    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown tool: {name}.", "Call tools/list to see what there is.")
        self.name = name


class ParseError(GatewayError):
    """The message is not JSON."""

    code = PARSE_ERROR
    word = "parse_error"


class InvalidRequest(GatewayError):
    """The message is JSON, but not a valid request."""

    code = INVALID_REQUEST
    word = "invalid_request"
