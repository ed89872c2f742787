"""Execution of the runs of a search, each only once over all processes and calls."""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING, NamedTuple

from venice.execution.pool import LOOK_S
from venice.sweep.dispatch import SubmittedRun, outcome_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future

    from venice._native import Drive
    from venice.options.run_options import RunOptions
    from venice.report import Report
    from venice.sweep.dispatch import RunExecutor
    from venice.sweep.outcome import RunOutcome
    from venice.sweep.store import Store
    from venice.sweep.store.claims import Claims

_NOT_DIGESTED = frozenset({"config", "wall_s", "events"})


class RunResult(NamedTuple):
    """Result of a finished run of a search.

    Attributes
    ----------
    figures
        Figures of the goals, or the reason why there are none.
    is_found
        True if the run was stored already, or another process executed it.
    is_refused
        True if the run failed because of an invalid scenario.
    digest
        Hash of the report without the configuration.
    """

    figures: Mapping[str, float] | str
    is_found: bool = False
    is_refused: bool = False
    digest: str = ""


class Runs:
    """Runs of a search that have been started, by their keys.

    Parameters
    ----------
    read
        Function that returns the figures of a report, or a message about a missing one.
    """

    def __init__(
        self,
        store: Store,
        claims: Claims,
        run_executor: RunExecutor,
        read: Callable[[Report], Mapping[str, float] | str],
    ) -> None:
        self._store = store
        self._claims = claims
        self._run_executor = run_executor
        self._read = read
        self._ended: dict[str, RunResult] = {}
        self._handed: dict[Future[Report], SubmittedRun] = {}
        self._elsewhere: dict[str, tuple[RunOptions, Drive | None]] = {}
        self._next_look = 0.0

    def begin(self, key: str, options: RunOptions, drive: Drive | None) -> None:
        """Start a run, unless it was started before or its result is stored.

        If `drive` is ``None``, the drive is resolved from the options.
        """
        under_way = {handed.key for handed in self._handed.values()}
        if key in self._ended or key in self._elsewhere or key in under_way:
            return
        self._elsewhere[key] = options, drive
        self._look(key)

    def ended(self, key: str) -> RunResult | None:
        """Return the result of a run; ``None`` while it is in progress."""
        return self._ended.get(key)

    def wait(self) -> None:
        """Wait until some run may have finished."""
        if self._handed:
            self._land(self._run_executor.wait(self._handed))
        elif self._elsewhere:
            time.sleep(LOOK_S)
            self._run_executor.check()
        if time.monotonic() >= self._next_look:
            for key in list(self._elsewhere):
                self._look(key)
            self._next_look = time.monotonic() + LOOK_S

    def cancel(self) -> None:
        """Cancel all submitted runs of the search."""
        for future in self._handed:
            future.cancel()

    def _look(self, key: str) -> None:
        """Record a finished run, or start it unless another process is executing it."""
        report = self._store.get(key)
        failed = None if report else self._store.reason(key, self._claims.first)
        if report is not None:
            self._ended[key] = self._of(report, is_found=True)
        elif failed is not None:
            self._ended[key] = RunResult(failed[0], is_found=True, is_refused=failed[1])
        else:
            attempt = self._claims.claim([key]).get(key)
            if attempt is None:
                return
            self._handed[self._run_executor.submit(*self._elsewhere[key])] = SubmittedRun(
                attempt, key
            )
        del self._elsewhere[key]

    def _land(self, landed: set[Future[Report]]) -> None:
        endings, unforeseen = [], None
        for future in landed:
            handed = self._handed.pop(future)
            try:
                endings.append(outcome_of(future, handed, self._run_executor.lost_errors))
            except BaseException as error:
                unforeseen = error
        self._store.end(endings)
        for ending in endings:
            self._ended[ending.key] = self._result(ending)
        if unforeseen is not None:
            raise unforeseen

    def _result(self, ending: RunOutcome) -> RunResult:
        if isinstance(ending.report, str):
            return RunResult(ending.report, is_refused=ending.is_refused)
        return self._of(ending.report)

    def _of(self, report: Report, *, is_found: bool = False) -> RunResult:
        return RunResult(self._read(report), is_found=is_found, digest=_result(report))


def _result(report: Report) -> str:
    """Return a hash of a report without its configuration and its wall time."""
    content = {key: value for key, value in report.content.items() if key not in _NOT_DIGESTED}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
