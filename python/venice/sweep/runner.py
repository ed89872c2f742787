"""Execution of sweeps, on threads of this process or any executor."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from venice._native import ConfigError, SimulationError
from venice.api.run import run_drive
from venice.execution.pool import (
    StoppedError,
    preparations_of_process,
    stoppable_pool,
    worker_count,
)
from venice.execution.progress import of_count
from venice.options.argument_names import with_sets_as
from venice.options.drives import drive_of
from venice.sweep.definition import SweepError
from venice.sweep.dispatch import Dispatcher, RunExecutor
from venice.text import counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor
    from os import PathLike

    from venice._native import Drive
    from venice.execution.pool import SharedResources
    from venice.options.run_options import RunOptions
    from venice.report import Report
    from venice.report.frame import Frame
    from venice.sweep.definition import Point, Sweep, Value
    from venice.sweep.store import Plan, Results, Store
    from venice.sweep.store.claims import Claims

_PER_WORKER = 2
"""Number of submitted runs per worker, so that no worker waits while results are stored."""
_OF_UNKNOWN = 256
"""Number of submitted runs for an executor with an unknown number of workers."""


@dataclass
class Outcome:
    """Result of a sweep.

    Attributes
    ----------
    results
        Finished runs, in the order of the points.
    found
        Number of runs that were stored before, or that another process executed meanwhile.
    left_out
        Points whose drive is impossible, each with the reason.
    failed
        Points whose run failed, each with the reason.
    refused
        Number of failed points with an invalid scenario, such as a wrong trace.
    """

    results: Results
    found: int = 0
    left_out: list[tuple[Point, str]] = field(default_factory=list)
    failed: list[tuple[Point, str]] = field(default_factory=list)
    refused: int = 0

    @property
    def seed_note(self) -> str | None:
        """Note on an axis of seeds without effect on results; ``None`` without such an axis."""
        # Imported here, because most sweeps have no such axis.
        from venice.sweep.repeats import note_of_seeds  # noqa: PLC0415

        return note_of_seeds((point.choices, report) for point, report in self.results)

    @property
    def frame(self) -> Frame:
        """Table with a row for each finished run: its values on the axes, and then its figures."""
        return self.results.frame

    def __repr__(self) -> str:
        others = {
            "there before": self.found,
            "left out": len(self.left_out),
            "failed": len(self.failed),
        }
        texts = "".join(f", {count:,} {what}" for what, count in others.items() if count)
        return f"<Outcome: {counts.of(len(self.results), 'run')}{texts}>"

    def _repr_html_(self) -> str:
        """Show the first runs in a notebook, and the reasons for missing ones."""
        # Imported here, because only notebooks need these modules.
        from venice.sweep.display import outcome_html  # noqa: PLC0415

        return outcome_html(self.results, [*self.left_out, *self.failed], self.seed_note)


def run_sweep(
    sweep: Sweep,
    folder: str | PathLike[str],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    in_flight: int | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
) -> Outcome:
    """Run the points of a sweep that are not stored in the folder yet, and write the tables.

    Each run is stored as soon as it is finished, so an interrupted sweep resumes when called again.
    Several processes may run one sweep in one folder; each point is run by one of them.

    Parameters
    ----------
    sweep
        Points to run.
    folder
        Folder of the results: ``results.sqlite``, ``results.csv``, ``results.json``.
    workers
        Parallel runs [default: one per processor].
    executor
        Executor of the runs in place of threads of this process, such as Dask's or one of
        :mod:`concurrent.futures`.
    in_flight
        Maximum number of submitted runs [default: two per worker; 256 for an executor with an
        unknown number of workers].
    progress
        Function called with the number of finished points and of all points. ``True`` shows a
        progress bar, ``False`` none; by default, notebooks show one.

    Returns
    -------
    Outcome
        Results, and the points without a result.

    Raises
    ------
    UsageError
        If the folder cannot be written, or a value on an axis is impossible at every point.
    OutputError
        If a result cannot be stored.
    SimulationError
        If the executor fails.
    """
    from venice.sweep.store import Store  # noqa: PLC0415 SQLite, which the help does without

    _refuse_impossible(sweep)
    with (
        Store(Path(folder)) as store,
        of_count(progress, sweep.name, len(sweep.points)) as listener,
    ):
        outcome = run_points(
            {sweep.name: sweep.points},
            store,
            workers=workers,
            executor=executor,
            in_flight=in_flight,
            progress=listener,
        )
    outcome.results.write(sweep.keys)
    return outcome


def run_points(
    parts: Mapping[str, Sequence[Point]],
    store: Store,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    in_flight: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Outcome:
    """Run the points that are not stored yet; points with the same key share one run.

    Parameters
    ----------
    parts
        Points of one or several sweeps, by name of the sweep.
    store
        Store of the results.

    Other parameters and errors are those of :func:`run_sweep`; no table is written.
    """
    with ExitStack() as stack, store.explained():
        store.warn_of_reruns(parts)
        plans = [store.plan(name, points) for name, points in parts.items()]
        claims = store.claims()
        stack.callback(claims.leave)
        run_executor = run_executor_for(stack, executor, workers, sum(map(len, parts.values())))
        if in_flight is not None:
            run_executor = run_executor._replace(in_flight=lambda: in_flight)
        dispatcher = Dispatcher(store, plans, run_executor, progress or _ignore_progress)
        with breakdown_as_error():
            dispatcher.run(claims)
        return _outcome(store, plans, claims)


@contextmanager
def breakdown_as_error() -> Iterator[None]:
    """Convert the errors of a broken executor to a single error.

    Raises
    ------
    SimulationError
        If the executor fails.
    """
    try:
        yield
    except (BrokenExecutor, CancelledError) as error:
        reason = str(error) or type(error).__name__
        raise SimulationError(
            f"the executor broke down: {reason}; runs that were finished are kept, "
            "and the same command continues from there"
        ) from None


def run_options(options: RunOptions) -> Report:
    """Run one point; a function at module level, so that it can be pickled for processes."""
    return run_drive(drive_of(options), options, preparations=preparations_of_process())


def run_executor_for(
    stack: ExitStack, executor: Executor | None, workers: int | None, runs: int
) -> RunExecutor:
    """Return the executor of runs: the given one, or threads of this process."""
    if executor is not None:
        return RunExecutor(
            # Other processes resolve the drive themselves, because a drive cannot be pickled.
            lambda options, _drive: executor.submit(run_options, options),
            lambda: _room(executor),
            getattr(executor, "lost_errors", ()),
        )
    threads = worker_count(workers, runs)
    pool, shared = stack.enter_context(stoppable_pool(threads))
    return RunExecutor(
        lambda options, drive: pool.submit(_run_stoppable, options, drive, shared),
        lambda: _PER_WORKER * threads,
        check=shared.signals.check,
    )


def _room(executor: Executor) -> int:
    """Return the number of runs to submit to an executor before any of them has finished."""
    in_flight = getattr(executor, "in_flight", None)
    if isinstance(in_flight, int):
        return in_flight
    # Executors of threads, processes, MPI and loky have this attribute.
    count = getattr(executor, "_max_workers", None)
    return _PER_WORKER * count if isinstance(count, int) else _OF_UNKNOWN


def _run_stoppable(options: RunOptions, drive: Drive | None, shared: SharedResources) -> Report:
    def watch(_completed: int, _total: int | None, _simulated_us: float) -> None:
        if shared.stop.is_set():
            raise StoppedError

    drive = drive_of(options) if drive is None else drive
    return run_drive(drive, options, progress=watch, preparations=shared.preparations)


def _ignore_progress(_done: int, _all: int) -> None:
    pass


def _outcome(store: Store, plans: Sequence[Plan], claims: Claims) -> Outcome:
    outcome = Outcome(results=store.results(plans))
    own = 0
    for plan in plans:
        own += plan.done_by(claims.process)
        outcome.left_out += plan.left_out()
        failed = plan.failed(claims.first)
        outcome.failed += [(point, reason) for point, reason, _ in failed]
        outcome.refused += sum(is_refused for _, _, is_refused in failed)
    outcome.found = len(outcome.results) - own
    return outcome


def _refuse_impossible(sweep: Sweep) -> None:
    """Refuse values that are impossible at every point.

    If no point is possible, the value at fault cannot be identified.
    """
    doubtful = _doubtful(sweep)
    if not doubtful:
        return
    reasons: dict[tuple[str, Value], str] = {}
    is_any_possible = False
    for point in sweep.points:
        reason = reason_against(point)
        is_any_possible |= reason is None
        for key in doubtful:
            choice = key, point.choices[key]
            if reason is None:
                reasons[choice] = ""
            else:
                reasons.setdefault(choice, reason)
    for (key, value), reason in reasons.items():
        if reason and is_any_possible:
            raise SweepError(f"`{key}` = {value} is possible at no point: {shorten_reason(reason)}")


def _doubtful(sweep: Sweep) -> list[str]:
    """Return the keys of the drive with a value that seems impossible at every point.

    Each value is tried only at the first point that has it. This suffices for nearly all sweeps,
    without resolving a million points in advance.
    """
    tried: dict[tuple[str, Value], bool] = {}
    for point in sweep.points:
        new = [one for one in point.choices.items() if one not in tried]
        if any("." in key for key, _ in new):
            is_possible = reason_against(point) is None
            tried |= {one: "." not in one[0] or is_possible for one in new}
        else:
            tried |= dict.fromkeys(new, True)
    return list(dict.fromkeys(key for (key, _), is_possible in tried.items() if not is_possible))


def shorten_reason(reason: str) -> str:
    """Return the first problem of a drive and the expected value, on one line."""
    first, *others = reason.splitlines()
    expected = (line.split("= ", 1)[1] for line in others if line.startswith("   = expected: "))
    return "; ".join([first.removeprefix("error: "), *islice(expected, 1)])


def impossible_error(point: Point, reason: str) -> SweepError:
    """Return the error if no point is possible, with the reason of the first point."""
    # The message names the option --set, although the key is on an axis.
    reason = with_sets_as("axis", reason.removeprefix("error: "))
    return SweepError(f"no point is possible; not {point}: {reason}")


def reason_against(point: Point) -> str | None:
    """Return why a point's drive is invalid; ``None`` for a valid drive."""
    try:
        drive_of(point.options)
    except ConfigError as error:
        return str(error)
    return None
