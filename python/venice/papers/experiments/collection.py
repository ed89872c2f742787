"""Figure 9 on a drive with garbage collection, which the paper's figures do not include.

The drive is the performance-optimised one with fewer and smaller blocks, so that a run of some
thousand requests contains complete garbage collections. It is run in three states: fresh, without
garbage collection; in steady state, with the minimum of free blocks in each plane; and in steady
state with pages moved inside their chip, so that garbage collection sends no data over the fabric.
The first two states show the total cost of garbage collection for each design. The third shows how
much of it is due to traffic on the fabric.

A second table has the tail latency and the write amplification when pages are moved within their
plane, or to other chips over the paths of each design. It covers a drive whose garbage collection
is limited by programs, and one whose garbage collection is limited by transfers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from venice.papers import mqsim_values
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import designs, suite
from venice.papers.experiments.circuits import DRIVE, WARM_UP, WORKLOAD
from venice.papers.markdown import section, table
from venice.report.figure_paths import figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point

_SMALL = (
    *mqsim_values.COLLECTION,
    "flash.blocks_per_plane=192", "flash.pages_per_block=64", "ftl.over_provisioning_pct=15",
)  # fmt: skip


class _State(NamedTuple):
    name: str
    sets: tuple[str, ...]


_FRESH = _State("no collection", _SMALL)
_STEADY = _State("collection in steady state", (*_SMALL, "precondition.mode=steady_state"))
_COPYBACK = _State("the same, by copyback", (*_STEADY.sets, "ftl.gc_copyback=true"))
_REGIMES = suite.REGIMES[:2]
_CASES = (
    *((regime, state) for regime in _REGIMES for state in (_FRESH, _STEADY)),
    (_REGIMES[-1], _COPYBACK),
)
_COLUMNS = (
    "workload", "regime", "state", "fabric", "mean_us", "p99_us", "iops", "requests_conflict_pct",
    "pages_per_written_page", "erases", "mean_speed_up", "execution_speed_up", "mean_over_fresh",
)  # fmt: skip
_MEAN = "latency_us.all.mean"
_GEOMETRIC = "geometric mean"


class _CollectingDesign(NamedTuple):
    """Design, and destination of the pages that garbage collection moves."""

    name: str
    fabric: str
    sets: tuple[str, ...] = ()


_ANYWHERE = ("ftl.gc_destination=least_busy_plane",)
_COLUMN = ("ftl.gc_destination=least_busy_of_column",)
_COPIES = ("fabric.chip_to_chip=true",)
_COLLECTING_DESIGNS = (
    _CollectingDesign("Baseline, same plane", "bus"),
    _CollectingDesign("Baseline, any plane", "bus", _ANYWHERE),
    _CollectingDesign("pnSSD, column copies", "pnssd", (*_COLUMN, *_COPIES)),
    _CollectingDesign("pnSSD, any plane, column copies", "pnssd", (*_ANYWHERE, *_COPIES)),
    _CollectingDesign("Decoupled SSD, direct copies", "decoupled", _ANYWHERE),
    _CollectingDesign(
        "Venice, any plane, by controllers", "venice", (*designs.BEST.sets, *_ANYWHERE)
    ),
    _CollectingDesign("Venice, circuits", "venice", (*designs.BEST.sets, *_ANYWHERE, *_COPIES)),
)
_DRIVES = {
    "4-KiB pages": (),
    "16-KiB pages, programs of 25 µs": ("flash.page_bytes=16384", "flash.t_prog_us=[25]"),
}
"""Settings of two drives. On the first, a plane programs 41 MB/s, so that all 128 planes together
are slower than eight channels of 1.2 GB/s. On the second, a plane programs 655 MB/s, so that the
channels limit garbage collection."""
_DEPTH = 16
_TIMES, _MOST_REQUESTS = 20, 40_000
_SIDE = "side by side"


def _seeds(size: Size) -> range:
    return range(1, size.seeds + 1)


def _side_points(size: Size) -> list[Point]:
    requests = min(_TIMES * size.requests, _MOST_REQUESTS)
    return [
        suite.point(
            {
                "state": _SIDE,
                "fabric": case.fabric,
                "way": case.name,
                "pages": pages,
                "seed": seed,
            },
            drive=suite.PERFORMANCE,
            workload=WORKLOAD,
            fabric=case.fabric,
            requests=requests,
            warmup=int(requests * WARM_UP),
            closed_loop=_DEPTH,
            seed=seed,
            sets=(*DRIVE, *changes, *case.sets),
        )
        for pages, changes in _DRIVES.items()
        for case in _COLLECTING_DESIGNS
        for seed in _seeds(size)
    ]


def _points(size: Size) -> Sequence[Point]:
    figure_9 = [
        designs.point(
            {"state": state.name, "workload": workload, "regime": regime.name, "fabric": fabric},
            drive=suite.PERFORMANCE,
            workload=workload,
            requests=size.requests,
            closed_loop=regime.depth,
            sets=state.sets,
        )
        for workload in size.some(suite.WORKLOADS)
        for regime, state in _CASES
        for fabric in designs.NAMES
    ]
    return [*figure_9, *_side_points(size)]


class _CollectionRatios(NamedTuple):
    runs: Runs
    workloads: Sequence[str]

    def figure(
        self, metric: str, workload: str, regime: suite.Regime, state: _State, fabric: str
    ) -> float | None:
        """Return a figure of the report of a run; ``None`` if the run is missing."""
        return self.runs.figure(
            metric, state=state.name, workload=workload, regime=regime.name, fabric=fabric
        )

    def gain(
        self, metric: str, workload: str, regime: suite.Regime, state: _State, over: str, of: str
    ) -> float | None:
        """Return the gain in a figure: the value of `over` divided by the value of `of`."""
        top, bottom = (self.figure(metric, workload, regime, state, it) for it in (over, of))
        return suite.ratio(top, bottom)

    def mean_gain(
        self, metric: str, regime: suite.Regime, state: _State, over: str, of: str
    ) -> float | None:
        """Return the geometric mean of the gains over the workloads."""
        gains = (self.gain(metric, name, regime, state, over, of) for name in self.workloads)
        return suite.mean_ratio(gains)

    def cost(self, workload: str, regime: suite.Regime, state: _State, fabric: str) -> float | None:
        """Return the ratio of the mean latency to the mean latency of the fresh drive."""
        pair = (self.figure(_MEAN, workload, regime, it, fabric) for it in (state, _FRESH))
        return suite.ratio(*pair)

    def mean_cost(self, regime: suite.Regime, state: _State, fabric: str) -> float | None:
        """Return the geometric mean of :meth:`cost` over the workloads."""
        return suite.mean_ratio(self.cost(name, regime, state, fabric) for name in self.workloads)


def _row(
    found: _CollectionRatios, workload: str, regime: suite.Regime, state: _State, fabric: str
) -> list[Any]:
    metrics = (
        _MEAN, "latency_us.all.p99", "iops", "path.requests_conflict_pct", "pages_per_written_page",
        "flash.erases",
    )  # fmt: skip
    return [
        workload,
        regime.name,
        state.name,
        fabric,
        *(found.figure(metric, workload, regime, state, fabric) for metric in metrics),
        found.gain(_MEAN, workload, regime, state, "bus", fabric),
        found.gain("makespan_us", workload, regime, state, "bus", fabric),
        found.cost(workload, regime, state, fabric),
    ]


def _mean_row(
    found: _CollectionRatios, regime: suite.Regime, state: _State, fabric: str
) -> list[Any]:
    return [
        _GEOMETRIC,
        regime.name,
        state.name,
        fabric,
        *[None] * 6,
        found.mean_gain(_MEAN, regime, state, "bus", fabric),
        found.mean_gain("makespan_us", regime, state, "bus", fabric),
        found.mean_cost(regime, state, fabric),
    ]


def _evaluate(runs: Runs, size: Size) -> Finding:
    found = _CollectionRatios(runs, size.some(suite.WORKLOADS))
    groups = [(*case, fabric) for case in _CASES for fabric in designs.NAMES]
    rows = [_row(found, workload, *group) for workload in found.workloads for group in groups]
    rows += [_mean_row(found, *group) for group in groups]
    text = f"{_text(found)}\n{_side_by_side(runs, size)}"
    return Finding(_COLUMNS, rows, (), lambda: _draw(found), text)


def _text(found: _CollectionRatios) -> str:
    rows = (
        [
            f"{regime.text}, {state.name}",
            *(found.mean_gain(_MEAN, regime, state, "bus", name) for name in designs.NAMES[1:]),
            found.mean_cost(regime, state, "bus"),
        ]
        for regime, state in _CASES
    )
    titles = [
        "mean latency, × better",
        *(designs.TITLES[name] for name in designs.NAMES[1:]),
        "Baseline's mean latency, × fresh",
    ]
    return section("Figure 9 with collection", table(titles, rows))


_SIDE_WAYS = {
    "mean, µs": "latency_us.all.mean",
    "p99, µs": "latency_us.all.p99",
    "p99 of reads, µs": "latency_us.read.p99",
    "pages per written page": "pages_per_written_page",
}


def _side_by_side(runs: Runs, size: Size) -> str:
    tables = [
        table([f"{pages}, {_DEPTH} outstanding", *_SIDE_WAYS, "moves copied, %"], rows)
        for pages in _DRIVES
        if (rows := [_side_row(runs, size, case, pages) for case in _COLLECTING_DESIGNS])
    ]
    seeds = f"Mean over {size.seeds} seeds, ± half the range from smallest to largest."
    return section("Latency and cost of collection", seeds, *tables)


def _side_row(runs: Runs, size: Size, case: _CollectingDesign, pages: str) -> list[object]:
    choices = {"state": _SIDE, "fabric": case.fabric, "way": case.name, "pages": pages}
    found = [runs.find(**choices, seed=seed) for seed in _seeds(size)]
    there = [report for report in found if report is not None]
    cells = [_spread([figure(report, name) for report in there]) for name in _SIDE_WAYS.values()]
    return [case.name, *cells, _copied_pct(there)]


def _copied_pct(reports: Sequence[Report]) -> float | None:
    moves = sum(report.flash.gc_moves for report in reports)
    copies = [figure(report, "flash.copies_between_chips") for report in reports]
    return None if not moves or None in copies else 100.0 * float(sum(copies)) / moves


def _spread(values: Sequence[float]) -> str | None:
    """Return the mean of the values, and half of their range, as text.

    Examples
    --------
    >>> _spread([1.0, 2.0, 6.0])
    '3.00 ± 2.50'
    """
    if not values or None in values:
        return None
    return f"{sum(values) / len(values):,.2f} ± {(max(values) - min(values)) / 2:,.2f}"


def _draw(found: _CollectionRatios) -> Figure:
    from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

    content = {
        f"{regime.text}, {state.name}": {
            designs.TITLES[fabric]: [
                *(
                    found.gain(_MEAN, name, regime, state, "bus", fabric)
                    for name in found.workloads
                ),
                found.mean_gain(_MEAN, regime, state, "bus", fabric),
            ]
            for fabric in designs.NAMES[1:]
        }
        for regime, state in _CASES[:-1]
    }
    panel = Panel("", y="mean latency, × faster than Baseline")
    return panels_of_bars([*found.workloads, "mean"], content, panel, level=1)


EXPERIMENT = Experiment(
    "collection",
    "venice",
    "Figure 9 with collection in steady state, and what collection costs each design",
    "ours",
    _evaluate,
    _points,
)
