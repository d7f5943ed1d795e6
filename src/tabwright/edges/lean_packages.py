"""Packages of others without what their `__init__` pulls in: a gateway is a server and needs no client.

`import mcp.server.lowlevel` runs the `__init__` of `mcp` and of `mcp.server`, which import the SDK's client, its HTTP
client and a second server framework: a hundred modules and 4 MB. A lean package is empty until somebody asks for a name
of it; then its `__init__` runs as ever. And the SDK has models of every message of every revision of the protocol, of
which a client speaks one: they are built when they are first used, 3 MB later.
"""

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

PACKAGES: Final = ("mcp", "mcp.server")


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
        object.__setattr__(self, "__class__", ModuleType)
        spec.loader.exec_module(self)
        return getattr(self, name)


def use_lean_packages() -> None:
    """To be called before the first module of these packages is imported; those that are there stay as they are."""
    from mcp_types._wire_base import WireModel

    WireModel.model_config["defer_build"] = True
    for name in PACKAGES:
        spec = None if name in sys.modules else importlib.util.find_spec(name)
        if spec is None:
            continue
        package = sys.modules[name] = _LeanPackage(spec)
        parent, _, own = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], own, package)
