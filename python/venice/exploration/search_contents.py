"""Lists of the full runs, the short runs and the front's runs in the database of a search."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from venice.exploration.result import Explored, Found, front_points
from venice.files import output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.exploration.definition import Exploration
    from venice.exploration.trial import Trial
    from venice.sweep.definition import Point
    from venice.sweep.store import Results, Store
    from venice.sweep.store.run_lists import RunList

FRONT_FILE = "front.csv"


class SearchContents:
    """Lists of the runs of a search in its database.

    In the database, the exploration ``mesh`` has the sweeps ``mesh explored``, ``mesh front`` and,
    for each length of short runs, ``mesh short 500``.
    """

    def __init__(self, store: Store, exploration: Exploration) -> None:
        self._store = store
        self._exploration = exploration
        short = [f"short {requests}" for requests in exploration.search.short_requests]
        names = [*short, "explored"]
        store.warn_of_reruns(f"{exploration.name} {name}" for name in names)
        self._stages = [self._list(name, exploration.search.runs) for name in names]
        self._counts = [0] * len(self._stages)
        self._full_points: list[Point] = []
        self._found: list[tuple[Found, str]] = []
        self._trials: list[Trial] = []

    def enter(self, trial: Trial) -> None:
        """Store a point with its runs."""
        self._trials.append(trial)
        for stage, key in enumerate(trial.keys):
            self._put(stage, key, trial)
        if trial.impossible is not None:
            self._put(len(self._stages) - 1, None, trial)
        elif not isinstance(trial.last, str) and len(trial.results) == len(self._stages):
            is_within = self._exploration.goals.are_met(trial.last)
            self._found.append((Found(trial.point, trial.last, is_within), trial.keys[-1]))

    def closed(self, spent: float) -> Explored:
        """Store the front and return the result of the search."""
        for listed, count in zip(self._stages, self._counts, strict=True):
            listed.end(count)
        points = [found for found, _ in self._found]
        explored = Explored(
            self._exploration,
            self._store.results_of(self._stages[-1], self._full_points),
            self._kept_front(front_points(self._exploration, points)),
            points,
            spent,
        )
        for trial in self._trials:
            _count(explored, trial)
        return explored

    def _list(self, name: str, expected: int) -> RunList:
        exploration = self._exploration
        return self._store.listed(
            f"{exploration.name} {name}",
            exploration.fingerprint(),
            exploration.space.keys,
            expected,
        )

    def _put(self, stage: int, key: str | None, trial: Trial) -> None:
        row = (self._counts[stage], key, trial.point.choices, trial.impossible)
        self._stages[stage].put([row])
        self._counts[stage] += 1
        if stage == len(self._stages) - 1:
            self._full_points.append(trial.point)

    def _kept_front(self, front: Sequence[Found]) -> Results:
        key_of = {id(found): key for found, key in self._found}
        listed = self._list("front", len(front))
        listed.put(
            (place, key_of[id(found)], found.point.choices, None)
            for place, found in enumerate(front)
        )
        listed.end(len(front))
        with output.create(self._store.folder / FRONT_FILE) as file:
            file.write(_as_csv(self._exploration, front).encode())
        return self._store.results_of(listed, [found.point for found in front])


def _count(explored: Explored, trial: Trial) -> None:
    """Count a point in the result, by its outcome."""
    explored.found += sum(results.is_found for results in trial.results)
    if trial.impossible is not None:
        explored.impossible.append((trial.point, trial.impossible))
    elif isinstance(trial.last, str):
        explored.failed.append((trial.point, trial.last))
        explored.refused += trial.results[-1].is_refused
    elif len(trial.results) < len(explored.exploration.stages):
        explored.given_up += 1


def _as_csv(exploration: Exploration, front: Sequence[Found]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*exploration.space.keys, *exploration.goals.figures])
    for found in front:
        choices = (found.point.choices[key] for key in exploration.space.keys)
        writer.writerow([*choices, *found.figures.values()])
    return text.getvalue()
