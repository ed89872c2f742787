"""Throughput of every fabric against its number of failed parts.

A part is a channel, a row or column bus, a link of a ring, a link of a mesh, or a direct channel.
Failed parts are drawn at random in a fixed order, so that a larger number of failures includes the
smaller ones. The drive continues in degraded mode: unreachable chips are lost with their share of
the capacity, and the remaining chips are read with the same queue depth. A fabric's curve is the
throughput of its remaining paths.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from venice.papers.experiments.operating_points import Load
from venice.papers.experiments.unstated_settings import NO_HOST_LIMIT
from venice.papers.markdown import section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.sweep import Point

SIDE = 8
DRAWS = 30
COUNTS = (0, 1, 2, 4, 6)
AT_ONCE = "from the start"
LOAD = Load("4-KiB reads, 64 outstanding", "random-read", depth=64)
_LOW, _HIGH = 0.025, 0.975
_HEADROOM = 1.4
"""Ratio of the top of the axis to the highest curve, which leaves space for the legend."""


def mesh_links() -> list[list[int]]:
    """Return all links of the mesh, in the notation of the configuration."""
    across = [[r, c, r, c + 1] for r in range(SIDE) for c in range(SIDE - 1)]
    along = [[r, c, r + 1, c] for r in range(SIDE - 1) for c in range(SIDE)]
    return across + along


class Design(NamedTuple):
    """Fabric and its parts that may fail.

    Attributes
    ----------
    name
        Name in tables.
    fabric
        Name of the fabric.
    parts
        Parts that may fail: the key that lists failed parts, and the number of a part.
    sets
        Settings of the drive.
    """

    name: str
    fabric: str
    parts: tuple[tuple[str, tuple[int, ...]], ...] = ()
    sets: tuple[str, ...] = ()


def _parts(key: str, numbers: Sequence[Sequence[int]]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple((key, tuple(number)) for number in numbers)


_ROWS = [[row] for row in range(SIDE)]
_CHANNELS = _parts("fabric.faults.channels", _ROWS)
_BUSES = (
    *_parts("fabric.faults.row_buses", _ROWS),
    *_parts("fabric.faults.column_buses", _ROWS),
)
_RINGS = _parts(
    "fabric.faults.ring_links", [[row, link] for row in range(SIDE) for link in range(SIDE + 1)]
)
_DIRECT = _parts(
    "fabric.faults.chip_channels", [[row, column] for row in range(SIDE) for column in range(SIDE)]
)
_LINKS = _parts("fabric.mesh.failed_links", mesh_links())

DESIGNS = (
    Design("Baseline", "bus", _CHANNELS),
    Design("pSSD", "pssd", _CHANNELS),
    Design("pnSSD", "pnssd", _BUSES),
    Design("NoSSD", "nossd", _LINKS),
    Design("Venice", "venice", _LINKS),
    Design("ideal", "ideal", _DIRECT),
    Design("HLNAND", "hlnand", _RINGS),
    Design("HLNAND, links turn", "hlnand", _RINGS, ("fabric.hlnand.links_turn=true",)),
    Design("Decoupled SSD", "decoupled", _CHANNELS),
)


def failed(design: Design, draw: int, count: int) -> tuple[str, ...]:
    """Return settings of the drive with which the first `count` parts of a random draw fail.

    Examples
    --------
    >>> failed(DESIGNS[0], 0, 0)
    ()
    """
    chance = random.Random(draw)  # noqa: S311 not for secrets
    order = sorted(design.parts, key=lambda _part: chance.random())[:count]
    keys = sorted({key for key, _ in order})
    return tuple(f"{key}={[list(part) for known, part in order if known == key]}" for key in keys)


class Case(NamedTuple):
    """Drive with failed parts.

    Attributes
    ----------
    design
        Fabric with the parts that may fail.
    failed
        Number of failed parts.
    draw
        Index of the random order in which parts fail.
    when
        Time at which the parts fail.
    what
        Kind of the failed parts.
    """

    design: Design
    failed: int
    draw: int
    when: str = AT_ONCE
    what: str = "parts"

    @property
    def choices(self) -> dict[str, str | int]:
        """Choices that identify the drive among the runs of a load."""
        return {
            "design": self.design.name,
            "fabric": self.design.fabric,
            "when": self.when,
            "what": self.what,
            "count": self.failed,
            "draw": self.draw,
        }


def cases(size: Size) -> list[Case]:
    """Return all drives; all random draws share the drive without failures."""
    draws = size.some(range(DRAWS))
    return [
        Case(design, count, draw)
        for design in DESIGNS
        for count in COUNTS
        for draw in (draws if count else draws[:1])
    ]


def points(size: Size) -> list[Point]:
    """Return a run for each drive with failed parts."""
    degraded = "fabric.faults.degraded_mode=true"
    return [
        LOAD.point(
            case.choices,
            (
                NO_HOST_LIMIT,
                *case.design.sets,
                *failed(case.design, case.draw, case.failed),
                *((degraded,) if case.failed else ()),
            ),
            size,
        )
        for case in cases(size)
    ]


class Row(NamedTuple):
    """Result of one drive with failed parts."""

    design: str
    failed: int
    draw: int
    chips_lost: int | None
    mb_per_s: float | None


def rows(runs: Runs, size: Size) -> list[Row]:
    """Return the result of each drive with failed parts."""
    return [_row(runs, case) for case in cases(size)]


def _row(runs: Runs, case: Case) -> Row:
    choices = {**case.choices, "load": LOAD.name}
    report = runs.find(**choices)
    lost = None
    if report is not None:
        lost = len(report["faults"]["chips_lost"]) if case.failed else 0
    mb_per_s = runs.figure("bandwidth_mb_per_s", **choices)
    return Row(case.design.name, case.failed, case.draw, lost, mb_per_s)


class Band(NamedTuple):
    """Mean over the random draws, and the interval that contains the central 95 % of the values."""

    low: float
    mean: float
    high: float


def band(values: Sequence[float]) -> Band:
    """Return the mean and the central 95 % of some values.

    Examples
    --------
    >>> band([1.0, 2.0, 3.0])
    Band(low=1.0, mean=2.0, high=3.0)
    """
    ordered = sorted(values)
    last = len(ordered) - 1
    low, high = (ordered[round(share * last)] for share in (_LOW, _HIGH))
    return Band(low, sum(ordered) / len(ordered), high)


def _of(found: Sequence[Row], design: Design, count: int) -> list[Row]:
    return [row for row in found if row.design == design.name and row.failed == count]


def _cell(found: Sequence[Row], design: Design, count: int) -> str:
    ours = _of(found, design, count)
    speeds = [row.mb_per_s for row in ours if row.mb_per_s is not None]
    lost = [row.chips_lost for row in ours if row.chips_lost is not None]
    if not speeds:
        return "–"
    low, mean, high = band(speeds)
    return f"{mean:,.0f} ({low:,.0f} to {high:,.0f}), {sum(lost) / len(lost):.3g} lost"


def text(found: Sequence[Row]) -> str:
    """Return the results as a table in Markdown."""
    titles = ["failed parts", "of", "0", *(str(count) for count in COUNTS[1:])]
    lines = []
    for design in DESIGNS:
        whole = [row.mb_per_s for row in _of(found, design, 0) if row.mb_per_s is not None]
        first = f"{whole[0]:,.0f}" if whole else "–"
        cells = (_cell(found, design, count) for count in COUNTS[1:])
        lines.append([design.name, str(len(design.parts)), first, *cells])
    about = (
        "Mean MB/s over the draws, the middle 95 % of the draws in brackets, and mean chips lost "
        "of 64: 4-KiB reads of the remaining chips, 64 outstanding, no limit of the host link."
    )
    return section("Throughput against failed parts, every fabric", about, table(titles, lines))


def draw_speed(axes: Axes, found: Sequence[Row]) -> None:
    """Draw the throughput over the number of failed parts, with the range over random draws."""
    from venice.papers.draw import Panel, label  # noqa: PLC0415 matplotlib is slow

    for design in DESIGNS:
        counts, bands = [], []
        for count in COUNTS:
            speeds = [row.mb_per_s for row in _of(found, design, count) if row.mb_per_s is not None]
            if speeds:
                counts.append(count)
                bands.append(band(speeds))
        if not bands:
            continue
        (line,) = axes.plot(counts, [it.mean for it in bands], marker="o", label=design.name)
        low, high = [it.low for it in bands], [it.high for it in bands]
        axes.fill_between(counts, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.set_ylim(0.0, _HEADROOM * axes.get_ylim()[1])
    label(
        axes,
        Panel("Throughput of the remaining chips", "failed parts", "MB/s, mean and 95 % of draws"),
    )


def draw_lost(axes: Axes, found: Sequence[Row]) -> None:
    """Draw the number of lost chips over the number of failed parts."""
    from venice.papers.draw import Panel, draw_lines, label  # noqa: PLC0415 matplotlib is slow

    lines: dict[str, list[tuple[float, float]]] = {}
    for design in DESIGNS:
        lost = {
            count: [
                row.chips_lost for row in _of(found, design, count) if row.chips_lost is not None
            ]
            for count in COUNTS
        }
        lines[design.name] = [
            (count, sum(chips) / len(chips)) for count, chips in lost.items() if chips
        ]
    draw_lines(axes, lines)
    label(axes, Panel("Chips lost", "failed parts", "chips of 64, mean of draws"))
