"""The command table: what may be sent again, and that each dialect speaks a part of it."""

from tabwright.link.commands import COMMANDS
from tabwright.link.foreign import ForeignDialect
from tabwright.link.local import LocalDialect

LONGEST_S = 65
"""The person has a minute to answer; everything else is quicker."""
FORWARDED = {
    "createTab", "getTabs", "selectTab", "activateTab", "closeTab", "browser_navigate", "goBack", "goForward",
    "forwardCDPCommand", "click", "type", "hover", "screenshot",
}  # fmt: skip


def test_every_forwarded_method_of_the_proxy_protocol_is_a_local_command() -> None:
    assert LocalDialect().commands >= FORWARDED


def test_only_what_changes_nothing_may_be_sent_again() -> None:
    again = {name for name, command in COMMANDS.items() if command.repeatable}
    assert again == {
        "getTabs",
        "screenshot",
        "showHolds",
        "ungroupTabs",
        "showActivity",
        "connect",
        "focusTab",
        "selectTab",
        "activateTab",
        "introspect",
        "askFrames",
        "askFrame",
        "beginAction",
        "settleAction",
        "resizeWindow",
        "judgeDownload",
        "askPerson",
        "getStatus",
    }


def test_every_command_has_a_bound() -> None:
    assert all(0 < command.timeout_s <= LONGEST_S for command in COMMANDS.values())


def test_a_foreign_peer_is_asked_only_what_its_protocol_has() -> None:
    assert ForeignDialect().commands == {"connect", "createTab", "focusTab", "closeTab", "callTool", "tabMessage"}
    assert ForeignDialect().commands <= COMMANDS.keys()
    assert LocalDialect().commands <= COMMANDS.keys()


def test_our_own_extension_is_never_asked_in_the_words_of_foreign_ones() -> None:
    assert LocalDialect().commands.isdisjoint({"connect", "focusTab", "callTool"})
