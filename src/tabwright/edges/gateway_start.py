"""Starting a gateway in the background, detached from whoever needs it first."""

import os
import subprocess
import sys


class StartedGateway:
    """A gateway on its way up, and its words should it not get there."""

    def __init__(self, home: str, options: dict[str, str]) -> None:
        """Spawn `tabwright serve` as a daemon. Two at once are fine: the second finds the lock and leaves."""
        logs = os.path.join(home, "logs")
        os.makedirs(logs, mode=0o700, exist_ok=True)
        self._errors = os.path.join(logs, "gateway.err")
        flags = [part for name, value in options.items() for part in _flag(name, value)]
        with open(self._errors, "ab") as errors:
            self._said_before = errors.tell()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tabwright", "serve", "--started-by-pump", *flags],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                cwd=home,
                start_new_session=True,
                env={**os.environ, "TABWRIGHT_HOME": home},
            )

    def failure(self) -> str | None:
        """Why it ended before it could serve; None while it runs, or when it left to another that does."""
        if not self._process.poll():
            return None
        with open(self._errors, "rb") as errors:
            errors.seek(self._said_before)
            said = errors.read().decode(errors="replace").strip()
        return said.splitlines()[-1].removeprefix("tabwright: ") if said else "the gateway did not start"


def _flag(name: str, value: str) -> list[str]:
    return [f"--{name}"] if value == "true" else [f"--{name}", value]
