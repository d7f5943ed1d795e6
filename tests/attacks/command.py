"""Command lines that end in a refusal, run inside the test: many of them, and each of a second otherwise."""

import io
import logging
import os
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from tabwright.cli import run


@dataclass(frozen=True, slots=True)
class Refusal:
    code: int
    line: str


def refused(home: Path, *arguments: str, **variables: str) -> Refusal:
    """What a command line that fails says: one line on stderr, nothing on stdout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TABWRIGHT_", "CLAUDE_"))}
    umask, log = os.umask(0o022), logging.getLogger()
    handlers, level = log.handlers[:], log.level
    try:
        with (
            mock.patch.dict(os.environ, {**kept, "TABWRIGHT_HOME": str(home), **variables}, clear=True),
            redirect_stdout(io.StringIO()) as out,
            redirect_stderr(io.StringIO()) as err,
            pytest.raises(SystemExit) as ended,
        ):
            run(list(arguments))
    finally:
        os.umask(umask)
        log.setLevel(level)
        for handler in set(log.handlers).difference(handlers):
            log.removeHandler(handler)
            handler.close()
    assert out.getvalue() == ""
    [line] = err.getvalue().splitlines()
    assert line.startswith("tabwright: ")
    assert "\x1b" not in line
    assert isinstance(ended.value.code, int)
    return Refusal(ended.value.code, line)


def refused_start(home: Path, *flags: str, **variables: str) -> Refusal:
    """A gateway that must not start: on free ports, unless told otherwise."""
    ports = {"TABWRIGHT_PORT": "0", "TABWRIGHT_EXTENSION_PORT": "0"}
    return refused(home, "serve", *flags, **{**ports, **variables})
