"""Gain against the amount of wire: each design with several amounts of wire, under seven loads.

The paper compares a Venice that has 44 % less wire than Baseline. With links of 14 bits, Venice has
0.98 of Baseline's wire. pSSD and pnSSD have Baseline's wires and also use the control pins for
data.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import suite, wires
from venice.papers.experiments.bounds import placement
from venice.papers.experiments.designs import BEST, LETTER
from venice.papers.experiments.study import is_saturated, seeds_of
from venice.papers.experiments.unstated_settings import (
    FREE_BUS,
    HOME,
    NO_HOST_LIMIT,
    POOLED,
    RETRACE,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.experiments.wires import WiredDesign
    from venice.papers.size import Size
    from venice.sweep import Point

_BUDGETS_BITS = (4, 8, 12, 16)
"""Widths of channels [bits]: 0.5, 1, 1.5 and 2 times Baseline's wires."""
_LINKS_BITS = (7, 8, 14, 21, 28)
"""Widths of Venice's links [bits]: 0.49, 0.56, 0.98, 1.47 and 1.96 times Baseline's wires."""
_LANES_BITS = (4, 7, 8, 14)
"""Widths of NoSSD's lanes [bits], two per link: 0.56, 0.98, 1.12 and 1.96 times Baseline's wires.
"""

DESIGNS = (
    *(wires.bus("Baseline", "bus", bits) for bits in _BUDGETS_BITS),
    *(wires.bus("pSSD", "pssd", bits) for bits in _BUDGETS_BITS),
    *(wires.bus("pnSSD", "pnssd", bits, FREE_BUS) for bits in _BUDGETS_BITS),
    *(wires.nossd("NoSSD, home", bits, (HOME,)) for bits in _LANES_BITS),
    *(wires.nossd("NoSSD, retrace", bits, (POOLED, RETRACE)) for bits in _LANES_BITS),
    *(wires.venice("Venice", bits, LETTER.sets) for bits in (8, 14)),
    *(wires.venice(BEST.title, bits, BEST.sets) for bits in _LINKS_BITS),
    wires.ideal(),
)
_MINIMAL = "fabric.venice.routing=minimal_adaptive"
_EXHAUSTIVE = "fabric.venice.routing=exhaustive"
_FREE_SCOUTS = "fabric.venice.scout_takes_time=false"
FURTHER = (
    wires.venice("minimal paths", 14, (*BEST.sets, _MINIMAL)),
    wires.venice("scouts take no time", 14, (*BEST.sets, _FREE_SCOUTS)),
    wires.venice("shortest free path", 14, (*BEST.sets, _EXHAUSTIVE)),
    wires.venice("16 controllers, 16x4", 14, BEST.sets, rows=16),
    wires.venice("16 controllers, 16x4", 28, BEST.sets, rows=16),
)
"""Settings that bring the mesh closer to the ideal fabric."""


def _joined(title: str, bits: int, ports: str, circuits: int, column_0_links: int) -> WiredDesign:
    joined = wires.MeshAttachment(ports, circuits, column_0_links)
    return wires.venice(title, bits, BEST.sets, joined=joined)


JOINED = (
    _joined("column 0 doubled", 13, "one", 1, 2),
    _joined("two circuits", 13, "two", 2, 1),
    _joined("two circuits, column 0 doubled", 12, "two", 2, 2),
    _joined("both sides, two circuits", 9, "both_sides", 2, 1),
    _joined("column 0 doubled", 14, "one", 1, 2),
    _joined("two circuits", 14, "two", 2, 1),
    _joined("two circuits, column 0 doubled", 14, "two", 2, 2),
    _joined("both sides, one circuit", 14, "both_sides", 1, 1),
    _joined("both sides, two circuits", 14, "both_sides", 2, 1),
    _joined("both sides, two circuits", 28, "both_sides", 2, 1),
)
"""Variants with additional controller ports: the first four have at most Baseline's amount of wire,
the others have links of 14 bits as in `venice-equal-wires`, or of 28 bits."""
_BASELINE = DESIGNS[1]
EQUAL = (
    "Baseline, 8 bits", "pSSD, 8 bits", "pnSSD, 8 bits", "NoSSD, home, 7 bits",
    "NoSSD, retrace, 7 bits", "Venice, 14 bits", f"{BEST.title}, 14 bits", "ideal",
)  # fmt: skip
"""Designs with at most Baseline's amount of wire, and the ideal fabric as upper bound."""
_COMMANDS_FIRST = tuple(
    wired for wired in (*DESIGNS, *JOINED) if wired.design.name in EQUAL or wired is JOINED[3]
)
"""Designs that send commands before waiting data, which is the default of drives."""
DATA_FIRST = tuple(map(wires.data_first, _COMMANDS_FIRST))
EVERY = (*DESIGNS, *FURTHER, *JOINED, *DATA_FIRST)


class Load(NamedTuple):
    """Workload, and number of channels on which its data is placed."""

    name: str
    workload: str
    depth: int | None = None
    rate_gb_per_s: float | None = None
    channels: int = 8
    sets: tuple[str, ...] = ()


LOADS = (
    Load("4 KiB, 16 outstanding", "poisson-read-4k", depth=16),
    Load("16 KiB, 64 outstanding", "poisson-read-16k", depth=64),
    Load(
        "16 KiB, 64, no host limit",
        "poisson-read-16k",
        depth=64,
        sets=(NO_HOST_LIMIT,),
    ),
    Load("Poisson 4 KiB, 3 GB/s", "poisson-read-4k", rate_gb_per_s=3.0),
    Load("Poisson 4 KiB, 6 GB/s", "poisson-read-4k", rate_gb_per_s=6.0),
    Load("strided, 16 outstanding", "strided-read"),
    Load("16 KiB, 64, on 2 channels", "poisson-read-16k", depth=64, channels=2),
)
_MEAN, _P99 = "latency_us.all.mean", "latency_us.all.p99"
_COLUMNS = (
    "load", "design", "family", "wires_in_baselines", "pins_beside_a_chip", "controller_pins",
    "routers_mm2", "path_mw", "bandwidth_mb_per_s", "mean_us", "p99_us", "mean_gain", "lowest",
    "highest", "p99_gain", "is_saturated", "is_on_front_of_wires", "is_on_front_of_pins",
)  # fmt: skip


def point(load: Load, wired: WiredDesign, size: Size, seed: int) -> Point:
    """Return the run of a design with a given amount of wire under a load."""
    design = wired.design
    # The data is on equally many chips: two of eight rows correspond to four of sixteen.
    rows = 16 if "array.rows=16" in design.sets else 8
    held = placement(load.channels * rows // 8) if load.channels < 8 else ()  # noqa: PLR2004 all
    return suite.point(
        {"load": load.name, "design": design.name, "seed": seed},
        workload=load.workload,
        fabric=design.fabric,
        requests=2 * size.requests,
        closed_loop=load.depth,
        rate_scale=load.rate_gb_per_s,
        seed=seed,
        sets=(*design.sets, *held, *load.sets),
    )


def _points(size: Size) -> Sequence[Point]:
    return [
        point(load, wired, size, seed)
        for load in size.some(LOADS)
        for wired in EVERY
        for seed in seeds_of(size)
    ]


class Gain(NamedTuple):
    """Ratio of Baseline's latency to a design's: mean over the seeds, minimum and maximum."""

    value: float
    lowest: float
    highest: float


def _gain(
    runs: Runs, load: str, wired: WiredDesign, seeds: Sequence[int], metric: str
) -> Gain | None:
    """Return the ratio of Baseline's latency to a design's; ``None`` if a run is saturated."""
    ratios = []
    for seed in seeds:
        pair = [
            runs.find(load=load, design=name, seed=seed)
            for name in (_BASELINE.design.name, wired.design.name)
        ]
        if any(report is None or is_saturated(report) for report in pair):
            return None
        top, bottom = (
            runs.figure(metric, load=load, design=name, seed=seed)
            for name in (_BASELINE.design.name, wired.design.name)
        )
        ratio = suite.ratio(top, bottom)
        if ratio is not None:
            ratios.append(ratio)
    middle = suite.mean(ratios)
    return None if middle is None else Gain(middle, min(ratios), max(ratios))


def front(costs: Mapping[str, float], gains: Mapping[str, float]) -> set[str]:
    """Return the names on the Pareto front of high gain and low cost.

    Examples
    --------
    >>> sorted(front({"a": 1, "b": 2, "c": 2}, {"a": 1.0, "b": 1.5, "c": 1.2}))
    ['a', 'b']
    """
    return {
        name
        for name, gain in gains.items()
        if not any(
            other != name
            and costs[other] <= costs[name]
            and gains[other] >= gain
            and (costs[other] < costs[name] or gains[other] > gain)
            for other in gains
        )
    }


def _rows_of(
    runs: Runs, load: str, every: Sequence[WiredDesign], seeds: Sequence[int]
) -> Iterator[list[Any]]:
    gains = {wired.design.name: _gain(runs, load, wired, seeds, _MEAN) for wired in every}
    known = {name: gain.value for name, gain in gains.items() if gain}
    of_wires = front({wired.design.name: wired.wires for wired in every}, known)
    of_pins = front({wired.design.name: wired.pins for wired in every}, known)
    for wired in every:
        name = wired.design.name
        report = runs.find(load=load, design=name, seed=seeds[0])
        if report is None:
            continue
        tail = _gain(runs, load, wired, seeds, _P99)
        yield [
            load, name, wired.family, wired.wires, wired.pins, wired.controller_pins,
            report.area["routers_mm2"], report.energy_paper["path_mw"], report.bandwidth_mb_per_s,
            report.latency_us.all.mean, report.latency_us.all.p99,
            *(gains[name] or (None, None, None)), tail.value if tail else None,
            is_saturated(report), name in of_wires, name in of_pins,
        ]  # fmt: skip


def _evaluate(runs: Runs, size: Size) -> Finding:
    seeds = seeds_of(size)
    rows = [row for load in size.some(LOADS) for row in _rows_of(runs, load.name, EVERY, seeds)]
    return Finding(_COLUMNS, rows, draw=lambda: _draw(runs, size), text=_text(runs, size))


def _text(runs: Runs, size: Size) -> str:
    shown = [wired for wired in (*DESIGNS, *FURTHER) if _is_in_table(wired)]
    names = " | ".join(f"{wired.design.title}" for wired in shown)
    costs = " | ".join(
        f"{wired.wires:.2f} / {wired.pins} / {wired.controller_pins}" for wired in shown
    )
    lines = [
        "## Equal wires: mean / p99 latency, × better than Baseline",
        "",
        "The first row is the cost: wire, relative to Baseline / pins beside a chip, with the",
        "router's / pins of the controller. – marks a saturated open loop.",
        "",
        f"| load | {names} |",
        f"| --- |{' ---: |' * len(shown)}",
        f"| *wire / pins / controller's pins* | {costs} |",
    ]
    for load in size.some(LOADS):
        cells = " | ".join(_cell(runs, load.name, wired, seeds_of(size)) for wired in shown)
        lines.append(f"| {load.name} | {cells} |")
    named = {wired.design.name: wired for wired in EVERY}
    ends = (named[EQUAL[6]], named["ideal"])
    lines += ["", "## Controllers joined in other ways: mean / p99 latency, × better", ""]
    lines += _by_design(runs, size, (ends[0], *JOINED, ends[1]))
    lines += ["", "## Commands or data first: mean / p99 latency, × better than Baseline", ""]
    lines += ["Baseline sends commands first, as all designs do by default.", ""]
    pairs = zip(_COMMANDS_FIRST, DATA_FIRST, strict=True)
    lines += _by_design(runs, size, tuple(itertools.chain.from_iterable(pairs)))
    return "\n".join(lines) + "\n"


def _by_design(runs: Runs, size: Size, every: Sequence[WiredDesign]) -> Iterator[str]:
    """Yield the lines of a table with a row for each design, including its cost."""
    loads, seeds = size.some(LOADS), seeds_of(size)
    names = " | ".join(load.name for load in loads)
    yield (
        "| design | wire | pins beside a chip, at most | controller's pins | routers, mm² | mW | "
        f"{names} |"
    )
    yield f"| --- |{' ---: |' * (5 + len(loads))}"
    for wired in every:
        report = runs.find(load=loads[0].name, design=wired.design.name, seed=seeds[0])
        if report is None:
            continue
        cells = " | ".join(_cell(runs, load.name, wired, seeds) for load in loads)
        yield (
            f"| {wired.design.name} | {wired.wires:.2f} | {wired.pins} | {wired.controller_pins} | "
            f"{report.area['routers_mm2']:.0f} | {report.energy_paper['path_mw']:.2f} | {cells} |"
        )


def _is_in_table(wired: WiredDesign) -> bool:
    name = wired.design.name
    return (
        name in EQUAL[1:] or wired in FURTHER or name in (f"{BEST.title}, 8 bits", "Venice, 8 bits")
    )


def _cell(runs: Runs, load: str, wired: WiredDesign, seeds: Sequence[int]) -> str:
    gains = [_gain(runs, load, wired, seeds, metric) for metric in (_MEAN, _P99)]
    return " / ".join("–" if gain is None else f"{gain.value:.2f}" for gain in gains)


def _draw(runs: Runs, size: Size) -> Figure:
    from venice.papers.draw import Panel, grid, label, legend_below  # noqa: PLC0415 matplotlib

    loads = size.some(LOADS)
    down = -(-(len(loads) + 1) // 2)
    figure, axes = grid(down, 2, 5.4, 3.3)
    spaces = [space for row in axes for space in row]
    seeds = seeds_of(size)
    for space, load in zip(spaces, loads, strict=False):
        _draw_load(space, runs, load.name, seeds, "wires")
        label(space, Panel(load.name, "wire, in Baselines", "mean latency, × better"))
    last = spaces[len(loads)]
    _draw_load(last, runs, loads[0].name, seeds, "pins")
    label(last, Panel(f"{loads[0].name}: by pins", "pins beside a chip", "mean latency, × better"))
    for space in spaces[len(loads) + 1 :]:
        space.set_visible(False)
    legend_below(figure, spaces[0])
    return figure


def _draw_load(space: Axes, runs: Runs, load: str, seeds: Sequence[int], cost: str) -> None:
    from venice.papers.draw import draw_lines  # noqa: PLC0415 matplotlib is slow

    lines: dict[str, list[tuple[float, float]]] = {}
    for wired in DESIGNS:
        gain = _gain(runs, load, wired, seeds, _MEAN)
        if wired.family == "ideal":
            if gain:
                space.axhline(gain.value, color="black", linestyle=":", linewidth=1)
            continue
        lines.setdefault(wired.family, [])
        if gain:
            lines[wired.family].append((getattr(wired, cost), gain.value))
    draw_lines(space, lines)
    space.axhline(1, color="black", linewidth=0.8)


EXPERIMENT = Experiment(
    "equal-wires", "venice", "Gain against wire and pins, seven loads", "ours", _evaluate, _points
)
