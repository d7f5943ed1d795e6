"""A release as `make release` builds it: every part is there, under one version, and runs where nothing else is."""

import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tabwright import __version__
from tabwright.edges.chrome.chrome import Chrome, LaunchPlan
from tabwright.edges.chrome.extension_files import extension_id, shipped_files
from tabwright.edges.chrome.profile import prepare_profile
from tests.gateway import browser_with_port

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "dist"
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/release.py", folder], capture_output=True, text=True, timeout=55
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def clean(tmp_path: Path) -> Iterator["Clean"]:
    made = Clean(tmp_path)
    yield made
    made.stop()


class Clean:
    """A Python that has the packages we depend on, and no tabwright; a home, and nothing of this shell's settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clean"
        venv.create(self.folder, with_pip=False)
        # a path in a .pth file makes importable what lies there, but does not follow the .pth files in it
        packages = sysconfig.get_path("purelib", vars={"base": str(self.folder)})
        (Path(packages) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
        self.env = {
            "PATH": f"{self.folder}/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "TABWRIGHT_HOME": str(folder / "home"),
            "TABWRIGHT_PORT": "0",
            "TABWRIGHT_EXTENSION_PORT": "0",
        }
        self.python = self.folder / "bin/python"

    def install(self, what: Path) -> None:
        command = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--no-deps", "--no-index"]
        done = subprocess.run(
            [*command, "--no-build-isolation", "-q", str(what)],
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            capture_output=True,
            text=True,
            timeout=50,
        )
        assert done.returncode == 0, done.stderr

    async def tools_of(self, command: str, *arguments: str) -> list[str]:
        """What a client sees of the server that it starts so."""
        server = StdioServerParameters(command=command, args=list(arguments), env=self.env)
        async with Client(stdio_client(server)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    def came_from_here(self) -> bool:
        told = subprocess.run(
            [self.python, "-P", "-c", "import tabwright; print(tabwright.__file__)"],
            env=self.env,
            capture_output=True,
            text=True,
            timeout=20,
        )
        return not told.stdout.startswith(str(ROOT))

    def stop(self) -> None:
        if (self.folder / "bin/tabwright").exists():
            subprocess.run([self.folder / "bin/tabwright", "stop"], env=self.env, capture_output=True, timeout=30)


def only(release: Path, pattern: str) -> Path:
    [found] = release.glob(pattern)
    return found


def read(archive: Path, name: str) -> Any:
    with zipfile.ZipFile(archive) as opened:
        return json.loads(opened.read(name))


def test_everything_is_there_and_its_sum_is_right(release: Path) -> None:
    names = {path.name for path in release.iterdir()} - {"SHA256SUMS"}
    assert names == {
        f"tabwright-{__version__}-py3-none-any.whl",
        f"tabwright-{__version__}.tar.gz",
        f"tabwright-{__version__}.mcpb",
        f"tabwright-extension-{__version__}.zip",
        f"tabwright-claude-plugin-{__version__}.zip",
        "server.json",
        "install-links.md",
    }
    sums = {f"{hashlib.sha256((release / name).read_bytes()).hexdigest()}  {name}" for name in names}
    assert set((release / "SHA256SUMS").read_text().splitlines()) == sums


def test_every_part_has_the_same_version(release: Path) -> None:
    entry = json.loads((release / "server.json").read_text())
    plugin = only(release, "*claude-plugin*.zip")
    assert {
        entry["version"],
        *(package["version"] for package in entry["packages"]),
        read(only(release, "*.mcpb"), "manifest.json")["version"],
        read(only(release, "*extension*.zip"), "manifest.json")["version"],
        read(plugin, "tabwright/.claude-plugin/plugin.json")["version"],
        read(plugin, "tabwright/.mcp.json")["mcpServers"]["tabwright"]["args"][0].removeprefix("tabwright@"),
    } == {__version__}


def test_the_registry_entry_follows_its_rules_and_the_readme_vouches_for_it(release: Path) -> None:
    entry = json.loads((release / "server.json").read_text())
    assert entry["$schema"].endswith("/2025-12-11/server.schema.json")
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert 1 <= len(entry["description"]) <= 100
    assert [(package["registryType"], package["transport"]) for package in entry["packages"]] == [
        ("pypi", {"type": "stdio"})
    ]
    with zipfile.ZipFile(only(release, "*.whl")) as wheel:
        metadata = wheel.read(f"tabwright-{__version__}.dist-info/METADATA").decode()
    assert f"mcp-name: {entry['name']}" in metadata, "the registry looks for it in the package's description"


def test_the_plugin_has_what_claude_code_reads(release: Path) -> None:
    with zipfile.ZipFile(only(release, "*claude-plugin*.zip")) as plugin:
        names = set(plugin.namelist())
        skill = plugin.read("tabwright/skills/browser/SKILL.md").decode()
        readme = plugin.read("tabwright/README.md").decode()
    assert {"tabwright/.claude-plugin/plugin.json", "tabwright/.mcp.json"} <= names
    assert re.match(r"---\nname: browser\ndescription: .{40,1024}\n---\n", skill)
    assert len(readme.split()) >= 40


def test_links_name_a_command_that_needs_no_checkout(release: Path) -> None:
    told = (release / "install-links.md").read_text()
    assert "cursor://anysphere.cursor-deeplink/mcp/install?name=tabwright&config=" in told
    assert "vscode:mcp/install?" in told
    assert str(ROOT) not in told


async def test_the_wheel_runs_in_a_clean_environment(release: Path, clean: Clean) -> None:
    clean.install(only(release, "*.whl"))
    assert clean.came_from_here()
    assert "connect_browser" in await clean.tools_of(str(clean.folder / "bin/tabwright"))


async def test_the_bundles_command_runs_in_a_clean_environment(release: Path, clean: Clean, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    with zipfile.ZipFile(only(release, "*.mcpb")) as packed:
        packed.extractall(bundle)
    told = json.loads((bundle / "manifest.json").read_text())["server"]
    assert told["type"] == "uv"
    assert (bundle / told["entry_point"]).is_file()
    arguments = [argument.replace("${__dirname}", str(bundle)) for argument in told["mcp_config"]["args"]]
    # what uv does with them, without an index to ask: install the project, run its command
    assert arguments[:4] == ["run", "--directory", str(bundle), "--no-dev"]
    clean.install(bundle)
    assert clean.came_from_here()
    command, *rest = arguments[4:]
    assert "connect_browser" in await clean.tools_of(str(clean.folder / "bin" / command), *rest)


@pytest.mark.browser
async def test_the_extension_loads_in_a_browser(release: Path, tmp_path: Path) -> None:
    extension, profile = tmp_path / "extension", tmp_path / "profile"
    with zipfile.ZipFile(only(release, "*extension*.zip")) as packed:
        packed.extractall(extension)
    assert shipped_files(extension) == shipped_files()
    prepare_profile(profile)
    chrome = await Chrome.launch(LaunchPlan(browser_with_port(tmp_path), profile, extension, headless=True))
    try:
        assert chrome.extension_id == extension_id()
    finally:
        await chrome.close()
