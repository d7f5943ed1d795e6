"""`policy.toml`: the person's own rules, read strictly; a rule that cannot be understood must not be passed over."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, cast

from tabwright.errors import GatewayError
from tabwright.policy.actions import Access, Verdict
from tabwright.policy.categories import NAMES
from tabwright.policy.rules import Rules, SiteRule
from tabwright.policy.sites import read_pattern

FILE: Final = "policy.toml"
ALL: Final = "all"
_CLASSES: Final = {access.value: access for access in Access}
_SECTIONS: Final = frozenset({"default", "site", "categories"})
_SITE_KEYS: Final = frozenset({"match", "client", "answer"})

EXAMPLE: Final = """\
# What agents may do where. Every line is optional; `tabwright policy check URL` shows the result.
# Classes: read, act, script, upload, download, page_tool, consequential; all stands for every one of them.
# Words: allow, ask, deny.

[default]
# consequential = "ask"
# script = "ask"            # by default: allowed in a launched browser and on localhost, asked elsewhere
# answer = "browser"        # only a prompt in the browser counts, not one of the agent's own program

[categories]                # switch on what you want to be asked about, or deny
# banking = "ask"
# crypto = "ask"
# mail = "ask"
# admin = "deny"
# private = "ask"           # other machines of the local network

# The first [[site]] that matches and names the class decides.
# [[site]]
# match = ["intranet.example", "*.intranet.example"]
# all = "deny"

# [[site]]
# match = "https://shop.example"
# act = "ask"
# client = "claude-code"    # for this client alone
"""


class PolicyError(GatewayError):
    """The file cannot be used."""


def read_rules(text: str, base: Rules) -> Rules:
    """The rules of the file's text on top of `base`.

    Raises:
        PolicyError: naming the place in the file and what is wrong with it.
    """
    given = _read(text)
    _check_keys(given, _SECTIONS, "at the top")
    default = _table(given.get("default", {}), "[default]")
    sites = given.get("site", [])
    if not isinstance(sites, list):
        raise _wrong("site", "is written as [[site]]")
    return replace(
        base,
        sites=tuple(
            _site(_table(each, f"[[site]] {number}"), f"[[site]] {number}")
            for number, each in enumerate(cast(list[object], sites), 1)
        ),
        categories=_categories(_table(given.get("categories", {}), "[categories]")),
        defaults=_verdicts({name: value for name, value in default.items() if name != "answer"}, "[default]"),
        in_browser=_in_browser(default, "[default]"),
    )


def _read(text: str) -> dict[str, object]:
    if not text:
        return {}
    # most people have no such file, and its parser would stay in memory
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise PolicyError(f"{FILE} cannot be read: {exc}.", "Correct the file.") from None


def _site(table: Mapping[str, object], where: str) -> SiteRule:
    written = table.get("match")
    patterns = [written] if isinstance(written, str) else written
    if not isinstance(patterns, list) or not patterns:
        raise _wrong(f"{where} match", "names a site, or a list of them")
    client = table.get("client")
    if client is not None and not isinstance(client, str):
        raise _wrong(f"{where} client", "is the name a client calls itself")
    try:
        read = tuple(read_pattern(str(each)) for each in cast(list[object], patterns))
    except ValueError as exc:
        raise PolicyError(f"{where} match: {exc}.", f"Correct {FILE}.") from None
    verdicts = _verdicts({name: value for name, value in table.items() if name not in _SITE_KEYS}, where)
    if not verdicts:
        raise _wrong(where, f"says nothing: give {', '.join(_CLASSES)} or all one of allow, ask, deny")
    return SiteRule(read, verdicts, client, _in_browser(table, where))


def _verdicts(table: Mapping[str, object], where: str) -> dict[Access, Verdict]:
    _check_keys(table, frozenset({*_CLASSES, ALL}), f"in {where}")
    every = dict.fromkeys(Access, _verdict(table[ALL], f"{where} {ALL}")) if ALL in table else {}
    named = {_CLASSES[name]: _verdict(value, f"{where} {name}") for name, value in table.items() if name != ALL}
    return {**every, **named}


def _categories(table: Mapping[str, object]) -> dict[str, Verdict]:
    _check_keys(table, frozenset(NAMES), "in [categories]")
    return {name: _verdict(value, f"[categories] {name}") for name, value in table.items()}


def _verdict(value: object, where: str) -> Verdict:
    try:
        return Verdict(value)
    except ValueError:
        raise _wrong(where, "is one of allow, ask, deny") from None


def _in_browser(table: Mapping[str, object], where: str) -> bool:
    told = table.get("answer", "anywhere")
    if told not in ("anywhere", "browser"):
        raise _wrong(f"{where} answer", "is anywhere or browser")
    return told == "browser"


def _table(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _wrong(where, "is a table")
    return cast(dict[str, object], value)


def _check_keys(table: Mapping[str, object], known: frozenset[str], where: str) -> None:
    for name in table:
        if name not in known:
            raise PolicyError(
                f"{FILE} has an unknown key {name!r} {where}.", f"Known there: {', '.join(sorted(known))}."
            )


def _wrong(where: str, what: str) -> PolicyError:
    return PolicyError(f"{where} {what}.", f"Correct {FILE}.")
