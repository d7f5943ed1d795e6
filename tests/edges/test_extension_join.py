"""Modules of a worker as one file: what it does, run by node as it was and joined."""

import json
import subprocess
from pathlib import Path

import pytest

from tabwright.edges.chrome.extension_join import joined

MANIFEST = json.dumps({"background": {"service_worker": "background/main.js", "type": "module"}})
MODULES = {
    "background/main.js": """\
import { greeting, Counter } from './parts.js';
import { LIMIT, numbers } from '../common/limits.js';

const secret = 'main';
const counter = new Counter();
counter.add(LIMIT);
console.log(greeting('you'), counter.sum, secret, [...numbers()].join());
""",
    "background/parts.js": """\
import { LIMIT } from '../common/limits.js';

const secret = 'parts';
export const greeting = (name) => `hello ${name}, ${secret}`;
export class Counter {
  sum = LIMIT;
  add(number) { this.sum += number; }
}
""",
    "common/limits.js": """\
export const LIMIT = 21;
export function* numbers() { yield* [secret, 2]; }
export async function unused() {}
const secret = 1;
""",
}


def extension(**changed: str) -> dict[str, bytes]:
    files = {"manifest.json": MANIFEST, **MODULES, **changed}
    return {name: content.encode() for name, content in files.items()}


def printed(files: dict[str, bytes], folder: Path) -> str:
    for name, content in {**files, "package.json": b'{"type": "module"}'}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return subprocess.run(
        ["node", folder / "background/main.js"], capture_output=True, text=True, check=True, timeout=30
    ).stdout


def test_it_does_what_the_modules_do(tmp_path: Path) -> None:
    files = joined(extension())
    assert "background/parts.js" not in files
    assert "common/limits.js" in files, "pages of the extension load what is common, too"
    told = printed(files, tmp_path / "joined")
    assert told == printed(extension(), tmp_path / "apart")
    assert told == "hello you, parts 42 main 1,2\n"


def test_modules_that_import_each_other_are_named() -> None:
    circle = {"common/limits.js": "import { greeting } from '../background/parts.js';\nexport const LIMIT = 1;"}
    with pytest.raises(ValueError, match=r"each other: .*parts\.js -> common/limits\.js -> background/parts\.js"):
        joined(extension(**circle))


@pytest.mark.parametrize("line", ["import all from './parts.js';", "export default 1;", "export let moving = 1;"])
def test_what_cannot_be_joined_is_named(line: str) -> None:
    with pytest.raises(ValueError, match=f"common/limits.js: cannot be joined: {line}"):
        joined(extension(**{"common/limits.js": f"{line}\n{MODULES['common/limits.js']}"}))


def test_what_is_joined_stays_as_it_is() -> None:
    files = joined(extension())
    assert joined(files) == files


def test_a_worker_that_is_no_module_stays_as_it_is() -> None:
    classic = json.dumps({"background": {"service_worker": "background/main.js"}})
    files = extension(**{"manifest.json": classic})
    assert joined(files)["background/main.js"] == files["background/main.js"]
