"""Runs of figures, whose reports are kept in the database of a folder."""

from __future__ import annotations

import hashlib
import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import ConfigError, SimulationError, UsageError
from venice.plot.results.source import with_names
from venice.sweep import Sweep, run_points
from venice.sweep.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence, Sized
    from contextlib import AbstractContextManager

    from venice.report import Report
    from venice.report.grouping import Result
    from venice.sweep import Point

    Progress = Callable[[str, int], AbstractContextManager[Callable[[int, int], object]]]


class Bench:
    """Executor of the runs that a figure needs; it reads stored runs instead of repeating them.

    Parameters
    ----------
    folder
        Folder of the database, which several figures may share.
    name
        Name of the figure.
    workers
        Parallel runs [default: one per processor].
    progress
        Context manager that shows the progress of runs, from their number and a title.

    Attributes
    ----------
    left_out
        Fabrics that the drive's array does not allow, each with the reason.
    runs, found
        Number of all runs, and of those that were stored before.
    """

    def __init__(
        self,
        folder: str | Path,
        name: str,
        *,
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.left_out: dict[str, str] = {}
        self.runs = self.found = 0
        self._name = name
        self._workers = workers
        self._progress: Progress = progress or _silent

    def sweep(
        self,
        part: str,
        scenario: Mapping[str, Any],
        axes: Sequence[Mapping[str, Sequence[Any]]],
    ) -> list[Result]:
        """Run all combinations of values on axes.

        Parameters
        ----------
        part
            Name of the part of the figure.
        scenario
            Keywords of :func:`venice.run` that the runs have in common.
        axes
            See :meth:`venice.sweep.Sweep.of`.

        Raises
        ------
        SimulationError
            If a run fails.
        UsageError
            If no run is possible.
        """
        sweep = Sweep.of(scenario, axes, f"{self._name}: {part}")
        with (
            Store(self.folder) as store,
            self._progress(sweep.name, len(sweep.points)) as hear,
        ):
            outcome = run_points(
                {sweep.name: sweep.points}, store, workers=self._workers, progress=hear
            )
        for point, reason in outcome.left_out:
            self._leave_out(point, reason)
        if outcome.failed:
            point, reason = outcome.failed[0]
            raise _failure(outcome.refused == len(outcome.failed))(f"{point}: {reason}")
        self._require(outcome.results)
        self.runs += len(outcome.results)
        self.found += outcome.found
        return with_names([(report, point.choices) for point, report in outcome.results])

    def observed(
        self,
        part: str,
        scenario: Mapping[str, Any],
        axes: Sequence[Mapping[str, Sequence[Any]]],
        **observing: Any,  # noqa: ANN401 keywords of `venice.run`
    ) -> list[Result]:
        """Run all combinations with observations that a sweep does not keep, such as intervals.

        Parameters
        ----------
        part
            Name of the part of the figure.
        scenario
            Keywords of :func:`venice.run`.
        axes
            See :meth:`sweep`.
        **observing
            Keywords of :func:`venice.run` such as `interval`, `distributions`, `alone`.
        """
        from venice.api.run import run  # noqa: PLC0415 few figures need it

        points = Sweep.of(scenario, axes, f"{self._name}: {part}").points
        found: list[tuple[Report, Mapping[str, Any]]] = []
        with (
            Store(self.folder) as store,
            self._progress(f"{self._name}: {part}", len(points)) as hear,
        ):
            keys = store.keys()
            for place, point in enumerate(points):
                try:
                    key = _observed_key(keys.of(point.options), observing)
                except ConfigError as error:
                    self._leave_out(point, str(error))
                    continue
                report = store.get(key)
                self.found += report is not None
                if report is None:
                    report = run(**point.scenario, **observing, progress=False)
                    store.put(key, report)
                found.append((report, point.choices))
                hear(place + 1, len(points))
        self._require(found)
        self.runs += len(found)
        return with_names(found)

    def _leave_out(self, point: Point, reason: str) -> None:
        self.left_out.setdefault(str(point.choices.get("fabric", point)), reason)

    def _require(self, results: Sized) -> None:
        if not len(results):
            raise UsageError(f"no run is possible: {next(iter(self.left_out.values()))}")


def _observed_key(key: str, observing: Mapping[str, Any]) -> str:
    """Return the key of a run, which includes its observations, since they affect its report."""
    text = json.dumps([key, observing], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[: len(key)]


def _failure(is_refused: bool) -> type[Exception]:
    return UsageError if is_refused else SimulationError


def _silent(_title: str, _total: int) -> AbstractContextManager[Callable[[int, int], object]]:
    return nullcontext(_ignore)


def _ignore(_done: int, _total: int) -> None:
    pass
