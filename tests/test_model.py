"""The shared words: results, definitions of page tools, and the numbers of errors."""

import json
from dataclasses import replace

import pytest

from tabwright import errors
from tabwright.errors import GatewayError, ToolError
from tabwright.link.commands import COMMANDS
from tabwright.model import PageTool, Text, ToolResult

TOOL = PageTool("send", "Sends.", {"type": "object", "properties": {"a": {}, "b": {}}}, {"readOnlyHint": True})


def test_a_json_result_is_the_same_as_text_and_as_structure() -> None:
    result = ToolResult.of_json({"title": "Größe", "n": [1, None]})
    assert result == ToolResult((Text('{"title":"Größe","n":[1,null]}'),), {"title": "Größe", "n": [1, None]})
    [content] = result.content
    assert isinstance(content, Text)
    assert json.loads(content.text) == result.structured
    assert ToolResult.of_json({}, is_error=True).is_error


def test_a_definition_changes_with_everything_the_page_says() -> None:
    others = [
        replace(TOOL, name="send2"),
        replace(TOOL, description="Sends!"),
        replace(TOOL, input_schema={"type": "object"}),
        replace(TOOL, annotations={}),
        replace(TOOL, source="form"),
        replace(TOOL, title="Send"),
    ]
    assert len({tool.definition for tool in [TOOL, *others]}) == 7


def test_a_definition_does_not_depend_on_the_order_of_keys() -> None:
    other = replace(TOOL, input_schema={"properties": {"b": {}, "a": {}}, "type": "object"})
    assert other.definition == TOOL.definition


def test_a_digest_for_calling_is_no_part_of_the_definition() -> None:
    assert replace(TOOL, digest="1f").definition == TOOL.definition


def descendants(kind: type[GatewayError]) -> list[type[GatewayError]]:
    return [found for child in kind.__subclasses__() for found in (child, *descendants(child))]


OURS = [kind for kind in descendants(GatewayError) if kind.__module__ == errors.__name__]


@pytest.mark.parametrize("kind", OURS)
def test_every_error_is_drawn_in_the_tree(kind: type[GatewayError]) -> None:
    assert errors.__doc__ is not None
    assert f" {kind.__name__}" in errors.__doc__


@pytest.mark.parametrize("kind", OURS)
def test_our_codes_stay_out_of_what_the_protocol_reserves(kind: type[GatewayError]) -> None:
    # MCP reserves -32020..-32099 and retires -32002
    assert kind.code in (-32700, -32600, -32601, -32602, -32603) or -32019 <= kind.code <= -32000
    assert kind.code != -32002


@pytest.mark.parametrize(
    ("error", "code", "word", "text"),
    [
        (errors.TabNotFound(42), -32001, "tab_not_found", "No tab 42. Call list_tabs to see open tabs."),
        (errors.TabNotHeld(42), -32004, "tab_not_held", "Tab 42 is not yours. Call focus_tab first."),
        (
            errors.BrowserNotConnected(),
            -32003,
            "browser_not_connected",
            "No browser is connected. Call connect_browser first.",
        ),
        (
            errors.ChooseBrowser((("a", "Chrome 1"), ("b", "Edge 2"))),
            -32017,
            "choose_browser",
            "More than one browser is linked: a (Chrome 1), b (Edge 2). Call select_browser with one of these ids.",
        ),
        (
            errors.TimedOut("click", 2.5),
            -32014,
            "timeout",
            "The browser did not click within 2.5 s; it may still happen. Look at the page before you try again.",
        ),
        (
            errors.TimedOut("forwardCDPCommand", 10),
            -32014,
            "timeout",
            "The browser did not answer within 10 s; it may still happen. Look at the page before you try again.",
        ),
        (
            errors.OutcomeUnknown("travel"),
            -32011,
            "outcome_unknown",
            "The link to the browser broke before it could load the page; it may or may not have happened. "
            "Look at the page before you try again.",
        ),
        (errors.CommandFailed("No.", -32005, "unreachable_page"), -32005, "unreachable_page", "No."),
    ],
)
def test_an_error_says_what_is_wrong_and_what_to_do(error: ToolError, code: int, word: str, text: str) -> None:
    assert (error.code, error.word, str(error)) == (code, word, text)


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"click", "type", "hover", "connect", "cancel", "reload"}))
def test_no_command_of_the_link_is_named_to_a_model(command: str) -> None:
    assert command not in str(errors.TimedOut(command, 1)) + str(errors.OutcomeUnknown(command))


def test_an_unknown_tool_is_the_hosts_affair() -> None:
    assert str(errors.UnknownTool("x")) == "Unknown tool: x. Call tools/list to see what there is."
    assert not issubclass(errors.UnknownTool, ToolError)
    assert errors.UnknownTool("x").name == "x"


def test_a_missing_browser_names_where_to_say_which() -> None:
    assert "TABWRIGHT_BROWSER" in str(errors.NoBrowserInstalled("No browser."))
    assert issubclass(errors.NoBrowserInstalled, errors.LaunchFailed)
