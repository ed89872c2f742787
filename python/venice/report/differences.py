"""Differences of a comparison's rows from the first one, in figures and latency stages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from venice import stats
from venice.report.demand import is_saturated
from venice.report.percentiles import USUAL, latency_us, title
from venice.report.rows import firsts
from venice.report.stages import STAGES
from venice.report.summary_table import names_of
from venice.stats import CONFIDENCE_PCT, Estimate, sample
from venice.text.layout import format_table
from venice.text.units import column_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venice.report.report import Report
    from venice.report.rows import Row
    from venice.stats import Sample

    Figure = Callable[[Report], float | None]


def difference(
    row: Row, base: Row, figure: Figure, confidence_pct: float = CONFIDENCE_PCT
) -> Estimate | None:
    """Estimate the difference of a figure from the base; ``None`` if a run lacks the figure.

    Rows are compared seed by seed, because runs with one seed have the same requests. This removes
    the variation between seeds.
    """
    return stats.difference(*_samples(row, base, figure), confidence_pct)


def difference_pct(
    row: Row, base: Row, figure: Figure, confidence_pct: float = CONFIDENCE_PCT
) -> Estimate | None:
    """Estimate the difference of a figure from the base in %; ``None`` also if the base is 0.

    The relative difference is the ratio as in :func:`venice.stats.ratio`, minus 1.
    """
    found = stats.ratio(*_samples(row, base, figure), confidence_pct)
    if found is None:
        return None
    half = None if found.half is None else found.half * 100
    return Estimate((found.mean - 1) * 100, half, found.seeds)


def _samples(row: Row, base: Row, figure: Figure) -> tuple[Sample, Sample]:
    """Return the values of a figure in both rows, by seed; empty if a run lacks the figure."""
    own, other = sample(row, figure), sample(base, figure)
    return (own, other) if own and other else ({}, {})


def difference_table(
    rows: Sequence[Row],
    percentiles: Sequence[float] = USUAL,
    confidence_pct: float = CONFIDENCE_PCT,
) -> str:
    """Return a table of the differences of each row's figures from the first row's [%].

    Latencies of saturated runs are not compared, because they depend on the length of the run.
    """
    figures: list[tuple[str, Figure]] = [("mean", _if_it_kept_up(_mean_us))]
    figures += [(title(one), _if_it_kept_up(partial(_percentile, one))) for one in percentiles]
    figures += [
        ("IOPS", lambda report: report.iops),
        ("write\nampl.", lambda report: report.write_amplification),
    ]
    return _against_first(
        rows, "%", figures, partial(difference_pct, confidence_pct=confidence_pct)
    )


def stage_table(rows: Sequence[Row], confidence_pct: float = CONFIDENCE_PCT) -> str:
    """Return a table of the differences of each stage of the mean latency from the first row [µs].

    The differences of a row's stages add up to the difference of its mean latency.
    """
    there = [
        one for one in STAGES if any(_stage_us(one.key, report) for row in rows for report in row)
    ]
    figures: list[tuple[str, Figure]] = [("mean", _mean_us)]
    figures += [(stage.label.replace(" ", "\n"), partial(_stage_us, stage.key)) for stage in there]
    return _against_first(rows, "µs", figures, partial(difference, confidence_pct=confidence_pct))


def _against_first(
    rows: Sequence[Row],
    unit: str,
    figures: Sequence[tuple[str, Figure]],
    differ: Callable[[Row, Row, Figure], Estimate | None],
) -> str:
    """Return a table of differences from the first row, without columns that no other row has."""
    names = names_of(firsts(rows))
    columns = {
        title: [differ(row, rows[0], figure) for row in rows[1:]] for title, figure in figures
    }
    shown = {title: found for title, found in columns.items() if any(found)}
    head = f"{unit} more than\n{names[0]}"
    return format_table([head, *shown], zip(names[1:], *map(_texts, shown.values()), strict=True))


def _texts(column: Sequence[Estimate | None]) -> list[str]:
    """Return a column as texts, with decimals that suit its largest figure.

    Examples
    --------
    >>> _texts([Estimate(-3.951, 0.24), Estimate(0.5, None), None])
    ['−3.95 ±0.24', '+0.50', '–']
    """
    means = column_texts([None if one is None else one.mean for one in column], signed=True)
    halves = column_texts(
        [*(None if one is None else one.half for one in column), *_largest(column)]
    )
    return [
        mean if one is None or one.half is None else f"{mean} ±{half}"
        for one, mean, half in zip(column, means, halves, strict=False)
    ]


def _largest(column: Sequence[Estimate | None]) -> list[float]:
    """Return the largest mean, which determines the number of decimals."""
    return [max(abs(one.mean) for one in column if one is not None)]


def method_note(rows: Sequence[Row], confidence_pct: float = CONFIDENCE_PCT) -> str | None:
    """Return a note on the intervals of both tables; ``None`` for runs with one seed."""
    seeds = len({report.seed for report in rows[0]})
    if seeds == 1:
        return None
    return (
        f"±: half of the {confidence_pct:g} % confidence interval over {seeds} seeds "
        "(Student's t, rows paired by seed)"
    )


def _mean_us(report: Report) -> float | None:
    mean: float | None = report.content["latency_us"]["all"]["mean"]
    return mean


def _percentile(percentile: float, report: Report) -> float | None:
    return latency_us(report, percentile)


def _stage_us(stage: str, report: Report) -> float:
    return report.breakdown()[stage]


def _if_it_kept_up(figure: Figure) -> Figure:
    return lambda report: None if is_saturated(report) else figure(report)
