"""LinkCore, event by event: what goes out, who is answered, what becomes of a call when the socket breaks."""

import json
from typing import Any

from tabwright.link.core import Drop, Effect, Emit, LinkCore, Reject, Resolve, Send
from tabwright.link.events import Ended, Resumed, Suspended, TabClosed
from tabwright.link.foreign import ForeignDialect
from tabwright.link.local import LocalDialect


def attached(grace_s: float = 5.0) -> LinkCore:
    core = LinkCore(grace_s)
    assert core.attached(LocalDialect(), 0.0) == []
    return core


def frames(effects: list[Effect]) -> list[Any]:
    return [json.loads(effect.text) for effect in effects if isinstance(effect, Send)]


def failed(effects: list[Effect]) -> list[tuple[int, str]]:
    return [(effect.call_id, effect.error.word) for effect in effects if isinstance(effect, Reject)]


def answer(call_id: int, result: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": call_id, "result": result})


def test_a_call_goes_out_with_an_id_and_its_answer_resolves_it() -> None:
    core = attached()
    call_id, effects = core.call("getTabs", {}, 0.0)
    assert frames(effects) == [{"jsonrpc": "2.0", "id": call_id, "method": "getTabs", "params": {}}]
    assert core.received(answer(call_id, {"tabs": []}), 1.0) == [Resolve(call_id, {"tabs": []})]


def test_two_calls_have_two_ids() -> None:
    core = attached()
    assert core.call("getTabs", {}, 0.0)[0] != core.call("getTabs", {}, 0.0)[0]


def test_a_second_answer_to_the_same_call_is_nothing() -> None:
    core = attached()
    call_id, _ = core.call("getTabs", {}, 0.0)
    core.received(answer(call_id, {}), 1.0)
    assert core.received(answer(call_id, {}), 1.0) == []
    refusal = {"jsonrpc": "2.0", "id": call_id, "error": {"code": -1, "message": "late"}}
    assert core.received(json.dumps(refusal), 1.0) == []


def test_an_error_answer_keeps_its_code_its_words_and_its_name() -> None:
    core = attached()
    call_id, _ = core.call("click", {}, 0.0)
    error = {"code": -32005, "message": "Chrome forbids it.", "data": {"code": "unreachable_page"}}
    [rejected] = core.received(json.dumps({"jsonrpc": "2.0", "id": call_id, "error": error}), 1.0)
    assert isinstance(rejected, Reject)
    assert (rejected.error.code, rejected.error.word) == (-32005, "unreachable_page")
    assert rejected.error.message == "Chrome forbids it."


def test_an_event_is_handed_on_and_a_ping_gets_its_pong() -> None:
    core = attached()
    assert core.received('{"type":"tabClosed","tabId":4}', 1.0) == [Emit(TabClosed(4))]
    assert frames(core.received('{"type":"ping"}', 1.0)) == [{"type": "pong"}]


def test_a_command_the_browser_does_not_know_is_refused_at_once() -> None:
    core = attached()
    _, [rejected] = core.call("callTool", {}, 0.0)
    assert isinstance(rejected, Reject)
    assert rejected.error.code == -32601


def test_a_call_before_the_first_socket_waits_for_it() -> None:
    core = LinkCore(5.0)
    call_id, effects = core.call("getTabs", {}, 0.0)
    assert effects == []
    assert core.suspended
    assert [frame["id"] for frame in frames(core.attached(LocalDialect(), 1.0))] == [call_id]
    assert not core.suspended


def test_a_read_only_call_is_sent_again_after_a_cut() -> None:
    core = attached()
    call_id, _ = core.call("getTabs", {}, 0.0)
    assert core.cut(1.0) == [Emit(Suspended())]
    effects = core.attached(LocalDialect(), 2.0)
    assert effects[0] == Emit(Resumed())
    assert [frame["id"] for frame in frames(effects)] == [call_id]
    assert core.received(answer(call_id, {}), 3.0) == [Resolve(call_id, {})]


def test_an_acting_call_cut_in_flight_ends_with_its_outcome_unknown() -> None:
    core = attached()
    call_id, _ = core.call("click", {}, 0.0)
    effects = core.cut(1.0)
    assert failed(effects) == [(call_id, "outcome_unknown")]
    assert effects[-1] == Emit(Suspended())
    assert frames(core.attached(LocalDialect(), 2.0)) == []


def test_a_call_made_while_suspended_waits_and_goes_out_once() -> None:
    core = attached()
    core.cut(0.0)
    call_id, effects = core.call("click", {"x": 1}, 1.0)
    assert effects == []
    assert [frame["id"] for frame in frames(core.attached(LocalDialect(), 2.0))] == [call_id]
    assert failed(core.cut(3.0)) == [(call_id, "outcome_unknown")]


def test_a_call_of_little_patience_waits_for_a_link_that_is_coming_back_and_its_time_begins_then() -> None:
    core = attached(grace_s=60.0)
    early, _ = core.call("getTabs", {}, 0.0, 0.5)
    core.cut(0.4)
    late, _ = core.call("getTabs", {}, 1.0, 0.5)
    assert core.tick(3.3) == []
    assert [frame["id"] for frame in frames(core.attached(LocalDialect(), 3.3))] == [early, late]
    assert core.tick(3.7) == []
    assert failed(core.tick(3.8)) == [(early, "timeout"), (late, "timeout")]


def test_a_second_cut_is_no_news() -> None:
    core = attached()
    core.cut(0.0)
    assert core.cut(1.0) == []


def test_what_arrives_without_a_socket_is_dropped() -> None:
    core = attached()
    core.cut(0.0)
    assert core.received('{"type":"ping"}', 1.0) == []


def test_a_browser_that_stays_away_ends_with_the_grace() -> None:
    core = attached(grace_s=5.0)
    core.cut(10.0)
    call_id, _ = core.call("click", {}, 11.0)
    assert core.next_deadline() == 15.0
    assert core.tick(14.9) == []
    effects = core.tick(15.0)
    assert failed(effects) == [(call_id, "browser_not_connected")]
    assert effects[-1] == Emit(Ended("the extension did not come back"))
    assert core.ended
    assert core.next_deadline() is None


def test_a_browser_back_in_time_is_not_ended_by_the_old_grace() -> None:
    core = attached()
    core.cut(0.0)
    core.attached(LocalDialect(), 4.9)
    assert core.tick(6.0) == []
    assert not core.ended


def test_a_cut_without_grace_is_the_end() -> None:
    core = attached()
    read, _ = core.call("getTabs", {}, 0.0)
    act, _ = core.call("click", {}, 0.0)
    effects = core.cut(1.0, grace=False, reason="it left")
    assert sorted(failed(effects)) == [(read, "browser_not_connected"), (act, "outcome_unknown")]
    assert effects[-1] == Emit(Ended("it left"))


def test_a_goodbye_ends_the_link_at_once() -> None:
    core = attached()
    act, _ = core.call("click", {}, 0.0)
    read, _ = core.call("getTabs", {}, 0.0)
    effects = core.received('{"type":"disconnected"}', 1.0)
    assert failed(effects) == [(act, "outcome_unknown"), (read, "browser_not_connected")]
    assert effects[-1] == Emit(Ended("the browser said goodbye"))
    assert core.end("again") == []
    assert core.cut(2.0) == []


def test_a_call_after_the_end_fails_at_once() -> None:
    core = attached()
    core.end("closed")
    call_id, effects = core.call("getTabs", {}, 1.0)
    assert failed(effects) == [(call_id, "browser_not_connected")]


def test_a_call_that_is_not_answered_in_time_ends_and_the_browser_is_told() -> None:
    core = attached()
    call_id, _ = core.call("click", {}, 0.0)
    assert core.next_deadline() == 10.0
    effects = core.tick(10.0)
    assert failed(effects) == [(call_id, "timeout")]
    assert frames(effects) == [{"jsonrpc": "2.0", "method": "cancel", "params": {"id": call_id}}]
    assert core.received(answer(call_id, {}), 11.0) == []


def test_a_caller_may_set_its_own_bound() -> None:
    core = attached()
    call_id, _ = core.call("click", {}, 0.0, timeout_s=0.5)
    assert failed(core.tick(0.5)) == [(call_id, "timeout")]


def test_a_call_that_never_went_out_is_late_for_want_of_a_link() -> None:
    core = attached(grace_s=60.0)
    core.cut(0.0)
    call_id, _ = core.call("click", {}, 0.0)
    effects = core.tick(10.0)
    assert failed(effects) == [(call_id, "browser_not_connected")]
    assert frames(effects) == []


def test_an_abandoned_call_is_cancelled_and_never_answered() -> None:
    core = attached()
    call_id, _ = core.call("click", {}, 0.0)
    assert [frame["method"] for frame in frames(core.abandoned(call_id))] == ["cancel"]
    assert core.abandoned(call_id) == []
    assert core.received(answer(call_id, {}), 1.0) == []


def test_a_peer_silent_for_45_seconds_is_dropped() -> None:
    core = attached()
    core.received('{"type":"ping"}', 20.0)
    assert core.next_deadline() == 65.0
    assert core.tick(64.9) == []
    assert core.tick(65.0) == [Drop("silent for 45 s")]


def test_a_waiting_call_that_the_new_peer_cannot_do_is_refused() -> None:
    core = LinkCore(5.0)
    call_id, _ = core.call("getTabs", {}, 0.0)
    assert failed(core.attached(ForeignDialect(), 1.0)) == [(call_id, "failed")]


def test_a_suspended_link_still_knows_what_its_browser_can_do() -> None:
    core = attached()
    core.cut(0.0)
    assert core.commands == LocalDialect().commands


def test_an_open_tab_that_only_waited_its_turn_has_no_unknown_outcome() -> None:
    core = LinkCore(5.0)
    core.attached(ForeignDialect(), 0.0)
    first, _ = core.call("createTab", {"url": "https://a.test/"}, 0.0)
    second, _ = core.call("createTab", {"url": "https://b.test/"}, 0.0)
    assert failed(core.cut(1.0, grace=False)) == [(first, "outcome_unknown"), (second, "browser_not_connected")]
