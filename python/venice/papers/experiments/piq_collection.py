"""PIQ with notices of garbage collection from the drive, which the paper leaves as future work.

The drive sends a notice when a chip begins or ends garbage collection, and batches give precedence
to requests for other chips (`host.scheduler.avoid_collecting`). The drive is small and in steady
state, so that it collects garbage throughout the run. The loads are synthetic stand-ins for traces,
at a share of the channels' bandwidth, since the available traces write too little.

The expectation, stated before the runs, was a small gain on an in-order drive, where a request for
a collecting chip occupies only its own chips. The gain was expected to be larger if the drive holds
few requests, because each waiting request occupies a slot.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import piq_suite
from venice.papers.experiments.piq_changes import ChangeTable, pair
from venice.papers.experiments.piq_saturation import LINKS
from venice.papers.experiments.piq_suite import DRIVE, IN_ORDER, PASSING, TITLES, mean
from venice.papers.experiments.suite import TITLES as FABRIC_TITLES
from venice.papers.experiments.suite import change, point, ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from venice.config import FabricName
    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point

_LOADS = ("hm_0", "prxy_0", "rsrch_0", "usr_0")
_SHARE = 0.01
"""Share of the channels' bandwidth that is offered; twice as much saturates the drive."""
_STEADY = ("flash.blocks_per_plane=64", "precondition.mode=steady_state")
_HOLD = "fabric.hold"
_FABRICS: tuple[FabricName, ...] = ("bus", "venice")
_HOLDS = ("transfer", "operation")
_SLOTS = (8, 32)
_WAYS = (IN_ORDER, PASSING)
_SCHEMES = ("piq", "piq_plus")
_KINDS = ("read", "write")
_AVOIDS = "host.scheduler.avoid_collecting"


def _cells() -> Iterator[tuple[FabricName, str, str, int, str, str]]:
    """Yield fabric, path hold, dispatch rules, number of requests in the drive, scheme and load."""
    names = [way.name for way in _WAYS]
    yield from itertools.product(_FABRICS, _HOLDS, names, _SLOTS, _SCHEMES, _LOADS)


def _points(size: Size) -> Sequence[Point]:
    loads = {load.name: load for load in piq_suite.stand_ins_at(_LOADS, _SHARE)}
    ways = {way.name: way for way in _WAYS}
    return [
        point(
            _choices(*cell, avoids),
            drive=DRIVE,
            fabric=cell[0],
            requests=size.requests,
            sets=(
                f"host.scheduler.scheme={cell[4]}",
                *ways[cell[2]].sets,
                f"host.scheduler.drive_slots={cell[3]}",
                f"{_HOLD}={cell[1]}",
                f"{_AVOIDS}={avoids}",
                LINKS,
                *_STEADY,
            ),
            **loads[cell[5]].scenario,
        )
        for cell in size.some(tuple(_cells()))
        for avoids in ("false", "true")
    ]


def _choices(  # noqa: PLR0913, PLR0917 one for each axis
    fabric: str, hold: str, way: str, slots: int, scheme: str, load: str, avoids: str
) -> dict[str, str | int | float]:
    named = {"fabric": fabric, "hold": hold, "way": way, "scheme": scheme, "load": load}
    return {**named, "slots": slots, "avoids": avoids}


def _ratio(runs: Runs, cell: tuple[str, str, str, int, str, str], kind: str) -> float | None:
    """Return the ratio of the mean latency with notices to the mean latency without notices."""
    with_notices, without = (runs.find(**_choices(*cell, avoids)) for avoids in ("true", "false"))
    measure = partial(piq_suite.latency, way=kind)
    return _of(with_notices, without, measure)


def _of(own: Report | None, base: Report | None, measure: partial[float | None]) -> float | None:
    return None if own is None or base is None else ratio(measure(own), measure(base))


def _mean_of(
    runs: Runs, place: tuple[str, str, str, int, str], kind: str
) -> tuple[list[float | None], float | None]:
    ratios = [_ratio(runs, (*place, load), kind) for load in _LOADS]
    return ratios, mean(ratios)


def _tell(runs: Runs, size: Size) -> Finding:
    rows: list[list[str | float | None]] = []
    places = dict.fromkeys(cell[:-1] for cell in size.some(tuple(_cells())))
    for place, kind in itertools.product(places, _KINDS):
        ratios, average = _mean_of(runs, place, kind)
        fabric, hold, way, slots, scheme = place
        for load, value in [*zip(_LOADS, ratios, strict=True), ("mean", average)]:
            row = (fabric, hold, way, float(slots), scheme, kind, load, change(value))
            rows.append([*row])
    columns = ("fabric", "hold", "way", "slots", "scheme", "kind", "load", "change_pct")
    result = _changes(runs)
    return Finding(
        columns,
        rows,
        (),
        lambda: _draw(runs),
        result.as_markdown(),
        result.as_text(),
    )


def _changes(runs: Runs) -> ChangeTable:
    """Return a table of the changes, as means over the loads."""
    places = tuple(itertools.product(_FABRICS, _HOLDS))
    rows = [
        [
            f"{TITLES[scheme]}, {way.text.partition(',')[0]}, {slots} in the drive",
            *(_pair(runs, (*place, way.name, slots, scheme)) for place in places),
        ]
        for way, slots, scheme in itertools.product(_WAYS, _SLOTS, _SCHEMES)
    ]
    columns = ("scheme", *(f"{FABRIC_TITLES[name]}\n{hold}" for name, hold in places))
    return ChangeTable(EXPERIMENT.title, "runs without notices", columns, rows)


def _pair(runs: Runs, place: tuple[str, str, str, int, str]) -> str:
    reads, writes = (_mean_of(runs, place, kind)[1] for kind in _KINDS)
    return pair(reads, writes)


def _draw(runs: Runs) -> Figure:
    from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

    places = [(fabric, hold) for fabric in _FABRICS for hold in _HOLDS]
    content = {
        f"{kind}s, {way.text.partition(',')[0]}": {
            f"{TITLES[scheme]}, {slots} in the drive": [
                _mean_of(runs, (fabric, hold, way.name, slots, scheme), kind)[1]
                for fabric, hold in places
            ]
            for scheme, slots in itertools.product(_SCHEMES, _SLOTS)
        }
        for way, kind in itertools.product(_WAYS, _KINDS)
    }
    groups = [f"{FABRIC_TITLES[fabric]}, {hold}" for fabric, hold in places]
    return panels_of_bars(groups, content, Panel("", y="mean latency, × without notices"), level=1)


EXPERIMENT = Experiment(
    "piq-collection",
    "piq",
    "PIQ with notices of garbage collection",
    "ours",
    _tell,
    _points,
)
