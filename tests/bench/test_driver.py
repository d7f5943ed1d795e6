"""The bench's client against a small server of a process of its own."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.driver import CallFailed, Command, Driver, NoAnswer
from bench.processes import marked, memory

SERVER = """
import json, sys
def say(message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    method, params = asked.get("method"), asked.get("params", {})
    if method == "initialize":
        say({"id": "ping-1", "method": "ping"})
        say({"id": asked["id"], "result": {"serverInfo": {"name": "small"}}})
    elif method == "tools/list":
        last = params.get("cursor") == "2"
        tools = {"tools": [{"name": "two" if last else "one"}]}
        say({"id": asked["id"], "result": tools if last else {**tools, "nextCursor": "2"}})
    elif method == "tools/call" and params["name"] == "leave":
        sys.exit(0)
    elif method == "tools/call":
        say({"method": "notifications/message"})
        text = {"type": "text", "text": params["arguments"]["words"]}
        picture = {"type": "image", "data": "", "mimeType": "image/png"}
        say({"id": asked["id"], "result": {"content": [text, picture], "isError": params["name"] == "fail"}})
"""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    (tmp_path / "server.py").write_text(SERVER)
    driver = Driver(Command((sys.executable, "server.py"), {"BENCH_TEST": str(tmp_path)}, tmp_path))
    driver.initialize()
    yield driver
    driver.close()


def test_a_call_answers_with_its_text_and_the_number_of_pictures(driver: Driver) -> None:
    answer = driver.call("say", {"words": "höchst\n" * 50_000})
    assert (answer.text, answer.pictures) == ("höchst\n" * 50_000, 1)
    assert answer.seconds > 0


def test_every_page_of_a_list_is_fetched(driver: Driver) -> None:
    assert [tool["name"] for tool in driver.tools()] == ["one", "two"]


def test_a_tool_that_failed_is_no_answer(driver: Driver) -> None:
    with pytest.raises(CallFailed, match="fail: no such button"):
        driver.call("fail", {"words": "no such button"})


def test_a_server_that_ends_is_told_at_once(driver: Driver) -> None:
    with pytest.raises(NoAnswer, match="ended"):
        driver.call("leave", {})


def test_the_processes_of_a_server_are_found_by_what_they_inherited(driver: Driver, tmp_path: Path) -> None:
    assert list(marked(f"BENCH_TEST={tmp_path}")) == [driver.pid]
    held = memory(f"BENCH_TEST={tmp_path}")
    assert held.processes == 1
    assert held.resident >= held.proportional > 0
