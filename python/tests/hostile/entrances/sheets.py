"""Hostile names and texts of the input, shown in pages, pictures and tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..case import Case
from ..material import SMALL
from ..values import PAGE_TEXTS

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_DRIVE = 'extends = "venice-performance"\nname = {name}\ndescription = {name}\n'
_LOAD = 'extends = "mixed-70-30"\nname = {name}\n'
_OUTPUTS = ("out.html", "out.svg", "out.png", "out.csv", "out.json")
_PAGES = (
    ("report", "sheet", "in.json", "-o", "out.html"),
    ("view", "in.json", "-o", "out.html"),
    ("plot", "in.json", "--kind", "bars", "-o", "out.svg", "--title"),
    ("plot", "in.json", "--kind", "cdf", "-o", "out.png", "--title"),
)


def draw(draw: Random, material: Material) -> Case:
    """Draw a name, and a page or picture that shows it."""
    name = draw.choice(PAGE_TEXTS)
    if draw.random() < 0.5:
        return _of_run(draw, name)
    report = json.loads(material.report)
    report["config"]["name"] = report["workload"]["name"] = name
    for queue in report["queues"]:
        queue["name"] = name
    words = draw.choice(_PAGES)
    title = (name,) if words[-1] == "--title" else ()
    return Case((*words, *title), {"in.json": json.dumps(report).encode()}, outputs=_OUTPUTS)


def _of_run(draw: Random, name: str) -> Case:
    quoted = json.dumps(name)
    files = {
        "drive.toml": _DRIVE.format(name=quoted).encode(),
        "load.toml": _LOAD.format(name=quoted).encode(),
    }
    words = ("run", *SMALL, "--drive", "drive.toml", "--workload", "load.toml", "--requests", "60")
    out = draw.choice(
        [("--view", "out.html", "--view-window", "none"), ("--interval", "3", "--plot", "out.svg")]
    )
    return Case((*words, *out), files, outputs=_OUTPUTS)
