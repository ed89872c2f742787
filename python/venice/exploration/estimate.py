"""Estimated improvement by a step from a point of the Pareto front along one axis.

The estimate is additive: the logarithm of an objective is a sum of contributions of the axes. Its
weights come from all points so far by ridge regression (Hoerl, Kennard: Ridge Regression,
Technometrics 1970). Only the change by the step is estimated, relative to the measured point of the
front, so interactions between axes matter less.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.exploration.front import Values
    from venice.exploration.space import Axis, Place

_PENALTY = 0.1
"""Penalty of the ridge regression, as a number of observations."""
_DIGITS = 9
"""Decimal places to which expected gains are compared; further digits depend on the linear algebra
library."""


class Estimate:
    """Regression over all results, which predicts the gain of steps from the Pareto front.

    Parameters
    ----------
    axes
        Axes of the space.
    """

    def __init__(self, axes: Sequence[Axis]) -> None:
        # NumPy is installed with Optuna; other commands do not need it.
        self._numpy: Any = import_module("numpy")
        self._axes = axes
        self._rows: list[list[float]] = []
        self._values: list[Values] = []

    def add(self, place: Place, values: Values) -> None:
        """Add the result of a point."""
        self._rows.append(self._row(place))
        self._values.append(values)

    def leads(self, front: Mapping[Place, Values], steps: Sequence[tuple[Place, Place]]) -> Any:  # noqa: ANN401 NumPy's
        """Return the expected gain of each step from a point of the Pareto front.

        The gain is the smallest improvement over each point of the front in some objective, as a
        share of the front's range (the additive epsilon indicator of Zitzler et al., IEEE
        Transactions on Evolutionary Computation 2003). It is negative for a dominated point.
        """
        numpy = self._numpy
        known, best = self._scaled(list(front.values()))
        ranges = numpy.ptp(best, axis=0)
        ranges[ranges == 0] = 1.0
        number = {place: row for row, place in enumerate(front)}
        starts = best[[number[start] for start, _ in steps]]
        moves = numpy.array([self._row(end) for _, end in steps]) - numpy.array(
            [self._row(start) for start, _ in steps]
        )
        expected = starts + moves @ self._weights(known)
        ahead = (best[None, :, :] - expected[:, None, :]) / ranges
        return numpy.round(ahead.max(axis=2).min(axis=1), _DIGITS)

    def _row(self, place: Place) -> list[float]:
        parts = (axis.parts(step) for axis, step in zip(self._axes, place, strict=True))
        return [1.0, *(number for part in parts for number in part)]

    def _weights(self, known: Any) -> Any:  # noqa: ANN401 NumPy's
        numpy = self._numpy
        rows = numpy.array(self._rows)
        penalty = _PENALTY * numpy.eye(rows.shape[1])
        return numpy.linalg.solve(rows.T @ rows + penalty, rows.T @ known)

    def _scaled(self, front: Sequence[Values]) -> tuple[Any, Any]:
        """Return the known values and the front, as logarithms if the signs allow it."""
        numpy = self._numpy
        values = numpy.array(self._values, dtype=float)
        is_log = (values > 0).all(axis=0) | (values < 0).all(axis=0)

        def scaled(all_values: Any) -> Any:  # noqa: ANN401 NumPy's
            sizes = numpy.abs(numpy.where(is_log, all_values, 1.0))
            return numpy.where(is_log, numpy.sign(all_values) * numpy.log(sizes), all_values)

        return scaled(values), scaled(numpy.array(front, dtype=float))
