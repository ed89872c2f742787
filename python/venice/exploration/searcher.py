"""Main loop of a search.

1. Points are chosen in order, and their results are used in the same order: the optimiser chooses
   point *n* when it knows the results of all points up to *n* minus the maximum number in progress.
   The chosen points therefore depend only on the exploration, not on the executor or the duration
   of runs.

2. A resumed search chooses the same points, finds their runs in the database, and continues after
   them. Two processes with one search choose the same points and share their runs.

3. The short runs of a point come first. The results known when it was chosen decide whether it gets
   a longer run (:mod:`venice.exploration.promotion`).
"""

from __future__ import annotations

from collections import deque
from random import Random
from typing import TYPE_CHECKING

from venice._native import ConfigError
from venice.exploration.equal_points import EqualPoints
from venice.exploration.neighbourhood import Neighbourhood
from venice.exploration.promotion import Stage
from venice.exploration.sampler import STARTED_BY
from venice.exploration.trial import Trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from venice.exploration.definition import Exploration
    from venice.exploration.front import Values
    from venice.exploration.runs import Runs
    from venice.exploration.sampler import Sampler
    from venice.exploration.space import Place
    from venice.sweep.store.store import Store

_REPEATS = 2
"""Number of attempts of the optimiser to choose a point that is not yet known."""
_DRAWS = 32
"""Number of attempts to draw a random point that is not yet known."""
_TURNS = ("optimiser", "expected", "neighbour", "expected", "random")
"""Methods that choose the next point, in turn. The optimiser considers all axes together, but may
abandon a part of the space after bad points, so every fifth point is random. The optimiser also
misses points between others of the front, and the ends of the front. Three of five points are
therefore neighbours of the front: two with the largest expected gain, and one regardless of the
estimate (measured: docs/guide/explore.md)."""
_MOST_IMPOSSIBLE = 1000
"""Number of consecutive impossible points after which the search ends."""


class Searcher:
    """Search in progress.

    Attributes
    ----------
    spent
        Cost of the finished points, as a number of full runs.
    """

    def __init__(
        self,
        exploration: Exploration,
        sampler: Sampler,
        runs: Runs,
        store: Store,
    ) -> None:
        self.spent = 0.0
        self._exploration = exploration
        self._sampler = sampler
        self._runs = runs
        self._key_of = store.key_in_use
        self._keys = store.keys()
        self._equal_points = EqualPoints(exploration.space)
        self._under_way: deque[Trial] = deque()
        self._random = Random(exploration.search.seed)  # noqa: S311 no secret
        self._stages = [Stage(exploration.goals) for _ in exploration.search.short_requests]
        self._turn = 0
        self._neighbourhood = Neighbourhood(exploration.space, self._random)
        self._impossible = 0
        self._is_exhausted = False

    def settle_all(self) -> Iterator[Trial]:
        """Search until the budget is spent or no point is left; yield finished points."""
        while True:
            if self._has_room():
                self._choose()
            elif self._under_way:
                trial = self._under_way.popleft()
                self._settle(trial)
                yield trial
            else:
                return

    def _has_room(self) -> bool:
        """Return true if the budget and the limit of points in progress allow another point."""
        search, most = self._exploration.search, sum(self._exploration.shares)
        possible = sum(trial.impossible is None for trial in self._under_way)
        # Sums of shares have rounding errors.
        is_paid = self.spent + (possible + 1) * most <= search.runs + most * 1e-9
        is_first = not self._equal_points.places
        return (
            not self._is_exhausted
            and len(self._under_way) < search.at_once
            and (is_paid or is_first)
        )

    def _choose(self) -> None:
        found = self._new_place()
        if found is None or self._impossible >= _MOST_IMPOSSIBLE:
            self._is_exhausted = True
            return
        optuna_trial, place = found
        self._keep(place)
        judges = [stage.judge() for stage in self._stages]
        trial = Trial(optuna_trial, place, self._exploration.space.point(place), judges)
        self._begin(trial)
        self._impossible = 0 if trial.impossible is None else self._impossible + 1
        self._under_way.append(trial)

    def _new_place(self) -> tuple[object, Place] | None:
        """Choose a new point; ``None`` if there is none."""
        space = self._exploration.space
        if space.size is not None and len(self._equal_points.places) >= space.size:
            return None
        found = self._chosen_by(self._whose_turn())
        if found is None:
            place = self._neighbourhood.neighbour(self._equal_points.is_new) or self._drawn()
            place = place or space.new_near(
                self._random.choice(list(self._equal_points.places)),
                self._equal_points.places,
                self._random,
            )
            found = None if place is None else self._sampler.ask(place)
        return found

    def _whose_turn(self) -> str:
        self._turn += 1
        return _TURNS[self._turn % len(_TURNS)] if self._turn > STARTED_BY else "optimiser"

    def _chosen_by(self, whose: str) -> tuple[object, Place] | None:
        """Return a new point chosen by the method `whose`; ``None`` if the method finds none."""
        if whose == "optimiser":
            return self._chosen_by_optimiser()
        choose = {
            "expected": self._neighbourhood.expected,
            "neighbour": self._neighbourhood.neighbour,
        }.get(whose)
        place = self._drawn() if choose is None else choose(self._equal_points.is_new)
        return None if place is None else self._sampler.ask(place)

    def _chosen_by_optimiser(self) -> tuple[object, Place] | None:
        for _ in range(_REPEATS):
            optuna_trial, place = self._sampler.ask()
            if self._equal_points.is_new(place):
                return optuna_trial, place
            self._sampler.drop(optuna_trial)
        return None

    def _drawn(self) -> Place | None:
        for _ in range(_DRAWS):
            place = self._exploration.space.random(self._random)
            if self._equal_points.is_new(place):
                return place
        return None

    def _keep(self, place: Place) -> None:
        self._equal_points.keep(place)
        self._neighbourhood.add(place)

    def _begin(self, trial: Trial) -> None:
        """Start the next run of a point."""
        options = trial.options(self._exploration.stages[len(trial.keys)])
        try:
            key = self._key_of(self._keys.all_of(options))
        except ConfigError as error:
            trial.impossible, trial.is_over = str(error), True
            return
        trial.keys.append(key)
        self._runs.begin(key, options, self._keys.drive_of(options))

    def _advance(self, trial: Trial) -> None:
        """Store the last run of a point, and start the next run if the point is promoted."""
        while not trial.is_over:
            ended = self._runs.ended(trial.keys[-1])
            if ended is None:
                return
            stage = len(trial.results)
            trial.results.append(ended)
            trial.is_over = (
                isinstance(ended.figures, str)
                or stage + 1 == len(self._exploration.stages)
                or trial.judges[stage].is_hopeless(ended.figures)
            )
            if not trial.is_over:
                self._begin(trial)

    def _settle(self, trial: Trial) -> None:
        """Wait for the runs of a point, and record its results."""
        self._advance(trial)
        while not trial.is_over:
            self._runs.wait()
            for one in (trial, *self._under_way):
                self._advance(one)
        self.spent += sum(self._exploration.shares[: len(trial.results)])
        self._tell(trial)

    def _tell(self, trial: Trial) -> None:
        goals = self._exploration.goals
        self._neighbourhood.set_values(trial.place, self._values_of(trial))
        if trial.impossible is not None:
            self._sampler.tell_impossible(trial.optuna_trial)
        elif isinstance(trial.last, str):
            self._sampler.drop(trial.optuna_trial)
        else:
            figures = self._add_to_stages(trial, trial.last)
            self._sampler.tell(trial.optuna_trial, goals.values(figures), goals.violations(figures))

    def _values_of(self, trial: Trial) -> Values | None:
        """Return the objectives of a point; ``None`` unless its full run meets all constraints."""
        if len(trial.results) < len(self._exploration.stages) or isinstance(trial.last, str):
            return None
        goals = self._exploration.goals
        return goals.values(trial.last) if goals.are_met(trial.last) else None

    def _add_to_stages(self, trial: Trial, figures: Mapping[str, float]) -> Mapping[str, float]:
        """Record a point's result; return the figures of its full run, measured or expected."""
        if len(trial.results) < len(self._exploration.stages):
            return trial.judges[len(trial.results) - 1].expected(figures)
        self._equal_points.add(trial.place, trial.results[-1].digest)
        for stage, results in zip(self._stages, trial.results, strict=False):
            if not isinstance(results.figures, str):
                stage.add(results.figures, figures)
        return figures
