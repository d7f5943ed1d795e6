"""Brings what lies outside of docs/ into the site: README.md as its front page, and what is linked from there.

Hooks of mkdocs. A link is written for readers of the repository; here it is turned to where the site has the page,
or left out where the site has none.
"""

import posixpath
import re
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "examples/README.md": "examples/index.md",
}
LINK: Final = re.compile(r"\[(?P<text>[^\[\]]*)\]\((?P<target>[^)\s#:]+)(?P<part>#[^)\s]*)?\)")
LOGO: Final = "src/tabwright/extension/icons/icon-128.png"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.is_file() and path.suffix in {".py", ".html", ".js", ".css", ".json"}:
            files.append(File.generated(config, path.relative_to(ROOT).as_posix(), content=path.read_bytes()))
    files.append(File.generated(config, "images/logo.png", content=(ROOT / LOGO).read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page with its links turned from the repository's places to the site's."""
    here = page.file.src_uri
    source = next((path for path, name in PAGES.items() if name == here), f"docs/{here}")

    def turned(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link["target"]))
        place = PAGES.get(target, target.removeprefix("docs/"))
        if files.get_file_from_path(place) is None and (ROOT / target).exists():
            return link["text"]  # a file of the repository that the site does not show
        return f"[{link['text']}]({posixpath.relpath(place, posixpath.dirname(here) or '.')}{link['part'] or ''})"

    return LINK.sub(turned, markdown)
