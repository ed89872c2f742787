"""Execution of experiments, and output of their results."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from venice.files import output
from venice.papers.audit import complaint
from venice.papers.experiment import Runs
from venice.papers.scorecard import as_csv, as_json, as_markdown, digits
from venice.report.files import save
from venice.sweep import run_points

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor
    from os import PathLike

    from venice.papers.experiment import Experiment, Finding
    from venice.papers.scorecard import Claim
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Outcome, Point

PICTURES = (".png", ".svg")
SCORECARDS = ("scorecard.csv", "scorecard.json", "scorecard.md")
_Result = TypeVar("_Result")


@dataclass
class AuditedReports:
    """Reports of the runs that passed the audit, and other outcomes.

    Attributes
    ----------
    results
        Runs that finished and passed the audit, with their reports.
    found
        Number of results that were stored before.
    left_out
        Points whose drive is impossible, each with the reason.
    failed
        Points whose run or audit failed, each with the reason.
    """

    results: list[tuple[Point, Report]]
    found: int
    left_out: list[tuple[Point, str]]
    failed: list[tuple[Point, str]]


@dataclass
class Reproduction:
    """Result of some experiments.

    Attributes
    ----------
    findings
        Result of each experiment.
    outcome
        Outcome of the runs: finished, impossible and failed ones.
    """

    findings: dict[str, Finding] = field(default_factory=dict)
    outcome: AuditedReports | None = None

    @property
    def claims(self) -> list[Claim]:
        """Rows of the scorecard for all experiments."""
        return [claim for finding in self.findings.values() for claim in finding.claims]


def reproduce(  # noqa: PLR0913 each is a keyword of its own
    experiments: Sequence[Experiment],
    folder: str | PathLike[str],
    size: Size,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], object] | None = None,
    pictures: bool = True,
) -> Reproduction:
    """Execute the missing runs of experiments, and write tables, figures and the scorecard.

    Parameters
    ----------
    experiments
        Experiments to reproduce.
    folder
        Folder of ``results.sqlite``, ``scorecard.*``, and each experiment's table and pictures.
    size
        Size of the experiments.
    workers
        Parallel runs [default: one per processor].
    executor
        Executor of the runs in place of threads of this process: any of :mod:`concurrent.futures`,
        including Dask's.
    progress
        Function called with the number of finished runs and the number of all runs.
    pictures
        True to draw the pictures.

    Raises
    ------
    UsageError
        If the folder cannot be written.
    OutputError
        If a result cannot be stored.
    SimulationError
        If the executor fails.
    """
    from venice.sweep.store import Store  # noqa: PLC0415 SQLite, which the help does without

    home = Path(folder)
    points = {experiment.name: list(experiment.points(size)) for experiment in experiments}
    with Store(home) as store:
        run = partial(
            run_points, store=store, workers=workers, executor=executor, progress=progress
        )
        outcome = _audited(run(points))
        more = {
            experiment.name: list(experiment.follow(_runs(points[experiment.name], outcome), size))
            for experiment in experiments
        }
        if any(more.values()):
            second = {f"{name}, second step": part for name, part in more.items() if part}
            _add(outcome, _audited(run(second)))
    reproduction = Reproduction(outcome=outcome)
    for experiment in experiments:
        own = [*points[experiment.name], *more[experiment.name]]
        finding = experiment.evaluate(_runs(own, outcome), size)
        reproduction.findings[experiment.name] = finding
        _write(finding, home / experiment.name, pictures=pictures)
    _write_scorecard(reproduction, home, size)
    return reproduction


def _runs(points: Sequence[Point], outcome: AuditedReports) -> Runs:
    reports = {id(point): report for point, report in outcome.results}
    refused = {id(point): reason for point, reason in outcome.left_out}
    return Runs(_pairs(points, reports), _pairs(points, refused))


def _add(outcome: AuditedReports, second: AuditedReports) -> None:
    """Add the outcome of the second round of runs to the outcome of the first round."""
    outcome.results += second.results
    outcome.found += second.found
    outcome.left_out += second.left_out
    outcome.failed += second.failed


def _audited(outcome: Outcome) -> AuditedReports:
    """Return the outcome; runs that fail the audit count as failed."""
    audited = AuditedReports([], outcome.found, outcome.left_out, outcome.failed)
    for point, report in outcome.results:
        problem = complaint(report)
        if problem is None:
            audited.results.append((point, report))
        else:
            audited.failed.append((point, problem))
    return audited


def _pairs(points: Sequence[Point], results: Mapping[int, _Result]) -> list[tuple[Point, _Result]]:
    return [(point, results[id(point)]) for point in points if id(point) in results]


def _write(finding: Finding, stem: Path, *, pictures: bool) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(finding.columns)
    writer.writerows([digits(cell) for cell in row] for row in finding.rows)
    save(text.getvalue(), stem.with_suffix(".csv"))
    if finding.draw is None or not pictures:
        return
    from venice.plot.save import save as save_picture  # noqa: PLC0415 matplotlib takes a second
    from venice.plot.style import style  # noqa: PLC0415

    with style():
        figure = finding.draw()
    for suffix in PICTURES:
        with output.create(stem.with_suffix(suffix)) as file:
            save_picture(figure, file, suffix)


def _write_scorecard(reproduction: Reproduction, folder: Path, size: Size) -> None:
    claims = reproduction.claims
    texts = [finding.text for finding in reproduction.findings.values() if finding.text]
    save(as_csv(claims), folder / "scorecard.csv")
    save(as_json(claims, size), folder / "scorecard.json")
    save(as_markdown(claims, size, texts), folder / "scorecard.md")
