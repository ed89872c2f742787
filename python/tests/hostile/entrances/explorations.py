"""Exploration files: hostile ranges, objectives, constraints and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..case import Case
from .sweeps import file_of

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_EXPLORE = """[scenario]
workload = "random-read"
requests = 20
sets = ["array.rows=2", "array.cols=2"]
[[axis]]
fabric = ["bus", "ideal"]
[[axis]]
"host.queue_depth" = { from = 4, to = 512, log = true }
[[objective]]
figure = "latency_us.all.p99"
goal = "min"
[[constraint]]
figure = "latency_us.read.p99"
at_most = 450
[search]
runs = 4
seed = 1
"""


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw an exploration's file."""
    content, is_escape = file_of(draw, _EXPLORE)
    words = ("explore", "mine.toml", "--workers", "1", "--runs", "4", "--json", "out.json")
    stores = ("out",) if not is_escape else ()
    return Case(
        words, {"mine.toml": content}, outputs=("out.json",), stores=stores, must_fail=is_escape
    )
