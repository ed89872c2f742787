"""Prediction of points with equal results, from the runs so far.

Some axes have no effect at some points: the link width of a fabric without links, or a queue depth
that is never reached. Two points are *equal* if their reports are equal apart from the
configuration. Equality of other points is inferred as follows:

1. If two points on one ordered axis are equal, all steps of the axis between them are equal.

2. The inference also holds at all points with the same *context*: the same steps on the unordered
   axes, such as the fabric, which decide whether other settings have an effect.

3. Two neighbours on one axis with different results refute every inference that covers both.

An inferred equality only defers a point: it is run when no other point is left.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice.exploration.space import Place, Space

Step = int | float
Span = tuple[Step, Step]
"""Interval between two steps of an axis, the lower first."""
Line = tuple[Step, ...]
"""Number of an axis, followed by a point's coordinates on the other axes, or by its context."""


class EqualPoints:
    """Points chosen so far, and other points that are expected to have equal results.

    Attributes
    ----------
    places
        Chosen points, in the order of choice.
    """

    def __init__(self, space: Space) -> None:
        self.places: dict[Place, None] = {}
        self._firsts: set[Place] = set()
        self._is_changed = False
        self._is_ordered = [axis.is_ordered for axis in space.axes]
        # Unordered axes come first: they are the context of the ordered ones.
        self._order = sorted(range(len(space.axes)), key=lambda number: self._is_ordered[number])
        self._lines: defaultdict[Line, dict[Step, str]] = defaultdict(dict)
        self._places: defaultdict[str, list[Place]] = defaultdict(list)
        self._facts: dict[Line, _Facts] = {}

    def keep(self, place: Place) -> None:
        """Add a point that has been chosen."""
        self.places[place] = None
        self._firsts.add(self._first(place))

    def is_new(self, place: Place) -> bool:
        """Return true if a point was not chosen and is not expected to equal a chosen one."""
        if self._is_changed:
            self._firsts = {self._first(known) for known in self.places}
            self._is_changed = False
        return place not in self.places and self._first(place) not in self._firsts

    def add(self, place: Place, digest: str) -> None:
        """Record the result of a point's run by the digest of its report."""
        for number in range(len(place)):
            self._add_different(place, number, digest)
        for other in self._places[digest]:
            self._add_same(place, other)
            self._add_same(other, place)
        self._places[digest].append(place)

    def _add_different(self, place: Place, number: int, digest: str) -> None:
        where, step = self._context(place, number), place[number]
        facts = self._facts.setdefault(where, _Facts(self._is_ordered[number]))
        on_line = self._lines[line(place, number)]
        for other in facts.beside(step, on_line):
            if on_line[other] != digest:
                self._is_changed |= facts.add(_span(step, other), is_same=False)
        on_line[step] = digest

    def _add_same(self, place: Place, other: Place) -> None:
        for number, (step, its) in enumerate(zip(place, other, strict=True)):
            if step != its:
                facts = self._facts[self._context(place, number)]
                self._is_changed |= facts.add(_span(step, its), is_same=True)

    def _first(self, place: Place) -> Place:
        """Return the earliest point that is expected to have the same result as this one."""
        for number in self._order:
            facts = self._facts.get(self._context(place, number))
            if facts is not None:
                place = (*place[:number], facts.first(place[number]), *place[number + 1 :])
        return place

    def _context(self, place: Place, number: int) -> Line:
        return (
            number,
            *(step for at, step in enumerate(place) if at != number and not self._is_ordered[at]),
        )


@dataclass
class _Facts:
    """Pairs of steps of an axis with equal or different results, in one context."""

    is_ordered: bool
    same: set[Span] = field(default_factory=set)
    different: set[Span] = field(default_factory=set)
    believed: list[Span] = field(default_factory=list)

    def beside(self, step: Step, line: Mapping[Step, str]) -> list[Step]:
        """Return the steps along an axis with which a new step has to be compared."""
        if not self.is_ordered:
            return [other for other in line if other != step]
        below = max((other for other in line if other < step), default=None)
        above = min((other for other in line if other > step), default=None)
        return [other for other in (below, above) if other is not None]

    def add(self, span: Span, *, is_same: bool) -> bool:
        """Record that two steps are equal or differ; return true if this was not known before."""
        facts = self.same if is_same else self.different
        if span in facts:
            return False
        facts.add(span)
        self.believed = [
            one for one in self.same if not any(self._covers(one, it) for it in self.different)
        ]
        return True

    def first(self, step: Step) -> Step:
        """Return the lowest step that is expected to have the same result as `step`."""
        while True:
            lower = [one[0] for one in self.believed if one[0] < step and self._is_on(step, one)]
            if not lower:
                return step
            step = min(lower)

    def _covers(self, span: Span, other: Span) -> bool:
        if self.is_ordered:
            return span[0] <= other[0] and other[1] <= span[1]
        return span == other

    def _is_on(self, step: Step, span: Span) -> bool:
        return span[0] <= step <= span[1] if self.is_ordered else step in span


def _span(one: Step, other: Step) -> Span:
    return min(one, other), max(one, other)


def line(place: Place, number: int) -> Line:
    """Return the line along axis `number` through a point."""
    return (number, *place[:number], *place[number + 1 :])
