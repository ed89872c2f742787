"""Fit of a drive to one half of its measurements, and test of the fit on the other half."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.fitting.objective import Objective
from venice.fitting.parameters import parameters_of
from venice.fitting.search import PROFILE_RUNS, profiles_of, require_optuna, search
from venice.options.drives import drive_of
from venice.validation.halves import halves_of
from venice.validation.load import Load
from venice.validation.rows import Figures
from venice.validation.simulation import rates_of
from venice.validation.summary import by_load
from venice.validation.validate import Selection, names_of, rows_for, validate_drive
from venice.validation.verdict import MEAN_PCT, P99_PCT, Point, is_within, validations_as_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venice.fitting.parameters import Parameter
    from venice.fitting.search import Profile
    from venice.options.run_options import RunOptions
    from venice.validation.halves import Half
    from venice.validation.load import Operation
    from venice.validation.rows import Row
    from venice.validation.summary import LoadPoint
    from venice.validation.verdict import Validation

_FEWEST = 2
"""Minimum number of loads in each half of the measurements."""


@dataclass(frozen=True)
class Fit:
    """Fitted drive.

    Attributes
    ----------
    base
        Drive from which the fit started.
    names
        Names of the measured drives, if the data contains any.
    parameters
        Fitted parameters.
    values
        Values of the fitted parameters.
    profiles
        Range of each parameter in which the fit is almost as good as with the fitted value.
    trials
        Number of evaluated sets of parameter values.
    unreached
        Loads that the fit used and that no evaluated set of values simulates within the error
        bounds. One half of the measured loads is used for the fit; the other half is held out.
    fitted, held_out
        Points of the two halves of the loads, simulated with the fitted drive.
    before
        Points of the held-out half, simulated with the base.
    """

    base: RunOptions
    names: Sequence[str]
    parameters: Sequence[Parameter]
    values: Sequence[float]
    profiles: Sequence[Profile]
    trials: int
    unreached: Sequence[LoadPoint]
    fitted: Validation
    held_out: Validation
    before: Validation

    @property
    def sets(self) -> list[str]:
        """Settings of the fitted parameters, as ``"key=value"``."""
        return [one.setting(value) for one, value in zip(self.parameters, self.values, strict=True)]

    def as_json(self) -> dict[str, Any]:
        """Return the fit as a JSON object."""
        return {
            "base": str(self.base.drive),
            "measured_as": list(self.names),
            "trials": self.trials,
            "parameters": [
                {
                    **profile._asdict(),
                    "base": list(one.base),
                    "range": [one.low, one.high],
                    "is_determined": profile.is_determined,
                }
                for one, profile in zip(self.parameters, self.profiles, strict=True)
            ],
            "unreached": [
                {
                    "operation": one.point.row.operation,
                    "scene": str(one.point.load.scene),
                    "measured": one.measured._asdict(),
                    "simulated": one.simulated._asdict(),
                }
                for one in self.unreached
            ],
            "fitted": validations_as_json([self.fitted]),
            "held_out": validations_as_json([self.held_out]),
            "held_out_before": validations_as_json([self.before]),
        }


def fit_drive(  # noqa: PLR0913 each is a keyword of its own
    base: RunOptions,
    rows: Sequence[Row],
    *,
    asked: Sequence[str] = (),
    operation: Operation | None = None,
    trials: int = 120,
    seed: int = 1,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Fit:
    """Fit a drive to one half of the measured rows, and test it on the other half.

    Parameters
    ----------
    base
        Drive from which the fit starts; parameters that are not fitted keep its values.
    rows
        Measured rows; rows of other drives are ignored.
    asked
        Keys of the parameters, each with or without ``=LOW..HIGH`` [default: depends on the
        operations].
    operation
        Operation of the rows [default: all].
    trials
        Number of sets of parameter values to evaluate before each parameter is varied alone.
    seed
        Seed of the search.
    workers
        Parallel runs [default: one per processor].
    progress
        Function called with the number of evaluated sets of values and an estimate of their total.

    Raises
    ------
    UsageError
        If Optuna is missing, a parameter does not exist, or there are too few loads.
    """
    require_optuna()
    own = rows_for(rows, names_of(base)[1])
    loads = _fitted_loads(own, operation)
    objective = _objective(base, loads, asked, workers)
    planned = trials + PROFILE_RUNS * len(objective.parameters)
    if progress is not None:
        objective.progress = lambda done: progress(min(done, planned), planned)
    search(objective, trials, seed)
    profiles = profiles_of(objective)
    best = objective.best
    fitted = replace(base, sets=(*base.sets, *objective.settings(best)))

    def tested(drive: RunOptions, half: Half) -> Validation:
        return validate_drive(drive, rows, Selection(operation, half), workers=workers)

    return Fit(
        base=base,
        names=sorted({row.drive for row in own if row.drive}),
        parameters=objective.parameters,
        values=best.values,
        profiles=profiles,
        trials=len(objective.evaluations),
        unreached=_unreached(objective),
        fitted=tested(fitted, "fitted"),
        held_out=tested(fitted, "held-out"),
        before=tested(base, "held-out"),
    )


def _objective(
    base: RunOptions, loads: Sequence[LoadPoint], asked: Sequence[str], workers: int | None
) -> Objective:
    operations = {one.point.row.operation for one in loads}
    config = json.loads(drive_of(base).to_json())
    parameters = parameters_of(
        config, asked, reads="read" in operations, writes=operations != {"read"}
    )
    scenes = rates_of((one.point.load, one.measured) for one in loads)
    return Objective(base, parameters, loads, scenes, workers)


def _fitted_loads(rows: Sequence[Row], operation: Operation | None) -> list[LoadPoint]:
    """Return the loads of the fitted half.

    Raises
    ------
    UsageError
        If a half has fewer than two loads.
    """
    halves = halves_of(row.load.scene for row in rows if isinstance(row.load, Load))
    counts = list(halves.values())
    if min(counts.count("fitted"), counts.count("held-out")) < _FEWEST:
        raise UsageError(
            f"the data have {len(counts)} loads that a drive can simulate; expected: 4 or more"
        )
    points = [
        Point(row, halves[row.load.scene], Figures())
        for row in rows
        if isinstance(row.load, Load)
        and halves[row.load.scene] == "fitted"
        and operation in (None, row.operation)
    ]
    if not points:
        raise UsageError(f"the fitted half has no rows of `--op {operation}`")
    return by_load(points)


def _unreached(objective: Objective) -> list[LoadPoint]:
    """Return the loads whose mean or 99th percentile exceeds its limit in every evaluation."""
    missed = []
    for place, load in enumerate(objective.loads):
        tried = [one.figures[place] for one in objective.evaluations.values()]
        simulated = [
            load._replace(point=load.point._replace(simulated=one)) for one in tried if one
        ]
        if not any(_agrees(one) for one in simulated):
            best = objective.best.figures[place] or Figures()
            missed.append(load._replace(point=load.point._replace(simulated=best)))
    return missed


def _agrees(load: LoadPoint) -> bool:
    p99 = load.error_pct("p99_us")
    return is_within(load.error_pct("mean_us"), MEAN_PCT) and (
        p99 is None or is_within(p99, P99_PCT)
    )
