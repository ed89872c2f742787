"""Printed tables and remarks of a run or a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.cli.files import STANDARD_STREAM
from venice.cli.screen import print_table, print_text
from venice.options.resampling import resampling_notes
from venice.report.criterion_notes import clock_notes, until_notes
from venice.report.demand import demand_notes
from venice.report.host_scheduler import saturated, scheduler_notes, scheme_table, slowdown_table
from venice.report.other_operations import other_operations_table
from venice.report.over_provisioning import over_provisioning_notes
from venice.report.over_time import joined_note
from venice.report.parts import has_causes
from venice.report.percentiles import USUAL
from venice.report.power_loss_table import power_loss_note, power_loss_table
from venice.report.rates import rates_note
from venice.report.rows import firsts, rows_of
from venice.report.skipped_operations import skipped_operations_table
from venice.report.slowest_requests import slowest_table
from venice.report.summary_table import caption, names_of, notes, notes_of_each, table
from venice.report.tenants import fairness_notes, tenant_table, time_notes
from venice.report.work import afterwards_notes, has_moved, work_table
from venice.stats import CONFIDENCE_PCT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venice.api.explanation import Explanation
    from venice.options.run_options import RunOptions
    from venice.report import Report
    from venice.report.rows import Row


def show(
    reports: Sequence[Report],
    json: str | None,
    *,
    of_schemes: bool = False,
    percentiles: Sequence[float] = USUAL,
    seeds: int = 1,
    why: bool = False,
    confidence_pct: float = CONFIDENCE_PCT,
    most_slowest: int | None = None,
    run: RunOptions | None = None,
) -> None:
    """Print tables and remarks; to standard error if JSON is written to standard output.

    Parameters
    ----------
    of_schemes
        True if the rows are host schedulers.
    seeds
        Number of reports of each row.
    why
        True to print the differences of the rows from the first one, also by stage.
    most_slowest
        Maximum number of slowest requests in the table [default: 10].
    run
        Options of the run, for remarks about resampling and the criterion that ended it.
    """
    stderr = json == STANDARD_STREAM
    rows = rows_of(reports, seeds)
    first = scheme_table(reports) if of_schemes else table(reports, percentiles, seeds=seeds)
    print_table(first, stderr=stderr)
    if of_schemes:
        _show_slowdowns(reports, stderr=stderr)
    else:
        _show_work(reports, rows, seeds, stderr=stderr)
    others = other_operations_table(reports, seeds=seeds)
    if others is not None:
        print_text(f"{others}\n", stderr=stderr)
    _show_parts(reports, most_slowest, stderr=stderr)
    if why:
        _show_differences(rows, percentiles, confidence_pct, stderr=stderr)
    print_text(caption(reports), stderr=stderr)
    show_notes(reports, seeds=seeds, run=run, stderr=stderr)


def _show_slowdowns(reports: Sequence[Report], *, stderr: bool) -> None:
    slowdowns = slowdown_table(reports)
    if slowdowns is not None:
        print_table(slowdowns, stderr=stderr)


def _show_work(reports: Sequence[Report], rows: Sequence[Row], seeds: int, *, stderr: bool) -> None:
    """Print the causes of waits, and the flash work of a single row or of rows with moved pages."""
    if has_causes(reports):
        from venice.report.latency_breakdown import breakdown_table_text  # noqa: PLC0415 seldom wanted

        print_text(f"{breakdown_table_text(rows)}\n", stderr=stderr)
    if len(rows) == 1 or any(map(has_moved, reports)):
        print_text(f"{work_table(reports, seeds=seeds)}\n", stderr=stderr)


def _show_parts(reports: Sequence[Report], most_slowest: int | None, *, stderr: bool) -> None:
    """Print the tables of tenants, power failures, skipped requests and slowest requests."""
    is_single = len(reports) == 1
    tables = [
        tenant_table(reports[0]) if is_single else None,
        power_loss_table(reports[0]) if is_single else None,
        skipped_operations_table(reports[0]),
    ]
    for text in tables:
        if text is not None:
            print_text(f"{text}\n", stderr=stderr)
    if is_single:
        show_slowest(reports[0], most_slowest, stderr=stderr)


def _show_differences(
    rows: Sequence[Row], percentiles: Sequence[float], confidence_pct: float, *, stderr: bool
) -> None:
    from venice.report.differences import (  # noqa: PLC0415 seldom wanted
        difference_table,
        method_note,
        stage_table,
    )

    print_text(f"{difference_table(rows, percentiles, confidence_pct)}\n", stderr=stderr)
    print_text(f"{stage_table(rows, confidence_pct)}\n", stderr=stderr)
    method = method_note(rows, confidence_pct)
    if method is not None:
        print_text(f"{method}\n", stderr=stderr)


def show_slowest(report: Report, most: int | None, *, stderr: bool) -> None:
    """Print the table of the slowest requests, if the report has any."""
    slowest = slowest_table(report, most)
    if slowest is not None:
        print_text(f"{slowest}\n", stderr=stderr)


def show_notes(
    reports: Sequence[Report], *, seeds: int = 1, run: RunOptions | None = None, stderr: bool
) -> None:
    """Print the verdict on the steady state and the remarks, with which the output ends."""
    more = scheduler_notes(reports[0]) if len(reports) == 1 else saturated(reports)
    rows = rows_of(reports, seeds)
    steady = demand_notes(reports, _names_of_runs(rows))
    joined = joined_note(reports[0]) if len(reports) == 1 else []
    own = _own_notes(reports[0]) if len(reports) == 1 else rates_note(firsts(rows))
    ends = until_notes(reports[0], run.until if run else None) if len(reports) == 1 else []
    resampled = resampling_notes(run, [report.seed for report in reports]) if run else []
    seeds_without_effect = _seed_notes(rows)
    after = afterwards_notes(reports)
    clock = [note for report in reports for note in clock_notes(report)][:1]
    steady = [*steady, *ends, *clock]
    missed = power_loss_note(reports[0], run.power_loss_us) if run else []
    each = notes_of_each(firsts(rows))
    common = [*resampled, *own, *time_notes(reports), *notes(reports[0])]
    first = [*common, *each, *seeds_without_effect, *missed]
    for note in (*first, *steady, *more, *joined, *after):
        print_text(note, stderr=stderr)


def _seed_notes(rows: Sequence[Row]) -> list[str]:
    if all(len(row) == 1 for row in rows):
        return []
    from venice.report.repeats import seed_note  # noqa: PLC0415 for several seeds alone

    note = seed_note(rows)
    return [] if note is None else [note]


def show_explanations(explanations: Sequence[Explanation], json: str | None) -> None:
    """Print the causes of the differences between rows."""
    if not explanations:
        return
    from venice.api.explanation_text import paragraph, table  # noqa: PLC0415 seldom wanted

    stderr = json == STANDARD_STREAM
    for explanation in explanations:
        print_text(f"\n{paragraph(explanation)}\n", stderr=stderr)
        print_table(table(explanation), stderr=stderr)


def _own_notes(report: Report) -> Iterator[str]:
    """Yield the notes about a single run."""
    yield from fairness_notes(report)
    yield from over_provisioning_notes(report)


def _names_of_runs(rows: Sequence[Row]) -> list[str]:
    """Return the names of all runs, with their seeds if there are several."""
    return [
        name if len(row) == 1 else f"{name} seed {report.seed}"
        for name, row in zip(names_of(firsts(rows)), rows, strict=True)
        for report in row
    ]
