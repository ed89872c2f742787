"""Section of a data sheet with the figures of a drive over several seeds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from venice.report.figure_paths import figure
from venice.report.grouping import Groups, Result
from venice.report.summary_table import names_of
from venice.sheet import html
from venice.stats import CONFIDENCE_PCT, mean_of, sample
from venice.text.units import column_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venice.report.grouping import Series
    from venice.report.report import Report

_FIGURES = (
    ("IOPS, requests/s", "iops"),
    ("bandwidth, MB/s", "bandwidth_mb_per_s"),
    *(
        (f"{operation} latency, {name}, µs", f"latency_us.{operation}.{key}")
        for operation in ("read", "write")
        for name, key in (("mean", "mean"), ("p99", "p99"), ("p99.9", "p999"))
    ),
    ("write amplification", "write_amplification"),
)


def over_seeds(reports: Sequence[Report]) -> Iterator[str]:
    """Yield a section for each drive and load with several seeds: means and intervals."""
    groups = Groups([Result(report.fabric, report) for report in reports])
    several = [series for series in groups.series if series.seeds > 1]
    names = names_of([series.reports[0] for series in several]) if several else []
    for name, series in zip(names, several, strict=True):
        yield f"<h1>{html.text(f'{name}, {series.workload}')}: {series.seeds} seeds</h1>"
        yield html.table(["figure", "mean", "±"], list(_rows(series)))
        yield html.paragraph(
            f"±: half of the {CONFIDENCE_PCT:g} % confidence interval of the mean over "
            f"{series.seeds} seeds (Student's t).",
            "note",
        )


def _rows(series: Series) -> Iterator[list[str]]:
    for title, name in _FIGURES:
        found = sample(series.reports, partial(_value, name))
        if found is not None:
            mean, half, _ = mean_of(list(found.values()))
            yield [html.text(title), *column_texts([mean, half])]


def _value(name: str, report: Report) -> float | None:
    value: float | None = figure(report, name)
    return value
