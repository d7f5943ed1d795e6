"""The gateway imports the SDK's server without its client, and whoever wants the client still gets it."""

import subprocess
import sys


def printed(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60).stdout


LEAN_FROM_THE_START = "from tabwright.edges.mcp.lean_packages import use_lean_metadata; use_lean_metadata(); "
LEAN = "import sys; from tabwright.edges.mcp.lean_packages import use_lean_packages; use_lean_packages(); "


def test_the_gateway_brings_no_client_along() -> None:
    told = printed(f"{LEAN} import tabwright.app; print(*(name for name in sys.modules if name.startswith('mcp.')))")
    assert "mcp.server.runner" in told
    assert "mcp.server.lowlevel" not in told
    assert "mcp.client" not in told
    assert "mcp.server.mcpserver" not in told


def test_a_gateway_without_clients_holds_nothing_that_only_some_need() -> None:
    told = printed(
        f"{LEAN_FROM_THE_START} import tabwright.serving; {LEAN} import tabwright.app, tabwright.edges.logs; "
        "print(*sys.modules, *{name.partition('.')[0] for name in sys.modules})"
    )
    some = {
        "PIL",
        "ada_url",
        "cryptography",
        "cyclopts",
        "jsonschema_rs",
        "limits",
        "python_socks",
        "rapidfuzz",
        "rich",
    }
    http = {"click", "h11", "multiprocessing", "python_multipart", "sse_starlette", "starlette", "uvicorn"}
    standard = {
        "csv",
        "email.message",
        "http.cookies",
        "importlib.resources",
        "zipfile",
        "logging.handlers",
        "mimetypes",
        "pickle",
        "shlex",
        "tomllib",
    }
    assert not (some | http | standard) & set(told.split())


def test_a_name_of_the_whole_package_brings_it_all() -> None:
    told = printed(
        f"{LEAN} import mcp.server.lowlevel; from mcp import Client; import mcp; print(mcp.Client is Client)"
    )
    assert told.strip() == "True"


def test_what_is_imported_already_stays() -> None:
    assert printed(f"import mcp; {LEAN} print(type(mcp).__name__)").strip() == "module"


def test_a_name_that_nobody_has_is_missed_as_ever() -> None:
    told = printed(f"{LEAN} import mcp; print(hasattr(mcp, 'nothing_of_the_kind'), hasattr(mcp, '__nothing__'))")
    assert told.strip() == "False False"


def test_a_gateway_that_a_person_starts_has_no_command_line_in_memory_either() -> None:
    told = printed(
        "import sys; sys.argv = ['tabwright', 'serve', '--port', '70000']\nfrom tabwright.__main__ import main\n"
        "try: main()\nexcept SystemExit as ended: print(ended.code, 'cyclopts' in sys.modules, 'rich' in sys.modules)"
    )
    assert told.split() == ["2", "False", "False"]


def test_the_models_of_a_revision_that_nobody_speaks_are_not_built() -> None:
    told = printed(
        f"{LEAN} import tabwright.app, mcp_types._v2025_11_25 as old; request = old.PingRequest; "
        "built = request.__pydantic_complete__; "
        "read = request.model_validate({'jsonrpc': '2.0', 'id': 1, 'method': 'ping'}); "
        "print(built, read.method, request.__pydantic_complete__)"
    )
    assert told.split() == ["False", "ping", "True"]


def test_what_is_told_of_packages_is_true_although_it_is_read_late() -> None:
    told = printed(
        f"{LEAN_FROM_THE_START} import sys, importlib.metadata as late; "
        "from importlib.metadata import version, entry_points; "
        "import pydantic.networks; early = 'email' in sys.modules; "
        "print(early, version('pydantic') == pydantic.VERSION, version('pydantic') == late.version('pydantic'), "
        "len(entry_points(group='console_scripts')) > 0, late.version is not version, "
        "late.metadata('pydantic')['Name'])"
    )
    assert told.split() == ["False", "True", "True", "True", "True", "pydantic"]
