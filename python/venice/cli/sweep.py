"""``venice sweep``: runs of all combinations of values, which can be resumed.

``venice sweep load.toml`` is short for ``venice sweep run load.toml``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from venice._native import SimulationError, UsageError
from venice.cli import options
from venice.cli.cluster import on_cluster
from venice.cli.command import command, flag
from venice.cli.dashboard import shown_live
from venice.cli.files import default_results, of_definition
from venice.cli.progress import progress_count
from venice.cli.screen import print_table, print_text, warn
from venice.cli.store_warnings import store_warnings
from venice.cli.value_types import FileType
from venice.sweep import Sweep, run_sweep
from venice.sweep.definition import located_in
from venice.sweep.display import MOST_ROWS, titles_and_rows
from venice.sweep.runner import impossible_error
from venice.text import counts
from venice.text.layout import format_table

if TYPE_CHECKING:
    from venice.sweep import Outcome, Point


@command("run")
@options.argument(
    "definition",
    metavar="SWEEP.toml",
    type=FileType(reads=of_definition, writes=default_results, path_type=Path),
    help="TOML file with the scenario and the axes of the sweep.",
)
@options.results_folder
@flag("--dry-run", help="List the runs of the sweep, without executing them.")
@options.fold
@options.workers
@options.dask
@options.dashboard
def sweep(
    definition: Path,
    *,
    out: Path | None,
    workers: int | None,
    dask: str | None,
    dashboard: bool,
    fold: bool,
    dry_run: bool,
) -> None:
    """Run a sweep, or resume an interrupted one.

    Every combination of the values on the axes is one run.
    """
    found = Sweep.load(definition, fold=fold)
    folder = out or Path("out") / found.name
    if dry_run:
        for point in found.points:
            print_text(str(point))
        return
    with located_in(definition), shown_live(folder, is_wanted=dashboard):
        outcome = _run(found, folder, workers, dask)
        if outcome.left_out and not outcome.results and not outcome.failed:
            raise impossible_error(*outcome.left_out[0])
    if outcome.results:
        titles, rows = titles_and_rows(outcome.results)
        print_table(format_table(titles, rows, left=len(found.keys)))
    _print_outcome(outcome, folder)
    if outcome.failed:
        kind = UsageError if _is_all_refused(outcome) else SimulationError
        raise kind(
            f"{definition}: {len(outcome.failed)} of {counts.of(len(found.points), 'run')} failed; "
            "the reasons are above; the same command runs them again"
        )


def _is_all_refused(outcome: Outcome) -> bool:
    """Return true if every run was refused because of an invalid scenario."""
    return not outcome.results and outcome.refused == len(outcome.failed)


def _run(found: Sweep, folder: Path, workers: int | None, dask: str | None) -> Outcome:
    with (
        on_cluster(dask, workers) as executor,
        progress_count(found.name, folder, len(found.points)) as count,
        store_warnings(),
    ):
        return run_sweep(found, folder, workers=workers, executor=executor, progress=count.update)


def _named(point: Point) -> str:
    """Return the prefix of a message about a point; empty for the only point of a sweep."""
    name = str(point)
    return f"{name}: " if name else ""


def _print_outcome(outcome: Outcome, folder: Path) -> None:
    if len(outcome.results) > MOST_ROWS:
        print_text(f"... and {len(outcome.results) - MOST_ROWS} more rows")
    if (note := outcome.seed_note) is not None:
        warn(note)
    for rule in outcome.results.rules():
        print_text(rule)
    for point, reason in outcome.left_out:
        warn(f"not run: {_named(point)}{reason.splitlines()[0].removeprefix('error: ')}")
    for point, reason in outcome.failed:
        warn(f"failed: {_named(point)}{reason.removeprefix('error: ')}")
    before = f", {outcome.found} of them found there" if outcome.found else ""
    written = "results.csv and results.json" if outcome.results.are_written_whole else "results.csv"
    print_text(f"{counts.of(len(outcome.results), 'run')} in {folder}/{written}{before}")
