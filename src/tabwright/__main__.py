"""The console script. A client's pump and the gateway take the fast path, without the command line."""

import gc
import sys


def main() -> None:
    """Pump stdio when an MCP client runs us; otherwise the command line."""
    arguments = sys.argv[1:]
    if not arguments and sys.stdin is not None and sys.stdin.isatty():
        arguments = ["--help"]
    elif arguments and arguments[0].startswith("--") and arguments[0][2:].partition("=")[0] in _KNOWN:
        # options alone are those of a client's server
        arguments = ["stdio", *arguments]
    if not arguments or (arguments[0] == "stdio" and "--help" not in arguments and "-h" not in arguments):
        options = _options(arguments[1:])
        if options is not None:
            from tabwright.edges.pump.stdio_pump import pump

            pump(options)
    # what is imported stays until the end: only the youngest are looked through, where imports leave some garbage
    usual = gc.get_threshold()
    gc.set_threshold(10_000, 1_000, 1_000)
    if arguments[0] == "serve":
        by_pump = arguments[1:2] == ["--started-by-pump"]
        options = _options(arguments[2 if by_pump else 1 :])
        if options is not None:
            from tabwright.edges.mcp.lean_packages import use_lean_metadata

            use_lean_metadata()
            from tabwright.serving import serve_and_exit

            serve_and_exit(options, started_by_pump=by_pump)
    from tabwright.cli import run

    # nor need anybody look through it at the exit
    gc.freeze()
    gc.set_threshold(*usual)
    run(arguments)


def _options(arguments: list[str]) -> dict[str, str] | None:
    """`--name value`, `--name=value` and bare `--name` as a table; None for what the command line must explain."""
    options: dict[str, str] = {}
    rest = iter(arguments)
    pending: str | None = None
    for argument in rest:
        if argument.startswith("--"):
            if pending is not None:
                if pending not in _SWITCHES:
                    return None
                options[pending] = "true"
            name, equals, value = argument[2:].partition("=")
            pending = None if equals else name
            if equals:
                options[name] = value
        elif pending is not None:
            options[pending], pending = argument, None
        else:
            return None
    if pending is not None:
        if pending not in _SWITCHES:
            return None
        options[pending] = "true"
    return options if _KNOWN.issuperset(options) else None


_SWITCHES = frozenset(
    {"activate-on-focus", "close-group-on-end", "follow-active-tab", "headless", "http", "launch", "local-relay"}
)
# every flag of `stdio` and, for a gateway it has to start, of `serve`; a test holds this to the settings
_KNOWN = frozenset(
    {
        "activate-on-focus",
        "auth",
        "browser",
        "browser-args",
        "close-group-on-end",
        "connect-wait-s",
        "cors-origins",
        "extension-port",
        "follow-active-tab",
        "headless",
        "host",
        "http",
        "hub-origins",
        "idle-exit-s",
        "launch",
        "link-grace-s",
        "list",
        "local-relay",
        "log-level",
        "mcp-rate",
        "message-rate",
        "output-dir",
        "port",
        "relay-origins",
        "session",
        "toolsets",
        "upload-dirs",
        "via",
        "via-token-file",
    }
)


if __name__ == "__main__":
    main()
