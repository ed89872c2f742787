"""Time for which a path is held, on write-heavy volumes and during garbage collection.

The paper allows several readings: Figure 3 overlaps array times on one channel, while §4.2, §6.3
and §6.5 reserve a path for each I/O request. As reads and writes are both requests, a path may be
held for a transfer, for a read, or for reads and programs. Volumes with few reads distinguish the
last two, because a program holds its path for 100 µs. In the second table, garbage collection runs
concurrently with host requests, and moves pages through controllers or over circuits between chips.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import circuits, designs, suite
from venice.papers.experiments.unstated_settings import (
    HOLD_OPERATION,
    HOLD_REQUEST,
)
from venice.papers.markdown import section, table
from venice.text.layout import format_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.sweep import Point

VOLUMES = ("prxy_0", "mds_0", "rsrch_0", "wdev_0", "LUN3")
"""Volumes of Table 2 whose requests are mostly writes."""
HOLDS = {"transfer": (), "operation": (HOLD_OPERATION,), "request": (HOLD_REQUEST,)}
_REGIME = suite.REQUEST
_SHARED = tuple(change for change in _REGIME.drive if change != HOLD_REQUEST)
_MEAN, _WRITE_P99 = "latency_us.all.mean", "latency_us.write.p99"
_COLUMNS = ("load", "hold", "fabric", "mean_us", "write_p99_us", "speed_up")

_MOVED = ("ftl.gc_destination=least_busy_plane",)
_COLLECTING = {
    "bus": ("bus", _MOVED),
    "venice-best": ("venice", (*designs.BEST.sets, *_MOVED)),
    "venice-best, circuits": (
        "venice",
        (*designs.BEST.sets, *_MOVED, "fabric.chip_to_chip=true"),
    ),
    "ideal": ("ideal", _MOVED),
}
_GC_LOAD = "mixed reads and writes in steady state"
_DEPTH = 16
_TIMES, _MOST_REQUESTS = 20, 40_000
"""Factor on the number of requests, since garbage collections are rare, and the maximum number."""


def _points(size: Size) -> Sequence[Point]:
    volumes = [
        designs.point(
            {"load": volume, "hold": hold, "fabric": design},
            (*_SHARED, *sets, *dict(_REGIME.own).get(designs.find(design).fabric, ())),
            drive=suite.PERFORMANCE,
            workload=_REGIME.workload(volume),
            requests=size.requests,
        )
        for volume in VOLUMES
        for hold, sets in HOLDS.items()
        for design in designs.NAMES
    ]
    requests = min(_TIMES * size.requests, _MOST_REQUESTS)
    collecting = [
        suite.point(
            {"load": _GC_LOAD, "hold": hold, "fabric": name},
            drive=suite.PERFORMANCE,
            workload=circuits.WORKLOAD,
            fabric=fabric,
            requests=requests,
            warmup=int(requests * circuits.WARM_UP),
            closed_loop=_DEPTH,
            sets=(*circuits.DRIVE, *sets, *own),
        )
        for hold, sets in HOLDS.items()
        for name, (fabric, own) in _COLLECTING.items()
    ]
    return [*volumes, *collecting]


def _evaluate(runs: Runs, _size: Size) -> Finding:
    loads = [*((volume, designs.NAMES) for volume in VOLUMES), (_GC_LOAD, tuple(_COLLECTING))]
    rows = [
        _row(runs, load, hold, name) for load, names in loads for hold in HOLDS for name in names
    ]
    return Finding(_COLUMNS, rows, text=_text(runs), summary=_summary(runs))


def _row(runs: Runs, load: str, hold: str, name: str) -> list[object]:
    mean, tail = (
        runs.figure(path, load=load, hold=hold, fabric=name) for path in (_MEAN, _WRITE_P99)
    )
    return [load, hold, name, mean, tail, _speed_up(runs, load, hold, name)]


def _speed_up(runs: Runs, load: str, hold: str, name: str) -> float | None:
    return suite.ratio(
        runs.figure(_MEAN, load=load, hold=hold, fabric="bus"),
        runs.figure(_MEAN, load=load, hold=hold, fabric=name),
    )


def _summary(runs: Runs) -> str:
    """Return the speed-ups of tuned Venice and of the ideal drive, for the terminal."""
    cases = [(volume, name) for volume in VOLUMES for name in (designs.BEST.name, "ideal")]
    cases += [(_GC_LOAD, name) for name in _COLLECTING if name != "bus"]
    rows = []
    for load, name in cases:
        found = [_speed_up(runs, load, hold, name) for hold in HOLDS]
        texts = ["–" if it is None else f"{it:.2f}" for it in found]
        rows.append([load, name.replace(designs.BEST.name, designs.BEST.title), *texts])
    shown = format_table(["load", "design", *HOLDS], rows, left=2)
    return f"Mean latency of Baseline over that of a design, by fabric.hold:\n\n{shown}"


def _text(runs: Runs) -> str:
    volumes = [
        [volume, hold, *(_speed_up(runs, volume, hold, name) for name in designs.NAMES[1:])]
        for volume in VOLUMES
        for hold in HOLDS
    ]
    collecting = [
        [
            hold,
            name,
            *(
                runs.figure(path, load=_GC_LOAD, hold=hold, fabric=name)
                for path in (_MEAN, _WRITE_P99)
            ),
            _speed_up(runs, _GC_LOAD, hold, name),
        ]
        for hold in HOLDS
        for name in _COLLECTING
    ]
    titles = ("volume", "path held for", *(designs.TITLES[name] for name in designs.NAMES[1:]))
    return (
        section(
            "Mean latency of Baseline over that of each design, on volumes of few reads",
            table(titles, volumes),
        )
        + "\n"
        + section(
            "Garbage collection beside mixed reads and writes, 16 outstanding",
            table(
                ("path held for", "design", "mean, µs", "write p99, µs", "speed-up"),
                collecting,
            ),
        )
    )


EXPERIMENT = Experiment(
    "holds",
    "venice",
    "Paths held for a transfer, a read or a request, on writes and beside garbage collection",
    "§4.2, §6.3, §6.5",
    _evaluate,
    _points,
)
