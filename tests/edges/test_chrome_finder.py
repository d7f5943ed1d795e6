from pathlib import Path

import pytest

from tabwright.edges.chrome.finder import BrowserBinary, BrowserNotFound, find_browser


def program(path: Path, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode)
    path.chmod(mode)
    return path


def test_configured_path_wins_over_what_is_installed(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "google-chrome")
    chosen = program(tmp_path / "opt" / "brave-nightly")
    environ = {"PATH": str(tmp_path / "bin")}
    assert find_browser(str(chosen), environ, "linux") == BrowserBinary(chosen, "Brave")


def test_configured_path_may_start_at_home(tmp_path: Path) -> None:
    chosen = program(tmp_path / "apps" / "chromium")
    assert find_browser("~/apps/chromium", {"HOME": str(tmp_path)}, "linux") == BrowserBinary(chosen, "Chromium")


def test_configured_path_may_be_a_macos_bundle(tmp_path: Path) -> None:
    inside = program(tmp_path / "Microsoft Edge.app" / "Contents" / "MacOS" / "Microsoft Edge")
    assert find_browser(str(tmp_path / "Microsoft Edge.app"), {}, "darwin") == BrowserBinary(inside, "Edge")


def test_link_is_named_after_what_it_leads_to(tmp_path: Path) -> None:
    link = tmp_path / "browser"
    link.symlink_to(program(tmp_path / "opt" / "msedge"))
    assert find_browser(str(link), {}, "linux") == BrowserBinary(link, "Edge")


@pytest.mark.parametrize("spelling", ["edge", "Edge", " microsoft edge ", "microsoft-edge"])
def test_configured_name_chooses_among_those_installed(tmp_path: Path, spelling: str) -> None:
    program(tmp_path / "google-chrome")
    edge = program(tmp_path / "microsoft-edge")
    assert find_browser(spelling, {"PATH": str(tmp_path)}, "linux") == BrowserBinary(edge, "Edge")


@pytest.mark.parametrize(
    ("configured", "told"),
    [
        ("/no/such/chrome", "/no/such/chrome was not found"),
        ("edge", "microsoft-edge on PATH"),
        ("vivaldi", "vivaldi on PATH"),
    ],
)
def test_missing_configured_browser_is_an_error_naming_what_was_sought(configured: str, told: str) -> None:
    with pytest.raises(BrowserNotFound, match=told) as raised:
        find_browser(configured, {"PATH": ""}, "win32")
    assert raised.value.looked_for == configured


def test_configured_file_that_cannot_be_run_is_an_error(tmp_path: Path) -> None:
    document = program(tmp_path / "chrome.txt", mode=0o644)
    with pytest.raises(BrowserNotFound, match="not executable"):
        find_browser(str(document), {}, "linux")


def test_chrome_is_preferred_and_what_cannot_be_run_is_passed_over(tmp_path: Path) -> None:
    environ = {"PATH": str(tmp_path)}
    program(tmp_path / "brave-browser")
    program(tmp_path / "google-chrome-stable", mode=0o644)
    chrome = program(tmp_path / "google-chrome")
    assert find_browser(None, environ, "win32") == BrowserBinary(chrome, "Chrome")
    chrome.unlink()
    assert find_browser("", environ, "win32") == BrowserBinary(tmp_path / "brave-browser", "Brave")


def test_usual_places_of_macos_are_searched(tmp_path: Path) -> None:
    chromium = program(tmp_path / "Applications" / "Chromium.app" / "Contents" / "MacOS" / "Chromium")
    assert find_browser(None, {"HOME": str(tmp_path)}, "darwin") == BrowserBinary(chromium, "Chromium")


def test_usual_places_of_windows_are_searched(tmp_path: Path) -> None:
    edge = program(tmp_path / "Microsoft" / "Edge" / "Application" / "msedge.exe")
    assert find_browser(None, {"PROGRAMFILES(X86)": str(tmp_path)}, "win32") == BrowserBinary(edge, "Edge")


def test_machine_without_a_browser_has_none(tmp_path: Path) -> None:
    assert find_browser(None, {"PATH": str(tmp_path), "HOME": str(tmp_path)}, "win32") is None
