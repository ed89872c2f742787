"""Points beside the front that were not tried.

Which is tried next is chosen in three steps:

1. A point of the front: where the front has its widest gaps in the space of objectives, each point
   in turn.
2. An axis: the likelier, the more often a step along it has led to the front so far.
3. A step along that axis from that point: an end of the axis, or the middle of the gap to what was
   tried on either side.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from math import inf
from typing import TYPE_CHECKING

from venice.exploration.front import crowding, is_as_good
from venice.exploration.known import line

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from venice.exploration.front import Values
    from venice.exploration.known import Step, Where
    from venice.exploration.space import Place, Space

_ENDS = 2.0
"""Ends of the front have no neighbour on one side. They count as twice the widest gap."""


class Fringe:
    """The front, and what lies beside it.

    Parameters
    ----------
    space
        All points.
    random
        Chooses among what is as good.
    """

    def __init__(self, space: Space, random: Random) -> None:
        self._axes = space.axes
        self._random = random
        self._tried: defaultdict[Where, list[Step]] = defaultdict(list)
        self._front: dict[Place, Values] = {}
        self._visits: Counter[Place] = Counter()
        self._axis_of: dict[Place, int] = {}
        self._steps = [0] * len(self._axes)
        self._successes = [0] * len(self._axes)

    def add(self, place: Place) -> None:
        """Keep a point that is tried."""
        for number, step in enumerate(place):
            insort(self._tried[line(place, number)], step)

    def tell(self, place: Place, values: Values | None) -> None:
        """Say how good a point is; nothing of one that misses a constraint or has no full run."""
        is_on_front = values is not None and self._put_on_front(place, values)
        number = self._axis_of.pop(place, None)
        if number is not None:
            self._steps[number] += 1
            self._successes[number] += is_on_front

    def choose(self, is_new: Callable[[Place], bool]) -> Place | None:
        """Choose a point beside the front; none if none is new."""
        for best in self._in_turn():
            steps = self._new_beside(best, is_new)
            if steps:
                axes = list(steps)
                number = self._random.choices(axes, list(map(self._likelihood, axes)))[0]
                place = self._random.choice(steps[number])
                self._visits[best] += 1
                self._axis_of[place] = number
                return place
        return None

    def _put_on_front(self, place: Place, values: Values) -> bool:
        if any(is_as_good(best, values) for best in self._front.values()):
            return False
        front = self._front.items()
        self._front = {where: best for where, best in front if not is_as_good(values, best)}
        self._front[place] = values
        return True

    def _in_turn(self) -> list[Place]:
        """Give the points of the front, those first that have wide gaps and few visits."""
        rooms = crowding(list(self._front.values()))
        widest = _ENDS * max((room for room in rooms if room < inf), default=1.0)
        order = [
            (min(room, widest) / (1 + self._visits[place]), self._random.random(), place)
            for place, room in zip(self._front, rooms, strict=True)
        ]
        return [place for _, _, place in sorted(order, reverse=True)]

    def _new_beside(self, best: Place, is_new: Callable[[Place], bool]) -> dict[int, list[Place]]:
        """Name new points beside one by the axis on which they differ."""
        found: dict[int, list[Place]] = {}
        for number, axis in enumerate(self._axes):
            steps = axis.beside(best[number], self._tried[line(best, number)])
            places = ((*best[:number], step, *best[number + 1 :]) for step in steps)
            new = [place for place in places if is_new(place)]
            if new:
                found[number] = new
        return found

    def _likelihood(self, number: int) -> float:
        """Say how likely a step along an axis leads to the front: Laplace's rule of succession."""
        return (self._successes[number] + 1) / (self._steps[number] + 2)
