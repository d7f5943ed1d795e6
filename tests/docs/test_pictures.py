"""The pictures of the pages: small, used, and made anew by a script whenever the pages they show have changed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.docs.blocks import ROOT, pages

IMAGES = sorted((ROOT / "docs" / "images").iterdir())


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.name)
def test_a_picture_is_small(image: Path) -> None:
    assert image.suffix in (".png", ".gif", ".svg")
    assert image.stat().st_size <= (700_000 if image.suffix == ".gif" else 150_000)


def test_every_picture_shown_is_there_and_has_words_for_who_cannot_see_it() -> None:
    for page in pages():
        for words, source in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            assert words, (page.name, source)
            assert (page.parent / source).exists(), (page.name, source)


@pytest.mark.browser
@pytest.mark.timeout(240)
def test_pictures_are_made_of_what_is_there(tmp_path: Path) -> None:
    command = [sys.executable, "scripts/pictures.py", "--into", str(tmp_path), "popup", "shopping"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=220)
    assert done.returncode == 0, done.stderr[-2000:]
    with Image.open(tmp_path / "shopping.gif") as gif:
        assert getattr(gif, "n_frames", 1) >= 8
    with Image.open(tmp_path / "popup.png") as popup:
        assert popup.width == 348
