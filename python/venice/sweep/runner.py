"""Runs a sweep, on threads of this process or on any executor."""

from __future__ import annotations

from concurrent.futures import as_completed
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from venice._native import ConfigError, SimulationError, TraceError, WorkloadError
from venice.pool import StoppedError, stoppable_pool, worker_count
from venice.report.table import folded_pct
from venice.runs import run_drive
from venice.scenario import drive_of, most_folded_pct
from venice.sweep.definition import SweepError
from venice.sweep.store import Store, run_key

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor, Future
    from os import PathLike

    from venice.report import Report
    from venice.scenario import Scenario
    from venice.sweep.definition import Point, Sweep, Value


@dataclass
class Outcome:
    """What became of a sweep.

    Attributes
    ----------
    results
        The finished runs, in the order of the points.
    found
        How many of them were there before.
    left_out
        Points whose drive is impossible, each with the reason.
    failed
        Points whose run failed, each with the reason.
    refused
        How many of these failed by what was asked for: a wrong trace, for instance.
    """

    results: list[tuple[Point, Report]] = field(default_factory=list)
    found: int = 0
    left_out: list[tuple[Point, str]] = field(default_factory=list)
    failed: list[tuple[Point, str]] = field(default_factory=list)
    refused: int = 0


def run_sweep(
    sweep: Sweep,
    folder: str | PathLike[str],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Outcome:
    """Run what is not yet in the folder, and write the tables.

    Each run is kept as soon as it is finished, so nothing but the runs under way is lost when the
    sweep is interrupted; called again, it goes on.

    Parameters
    ----------
    sweep
        What to run.
    folder
        Where results are kept: ``runs/``, ``results.csv``, ``results.json``.
    workers
        Runs at a time; by default one for each processor.
    executor
        Runs the runs instead of threads of this process: any executor of
        :mod:`concurrent.futures`, Dask's included.
    progress
        Called with the number of points done and their number in all.

    Raises
    ------
    UsageError
        If the folder cannot be written, or a value of a drive's key is possible with no others.
    OutputError
        If a result cannot be kept.
    """
    _refuse_impossible(sweep)
    store = Store(Path(folder))
    outcome = run_points(sweep.points, store, workers=workers, executor=executor, progress=progress)
    store.write_results(sweep, outcome.results)
    return outcome


def run_points(
    points: Sequence[Point],
    store: Store,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Outcome:
    """Run those points that a store does not have; points that ask for the same run share it.

    Parameters and errors are those of :func:`run_sweep`; no table is written.
    """
    outcome = Outcome()
    reports: dict[int, Report] = {}
    waiting = _sort_out(points, store, outcome, reports)
    tell = progress or (lambda _done, _all: None)
    done = len(points) - sum(map(len, waiting.values()))
    tell(done, len(points))
    with ExitStack() as stack:
        submit = _submitter(stack, executor, worker_count(workers, len(waiting)))
        futures = {
            submit(points[places[0]].scenario): (places, key) for key, places in waiting.items()
        }
        for future in as_completed(futures):
            places, key = futures[future]
            try:
                report = future.result()
            except (SimulationError, TraceError, WorkloadError) as error:
                outcome.failed += [(points[place], str(error)) for place in places]
                outcome.refused += 0 if isinstance(error, SimulationError) else len(places)
            else:
                store.put(key, report)
                reports |= dict.fromkeys(places, report)
            done += len(places)
            tell(done, len(points))
    outcome.results = [(points[place], reports[place]) for place in sorted(reports)]
    return outcome


def run_scenario(scenario: Scenario) -> Report:
    """Run one point; a function of its own so that processes can be sent it."""
    return run_drive(drive_of(scenario), scenario)


def _refuse_impossible(sweep: Sweep) -> None:
    """Refuse values that every drive refuses: a slip, where a fabric that an array forbids is none.

    Where no point is possible at all, nobody can tell which value is at fault.
    """
    reasons = {
        place: reason
        for place, point in enumerate(sweep.points)
        if (reason := _reason_against(point)) is not None
    }
    if not reasons or len(reasons) == len(sweep.points):
        return
    for key in (key for key in sweep.keys if "." in key):
        places: dict[Value, list[int]] = {}
        for place, point in enumerate(sweep.points):
            places.setdefault(point.choices[key], []).append(place)
        for value, of_value in places.items():
            if all(place in reasons for place in of_value):
                reason = reasons[of_value[0]].splitlines()[0].removeprefix("error: ")
                raise SweepError(f"`{key}` = {value} is possible at no point: {reason}")


def _reason_against(point: Point) -> str | None:
    try:
        drive_of(point.scenario)
    except ConfigError as error:
        return str(error)
    return None


def _sort_out(
    points: Sequence[Point], store: Store, outcome: Outcome, reports: dict[int, Report]
) -> dict[str, list[int]]:
    """Find what is done and what is impossible; give the rest: places by run."""
    waiting: dict[str, list[int]] = {}
    for place, point in enumerate(points):
        try:
            key = run_key(point.scenario)
        except ConfigError as error:
            outcome.left_out.append((point, str(error)))
            continue
        report = None if key in waiting else store.get(key)
        if report is None or _is_refused(report, point.scenario):
            waiting.setdefault(key, []).append(place)
        else:
            reports[place] = report
            outcome.found += 1
    return waiting


def _is_refused(report: Report, scenario: Scenario) -> bool:
    """Whether a run that was insisted on before is refused now; it says why when it is run."""
    most = most_folded_pct(scenario)
    return most is not None and folded_pct(report) > most


def _submitter(
    stack: ExitStack, executor: Executor | None, workers: int
) -> Callable[[Scenario], Future[Report]]:
    if executor is not None:
        return lambda scenario: executor.submit(run_scenario, scenario)
    pool, stop = stack.enter_context(stoppable_pool(workers))
    return lambda scenario: pool.submit(_run_stoppable, scenario, stop)


def _run_stoppable(scenario: Scenario, stop: threading.Event) -> Report:
    def watch(_completed: int, _total: int | None, _simulated_us: float) -> None:
        if stop.is_set():
            raise StoppedError

    return run_drive(drive_of(scenario), scenario, progress=watch)
