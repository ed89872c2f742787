"""Choice of new points among the neighbours of the Pareto front.

There are two ways to choose the next point:

- *The largest expected gain* (:mod:`venice.exploration.estimate`), among all steps from a point of
  the front along one axis to its end, or to the middle of the gap to the next tried step.
- *A neighbour*, one step away on one axis, of the point of the front with the fewest neighbours
  chosen so far, regardless of the estimate. This is Pareto local search (Paquete et al., in
  Metaheuristics for Multiobjective Optimisation, 2004); it corrects errors of the estimate.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from venice.exploration.equal_points import line
from venice.exploration.estimate import Estimate
from venice.exploration.front import is_as_good

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from venice.exploration.equal_points import Line, Step
    from venice.exploration.front import Values
    from venice.exploration.space import Place, Space


class Neighbourhood:
    """Pareto front and its neighbouring points.

    Parameters
    ----------
    space
        Space of the search.
    random
        Random generator for choices among equally good points.
    """

    def __init__(self, space: Space, random: Random) -> None:
        self._axes = space.axes
        self._random = random
        self._tried: defaultdict[Line, list[Step]] = defaultdict(list)
        self._front: dict[Place, Values] = {}
        self._visits: Counter[Place] = Counter()
        self._estimate = Estimate(space.axes)

    def add(self, place: Place) -> None:
        """Record that a point is being tried."""
        for number, step in enumerate(place):
            insort(self._tried[line(place, number)], step)

    def set_values(self, place: Place, values: Values | None) -> None:
        """Record the objectives of a point; ``None`` if its full run is missing or invalid."""
        if values is None:
            return
        self._estimate.add(place, values)
        if not any(is_as_good(best, values) for best in self._front.values()):
            front = self._front.items()
            self._front = {where: best for where, best in front if not is_as_good(values, best)}
            self._front[place] = values

    def expected(self, is_new: Callable[[Place], bool]) -> Place | None:
        """Return the untried neighbour of the front with the largest expected gain, if any."""
        steps = [
            (best, place)
            for best in self._front
            for place in self._beside(best, is_near=False)
            if is_new(place)
        ]
        if not steps:
            return None
        leads = self._estimate.leads(self._front, steps)
        return max(
            (lead, self._random.random(), place)
            for lead, (_, place) in zip(leads, steps, strict=True)
        )[-1]

    def neighbour(self, is_new: Callable[[Place], bool]) -> Place | None:
        """Return an untried neighbour of the least explored point of the front, if any."""
        order = [(self._visits[best], self._random.random(), best) for best in self._front]
        for _, _, best in sorted(order):
            found = [place for place in self._beside(best, is_near=True) if is_new(place)]
            if found:
                self._visits[best] += 1
                return self._random.choice(found)
        return None

    def _beside(self, best: Place, *, is_near: bool) -> Iterator[Place]:
        """Yield untried points that differ from a point of the front on one axis."""
        for number, axis in enumerate(self._axes):
            tried = self._tried[line(best, number)]
            steps = (axis.neighbours if is_near else axis.beside)(best[number], tried)
            for step in steps:
                yield (*best[:number], step, *best[number + 1 :])
