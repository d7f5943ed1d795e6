"""Schemas of our tools: the five core ones to the letter of tabs.md, all of them short."""

import gc
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tabwright.errors import InvalidArguments
from tabwright.model import Face, JsonObject, Toolset
from tabwright.policy.actions import Access
from tabwright.tools import TOOLS
from tabwright.tools.tool import AnyTool, Hold, Params

TABS_MD = {
    "connect_browser": """
{
  "type": "object",
  "properties": {
    "launch": {
      "type": "boolean",
      "description": "Launch new browser instance if none found",
      "default": false
    }
  }
}""",
    "list_tabs": """
{
  "type": "object",
  "properties": {}
}""",
    "open_tab": """
{
  "type": "object",
  "properties": {
    "url": {
      "type": "string",
      "description": "URL to open"
    },
    "focus": {
      "type": "boolean",
      "description": "Focus the new tab after opening",
      "default": true
    }
  },
  "required": ["url"]
}""",
    "focus_tab": """
{
  "type": "object",
  "properties": {
    "tabId": {
      "type": "number",
      "description": "ID of the tab to focus"
    }
  },
  "required": ["tabId"]
}""",
    "close_tab": """
{
  "type": "object",
  "properties": {
    "tabId": {
      "type": "number",
      "description": "ID of tab to close. Defaults to focused tab."
    }
  }
}""",
}
BY_NAME = {tool.name: tool for tool in TOOLS}


@pytest.mark.parametrize("name", TABS_MD)
def test_a_core_tools_schema_is_the_specifications_to_the_letter(name: str) -> None:
    assert BY_NAME[name].spec.input_schema == json.loads(TABS_MD[name])


def test_the_order_of_the_list_is_fixed() -> None:
    assert [tool.name for tool in TOOLS] == [
        "connect_browser", "list_tabs", "open_tab", "focus_tab", "close_tab", "page_tools", "call_page_tool",
        "hub_list_tools", "hub_call_tool", "list_connected_browsers", "select_browser",
        "navigate", "computer", "read_page", "find", "form_input", "get_page_text", "tabs_context", "tabs_create",
        "tabs_context_mcp", "tabs_create_mcp", "resize_window", "read_console_messages", "read_network_requests",
        "upload_image", "gif_creator", "update_plan", "shortcuts_list", "shortcuts_execute", "javascript_tool",
        "turn_answer_start", "turn_answer_complete", "dev_utils", "permissions_check",
        "browser_batch", "handle_dialog", "wait_for", "file_upload", "tabs_close_mcp",
    ]  # fmt: skip


def test_an_optional_tab_is_no_null_and_an_object_is_an_object() -> None:
    assert BY_NAME["call_page_tool"].spec.input_schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Name from page_tools"},
            "arguments": {"type": "object", "description": "Its arguments", "default": {}},
            "tabId": {"type": "number", "description": "Tab; defaults to the focused one"},
        },
        "required": ["name"],
    }


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_schema_has_no_generated_titles_and_a_word_for_every_field_that_needs_one(tool: AnyTool) -> None:
    assert '"title"' not in json.dumps(tool.spec.input_schema)
    properties = tool.spec.input_schema["properties"]
    assert isinstance(properties, dict)
    # every word of an automation tool is paid for in every conversation: there a telling name will do
    terse = tool.toolset is Toolset.AUTOMATION
    assert all(isinstance(field, dict) and (terse or field.get("description")) for field in properties.values())


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_schema_says_nothing_that_some_clients_refuse_with_the_whole_list(tool: AnyTool) -> None:
    for part in _parts(tool.spec.input_schema):
        kind = part.get("type")
        assert isinstance(kind, str) or "anyOf" in part, f"no list of types: {part}"
        assert kind != "array" or part.get("items"), f"of what? {part}"
        assert "enum" not in part or kind == "string", part
        assert not part.keys() & {"const", "oneOf", "allOf", "$ref", "$defs", "prefixItems"}, part


def _parts(schema: JsonObject) -> Iterator[dict[str, Any]]:
    """A schema and all schemas in it."""
    yield schema
    within: dict[str, Any] = schema
    for part in (*within.get("properties", {}).values(), *within.get("anyOf", ())):
        yield from _parts(part)
    if "items" in within:
        yield from _parts(within["items"])


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_that_needs_a_tab_takes_one_and_no_other_does(tool: AnyTool) -> None:
    # what is allowed in a tab may be asked of any tab
    takes_one = "tabId" in tool.params.model_fields and tool.name != "permissions_check"
    assert takes_one == (tool.hold is not Hold.NONE)


def test_page_tools_are_asked_for_only_where_the_list_does_not_follow_them() -> None:
    stable_only = {tool.name for tool in TOOLS if Face.DYNAMIC not in tool.faces}
    assert stable_only == {"page_tools", "call_page_tool"}
    assert all(BY_NAME[name].toolset is Toolset.FOCUS for name in [*TABS_MD, *stable_only])


def test_only_reading_tools_say_they_read_only() -> None:
    reading = {tool.name for tool in TOOLS if tool.hints.read_only}
    assert reading >= {"list_tabs", "page_tools", "hub_list_tools", "list_connected_browsers", "tabs_context"}
    assert all(tool.access is Access.READ for tool in TOOLS if tool.hints.read_only)


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("focus_tab", {}, "focus_tab was not called: tabId is missing. It takes tabId"),
        ("focus_tab", {"tabId": "first"}, "tabId: "),
        ("focus_tab", {"tabId": 5.5}, "tabId: "),
        ("focus_tab", {"tabId": 5, "tab": 5}, "tab is no parameter. It takes tabId"),
        ("open_tab", {"url": 7}, "url: "),
        ("call_page_tool", {"name": "x", "arguments": []}, "arguments: "),
    ],
)
def test_wrong_arguments_are_refused_naming_the_field(name: str, arguments: JsonObject, problem: str) -> None:
    with pytest.raises(InvalidArguments, match=problem):
        BY_NAME[name].parse(arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "meant"),
    [
        ("computer", {"action": "zoom", "region": "[0, 0, 9, 9]"}, {"action": "zoom", "region": [0, 0, 9, 9]}),
        ("file_upload", {"ref": "e1", "paths": '["/a"]'}, {"ref": "e1", "paths": ["/a"]}),
        (
            "gif_creator",
            {"action": "export", "options": '{"quality": 5}'},
            {"action": "export", "options": {"quality": 5}},
        ),
        (
            "browser_batch",
            {"steps": r'[{"tool": "wait_for"}, {"tool": "find", "arguments": "{\"query\": \"x\"}"}]'},
            {"steps": [{"tool": "wait_for"}, {"tool": "find", "arguments": {"query": "x"}}]},
        ),
        ("form_input", {"ref": "e1", "value": "[1, 2]"}, {"ref": "e1", "value": "[1, 2]"}),
    ],
)
def test_lists_and_objects_may_come_as_text(name: str, arguments: JsonObject, meant: JsonObject) -> None:
    params, read = BY_NAME[name].parse(arguments)
    assert read == meant
    assert params == BY_NAME[name].parse(meant)[0]


@pytest.mark.parametrize(
    ("name", "arguments", "meant"),
    [
        ("open_tab", {"url": "a.test", "focus": None}, {"url": "a.test"}),
        ("read_page", {"filter": None, "max_chars": None, "viewport_only": None, "tabId": 5}, {"tabId": 5}),
        ("gif_creator", {"action": "export", "options": {"quality": None}}, {"action": "export", "options": {}}),
        ("browser_batch", {"steps": [{"tool": "find", "arguments": None}]}, {"steps": [{"tool": "find"}]}),
        ("list_tabs", {"random_string": "dummy"}, {}),
    ],
)
def test_what_clients_add_for_what_was_left_out_is_left_out(
    name: str, arguments: JsonObject, meant: JsonObject
) -> None:
    params, _ = BY_NAME[name].parse(arguments)
    assert params == BY_NAME[name].parse(meant)[0]


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("open_tab", {"url": None}, "open_tab was not called: url is missing"),
        ("form_input", {"ref": "e1", "value": None}, "form_input was not called: value is missing"),
        ("browser_batch", {"steps": [None]}, "browser_batch was not called: steps.0: "),
    ],
)
def test_null_for_what_is_needed_is_told_as_missing(name: str, arguments: JsonObject, problem: str) -> None:
    with pytest.raises(InvalidArguments, match=problem):
        BY_NAME[name].parse(arguments)


@pytest.mark.parametrize("text", ["[0, 0", "[" * 100_000, '{"x": 1}', "[0, 0]"])
def test_text_that_is_no_such_list_is_refused(text: str) -> None:
    with pytest.raises(InvalidArguments, match="computer was not called: region"):
        BY_NAME["computer"].parse({"action": "zoom", "region": text})


def test_a_whole_number_may_be_written_as_any_number() -> None:
    assert BY_NAME["focus_tab"].parse({"tabId": 5.0})[0].tabId == 5


def test_only_opening_a_tab_goes_somewhere() -> None:
    going = {tool.name: tool.destination(tool.parse({"url": "a.test"})[0]) for tool in TOOLS if tool.destination}
    assert going == dict.fromkeys(("open_tab", "navigate", "tabs_create", "tabs_create_mcp"), "a.test")
    back = BY_NAME["navigate"].destination
    assert back is not None
    assert back(BY_NAME["navigate"].parse({"url": "back"})[0]) is None


def test_a_schema_leaves_next_to_nothing_to_the_garbage_collector() -> None:
    class Fresh(Params):
        name: str
        words: tuple[str, ...] = ()

    tool = AnyTool("fresh", "", Fresh, Access.READ, TOOLS[0].run, Toolset.AUTOMATION)
    gc.collect()
    gc.disable()
    try:
        assert tool.spec.input_schema["properties"]
        assert gc.collect() < 20
    finally:
        gc.enable()
