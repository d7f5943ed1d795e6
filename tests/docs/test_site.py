"""The pages hold together: links and anchors lead somewhere, in the repository and in the site; nothing is outside."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.blocks import ROOT, pages

LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
CODE: Final = re.compile(r"^( *)```.*?^\1```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
PAGES: Final = [*pages(), ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"]
LOADS: Final = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}


def anchors(page: Path) -> set[str]:
    """What a page's headings are called in addresses."""
    text = re.sub(r"^( *)```.*?^\1```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    heads = [re.sub(r"[`*]|\]\([^)]*\)|\[", "", head) for head in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    named = {re.sub(r"[^\w\- ]", "", head.strip().lower()).replace(" ", "-") for head in heads}
    return named | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links: list[str] = LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    for link in links:
        parts = urlsplit(link)
        if parts.scheme:
            assert parts.scheme == "https", link
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        assert target.exists(), link
        assert not parts.fragment or parts.fragment in anchors(target), link


class Page(HTMLParser):
    """What a page of the site loads, links to, and is linked at."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids |= {name for name in (found.get("id"), found.get("name")) if name}
        if tag in LOADS and (source := found.get(LOADS[tag])) and found.get("rel") not in ("canonical", "prev", "next"):
            self.loaded.append(source)
        if tag == "a" and (link := found.get("href")):
            self.links.append(link)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=55)
    assert built.returncode == 0, built.stderr
    return folder


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    built = list(site.rglob("*.html"))
    assert len(built) > 25
    for path in built:
        for source in Page(path).loaded:
            parts = urlsplit(source)
            assert not parts.netloc, (path.name, source)
            place = site / parts.path[1:] if parts.path.startswith("/") else path.parent / parts.path
            assert parts.scheme == "data" or place.exists(), (path.name, source)
    for path in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", path.read_text(encoding="utf-8")), path.name


def test_every_link_and_anchor_of_the_site_leads_somewhere(site: Path) -> None:
    built = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html" and "shop" not in path.parts}
    for path, page in built.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), (path.name, link)
            known = not parts.fragment or target not in built or parts.fragment in built[target].ids
            assert known or parts.fragment.startswith("__"), (path.name, link)


def test_every_page_is_in_the_site(site: Path) -> None:
    for page in pages():
        name = {"README.md": "index", "CONTRIBUTING.md": "contributing"}.get(page.name, page.stem)
        place = "examples/index" if page.parent.name == "examples" else name
        assert (site / f"{place}.html").exists()
