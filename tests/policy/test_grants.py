"""What was agreed to is exact: another origin, class, client, profile or tool is asked about anew."""

from dataclasses import replace

import pytest

from tabwright.policy.actions import Access, Action, Allow, Ask, Principal
from tabwright.policy.decide import decide
from tabwright.policy.grants import ANY, Grant, GrantKey, Grants, NoGrantMemory, Scope
from tabwright.policy.rules import Rules
from tests.fakes import FakeGrantMemory

USER = Principal("user", "codex", "s1")
SCRIPT = Action(USER, "javascript_tool", Access.SCRIPT, {}, origin="https://a.test", profile="p1")
PAY = Action(
    USER, "pay", Access.PAGE_TOOL, {}, "https://a.test", consequential=True, definition="hash", profile="p1"
)  # fmt: skip


def grants() -> Grants:
    return Grants(NoGrantMemory(), lambda: 1.0)


def asked(action: Action, made: Grants) -> bool:
    return isinstance(decide(action, Rules(), made), Ask)


def agree(made: Grants, action: Action, scope: Scope) -> None:
    decision = decide(action, Rules(), made)
    assert isinstance(decision, Ask)
    made.agreed(action, decision, scope)


@pytest.mark.parametrize("action", [SCRIPT, PAY], ids=["script", "consequential"])
def test_once_is_once(action: Action) -> None:
    made = grants()
    agree(made, action, Scope.ONCE)
    assert asked(action, made)
    assert made.listed() == []


@pytest.mark.parametrize("action", [SCRIPT, PAY], ids=["script", "consequential"])
@pytest.mark.parametrize("scope", [Scope.SESSION, Scope.ALWAYS])
def test_a_longer_yes_is_not_asked_for_again(action: Action, scope: Scope) -> None:
    made = grants()
    agree(made, action, scope)
    decision = decide(action, Rules(), made)
    assert isinstance(decision, Allow)
    assert decision.rule.startswith("grant ")


@pytest.mark.parametrize("scope", [Scope.SESSION, Scope.ALWAYS])
@pytest.mark.parametrize(
    "other",
    [
        replace(SCRIPT, origin="http://a.test"),
        replace(SCRIPT, origin="https://a.test:8443"),
        replace(SCRIPT, origin="https://sub.a.test"),
        replace(SCRIPT, origin="https://a.test.evil.test"),
        replace(SCRIPT, profile="p2"),
        replace(SCRIPT, principal=Principal("user", "other", "s1")),
        PAY,
    ],
    ids=["scheme", "port", "subdomain", "suffix", "profile", "client", "class"],
)
def test_it_is_good_for_nothing_else(other: Action, scope: Scope) -> None:
    made = grants()
    agree(made, SCRIPT, scope)
    assert asked(other, made)


def test_a_session_s_grant_ends_with_it_and_is_no_other_s() -> None:
    made = grants()
    agree(made, SCRIPT, Scope.SESSION)
    assert asked(replace(SCRIPT, principal=Principal("user", "codex", "s2")), made)
    made.session_ended("s1")
    assert asked(SCRIPT, made)


@pytest.mark.parametrize("scope", [Scope.SESSION, Scope.ALWAYS])
def test_a_page_tool_whose_definition_changed_is_asked_about_again(scope: Scope) -> None:
    made = grants()
    agree(made, PAY, scope)
    assert asked(replace(PAY, definition="another"), made)


def test_a_page_without_an_origin_can_be_agreed_to_only_once() -> None:
    made = grants()
    nowhere = replace(SCRIPT, origin="", scheme="about")
    agree(made, nowhere, Scope.ALWAYS)
    assert asked(nowhere, made)


def test_always_outlives_the_gateway_until_it_is_revoked() -> None:
    memory = FakeGrantMemory()
    agree(Grants(memory, lambda: 1.0), SCRIPT, Scope.ALWAYS)
    agree(Grants(memory, lambda: 1.0), PAY, Scope.SESSION)
    again = Grants(memory, lambda: 2.0)
    assert not asked(SCRIPT, again)
    assert asked(PAY, again)
    [kept] = again.listed()
    assert [grant.key for grant in again.revoke(lambda grant: grant.key.id == kept.key.id)] == [kept.key]
    assert asked(SCRIPT, again)
    assert asked(SCRIPT, Grants(memory, lambda: 3.0))


def test_the_person_may_grant_to_any_client_and_profile() -> None:
    made = grants()
    made.give(Grant(GrantKey("https://a.test", Access.SCRIPT, ANY, ANY), Scope.ALWAYS, 1.0))
    made.give(Grant(GrantKey("https://a.test", Access.CONSEQUENTIAL, "codex", ANY), Scope.ALWAYS, 1.0))
    assert not asked(replace(SCRIPT, principal=Principal("user", "other", "s9"), profile="p9"), made)
    assert not asked(PAY, made)
    assert asked(replace(PAY, principal=Principal("user", "other", "s1")), made)


def test_no_grant_opens_what_is_denied() -> None:
    made = grants()
    own = "http://127.0.0.1:3456"
    made.give(Grant(GrantKey(own, Access.READ, ANY, ANY), Scope.ALWAYS, 1.0))
    denied = decide(Action(USER, "read_page", Access.READ, {}, own), Rules(frozenset({3456})), made)
    assert denied.rule == "page: own ports"
