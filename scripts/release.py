"""Builds a release: wheel, source distribution, extension, MCPB bundle, Claude Code plugin, registry entry, links.

    scripts/release.py [FOLDER]      into FOLDER, by default dist/

Everything carries the version of the package. Needs `scripts/setup --test` for `mcpb`, which checks the bundle.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tabwright import __version__
from tabwright.edges.chrome.extension_files import FOLDER as EXTENSION
from tabwright.edges.chrome.extension_files import shipped_files
from tabwright.install.entries import Server
from tabwright.install.links import links

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
PACKAGING = ROOT / "packaging"
MCPB = PACKAGING / "node_modules/.bin/mcpb"
LONG_AGO = (2020, 1, 1, 0, 0, 0)
"""The same sources make the same archives."""


def build_python(out: Path) -> None:
    """The wheel and the source distribution."""
    _run([sys.executable, "-m", "hatchling", "build", "-d", str(out)])


def build_extension(out: Path) -> None:
    _archive(out / f"tabwright-extension-{__version__}.zip", shipped_files().items())


def build_bundle(out: Path) -> None:
    """The MCPB bundle: the project as `uv` runs it, checked and packed by MCPB's own tool."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "bundle"
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        for file in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copyfile(ROOT / file, folder / file)
        shutil.copyfile(EXTENSION / "icons/icon-128.png", folder / "icon.png")
        _write_json(folder / "manifest.json", {**_template("mcpb.json"), "version": __version__})
        _run([_mcpb(), "validate", str(folder / "manifest.json")])
        _run([_mcpb(), "pack", str(folder), str(out / f"tabwright-{__version__}.mcpb")])


def build_plugin(out: Path) -> None:
    """The plugin for Claude Code: the server of this version, and a skill."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "tabwright"
        shutil.copytree(PACKAGING / "claude-plugin", folder)
        _write_json(
            folder / ".claude-plugin/plugin.json",
            {**_template("claude-plugin/.claude-plugin/plugin.json"), "version": __version__},
        )
        servers = _template("claude-plugin/.mcp.json")
        servers["mcpServers"]["tabwright"]["args"] = [f"tabwright@{__version__}"]
        _write_json(folder / ".mcp.json", servers)
        files = [
            (f"tabwright/{path.relative_to(folder)}", path.read_bytes())
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        ]
        _archive(out / f"tabwright-claude-plugin-{__version__}.zip", files)


def write_registry_entry(out: Path) -> None:
    entry = _template("server.json")
    entry["version"] = __version__
    for package in entry["packages"]:
        package["version"] = __version__
    _write_json(out / "server.json", entry)


def write_links(out: Path) -> None:
    ways = links(Server("uvx", args=("tabwright",)))
    lines = ["# One-click installation", "", "For machines that have `uv`.", ""]
    lines += [f"- {client}, {name}: `{way}`" for client, found in ways.items() for name, way in found.items()]
    (out / "install-links.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_sums(out: Path) -> None:
    files = sorted(path for path in out.iterdir() if path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="ascii")


def _archive(archive: Path, files: Iterable[tuple[str, bytes]]) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files:
            made.writestr(zipfile.ZipInfo(name, LONG_AGO), content, zipfile.ZIP_DEFLATED)


def _template(name: str) -> dict[str, Any]:
    return json.loads((PACKAGING / name).read_text(encoding="utf-8"))


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _mcpb() -> str:
    if not MCPB.exists():
        sys.exit("release: mcpb is missing; run scripts/setup --test")
    return str(MCPB)


def _run(command: list[str]) -> None:
    # node stands beside the Python that runs us
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=300
    )
    if done.returncode != 0:
        sys.exit(f"release: {' '.join(command)} failed\n{done.stdout}{done.stderr}")


def main() -> None:
    out = Path(sys.argv[1] if len(sys.argv) > 1 else DIST).absolute()
    if out == DIST:
        shutil.rmtree(out, ignore_errors=True)
    if out.exists() and any(out.iterdir()):
        sys.exit(f"release: {out} is not empty")
    out.mkdir(parents=True, exist_ok=True)
    for build in (
        build_python,
        build_extension,
        build_bundle,
        build_plugin,
        write_registry_entry,
        write_links,
        write_sums,
    ):
        build(out)
    sys.stdout.write("".join(f"{path.stat().st_size:>9}  {path.name}\n" for path in sorted(out.iterdir())))


if __name__ == "__main__":
    main()
