"""Recordings and the log, as the dashboard reads them: no path leads elsewhere, nothing is read without end."""

import os
from pathlib import Path

import pytest

from tabwright.edges.dashboard.files import MAX_LINES, MAX_LOG, LogTail, SavedRecordings

GIF = b"GIF89a..."


@pytest.fixture
def recordings(tmp_path: Path) -> SavedRecordings:
    folder = tmp_path / "output" / "session"
    folder.mkdir(parents=True)
    (folder / "tour.gif").write_bytes(GIF)
    (folder / "page.txt").write_text("no recording")
    (folder / "folder.gif").mkdir()
    (tmp_path / "secret.gif").write_bytes(b"secret")
    (folder / "link.gif").symlink_to(tmp_path / "secret.gif")
    (tmp_path / "output" / "elsewhere").symlink_to(tmp_path)
    return SavedRecordings(tmp_path / "output")


def test_plain_gifs_of_sessions_are_listed_read_and_deleted(recordings: SavedRecordings) -> None:
    [saved] = recordings.listed()
    assert (saved.session, saved.name, saved.size) == ("session", "tour.gif", len(GIF))
    assert recordings.read("session", "tour.gif") == GIF
    assert recordings.delete("session", "tour.gif")
    assert not recordings.delete("session", "tour.gif")
    assert recordings.listed() == []


@pytest.mark.parametrize(
    ("session", "name"),
    [
        ("session", "page.txt"),
        ("session", "link.gif"),
        ("session", "folder.gif"),
        ("elsewhere", "secret.gif"),
        ("..", "secret.gif"),
        ("session", "../../secret.gif"),
        ("", ""),
    ],
)
def test_nothing_else_is_reached(recordings: SavedRecordings, tmp_path: Path, session: str, name: str) -> None:
    assert recordings.read(session, name) is None
    assert not recordings.delete(session, name)
    assert (tmp_path / "secret.gif").exists()


def test_the_newest_recording_comes_first(recordings: SavedRecordings, tmp_path: Path) -> None:
    other = tmp_path / "output" / "other"
    other.mkdir()
    (other / "new.gif").write_bytes(GIF)
    os.utime(tmp_path / "output" / "session" / "tour.gif", (1, 1))
    assert [saved.name for saved in recordings.listed()] == ["new.gif", "tour.gif"]


def test_where_nothing_was_recorded_nothing_is_listed(tmp_path: Path) -> None:
    assert SavedRecordings(tmp_path / "none").listed() == []


def test_a_log_is_read_from_its_end_alone(tmp_path: Path) -> None:
    log = tmp_path / "gateway.log"
    assert LogTail(log).records("") == []
    line = "2026-01-01 00:00:00,000 INFO tabwright.x: number {} password=hunter22\n"
    log.write_text("".join(line.format(number) for number in range(3 * MAX_LOG // len(line))))
    records = LogTail(log).records("INFO")
    assert len(records) == MAX_LINES
    last = records[-1]
    assert isinstance(last, dict)
    assert last["text"] == f"number {3 * MAX_LOG // len(line) - 1} password=[masked]"
    assert LogTail(log).records("ERROR") == []
