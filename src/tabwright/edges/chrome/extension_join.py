"""The extension as browsers are given it: one file in place of many, where Chrome spends some time on each of them.

It does for every file that runs in pages, in every frame of every page, and for every module of the worker each time
that it starts. Nothing else is changed, so no tool is needed that would have to be there where tabwright is installed.
"""

import json
import posixpath
import re
from collections.abc import Mapping
from typing import Any, Final

_MANIFEST: Final = "manifest.json"
_ALSO_ALONE: Final = frozenset({"content/relay.js"})
"""A page of the extension's own loads it, too."""
_IMPORT: Final = re.compile(r"^import \{ ([\w, ]+) \} from '([^']+)';$", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:const|class|function\*?) (\w+))", re.MULTILINE)
_UNREAD: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def joined(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same extension in fewer files.

    Raises:
        ValueError: modules of the worker's import each other, or in a way that is not read here.
    """
    left = dict(files)
    manifest = json.loads(files[_MANIFEST])
    _join_worlds(left, manifest)
    _join_worker(left, manifest)
    left[_MANIFEST] = json.dumps(manifest, indent=2).encode()
    return dict(sorted(left.items()))


def _join_worlds(files: dict[str, bytes], manifest: dict[str, Any]) -> None:
    """The content scripts of each world in one file; each of ours is a function of its own."""
    for script in manifest.get("content_scripts", ()):
        if len(script["js"]) == 1:
            continue
        name = f"content/{script.get('world', 'ISOLATED').lower()}_world.js"
        assert name not in files, "one list of scripts a world"
        files[name] = b"\n".join(files[each] for each in script["js"])
        for each in set(script["js"]) - _ALSO_ALONE:
            del files[each]
        script["js"] = [name]


def _join_worker(files: dict[str, bytes], manifest: dict[str, Any]) -> None:
    """The worker's modules in one, each in a function that gives what it exports to those that come after it."""
    worker = manifest.get("background", {})
    if worker.get("type") != "module":
        return
    main = worker["service_worker"]
    modules = _modules(main, files)
    if len(modules) == 1:
        return
    files[main] = "\n".join(_as_function(name, files[name].decode()) for name in modules).encode()
    for each in modules:
        if posixpath.dirname(each) == posixpath.dirname(main) and each != main:
            del files[each]


def _modules(main: str, files: Mapping[str, bytes]) -> list[str]:
    """All that a module needs, each after those that it needs itself; then the module."""
    order: dict[str, None] = {}

    def visit(name: str, importers: tuple[str, ...]) -> None:
        if name in importers:
            raise ValueError(f"modules import each other: {' -> '.join((*importers, name))}")
        if name not in order:
            for _, path in _IMPORT.findall(files[name].decode()):
                visit(_resolved(path, name), (*importers, name))
            order[name] = None

    visit(main, ())
    return list(order)


def _as_function(name: str, source: str) -> str:
    exported = _EXPORT.findall(source)
    body = _IMPORT.sub(lambda found: f"const {{ {found[1]} }} = {_variable(_resolved(found[2], name))};", source)
    body = _EXPORT.sub("", body)
    if unread := _UNREAD.search(body):
        raise ValueError(f"{name}: cannot be joined: {unread[0]}")
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _resolved(path: str, importer: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))


def _variable(module: str) -> str:
    return "$" + re.sub(r"\W", "_", module.removesuffix(".js"))
