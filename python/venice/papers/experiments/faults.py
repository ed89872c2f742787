"""Failed links and routers: the share of drives that stay connected with each routing, and latency.

Failures are drawn at random, in sequence, so that a larger number includes the smaller ones. A
drive with unreachable chips is refused before the run, with their number. The chip of a failed
router must hold no data. Routers are therefore drawn from the first two columns, and the data is on
the other six: a failed router of the first column disconnects its controller, one of the second
column blocks all straight paths to its row.

The second part covers every fabric with failed parts in degraded mode (`failed_parts`).
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, NamedTuple

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import failed_parts
from venice.papers.experiments.failed_parts import AT_ONCE, Case, Design
from venice.papers.experiments.operating_points import EVEN
from venice.papers.experiments.suite import mean_ratio, ratio
from venice.papers.experiments.unstated_settings import RETRACE, X_THEN_Y
from venice.papers.markdown import section, table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.sweep import Point

_SIDE = failed_parts.SIDE
_EMPTY_COLUMNS = 2
_DRAWS = 8
_MIDWAY_US = 1000.0
_LOST = re.compile(r"(\d+) of \d+ chips are unreachable")


_DESIGNS = (
    Design("Venice, Algorithm 1", "venice", sets=()),
    Design("Venice, minimal adaptive", "venice", sets=("fabric.venice.routing=minimal_adaptive",)),
    Design("Venice, dimension order", "venice", sets=("fabric.venice.routing=dimension_order",)),
    Design("Venice, Algorithm 1, home", "venice", sets=("fabric.venice.controller=home",)),
    Design("NoSSD, X then Y", "nossd", sets=(X_THEN_Y,)),
    Design("NoSSD, retrace", "nossd", sets=(RETRACE,)),
)
_WHENS = {AT_ONCE: 0.0, "after 1 ms": _MIDWAY_US}
_COLUMNS = (
    "design", "when", "what", "failed", "draw", "chips_lost", "mean_us", "p99_us",
    "mean_over_unbroken", "mean_detour_hops", "bandwidth_mb_per_s",
)  # fmt: skip


def links(draw: int) -> list[list[int]]:
    """Return all links of the mesh, as in a configuration, in the order of a random draw."""
    chance = random.Random(draw)  # noqa: S311 not for secrets
    # Python guarantees the same results in other versions only for `random()`.
    return sorted(failed_parts.mesh_links(), key=lambda _link: chance.random())


def routers(draw: int) -> list[list[int]]:
    """Return the routers of the columns without data, in the random order of a draw."""
    chance = random.Random(draw)  # noqa: S311 not for secrets
    places = [[row, column] for row in range(_SIDE) for column in range(_EMPTY_COLUMNS)]
    return sorted(places, key=lambda _place: chance.random())


class _Kind(NamedTuple):
    """Kind of failing part: a link or a router.

    Attributes
    ----------
    name
        Name in the table.
    key
        Parameter that lists the failed parts.
    counts
        Numbers of failed parts to simulate.
    order
        Function that returns all parts, in the order of a draw.
    of
        Total number of parts.
    chips
        Number of chips with data.
    sets
        Settings of every drive.
    """

    name: str
    key: str
    counts: tuple[int, ...]
    order: Callable[[int], list[list[int]]]
    of: str
    chips: int
    sets: tuple[str, ...] = ()


_WAYS = f"partition.ways=[{list(range(_EMPTY_COLUMNS, _SIDE))}]"
_KINDS = {
    kind.name: kind
    for kind in (
        _Kind(
            "links", "fabric.mesh.failed_links", (0, 1, 2, 4, 8, 16), links, "112", _SIDE * _SIDE
        ),
        _Kind(
            "routers",
            "fabric.mesh.failed_routers",
            (0, 1, 2, 3, 4),
            routers,
            f"{_SIDE * _EMPTY_COLUMNS} in columns 0 and 1",
            _SIDE * (_SIDE - _EMPTY_COLUMNS),
            (_WAYS,),
        ),
    )
}


def _sets(case: Case) -> tuple[str, ...]:
    """Return the settings of a drive with failed parts."""
    kind = _KINDS[case.what]
    return (
        *case.design.sets,
        *kind.sets,
        f"{kind.key}={kind.order(case.draw)[: case.failed]}",
        f"fabric.mesh.fail_at_us={_WHENS[case.when]}",
    )


def _cases(size: Size) -> list[Case]:
    return [
        Case(design, count, draw, when, kind.name)
        for kind in _KINDS.values()
        for design in _DESIGNS
        for when in _WHENS
        for count in kind.counts
        for draw in size.some(range(_DRAWS))
    ]


def _points(size: Size) -> Sequence[Point]:
    meshes = [EVEN.point(case.choices, _sets(case), size) for case in _cases(size)]
    return [*meshes, *failed_parts.points(size)]


def _lost(runs: Runs, choices: dict[str, str | int]) -> int | None:
    if runs.find(**choices) is not None:
        return 0
    return chips_lost(runs.refusal(**choices) or "")


def chips_lost(refusal: str) -> int | None:
    """Return the number of chips that the refusal of a drive states as unreachable."""
    found = _LOST.search(refusal)
    return int(found[1]) if found else None


def _row(runs: Runs, case: Case) -> list[object]:
    choices = {**case.choices, "load": EVEN.name}
    mean, unbroken = (
        runs.figure("latency_us.all.mean", **{**choices, "count": count})
        for count in (case.failed, 0)
    )
    return [
        case.design.name,
        case.when,
        case.what,
        case.failed,
        case.draw,
        _lost(runs, choices),
        mean,
        runs.figure("latency_us.all.p99", **choices),
        ratio(mean, unbroken),
        runs.figure("path.mean_detour_hops", **choices),
        runs.figure("bandwidth_mb_per_s", **choices),
    ]


def _evaluate(runs: Runs, size: Size) -> Finding:
    rows = [_row(runs, case) for case in _cases(size)]
    parts = failed_parts.rows(runs, size)
    refusals = [
        [
            it.design,
            AT_ONCE,
            "parts",
            it.failed,
            it.draw,
            it.chips_lost,
            *[None] * 4,
            it.mb_per_s,
        ]
        for it in parts
    ]
    text = _text(rows) + "\n" + failed_parts.text(parts)
    return Finding(_COLUMNS, [*rows, *refusals], (), lambda: _draw(rows, parts), text)


def _text(rows: Sequence[Sequence[object]]) -> str:
    parts = []
    for kind in _KINDS.values():
        titles = [f"failed {kind.name} of {kind.of}", *(str(count) for count in kind.counts[1:])]
        cells = (
            [design.name, *(_case(rows, design, kind, count) for count in kind.counts[1:])]
            for design in _DESIGNS
        )
        parts.append(table(titles, cells))
    about = "Mean chips lost over the draws, and mean latency relative to the intact mesh."
    return section("Links and routers that fail", about, *parts)


def _case(rows: Sequence[Sequence[object]], design: Design, kind: _Kind, count: int) -> str:
    ours = [row for row in rows if row[:4] == [design.name, AT_ONCE, kind.name, count]]
    lost = [row[5] for row in ours if isinstance(row[5], int)]
    ratios = [row[8] for row in ours if isinstance(row[8], float)]
    cost = f", × {mean_ratio(ratios) or 1.0:.3f}" if ratios else ""
    return f"{sum(lost) / len(lost):.3g} lost{cost}" if lost else "–"


def _draw(rows: Sequence[Sequence[object]], parts: Sequence[failed_parts.Row]) -> Figure:
    from venice.papers.draw import grid  # noqa: PLC0415 matplotlib is slow

    figure, axes = grid(len(_KINDS) + 1, 2, 5.0, 3.6)
    for spaces, kind in zip(axes, _KINDS.values(), strict=False):
        _draw_kind(spaces, kind, rows)
    axes[0][0].legend(loc="upper left")
    failed_parts.draw_speed(axes[-1][0], parts)
    failed_parts.draw_lost(axes[-1][1], parts)
    axes[-1][0].legend(loc="upper left", fontsize="x-small", ncols=2)
    return figure


def _draw_kind(spaces: Sequence[Axes], kind: _Kind, rows: Sequence[Sequence[object]]) -> None:
    from venice.papers.draw import Panel, draw_lines, label  # noqa: PLC0415 matplotlib is slow

    lost: dict[str, list[tuple[float, float]]] = {}
    cost: dict[str, list[tuple[float, float]]] = {}
    for design in _DESIGNS:
        lost[design.name], cost[design.name] = [], []
        for count in kind.counts:
            case = [design.name, AT_ONCE, kind.name, count]
            ours = [row for row in rows if row[:4] == case]
            counts = [row[5] for row in ours if isinstance(row[5], int)]
            ratios = [row[8] for row in ours if isinstance(row[8], float)]
            lost[design.name].append((count, sum(counts) / len(counts)))
            if len(ratios) == len(ours):
                cost[design.name].append((count, mean_ratio(ratios) or 1.0))
    failed = f"failed {kind.name} of {kind.of}"
    draw_lines(spaces[0], lost)
    label(spaces[0], Panel("Chips lost", failed, f"chips of {kind.chips}, mean of draws"))
    draw_lines(spaces[1], cost)
    label(spaces[1], Panel("Cost where nothing is lost", failed, "mean latency, ×"))


EXPERIMENT = Experiment(
    "faults",
    "venice",
    "Links and routers that fail: chips lost and latency",
    "ours",
    _evaluate,
    _points,
)
