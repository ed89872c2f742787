"""Exploration of a design space, whose results are stored in a folder."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from venice.execution.progress import of_count
from venice.exploration.runs import Runs
from venice.exploration.sampler import Sampler, require_optuna
from venice.exploration.search_contents import SearchContents
from venice.exploration.searcher import Searcher
from venice.sweep.definition import SweepError
from venice.sweep.runner import (
    breakdown_as_error,
    impossible_error,
    reason_against,
    run_executor_for,
    shorten_reason,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Executor
    from os import PathLike

    from venice.exploration.definition import Exploration
    from venice.exploration.result import Explored
    from venice.exploration.space import Place, Space
    from venice.sweep.definition import Point

_TRIED = 64
"""Number of points at which an impossible value is tried before it is refused."""


def explore(
    exploration: Exploration,
    folder: str | PathLike[str],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
) -> Explored:
    """Search a design space for several objectives at once.

    Each run is stored as soon as it is finished, so an interrupted search resumes when called
    again. The points depend only on the exploration and the version of Optuna, not on the number of
    workers or the duration of runs.

    Parameters
    ----------
    exploration
        Space, goals and budget.
    folder
        Folder of the results: ``results.sqlite``, as for :func:`venice.run_sweep`, and
        ``front.csv``.
    workers
        Parallel runs [default: one per processor].
    executor
        Executor of the runs in place of threads of this process, such as Dask's or one of
        :mod:`concurrent.futures`.
    progress
        Function called with the spent and the total budget, in full runs. ``True`` shows a progress
        bar, ``False`` none; by default, notebooks show one.

    Returns
    -------
    Explored
        Front, and all points with a full run.

    Raises
    ------
    UsageError
        If Optuna is not installed, the folder cannot be written, or a value on an axis, or every
        point, is impossible.
    OutputError
        If a result cannot be stored.
    SimulationError
        If the executor fails.
    """
    require_optuna()
    _refuse_impossible(exploration.space)
    from venice.sweep.store import Store  # noqa: PLC0415 SQLite, which the help does without

    with ExitStack() as stack:
        store = stack.enter_context(Store(Path(folder)))
        stack.enter_context(store.explained())
        claims = store.claims()
        stack.callback(claims.leave)
        run_executor = run_executor_for(stack, executor, workers, exploration.search.at_once)
        runs = Runs(store, claims, run_executor, exploration.goals.read)
        book = SearchContents(store, exploration)
        searcher = Searcher(exploration, Sampler(exploration), runs, store)
        most = exploration.search.runs
        listener = stack.enter_context(of_count(progress, exploration.name, most))
        with breakdown_as_error():
            stack.callback(runs.cancel)
            for trial in searcher.settle_all():
                book.enter(trial)
                if listener is not None:
                    listener(round(searcher.spent), most)
        return book.closed(searcher.spent)


def _refuse_impossible(space: Space) -> None:
    """Refuse values that are impossible at every point, as a sweep does.

    Each value, and both ends of each range, is tried at one point; a value that is impossible there
    is tried at other points. If no point is possible, the value at fault cannot be identified.
    """
    random = Random(0)  # noqa: S311 no secret
    others = [space.random(random) for _ in range(_TRIED)]
    first = _first_possible(space, [*space.samples(), *others])
    for number, axis in enumerate(space.axes):
        for where in axis.samples():
            places = ((*one[:number], where, *one[number + 1 :]) for one in (first, *others))
            reasons = _reasons(map(space.point, places))
            if reasons:
                choice = ", ".join(f"`{key}` = {it}" for key, it in axis.chosen(where).items())
                raise SweepError(f"{choice} is possible at no point: {shorten_reason(reasons[0])}")


def _first_possible(space: Space, places: list[Place]) -> Place:
    reasons = []
    for place in places:
        point = space.point(place)
        reason = reason_against(point)
        if reason is None:
            return place
        reasons.append((point, reason))
    raise impossible_error(*reasons[0])


def _reasons(points: Iterable[Point]) -> list[str]:
    """Return why each point is impossible; an empty list if one of them is possible."""
    reasons: list[str] = []
    for point in points:
        reason = reason_against(point)
        if reason is None:
            return []
        reasons.append(reason)
    return reasons
