"""Packages of others without what their `__init__` pulls in: a gateway is a server and needs no client.

`import mcp.server.lowlevel` runs the `__init__` of `mcp` and of `mcp.server`, which import the SDK's client, its HTTP
client and a second server framework: a hundred modules and 4 MB. A lean package is empty until somebody asks for a name
of it; then its `__init__` runs as ever. And the SDK has models of every message of every revision of the protocol, of
which a client speaks one: they are built when they are first used, 3 MB later.

pydantic takes two functions from `importlib.metadata`, to look for plugins and for a package that only e-mail addresses
need. With them come the standard library's e-mail, archives and tables: twenty modules and 1 MB.
"""

import importlib.util
import os
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

PACKAGES: Final = ("mcp", "mcp.server")
METADATA: Final = "importlib.metadata"


class _LeanPackage(ModuleType):
    """Becomes the whole package when one of its names is wanted."""

    def __init__(self, spec: ModuleSpec) -> None:
        super().__init__(spec.name)
        self.__spec__ = spec
        self.__loader__ = spec.loader
        self.__file__ = spec.origin
        self.__package__ = spec.name
        self.__path__ = list(spec.submodule_search_locations or ())

    def __getattr__(self, name: str) -> Any:
        spec = self.__spec__
        if spec is None or spec.loader is None or name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self.become_whole()
        return getattr(self, name)

    def become_whole(self) -> None:
        spec = self.__spec__
        assert spec is not None
        assert spec.loader is not None
        object.__setattr__(self, "__class__", ModuleType)
        spec.loader.exec_module(self)


def use_lean_packages() -> None:
    """To be called before the first module of these packages is imported; those that are there stay as they are."""
    use_lean_metadata()
    from mcp_types._wire_base import WireModel

    WireModel.model_config["defer_build"] = True
    for name in PACKAGES:
        _lean(name)


def use_lean_metadata() -> None:
    """To be called before the first model is made: pydantic then looks for no plugins, of which a gateway has none."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    package = _lean(METADATA)
    if package is not None:
        vars(package).update({name: _late(package, name) for name in ("version", "entry_points")})


def _lean(name: str) -> _LeanPackage | None:
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is None:
        return None
    package = sys.modules[name] = _LeanPackage(spec)
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, package)
    return package


def _late(package: _LeanPackage, name: str) -> Callable[..., Any]:
    """A function of a package that may be had without the package, and needs it when it is called."""

    def call(*arguments: Any, **named: Any) -> Any:
        if vars(package)[name] is call:
            package.become_whole()
        return getattr(package, name)(*arguments, **named)

    return call
