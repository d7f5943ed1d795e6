"""What holds without a rule of the person's: web pages only, never our own ports; always with its rule."""

import pytest

from tabwright.errors import InvalidArguments
from tabwright.policy.actions import LAUNCHED, Access, Action, Allow, Ask, Deny, Principal, Verdict
from tabwright.policy.decide import decide
from tabwright.policy.rules import Rules
from tabwright.policy.urls import read_address, scheme_of

USER = Principal("user", "codex", "s1")
RULES = Rules(own_ports=frozenset({3456, 8765}))


def going_to(url: str) -> Action:
    return Action(USER, "open_tab", Access.READ, {"url": url}, destination=read_address(url))


@pytest.mark.parametrize("access", [Access.READ, Access.ACT, Access.PAGE_TOOL, Access.DOWNLOAD])
def test_reading_and_acting_on_a_page_is_allowed(access: Access) -> None:
    decision = decide(Action(USER, "click", access, {}, origin="https://a.test"), RULES)
    assert decision == Allow("default: reading and acting are allowed")


def script(origin: str, profile: str = "") -> Action:
    return Action(USER, "javascript_tool", Access.SCRIPT, {}, origin=origin, profile=profile)


def test_scripts_in_the_persons_own_browser_are_asked_about() -> None:
    asked = decide(script("https://a.test", "profile-1"), RULES)
    assert asked == Ask(
        "default: scripts ask once a site in your own browser",
        "May codex run scripts in pages of https://a.test?",
        (Access.SCRIPT,),
    )


def test_scripts_in_a_launched_browser_and_on_this_machine_are_not() -> None:
    assert isinstance(decide(script("https://a.test", LAUNCHED), RULES), Allow)
    for origin in ("http://localhost:3000", "http://127.0.0.1:8000", "https://app.localhost"):
        assert isinstance(decide(script(origin, "profile-1"), RULES), Allow)
    assert isinstance(decide(script("http://localhost.evil.test", "profile-1"), RULES), Ask)


def test_uploads_come_from_the_upload_folders_and_are_allowed() -> None:
    upload = Action(USER, "file_upload", Access.UPLOAD, {}, origin="https://a.test")
    assert decide(upload, RULES) == Allow("default: uploads are allowed, from the upload folders")


def test_a_call_about_no_page_is_never_asked_about() -> None:
    everything = Rules(defaults=dict.fromkeys(Access, Verdict.ASK))
    assert isinstance(decide(Action(USER, "list_tabs", Access.READ, {}), everything), Allow)


@pytest.mark.parametrize("url", ["https://a.test/", "a.test", "http://localhost:3000/", "about:blank"])
def test_web_pages_may_be_opened(url: str) -> None:
    assert decide(going_to(url), RULES) == Allow("default: reading and acting are allowed")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "chrome://settings",
        "chrome-extension://abc/ui/popup.html",
        "view-source:https://a.test/",
        "about:settings",
        "ftp://a.test/",
        " JavaScript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "file://server/share",
        "file:\\\\server\\share",
        "blob:https://a.test/1",
        "devtools://devtools/bundled/inspector.html",
        "about:blank#x",
        "about:srcdoc",
    ],
)
def test_nothing_but_web_pages_is_opened(url: str) -> None:
    decision = decide(going_to(url), RULES)
    assert isinstance(decision, Deny)
    assert decision.rule == "navigation: web pages only"


@pytest.mark.rule("T63")
@pytest.mark.parametrize(
    "url",
    [
        "java\nscript:alert(1)",
        "java\tscript:alert(1)",
        "\x01javascript:alert(1)",
        "\x00javascript:alert(1)",
        "filesystem:https://a.test/temporary/x",
    ],
)
def test_what_hides_its_scheme_is_no_address(url: str) -> None:
    with pytest.raises(InvalidArguments):
        going_to(url)


@pytest.mark.rule("T63")
def test_a_path_of_a_network_folder_is_taken_for_a_web_site() -> None:
    assert going_to(r"\\server\share").site == "https://server"


OWN = [
    "http://127.0.0.1:3456/",
    "http://localhost:8765/",
    "http://LOCALHOST:3456/mcp",
    "http://a.localhost:3456/",
    "http://127.1:3456/",
    "http://2130706433:3456/",
    "http://0x7f.0.0.1:3456/",
    "http://127.8.8.8:3456/",
    "http://0.0.0.0:3456/",
    "http://[::1]:3456/",
    "http://[::]:3456/",
    "http://[::ffff:127.0.0.1]:3456/",
    "https://localhost:3456/",
    "localhost:3456",
]


@pytest.mark.parametrize("url", OWN)
def test_our_own_ports_are_out_of_bounds_however_they_are_written(url: str) -> None:
    decision = decide(going_to(url), RULES)
    assert isinstance(decision, Deny)
    assert decision.rule == "navigation: own ports"


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost.:3456/",
        "http://a.localhost.:3456/",
        "http://[::ffff:0.0.0.0]:3456/",
        "http://0x7f.1:3456/",
        "http://017700000001:3456/",
        "http://[::ffff:7f00:1]:3456/",
        "http://１２７.0.0.1:3456/",
        "http://①②⑦.0.0.1:3456/",
        "http://127.0.0.1.nip.io:3456/",
        "http://a.127-0-0-1.sslip.io:3456/",
        "http://7f000001.nip.io:3456/",
        "http://0.0.0.0.nip.io:9222/",
    ],
)
def test_no_spelling_of_this_machine_reaches_our_own_ports(url: str) -> None:
    assert isinstance(decide(going_to(url), RULES), Deny)


@pytest.mark.parametrize("url", ["http://localhost:9222/json", "http://127.1:9229/", "http://[::1]:9222/"])
def test_the_ports_of_debuggers_are_out_of_bounds(url: str) -> None:
    decision = decide(going_to(url), RULES)
    assert isinstance(decision, Deny)
    assert decision.rule == "navigation: debuggers"
    assert isinstance(decide(going_to("http://a.test:9222/"), RULES), Allow)


def test_the_same_port_of_another_machine_is_not_ours() -> None:
    assert isinstance(decide(going_to("http://a.test:3456/"), RULES), Allow)
    assert isinstance(decide(going_to("http://192.168.0.1:3456/"), RULES), Allow)


def test_a_default_port_may_be_our_own_too() -> None:
    assert isinstance(decide(going_to("http://localhost/"), Rules(frozenset({80}))), Deny)


def on(url: str, tool: str = "read_page") -> Action:
    """A call about a page that is already there."""
    return Action(USER, tool, Access.READ, {}, origin=read_address(url).origin)


@pytest.mark.parametrize("tool", ["read_page", "computer", "javascript_tool", "call_page_tool"])
def test_a_page_of_ours_that_was_reached_all_the_same_is_closed(tool: str) -> None:
    decision = decide(on("http://127.0.0.1:3456/", tool), RULES)
    assert isinstance(decision, Deny)
    assert decision.rule == "page: own ports"


@pytest.mark.parametrize("tool", ["navigate", "close_tab", "tabs_close_mcp"])
def test_it_may_be_left(tool: str) -> None:
    assert isinstance(decide(on("http://127.0.0.1:3456/", tool), RULES), Allow)


def test_a_page_that_calls_its_own_tool_so_gains_nothing() -> None:
    called = Action(USER, "navigate", Access.PAGE_TOOL, {}, origin="http://127.0.0.1:3456")
    assert isinstance(decide(called, RULES), Deny)


@pytest.mark.parametrize("url", ["file:///home/ann/notes.html", "view-source:file:///etc/passwd", "FILE:///x"])
def test_a_file_of_this_machine_can_only_be_left(url: str) -> None:
    def trying(tool: str, access: Access = Access.READ) -> Action:
        return Action(USER, tool, access, {}, scheme=scheme_of(url))

    for tool in ("focus_tab", "get_page_text", "read_page", "javascript_tool", "computer"):
        decision = decide(trying(tool), RULES)
        assert isinstance(decision, Deny)
        assert decision.rule == "page: web pages only"
    assert isinstance(decide(trying("navigate", Access.PAGE_TOOL), RULES), Deny)
    for tool in ("navigate", "close_tab", "tabs_close_mcp"):
        assert isinstance(decide(trying(tool), RULES), Allow)


def test_nobody_is_asked_about_what_is_denied() -> None:
    called = Action(USER, "pay", Access.PAGE_TOOL, {}, scheme="file", consequential=True)
    assert isinstance(decide(called, RULES), Deny)


def test_other_pages_of_this_machine_are_open() -> None:
    assert isinstance(decide(on("http://127.0.0.1:8000/"), RULES), Allow)


def test_what_its_own_page_calls_consequential_is_asked_about() -> None:
    action = Action(USER, "pay", Access.PAGE_TOOL, {}, origin="https://bank.test", consequential=True)
    assert decide(action, RULES) == Ask(
        "page tool: its page says it has consequences", "Run pay of https://bank.test?", (Access.CONSEQUENTIAL,)
    )


METADATA = [
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.170.2/",
    "http://2852039166/",
    "http://0xa9.0xfe.0xa9.0xfe/",
    "http://0251.0376.0251.0376/",
    "http://\uff11\uff16\uff19.254.169.254/",
    "http://[::ffff:169.254.169.254]/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
    "http://metadata.google.internal/",
    "http://METADATA.google.internal./",
    "http://169.254.169.254.nip.io/",
    "http://a.169-254-169-254.sslip.io/",
]


@pytest.mark.parametrize("url", METADATA)
def test_addresses_that_hand_out_machine_credentials_are_closed_however_they_are_written(url: str) -> None:
    decision = decide(going_to(url), RULES)
    assert isinstance(decision, Deny)
    assert decision.rule == "navigation: machine credentials"
    reached = decide(on(url), RULES)
    assert isinstance(reached, Deny)
    assert reached.rule == "page: machine credentials"


@pytest.mark.parametrize("url", ["http://169.255.0.1/", "http://8.8.8.8.nip.io/", "http://metadata.example.com/"])
def test_what_only_looks_like_them_is_open(url: str) -> None:
    assert isinstance(decide(going_to(url), RULES), Allow)
