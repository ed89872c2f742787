"""Pareto fronts: points that no other point dominates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Values = tuple[float, ...]
"""Values of the objectives, negated where larger is better."""


def is_as_good(one: Values, other: Values) -> bool:
    """Return true if `one` is as good as `other`, or better, in every objective."""
    return all(mine <= its for mine, its in zip(one, other, strict=True))


def front_of(all_values: Sequence[Values]) -> list[int]:
    """Return the indexes of the non-dominated points; of equal points, the first.

    A point dominates another one if it is at least as good in every objective and better in one.

    Examples
    --------
    >>> front_of([(1, 5), (2, 2), (3, 3), (2, 2), (0, 9)])
    [4, 0, 1]
    """
    # In this order a point comes after the points that dominate it, and after an equal one.
    order = sorted(range(len(all_values)), key=lambda place: (all_values[place], place))
    found: list[int] = []
    for place in order:
        values = all_values[place]
        if not any(is_as_good(all_values[other], values) for other in found):
            found.append(place)
    return found


def with_one_more(front: tuple[Values, ...], values: Values) -> tuple[Values, ...]:
    """Return a front with one more point, without the points that the new one dominates."""
    if any(is_as_good(other, values) for other in front):
        return front
    return (*(other for other in front if not is_as_good(values, other)), values)


def hypervolume(all_values: Iterable[Values], reference: Values) -> float:
    """Return the hypervolume up to a reference point that is worse than all points.

    Examples
    --------
    >>> hypervolume([(1.0, 2.0), (2.0, 1.0)], (3.0, 3.0))
    3.0
    """
    inside = [
        values
        for values in all_values
        if all(mine < limit for mine, limit in zip(values, reference, strict=True))
    ]
    return _volume([inside[place] for place in front_of(inside)], reference)


def _volume(values: list[Values], reference: Values) -> float:
    """Return the hypervolume, as a sum of slices along the last objective."""
    if not values:
        return 0.0
    if len(reference) == 1:
        return reference[0] - min(one[0] for one in values)
    values = sorted(values, key=lambda one: one[-1])
    ends = [*(one[-1] for one in values[1:]), reference[-1]]
    total = 0.0
    below: list[Values] = []
    for one, end in zip(values, ends, strict=True):
        below = list(with_one_more(tuple(below), one[:-1]))
        if end > one[-1]:
            total += _volume(below, reference[:-1]) * (end - one[-1])
    return total
