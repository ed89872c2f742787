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
    from collections.abc import Sequence

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

_PAPER = {
    suite.PERFORMANCE: {"bus": 2.65, "pssd": 2.10, "pnssd": 2.00, "nossd": 1.92},
    suite.COST: {"bus": 1.67, "pssd": 1.52, "pnssd": 1.55, "nossd": 1.47},
}
_PAPER_EARLIER = {"pssd": 1.27, "pnssd": 1.30, "nossd": 1.35, "ideal": 4.0}
_PAPER_MOST = 11.74
"""Figure 4: over the baseline, on the performance-optimised drive."""


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
            f"outstanding, host link {self.host}; mean latency"
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


def _gain(runs: Runs, place: _Place, over: str, of: str) -> float | None:
    return suite.ratio(
        runs.figure(_WAY, **place._asdict(), fabric=over),
        runs.figure(_WAY, **place._asdict(), fabric=of),
    )


def _tell(runs: Runs, size: Size) -> Finding:
    places = _places(size)
    rows = [
        [*place, *(_gain(runs, place, "bus", fabric) for fabric in suite.FABRICS)]
        for place in places
    ]
    claims = [
        _nearest(runs, [place for place in places if place.drive == drive], rival, "venice", paper)
        for drive, rivals in _PAPER.items()
        for rival, paper in rivals.items()
    ]
    paper_drive = [place for place in places if place.drive == suite.PERFORMANCE]
    claims += [
        _nearest(runs, paper_drive, "bus", fabric, paper)
        for fabric, paper in (*_PAPER_EARLIER.items(), ("ideal", _PAPER_MOST))
    ]
    columns = (*_Place._fields, *(f"{fabric}_speed_up" for fabric in suite.FABRICS))
    return Finding(columns, rows, claims, lambda: _draw(runs, size))


def _nearest(runs: Runs, places: Sequence[_Place], over: str, of: str, paper: float) -> Claim:
    """Find the regime whose ratio is nearest to the paper's mean; of equals, the first."""
    gains = [(gain, place) for place in places if (gain := _gain(runs, place, over, of))]
    gain, place = min(gains, key=lambda pair: abs(math.log(pair[0] / paper)))
    found = [value for value, _ in gains]
    return Claim(
        "skew",
        f"{suite.TITLES[of]} over {suite.TITLES[over]}, {_DRIVES[place.drive]} drive",
        paper,
        gain,
        "×",
        "Figure 4" if over == "bus" and of != "venice" else "Figure 9",
        f"nearest on the map: {place.text}",
        f"over the map from {min(found):.2f} to {max(found):.2f}",
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
