"""What proves which of the rules T53 to T79 and T93 to T96 of a safe browser: marked tests, and the places named here.

A test is marked `@pytest.mark.rule("T53")`; `PLACES` names those that prove a rule among others, also in JavaScript.
`NOT_PROVED` says what of a rule no test shows.
"""

import ast
from pathlib import Path
from typing import Final

import pytest

import tabwright
from tabwright.policy.actions import Access
from tabwright.tools import TOOLS
from tests.proxy.test_rules import TESTS, marked

SOURCE: Final = Path(tabwright.__file__).parent
RULES: Final = [f"T{number}" for number in (*range(53, 80), *range(93, 97))]
HOSTILE: Final = "approvals/test_hostile_page.py::test_a_page_that_tries_everything_gains_nothing"
PLACES: Final = {
    "T53": [
        HOSTILE,
        "hub/test_registry.py::test_the_quotas_hold",
        "session/test_list_size.py::test_what_a_page_and_its_frames_put_into_a_list_has_a_bounded_size",
        "session/test_list_size.py::test_ten_thousand_tools_cost_what_those_that_are_listed_cost",
        "extension/page_feed.test.js::a page that registers without end is told of at most nine times a second",
    ],
    "T54": [
        HOSTILE,
        "attacks/test_page_tools.py::test_no_name_takes_the_place_of_a_tool_of_ours_or_looks_like_it",
        "hub/test_names.py::test_every_name_is_valid_for_every_client",
    ],
    "T55": [
        "hub/test_names.py::test_the_hash_tells_apart_origins_frames_and_tools",
        "hub/test_browser.py::test_two_tabs_of_one_page_are_two_tools_and_each_call_lands_in_its_own",
        "hub/test_registry.py::test_a_frame_cannot_take_the_name_of_its_page_nor_speak_for_it",
    ],
    "T56": [
        "page_tools/test_trust.py::test_a_frame_of_another_origin_cannot_pass_for_the_page",
        "hub/test_intruders.py::test_an_ad_in_a_bank_s_page_gets_nowhere",
        "extension/pages.test.js::a frame is who Chrome says it is",
    ],
    "T57": [
        "policy/test_grants.py::test_a_page_tool_whose_definition_changed_is_asked_about_again",
        "calls/test_staleness.py::test_a_tool_that_is_another_now_is_not_run",
        "calls/test_staleness.py::test_a_stale_call_is_preceded_by_the_notice_and_brings_no_second",
        "page_tools/test_trust.py::test_a_form_with_another_address_is_another_tool",
    ],
    "T58": [
        HOSTILE,
        "calls/test_results.py::test_prose_of_a_page_stands_between_marks_that_it_cannot_write",
        "policy/test_text.py::test_nothing_invisible_survives_and_the_cap_holds",
    ],
    "T59": ["policy/test_rules.py::test_a_consequential_tool_is_never_freer_than_a_plain_one"],
    "T60": [
        "hub/test_trust.py::test_a_frame_cannot_answer_a_call_of_its_page",
        "hub/test_trust.py::test_an_answer_to_another_call_is_none",
        "page_tools/test_trust.py::test_a_tool_that_never_answers_leaves_its_outcome_unknown",
        "calls/test_results.py::test_a_long_answer_is_cut_and_says_so",
    ],
    "T61": [
        HOSTILE,
        "policy/test_schemas.py::test_a_schema_that_makes_no_sense_or_leads_elsewhere_checks_nothing",
        "policy/test_schemas.py::test_a_hostile_pattern_takes_no_time",
    ],
    "T62": [
        "approvals/test_forged_messages.py::test_a_frame_s_forged_messages_register_nothing_for_its_page_and_open_no_port",
        "attacks/test_pages.py::test_another_extension_gets_nowhere",
        "attacks/test_shipped.py::test_the_extension_s_manifest_opens_no_door",
    ],
    "T63": [
        "policy/test_decide.py::test_nothing_but_web_pages_is_opened",
        "approvals/test_everywhere.py::test_denied_addresses_are_not_opened",
    ],
    "T64": [
        "policy/test_rules.py::test_the_site_is_the_one_a_browser_would_go_to",
        "approvals/test_everywhere.py::test_a_page_that_leads_elsewhere_is_asked_about_where_it_led",
    ],
    "T65": [
        "policy/test_decide.py::test_no_spelling_of_this_machine_reaches_our_own_ports",
        "policy/test_decide.py::test_addresses_that_hand_out_machine_credentials_are_closed_however_they_are_written",
        "policy/test_rules.py::test_a_far_browser_s_own_machine_and_network_are_closed_until_somebody_there_agrees",
        "calls/test_permission.py::test_a_far_browser_opens_nothing_of_its_own_network_unasked",
    ],
    "T66": [
        "policy/test_decide.py::test_our_own_ports_are_out_of_bounds_however_they_are_written",
        "policy/test_decide.py::test_the_ports_of_debuggers_are_out_of_bounds",
        "attacks/test_debuggers.py::test_a_browser_s_debugger_at_any_port_is_closed_however_one_gets_there",
        "attacks/test_debuggers.py::test_a_broker_is_no_page",
        "attacks/test_pages.py::test_the_gateway_s_own_pages_are_none",
    ],
    "T67": [
        "edges/test_files.py::test_what_lies_outside_is_denied_whether_it_exists_or_not",
        "edges/test_files.py::test_only_plain_files_and_folders_are_offered",
        "edges/test_files.py::test_a_file_that_was_swapped_since_the_look_is_not_read",
        "edges/test_files.py::test_without_upload_folders_nothing_is_offered",
    ],
    "T69": [
        "edges/test_files.py::test_no_name_leads_out_of_the_folder",
        "edges/test_files.py::test_what_is_made_is_saved_for_this_user_alone_and_over_nothing",
    ],
    "T70": [
        "extension/floor.test.js::cookies of the page itself may be read, those of named addresses not",
        "extension/floor.test.js::navigating through the debugger meets the same rules",
        "approvals/test_foreign.py::test_raw_commands_ask_in_the_browser_and_what_is_pressed_there_holds",
        "approvals/test_foreign.py::test_files_of_the_persons_machine_are_nobodys_elsewhere",
        "approvals/test_strangers.py::test_the_persons_files_the_extension_and_its_pages_are_no_strangers",
    ],
    "T71": [
        "approvals/test_everywhere.py::test_what_must_be_asked_about_does_not_happen_where_nobody_can_be_asked",
        "approvals/test_prompt.py::test_scripts_ask_once_a_site_and_are_obeyed_when_refused",
        "approvals/test_prompt_out_of_reach.py::test_neither_a_page_nor_the_agent_answers_for_the_person",
        "calls/test_permission.py::test_the_browser_asks_in_the_window_of_whoever_it_is_about",
        "extension/approvals.test.js::time is an answer",
    ],
    "T72": [
        "tools/test_read_page.py::test_what_a_field_is_called_makes_it_a_secret",
        "tools/test_computer.py::test_a_password_is_never_told",
        "page_tools/test_form_answers.py::test_what_stands_in_secret_fields_is_never_told",
    ],
    "T73": [
        "tools/test_network.py::test_no_secret_is_in_any_answer_or_in_the_log",
        "tools/test_console.py::test_secrets_in_messages_are_masked",
    ],
    "T75": [
        "faults/test_calls.py::test_a_page_in_an_endless_loop_is_told_soon_and_can_be_left",
        "tools/test_javascript_tool.py::test_an_endless_loop_is_stopped_and_the_next_call_works",
        "tools/test_handle_dialog.py::test_a_page_that_asks_whether_to_leave_it_stays_or_is_left_with_the_answer",
        "attacks/test_exhausting_pages.py::test_printing_holds_nothing_up",
    ],
    "T76": [
        "policy/test_rules.py::test_categories_are_open_until_they_are_switched_on",
        "approvals/test_everywhere.py::test_a_frame_of_a_closed_site_is_left_out_of_the_page_around_it",
        "approvals/test_everywhere.py::test_a_frame_of_a_closed_site_is_blank_in_pictures_and_nothing_reaches_it",
    ],
    "T77": ["tools/test_schemas.py::test_wrong_arguments_are_refused_naming_the_field"],
    "T79": [
        "edges/test_audit_store.py::test_a_thousand_entries_are_whole_and_one_that_was_changed_or_taken_out_shows",
        "edges/test_audit_store.py::test_a_new_gateway_goes_on_where_the_last_one_was_killed",
    ],
    "T93": [
        "tools/test_browser_batch.py::test_a_cancelled_call_stops_in_the_browser",
        "link/test_core.py::test_an_abandoned_call_is_cancelled_and_never_answered",
        "edges/test_sse.py::test_a_client_that_leaves_in_the_middle_of_a_call_leaves_nothing_behind",
    ],
    "T94": [
        "policy/test_grants.py::test_once_is_once",
        "policy/test_grants.py::test_it_is_good_for_nothing_else",
        "approvals/test_everywhere.py::test_a_grant_typed_by_the_person_opens_exactly_that",
    ],
    "T95": ["attacks/test_shipped.py::test_the_extension_s_manifest_opens_no_door"],
    "T96": ["attacks/test_shipped.py::test_locked_dependencies_are_above_known_holes_and_pinned_by_hash"],
}
NOT_PROVED: Final = {
    "T53": "the time a list takes on the wall clock, which is the machine's; how much work it is, is",
    "T65": "with a local gateway this machine's and the local network's pages are open by choice, see docs/security.md",
    "T66": "a client of a proxy without a gateway meets the usual ports of debuggers alone, by the extension's floor",
    "T67": "a swap after the look, where the browser of this machine reads the file by its path itself",
    "T70": "a paired gateway may use `DOM.setFileInputFiles` and `Fetch`: its tools need them",
    "T94": "a grant that several gateways share: each has its own, and one home has one gateway",
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_proved_or_what_is_not_is_known(rule: str) -> None:
    assert rule in marked() or rule in PLACES or rule in NOT_PROVED, f"{rule} is proved nowhere"


@pytest.mark.parametrize("place", sorted({place for places in PLACES.values() for place in places}))
def test_what_is_proved_elsewhere_is_there(place: str) -> None:
    file, _, name = place.partition("::")
    declared = f"test('{name}'" if file.endswith(".js") else f"def {name}("
    assert declared in (TESTS / file).read_text(encoding="utf-8")


@pytest.mark.rule("T63")
def test_every_tool_that_opens_an_address_has_it_judged() -> None:
    opening = {tool.name for tool in TOOLS if "url" in tool.params.model_fields and tool.access is not Access.READ}
    opening |= {tool.name for tool in TOOLS if tool.destination is not None}
    assert opening == {"navigate", "open_tab", "tabs_create", "tabs_create_mcp"}
    assert all(tool.destination is not None for tool in TOOLS if tool.name in opening)


@pytest.mark.rule("T68")
def test_nothing_is_uploaded_from_an_address() -> None:
    uploading = {tool.name: set(tool.params.model_fields) for tool in TOOLS if "upload" in tool.name}
    assert uploading.keys() == {"file_upload", "upload_image"}
    assert not {"url", "href", "address", "uri"} & set().union(*uploading.values())


@pytest.mark.rule("T78")
def test_no_call_chooses_what_is_launched() -> None:
    [connect] = [tool for tool in TOOLS if tool.name == "connect_browser"]
    fields = connect.params.model_fields
    assert {name: field.annotation for name, field in fields.items()} == {"launch": bool}


@pytest.mark.rule("T78")
@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.name)
def test_nothing_is_started_through_a_shell(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        assert called not in {"os.system", "os.popen", "eval", "exec", "subprocess.getoutput"}, called
        assert not called.endswith("create_subprocess_shell"), called
        assert not any(word.arg == "shell" for word in node.keywords), f"{path.name}:{node.lineno}"
