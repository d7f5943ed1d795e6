"""What a browser is given of the extension: few files in place of many, and nothing that it would miss."""

import json
import posixpath
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tabwright.edges.chrome.extension_files import FOLDER, is_current, shipped_files, unpack_extension


def content_scripts(files: dict[str, bytes]) -> list[dict[str, Any]]:
    return json.loads(files["manifest.json"])["content_scripts"]


def test_the_scripts_of_a_world_are_one_file_in_their_order() -> None:
    files = shipped_files()
    for given, written in zip(
        content_scripts(files), json.loads((FOLDER / "manifest.json").read_text())["content_scripts"], strict=True
    ):
        assert {**given, "js": []} == {**written, "js": []}
        [name] = given["js"]
        parts = [(FOLDER / each).read_bytes() for each in written["js"]]
        places = [files[name].index(part) for part in parts]
        assert places == sorted(places)
        assert len(files[name]) < sum(map(len, parts)) + 2 * len(parts), "and nothing besides"


def test_nothing_that_is_given_asks_for_a_file_that_is_not() -> None:
    files = shipped_files()
    wanted = {"background/main.js"} | {each for script in content_scripts(files) for each in script["js"]}
    for name, content in files.items():
        if name.endswith((".html", ".js")) and not name.startswith("content/"):
            links = re.findall(
                r"""(?:src="|href="|^import .*?from ')([\w./-]+\.(?:js|css|html))""", content.decode(), re.M
            )
            wanted |= {posixpath.normpath(posixpath.join(posixpath.dirname(name), link)) for link in links}
    assert {"content/relay.js", "ui/popup.js", "common/servers.js"} <= wanted
    assert wanted <= files.keys()


def test_the_worker_is_one_module_with_all_that_it_imports() -> None:
    worker = shipped_files()["background/main.js"].decode()
    assert not re.search(r"^(import|export)\b", worker, re.M)
    for module in (FOLDER / "background").glob("*.js"):
        exported = re.findall(r"^export (?:async )?(?:const|class|function\*?) (\w+)", module.read_text(), re.M)
        assert f"return {{ {', '.join(exported)} }};" in worker, module.name


def test_a_copy_is_current_until_one_of_its_files_changes(tmp_path: Path) -> None:
    copy = tmp_path / "extension"
    unpack_extension(copy)
    assert is_current(copy)
    (copy / "content" / "isolated_world.js").write_text("// something else")
    assert not is_current(copy)
    unpack_extension(copy)
    assert is_current(copy)


def test_a_copy_of_the_many_files_is_not_what_is_given(tmp_path: Path) -> None:
    copy = shutil.copytree(FOLDER, tmp_path / "extension")
    assert not is_current(copy)


def test_without_a_folder_there_is_nothing_to_give(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        shipped_files(tmp_path / "nowhere")
