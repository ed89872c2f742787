"""Space of a search: axes as in a sweep, and ranges of numbers."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from venice.sweep.definition import (
    Point,
    SweepError,
    applied,
    check_points,
    choice_labels,
    keys_of,
    steps_of_axis,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from venice.sweep.definition import Step

Place = tuple[int | float, ...]
"""Position of a point in the space: for each axis, the index of a step or a value of the range."""

_RANGE_KEYS = ("from", "to", "step", "log")
_DIGITS = 4
_WALK = 1000
"""Maximum number of steps of a random walk that searches for an unknown point."""


@dataclass(frozen=True)
class Choices:
    """Axis with a list of steps.

    Attributes
    ----------
    name
        Keys of the axis.
    steps
        Values of the keys at each step.
    is_ordered
        True if neighbouring steps are expected to have similar results, as for sorted numbers.
    """

    name: str
    steps: tuple[Mapping[str, Step], ...]
    is_ordered: bool

    @property
    def count(self) -> int | None:
        """Number of steps."""
        return len(self.steps)

    def chosen(self, place: float) -> Mapping[str, Step]:
        """Return the values of the axis's keys at a step."""
        return self.steps[int(place)]

    def suggest(self, trial: Any) -> int | float:  # noqa: ANN401 Optuna's, imported late
        """Let the optimiser choose a step."""
        if self.is_ordered:
            return int(trial.suggest_int(self.name, 0, len(self.steps) - 1))
        return int(trial.suggest_categorical(self.name, list(range(len(self.steps)))))

    def near(self, place: float, random: Random) -> int | float:
        """Return another step; on an ordered axis, the next or the previous one."""
        if self.is_ordered:
            return _next(int(place), 0, len(self.steps) - 1, 1, random)
        return self.any(random)

    def any(self, random: Random) -> int | float:
        """Return a random step of the axis."""
        return random.randrange(len(self.steps))

    def beside(self, place: float, tried: Sequence[int | float]) -> list[int | float]:
        """Return untried steps: ends or middles of gaps; on an unordered axis, all others."""
        if self.is_ordered:
            return _gaps(place, tried, (0, len(self.steps) - 1), lambda *gap: int(sum(gap)) // 2)
        return self._untried(tried)

    def neighbours(self, place: float, tried: Sequence[int | float]) -> list[int | float]:
        """Return the untried neighbours of a step; on an unordered axis, all other steps."""
        near = {place - 1, place + 1}
        return [step for step in self._untried(tried) if not self.is_ordered or step in near]

    def parts(self, place: float) -> list[float]:
        """Return the regression terms of a step: an indicator variable for each step."""
        return [float(step == place) for step in range(len(self.steps))]

    def samples(self) -> list[int | float]:
        """Return all steps, each of which is checked before a search."""
        return list(range(len(self.steps)))

    def _untried(self, tried: Sequence[int | float]) -> list[int | float]:
        return [step for step in range(len(self.steps)) if step not in tried]


@dataclass(frozen=True)
class Range:
    """Axis with the numbers of a range.

    Attributes
    ----------
    name
        Key of the axis.
    start, stop
        The first and the last number.
    step
        Difference of neighbouring numbers; ``None`` for a continuous range.
    is_log
        True if the optimiser uses the logarithms of the numbers.
    """

    name: str
    start: int | float
    stop: int | float
    step: int | float | None
    is_log: bool

    @property
    def count(self) -> int | None:
        """Number of values; ``None`` if there are too many to count."""
        if self.step is None:
            return None
        return math.floor((self.stop - self.start) / self.step * (1 + 1e-12)) + 1

    @property
    def _is_whole(self) -> bool:
        return isinstance(self.start, int) and isinstance(self.stop, int)

    def chosen(self, place: float) -> Mapping[str, Step]:
        """Return the key of the axis with a number of the range."""
        return {self.name: place}

    def suggest(self, trial: Any) -> int | float:  # noqa: ANN401 Optuna's, imported late
        """Let the optimiser choose a number; fractions have four significant digits."""
        if self._is_whole:
            return int(
                trial.suggest_int(
                    self.name, self.start, self.stop, step=self.step or 1, log=self.is_log
                )
            )
        found = trial.suggest_float(
            self.name, self.start, self.stop, step=self.step, log=self.is_log
        )
        return self._rounded(found)

    def near(self, place: float, random: Random) -> int | float:
        """Return a neighbouring number, or a random one in a continuous range."""
        if self.step is None:
            return self.any(random)
        return _next(place, self.start, self.stop, self.step, random)

    def any(self, random: Random) -> int | float:
        """Return a random number of the range."""
        if self.count is not None and self.step is not None:
            return self.start + random.randrange(self.count) * self.step
        return self._rounded(random.uniform(self.start, self.stop))

    def beside(self, place: float, tried: Sequence[int | float]) -> list[int | float]:
        """Return untried numbers: ends of the range, or middles of the gaps around `place`."""
        return _gaps(place, tried, (self.start, self.start + self._length), self._middle)

    def neighbours(self, place: float, tried: Sequence[int | float]) -> list[int | float]:
        """Return the previous and the next number if untried."""
        return self.beside(place, tried)

    def parts(self, place: float) -> list[float]:
        """Return the regression terms of a number: linear and quadratic."""
        low, high, at = self.start, self.stop, place
        if self.is_log:
            low, high, at = math.log(low), math.log(high), math.log(at)
        share = (at - low) / (high - low)
        return [share, share * share]

    def samples(self) -> list[int | float]:
        """Return both ends of the range, which are checked before a search."""
        return [self.start, self.stop]

    @property
    def is_ordered(self) -> bool:
        """Always true, because neighbouring numbers are expected to have similar results."""
        return True

    @property
    def _length(self) -> int | float:
        """Distance between the first and the last number that steps can reach."""
        if self.step is None or self.count is None:
            return self.stop - self.start
        return (self.count - 1) * self.step

    def _middle(self, low: float, high: float) -> int | float:
        middle = math.sqrt(low * high) if self.is_log else (low + high) / 2
        if self.step is None:
            return self._rounded(middle)
        return self.start + math.floor((middle - self.start) / self.step) * self.step

    def _rounded(self, value: float) -> float:
        return min(max(float(f"{value:.{_DIGITS}g}"), self.start), self.stop)


Axis = Choices | Range


@dataclass(frozen=True)
class Space:
    """Space of possible points.

    Attributes
    ----------
    scenario
        Keywords of :func:`venice.run` that are the same for all points.
    axes
        Axes of the space.
    keys
        The keys of all axes, in order.
    """

    scenario: Mapping[str, Any]
    axes: tuple[Axis, ...]
    keys: tuple[str, ...]

    @classmethod
    def of(cls, scenario: Mapping[str, Any], axes: Sequence[Mapping[str, Any]]) -> Space:
        """Return the space of some axes, given as for :meth:`venice.Sweep.of` or as ranges.

        Raises
        ------
        SweepError
            If an axis is invalid, a key occurs twice, or a resulting scenario is invalid.
        """
        if not axes:
            raise SweepError("there is no axis; expected: one or more, such as fabric = [...]")
        found = tuple(_axis(axis, number) for number, axis in enumerate(axes, 1))
        keys = keys_of(axes, scenario)
        space = cls(dict(scenario), found, keys)
        check_points(scenario, map(space.point, space.samples()))
        return space

    @property
    def size(self) -> int | None:
        """Number of points; ``None`` if an axis is continuous."""
        product = 1
        for axis in self.axes:
            if axis.count is None:
                return None
            product *= axis.count
        return product

    def point(self, place: Place) -> Point:
        """Return the point at a position."""
        choices = {
            key: value
            for axis, where in zip(self.axes, place, strict=True)
            for key, value in axis.chosen(where).items()
        }
        return Point(choice_labels(choices), applied(self.scenario, choices))

    def samples(self) -> list[Place]:
        """Return positions that contain each step of each axis, and both ends of each range."""
        first = tuple(axis.samples()[0] for axis in self.axes)
        return list(
            dict.fromkeys(
                (*first[:number], where, *first[number + 1 :])
                for number, axis in enumerate(self.axes)
                for where in axis.samples()
            )
        )

    def random(self, random: Random) -> Place:
        """Return a random point of the space."""
        return tuple(axis.any(random) for axis in self.axes)

    def new_near(self, place: Place, known: Mapping[Place, object], random: Random) -> Place | None:
        """Return an unknown point, found by a random walk that changes one axis at a time.

        Returns
        -------
        tuple or None
            The point; ``None`` if none is found.
        """
        for _ in range(_WALK):
            number = random.randrange(len(self.axes))
            there = self.axes[number].near(place[number], random)
            place = (*place[:number], there, *place[number + 1 :])
            if place not in known:
                return place
        return None


def _gaps(
    place: float,
    tried: Sequence[int | float],
    ends: tuple[int | float, int | float],
    middle: Callable[[float, float], int | float],
) -> list[int | float]:
    """Return untried positions on an axis: its ends, or the middles of the gaps next to `place`.

    The ends come first, since all steps between equal ends are equal. `tried` is sorted and
    contains `place`.
    """
    at = bisect_left(tried, place)
    found: list[int | float] = []
    for end, gap in zip(ends, (tried[max(at - 1, 0) : at + 1], tried[at : at + 2]), strict=True):
        if len(gap) == 1:
            found += [end] if end != place else []
        else:
            there = middle(*gap)
            found += [there] if gap[0] < there < gap[1] else []
    return found


def _next(place: float, start: float, stop: float, step: float, random: Random) -> int | float:
    """Return one of the two neighbouring numbers; at an end of the range, the only one."""
    there = place + random.choice((-step, step))
    if start <= there <= stop:
        return there
    inwards = 2 * place - there
    return inwards if start <= inwards <= stop else place


def _axis(axis: Mapping[str, Any], number: int) -> Axis:
    ranges = [key for key, value in axis.items() if isinstance(value, Mapping)]
    if not ranges:
        steps = steps_of_axis(axis, number)
        return Choices(", ".join(axis), tuple(steps), _is_ordered(steps))
    if len(axis) > 1:
        raise SweepError(
            f"axis {number}: `{ranges[0]}` is a range and cannot be combined with other keys; "
            "expected: an axis of its own"
        )
    return _range(ranges[0], axis[ranges[0]], number)


def _is_ordered(steps: Sequence[Mapping[str, Step]]) -> bool:
    first = [next(iter(step.values())) for step in steps]
    numbers = [value for value in first if isinstance(value, int | float) and _is_number(value)]
    if len(numbers) < len(first):
        return False
    return numbers in (sorted(numbers), sorted(numbers, reverse=True))


def _range(key: str, given: Mapping[str, Any], number: int) -> Range:
    where = f"axis {number}: `{key}`"
    for name, value in given.items():
        if name not in _RANGE_KEYS:
            raise SweepError(f"{where}: `{name}` is unknown; a range has {', '.join(_RANGE_KEYS)}")
        is_right = isinstance(value, bool) if name == "log" else _is_number(value)
        if not is_right:
            wanted = "true or false" if name == "log" else "a number"
            raise SweepError(f"{where}: `{name}` is {value!r}; it should be {wanted}")
    if "from" not in given or "to" not in given:
        raise SweepError(f"{where}: the range is incomplete; expected: `from` and `to`")
    start, stop, is_log = given["from"], given["to"], given.get("log", False)
    is_whole = isinstance(start, int) and isinstance(stop, int)
    step = given.get("step", 1 if is_whole else None)
    if start >= stop:
        raise SweepError(f"{where}: `from` is {start} and `to` is {stop}; `to` should be larger")
    if is_log and ("step" in given or start <= 0):
        raise SweepError(
            f"{where}: the range is logarithmic; expected: `from` above 0, and no `step`"
        )
    if step is not None and (step <= 0 or (is_whole and not isinstance(step, int))):
        wanted = "a whole number above 0" if is_whole else "above 0"
        raise SweepError(f"{where}: `step` is {step}; it should be {wanted}")
    if not is_whole:
        start, stop = float(start), float(stop)
    return Range(key, start, stop, step, is_log)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
