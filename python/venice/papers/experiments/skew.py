"""Map of the speed-up over Baseline, by load, channel skew and request size.

Reads have three sizes, several queue depths, and data on all or some of the channels, with and
without the paper's host link. The map is then searched for each of the paper's mean speed-ups. The
result is not evidence, because nearly every ratio occurs on the map.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from venice.papers.card import LOG_CLOSE
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import designs, study, suite
from venice.papers.experiments.bounds import HOSTS, placement
from venice.papers.printed_claims import PRINTED_CLAIMS, TIME, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.printed_claims import PrintedClaim
    from venice.papers.size import Size
    from venice.sweep import Point

_DEPTHS = (1, 4, 16, 64, 256)
_CHANNELS = (8, 4, 2, 1)
_SIZES_KIB = (4, 16, 64)
_DRIVES = {suite.PERFORMANCE: "performance-optimised", suite.COST: "cost-optimised"}
_METRIC = "latency_us.all.mean"
_FEWEST = 100


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
        designs.point(
            {**place._asdict(), "fabric": design},
            drive=place.drive,
            workload=f"poisson-read-{place.kib}k",
            closed_loop=place.depth,
            requests=max(size.requests // 3, _FEWEST),
            sets=(*placement(place.channels), *HOSTS[place.host]),
        )
        for place in _places(size)
        for design in designs.NAMES
    ]


def _gain(runs: Runs, place: _Place, over: str, of: str, metric: str = _METRIC) -> float | None:
    return suite.ratio(
        runs.figure(metric, **place._asdict(), fabric=over),
        runs.figure(metric, **place._asdict(), fabric=of),
    )


def _evaluate(runs: Runs, size: Size) -> Finding:
    places = _places(size)
    rows = [
        [*place, *(_gain(runs, place, "bus", design) for design in designs.NAMES)]
        for place in places
    ]
    columns = (*_Place._fields, *(f"{design}_speed_up" for design in designs.NAMES))
    text = _reached(runs, places)
    return Finding(columns, rows, (), lambda: _draw(runs, size), text)


def _reached(runs: Runs, places: Sequence[_Place]) -> str:
    """Return a table of the paper's mean speed-ups, marked if the map contains the speed-up."""
    lines = [
        "## Figures found on the map of loads and skews (not counted)",
        "",
        "| claim | where printed | paper | range over the map | found | inverse found |",
        "| --- | --- | ---: | ---: | --- | --- |",
    ]
    for claim in PRINTED_CLAIMS:
        found = sorted(_everywhere(runs, places, claim)) if _is_on_map(claim) else []
        if found:
            span = f"{claim.shown(found[0]):.4g} to {claim.shown(found[-1]):.4g} {claim.unit}"
            verdicts = " | ".join(
                "yes"
                if any(abs(math.log(value / target)) <= LOG_CLOSE for value in found)
                else "no"
                for target in (claim.factor, claim.inverse)
            )
            paper = f"{claim.paper:.4g} {claim.unit}"
            lines.append(f"| {claim.text} | {claim.where} | {paper} | {span} | {verdicts} |")
    return "\n".join(lines) + "\n"


def _is_on_map(claim: PrintedClaim) -> bool:
    is_ratio = claim.kind in (Kind.FACTOR, Kind.CHANGE)
    is_mean = not claim.is_most and claim.workload is None
    return is_ratio and is_mean and claim.study in (study.PERFORMANCE, study.COST)


def _everywhere(runs: Runs, places: Sequence[_Place], claim: PrintedClaim) -> Iterator[float]:
    """Yield the ratio of a claim at every point of the map, for both variants of Venice."""
    metric = _METRIC if claim.metric == TIME else claim.metric
    for place in places:
        for venice in (designs.LETTER.name, designs.BEST.name):
            over, of = (
                venice if design == designs.LETTER.name else design
                for design in (claim.over, claim.of)
            )
            gain = _gain(runs, place, over, of, metric)
            if place.drive == claim.study.drive and gain:
                yield gain


def _draw(runs: Runs, size: Size) -> Figure:
    from venice.papers.draw import Panel, draw_map, grid, label  # noqa: PLC0415 slow

    kibs, depths = size.some(_SIZES_KIB), size.some(_DEPTHS)
    rows = [
        (drive, host, venice)
        for drive in _DRIVES
        for host in HOSTS
        for venice in (designs.LETTER, designs.BEST)
    ]
    figure, axes = grid(len(rows), len(kibs), top_inches=0.55)
    for down, (drive, host, venice) in enumerate(rows):
        for right, kib in enumerate(kibs):
            values = [
                [
                    _gain(runs, _Place(drive, host, kib, channels, depth), "bus", venice.name)
                    or 1.0
                    for depth in depths
                ]
                for channels in _CHANNELS
            ]
            space = axes[down][right]
            draw_map(space, [str(n) for n in _CHANNELS], [str(n) for n in depths], values)
            what = _DRIVES[drive].partition("-")[0]
            title = f"{venice.title} over Baseline:\n{what}, {kib} KiB, host link {host}"
            label(space, Panel(title, "outstanding", "channels with data"))
    return figure


EXPERIMENT = Experiment(
    "skew", "venice", "Speed-up over load, skew and request size", "ours", _evaluate, _points
)
