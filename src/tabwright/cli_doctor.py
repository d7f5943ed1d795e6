"""`tabwright doctor`: what was found, for people and for programs."""

import json
import os
import sys
from pathlib import Path
from typing import Any, Final

from tabwright import __version__
from tabwright.cli_flags import Json
from tabwright.edges.commands.doctor import examine
from tabwright.edges.runtime import Home
from tabwright.errors import GatewayError
from tabwright.home import home_folder
from tabwright.install.clients import Place
from tabwright.install.troubles import Finding

_MARKS: Final = {"ok": "ok   ", "note": "note ", "fix": "FIX  "}
_INDENT: Final = "      "


def doctor(*, json_: Json = False) -> None:
    """Check everything, and say how to fix what is wrong. Changes nothing; exit code 1 if there is something to fix."""
    findings: list[Finding] = []
    for finding in examine(Home(Path(home_folder())), Place(Path.home(), sys.platform, os.environ)):
        findings.append(finding)
        if not json_:
            _say(f"{_MARKS[finding.level]}{_one_line(finding.what)}")
            if finding.trouble is not None:
                _say(f"{_INDENT}{finding.trouble.fix}")
    bad = sum(finding.level == "fix" for finding in findings)
    if json_:
        told = {"version": __version__, "ok": bad == 0, "findings": [_as_json(finding) for finding in findings]}
        _say(json.dumps(told, indent=2))
    if bad:
        raise GatewayError(f"{bad} thing{'s' if bad > 1 else ''} to fix.")


def _as_json(finding: Finding) -> dict[str, Any]:
    told: dict[str, Any] = {"level": finding.level, "what": finding.what}
    if (trouble := finding.trouble) is not None:
        told |= {"id": trouble.id, "title": trouble.title, "explanation": trouble.explanation, "fix": trouble.fix}
    return told


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
