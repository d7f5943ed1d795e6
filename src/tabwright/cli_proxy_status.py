"""`tabwright proxy status`, for people and for programs."""

import asyncio
import json
import sys

from rich import box
from rich.console import Console
from rich.table import Table

from tabwright.edges.proxy.status import metrics, replicas
from tabwright.proxy.cluster_wire import Beat
from tabwright.proxy_settings import ProxySettings

out = Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 120)


def show_replicas(settings: ProxySettings, *, as_json: bool) -> None:
    """Raises:
    NoStatus: nobody answers.
    """
    found = asyncio.run(replicas(settings))
    if as_json:
        _print_json([_row(beat) for beat in found])
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("replica")
    table.add_column("host")
    table.add_column("version")
    for name in ("up", "extensions", "clients", "under way", "calls/s"):
        table.add_column(name, justify="right")
    for beat in found:
        table.add_row(
            beat.replica,
            beat.host,
            beat.version,
            _since(beat.up_s),
            f"{beat.extensions:,}",
            f"{beat.clients:,}",
            f"{beat.pending:,}",
            f"{beat.calls_s:,.1f}",
        )
    if len(found) > 1:
        table.add_section()
        table.add_row(
            f"{len(found)} replicas",
            "",
            "",
            "",
            f"{sum(beat.extensions for beat in found):,}",
            f"{sum(beat.clients for beat in found):,}",
            f"{sum(beat.pending for beat in found):,}",
            f"{sum(beat.calls_s for beat in found):,.1f}",
        )
    out.print(table)
    if len({beat.revocations for beat in found}) > 1:
        out.print("The replicas do not agree on revoked tokens yet; they will within two seconds.")


def show_one(port: int, *, as_json: bool) -> None:
    """Raises:
    NoStatus: nobody answers.
    """
    found = asyncio.run(metrics(port))
    if as_json:
        _print_json(found)
        return
    for label, name in (
        ("extensions", "extensions"),
        ("clients", "clients"),
        ("calls under way", "pending"),
        ("calls so far", "calls_total"),
        ("refused for their rate", "limited_total"),
    ):
        out.print(f"{label:24}{found.get(name, 0):,.0f}")


def _row(beat: Beat) -> dict[str, object]:
    return {
        "replica": beat.replica,
        "host": beat.host,
        "version": beat.version,
        "up_s": beat.up_s,
        "extensions": beat.extensions,
        "clients": beat.clients,
        "pending": beat.pending,
        "calls_s": beat.calls_s,
    }


def _since(seconds: int) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=2))  # noqa: T201 - for programs
