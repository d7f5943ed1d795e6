"""Every code block is run by a test of this folder or by the one named here; a new block without either fails."""

import re
import subprocess
from typing import Final

import pytest

from tests.docs.blocks import ROOT, Block, blocks, hides_commands

COMMANDS_HERE: Final = {
    ("README.md", "make run"),
    ("docs/getting-started.md", "make run"),
    ("CONTRIBUTING.md", "make run"),
    ("docs/getting-started.md", ".venv/bin/tabwright install"),
    ("docs/getting-started.md", ".venv/bin/tabwright dashboard"),
    ("docs/getting-started.md", ".venv/bin/tabwright doctor"),
    ("docs/getting-started.md", ".venv/bin/tabwright status"),
    ("docs/policy.md", "tabwright grant"),
    ("docs/policy.md", "tabwright audit"),
    ("docs/proxy.md", "tabwright proxy init"),
    ("docs/proxy.md", "tabwright token"),
    ("docs/proxy.md", "tabwright serve --via"),
    ("docs/scaling.md", "nats-server"),
    ("docs/shortcuts.md", "tabwright shortcuts"),
    ("CONTRIBUTING.md", "scripts/lock"),
}
"""Pages, and how those of their commands begin that `test_commands.py` runs as they stand there."""

ELSEWHERE: Final = {
    "make": "tests/docs/test_commands.py::test_make_alone_lists_the_targets",
    "make test": ".ci/run",
    "make docs": "scripts/docs.py",
    "make pictures": "tests/docs/test_pictures.py::test_pictures_are_made_of_what_is_there",
    "make site": "tests/docs/test_site.py::test_every_page_is_in_the_site",
    "npm ci": "scripts/setup",
    "npm run check": "scripts/check",
    "npm test": "scripts/check",
    "make lock": "scripts/lock",
    ".venv/bin/tabwright pair": "tests/test_cli.py::test_pair_waits_for_the_browser_and_shows_the_same_digits",
    "python3 -m http.server --directory examples/shop --bind 127.0.0.1 8099":
        "tests/examples/test_examples.py::test_the_commands_of_the_page_lead_to_a_purchase",
    ".venv/bin/python examples/agent_loop.py http://127.0.0.1:8099/":
        "tests/examples/test_examples.py::test_the_commands_of_the_page_lead_to_a_purchase",
    ".venv/bin/python examples/proxy_two_users/run.py":
        "tests/examples/test_examples.py::test_two_users_of_a_proxy_see_their_own_browsers_alone",
    "tabwright proxy --tls-cert cert.pem --tls-key key.pem --host 0.0.0.0 --port 443":
        "tests/proxy/test_operation.py::test_tls_is_spoken_where_a_certificate_is_given",
    "tabwright proxy --broker nats://broker:4222 --broker-credentials replica …":
        "tests/cluster/test_rights.py::test_replicas_need_no_right_that_they_do_not_have",
    "tabwright proxy status --broker nats://broker:4222 --broker-credentials status":
        "tests/cluster/test_rights.py::test_whoever_may_ask_for_the_status_neither_calls_browsers_nor_sees_frames",
    "tabwright stdio --upload-dirs ~/Documents/invoices:/srv/pictures":
        "tests/tools/test_file_upload.py::test_only_files_of_the_named_folders_are_uploaded",
}  # fmt: skip
"""Commands that another test, or a script that CI runs, gives with other values."""

SAMPLES: Final = {
    ("README.md", "python"): "tests/docs/test_samples.py::test_the_first_call_of_the_readme_opens_a_tab",
    ("docs/http-api.md", "json"): "tests/docs/test_samples.py::test_the_configurations_for_sse_lead_to_tools",
    ("docs/http-api.md", "toml"): "tests/docs/test_samples.py::test_the_settings_file_is_understood",
    ("docs/policy.md", "toml"): "tests/docs/test_samples.py::test_the_policy_decides_as_its_page_says",
    ("docs/page-tools.md", "js"): "tests/docs/test_samples.py::test_the_page_tools_of_the_page_are_tools",
    ("docs/page-tools.md", "html"): "tests/docs/test_samples.py::test_the_page_tools_of_the_page_are_tools",
    ("docs/hub-protocol.md", "js"): "tests/docs/test_samples.py::test_a_page_asks_the_person_as_its_page_says",
    ("docs/hub-protocol.md", "jsonc"): "tests/docs/test_samples.py::test_the_messages_of_the_hub_are_understood",
    ("docs/shortcuts.md", "json"): "tests/docs/test_commands.py::test_shortcuts_are_saved_run_and_removed",
    ("docs/tools.md", "json"): "tests/docs/test_samples.py::test_every_schema_of_the_tools_is_one",
    ("docs/page-tools-tutorial.md", "js"): "tests/docs/test_tutorial.py::test_its_code_is_the_example_s",
    ("docs/page-tools-tutorial.md", "html"): "tests/docs/test_tutorial.py::test_its_code_is_the_example_s",
}  # fmt: skip
"""Blocks that are no commands: the page, their language, and the test that runs all of them there."""

COMMANDS: Final = [(block.place, command) for block in blocks() for command in block.commands]
OTHERS: Final = [block for block in blocks() if not block.commands]


def _here(page: str, command: str) -> bool:
    return any(page == where and command.startswith(start) for where, start in COMMANDS_HERE)


@pytest.mark.parametrize(("place", "command"), COMMANDS)
def test_every_command_is_run_by_a_test(place: str, command: str) -> None:
    page = place.partition("#")[0]
    assert _here(page, command) or command in ELSEWHERE, "give it a test in test_commands.py, or its test in ELSEWHERE"


@pytest.mark.parametrize("block", OTHERS, ids=lambda block: block.place)
def test_every_other_block_is_run_by_a_test_or_is_no_code(block: Block) -> None:
    if block.language == "text":
        assert not hides_commands(block)
    else:
        assert (block.place.partition("#")[0], block.language) in SAMPLES


@pytest.mark.parametrize("command", sorted(command for command, named in ELSEWHERE.items() if "::" not in named))
def test_a_script_named_here_is_what_the_command_runs_or_runs_the_command(command: str) -> None:
    script = ELSEWHERE[command]
    program, *words = command.split()
    given = re.search(rf"\b{program}( run)?( --silent)? {words[-1]}\b", (ROOT / script).read_text(encoding="utf-8"))
    made = program == "make" and script in subprocess.run(
        ["make", "--dry-run", *words], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout  # fmt: skip
    assert given or made


@pytest.mark.parametrize("command", sorted(command for command in ELSEWHERE if "tabwright " in command))
def test_a_test_named_here_knows_what_the_command_is_given(command: str) -> None:
    folder = (ROOT / ELSEWHERE[command].partition("::")[0]).parent
    known = "".join(file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.py")))
    for flag in re.findall(r" --([\w-]+)", command):
        assert flag in known or flag.replace("-", "_") in known


@pytest.mark.parametrize("named", sorted({*ELSEWHERE.values(), *SAMPLES.values()}))
def test_the_tests_named_here_exist(named: str) -> None:
    file, _, test = named.partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not test or re.search(rf"^(async )?def {test}\(", text, re.MULTILINE)


def test_nothing_named_here_is_gone_from_the_pages() -> None:
    written = {command for _, command in COMMANDS}
    assert not ELSEWHERE.keys() - written
    assert not SAMPLES.keys() - {(block.place.partition("#")[0], block.language) for block in OTHERS}
    pages = {(place.partition("#")[0], command) for place, command in COMMANDS}
    for page, start in COMMANDS_HERE:
        assert any(page == where and command.startswith(start) for where, command in pages), (page, start)
