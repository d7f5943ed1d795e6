"""What is shipped: an extension that nobody else can talk to, and locked dependencies without known holes."""

import json
import re
from pathlib import Path

import pytest

from tabwright.edges.chrome.extension_files import FOLDER

LOCK = Path(__file__).parents[2] / "requirements"
FLOORS = {"mcp": (2, 3), "pyjwt": (2, 15), "websockets": (17,), "jsonschema-rs": (0, 60)}


CODE = re.compile(r"""\beval\s*\(|\bnew Function\b|\bimportScripts\b|(?:\bfrom|\bimport)\s*\(?\s*["'](?:https?:)?//""")
"""What would run code that is not shipped."""


def test_the_extension_s_manifest_opens_no_door() -> None:
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    assert not {"externally_connectable", "web_accessible_resources", "content_security_policy"} & manifest.keys()
    assert manifest["key"], "its id is fixed"
    assert sorted(manifest["permissions"]) == [
        "alarms", "debugger", "downloads", "nativeMessaging", "offscreen", "scripting", "sidePanel", "storage",
        "tabGroups", "tabs", "webNavigation", "webRequest",
    ], "a permission more is a decision"  # fmt: skip
    assert manifest["host_permissions"] == ["<all_urls>"]


@pytest.mark.rule("T95")
def test_no_page_of_the_extension_runs_code_from_elsewhere() -> None:
    for page in FOLDER.glob("ui/*.html"):
        sources = re.findall(r"""(?:src|href)=["']([^"']+)""", page.read_text())
        assert [source for source in sources if "://" in source or source.startswith("//")] == [], page.name
        assert not re.search(r"<script(?![^>]*\bsrc=)", page.read_text()), page.name


@pytest.mark.rule("T95")
@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.js")), ids=lambda path: path.name)
def test_no_script_of_the_extension_loads_or_makes_code(path: Path) -> None:
    assert CODE.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.rule("T96")
@pytest.mark.parametrize("path", sorted(LOCK.glob("*.txt")), ids=lambda path: path.name)
def test_everything_that_is_installed_is_pinned_by_hash(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    required = re.findall(r"^[a-zA-Z0-9][^\n]*", text, re.M)
    assert required
    assert [line for line in required if not re.fullmatch(r"[\w.\[\],-]+==\S+(?: ; .+)? \\", line)] == []
    assert len(re.findall(r"\\\n\s+--hash=sha256:[0-9a-f]{64}", text)) >= len(required)
    assert not re.search(r"^(?:authlib|python-jose)\b", text, re.M | re.I), "another way to read tokens is a decision"


@pytest.mark.parametrize("name", FLOORS)
def test_locked_dependencies_are_above_known_holes_and_pinned_by_hash(name: str) -> None:
    locked = "\n".join(path.read_text() for path in LOCK.glob("*.txt"))
    found = re.findall(rf"^{name}==([\d.]+) \\\n\s+--hash=sha256:", locked, re.M | re.I)
    assert found, f"{name} is not locked"
    for version in found:
        assert tuple(map(int, version.split("."))) >= FLOORS[name]
