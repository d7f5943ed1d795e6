"""`tabwright policy`, `grant` and `grants`: what agents may do, and what was agreed to."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Annotated, Any, Final

from cyclopts import App, Group, Parameter

from tabwright.cli_flags import Json, Switch
from tabwright.edges.commands.grant_control import described_profile, open_database, request
from tabwright.edges.runtime import Home
from tabwright.edges.store.grant_store import GrantStore
from tabwright.edges.store.policy_file import PolicyFile
from tabwright.errors import GatewayError, InvalidArguments
from tabwright.policy.actions import LAUNCHED, Access, Action, Allow, Ask, Decision, Deny, Principal
from tabwright.policy.decide import decide
from tabwright.policy.grants import Grants, NoGrantMemory
from tabwright.policy.rule_file import EXAMPLE
from tabwright.policy.rules import Rules
from tabwright.policy.urls import read_address, scheme_of

OWN_BROWSER: Final = "your own browser"


def add_policy_commands(app: App, group: Group, home: Callable[[], Home], show: Callable[[str], None]) -> None:
    """Add the commands. `show` prints a line for people."""
    policy = App(
        name="policy", help="Show, check or begin the rules of policy.toml: what agents may do, and where.", group=group
    )
    grants = App(name="grants", help="List what you have allowed for longer than one call, or revoke it.", group=group)
    app.command(policy)
    app.command(grants)

    @policy.command(name="show")
    def show_policy() -> None:
        """Show the rules in force."""
        path = home().policy_file
        rules = PolicyFile(path, Rules())()
        show(f"{path}{'' if path.exists() else ' (does not exist; `tabwright policy init` writes one to start from)'}")
        for line in _described(rules):
            show(f"  {line}")

    @policy.command
    def init() -> None:
        """Write a policy.toml to start from: every line is explained, and none is in force until you uncomment it."""
        path = home().policy_file
        home().prepare()
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(EXAMPLE)
        except FileExistsError:
            raise GatewayError(f"{path} exists already.", "Edit it.") from None
        show(f"wrote {path}")

    @policy.command
    def check(
        url: str | None = None,
        /,
        *,
        client: str = "agent",
        launched: Switch = False,
    ) -> None:
        """Check that policy.toml is valid, and show what it allows on a page.

        Parameters
        ----------
        url
            The address of a page.
        client
            The name of the client that would work there.
        launched
            In a browser that tabwright launched, rather than in your own.
        """
        place = home()
        rules = PolicyFile(place.policy_file, _own(place))()
        if url is None:
            show("policy.toml is valid." if place.policy_file.exists() else "There is no policy.toml; that is fine.")
            return
        for line in _explained(url, client, LAUNCHED if launched else "", rules, _kept(place)):
            show(line)

    @app.command(group=group)
    def grant(site: str, /, *classes: str, client: str | None = None, profile: str | None = None) -> None:
        """Allow a client something on a site, until you revoke it.

        Parameters
        ----------
        site
            The exact site, like https://example.com; without a scheme it is https.
        classes
            What: read, act, script, upload, download, page_tool, consequential.
        client
            The name a client calls itself, as `tabwright status` shows it; '*' is every client.
        profile
            The browser, as `tabwright status --json` shows its id, or `launched`; by default any.
        """
        if client is None:
            raise GatewayError("Which client is it for?", "Give --client NAME, or --client '*' for every client.")
        told = {"site": site, "classes": [*classes], "client": client, "profile": profile}
        for given in request(home(), "grants-give", told):
            show(f"allowed: {_line(given)}")

    @grants.default
    def list_(*, json_: Json = False) -> None:
        """List the grants in force."""
        found = request(home(), "grants-list")
        if json_:
            print(json.dumps(found, indent=2, ensure_ascii=False))  # noqa: T201 - for programs
            return
        for each in found:
            show(f"{each['id']}  {_line(each)}")
        if not found:
            show("No grants. Whatever needs your consent, you are asked about.")

    @grants.command
    def revoke(
        id_: Annotated[str | None, Parameter(name="id")] = None,
        /,
        *,
        site: str | None = None,
        client: str | None = None,
        all_: Annotated[bool, Parameter(name="--all", negative="", show_default=False)] = False,
    ) -> None:
        """Revoke grants; this takes effect at once.

        Parameters
        ----------
        id_
            The id that `tabwright grants` shows.
        site
            All grants on this exact site.
        client
            All grants of this client.
        all_
            All grants.
        """
        gone = request(home(), "grants-revoke", {"id": id_, "site": site, "client": client, "all": all_})
        for each in gone:
            show(f"revoked: {_line(each)}")
        if not gone:
            raise GatewayError("No grant matches.", "See `tabwright grants`.")


def _described(rules: Rules) -> Iterator[str]:
    for number, rule in enumerate(rules.sites, 1):
        says = ", ".join(f"{access.value} {verdict.value}" for access, verdict in rule.verdicts.items())
        whose = f" for {rule.client}" if rule.client else ""
        yield f"site {number}  {rule.name}{whose}: {says}{'; answered in the browser' if rule.in_browser else ''}"
    for name, verdict in rules.categories.items():
        yield f"category {name}: {verdict.value}"
    for access, verdict in rules.defaults.items():
        yield f"default {access.value}: {verdict.value}"
    yield "otherwise: read, act, page_tool, upload and download allowed; consequential asked; script asked in"
    yield "your own browser, allowed in a launched one and on localhost"


def _explained(url: str, client: str, profile: str, rules: Rules, grants: Grants) -> Iterator[str]:
    try:
        address = read_address(url)
    except InvalidArguments as exc:
        raise GatewayError(exc.message, exc.next_step) from None
    who = Principal("user", client)
    going = Action(who, "navigate", Access.READ, {}, destination=address, profile=profile)
    yield f"{address.href} for {client} in {'a launched browser' if profile else OWN_BROWSER}"
    yield f"  {'open':14}{_told(decide(going, rules, grants))}"
    for access in Access:
        there = Action(
            who, "", access, {}, address.origin, scheme=scheme_of(address.href), profile=profile,
            consequential=access is Access.CONSEQUENTIAL,
        )  # fmt: skip
        yield f"  {access.value:14}{_told(decide(there, rules, grants))}"


def _told(decision: Decision) -> str:
    match decision:
        case Allow(rule=rule):
            return f"allow  ({rule})"
        case Ask(rule=rule):
            return f"ask    ({rule})"
        case Deny(rule=rule):
            return f"deny   ({rule})"


def _own(home: Home) -> Rules:
    """With the gateway's own ports, if one runs."""
    running = home.running()
    return Rules() if running is None else Rules(frozenset({running["port"], running["extensionPort"]}))


def _kept(home: Home) -> Grants:
    if not home.database.exists():
        return Grants(NoGrantMemory(), time.time)
    with closing(open_database(home)) as db:
        return Grants(GrantStore(db), time.time)


def _line(grant: dict[str, Any]) -> str:
    tool = f" {grant['tool']}" if grant["tool"] else ""
    client = "every client" if grant["client"] == "*" else grant["client"]
    until = "until its session ends" if grant["scope"] == "session" else "always"
    where = described_profile(grant["profile"])
    return f"{grant['class']}{tool} on {grant['origin']} for {client} in {where}, {until}"
