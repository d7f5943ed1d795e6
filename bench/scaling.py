"""What proxies cost as connections and replicas become more: points kept as JSON, and their plots."""

import json
from collections.abc import Mapping
from typing import Final

from bench import plots
from bench.serving import ROOT

KEPT: Final = ROOT / "build" / "scaling.json"
IMAGES: Final = ROOT / "docs" / "images"
Points = Mapping[str, Mapping[str, float]]
"""By step (`64 idle`), then by what was measured there."""


def keep(name: str, points: Points) -> None:
    """The points of one plot, in the place of those of an earlier run."""
    known: dict[str, Points] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_text(json.dumps({**known, name: points}, indent=1) + "\n")


def draw(name: str, title: str, unit: str, points: Points) -> None:
    """docs/images/scaling-NAME.svg, all steps on one scale."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    (IMAGES / f"scaling-{name}.svg").write_text(plots.bars(title, unit, points, one_scale=True))
