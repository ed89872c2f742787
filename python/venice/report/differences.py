"""By how much the rows of a comparison differ from the first, and in which stages."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from venice.report.demand import is_saturated
from venice.report.interval import half_interval
from venice.report.layout import laid_out
from venice.report.percentiles import USUAL, latency_us, title
from venice.report.rows import firsts
from venice.report.stages import STAGES
from venice.report.table import column_texts, names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venice.report.report import Report
    from venice.report.rows import Row

    Figure = Callable[[Report], float | None]


class Difference(NamedTuple):
    """By how much a figure is larger in one row than in another."""

    mean: float
    """Over seeds: in the figure's unit, or in %."""
    half: float | None
    """Half of its 95 % confidence interval; ``None`` of a single seed."""


def difference(row: Row, base: Row, figure: Figure) -> Difference | None:
    """Give by how much a figure is larger than in the base; ``None`` if a run is without it.

    Runs of one seed have the same requests, so the rows are compared seed by seed: what differs
    between seeds alone drops out.
    """
    return _over_seeds([own - other for own, other in _pairs(row, base, figure)])


def difference_pct(row: Row, base: Row, figure: Figure) -> Difference | None:
    """Give by how many % a figure is larger, likewise; ``None``, too, if the base's is nought."""
    pairs = _pairs(row, base, figure)
    if not all(other for _, other in pairs):
        return None
    return _over_seeds([(own / other - 1) * 100 for own, other in pairs])


def _pairs(row: Row, base: Row, figure: Figure) -> list[tuple[float, float]]:
    """Pair a figure with the base's of the same seed; nothing if a run is without it."""
    pairs = zip(map(figure, row), map(figure, base), strict=True)
    found = [(own, other) for own, other in pairs if own is not None and other is not None]
    return found if len(found) == len(row) else []


def _over_seeds(found: Sequence[float]) -> Difference | None:
    return Difference(fmean(found), half_interval(found)) if found else None


def difference_table(rows: Sequence[Row], percentiles: Sequence[float] = USUAL) -> str:
    """Lay out by how many % the figures of each row are larger than the first row's.

    Latencies past saturation tell how long a run was: they are not compared.
    """
    figures: list[tuple[str, Figure]] = [("mean", _if_it_kept_up(_mean_us))]
    figures += [(title(one), _if_it_kept_up(partial(_percentile, one))) for one in percentiles]
    figures += [("IOPS", lambda report: report.iops), ("write\nampl.", _write_amplification)]
    return _against_first(rows, "%", figures, difference_pct)


def stage_table(rows: Sequence[Row]) -> str:
    """Lay out how much longer each stage of the mean request is than in the first row, in µs.

    The stages of a row add up to the difference of its mean latency.
    """
    there = [
        one for one in STAGES if any(_stage_us(one.key, report) for row in rows for report in row)
    ]
    figures: list[tuple[str, Figure]] = [("mean", _mean_us)]
    figures += [(stage.label.replace(" ", "\n"), partial(_stage_us, stage.key)) for stage in there]
    return _against_first(rows, "µs", figures, difference)


def _against_first(
    rows: Sequence[Row],
    unit: str,
    figures: Sequence[tuple[str, Figure]],
    differ: Callable[[Row, Row, Figure], Difference | None],
) -> str:
    """Lay out the rows behind the first; figures that none of them has are left out."""
    names = names_of(firsts(rows))
    columns = {
        title: [differ(row, rows[0], figure) for row in rows[1:]] for title, figure in figures
    }
    shown = {title: found for title, found in columns.items() if any(found)}
    head = f"{unit} more than\n{names[0]}"
    return laid_out([head, *shown], zip(names[1:], *map(_texts, shown.values()), strict=True))


def _texts(column: Sequence[Difference | None]) -> list[str]:
    """Write a column with as many decimals as its largest figure has use for.

    Examples
    --------
    >>> _texts([Difference(-3.951, 0.24), Difference(0.5, None), None])
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


def _largest(column: Sequence[Difference | None]) -> list[float]:
    """Give the largest mean, after which the intervals are written, too."""
    return [max(abs(one.mean) for one in column if one is not None)]


def _mean_us(report: Report) -> float | None:
    mean: float | None = report.to_dict()["latency_us"]["all"]["mean"]
    return mean


def _percentile(percentile: float, report: Report) -> float | None:
    return latency_us(report, percentile)


def _stage_us(stage: str, report: Report) -> float:
    return report.breakdown()[stage]


def _write_amplification(report: Report) -> float | None:
    found: float | None = report.to_dict()["write_amplification"]
    return found


def _if_it_kept_up(figure: Figure) -> Figure:
    return lambda report: None if is_saturated(report) else figure(report)
