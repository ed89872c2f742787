"""Main loop of a sweep: claim runs, submit them, store results, and claim more runs.

The number of submitted runs is limited, and only these are in memory; the store has the others.
Results that arrive together are stored in one transaction.
"""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, wait
from typing import TYPE_CHECKING, NamedTuple

from venice._native import SimulationError, TraceError, WorkloadError
from venice.execution.pool import LOOK_S
from venice.sweep.outcome import RunOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Future

    from venice._native import Drive
    from venice.options.run_options import RunOptions
    from venice.report import Report
    from venice.sweep.store import Plan, Store
    from venice.sweep.store.claims import Claims

_SHARE_OF_LOOKS = 0.05
"""Maximum share of time spent on checks for the progress of other processes: counting a million
points takes a second."""


MOST_AT_ONCE = 64
"""Maximum number of runs claimed in one transaction, which blocks other processes for some
milliseconds.
"""


class RunExecutor(NamedTuple):
    """Executor of runs, with its limits.

    Attributes
    ----------
    submit
        Function that submits a run, with its drive if the drive was already resolved.
    in_flight
        Function that returns the maximum number of submitted runs.
    lost_errors
        Errors that mean that a worker died: the run has failed, others continue.
    check
        Function that raises the exception of a pending signal.
    """

    submit: Callable[[RunOptions, Drive | None], Future[Report]]
    in_flight: Callable[[], int]
    lost_errors: tuple[type[BaseException], ...] = ()
    check: Callable[[], None] = lambda: None

    def wait(self, handed: Iterable[Future[Report]]) -> set[Future[Report]]:
        """Wait for a submitted run, at most :data:`LOOK_S`; return the finished ones."""
        ended = wait(handed, LOOK_S, FIRST_COMPLETED).done
        self.check()
        return ended


class SubmittedRun(NamedTuple):
    """Number of the attempt and key of a submitted run."""

    attempt: int
    key: str


def outcome_of(
    future: Future[Report], handed: SubmittedRun, lost_errors: tuple[type[BaseException], ...]
) -> RunOutcome:
    """Return the outcome of a submitted run; an unexpected error is raised again."""
    try:
        return RunOutcome(*handed, future.result())
    except SimulationError as error:
        return RunOutcome(*handed, str(error))
    except (TraceError, WorkloadError) as error:
        return RunOutcome(*handed, str(error), is_refused=True)
    except lost_errors as error:
        return RunOutcome(*handed, str(error) or type(error).__name__)


class Dispatcher:
    """Loop that claims and submits the unfinished runs of sweeps.

    Parameters
    ----------
    run_executor
        Executor of the runs.
    progress
        Function called with the number of finished points and the number of all points.
    """

    def __init__(
        self,
        store: Store,
        plans: Sequence[Plan],
        run_executor: RunExecutor,
        progress: Callable[[int, int], object],
    ) -> None:
        self._store = store
        self._plans = plans
        self._run_executor = run_executor
        self._progress = progress
        self._handed: dict[Future[Report], SubmittedRun] = {}
        self._plan, self._place = 0, 0
        self._done, self._failed = 0, 0
        self._next_look = 0.0

    def run(self, claims: Claims) -> None:
        """Run all unfinished points, and wait for runs claimed by other processes."""
        self._look()
        try:
            while not self._is_over(claims):
                self._fill(claims)
                self._land()
                if time.monotonic() >= self._next_look:
                    self._look()
                    if self._is_at_end():
                        self._plan, self._place = 0, 0
        finally:
            for future in self._handed:
                future.cancel()
        self._look()

    def _is_at_end(self) -> bool:
        return self._plan == len(self._plans)

    def _is_over(self, claims: Claims) -> bool:
        return not self._handed and not any(
            plan.unfinished(0, claims.first, 1) for plan in self._plans
        )

    def _fill(self, claims: Claims) -> None:
        """Claim further runs and submit them."""
        most = self._run_executor.in_flight()
        while len(self._handed) < most and not self._is_at_end():
            plan = self._plans[self._plan]
            room = min(most - len(self._handed), MOST_AT_ONCE)
            found = plan.unfinished(self._place, claims.first, room)
            if not found:
                self._plan, self._place = self._plan + 1, 0
                continue
            self._place = found[-1][0] + 1
            places = {key: place for place, key in reversed(found)}
            for key, attempt in claims.claim(list(places)).items():
                handed = self._run_executor.submit(*plan.run_at(places[key]))
                self._handed[handed] = SubmittedRun(attempt, key)

    def _land(self) -> None:
        """Wait for submitted runs, and store the results of those that finished."""
        if not self._handed:
            time.sleep(LOOK_S if self._is_at_end() else 0)
            self._run_executor.check()
            return
        endings, unforeseen = self._endings(self._run_executor.wait(self._handed))
        self._store.end(endings)
        for ending in endings:
            self._tell(ending)
        if unforeseen is not None:
            raise unforeseen

    def _endings(
        self, landed: Iterable[Future[Report]]
    ) -> tuple[list[RunOutcome], BaseException | None]:
        endings, unforeseen = [], None
        for future in landed:
            handed = self._handed.pop(future)
            try:
                endings.append(outcome_of(future, handed, self._run_executor.lost_errors))
            except BaseException as error:
                unforeseen = error
        return endings, unforeseen

    def _tell(self, ending: RunOutcome) -> None:
        places = sum(plan.places_of(ending.key) for plan in self._plans)
        if isinstance(ending.report, str):
            self._failed += places
        else:
            self._done += places
        self._progress(self._done + self._failed, self._all())

    def _look(self) -> None:
        """Collect runs that this process and other processes have finished."""
        began = time.monotonic()
        self._done = sum(plan.done() for plan in self._plans)
        self._progress(self._done + self._failed, self._all())
        now = time.monotonic()
        self._next_look = now + max(LOOK_S, (now - began) / _SHARE_OF_LOOKS)

    def _all(self) -> int:
        return sum(len(plan.points) for plan in self._plans)
