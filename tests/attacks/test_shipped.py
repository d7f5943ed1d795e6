"""What is shipped: an extension that nobody else can talk to, and locked dependencies without known holes."""

import json
import re
from pathlib import Path

import pytest

from tabwright.edges.extension_files import FOLDER

LOCK = Path(__file__).parents[2] / "requirements"
FLOORS = {"mcp": (2, 3), "pyjwt": (2, 15), "websockets": (17,), "jsonschema-rs": (0, 60)}


def test_the_extension_s_manifest_opens_no_door() -> None:
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    assert not {"externally_connectable", "web_accessible_resources", "content_security_policy"} & manifest.keys()
    assert manifest["key"], "its id is fixed"
    assert sorted(manifest["permissions"]) == [
        "alarms", "debugger", "downloads", "nativeMessaging", "offscreen", "scripting", "sidePanel", "storage",
        "tabGroups", "tabs", "webNavigation", "webRequest",
    ], "a permission more is a decision"  # fmt: skip
    assert manifest["host_permissions"] == ["<all_urls>"]


def test_no_page_of_the_extension_runs_code_from_elsewhere() -> None:
    for page in FOLDER.glob("ui/*.html"):
        sources = re.findall(r"""(?:src|href)=["']([^"']+)""", page.read_text())
        assert [source for source in sources if "://" in source or source.startswith("//")] == [], page.name
        assert not re.search(r"<script(?![^>]*\bsrc=)", page.read_text()), page.name


@pytest.mark.parametrize("name", FLOORS)
def test_locked_dependencies_are_above_known_holes_and_pinned_by_hash(name: str) -> None:
    locked = "\n".join(path.read_text() for path in LOCK.glob("*.txt"))
    found = re.findall(rf"^{name}==([\d.]+) \\\n\s+--hash=sha256:", locked, re.M | re.I)
    assert found, f"{name} is not locked"
    for version in found:
        assert tuple(map(int, version.split("."))) >= FLOORS[name]
