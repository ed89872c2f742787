"""Host schedulers over every fabric, and whether they matter once paths are pooled.

No paper has this. Each scheme is compared with NOOP on the same fabric, at three loads, with static
and with dynamic allocation, on a drive in order, on one that lets requests pass, and on one that
queues by physical address. Batches follow at once. A second figure tells where the time goes.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import piq_suite
from venice.reproduce.experiments.piq_suite import (
    IN_ORDER,
    LOAD,
    PAQ,
    PASSING,
    TITLES,
    Schemes,
    Way,
    mean,
)
from venice.reproduce.experiments.suite import FABRICS, change, ratio
from venice.reproduce.experiments.suite import TITLES as FABRIC_TITLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.figure import Figure

    from venice.report import Report
    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point
    from venice.sweep.definition import Value

_STAND_INS = ("hm_0", "rsrch_0", "usr_0", "web_1")
_SHARES = (0.1, 0.25, LOAD)
_ALLOCATIONS = ("static", "dynamic")
_SCHEMES = ("noop", "rws", "piq", "piq_plus", "by_unit")
_WAYS = (IN_ORDER, PASSING, PAQ)
_TITLES = {**TITLES, "by_unit": "by unit"}
_LINKS = "fabric.mesh.link_latency_ns=25"
"""As wide as the drive's channels: the meshes carry what eight channels do."""

_DIRECTIONS = ("read", "write")
_STAGES = ("queue", "chip_wait", "path_wait", "transfer", "array")


@dataclass(frozen=True)
class _Drive:
    """A drive at a load.

    Attributes
    ----------
    way
        How requests go to it.
    allocation
        Whether a page's number decides its place.
    share
        Of the channels' bandwidth, what is offered.
    fabric
        What joins its chips.
    """

    way: Way
    allocation: str
    share: float
    fabric: str

    @property
    def choices(self) -> dict[str, Value]:
        return {"fabric": self.fabric, "share": self.share, "ftl.allocation_mode": self.allocation}

    def points(self, size: Size) -> Sequence[Point]:
        sets = (_LINKS, f"ftl.allocation_mode={self.allocation}")
        return piq_suite.points(size, _SCHEMES, (self.way,), sets, self.choices, _STAND_INS)

    def found(self, runs: Runs, size: Size) -> Schemes:
        return Schemes.of(runs, size, self.way, self.choices, _STAND_INS)


def _drives(size: Size) -> Iterator[_Drive]:
    shares = size.some(_SHARES)
    return itertools.starmap(_Drive, itertools.product(_WAYS, _ALLOCATIONS, shares, FABRICS))


def _points(size: Size) -> Sequence[Point]:
    return [point for drive in _drives(size) for point in drive.points(size)]


def _stage(report: Report, way: str, stage: str) -> float | None:
    return cast("float | None", report.breakdown_us.get(way, {}).get(stage))


_MEASURES: dict[str, Callable[[Report], float | None]] = {
    f"{way}_{name}_us": measure
    for way in _DIRECTIONS
    for name, measure in (
        ("mean", partial(piq_suite.latency, way=way)),
        *((stage, partial(_stage, way=way, stage=stage)) for stage in _STAGES),
    )
}


def _rows(runs: Runs, size: Size) -> Iterator[list[str | float | None]]:
    for drive in _drives(size):
        found = drive.found(runs, size)
        for scheme in _SCHEMES:
            figures = [found.figures(scheme, measure) for measure in _MEASURES.values()]
            changes = [_changes(found, scheme, way) for way in _DIRECTIONS]
            for place, load in enumerate(found.loads):
                yield [
                    *(drive.way.name, drive.allocation, drive.share, drive.fabric, load, scheme),
                    *(of[place] for of in (*changes, *figures)),
                ]


def _changes(found: Schemes, scheme: str, way: str) -> list[float | None]:
    return [change(value) for value in found.ratios(scheme, partial(piq_suite.latency, way=way))]


def _ratio(runs: Runs, size: Size, drive: _Drive, scheme: str, way: str) -> float | None:
    return mean(drive.found(runs, size).ratios(scheme, partial(piq_suite.latency, way=way)))


def _ratio_of_addresses(runs: Runs, size: Size, drive: _Drive, way: str) -> float | None:
    """Give what a queue of addresses in the drive makes of the time under NOOP."""
    measure = partial(piq_suite.latency, way=way)
    own, other = (
        of.found(runs, size).figures("noop", measure) for of in (replace(drive, way=PAQ), drive)
    )
    return mean(ratio(one, two) for one, two in zip(own, other, strict=True))


def _gains(runs: Runs, size: Size) -> Finding:
    def draw() -> Figure:
        from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

        content: dict[str, dict[str, list[float | None]]] = {}
        for way, share, direction in itertools.product(
            (IN_ORDER, PASSING), size.some(_SHARES), _DIRECTIONS
        ):
            drives = [_Drive(way, "static", share, fabric) for fabric in FABRICS]
            series = {
                _TITLES[scheme]: [_ratio(runs, size, drive, scheme, direction) for drive in drives]
                for scheme in _SCHEMES[1:]
            }
            series["PAQ, in the drive"] = [
                _ratio_of_addresses(runs, size, drive, direction) for drive in drives
            ]
            content[f"{direction}s, {share:.0%} offered; {way.text.partition(',')[0]}"] = series
        groups = [FABRIC_TITLES[fabric] for fabric in FABRICS]
        return panels_of_bars(groups, content, Panel("", y="mean latency, × NOOP's"), level=1)

    columns = (
        *("way", "allocation", "offered", "fabric", "load", "scheme"),
        *(f"{way}_change_pct" for way in _DIRECTIONS),
        *_MEASURES,
    )
    return Finding(columns, list(_rows(runs, size)), (), draw)


_SHOWN = ((IN_ORDER, "noop"), (IN_ORDER, "piq"), (PASSING, "noop"), (PAQ, "noop"))


def _whereabouts(runs: Runs, size: Size) -> Finding:
    """Tell where time goes at the highest load, with static allocation."""
    share = size.some(_SHARES)[-1]
    rows: list[list[str | float | None]] = []
    content: dict[str, dict[str, list[float | None]]] = {}
    for (way, scheme), direction in itertools.product(_SHOWN, _DIRECTIONS):
        series: dict[str, list[float | None]] = {stage: [] for stage in _STAGES}
        for fabric, stage in itertools.product(FABRICS, _STAGES):
            found = _Drive(way, "static", share, fabric).found(runs, size)
            time = mean(found.figures(scheme, partial(_stage, way=direction, stage=stage)))
            series[stage].append(time)
            rows.append([way.name, scheme, direction, fabric, stage, time])
        content[f"{direction}s, {TITLES[scheme]}; {way.text.partition(',')[0]}"] = series

    def draw() -> Figure:
        from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

        groups = [FABRIC_TITLES[fabric] for fabric in FABRICS]
        # A level makes the axis logarithmic: a millisecond of waiting stands beside 20 µs of work.
        return panels_of_bars(groups, content, Panel("", y="mean time, µs"), level=1)

    return Finding(("way", "scheme", "direction", "fabric", "stage", "us"), rows, (), draw)


def _of_highest_load(size: Size) -> Sequence[Point]:
    share = size.some(_SHARES)[-1]
    drives = (
        _Drive(way, "static", share, fabric) for way, fabric in itertools.product(_WAYS, FABRICS)
    )
    return [point for drive in drives for point in drive.points(size)]


EXPERIMENTS = (
    Experiment("piq-fabrics", "piq", "Host schedulers over every fabric", "ours", _gains, _points),
    Experiment(
        "piq-fabrics-time",
        "piq",
        "Where time goes under host schedulers over every fabric",
        "ours",
        _whereabouts,
        _of_highest_load,
    ),
)
