"""PIQ's location vectors by channel, by chip and by both, on fabrics whose paths are held.

No paper has this comparison. A request holds its path for a transfer, or for a whole operation
(`fabric.hold`). If a bus is held, two requests on one channel exclude each other like two on one
chip, so batches by channel avoid conflicts that batches by chip cannot see. The expectation, stated
before the runs: batches by channel win on a bus whose paths are held; they lose on Venice, where a
chip has many paths, and if paths are held only for transfers. All results are relative to location
vectors by chip on the same drive.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import piq_suite
from venice.papers.experiments.piq_changes import ChangeTable, pair
from venice.papers.experiments.piq_saturation import LINKS
from venice.papers.experiments.piq_suite import (
    IN_ORDER,
    PASSING,
    TITLES,
    DispatchRules,
    Schemes,
    mean,
)
from venice.papers.experiments.suite import TITLES as FABRIC_TITLES
from venice.papers.experiments.suite import change, ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.sweep import Point
    from venice.sweep.definition import Value

_HOLD = "fabric.hold"
_FABRICS = ("bus", "venice")
_HOLDS = ("transfer", "operation", "request")
_LEVELS = ("channel", "channel_and_chip")
_BASE = "chip"
_SCHEMES = ("piq", "piq_plus")
_WAYS = (IN_ORDER, PASSING)
_KINDS = ("read", "write")
_LEVEL = "host.scheduler.level"


@dataclass(frozen=True)
class _Cell:
    """Fabric, time for which it holds paths, and dispatch rules."""

    fabric: str
    hold: str
    way: DispatchRules

    def points(self, size: Size) -> Iterator[Point]:
        for level in (_BASE, *_LEVELS):
            sets = (f"{_HOLD}={self.hold}", f"{_LEVEL}={level}", LINKS)
            yield from piq_suite.points(size, _SCHEMES, (self.way,), sets, self._choices(level))

    def _choices(self, level: str) -> dict[str, Value]:
        return {"fabric": self.fabric, "hold": self.hold, "level": level}

    def found(self, runs: Runs, size: Size, level: str) -> Schemes:
        return Schemes.of(runs, size, self.way, self._choices(level))

    def ratios(
        self, runs: Runs, size: Size, scheme: str, level: str, kind: str
    ) -> list[float | None]:
        """Return, for each load, the mean latency relative to location vectors by chip."""
        measure = partial(piq_suite.latency, way=kind)
        own, base = (self.found(runs, size, of) for of in (level, _BASE))
        triples = zip(
            own.figures(scheme, measure),
            base.figures(scheme, measure),
            base.of_both_kinds(scheme),
            strict=True,
        )
        return [ratio(one, two) if is_kept else None for one, two, is_kept in triples]


_CELLS = tuple(itertools.starmap(_Cell, itertools.product(_FABRICS, _HOLDS, _WAYS)))


def _points(size: Size) -> Sequence[Point]:
    return [point for cell in size.some(_CELLS) for point in cell.points(size)]


def _tell(runs: Runs, size: Size) -> Finding:
    loads = [load.name for load in piq_suite.loads(size)]
    rows: list[list[str | float | None]] = []
    axes = itertools.product(size.some(_CELLS), _SCHEMES, _LEVELS, _KINDS)
    for cell, scheme, level, kind in axes:
        ratios = cell.ratios(runs, size, scheme, level, kind)
        place = (cell.fabric, cell.hold, cell.way.name, scheme, level, kind)
        for load, value in [*zip(loads, ratios, strict=True), ("mean", mean(ratios))]:
            rows.append([*place, load, change(value)])
    columns = ("fabric", "hold", "way", "scheme", "level", "kind", "load", "change_pct")
    result = _changes(runs, size)
    return Finding(
        columns,
        rows,
        (),
        lambda: _draw(runs, size),
        result.as_markdown(),
        result.as_text(),
    )


def _changes(runs: Runs, size: Size) -> ChangeTable:
    """Return a table of the changes, as means over the loads."""
    places = tuple(itertools.product(_FABRICS, _HOLDS))
    rows = [
        [
            f"{TITLES[scheme]}, {level.replace('_', ' ')}, {way.text.partition(',')[0]}",
            *(_pair(runs, size, _Cell(*place, way), scheme, level) for place in places),
        ]
        for way, scheme, level in itertools.product(_WAYS, _SCHEMES, _LEVELS)
    ]
    columns = ("location vectors", *(f"{FABRIC_TITLES[name]}\n{hold}" for name, hold in places))
    return ChangeTable(EXPERIMENT.title, "vectors by chip", columns, rows)


def _pair(runs: Runs, size: Size, cell: _Cell, scheme: str, level: str) -> str:
    reads, writes = (mean(cell.ratios(runs, size, scheme, level, kind)) for kind in _KINDS)
    return pair(reads, writes)


def _draw(runs: Runs, size: Size) -> Figure:
    from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

    groups = [f"{FABRIC_TITLES[fabric]}, {hold}" for fabric in _FABRICS for hold in _HOLDS]
    content: dict[str, dict[str, list[float | None]]] = {}
    for way, kind in itertools.product(_WAYS, _KINDS):
        cells = [_Cell(fabric, hold, way) for fabric in _FABRICS for hold in _HOLDS]
        content[f"{kind}s, {way.text.partition(',')[0]}"] = {
            level.replace("_", " "): [
                mean(cell.ratios(runs, size, "piq", level, kind)) for cell in cells
            ]
            for level in _LEVELS
        }
    return panels_of_bars(groups, content, Panel("", y="mean latency, × vectors of chips"), level=1)


EXPERIMENT = Experiment(
    "piq-paths",
    "piq",
    "Location vectors by channel and by chip under held paths",
    "ours",
    _tell,
    _points,
)
