"""``venice run``: a run of one drive."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from venice.api.run import ScenarioLoad, run_alone
from venice.cli import options
from venice.cli.checks import Checking, checking
from venice.cli.command import command
from venice.cli.files import STANDARD_STREAM
from venice.cli.output_files import claim, claimed_files, write_json
from venice.cli.progress import progress_lines
from venice.cli.results import show
from venice.cli.run_outputs import ObservedRun, check_files
from venice.cli.screen import warn
from venice.options.checks import check
from venice.options.drives import drive_of
from venice.options.remarks import remarks
from venice.options.run_options import RunOptions

if TYPE_CHECKING:
    from venice._native import Drive
    from venice.report import Report


@command()
@options.drive()
@options.fabric
@options.sets
@options.load_state
@options.request_source
@options.seed
@options.percentiles()
@options.json
@options.run_files
@options.observing
@options.alone
@options.audit
@options.power_loss
@checking
@options.gather(
    run=RunOptions, observing=options.Observing, files=options.RunFiles, checks=Checking
)
def run(
    run: RunOptions,
    observing: options.Observing,
    files: options.RunFiles,
    checks: Checking,
    *,
    percentiles: tuple[float, ...],
    json: str | None,
    alone: bool,
) -> int:
    """Run one drive over a trace or workload."""
    check(run, may_be_empty=files.save_state is not None)
    checks.check(json)
    check_files(observing, files)
    resolved = drive_of(run)
    for remark in remarks(resolved, run):
        warn(remark)
    with claimed_files() as claimed:
        json_file, junit = claim(claimed, json), claim(claimed, checks.junit)
        observed = ObservedRun(claimed, observing, files)
        report = observed.run(ScenarioLoad(resolved, run), resolved.fabric)
        if alone:
            report = _run_alone_shown(resolved, run, report)
        (written,) = checks.written([report])
        write_json(written.to_json, json, json_file)
        show(
            [report],
            json,
            percentiles=percentiles,
            most_slowest=observing.slowest,
            run=run,
        )
        stderr = json == STANDARD_STREAM
        return checks.end([resolved.fabric], [report], junit, stderr=stderr)


def _run_alone_shown(drive: Drive, run: RunOptions, report: Report) -> Report:
    with progress_lines([f"{drive.fabric}, tenants alone"]) as lines:
        return run_alone(drive, run, report, progress=partial(lines.update, 0))
