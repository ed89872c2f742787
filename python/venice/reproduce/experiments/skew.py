"""Speed-up over the baseline as a map over load, channel skew and request size.

Reads of three sizes, with more or fewer of them outstanding, from data on all of the channels or
fewer; with the paper's host link and without it. Each of the paper's mean speed-ups is then looked
up: the point of the map that comes nearest to it is the regime in which it is found.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import suite
from venice.reproduce.experiments.bounds import HOSTS, placement
from venice.reproduce.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_DEPTHS = (1, 4, 16, 64, 256)
_CHANNELS = (8, 4, 2, 1)
_SIZES_KIB = (4, 16, 64)
_DRIVES = {suite.PERFORMANCE: "performance-optimised", suite.COST: "cost-optimised"}
_WAY = "latency_us.all.mean"
_FEWEST = 100


class _Statement(NamedTuple):
    """A mean of the paper: how a figure of one design relates to that of another."""

    text: str
    drive: str
    top: str
    bottom: str
    way: str
    paper: float
    unit: str
    section: str

    @property
    def ratio(self) -> float:
        return self.paper if self.unit == "×" else 1 + self.paper / 100

    def shown(self, ratio: float) -> float:
        return ratio if self.unit == "×" else (ratio - 1) * 100


def _speed_ups(
    drive: str, section: str, paper: Mapping[tuple[str, str], float]
) -> list[_Statement]:
    return [
        _Statement(
            f"{suite.TITLES[of]} over {suite.TITLES[over]}",
            drive, over, of, _WAY, value, "×", section,
        )
        for (of, over), value in paper.items()
    ]  # fmt: skip


def _changes(
    what: str, way: str, drive: str, section: str, paper: Mapping[str, float]
) -> list[_Statement]:
    return [
        _Statement(
            f"{what}, Venice against {suite.TITLES[rival]}",
            drive, "venice", rival, way, value, "%", section,
        )
        for rival, value in paper.items()
    ]  # fmt: skip


_IOPS = {"bus": 176.0, "pssd": 120.0, "pnssd": 113.0, "nossd": 102.0}
_IOPS_OF_COST = {"bus": 76.0, "pssd": 58.0, "pnssd": 61.0, "nossd": 51.0}
_ENERGY = {"bus": -61.0, "pssd": -54.0, "pnssd": -53.0, "nossd": -46.0}
_STATEMENTS = (
    *_speed_ups(
        suite.PERFORMANCE,
        "Figure 9(a)",
        {
            ("venice", "bus"): 2.65,
            ("venice", "pssd"): 2.10,
            ("venice", "pnssd"): 2.00,
            ("venice", "nossd"): 1.92,
        },
    ),
    *_speed_ups(
        suite.COST,
        "Figure 9(b)",
        {
            ("venice", "bus"): 1.67,
            ("venice", "pssd"): 1.52,
            ("venice", "pnssd"): 1.55,
            ("venice", "nossd"): 1.47,
        },
    ),
    *_speed_ups(
        suite.PERFORMANCE,
        "Figure 4",
        {
            ("pssd", "bus"): 1.27,
            ("pnssd", "bus"): 1.30,
            ("nossd", "bus"): 1.35,
            ("ideal", "bus"): 4.0,
        },
    ),
    *_changes("IOPS", "iops", suite.PERFORMANCE, "Figure 10(a)", _IOPS),
    *_changes("IOPS", "iops", suite.COST, "Figure 10(b)", _IOPS_OF_COST),
    *_changes(
        "energy (the paper's product)",
        "energy_paper.energy_uj",
        suite.PERFORMANCE,
        "Figure 14(b)",
        _ENERGY,
    ),
    *_changes(
        "energy (physical sum)", "energy_uj.total", suite.PERFORMANCE, "Figure 14(b)", _ENERGY
    ),
)


class _Place(NamedTuple):
    drive: str
    host: str
    kib: int
    channels: int
    depth: int

    @property
    def text(self) -> str:
        return (
            f"{self.kib}-KiB reads of data on {self.channels} of 8 channels, {self.depth} "
            f"outstanding, host link {self.host}"
        )


def _places(size: Size) -> list[_Place]:
    axes = (_DRIVES, HOSTS, size.some(_SIZES_KIB), _CHANNELS, size.some(_DEPTHS))
    return [_Place(*values) for values in itertools.product(*axes)]


def _points(size: Size) -> Sequence[Point]:
    return [
        suite.point(
            {**place._asdict(), "fabric": fabric},
            drive=place.drive,
            workload=f"poisson-read-{place.kib}k",
            closed_loop=place.depth,
            fabric=fabric,
            requests=max(size.requests // 3, _FEWEST),
            sets=(*placement(place.channels), *HOSTS[place.host]),
        )
        for place in _places(size)
        for fabric in suite.FABRICS
    ]


def _gain(runs: Runs, place: _Place, over: str, of: str, way: str = _WAY) -> float | None:
    return suite.ratio(
        runs.figure(way, **place._asdict(), fabric=over),
        runs.figure(way, **place._asdict(), fabric=of),
    )


def _tell(runs: Runs, size: Size) -> Finding:
    places = _places(size)
    rows = [
        [*place, *(_gain(runs, place, "bus", fabric) for fabric in suite.FABRICS)]
        for place in places
    ]
    claims = [
        _nearest(runs, [place for place in places if place.drive == statement.drive], statement)
        for statement in _STATEMENTS
    ]
    columns = (*_Place._fields, *(f"{fabric}_speed_up" for fabric in suite.FABRICS))
    return Finding(columns, rows, claims, lambda: _draw(runs, size))


def _nearest(runs: Runs, places: Sequence[_Place], said: _Statement) -> Claim:
    """Find the place whose ratio is nearest to the paper's mean; of equals, the first."""
    gains = [
        (gain, place)
        for place in places
        if (gain := _gain(runs, place, said.top, said.bottom, said.way))
    ]
    gain, place = min(gains, key=lambda pair: abs(math.log(pair[0] / said.ratio)))
    found = sorted(said.shown(value) for value, _ in gains)
    return Claim(
        "skew",
        f"{said.text}, {_DRIVES[place.drive]} drive",
        said.paper,
        said.shown(gain),
        said.unit,
        said.section,
        f"nearest on the map: {place.text}",
        f"over the map from {found[0]:.4g} to {found[-1]:.4g}",
    )


def _draw(runs: Runs, size: Size) -> Figure:
    from venice.reproduce.draw import Panel, draw_map, grid, label  # noqa: PLC0415 slow

    kibs, depths = size.some(_SIZES_KIB), size.some(_DEPTHS)
    pairs = [(drive, host) for drive in _DRIVES for host in HOSTS]
    figure, axes = grid(len(pairs), len(kibs))
    figure.text(0.005, 0.995, "Venice over Baseline, mean latency", va="top")
    for down, (drive, host) in enumerate(pairs):
        for right, kib in enumerate(kibs):
            values = [
                [
                    _gain(runs, _Place(drive, host, kib, channels, depth), "bus", "venice") or 1.0
                    for depth in depths
                ]
                for channels in _CHANNELS
            ]
            space = axes[down][right]
            draw_map(space, [str(n) for n in _CHANNELS], [str(n) for n in depths], values)
            title = f"{_DRIVES[drive]}, {kib} KiB, host link {host}"
            label(space, Panel(title, "outstanding", "channels with data"))
    return figure


EXPERIMENT = Experiment(
    "skew", "venice", "Speed-up over load, skew and request size", "ours", _tell, _points
)
