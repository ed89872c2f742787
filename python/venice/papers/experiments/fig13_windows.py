"""Figure 13 from real traces at their recorded arrival times, with mean latencies.

At the load that reproduces the shares of Figure 13, latencies differ little between designs, so the
speed-ups of Figures 4 and 9 are not reproduced. The table has both quantities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from venice.papers.card import Card, View
from venice.papers.experiment import Finding
from venice.papers.experiments import study, suite, windows
from venice.papers.experiments.designs import BEST, LETTER, NAMES, TITLES
from venice.papers.experiments.windows import spread
from venice.papers.markdown import section, table
from venice.papers.printed_claims import CONFLICT_FREE_PCT, CONFLICTS, LATENCY, PRINTED_CLAIMS, Kind
from venice.papers.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.card import Score
    from venice.papers.experiment import Runs
    from venice.papers.experiments.study import StudyRatios
    from venice.papers.experiments.suite import Regime
    from venice.papers.experiments.windows import Spread
    from venice.papers.size import Size

COLUMNS = (
    "workload", "regime", "fabric", "requests_conflict_pct", "transfers_conflict_pct",
    "bandwidth_mb_per_s", "channel_pct", "chip_pct", "mean_latency_us", "mean_latency_speed_up",
)  # fmt: skip
_METRICS = (
    CONFLICTS, "path.conflict_pct", "bandwidth_mb_per_s", "utilisation.channel_pct",
    "utilisation.chip_pct", LATENCY,
)  # fmt: skip
_WIDTH_INCHES, _HEIGHT_INCHES, _NAMES_INCHES = 6.4, 4.6, 1.7
_MEAN = "mean"
_LEFT_OUT = ("mean, one trace left out, least", "mean, one trace left out, most")
_SPEED_UPS = {
    claim.of: float(claim.paper)
    for claim in PRINTED_CLAIMS
    if claim.experiment in {"fig4", "fig9a"}
    and claim.kind is Kind.FACTOR
    and claim.over == "bus"
    and not claim.is_most
    and claim.over_study is None
}
"""Mean speed-ups over Baseline in Figures 4 and 9(a), by design."""


def row(found: StudyRatios, workload: str, regime: Regime, design: str) -> list[object]:
    """Return the table row of a design on a workload."""
    figures = [found.figure(metric, workload, regime, design) for metric in _METRICS]
    gain = found.gain(LATENCY, workload, regime, "bus", design)
    return [workload, regime.name, design, *figures, gain]


@dataclass(frozen=True)
class _Result:
    """Mean results of a design over the traces.

    Attributes
    ----------
    design
        Name of the design.
    free_pct
        Share of requests without a path conflict [%].
    gain
        Ratio of Baseline's mean latency to the design's.
    """

    design: str
    free_pct: Spread
    gain: Spread

    @property
    def paper_pct(self) -> float | None:
        """Share of requests without a path conflict in the paper [%]; ``None`` if not given."""
        return CONFLICT_FREE_PCT.get(_printed_as(self.design))

    @property
    def paper_gain(self) -> float | None:
        """The paper's speed-up over Baseline; ``None`` for Baseline itself."""
        return _SPEED_UPS.get(_printed_as(self.design))


def _printed_as(design: str) -> str:
    return LETTER.name if design == BEST.name else design


def _result(found: StudyRatios, regime: Regime, design: str) -> _Result:
    gains = found.gains(LATENCY, regime, "bus", design)
    return _Result(design, spread(_free(found, regime, design)), spread(gains))


def _free(found: StudyRatios, regime: Regime, design: str) -> list[float | None]:
    """Return the share of requests without a path conflict in each trace [%]."""
    shares = [found.figure(CONFLICTS, name, regime, design) for name in found.workloads]
    return [None if share is None else 100 - share for share in shares]


def evaluate(runs: Runs, size: Size) -> Finding:
    """Return the result of the experiment for the traces given by name."""
    found = study.StudyRatios(runs, study.PERFORMANCE, windows.names(size))
    regime = windows.regime(size)
    results = [_result(found, regime, design) for design in NAMES]
    rows = [row(found, name, regime, design) for name in found.workloads for design in NAMES]
    rows += [line for result in results for line in _mean_rows(result, regime)]
    summary = "\n".join([*map(_line, results), "", *_remarks(found, regime, results)])
    text = section(
        "Figure 13 from real traces", _table(results), " ".join(_remarks(found, regime, results))
    )
    return Finding(
        COLUMNS,
        rows,
        _claims(runs, size, results),
        lambda: _draw(found, regime, results),
        text,
        summary,
    )


def _mean_rows(result: _Result, regime: Regime) -> list[list[object]]:
    """Return two table rows: the mean over the traces, and the range over the traces."""
    names = (_MEAN, *_LEFT_OUT)
    pairs = zip(names, result.free_pct, result.gain, strict=True)
    missing = [None] * (len(_METRICS) - 1)
    return [
        [name, regime.name, result.design, None if free is None else 100 - free, *missing, gain]
        for name, free, gain in pairs
    ]


def _claims(runs: Runs, size: Size, results: Sequence[_Result]) -> list[Claim]:
    """Return the scorecard rows of paper-literal Venice, with tuned Venice in the notes."""
    claims = [claim for claim in PRINTED_CLAIMS if claim.experiment == "fig13"]
    view = View(windows.regime(size), suite.STATED, LETTER.name)
    by_name = {result.design: result for result in results}
    return [_claim(score, view, by_name) for score in Card(runs, size).scores(view, claims)]


def _claim(score: Score, view: View, results: dict[str, _Result]) -> Claim:
    claim = score.claim
    note = f"leaving one out: {_range(results[claim.of].free_pct)}"
    if claim.of == LETTER.name:
        note += f"; best: {results[BEST.name].free_pct.shown()}"
    return Claim(
        claim.experiment,
        claim.text,
        claim.paper,
        None if score.value is None else claim.shown(score.value),
        claim.unit,
        claim.where,
        view.regime.text,
        note,
        log_error=score.log_error,
        verdict=score.is_hit,
        compared=claim.compared(score.value),
    )


def _range(means: Spread) -> str:
    if means.least is None or means.most is None:
        return "–"
    return f"{means.least:.1f} to {means.most:.1f}"


def _table(results: Sequence[_Result]) -> str:
    titles = (
        "design", "without conflict, paper, %", "real traces (leaving one out), %",
        "mean latency, Baseline's over the design's (leaving one out)",
        "speed-up of Figures 4 and 9(a)",
    )  # fmt: skip
    rows = [
        (
            TITLES[it.design],
            it.paper_pct,
            it.free_pct.shown(),
            it.gain.shown(digits=2),
            it.paper_gain,
        )
        for it in results
    ]
    return table(titles, rows)


def _line(result: _Result) -> str:
    paper = "     –" if result.paper_pct is None else f"{result.paper_pct:6.2f}"
    gain = "" if result.paper_gain is None else f", speed-up in the paper {result.paper_gain:.2f}"
    return (
        f"{TITLES[result.design]:<13} without conflict: paper {paper} %, "
        f"ours {result.free_pct.shown()} %; mean latency {result.gain.shown(digits=2)} times "
        f"as good as Baseline's{gain}"
    )


def _remarks(found: StudyRatios, regime: Regime, results: Sequence[_Result]) -> list[str]:
    """Return remarks on the traces of the means, and on the difference from Figures 4 and 9."""
    remarks = [f"Means are over {len(found.workloads)} traces: {', '.join(found.workloads)}."]
    saturated = [name for name in found.workloads if _is_saturated(found, name, regime)]
    if saturated:
        remarks.append(f"Latencies leave out saturated runs: {', '.join(saturated)}.")
    gains = [it.gain.mean for it in results if it.gain.mean is not None]
    if gains and max(gains) < min(_SPEED_UPS.values()):
        remarks.append(
            f"The largest gain in mean latency is {max(gains):.2f}; the least speed-up in Figures "
            f"4 and 9(a) is {min(_SPEED_UPS.values()):.2f}: those figures and Figure 13 are not "
            "of one load."
        )
    return remarks


def _is_saturated(found: StudyRatios, name: str, regime: Regime) -> bool:
    return any(found.figure(LATENCY, name, regime, design) is None for design in NAMES)


def _draw(found: StudyRatios, regime: Regime, results: Sequence[_Result]) -> Figure:
    from venice.papers.draw import (  # noqa: PLC0415 matplotlib is slow
        Panel,
        draw_bars,
        grid,
        label,
        legend_below,
    )

    shares = {
        TITLES[it.design]: [*_free(found, regime, it.design), it.free_pct.mean, it.paper_pct]
        for it in results
    }
    gains = {
        TITLES[it.design]: [
            *found.gains(LATENCY, regime, "bus", it.design),
            it.gain.mean,
            it.paper_gain,
        ]
        for it in results[1:]
    }
    content = {
        Panel("", y="requests without a path conflict, %"): shares,
        Panel("", y="mean latency, × better; paper: speed-up"): gains,
    }
    figure, (axes,) = grid(1, len(content), _WIDTH_INCHES, _HEIGHT_INCHES)
    groups = [*found.workloads, _MEAN, "paper"]
    for space, (panel, series) in zip(axes, content.items(), strict=True):
        draw_bars(space, groups, series)
        space.grid(visible=False, axis="x")
        label(space, panel)
    figure.subplots_adjust(bottom=_NAMES_INCHES / _HEIGHT_INCHES)
    legend_below(figure, axes[0], len(shares))
    return figure
