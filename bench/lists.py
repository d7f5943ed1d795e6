"""What a list of tools costs before anything is done: tokens of names, descriptions and schemas."""

import json
from pathlib import Path
from typing import Final

from bench import tokens
from bench.records import Record
from bench.servers import ADAPTERS, Adapter, Tabwright
from bench.session import Session

PART: Final = "lists"
BEFORE, ALL, PEER, COUNT = "before connecting", "all tools, stable list", "default list", "number of tools"
EVERY: Final = "focus,automation,hub"


def measure(folder: Path) -> list[Record]:
    listed = {
        (BEFORE, "tabwright"): _listed(Tabwright(()), folder / "lists-before"),
        (ALL, "tabwright"): _listed(Tabwright(("--list", "stable", "--toolsets", EVERY)), folder / "lists-all"),
        **{(PEER, each.name): _listed(each, folder / f"lists-{each.name}") for each in ADAPTERS[1:]},
    }
    counted = tokens.count([text for text, _ in listed.values()])
    records = [Record(PART, row, name, each, "tokens") for (row, name), each in zip(listed, counted, strict=True)]
    return records + [
        Record(PART, f"{COUNT}, {row}", name, number, "tools") for (row, name), (_, number) in listed.items()
    ]


def _listed(adapter: Adapter, folder: Path) -> tuple[str, int]:
    """What a model is given of each: name, description, schema."""
    with Session(adapter, folder) as session:
        tools = session.driver.tools()
    given = [{key: tool[key] for key in ("name", "description", "inputSchema") if key in tool} for tool in tools]
    return json.dumps(given, ensure_ascii=False, separators=(",", ":")), len(tools)
