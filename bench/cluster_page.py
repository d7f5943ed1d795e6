"""The figures of docs/scaling.md: kept as the benches measured them, written into the page with what follows from them.

    python -m bench.cluster_page            writes the page's block anew from bench/cluster.json

`bench.cluster` and `bench.cluster_presence` keep what they find and write the page. A test holds the page against the
file, so that no figure of it is ever typed by hand.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from textwrap import fill
from typing import Any, Final

from bench.serving import ROOT

KEPT: Final = ROOT / "bench" / "cluster.json"
PAGE: Final = ROOT / "docs" / "scaling.md"
BEGIN, END = "<!-- bench.cluster_page -->\n", "<!-- end of bench.cluster_page -->\n"
Figures = Mapping[str, Mapping[str, float]]
"""By part of the bench; each with the machine's load at its end."""
PARTS: Final = {"one call", "64 calls", "bare bytes", "idle", "arrivals", "broker back", "list"}
BROWSERS: Final = 1_000_000
EACH_REPLICA: Final = 20_000
PROMISED_KB: Final = 24
CALLS_S: Final = 10_000
KEEP_ALIVE_S: Final = 1_200
"""Records are written again every twenty minutes."""
LEAVING_S: Final = 5
FRAME_US: Final = 10
BROKERS, BROKER_GB = 3, 2


def keep(part: str, **figures: float) -> None:
    """What one part has measured, in the place of an earlier run; the page follows."""
    told = {name: round(value, 2) for name, value in figures.items()}
    parts = {**kept()[1], part: {**told, "load": round(os.getloadavg()[0], 1)}}
    KEPT.write_text(json.dumps({"where": _where(), "parts": parts}, indent=1) + "\n")
    write()


def kept() -> tuple[str, Figures]:
    """Where and when it was last measured, and what."""
    if not KEPT.exists():
        return "", {}
    known: dict[str, Any] = json.loads(KEPT.read_text())
    return known["where"], known["parts"]


def write() -> None:
    PAGE.write_text(page(PAGE.read_text(), *kept()))


def _where() -> str:
    told = subprocess.run(["nats-server", "--version"], capture_output=True, text=True, check=True).stdout.split()
    cores, python = os.cpu_count(), platform.python_version()
    return f"{datetime.now(UTC):%B %Y}, {cores} cores of a virtual machine, Python {python}, nats-server {told[-1]}"


def page(text: str, where: str, figures: Figures) -> str:
    """The page with its block as the figures have it; as it was while some were never measured."""
    if not figures.keys() >= PARTS:
        return text
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}{_table(where, figures)}\n{_million(figures)}{END}{after}"


def _table(where: str, figures: Figures) -> str:
    one, many, bare = figures["one call"], figures["64 calls"], figures["bare bytes"]
    idle, came, back, listed = figures["idle"], figures["arrivals"], figures["broker back"], figures["list"]
    loads = sorted(part["load"] for part in figures.values())
    rows = (
        ("a call on one replica, 64 under way", f"{many['same']:.0f} µs of processor time"),
        (
            "the same between two replicas",
            f"{many['cross']:.0f} µs on both together ({many['ratio']:.1f} times),"
            f" and {many['broker']:.0f} µs on the broker",
        ),
        (
            "one call at a time",
            f"{one['cross']:.0f} µs instead of {one['same']:.0f} ({one['ratio']:.1f} times), and"
            f" {one['broker']:.0f} µs on the broker; {one['added_ms']:.2f} ms longer",
        ),
        (
            "two Python processes that only pass the bytes of one call at a time through NATS",
            f"{bare['two']:.0f} µs instead of {bare['one']:.0f} in one process ({bare['two'] / bare['one']:.1f} times),"
            f" and {bare['broker']:.0f} µs on the broker",
        ),
        (
            "an idle browser on a replica with a broker",
            f"{idle['kb']:.0f} KB ({PROMISED_KB} KB is promised), {idle['us_s']:.0f} µs a second;"
            f" {idle['broker_kb']:.1f} KB on the broker",
        ),
        (
            "arrivals",
            f"{came['browsers']:,.0f} browsers of as many users were in, and in the records, after"
            f" {came['seconds']:.0f} s: {_rate(came):.0f} a second; {came['replica_us']:.0f} µs each on the replica,"
            f" {came['broker_us']:.0f} on the broker",
        ),
        (
            "the broker comes back empty",
            f"{back['browsers']:,.0f} records are written again in {back['seconds']:.0f} s, {_rate(back):.0f} a second,"
            f" eight at a time for each replica: {back['replica_us']:.0f} µs each on the replica,"
            f" {back['broker_us']:.0f} on the broker",
        ),
        (
            f"`list_extensions` with {listed['browsers']:,.0f} browsers on the other replica",
            f"{listed['ms']:.0f} ms, {listed['kb']:.0f} KB",
        ),
    )
    measured = _wrapped(
        f"Measured by `bench.cluster` and `bench.cluster_presence` ({where}), both replicas, the broker and",
        f"the callers beside one another, at a load of {loads[0]:.0f} to {loads[-1]:.0f}:",
    )
    return "\n".join([measured, "", "| | |", "|---|---|", *(f"| {what} | {cost} |" for what, cost in rows)]) + "\n"


def _million(figures: Figures) -> str:
    """What follows for a million browsers, of which one in a hundred is driven at one call a second."""
    one, many, idle, came, back = (
        figures[part] for part in ("one call", "64 calls", "idle", "arrivals", "broker back")
    )
    replicas = BROWSERS // EACH_REPLICA
    away = CALLS_S * (replicas - 1) / replicas
    cores, dear = away * many["cross"] / 1e6, away * one["cross"] / 1e6
    writes = BROWSERS / KEEP_ALIVE_S
    frames = CALLS_S * 4
    lines = (
        _wrapped(
            "A **million browsers**, of which one in a hundred is driven at one call a second, which makes",
            f"{CALLS_S:,} calls a second:\n",
        ),
        _wrapped(
            f"- *Replicas*: {EACH_REPLICA:,} each ({EACH_REPLICA * PROMISED_KB / 1000:.0f} MB at {PROMISED_KB} KB;",
            f"`LimitNOFILE` 65536) makes {replicas}, on a core and 1 GB each. At rest {EACH_REPLICA:,} browsers cost",
            f"{EACH_REPLICA * idle['us_s'] / 1e4:.0f} % of a core.",
        ),
        _wrapped(
            f"- *Calls*: spread evenly, {replicas - 1} of {replicas} go to another replica: {away:,.0f} ×",
            f"{many['cross']:.0f} µs = {cores:.1f} cores over all replicas, {cores / replicas:.1%} of each. At the",
            f"price of calls that come one at a time it were {dear:.1f} cores, {dear / replicas:.1%} of each.",
        ),
        _wrapped(
            f"- *Broker*: {2 * away:,.0f} messages a second in and as many out for calls, {replicas * replicas:,}",
            f"beats a second, {writes:.0f} writes a second that keep records from expiring (after an hour; written",
            f"every twenty minutes): {away * many['broker'] / 1e6:.2f} cores for the calls and",
            f"{writes * back['broker_us'] / 1e6:.2f} for the records; what beats take was not measured. Records:",
            f"a million at {idle['broker_kb']:.1f} KB; give `max_memory_store` {BROKER_GB} GB. {BROKERS} servers, so",
            "that one may go.",
        ),
        _wrapped(
            f"- *A replica restarts*: {EACH_REPLICA:,} browsers leave within {LEAVING_S} s,",
            f"{EACH_REPLICA / LEAVING_S / (replicas - 1):.0f} a second arrive at each of the other {replicas - 1}.",
        ),
        _wrapped(
            f"- *Everything restarts*: at the measured {_rate(came):.0f} arrivals a second and replica,",
            f"{EACH_REPLICA:,} each are back in {EACH_REPLICA / _rate(came):.0f} s, if each has a core and the broker",
            f"keeps up with {replicas * _rate(came):,.0f} records a second, which three servers were not tried with.",
        ),
        _wrapped(
            f"- *Front*: haproxy at an assumed {FRAME_US} µs a frame passed on needs",
            f"{frames * FRAME_US / 1e6:.1f} cores for {frames:,} frames a second; its memory for a million TLS sockets",
            "was not measured here.\n",
        ),
        _wrapped(
            f"In all {replicas + BROKERS} cores and {replicas + BROKERS * BROKER_GB} GB besides the front. The first",
            "limit met is memory for sockets, not calls and not the broker.",
        ),
    )
    return "\n".join(lines) + "\n"


def _wrapped(*parts: str) -> str:
    end = "\n" if parts[-1].endswith("\n") else ""
    told = " ".join(parts)
    return fill(told, 120, subsequent_indent="  " if told.startswith("- ") else "", break_on_hyphens=False) + end


def _rate(part: Mapping[str, float]) -> float:
    return part["browsers"] / part["seconds"]


if __name__ == "__main__":
    write()
    sys.exit(0)
