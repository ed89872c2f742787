"""PIQ, §III and §V: the means that the text states, under one setting.

The regime was chosen before the runs: real traces at their own arrival times, on an in-order drive
with open batches, static allocation, 64 entries for reads and 64 for writes, and SSDsim's channels
of 40 MB/s. Each claim counts once, under this regime. A second table, which is not counted, shows
all claims under other readings and with other channel rates, which the paper does not give.

Waiting is the sum of the waits in the host's queue, for chips and for paths, as fixed before the
runs. The paper may mean only the host's queue; the note of each row states that value.

Traces with less than one per cent of reads or of writes are omitted, since a mean over a few
requests is meaningless. Rows named `all` have every trace: means of reads over traces with reads,
and means of writes over traces with writes. If no trace has both, these rows count instead.

The ideal drive without conflicts also has none on channels: the paper's parallel units are
"channels, chips, dies, and planes" (§I). Its requests are moved to idle chips, and each has its own
path.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import piq_bound, piq_suite
from venice.papers.experiments.piq_suite import (
    IN_ORDER,
    OTHER_RULES,
    SCHEMES,
    TITLES,
    DispatchRules,
    Schemes,
    mean,
)
from venice.papers.experiments.suite import change, ratio
from venice.papers.markdown import section
from venice.papers.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point
    from venice.sweep.definition import Value

IDEAL = "conflict_free"
IDEAL_CHOICES: dict[str, Value] = {"fabric": "ideal"}
"""Choices that identify the runs of the ideal drive, which has no conflicts on channels."""
_RATES_MB_PER_S = (80, 133, 200, 400)
"""Further channel rates, from legacy NAND to ONFI 3 [MB/s]."""


@dataclass(frozen=True)
class PrintedMean:
    """Mean that the paper states.

    Attributes
    ----------
    text
        Description of the mean.
    paper
        Value in the paper.
    scheme
        Scheme; `IDEAL` for the ratio of NOOP's time to the ideal drive's.
    measure
        Function that returns the quantity from a report.
    way
        ``"read"`` or ``"write"`` if the mean covers only one operation.
    section
        Section of the paper.
    queued
        For waiting times, the function for the wait in the host's queue alone; otherwise ``None``.
    """

    text: str
    paper: float
    scheme: str
    measure: Callable[[Report], float | None]
    way: str | None
    section: str
    queued: Callable[[Report], float | None] | None = None

    @property
    def unit(self) -> str:
        """Unit of the value; empty for a ratio."""
        return "" if self.scheme == IDEAL else "%"

    def values(self, found: Schemes, ideal: Schemes) -> list[float | None]:
        """Return the value for each load: an absolute value, or a ratio to NOOP."""
        if self.scheme == "noop":
            return found.figures("noop", self.measure)
        if self.scheme == IDEAL:
            own, least = found.figures("noop", self.measure), ideal.figures(IDEAL, self.measure)
            return [ratio(one, other) for one, other in zip(own, least, strict=True)]
        return found.ratios(self.scheme, self.measure)

    def reported(self, values: Sequence[float | None]) -> float | None:
        """Return the mean over loads as the paper states it: a value, or a change in %."""
        average = mean(values)
        return average if self.scheme in ("noop", IDEAL) else change(average)


_TIMES = (
    ("piq_r", "read", -41.7, -51.3),
    ("piq_w", "write", -33.7, -46.1),
    ("piq", "read", -41.7, -51.3),
    ("piq", "write", -33.8, -46.3),
    ("piq_plus", "read", -41.1, None),
    ("piq_plus", "write", -39.7, -70.5),
)
"""Scheme, operation, change of latency [%], and change of waiting time if the paper states it."""
_CHIPS = {"piq_r": 9.2, "piq_w": 11.9, "piq": 22.0, "piq_plus": 22.0}


def _changes() -> Iterator[PrintedMean]:
    for scheme, way, latency, waiting in _TIMES:
        against = f"{TITLES[scheme]} against NOOP"
        measure = _measure(piq_suite.latency, way)
        yield PrintedMean(f"{way} latency, {against}", latency, scheme, measure, way, "§V-B1")
        if waiting is not None:
            measure, text = _measure(piq_suite.waiting, way), f"waiting of {way}s, {against}"
            queued = _measure(piq_suite.queued, way)
            yield PrintedMean(text, waiting, scheme, measure, way, "§V-B1", queued)
    for scheme, chips in _CHIPS.items():
        text = f"chips at work, {TITLES[scheme]} against NOOP"
        yield PrintedMean(text, chips, scheme, piq_suite.busy_chips, None, "§V-B1")


def _measure(
    measure: Callable[[Report, str], float | None], way: str
) -> Callable[[Report], float | None]:
    return lambda report: measure(report, way)


def _of_noop() -> Iterator[PrintedMean]:
    for way, paper in (("read", 26.2), ("write", 23.3)):
        measure = _measure(piq_suite.conflicted, way)
        yield PrintedMean(f"{way}s in conflict", paper, "noop", measure, way, "§III, Figure 3a")
    for way, paper in (("read", 7.1), ("write", 4.8)):
        text = f"{way} latency over that without conflicts"
        measure = _measure(piq_suite.latency, way)
        yield PrintedMean(text, paper, IDEAL, measure, way, "§III, Figure 3b")


PRINTED_MEANS = (*_of_noop(), *_changes())
"""The nineteen means that the paper's text states."""


@dataclass(frozen=True)
class _Variant:
    """Variant of the drive and the rules, under which all claims are evaluated."""

    name: str
    way: DispatchRules = IN_ORDER
    sets: tuple[str, ...] = ()

    def points(self, size: Size) -> Sequence[Point]:
        choices: dict[str, Value] = {"variant": self.name}
        ideal = {**choices, **IDEAL_CHOICES}
        return [
            *piq_suite.points(size, SCHEMES, (self.way,), self.sets, choices),
            *piq_suite.points(size, (IDEAL,), (self.way,), self.sets, ideal),
        ]

    def found(self, runs: Runs, size: Size) -> Schemes:
        return Schemes.of(runs, size, self.way, {"variant": self.name})

    def ideal(self, runs: Runs, size: Size) -> Schemes:
        return Schemes.of(runs, size, self.way, {"variant": self.name, **IDEAL_CHOICES})


_REGIME = _Variant("regime")
_VARIANTS = (
    _REGIME,
    *(
        _Variant(f"channels of {rate} MB/s", sets=(f"fabric.channel_rate_mb_per_s={rate}",))
        for rate in _RATES_MB_PER_S
    ),
    *(_Variant(way.name, way) for way in OTHER_RULES),
)


def _points(size: Size) -> Sequence[Point]:
    return [point for variant in size.some(_VARIANTS) for point in variant.points(size)]


@dataclass(frozen=True)
class _Judgement:
    """Evaluation of the claims under a setting, over the loads with enough requests.

    Attributes
    ----------
    found
        Runs of the schemes.
    ideal
        Runs of the ideal drive.
    both
        True if only loads with both reads and writes count.
    size
        Size of the experiment.
    way
        Rules on when the host dispatches requests to the drive.
    """

    found: Schemes
    ideal: Schemes
    both: bool
    size: Size
    way: DispatchRules

    def loads(self, stated: PrintedMean) -> list[bool]:
        ways = ("read", "write") if self.both else (stated.way,) if stated.way else ()
        reports = (self.found.report(load, "noop") for load in self.found.loads)
        return [piq_suite.has_enough(report, ways) for report in reports]

    def kept(self, stated: PrintedMean) -> list[float | None]:
        pairs = zip(stated.values(self.found, self.ideal), self.loads(stated), strict=True)
        return [value for value, has_enough in pairs if has_enough]

    def claims(self) -> list[Claim]:
        return [self._judged(stated) for stated in PRINTED_MEANS]

    def _judged(self, stated: PrintedMean) -> Claim:
        values = self.kept(stated)
        regime = piq_suite.regime(self.size, counted=_known(values))
        queued = None
        if stated.queued is not None:
            queued = self.kept(replace(stated, measure=stated.queued))
        return claim_of(stated, values, f"{regime}; {self.way.text}", queued)


def _range(stated: PrintedMean, values: Sequence[float | None]) -> tuple[float, float] | None:
    """Return the range of the mean when one load at a time is left out."""
    known = [value for value in values if value is not None]
    left = [stated.reported([*known[:place], *known[place + 1 :]]) for place in range(len(known))]
    reported = [value for value in left if value is not None]
    return (min(reported), max(reported)) if len(known) > 1 else None


def _known(values: Sequence[float | None]) -> int:
    return len([value for value in values if value is not None])


def claim_of(
    stated: PrintedMean,
    values: Sequence[float | None],
    regime: str,
    queued: Sequence[float | None] | None = None,
) -> Claim:
    """Return the scorecard row of a mean, with its range when each load in turn is left out.

    `queued` are the waits in the host's queue alone, for the note.
    """
    spread = _range(stated, values)
    known = _known(values)
    note = (
        f"{known} traces; leaving one out: {spread[0]:.3g} to {spread[1]:.3g}"
        if spread
        else f"{known} traces"
    )
    if queued is not None and (alone := stated.reported(queued)) is not None:
        note += f"; in the host's queue alone: {alone:.3g}"
    reported = stated.reported(values)
    return Claim(
        "piq-claims", stated.text, stated.paper, reported, stated.unit, stated.section, regime, note
    )


def _evaluate(runs: Runs, size: Size) -> Finding:
    rows: list[list[str | float | None]] = []
    counts: list[list[str | float | None]] = []
    judgement = _judgement(_REGIME, runs, size, both=True)
    for variant in size.some(_VARIANTS):
        for both in (True, False):
            name = f"{variant.name}, {'both kinds' if both else 'all'}"
            claims = _judgement(variant, runs, size, both=both).claims()
            close = float(sum(claim.is_reproduced for claim in claims))
            counts.append([name, "claims within 15 %", float(len(PRINTED_MEANS)), close, None, ""])
            rows += [_row(name, claim) for claim in claims]
        text = "traces past saturation under NOOP"
        rows.append([variant.name, text, None, *_grown(variant.found(runs, size))])
    if not any(judgement.found.of_both_kinds()):
        judgement = _judgement(_REGIME, runs, size, both=False)
    claims = judgement.claims()
    columns = ("setting", "claim", "paper", "ours", "within_15_pct", "note")
    traces = _traces(judgement)
    text = "\n".join(
        [
            section("Traces of the PIQ paper's claims", traces),
            piq_bound.bound_section(judgement.found),
        ]
    )
    return Finding(columns, [*rows, *counts], claims, lambda: _draw(claims), text, traces)


def _traces(judgement: _Judgement) -> str:
    """Return a text with the loads that count, and the reasons why other loads do not count."""
    found = judgement.found
    pairs = list(zip(found.loads, found.of_both_kinds(), strict=True))
    counted = [load for load, both in pairs if both or not judgement.both]
    others = [load for load, _ in pairs if load not in counted]
    *_, grown = _grown(found)
    lines = [f"Means are over {_list_text(counted)}."]
    if not judgement.both:
        lines = ["No trace has more than one per cent of reads and of writes: reads are means over"]
        lines += ["those that have reads, writes over those that have writes."]
    if others:
        lines.append(f"Left out, for a per cent or less of one kind: {_list_text(others)}.")
    if grown:
        lines.append(
            f"Past saturation in order under NOOP, so that means say how long the run was: {grown}."
        )
    return " ".join(lines)


def _list_text(names: Sequence[str]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "none"


def _judgement(variant: _Variant, runs: Runs, size: Size, *, both: bool) -> _Judgement:
    found, ideal = variant.found(runs, size), variant.ideal(runs, size)
    return _Judgement(found, ideal, both, size, variant.way)


def _grown(found: Schemes) -> tuple[float, None, str]:
    """Return the number of saturated loads, ``None``, and a note that names the loads."""
    reports = {load: found.report(load, "noop") for load in found.loads}
    names = [
        load
        for load, report in reports.items()
        if report is not None and piq_suite.scheduled(report, "backlog")["grows"]
    ]
    return float(len(names)), None, ", ".join(names)


def _row(name: str, claim: Claim) -> list[str | float | None]:
    return [name, claim.claim, claim.paper, claim.ours, float(claim.is_reproduced), claim.note]


def _draw(claims: Sequence[Claim]) -> Figure:
    from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

    of_percent = [claim for claim in claims if claim.unit == "%"]
    series: dict[str, list[float | None]] = {
        "paper": [float(claim.paper) for claim in of_percent],
        "ours": [None if claim.ours is None else float(claim.ours) for claim in of_percent],
    }
    names = [claim.claim.replace(" against NOOP", "") for claim in of_percent]
    content: dict[str, dict[str, list[float | None]]] = {"the paper's means": series}
    return panels_of_bars(names, content, Panel("", y="%"))


EXPERIMENT = Experiment(
    "piq-claims",
    "piq",
    "The nineteen means that the paper prints, at one setting",
    "PIQ, §III and §V",
    _evaluate,
    _points,
)
