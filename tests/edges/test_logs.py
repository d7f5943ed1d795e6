"""The log's file: what is written stays readable, and an old file makes room."""

import contextlib
import logging
from pathlib import Path

import pytest

from tabwright.edges import logs


def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("test", logging.INFO, __file__, 1, text, None, None)


def test_a_full_file_is_set_aside_and_two_of_them_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "FULL", 1)
    path = tmp_path / "gateway.log"
    kept = logs.Kept(path, pytest.fail)
    for number in range(5):
        kept.handle(record(f"record {number}"))
    kept.close()
    files = {each.name: each.read_text() for each in tmp_path.iterdir()}
    assert sorted(files) == ["gateway.log", "gateway.log.1", "gateway.log.2"]
    for name, number in (("gateway.log", 4), ("gateway.log.1", 3), ("gateway.log.2", 2)):
        assert files[name].endswith(f"record {number}\n")
        assert files[name].count("\n") == 1


def test_a_file_that_is_not_full_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "gateway.log"
    for number in range(2):
        kept = logs.Kept(path, pytest.fail)
        kept.handle(record(f"record {number}"))
        kept.close()
    assert [line.rpartition(": ")[2] for line in path.read_text().splitlines()] == ["record 0", "record 1"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_set_aside_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "FULL", 1)
    path = tmp_path / "gateway.log"
    (tmp_path / "gateway.log.1" / "in the way").mkdir(parents=True)
    (tmp_path / "gateway.log.2").touch()
    told: list[str] = []
    kept = logs.Kept(path, told.append)
    for number in range(3):
        kept.handle(record(f"record {number}"))
    kept.close()
    assert [line.rpartition(": ")[2] for line in path.read_text().splitlines()] == [
        "record 0",
        "record 1",
        "record 2",
    ]
    [line] = told
    assert "gateway.log" in line


def test_a_full_disk_is_told_once_until_there_is_room_again(tmp_path: Path) -> None:
    told: list[str] = []
    kept = logs.Kept(tmp_path / "gateway.log", told.append)
    there = kept.stream
    for lines in (1, 2):
        with contextlib.suppress(OSError), Path("/dev/full").open("w") as kept.stream:
            for number in range(3):
                kept.handle(record(f"record {number}"))
        assert len(told) == lines
        kept.stream = there
        kept.handle(record("written"))
    kept.close()
    assert all("No space left on device" in line for line in told)
    assert (tmp_path / "gateway.log").read_text().count("written\n") == 2
