"""``venice ocp``: runs of a suite of fio jobs, compared with targets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from venice._native import Simulation, UsageError, WorkloadError
from venice.api.compare import run_drives
from venice.cli import options
from venice.cli.command import command, option
from venice.cli.files import STANDARD_STREAM, files_below
from venice.cli.output_files import claim, claimed_files, write_json
from venice.cli.progress import progress_lines
from venice.cli.run_outputs import watch_of
from venice.cli.screen import print_table, print_text, warn
from venice.cli.value_types import InputFile, Number
from venice.options.criterion import criterion_of
from venice.options.drives import drive_of
from venice.options.engine_options import EngineOptions
from venice.options.run_options import RunOptions
from venice.options.value_checks import check_ranges
from venice.report.demand import demand_notes
from venice.report.report_lists import reports_to_json
from venice.report.targets import load_targets
from venice.text.layout import format_table
from venice.text.units import written_column
from venice.workloads.fio_suite import TEMPLATES, Suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from venice.report import Report
    from venice.report.targets import Target
    from venice.workloads.fio_suite import SuiteJob

_MET, _MISSED = 0, 1


def _trims(report: Report) -> int:
    latency = report.latency_us.trim
    return 0 if latency is None else latency.count


def _trim_p99_us(report: Report) -> float | None:
    latency = report.latency_us.trim
    return latency.p99 if latency is not None and latency.count else None


_COLUMNS: tuple[tuple[str, Callable[[Report], float | None]], ...] = (
    ("read\nMB/s", lambda report: _mb_per_s(report, "read_bytes")),
    ("write\nMB/s", lambda report: _mb_per_s(report, "written_bytes")),
    ("read\nmean {}", lambda report: report.latency_us.read.mean),
    ("read\np99 {}", lambda report: report.latency_us.read.p99),
    ("read\np99.9 {}", lambda report: report.latency_us.read.p999),
    ("read\nmax {}", lambda report: report.latency_us.read.max),
    ("write\np99 {}", lambda report: report.latency_us.write.p99),
    ("write\nmax {}", lambda report: report.latency_us.write.max),
    ("trims", lambda report: _trims(report) or None),
    ("trim\np99 {}", _trim_p99_us),
    ("write\nampl.", lambda report: report.write_amplification),
)
"""Columns of the table. A column without any value is omitted."""


def _suite_files(suite: Path, values: Mapping[str, object]) -> Iterator[str | Path]:
    """Yield the suite, and its job files unless another folder is specified."""
    yield suite
    if values["templates"] is None:
        yield from files_below(suite.resolve().parent.parent / TEMPLATES, values)


@command()
@options.argument(
    "suite",
    metavar="SUITE",
    type=InputFile(reads=_suite_files, path_type=Path),
    help="FioSynth suite in JSON, from its folder `wkldsuites`.",
)
@option(
    "--templates",
    metavar="DIR",
    type=InputFile(reads=files_below, path_type=Path),
    help="Folder of the fio job files [default: `jobfiles` next to the folder of the suite].",
)
@option(
    "--targets",
    metavar="FILE.toml",
    type=InputFile(path_type=Path),
    help="TOML file with target values for the results of the jobs; the exit code is 1 if a "
    "target is missed.",
)
@option(
    "--shorten",
    metavar="X",
    type=Number(1),
    default=1.0,
    help="Divisor of the run times, ramp times and start delays of jobs, 1 or more.",
)
@options.drive()
@options.drive_choice
@options.load_state
@options.measuring
@options.json
@options.observing
@options.workers
@options.gather(observing=options.Observing, run=RunOptions)
def ocp(
    suite: Path,
    run: RunOptions,
    observing: options.Observing,
    *,
    templates: Path | None,
    targets: Path | None,
    shorten: float,
    json: str | None,
    workers: int | None,
) -> int:
    """Run a suite of fio jobs and check their targets.

    The Open Compute Project publishes such suites.
    """
    found = Suite.load(suite, templates)
    wanted = load_targets(targets, [job.name for job in found.jobs]) if targets else []
    check_ranges(run)
    criterion_of(run.until)
    watched = watch_of(observing)
    with TemporaryDirectory() as folder, claimed_files() as files:
        file = claim(files, json)
        scenarios = _readable(found, Path(folder), run, shorten)
        if not scenarios:
            raise UsageError(f"{suite}: none of its {len(found.jobs)} jobs can be run")
        drives = [(drive_of(one), one) for one in scenarios.values()]
        with progress_lines(list(scenarios)) as lines:
            reports = run_drives(drives, workers=workers, progress=lines.update, watch=watched)
        write_json(lambda: reports_to_json(reports), json, file)
    by_job, stderr = dict(zip(scenarios, reports, strict=True)), json == STANDARD_STREAM
    _show(by_job, wanted, stderr=stderr)
    print_text(f"{len(reports)} of {len(found.jobs)} jobs of {found.name}", stderr=stderr)
    for note in [*demand_notes(reports, list(scenarios)), *_unmeasured_trims(found, by_job)]:
        print_text(note, stderr=stderr)
    return _MISSED if _missed(by_job, wanted) else _MET


def _readable(suite: Suite, folder: Path, run: RunOptions, shorten: float) -> dict[str, RunOptions]:
    """Write the job files; return the runs of supported files, and warn of other files."""
    readable: dict[str, RunOptions] = {}
    for number, job in enumerate(suite.jobs):
        own = folder / str(number)
        own.mkdir()
        try:
            one = _written(job, own, run, shorten)
        except (WorkloadError, UsageError) as error:
            warn(f"{job.name} is not run: {_reason(error, job)}")
        else:
            readable[job.name] = one
    return readable


def _written(job: SuiteJob, folder: Path, run: RunOptions, shorten: float) -> RunOptions:
    path = folder / f"{job.name.replace('/', '-')}.fio"
    path.write_text(job.text(shorten))
    one = replace(run, workload=str(path))
    Simulation(drive_of(one), EngineOptions(one))
    return one


def _reason(error: WorkloadError | UsageError, job: SuiteJob) -> str:
    first = str(error).splitlines()[0].removeprefix("error: ").removeprefix(f"{job.name}: ")
    if ".fio," in first:
        return first[first.find(".fio,") + 6 :]
    return first if job.template.name in first else f"{job.template.name}: {first}"


def _show(reports: dict[str, Report], wanted: Sequence[Target], *, stderr: bool) -> None:
    columns_of = {title: [of(report) for report in reports.values()] for title, of in _COLUMNS}
    written = [
        written_column(title, column)
        for title, column in columns_of.items()
        if any(value is not None for value in column)
    ]
    titles, columns = [title for title, _ in written], [texts for _, texts in written]
    table = format_table(["job", *titles], zip(reports, *columns, strict=True))
    print_table(table, stderr=stderr)
    checked = [target for target in wanted if target.job in reports]
    if checked:
        rows = [_verdict(target, reports[target.job]) for target in checked]
        print_text(
            f"{format_table(['job', 'figure', 'target', '', 'found'], rows, left=4)}\n",
            stderr=stderr,
        )


def _verdict(target: Target, report: Report) -> list[str]:
    value = target.value(report)
    found = "–" if value is None else f"{value:,.6g}"
    return [
        target.job,
        target.figure,
        str(target),
        "met" if target.is_met(report) else "MISSED",
        found,
    ]


def _missed(reports: dict[str, Report], wanted: Sequence[Target]) -> bool:
    """Return true if a target is missed or its job did not run."""
    return any(
        target.job not in reports or not target.is_met(reports[target.job]) for target in wanted
    )


def _unmeasured_trims(suite: Suite, reports: dict[str, Report]) -> Iterator[str]:
    """Yield a note for each template with trims whose run measured none."""
    for job in suite.jobs:
        if job.name in reports and job.has_trims and not _trims(reports[job.name]):
            yield (
                f"{job.name} measured no trims: none completed in the measured time. Choose a "
                "smaller --shorten, which divides times of runs but not `thinktime`."
            )


def _mb_per_s(report: Report, key: str) -> float:
    content = report.content
    measured_us = content["makespan_us"] or 1.0
    return float(sum(queue[key] for queue in content["queues"]) / measured_us)
