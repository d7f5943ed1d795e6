"""The wheel as it would be published: everything that runs is in it, nothing else, under one version."""

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import tabwright
from tabwright.edges.chrome.extension_files import FOLDER
from tabwright.edges.dashboard.routes import WEB

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=50,
    )
    [built] = folder.glob("*.whl")
    with zipfile.ZipFile(built) as opened:
        yield opened


def test_the_dashboard_travels_whole(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    files = [path for path in WEB.iterdir() if path.is_file()]
    assert len(files) > 5
    for path in files:
        assert f"tabwright/web/{path.name}" in names


def test_the_extension_travels_whole(wheel: zipfile.ZipFile) -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert len(files) > 20
    for path in files:
        name = f"tabwright/extension/{path.relative_to(FOLDER).as_posix()}"
        assert wheel.read(name) == path.read_bytes(), name


def test_every_module_travels_and_nothing_else_does(wheel: zipfile.ZipFile) -> None:
    package = Path(tabwright.__file__).parent
    modules = {f"tabwright/{path.relative_to(package).as_posix()}" for path in package.rglob("*.py")}
    names = set(wheel.namelist())
    assert modules <= names
    strange = {
        name for name in names if not name.startswith(("tabwright/", f"tabwright-{tabwright.__version__}.dist-info/"))
    }
    assert strange == set()
    assert not any("test" in name or name.endswith((".pyc", "config.json", ".map")) for name in names)


def test_the_command_and_the_licence_are_in_it(wheel: zipfile.ZipFile) -> None:
    told = f"tabwright-{tabwright.__version__}.dist-info"
    assert "tabwright = tabwright.__main__:main" in wheel.read(f"{told}/entry_points.txt").decode()
    assert f"{told}/licenses/LICENSE" in wheel.namelist()


def test_package_manifest_and_changelog_agree_on_the_version(wheel: zipfile.ZipFile) -> None:
    metadata = wheel.read(f"tabwright-{tabwright.__version__}.dist-info/METADATA").decode()
    assert f"\nVersion: {tabwright.__version__}\n" in metadata
    assert json.loads((FOLDER / "manifest.json").read_text())["version"] == tabwright.__version__
    changelog = ROOT / "CHANGELOG.md"
    if changelog.exists():
        versions = re.findall(r"^## \[?(\d+\.\d+\.\d+)", changelog.read_text(), re.MULTILINE)
        assert versions[:1] == [tabwright.__version__]
