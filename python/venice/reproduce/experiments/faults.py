"""Links that fail: which drives stay whole under each routing, and what latency costs.

Links are drawn at random, the first of a draw before the second, so that more failures contain
those of fewer. A drive some of whose chips nobody reaches any more is refused before the run; how
many chips that are, the refusal says.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, NamedTuple

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments.operating import EVEN
from venice.reproduce.experiments.suite import mean_ratio, ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_SIDE = 8
_COUNTS = (0, 1, 2, 4, 8, 16)
_DRAWS = 8
_MIDWAY_US = 1000.0
_LOST = re.compile(r"(\d+) of \d+ chips cannot be reached")


class _Design(NamedTuple):
    name: str
    fabric: str
    sets: tuple[str, ...]


_DESIGNS = (
    _Design("Venice, Algorithm 1", "venice", ()),
    _Design("Venice, minimal adaptive", "venice", ("fabric.venice.routing=minimal_adaptive",)),
    _Design("Venice, dimension order", "venice", ("fabric.venice.routing=dimension_order",)),
    _Design("Venice, Algorithm 1, home", "venice", ("fabric.venice.controller=home",)),
    _Design("NoSSD, X then Y", "nossd", ()),
)
_WHENS = {"from the start": 0.0, "after 1 ms": _MIDWAY_US}
_COLUMNS = (
    "design", "when", "failed_links", "draw", "chips_lost", "mean_us", "p99_us",
    "mean_over_unbroken", "mean_detour_hops",
)  # fmt: skip


def links(draw: int) -> list[list[int]]:
    """Give every link of the array, as the configuration names them, in an order of this draw."""
    across = [[r, c, r, c + 1] for r in range(_SIDE) for c in range(_SIDE - 1)]
    along = [[r, c, r + 1, c] for r in range(_SIDE - 1) for c in range(_SIDE)]
    chance = random.Random(draw)  # noqa: S311 not for secrets
    # Of all its methods only random() is promised to stay the same in other versions of Python.
    return sorted(across + along, key=lambda _link: chance.random())


def _points(size: Size) -> Sequence[Point]:
    return [
        EVEN.point(
            {
                "design": design.name,
                "fabric": design.fabric,
                "when": when,
                "count": count,
                "draw": draw,
            },
            (
                *design.sets,
                f"fabric.mesh.failed_links={links(draw)[:count]}",
                f"fabric.mesh.fail_at_us={at_us}",
            ),
            size,
        )
        for design in _DESIGNS
        for when, at_us in _WHENS.items()
        for count in _COUNTS
        for draw in size.some(range(_DRAWS))
    ]


def _choices(design: _Design, when: str, count: int, draw: int) -> dict[str, str | int]:
    return {
        "design": design.name,
        "fabric": design.fabric,
        "when": when,
        "count": count,
        "draw": draw,
        "load": EVEN.name,
    }


def _lost(runs: Runs, choices: dict[str, str | int]) -> int | None:
    if runs.find(**choices) is not None:
        return 0
    found = _LOST.search(runs.refusal(**choices) or "")
    return int(found[1]) if found else None


def _tell(runs: Runs, size: Size) -> Finding:
    rows = []
    for design in _DESIGNS:
        for when in _WHENS:
            for count in _COUNTS:
                for draw in size.some(range(_DRAWS)):
                    choices = _choices(design, when, count, draw)
                    unbroken = _choices(design, when, 0, draw)
                    mean = runs.figure("latency_us.all.mean", **choices)
                    rows.append([
                        design.name, when, count, draw,
                        _lost(runs, choices),
                        mean,
                        runs.figure("latency_us.all.p99", **choices),
                        ratio(mean, runs.figure("latency_us.all.mean", **unbroken)),
                        runs.figure("path.mean_detour_hops", **choices),
                    ])  # fmt: skip
    return Finding(_COLUMNS, rows, (), lambda: _draw(rows))


def _draw(rows: Sequence[Sequence[object]]) -> Figure:
    from venice.reproduce.draw import Panel, draw_lines, grid, label  # noqa: PLC0415 matplotlib is slow

    figure, axes = grid(1, 2, 5.0, 3.6)
    lost: dict[str, list[tuple[float, float]]] = {}
    cost: dict[str, list[tuple[float, float]]] = {}
    for design in _DESIGNS:
        lost[design.name], cost[design.name] = [], []
        for count in _COUNTS:
            ours = [row for row in rows if row[:3] == [design.name, "from the start", count]]
            counts = [row[4] for row in ours if isinstance(row[4], int)]
            ratios = [row[7] for row in ours if isinstance(row[7], float)]
            lost[design.name].append((count, sum(counts) / len(counts)))
            if len(ratios) == len(ours):
                cost[design.name].append((count, mean_ratio(ratios) or 1.0))
    draw_lines(axes[0][0], lost)
    label(axes[0][0], Panel("Chips lost", "failed links of 112", "chips of 64, mean of draws"))
    axes[0][0].legend(loc="upper left")
    draw_lines(axes[0][1], cost)
    label(axes[0][1], Panel("Cost where nothing is lost", "failed links", "mean latency, ×"))
    return figure


EXPERIMENT = Experiment(
    "faults", "venice", "Links that fail: chips lost and latency", "ours", _tell, _points
)
