"""The same errand with every automation tool, by two SDKs over every transport."""

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from tabwright.model import Toolset
from tabwright.tools import TOOLS
from tests.clients import Agent, Transport, connect
from tests.conftest import Site
from tests.gateway import TABWRIGHT, GatewayProcess, running

pytestmark = pytest.mark.browser

HERE = Path(__file__).parent
STEPS: list[dict[str, Any]] = json.loads((HERE / "scenario.json").read_text())
TRANSPORTS: tuple[Transport, ...] = ("stdio", "sse", "http")
PAGE = """<title>Scenario</title><h1>Scenario</h1>
<label>Your name <input id=who></label> <button id=go>Say hello</button> <p id=out></p>
<label>Picture <input type=file id=file></label> <p id=chosen></p>
<script>
go.onclick = async () => {
  await fetch("/greeting?x=1");
  console.log("greeted " + who.value);
  out.textContent = "Hello " + who.value;
};
file.onchange = () => { chosen.textContent = "Chosen: " + file.files[0].name; };
</script>"""


@pytest.fixture(scope="module")
def uploads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("uploads")
    (folder / "note.txt").write_text("hello")
    return folder


@pytest.fixture(scope="module")
def gateway_with_uploads(uploads: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    home = tmp_path_factory.mktemp("scenario") / "home"
    with running(home, TABWRIGHT_UPLOAD_DIRS=str(uploads)) as made:
        yield made


def test_every_automation_tool_has_its_part() -> None:
    ours = {tool.name for tool in TOOLS if tool.toolset is Toolset.AUTOMATION and not tool.chooses_browser}
    assert {step["tool"] for step in STEPS} == ours


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_the_python_sdk(
    gateway_with_uploads: GatewayProcess, site: Site, uploads: Path, transport: Transport
) -> None:
    site.pages["/scenario"] = PAGE
    values = {"site": site.url, "uploads": str(uploads)}
    async with connect(gateway_with_uploads, transport, toolsets="automation", list="stable") as agent:
        for step in STEPS:
            _check(step, await _take(agent, step, values))


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_the_typescript_sdk(
    gateway_with_uploads: GatewayProcess, site: Site, uploads: Path, transport: Transport
) -> None:
    site.pages["/scenario"] = PAGE
    values = json.dumps({"site": site.url, "uploads": str(uploads)})
    base = f"http://127.0.0.1:{gateway_with_uploads.port}"
    target = {
        "stdio": json.dumps([TABWRIGHT, "stdio", "--toolsets", "automation", "--list", "stable"]),
        "sse": f"{base}/sse",
        "http": f"{base}/mcp?toolsets=automation&list=stable",
    }[transport]
    command = [str(HERE / "scenario.mjs"), transport, target, str(HERE / "scenario.json"), values]
    node = str(Path(sys.executable).with_name("node"))
    process = await asyncio.create_subprocess_exec(
        node, *command, env=gateway_with_uploads.env, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(50):
        output, _ = await process.communicate()
    _, *answers = [json.loads(line) for line in output.splitlines()]
    assert process.returncode == 0
    for step, answer in zip(STEPS, answers, strict=True):
        _check(step, answer)


async def _take(agent: Agent, step: dict[str, Any], values: dict[str, str]) -> dict[str, Any]:
    result = await agent.result(step["tool"], **_fill(step["arguments"], values))
    text = "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))
    for name, pattern in step.get("save", {}).items():
        if (found := re.search(pattern, text)) is not None:
            values[name] = found[1]
    return {"text": text, "isError": bool(result.is_error), "kinds": [part.type for part in result.content]}


def _fill(value: Any, values: dict[str, str]) -> Any:
    match value:
        case str() if number := re.fullmatch(r"\{\{#(\w+)\}\}", value):
            return int(values[number[1]])
        case str():
            return re.sub(r"\{\{(\w+)\}\}", lambda name: values[name[1]], value)
        case list():
            return [_fill(each, values) for each in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {key: _fill(each, values) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


def _check(step: dict[str, Any], answer: dict[str, Any]) -> None:
    said = f"{step['tool']}: {answer['text']}"
    assert answer["isError"] == ("error" in step), said
    assert re.search(step.get("error") or step.get("expect", ""), answer["text"]), said
    if step.get("image"):
        assert "image" in answer["kinds"], said
