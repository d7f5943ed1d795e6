"""One proxy, two users: each has a browser and an agent, and sees nothing of the other's.

Everything runs on this machine, in folders that are gone afterwards; on three machines the commands are the same.

    python examples/proxy_two_users/run.py
"""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client
from person import browser_with_port, enter_token, until

BESIDE = Path(sys.executable).with_name("tabwright")
TABWRIGHT = str(BESIDE) if BESIDE.exists() else shutil.which("tabwright") or "tabwright"
USERS = ("ann", "ben")


def environment(home: Path, **variables: str) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("TABWRIGHT_")}
    return {**ours, "TABWRIGHT_HOME": str(home), "TABWRIGHT_HEADLESS": "true", **variables}


def said(home: Path, *arguments: str) -> str:
    """What a command prints."""
    print("$ tabwright", *arguments)
    return subprocess.run(
        [TABWRIGHT, *arguments], env=environment(home), check=True, capture_output=True, text=True
    ).stdout


@contextmanager
def running(home: Path, *arguments: str, **variables: str) -> Generator[None]:
    """A command that goes on, from its "ready" on."""
    print("$ tabwright", *arguments)
    process = subprocess.Popen(
        [TABWRIGHT, *arguments], env=environment(home, **variables), stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        if not any(" ready " in line for line in process.stderr):
            raise SystemExit(f"tabwright {arguments[0]} did not start")
        yield
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()


def linked(home: Path) -> bool:
    """Whether a gateway has its browser."""
    status = subprocess.run([TABWRIGHT, "status", "--json"], env=environment(home), check=True, capture_output=True)
    return bool(json.loads(status.stdout)["browsers"])


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    return result.structured_content or {}


async def work(user: str, home: Path, page: str) -> int:
    """The user's agent opens a page through the proxy and looks around; the number of its tab."""
    source = stdio_client(StdioServerParameters(command=TABWRIGHT, args=["stdio"], env=environment(home)))
    async with Client(source) as agent:
        await call(agent, "connect_browser")
        opened = await call(agent, "open_tab", url=page)
        listed = await call(agent, "list_tabs")
        print(f"{user}'s agent sees:", [tab["url"] for tab in listed["tabs"]])
        return opened["tab"]["id"]


async def pry(user: str, home: Path, tab: int) -> None:
    """The user's agent asks for a tab of the other's."""
    source = stdio_client(StdioServerParameters(command=TABWRIGHT, args=["stdio"], env=environment(home)))
    async with Client(source) as agent:
        await call(agent, "connect_browser")
        told = await call(agent, "get_page_text", tabId=tab)
        print(f"{user}'s agent asks for the other's tab:", told["error"]["code"])


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="two-users-") as made, ExitStack() as stack:
        folder, address = Path(made), f"ws://127.0.0.1:{free_port()}"
        proxy = folder / "proxy"
        said(proxy, "proxy", "init", "--user", USERS[0], "--url", address)
        stack.enter_context(running(proxy, "proxy", "--port", address.rpartition(":")[2]))

        for user in USERS:
            tokens = {
                role: said(proxy, "token", "issue", "--user", user, "--role", role) for role in ("extension", "mcp")
            }
            # the machine with the user's browser
            browser, agent = folder / f"{user}-browser", folder / f"{user}-agent"
            started = str(browser_with_port(folder / f"{user}-start"))
            ports = ("--port", "0", "--extension-port", "0")
            stack.enter_context(running(browser, "serve", "--launch", *ports, TABWRIGHT_BROWSER=started))
            until("the browser", partial(linked, browser))
            enter_token(browser / "profiles" / "default", tokens["extension"].strip(), user)
            # the machine with the user's agent
            agent.mkdir(mode=0o700)
            (agent / "proxy-token").write_text(tokens["mcp"])
            (agent / "proxy-token").chmod(0o600)
            via = ("--via", address, "--via-token-file", str(agent / "proxy-token"))
            stack.enter_context(running(agent, "serve", *via, *ports))

        tabs = {
            user: asyncio.run(work(user, folder / f"{user}-agent", f"{address.replace('ws', 'http')}/health#{user}"))
            for user in USERS
        }
        for user, other in zip(USERS, reversed(USERS), strict=True):
            asyncio.run(pry(user, folder / f"{user}-agent", tabs[other]))


if __name__ == "__main__":
    main()
