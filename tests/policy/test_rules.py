"""The person's own rules: sites, categories and defaults of policy.toml, for every class, and what they cannot open."""

from dataclasses import replace
from typing import Any

import pytest

from tabwright.policy.actions import LAUNCHED, Access, Action, Allow, Ask, Decision, Deny, Principal
from tabwright.policy.decide import decide
from tabwright.policy.rule_file import EXAMPLE, PolicyError, read_rules
from tabwright.policy.rules import Rules
from tabwright.policy.urls import read_address

USER = Principal("user", "codex", "s1")


def rules(text: str) -> Rules:
    return read_rules(text, Rules(own_ports=frozenset({3456})))


def on(origin: str, access: Access = Access.READ, **more: Any) -> Action:
    return Action(USER, "tool", access, {}, origin=origin, **more)


def going(url: str) -> Action:
    return Action(USER, "navigate", Access.READ, {}, destination=read_address(url))


def word(decision: Decision) -> str:
    return type(decision).__name__.lower()


@pytest.mark.parametrize("access", list(Access))
@pytest.mark.parametrize("verdict", ["allow", "ask", "deny"])
def test_every_class_can_be_allowed_asked_and_denied_on_a_site(access: Access, verdict: str) -> None:
    made = rules(f'[[site]]\nmatch = "a.test"\n{access.value} = "{verdict}"')
    consequential = access is Access.CONSEQUENTIAL
    there = on("https://a.test", Access.PAGE_TOOL if consequential else access, consequential=consequential)
    decision = decide(there, made)
    assert word(decision) == verdict
    assert decision.rule == "policy.toml: site a.test"


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        (
            "a.test",
            ["https://a.test", "http://a.test", "https://a.test:8443", "https://A.TEST", "https://a.test."],
            ["https://b.a.test", "https://xa.test", "https://a.test.evil.test"],
        ),
        ("*.a.test", ["https://b.a.test", "http://c.b.a.test:81"], ["https://a.test", "https://xa.test"]),
        ("https://a.test", ["https://a.test", "https://a.test:443"], ["http://a.test", "https://a.test:8443"]),
        ("https://*.a.test:8443", ["https://b.a.test:8443"], ["https://b.a.test", "http://b.a.test:8443"]),
        ("a.test:8080", ["http://a.test:8080", "https://a.test:8080"], ["http://a.test"]),
        ("bücher.test", ["https://xn--bcher-kva.test", "https://bücher.test"], ["https://bucher.test"]),
        ("127.0.0.1", ["http://127.1:9000", "http://2130706433"], ["http://127.0.0.2"]),
        ("*", ["https://a.test", "http://127.0.0.1:9000"], []),
    ],
)
def test_a_pattern_means_exactly_its_sites(pattern: str, matching: list[str], others: list[str]) -> None:
    made = rules(f'[[site]]\nmatch = "{pattern}"\nread = "deny"')
    assert [word(decide(going(url), made)) for url in matching] == ["deny"] * len(matching)
    assert [word(decide(going(url), made)) for url in others] == ["allow"] * len(others)


@pytest.mark.parametrize(
    "url",
    [
        "https://good.test@evil.test/",
        "https:evil.test",
        "http:/\\evil.test",
        "http://good.test\\@evil.test",
        "https://ev%69l.test/",
        "https://EVIL.test./",
        "https://ｅｖｉｌ.test/",
    ],
)
def test_the_site_is_the_one_a_browser_would_go_to(url: str) -> None:
    made = rules('[[site]]\nmatch = "evil.test"\nall = "deny"')
    expected = "allow" if url.startswith("http://good.test\\") else "deny"
    assert word(decide(going(url), made)) == expected, read_address(url).href


def test_the_first_site_that_names_the_class_decides() -> None:
    made = rules('[[site]]\nmatch="a.test"\nact="ask"\n[[site]]\nmatch="*"\nall="deny"\n')
    assert word(decide(on("https://a.test", Access.ACT), made)) == "deny", "what may not be read is closed"
    made = rules('[[site]]\nmatch="a.test"\nact="ask"\nread="allow"\n[[site]]\nmatch="*"\nall="deny"\n')
    assert word(decide(on("https://a.test", Access.ACT), made)) == "ask"
    assert word(decide(on("https://a.test", Access.SCRIPT), made)) == "deny"
    assert word(decide(on("https://b.test"), made)) == "deny"


def test_a_rule_may_be_for_one_client_alone() -> None:
    made = rules('[[site]]\nmatch="a.test"\nclient="other"\nread="deny"')
    assert word(decide(on("https://a.test"), made)) == "allow"
    made = rules('[[site]]\nmatch="a.test"\nclient="codex"\nread="deny"')
    assert word(decide(on("https://a.test"), made)) == "deny"


def test_a_consequential_tool_is_never_freer_than_a_plain_one() -> None:
    made = rules('[[site]]\nmatch="a.test"\nconsequential="allow"\npage_tool="ask"')
    assert word(decide(on("https://a.test", Access.PAGE_TOOL, consequential=True), made)) == "ask"


@pytest.mark.parametrize(
    ("category", "url"),
    [
        ("banking", "https://www.paypal.com/"),
        ("banking", "https://paypal.com./"),
        ("crypto", "https://coinbase.com/"),
        ("mail", "https://mail.google.com/mail/u/0/"),
        ("admin", "https://eu-west-1.console.aws.amazon.com/"),
        ("private", "http://192.168.1.1/"),
        ("private", "http://10.1/"),
        ("private", "http://[fd12::1]/"),
        ("private", "http://router/"),
        ("private", "http://nas.local/"),
        ("private", "http://192-168-1-1.nip.io/"),
    ],
)
def test_categories_are_open_until_they_are_switched_on(category: str, url: str) -> None:
    assert word(decide(going(url), rules(""))) == "allow"
    for verdict in ("ask", "deny"):
        decision = decide(going(url), rules(f'[categories]\n{category} = "{verdict}"'))
        assert (word(decision), decision.rule) == (verdict, f"policy.toml: category {category}")


def test_a_category_holds_nobody_else() -> None:
    made = rules('[categories]\nbanking = "deny"\nprivate = "deny"')
    for url in ("https://notpaypal.com/", "https://paypal.com.evil.test/", "http://localhost:3000/", "https://a.test/"):
        assert word(decide(going(url), made)) == "allow"


def test_one_question_about_a_kind_of_site_is_enough_for_working_there() -> None:
    asked = decide(on("https://paypal.com", Access.ACT), rules('[categories]\nbanking = "ask"'))
    assert isinstance(asked, Ask)
    assert {Access.READ, Access.ACT, Access.PAGE_TOOL} <= {*asked.covers}
    assert Access.SCRIPT not in asked.covers


def test_a_site_is_freed_from_its_category_by_a_rule() -> None:
    made = rules('[categories]\nbanking = "deny"\n[[site]]\nmatch = "wise.com"\nall = "allow"')
    assert word(decide(going("https://wise.com/"), made)) == "allow"
    assert word(decide(going("https://paypal.com/"), made)) == "deny"


def test_the_files_default_is_for_what_nothing_else_names() -> None:
    made = rules('[default]\nscript = "deny"\nact = "ask"')
    assert word(decide(on("https://a.test", Access.SCRIPT, profile=LAUNCHED), made)) == "deny"
    assert word(decide(on("https://a.test", Access.ACT), made)) == "ask"
    assert word(decide(on("https://a.test"), made)) == "allow"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://127.0.0.1:3456/", "http://169.254.169.254/"])
def test_no_rule_opens_what_is_out_of_bounds(url: str) -> None:
    decision = decide(going(url), rules('[default]\nall = "allow"\n[[site]]\nmatch = "*"\nall = "allow"'))
    assert isinstance(decision, Deny)
    assert decision.rule.startswith("navigation: ")


def test_every_page_may_be_left() -> None:
    made = rules('[default]\nall = "deny"')
    assert isinstance(decide(Action(USER, "close_tab", Access.ACT, {}, "https://a.test"), made), Allow)


def test_an_answer_may_have_to_be_given_in_the_browser() -> None:
    made = rules('[[site]]\nmatch="a.test"\nact="ask"\nanswer="browser"')
    asked = decide(on("https://a.test", Access.ACT), made)
    assert isinstance(asked, Ask)
    assert asked.in_browser
    asked = decide(on("https://b.test", Access.SCRIPT), rules('[default]\nanswer="browser"'))
    assert isinstance(asked, Ask)
    assert asked.in_browser


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[site]\n", "cannot be read"),
        ("[sites]\n", "has an unknown key 'sites' at the top"),
        ('[default]\nwrite = "ask"', "unknown key 'write' in [default]"),
        ('[default]\nact = "maybe"', "[default] act is one of allow, ask, deny"),
        ("[default]\nact = true", "[default] act is one of allow, ask, deny"),
        ('[[site]]\nact = "ask"', "[[site]] 1 match names a site"),
        ('[[site]]\nmatch = "https://a.test/path"\nact = "ask"', "without a path"),
        ('[[site]]\nmatch = "ftp://a.test"\nact = "ask"', "not a web site"),
        ('[[site]]\nmatch = "a.*.test"\nact = "ask"', "'a.*.test' is"),
        ('[[site]]\nmatch = ""\nact = "ask"', "is not a site"),
        ('[[site]]\nmatch = "a.test"', "says nothing"),
        ('[[site]]\nmatch = "a.test"\nact = "ask"\nclient = 3', "client is the name"),
        ('[categories]\ngames = "ask"', "unknown key 'games' in [categories]"),
        ('[default]\nanswer = "mail"', "answer is anywhere or browser"),
        ("site = 3", "site is written as [[site]]"),
        ("default = 3", "[default] is a table"),
    ],
)
def test_a_file_that_cannot_be_understood_is_refused_saying_where(text: str, said: str) -> None:
    with pytest.raises(PolicyError) as failed:
        rules(text)
    assert said in str(failed.value)


def test_the_file_to_begin_with_is_understood_and_changes_nothing() -> None:
    assert rules(EXAMPLE) == rules("")


INSIDE = [
    "http://127.0.0.1:8000", "http://localhost.", "http://127.1", "http://0x7f.1", "http://2130706433",
    "http://017700000001", "http://[::1]:3000", "http://[::ffff:7f00:1]", "http://１２７.0.0.1", "http://a.localhost",
    "http://192.168.0.1", "http://10.1.2.3:8080", "http://172.16.0.1", "http://[fd12::1]", "http://router.lan",
    "http://printer.local", "http://intranet", "http://10-0-0-1.nip.io", "http://192.168.1.1.sslip.io",
]  # fmt: skip


@pytest.mark.parametrize("url", INSIDE)
@pytest.mark.parametrize("access", [Access.READ, Access.ACT, Access.SCRIPT, Access.UPLOAD, Access.PAGE_TOOL])
def test_a_far_browser_s_own_machine_and_network_are_closed_until_somebody_there_agrees(
    url: str, access: Access
) -> None:
    there = replace(on(read_address(url).origin, access), far=True)
    for profile in ("profile-1", LAUNCHED):
        for written in ("", f'[default]\n{access.value} = "allow"'):
            decision = decide(replace(there, profile=profile), rules(written))
            assert isinstance(decision, Ask), "neither a launched browser nor a default opens it"
            assert decision.in_browser, "a client cannot answer for whoever is in that network"
            assert access in decision.covers
    near = decide(replace(there, far=False), rules(""))
    assert not near.rule.startswith("default: a far browser"), "with a local gateway it is the person's own network"


def test_the_person_opens_a_far_network_by_a_rule_and_closes_it_by_a_default() -> None:
    router = replace(on("http://192.168.0.1"), far=True)
    assert word(decide(router, rules('[[site]]\nmatch = "192.168.0.1"\nread = "allow"'))) == "allow"
    assert word(decide(router, rules('[categories]\nprivate = "allow"'))) == "allow"
    assert word(decide(router, rules('[default]\nread = "deny"'))) == "deny"
    assert word(decide(replace(on("https://a.test"), far=True), rules(""))) == "allow", "the web is open"
