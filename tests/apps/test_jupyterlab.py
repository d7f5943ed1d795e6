"""JupyterLab by the tools made from its pages, and by refs alone; the notebooks on its disk tell what happened."""

import json
import os
import re
import subprocess
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import mcp_types as types
import pytest

from tests.apps.page import Page, visiting
from tests.clients import Agent, connect
from tests.gateway import GatewayProcess, until

pytestmark = pytest.mark.browser

PYTHON: Final = Path(__file__).parents[2] / ".venv-apps" / "bin" / "python"
STARTING_S: Final = 60.0
FLAGS: Final = (
    "--no-browser",
    "--allow-root",
    "--ip=127.0.0.1",
    "--port=0",
    "--IdentityProvider.token=",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
)
# It would ask in a corner whether to fetch news.
NEWS: Final = "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"


class Lab:
    """A running JupyterLab and the folder it works in."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder

    def notebook(self, name: str) -> list[dict[str, Any]]:
        """The code cells that hold something, as saved."""
        cells = json.loads((self.folder / name).read_text())["cells"]
        return [cell for cell in cells if cell["source"]]


def _environment(home: Path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTHON"))}
    folders = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
    return {
        **inherited,
        **{f"JUPYTER_{name}": str(home / folder) for name, folder in folders.items()},
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
    }


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    if not PYTHON.exists():
        pytest.skip("no .venv-apps: scripts/setup --test makes it")
    home = tmp_path_factory.mktemp("jupyter")
    folder = home / "work"
    folder.mkdir()
    (folder / "prices.csv").write_text("what;price\npear;2\nfig;3\n")
    (home / NEWS).parent.mkdir(parents=True)
    (home / NEWS).write_text('{"fetchNews": "false"}')
    command = [PYTHON, "-m", "jupyterlab", *FLAGS, f"--ServerApp.root_dir={folder}"]
    log = home / "log"
    with (
        log.open("w") as said,
        subprocess.Popen(command, cwd=home, env=_environment(home), stdout=said, stderr=said) as server,
    ):
        try:
            # Written once it listens.
            told = until(
                lambda: server.poll() is not None or next((home / "runtime").glob("jpserver-*.json"), None), STARTING_S
            )
            assert isinstance(told, Path), log.read_text()
            yield Lab(f"http://127.0.0.1:{json.loads(told.read_text())['port']}", folder)
        finally:
            server.terminate()


@asynccontextmanager
async def at_launcher(gateway: GatewayProcess, lab: Lab, workspace: str) -> AsyncGenerator[Page]:
    """A page of its own: what another test left open does not come back."""
    async with visiting(gateway, f"{lab.url}/lab/workspaces/{workspace}", toolsets="focus") as page:
        await page.offered("python_notebook", seconds=STARTING_S)
        yield page


async def test_a_notebook_is_written_run_and_saved_by_the_tools_of_its_page(shared: GatewayProcess, lab: Lab) -> None:
    async with at_launcher(shared, lab, "tools") as page:
        assert {"terminal", "text_file", "markdown_file", "open_menu", "new_folder"} <= (await page.tools()).keys()
        assert "Untitled.ipynb" in await page.run("python_notebook")
        assert (await page.offered("set_code")).input_schema["required"] == ["code"]
        cell_type = (await page.offered("set_cell_type")).input_schema["properties"]["cellType"]
        assert cell_type == {"type": "string", "enum": ["Code", "Markdown", "Raw"]}
        await page.run("set_code", code="answer = 6 * 7\nanswer")
        await page.run("run_cell_and_advance")
        await page.shows("42")

        # Two cells now, without names: one tool that asks which.
        code = (await page.offered("set_code")).input_schema
        assert code["required"] == ["index", "code"]
        assert code["properties"]["index"]["maximum"] == 1
        await page.run("set_code", index=1, code="answer + 100")
        await page.run("run_cell_and_advance")
        await page.shows("142")

        assert "Rename file" in await page.run("save_and_create_checkpoint")
        rename = await page.offered("rename_and_save")
        name, tick = rename.input_schema["properties"]
        await page.run("rename_and_save", **{name: "by-tools.ipynb", tick: False})
        until(lambda: (lab.folder / "by-tools.ipynb").exists() and len(lab.notebook("by-tools.ipynb")) == 2)
        first, second = lab.notebook("by-tools.ipynb")
        assert "".join(first["source"]) == "answer = 6 * 7\nanswer"
        assert first["outputs"][0]["data"]["text/plain"] == ["42"]
        assert "".join(second["source"]) == "answer + 100"
        assert second["outputs"][0]["data"]["text/plain"] == ["142"]


async def test_cells_are_added_turned_into_text_and_cut(shared: GatewayProcess, lab: Lab) -> None:
    async with at_launcher(shared, lab, "cells") as page:
        await page.run("python_notebook")
        await page.run("set_code", code="# A *title*")
        await page.run("set_cell_type", cellType="Markdown")
        # A text that was run shows what its marks mean.
        await page.run("run_cell_and_advance")
        read = await page.shows("A title")
        assert "*title*" not in read
        await page.run("set_code", code="first = 1")
        await page.run("insert_cell_below")
        await page.run("set_code", index=1, code="second = 2")
        await page.shows("first = 1", "second = 2")
        assert "second = 2" not in await page.run("cut_cell")
        assert (await page.offered("set_code")).input_schema["required"] == ["code"]
        assert "second = 2" not in await page.shows("first = 1")


async def test_a_menu_offers_its_entries_and_a_file_opens_from_the_list(shared: GatewayProcess, lab: Lab) -> None:
    async with at_launcher(shared, lab, "files") as page:
        files = await page.offered("open_item", "open_file")
        row = re.search(r"(\d+): prices\.csv", str(files.description))
        assert row, files.description
        await page.run(files.name, index=int(row[1]))
        delimiter = (await page.offered("set_delimiter")).input_schema["properties"]["delimiter"]
        assert delimiter["enum"][:2] == [",", ";"]
        # The buttons around have nothing to do with it.
        assert (await page.offered("new_launcher")).input_schema["properties"] == {}
        await page.run("set_delimiter", delimiter=";")
        await page.run("open_menu", menu="File")
        await page.run("duplicate_csv_file")
        until(lambda: (lab.folder / "prices-Copy1.csv").exists())
        assert (lab.folder / "prices-Copy1.csv").read_text() == (lab.folder / "prices.csv").read_text()


class Hands:
    """The automation tools; everything by refs that `find` or `read_page` gave."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def use(self, name: str, /, **arguments: Any) -> str:
        result = await self._agent.result(name, **arguments)
        assert not result.is_error, result.content
        assert isinstance(result.content[0], types.TextContent)
        return result.content[0].text

    async def find(self, query: str) -> str:
        """The ref of the first hit."""
        told = await self.use("find", query=query)
        hit = re.search(r"^(e\d+) ", told, re.MULTILINE)
        assert hit, told
        return hit[1]

    async def click(self, query: str) -> None:
        await self.use("computer", action="left_click", ref=await self.find(query))


async def test_a_notebook_is_written_and_run_by_refs_alone(shared: GatewayProcess, lab: Lab) -> None:
    async with connect(shared, toolsets="focus,automation") as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{lab.url}/lab/workspaces/hands")
        hands = Hands(agent)
        await hands.use("wait_for", text="Python 3 (ipykernel)", ms=30_000)
        await hands.click("Python 3 notebook")
        await hands.use("wait_for", text="Click to add a cell", ms=30_000)
        [editor] = re.findall(r"textbox (e\d+)", await hands.use("read_page"))
        await hands.use("form_input", ref=editor, value="6*7")
        await hands.click("run this cell and advance")
        await hands.use("wait_for", text="[1]:", ms=30_000)
        read = await hands.use("read_page")
        assert re.search(r"\[1\]: 42\b", read), read
        assert '"6*7"' in read
        await hands.click("save and create checkpoint")
        await hands.use("wait_for", text="Rename and Save")
        await hands.use("form_input", ref=await hands.find("file name"), value="by-hands.ipynb")
        await hands.click("rename and save")
        until(lambda: (lab.folder / "by-hands.ipynb").exists() and lab.notebook("by-hands.ipynb"))
        [cell] = lab.notebook("by-hands.ipynb")
        assert cell["outputs"][0]["data"]["text/plain"] == ["42"]
        await agent.call("close_tab")
