"""Common parts of the PIQ paper's experiments: traces, schemes, settings, changes from NOOP.

The paper replays fifteen MSR volumes in SSDsim, at their own arrival times. The regime here is the
same: the available traces, at their own arrival times, on an in-order drive with open batches,
static allocation and 64 entries for reads and 64 for writes. Traces come from the folder that
`--traces` or `VENICE_TRACES` names, or from `traces/msr` in the folder that `VENICE_SHARED` names
(:mod:`venice.papers.traces`). Without traces, synthetic stand-ins for MSR volumes are run at a
given share of the channels' bandwidth, since their own rate suits a much faster drive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from venice.papers.experiments.suite import change, point, ratio
from venice.papers.required_figures import require
from venice.papers.size import QUICK
from venice.papers.traces import available_traces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point
    from venice.sweep.definition import Value

DRIVE = "piq-128gb"
CHANNELS_MB_PER_S = 8 * 40.0
"""Bandwidth of all channels together [MB/s]."""

SCHEMES = ("noop", "rws", "piq_r", "piq_w", "piq", "piq_plus")
TITLES = {
    "noop": "NOOP",
    "rws": "RWS",
    "piq_r": "PIQ_R",
    "piq_w": "PIQ_W",
    "piq": "PIQ",
    "piq_plus": "PIQ+",
    "by_unit": "by unit",
}

LOAD = 0.2
"""Share of the channels' bandwidth that the stand-ins offer by default."""

REQUESTS = 10_000
"""Maximum number of requests of a trace in one run, except at test sizes; fewer would change the
regime."""

STAND_INS = {
    "hm_0": (8.8, 58),
    "mds_0": (9.6, 268),
    "proj_3": (9.6, 19),
    "prxy_0": (7.2, 242),
    "rsrch_0": (9.6, 129),
    "src1_0": (43.2, 49),
    "src2_1": (59.2, 50),
    "usr_0": (22.8, 98),
    "wdev_0": (9.2, 162),
    "web_1": (29.6, 67),
}
"""Mean request size [KiB] and mean gap between arrivals [µs] of each stand-in (Venice paper, Table
2)."""

_WAITS = ("queue", "chip_wait", "path_wait", "mapping")


@dataclass(frozen=True)
class DispatchRules:
    """Rules on when the host dispatches requests to the drive, which the paper does not state.

    Attributes
    ----------
    name
        Name in tables.
    text
        Description in the scorecard.
    sets
        Settings of the drive.
    """

    name: str
    text: str
    sets: tuple[str, ...]


def _dispatch_rules(name: str, text: str, *rules: str) -> DispatchRules:
    issue, batches, next_batch, *more = rules
    key = "host.scheduler."
    sets = (f"{key}issue={issue}", f"{key}batches={batches}", f"{key}next_batch={next_batch}")
    return DispatchRules(name, text, (*sets, f"{key}queue_counts=waiting_by_kind", *more))


IN_ORDER = _dispatch_rules(
    "in_order", "drive in order, open batches", "without_conflicts", "open", "as_slots_free"
)
PASSING = _dispatch_rules(
    "passing", "drive lets requests pass, open batches", "freely", "open", "as_slots_free"
)
PAQ = _dispatch_rules(
    "paq",
    "drive queues by physical address, open batches",
    *("freely", "open", "as_slots_free"),
    "ftl.scheduling=paq",
)
OTHER_RULES = (
    _dispatch_rules(
        "in_order_closed",
        "drive in order, closed batches",
        *("without_conflicts", "closed", "as_slots_free"),
    ),
    _dispatch_rules(
        "in_order_open_drained",
        "drive in order, open batches, each complete before the next",
        *("without_conflicts", "open", "after_completion"),
    ),
    _dispatch_rules(
        "in_order_drained",
        "drive in order, closed batches, each complete before the next",
        *("without_conflicts", "closed", "after_completion"),
    ),
    PASSING,
)
"""Other readings of the paper's rules, shown for comparison but not counted."""


@dataclass(frozen=True)
class Load:
    """Trace or workload with its rate."""

    name: str
    scenario: dict[str, Any]


def loads(
    size: Size, share: float = LOAD, stand_ins: Sequence[str] = tuple(STAND_INS)
) -> list[Load]:
    """Return the available traces or, if none, synthetic stand-ins at a share of the bandwidth."""
    traces = available_traces(size).traces
    if traces:
        return [Load(name, {"trace": str(path), "fold": True}) for name, path in traces.items()]
    return stand_ins_at(size.some(stand_ins), share)


def stand_ins_at(names: Sequence[str], share: float) -> list[Load]:
    """Return stand-ins for MSR volumes that offer a share of the channels' bandwidth."""
    return [_stand_in(name, share) for name in names]


def regime(size: Size, share: float = LOAD, counted: int | None = None) -> str:
    """Return a description of the loads for the scorecard.

    `counted` is the number of traces in a mean, if not all.
    """
    traces = available_traces(size).traces
    if traces:
        of = "" if counted in {None, len(traces)} else f"{counted} of "
        many = "1 trace at its" if len(traces) == 1 else f"{len(traces)} traces at their"
        return f"{of}{many} own times, {REQUESTS:,} requests of each at most"
    return f"stand-ins of MSR volumes, {share:.0%} of the channels' bandwidth"


def _stand_in(name: str, share: float) -> Load:
    size_kb, gap_us = STAND_INS[name]
    own_mb_per_s = size_kb * 1024 / gap_us
    scale = float(f"{share * CHANNELS_MB_PER_S / own_mb_per_s:.4g}")
    return Load(name, {"workload": name, "rate_scale": scale})


def points(
    size: Size,
    schemes: Sequence[str] = SCHEMES,
    ways: Sequence[DispatchRules] = (IN_ORDER,),
    sets: Sequence[str] = (),
    choices: Mapping[str, Value] | None = None,
    stand_ins: Sequence[str] = tuple(STAND_INS),
) -> list[Point]:
    """Return the runs of each load under each scheme.

    `choices` identify the runs: `fabric`, `share` (see :func:`loads`) and `times` (a factor on the
    rate) have an effect, others only label `sets`. Without traces, `stand_ins` are run.
    """
    choices = choices or {}
    fabric = choices.get("fabric")
    times = float(choices.get("times", 1.0))
    return [
        point(
            {"load": load.name, "way": way.name, "scheme": scheme, **choices},
            drive=DRIVE,
            fabric=None if fabric is None else str(fabric),
            requests=size.requests if size.requests < QUICK.requests else REQUESTS,
            sets=(f"host.scheduler.scheme={scheme}", *way.sets, *sets),
            **faster(load, times),
        )
        for load in loads(size, float(choices.get("share", LOAD)), stand_ins)
        for way in ways
        for scheme in schemes
    ]


def faster(load: Load, times: float) -> dict[str, Any]:
    """Return the keyword arguments of a load whose rate is multiplied by `times`."""
    if times == 1:
        return load.scenario
    own = float(load.scenario.get("rate_scale", 1.0))
    return {**load.scenario, "rate_scale": float(f"{own * times:.4g}")}


def waiting(report: Report, way: str) -> float | None:
    """Return the mean waiting time of requests: in the I/O queue, for chips and for paths."""
    stages = report.breakdown_us.get(way)
    return math.fsum(stages[name] for name in _WAITS) if stages else None


def queued(report: Report, way: str) -> float | None:
    """Return the mean waiting time of requests in the host's I/O queue."""
    waits = scheduled(report, "waiting_us").get(way)
    return cast("float | None", waits["mean"]) if waits else None


def processing(report: Report, way: str) -> float | None:
    """Return the mean processing time of requests: transfers, reads and programs."""
    stages = report.breakdown_us.get(way)
    if not stages:
        return None
    return math.fsum(time for name, time in stages.items() if name not in _WAITS)


def latency(report: Report, way: str) -> float | None:
    """Return the mean latency of reads or writes."""
    return cast("float | None", report.latency_us[way]["mean"])


def scheduled(report: Report, name: str) -> Any:  # noqa: ANN401 part of a report
    """Return a figure of the host scheduler by its name in the report."""
    return require(report.scheduler)[name]


def conflicted(report: Report, way: str) -> float | None:
    """Return the share of reads or writes that conflict on arrival with another request, in %."""
    return cast("float | None", scheduled(report, f"conflicted_{way}s_pct"))


def conflicted_reads(report: Report) -> float | None:
    """Return the share of reads that conflict on arrival with another request, in %."""
    return conflicted(report, "read")


def busy_planes(report: Report) -> float | None:
    """Return the mean share of busy planes while requests are outstanding [%]."""
    return cast("float | None", scheduled(report, "plane_while_busy_pct"))


def share_of(report: Report, way: str) -> float:
    """Return the share of requests that are reads or writes, in %."""
    return 100 * float(report.requests[f"{way}s"]) / float(report.requests.completed)


def busy_chips(report: Report) -> float | None:
    """Return the mean share of busy chips while requests are outstanding [%]."""
    return cast("float | None", scheduled(report, "chip_while_busy_pct"))


LEAST_PCT = 1.0
"""Smallest share of reads or writes in a trace for a mean over them [%]."""


def has_enough(report: Report | None, ways: Iterable[str]) -> bool:
    """Return true if each of the given operations accounts for more than 1 % of the requests."""
    return report is not None and all(share_of(report, way) > LEAST_PCT for way in ways)


@dataclass(frozen=True)
class Schemes:
    """Reports of :func:`points` with one set of dispatch rules, for comparisons of schemes."""

    runs: Runs
    loads: Sequence[str]
    choices: Mapping[str, Value]

    @staticmethod
    def of(
        runs: Runs,
        size: Size,
        way: DispatchRules = IN_ORDER,
        choices: Mapping[str, Value] | None = None,
        stand_ins: Sequence[str] = tuple(STAND_INS),
    ) -> Schemes:
        """Return the reports of the runs with these choices of the study."""
        names = [load.name for load in loads(size, stand_ins=stand_ins)]
        return Schemes(runs, names, {"way": way.name, **(choices or {})})

    def report(self, load: str, scheme: str) -> Report | None:
        """Return the report of a load under a scheme."""
        return self.runs.find(load=load, scheme=scheme, **self.choices)

    def of_both_kinds(self, scheme: str = "noop") -> list[bool]:
        """Return true for each load with more than 1 % of reads and more than 1 % of writes."""
        reports = [self.report(load, scheme) for load in self.loads]
        return [has_enough(report, ("read", "write")) for report in reports]

    def figures(self, scheme: str, measure: Callable[[Report], float | None]) -> list[float | None]:
        """Return a figure for each load."""
        reports = [self.report(load, scheme) for load in self.loads]
        return [None if report is None else measure(report) for report in reports]

    def ratios(
        self, scheme: str, measure: Callable[[Report], float | None], over: str = "noop"
    ) -> list[float | None]:
        """Return, for each load, the ratio of a scheme's figure to another scheme's."""
        own, others = self.figures(scheme, measure), self.figures(over, measure)
        return [ratio(one, other) for one, other in zip(own, others, strict=True)]

    def mean_change(
        self, scheme: str, measure: Callable[[Report], float | None], over: str = "noop"
    ) -> float | None:
        """Return the mean change of a scheme's figure from another scheme's, in per cent."""
        return change(mean(self.ratios(scheme, measure, over)))


def mean(values: Iterable[float | None]) -> float | None:
    """Return the arithmetic mean, without missing values.

    Examples
    --------
    >>> mean([1.0, None, 2.0]), mean([])
    (1.5, None)
    """
    there = [value for value in values if value is not None]
    return math.fsum(there) / len(there) if there else None
