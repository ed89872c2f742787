"""What the PIQ paper's experiments share: traces, schemes, loads, and changes against NOOP.

The paper replays fifteen MSR volumes in SSDSim. Where a folder of traces is named in the
environment (`VENICE_TRACES`), its files are replayed at their own times. Otherwise stand-ins of
MSR volumes are run, slowed down or speeded up until they offer a stated share of what the channels
carry: their own pace is that of a much faster drive.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from venice._native import UsageError
from venice.reproduce.experiments.suite import change, point, ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from venice.report import Report
    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point
    from venice.sweep.definition import Value

DRIVE = "piq-128gb"
CHANNELS_MB_PER_S = 8 * 40.0
"""What the drive's channels carry together."""

SCHEMES = ("noop", "rws", "piq_r", "piq_w", "piq", "piq_plus")
TITLES = {
    "noop": "NOOP",
    "rws": "RWS",
    "piq_r": "PIQ_R",
    "piq_w": "PIQ_W",
    "piq": "PIQ",
    "piq_plus": "PIQ+",
}

LOAD = 0.4
"""Share of the channels' bandwidth that stand-ins offer, unless a run says otherwise."""

MOST_REQUESTS = 10_000
"""Of a run: where a drive in order falls behind, a longer run only says so for longer."""

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
"""Mean size in KB of 1,024 bytes, and mean gap in µs: Venice paper, Table 2."""

FOLDER = "VENICE_TRACES"
_WAITS = ("queue", "chip_wait", "path_wait", "mapping")


@dataclass(frozen=True)
class Way:
    """How requests go to the drive: what the paper leaves open.

    Attributes
    ----------
    name
        Its name in tables.
    text
        Its name in the scorecard.
    sets
        What it changes in the drive.
    """

    name: str
    text: str
    sets: tuple[str, ...]


def _way(name: str, text: str, issue: str, next_batch: str, *more: str) -> Way:
    key = "host.scheduler."
    return Way(name, text, (f"{key}issue={issue}", f"{key}next_batch={next_batch}", *more))


IN_ORDER = _way(
    "in_order", "drive in order, batches follow at once", "without_conflicts", "as_slots_free"
)
PASSING = _way(
    "passing", "drive lets requests pass, batches follow at once", "freely", "as_slots_free"
)
PAQ = _way(
    "paq",
    "drive queues by physical address, batches follow at once",
    "freely",
    "as_slots_free",
    "ftl.scheduling=paq",
)
WAYS = (
    IN_ORDER,
    _way(
        "in_order_drained",
        "drive in order, batch after batch",
        "without_conflicts",
        "after_completion",
    ),
    PASSING,
    _way(
        "passing_drained",
        "drive lets requests pass, batch after batch",
        "freely",
        "after_completion",
    ),
    PAQ,
)
"""Whether the drive takes requests in order, and when the next batch begins."""


@dataclass(frozen=True)
class Load:
    """Where requests come from, and how fast."""

    name: str
    scenario: dict[str, Any]


def loads(
    size: Size, share: float = LOAD, stand_ins: Sequence[str] = tuple(STAND_INS)
) -> list[Load]:
    """Give what is run: the traces at hand, or else the stand-ins at a share of the bandwidth."""
    folder = os.environ.get(FOLDER)
    return (
        _traces(Path(folder))
        if folder
        else [_stand_in(name, share) for name in size.some(stand_ins)]
    )


def regime(share: float = LOAD) -> str:
    """Say what :func:`loads` gives, for the scorecard."""
    if os.environ.get(FOLDER):
        return "traces at their own times"
    return f"stand-ins of MSR volumes, {share:.0%} of the channels' bandwidth"


def _stand_in(name: str, share: float) -> Load:
    size_kb, gap_us = STAND_INS[name]
    own_mb_per_s = size_kb * 1024 / gap_us
    scale = float(f"{share * CHANNELS_MB_PER_S / own_mb_per_s:.4g}")
    return Load(name, {"workload": name, "rate_scale": scale})


def _traces(folder: Path) -> list[Load]:
    if not folder.is_dir():
        raise UsageError(f"{FOLDER} names {folder}, which is no folder; name one with trace files")
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix != ".md")
    if not files:
        raise UsageError(f"{FOLDER} names {folder}, which has no file; put trace files there")
    return [Load(path.name.split(".")[0], {"trace": str(path)}) for path in files]


def points(
    size: Size,
    schemes: Sequence[str] = SCHEMES,
    ways: Sequence[Way] = WAYS,
    sets: Sequence[str] = (),
    choices: Mapping[str, Value] | None = None,
    stand_ins: Sequence[str] = tuple(STAND_INS),
) -> list[Point]:
    """Give the runs of each load under each scheme.

    `choices` tell them from others: `fabric` and `share` (see :func:`loads`) act, others say what
    `sets` change. Where there are no traces, `stand_ins` are run.
    """
    choices = choices or {}
    fabric = choices.get("fabric")
    return [
        point(
            {"load": load.name, "way": way.name, "scheme": scheme, **choices},
            drive=DRIVE,
            fabric=None if fabric is None else str(fabric),
            requests=min(size.requests, MOST_REQUESTS),
            sets=(f"host.scheduler.scheme={scheme}", *way.sets, *sets),
            **load.scenario,
        )
        for load in loads(size, float(choices.get("share", LOAD)), stand_ins)
        for way in ways
        for scheme in schemes
    ]


def waiting(report: Report, way: str) -> float | None:
    """Give the mean time for which requests wait: in the I/O queue, for chips and for paths."""
    stages = report.breakdown_us.get(way)
    return math.fsum(stages[name] for name in _WAITS) if stages else None


def processing(report: Report, way: str) -> float | None:
    """Give the mean time for which requests are moved, read and programmed."""
    stages = report.breakdown_us.get(way)
    if not stages:
        return None
    return math.fsum(time for name, time in stages.items() if name not in _WAITS)


def latency(report: Report, way: str) -> float | None:
    """Give the mean latency."""
    return cast("float | None", report.latency_us[way]["mean"])


def scheduled(report: Report, name: str) -> Any:  # noqa: ANN401 part of a report
    """Give a part of what the report says of the host's scheduler."""
    return report.scheduler[name]


def conflicted_reads(report: Report) -> float | None:
    """Give the share of reads that meet another request on a unit, in %."""
    return cast("float | None", scheduled(report, "conflicted_reads_pct"))


def busy_chips(report: Report) -> float | None:
    """Give the share of chips at work, in %, while requests are there."""
    return cast("float | None", scheduled(report, "chip_while_busy_pct"))


@dataclass(frozen=True)
class Schemes:
    """The reports of :func:`points` in one way, compared between schemes."""

    runs: Runs
    loads: Sequence[str]
    choices: Mapping[str, Value]

    @staticmethod
    def of(
        runs: Runs,
        size: Size,
        way: Way = IN_ORDER,
        choices: Mapping[str, Value] | None = None,
        stand_ins: Sequence[str] = tuple(STAND_INS),
    ) -> Schemes:
        """Give the runs of these choices."""
        names = [load.name for load in loads(size, stand_ins=stand_ins)]
        return Schemes(runs, names, {"way": way.name, **(choices or {})})

    def figures(self, scheme: str, measure: Callable[[Report], float | None]) -> list[float | None]:
        """Give a figure of each load."""
        reports = [self.runs.find(load=load, scheme=scheme, **self.choices) for load in self.loads]
        return [None if report is None else measure(report) for report in reports]

    def ratios(
        self, scheme: str, measure: Callable[[Report], float | None], over: str = "noop"
    ) -> list[float | None]:
        """Give a figure as a share of another scheme's, for each load."""
        own, others = self.figures(scheme, measure), self.figures(over, measure)
        return [ratio(one, other) for one, other in zip(own, others, strict=True)]

    def mean_change(
        self, scheme: str, measure: Callable[[Report], float | None], over: str = "noop"
    ) -> float | None:
        """Give the mean change against another scheme, in per cent."""
        return change(mean(self.ratios(scheme, measure, over)))


def mean(values: Iterable[float | None]) -> float | None:
    """Give the arithmetic mean, as the paper does; values that are missing are left out.

    Examples
    --------
    >>> mean([1.0, None, 2.0]), mean([])
    (1.5, None)
    """
    there = [value for value in values if value is not None]
    return math.fsum(there) / len(there) if there else None
