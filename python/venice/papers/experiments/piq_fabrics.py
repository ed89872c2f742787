"""Comparison of host schedulers with the drive's own scheduler, on every fabric.

The question, which no paper answers, is how far a host scheduler can replace the drive's. A drive
that serves requests in order leaves all choices to the host; one that reorders them has a scheduler
that knows the location of every page. Both serve the same traces on every fabric, with 2 to 64
requests in the drive, at loads that are shares of the in-order drive's throughput
(:mod:`piq_saturation`). Results are relative to the reordering drive under NOOP with the same
number of requests in it. Saturated runs are omitted, and counted.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import piq_suite
from venice.papers.experiments.piq_saturation import LINKS, at_share, has_both_kinds
from venice.papers.experiments.piq_suite import (
    DRIVE,
    IN_ORDER,
    PAQ,
    PASSING,
    REQUESTS,
    TITLES,
    DispatchRules,
    mean,
)
from venice.papers.experiments.suite import FABRICS, change, point, ratio
from venice.papers.experiments.suite import TITLES as FABRIC_TITLES
from venice.papers.size import QUICK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from venice.config import FabricName
    from venice.papers.experiment import Runs
    from venice.papers.experiments.piq_suite import Load
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point

_SLOTS = (2, 4, 8, 16, 32, 64)
_SHARES = (0.2, 0.5, 0.8)
_QUICK_SLOTS = (4, 32)
_QUICK_SHARES = (0.5,)
"""Loads of the quick size, as shares of the saturation throughput."""
_DESIGNS: tuple[tuple[DispatchRules, str], ...] = (
    *((IN_ORDER, scheme) for scheme in ("noop", "rws", "piq", "piq_plus")),
    *((PASSING, scheme) for scheme in ("noop", "rws", "piq", "by_unit")),
    (PAQ, "noop"),
)
_BASE = (PASSING, "noop")
_KINDS = ("read", "write")
_STAGES = ("queue", "chip_wait", "path_wait", "transfer", "array")
_STAND_INS = ("hm_0", "rsrch_0", "usr_0", "web_1")


@dataclass(frozen=True)
class _Cell:
    """Fabric, number of requests in the drive, and load as a share of the saturation throughput."""

    fabric: FabricName
    slots: int
    share: float

    def points(self, size: Size) -> Iterator[Point]:
        for load, (rules, scheme) in itertools.product(_loads(size), _DESIGNS):
            offered = at_share(load, self.fabric, self.share, _requests(size))
            yield point(
                self._choices(load.name, rules, scheme),
                drive=DRIVE,
                fabric=self.fabric,
                requests=_requests(size),
                sets=(
                    f"host.scheduler.scheme={scheme}",
                    *rules.sets,
                    f"host.scheduler.drive_slots={self.slots}",
                    LINKS,
                ),
                **offered.scenario,
            )

    def _choices(
        self, load: str, rules: DispatchRules, scheme: str
    ) -> dict[str, str | int | float]:
        named = {"load": load, "way": rules.name, "scheme": scheme, "fabric": self.fabric}
        return {**named, "slots": self.slots, "share": self.share}

    def grown(self, runs: Runs, load: str) -> list[str]:
        """Return the names of the designs that are saturated by a load."""
        reports = {design: runs.find(**self._choices(load, *design)) for design in _DESIGNS}
        return [
            _name(design)
            for design, report in reports.items()
            if report is None or piq_suite.scheduled(report, "backlog")["grows"]
        ]

    def report(self, runs: Runs, load: str, rules: DispatchRules, scheme: str) -> Report | None:
        """Return the report of a run; ``None`` if a design is saturated by the load."""
        return None if self.grown(runs, load) else runs.find(**self._choices(load, rules, scheme))

    def ratios(
        self, runs: Runs, loads: Sequence[str], design: tuple[DispatchRules, str], kind: str
    ) -> list[float | None]:
        """Return, for each load, the ratio of a design's mean latency to the reordering drive's."""
        pairs = (
            (self.report(runs, load, *design), self.report(runs, load, *_BASE)) for load in loads
        )
        return [_ratio(own, base, kind) for own, base in pairs]


def _ratio(own: Report | None, base: Report | None, kind: str) -> float | None:
    if own is None or base is None:
        return None
    measure = partial(piq_suite.latency, way=kind)
    return ratio(measure(own), measure(base))


def _requests(size: Size) -> int:
    return size.requests if size.requests < QUICK.requests else REQUESTS


def _loads(size: Size) -> list[Load]:
    loads = piq_suite.loads(size, stand_ins=_STAND_INS)
    return [load for load in loads if has_both_kinds(load, _requests(size))]


def _axes(size: Size) -> tuple[Sequence[int], Sequence[float]]:
    """Return the numbers of requests in the drive, and the loads as shares of saturation."""
    if size.requests <= QUICK.requests:
        return _QUICK_SLOTS, _QUICK_SHARES
    return size.some(_SLOTS), size.some(_SHARES)


def _shown(size: Size) -> tuple[Sequence[int], float]:
    """Return the runs in the figure: few and many requests in the drive, at half saturation."""
    slots, shares = _axes(size)
    few_and_many = [value for value in _QUICK_SLOTS if value in slots] or [slots[0], slots[-1]]
    return few_and_many, next((value for value in _QUICK_SHARES if value in shares), shares[-1])


def _cells(size: Size) -> list[_Cell]:
    slots, shares = _axes(size)
    return list(itertools.starmap(_Cell, itertools.product(FABRICS, slots, shares)))


def _points(size: Size) -> Sequence[Point]:
    return [point for cell in _cells(size) for point in cell.points(size)]


def _name(design: tuple[DispatchRules, str]) -> str:
    rules, scheme = design
    return f"{rules.name}_{scheme}"


def _evaluate(runs: Runs, size: Size) -> Finding:
    loads = [load.name for load in _loads(size)]
    rows: list[list[str | float | None]] = []
    for cell, design, kind in itertools.product(_cells(size), _DESIGNS, _KINDS):
        ratios = cell.ratios(runs, loads, design, kind)
        for load, value in [*zip(loads, ratios, strict=True), ("mean", mean(ratios))]:
            place = (cell.fabric, float(cell.slots), cell.share)
            rows.append([*place, _name(design), kind, load, change(value)])
    columns = ("fabric", "slots", "share", "design", "kind", "load", "change_pct")
    return Finding(columns, [*rows, *_left_out(runs, size)], (), lambda: _draw(runs, size))


def _left_out(runs: Runs, size: Size) -> Iterator[list[str | float | None]]:
    """Yield a table row for each omitted load, with the designs that it saturates."""
    for cell, load in itertools.product(_cells(size), _loads(size)):
        grown = cell.grown(runs, load.name)
        if grown:
            place = (cell.fabric, float(cell.slots), cell.share, " ".join(grown))
            yield [*place, "past saturation", load.name, None]


_DRAWN = ((IN_ORDER, "noop"), (IN_ORDER, "rws"), (IN_ORDER, "piq_plus"), (PASSING, "rws"))
_SHORT = {IN_ORDER.name: "in order", PASSING.name: "passing"}


def _draw(runs: Runs, size: Size) -> Figure:
    from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

    loads = [load.name for load in _loads(size)]
    slots_shown, share = _shown(size)
    content: dict[str, dict[str, list[float | None]]] = {}
    for slots, kind in itertools.product(slots_shown, _KINDS):
        cells = [_Cell(fabric, slots, share) for fabric in FABRICS]
        content[f"{kind}s, {slots} in the drive"] = {
            f"{_SHORT[rules.name]}, {TITLES[scheme]}": [
                mean(cell.ratios(runs, loads, (rules, scheme), kind)) for cell in cells
            ]
            for rules, scheme in _DRAWN
        }
    groups = [FABRIC_TITLES[fabric] for fabric in FABRICS]
    panel = Panel("", y="mean latency, × the drive's own scheduler")
    return panels_of_bars(groups, content, panel, level=1)


_SHOWN = ((IN_ORDER, "noop"), (IN_ORDER, "piq"), (PASSING, "noop"), (PAQ, "noop"))


def _whereabouts(runs: Runs, size: Size) -> Finding:
    """Return the result on the latency breakdown at half of the saturation throughput."""
    loads = [load.name for load in _loads(size)]
    rows: list[list[str | float | None]] = []
    content: dict[str, dict[str, list[float | None]]] = {}
    for (rules, scheme), kind in itertools.product(_SHOWN, _KINDS):
        series: dict[str, list[float | None]] = {stage: [] for stage in _STAGES}
        for cell, stage in itertools.product(_deepest(size), _STAGES):
            reports = [cell.report(runs, load, rules, scheme) for load in loads]
            time = mean(_stage(report, kind, stage) for report in reports)
            series[stage].append(time)
            rows.append([rules.name, scheme, kind, cell.fabric, stage, time])
        content[f"{kind}s, {TITLES[scheme]}; {rules.text.partition(',')[0]}"] = series

    def draw() -> Figure:
        from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

        groups = [FABRIC_TITLES[fabric] for fabric in FABRICS]
        # A level makes the axis logarithmic, since times range from 20 µs of work to 1 ms of
        # waiting.
        return panels_of_bars(groups, content, Panel("", y="mean time, µs"), level=1)

    return Finding(("way", "scheme", "direction", "fabric", "stage", "us"), rows, (), draw)


def _stage(report: Report | None, kind: str, stage: str) -> float | None:
    stages = {} if report is None else report.breakdown_us.get(kind, {})
    return cast("float | None", stages.get(stage))


def _deepest(size: Size) -> list[_Cell]:
    slots, share = _shown(size)
    return [_Cell(fabric, slots[-1], share) for fabric in FABRICS]


EXPERIMENTS = (
    Experiment(
        "piq-fabrics",
        "piq",
        "Host schedulers over fabrics and depths, against the drive's own",
        "ours",
        _evaluate,
        _points,
    ),
    Experiment(
        "piq-fabrics-time",
        "piq",
        "Where time goes under host schedulers over every fabric",
        "ours",
        _whereabouts,
        lambda size: [point for cell in _deepest(size) for point in cell.points(size)],
    ),
)
