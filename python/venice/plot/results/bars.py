"""Bar chart of a figure by run and workload, relative to a baseline if one is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.plot.groups import draw_groups
from venice.plot.results.data_table import Table, number_of
from venice.plot.results.figures import half_title, interval_note, sample_of
from venice.report.fabric_looks import fabric_label, looks_of
from venice.report.figure_words import relative_words, words_of
from venice.report.grouping import Groups
from venice.stats import CONFIDENCE_PCT, Estimate, geometric_mean, mean_of, ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from venice.plot.canvas import Entries
    from venice.plot.results.data_table import Cell
    from venice.report.grouping import Result, Series
    from venice.stats import Sample

OVER = " over "
"""Text between a figure and its baseline in the title of a column."""
_EXAMPLES = "latency_us.all.p99, iops, write_amplification"
MEAN = "geometric mean"
"""Label of the group with the geometric means over all workloads."""


def bar_table(
    results: Sequence[Result],
    of: str,
    baseline: str | None,
    confidence_pct: float = CONFIDENCE_PCT,
) -> Table:
    """Return a table of a figure by workload and drive: mean over seeds, half its interval.

    With a baseline, the values are means of ratios, which are paired by seed. Runs of one drive
    under several loads give several rows.

    Parameters
    ----------
    results
        Runs of all drives, workloads and seeds.
    of
        Name of the figure in a report, with dots.
    baseline
        Name of the drive to which the figure is relative, for the same workload and load.
    confidence_pct
        Confidence level of the intervals, in %.

    Raises
    ------
    UsageError
        If a report lacks the figure, if no drive has the baseline's name, or if the baseline lacks
        a run of a workload, load or seed.
    """
    bars = _Bars(results, of, baseline, confidence_pct)
    what = of if baseline is None else f"{of}{OVER}{baseline}"
    titles = ("workload", "run", what, half_title(confidence_pct), "seeds")
    return Table(titles, (*bars.rows(), *bars.geometric_means()), bars.note())


class _Bars:
    """Samples of a figure, and samples of the baseline."""

    def __init__(
        self, results: Sequence[Result], of: str, baseline: str | None, confidence_pct: float
    ) -> None:
        self._groups = Groups(results, axes=("workload",))
        self._of, self._confidence_pct = of, confidence_pct
        self._samples = [
            (series, sample_of(series, of, _EXAMPLES)) for series in self._groups.series
        ]
        self._baseline = baseline
        drives = list(dict.fromkeys(series.drive for series in self._groups.series))
        if baseline is not None and baseline not in drives:
            raise UsageError(f"no run is called `{baseline}`; there are: {', '.join(drives)}")

    def note(self) -> str:
        """Return a note that states the method of the intervals."""
        seeds = (series.seeds for series in self._groups.series)
        return interval_note(seeds, self._confidence_pct, of_ratios=self._baseline is not None)

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """Yield a row for each workload and series."""
        for series, sample in self._samples:
            yield (
                series.workload,
                self._groups.name(series),
                *self._estimate(series, sample),
            )

    def geometric_means(self) -> Iterator[tuple[Cell, ...]]:
        """Yield a row for each series that has all workloads; none without a baseline."""
        workloads = {series.workload for series, _ in self._samples}
        if self._baseline is None or len(workloads) == 1:
            return
        pairs: dict[str, list[tuple[Sample, Sample]]] = {}
        for series, sample in self._samples:
            name = self._groups.name(series)
            pairs.setdefault(name, []).append((sample, self._reference(series)))
        for name, found in pairs.items():
            mean = geometric_mean(found, self._confidence_pct)
            if len(found) == len(workloads) and mean is not None:
                yield MEAN, name, *mean

    def _estimate(self, series: Series, sample: Sample) -> Estimate:
        if self._baseline is None:
            return mean_of(list(sample.values()), self._confidence_pct)
        found = ratio(sample, self._reference(series), self._confidence_pct)
        if found is None:
            raise UsageError(
                f"`{self._baseline}` has no run of {series.workload} to measure the others by: "
                f"none of a seed that `{series.drive}` has, or its {self._of} is 0"
            )
        return found

    def _reference(self, series: Series) -> Sample:
        """Return the baseline's sample with the same workload and load."""
        for other, sample in self._samples:
            if other.drive == self._baseline and other.like(series):
                return sample
        return {}


def draw_bar_table(axes: Axes, table: Table) -> Entries:
    """Draw a group of bars for each workload; lines on them are the intervals over seeds.

    Ratios to a baseline are bars from 1, upwards or downwards.
    """
    workloads = list(dict.fromkeys(str(row[0]) for row in table.rows))
    looks = looks_of([str(row[1]) for row in table.rows])
    bars = {
        (str(row[0]), str(row[1])): (float(row[2] or 0), number_of(row[3])) for row in table.rows
    }
    figure, _, baseline = table.titles[2].partition(OVER)
    is_ratio = bool(baseline)
    entries = draw_groups(axes, workloads, looks, bars, bottom=1.0 if is_ratio else 0.0)
    if is_ratio:
        axes.axhline(1.0, color="black", linewidth=0.8)
    title = relative_words(figure, fabric_label(baseline)) if is_ratio else words_of(figure)
    axes.set_ylabel(title.axis)
    return entries
