"""Comparison of measured points with simulated ones, and the shares that agree."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from venice.validation.load import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from venice.validation.halves import Half
    from venice.validation.load import Load, Operation
    from venice.validation.rows import Figures, Row

MEAN_PCT, P99_PCT = 10.0, 15.0
"""Maximum errors of a mean and a 99th percentile that agree [%]."""


class Point(NamedTuple):
    """Measured row with the simulation of its load."""

    row: Row
    half: Half
    simulated: Figures
    is_steady: bool | None = None
    """True if the simulated latency is steady; ``None`` if the run was too short to tell."""

    @property
    def load(self) -> Load:
        """Load of the measured row."""
        if isinstance(self.row.load, str):
            raise TypeError(self.row.load)
        return self.row.load

    @property
    def mean_error_pct(self) -> float | None:
        """Error of the simulated mean [%]; ``None`` if either is unknown."""
        return _error_pct(self.row.figures.mean_us, self.simulated.mean_us)

    @property
    def p99_error_pct(self) -> float | None:
        """Error of the simulated 99th percentile [%]; ``None`` if either is unknown."""
        return _error_pct(self.row.figures.p99_us, self.simulated.p99_us)

    @property
    def has_passed(self) -> bool:
        """True if mean and 99th percentile agree, as far as they were measured."""
        p99 = self.p99_error_pct
        return is_within(self.mean_error_pct, MEAN_PCT) and (p99 is None or is_within(p99, P99_PCT))

    def as_json(self, drive: str) -> dict[str, Any]:
        """Return the point as a JSON object."""
        mean, p99 = self.mean_error_pct, self.p99_error_pct
        return {
            "drive": drive,
            "source_row": self.row.source._asdict(),
            "operation": self.row.operation,
            "load": str(self.load.stream),
            "scene": str(self.load.scene),
            "half": self.half,
            "measured": self.row.figures._asdict(),
            "simulated": self.simulated._asdict(),
            "error_pct": {"mean": mean, "p99": p99},
            "within": {
                "mean": None if mean is None else is_within(mean, MEAN_PCT),
                "p99": None if p99 is None else is_within(p99, P99_PCT),
            },
            "passed": self.has_passed,
            "latency_steady": self.is_steady,
        }


def is_within(error_pct: float | None, bound_pct: float) -> bool:
    """Return true if an error is known and within a bound."""
    return error_pct is not None and abs(error_pct) <= bound_pct


def _error_pct(measured: float | None, simulated: float | None) -> float | None:
    if not measured or simulated is None:
        return None
    return 100 * (simulated / measured - 1)


class Share(NamedTuple):
    """Number of points with a figure, and number of points whose figure agrees."""

    agreeing: int
    known: int
    median_error_pct: float | None
    """Median of the absolute errors [%]; single points may be far off."""

    @classmethod
    def of(cls, errors: Iterable[float | None], bound_pct: float) -> Share:
        """Return the share of errors within a bound."""
        known = [abs(error) for error in errors if error is not None]
        middle = median(known) if known else None
        return cls(sum(error <= bound_pct for error in known), len(known), middle)

    @property
    def pct(self) -> float | None:
        """Share of points that agree [%]; ``None`` without points."""
        return None if self.known == 0 else 100 * self.agreeing / self.known


class Refusal(NamedTuple):
    """Rows that a drive could not simulate, for one reason."""

    file: str
    reason: str
    rows: int


@dataclass(frozen=True)
class Validation:
    """Measured and simulated points of one drive, and the rows that could not be simulated."""

    drive: str
    names: Sequence[str]
    """Names of the measured drives."""
    points: Sequence[Point]
    refused: Sequence[Refusal]

    @property
    def unsteady_scenes(self) -> int:
        """Number of scenes whose simulated latency is not steady."""
        return len({point.load.scene for point in self.points if point.is_steady is False})

    @property
    def operations(self) -> list[Operation]:
        """Operations that have measured points."""
        there = {point.row.operation for point in self.points}
        return [one for one in OPERATIONS if one in there]

    def of(self, operation: str) -> list[Point]:
        """Return the points of an operation, or of ``all``."""
        return [one for one in self.points if operation in ("all", one.row.operation)]

    def shares(self, operation: str = "all") -> tuple[Share, Share]:
        """Return the shares of simulated means and 99th percentiles that agree."""
        return shares_of(self.of(operation))


def shares_of(points: Sequence[Point]) -> tuple[Share, Share]:
    """Return the shares of simulated means and 99th percentiles that agree."""
    return (
        Share.of((point.mean_error_pct for point in points), MEAN_PCT),
        Share.of((point.p99_error_pct for point in points), P99_PCT),
    )


def refusals_of(rows: Iterable[tuple[Row, str]]) -> list[Refusal]:
    """Return the numbers of rows by file and reason."""
    counted = Counter((row.source.file, reason) for row, reason in rows)
    return [Refusal(file, reason, count) for (file, reason), count in sorted(counted.items())]


def validations_as_json(validations: Sequence[Validation]) -> dict[str, Any]:
    """Return validations as a JSON object, whose top level describes all drives together."""
    points = [point for one in validations for point in one.points]
    whole = Validation("", (), points, ())
    return {
        "bounds_pct": {"mean": MEAN_PCT, "p99": P99_PCT},
        "share": _shares_as_json(whole),
        "drives": [
            {
                "drive": one.drive,
                "measured_as": list(one.names),
                "points": len(one.points),
                "share": _shares_as_json(one),
                "refused": [refusal._asdict() for refusal in one.refused],
            }
            for one in validations
        ],
        "points": [point.as_json(one.drive) for one in validations for point in one.points],
    }


def _shares_as_json(validation: Validation) -> dict[str, dict[str, Any]]:
    """Return the shares of agreeing points in %, by figure and operation."""
    kinds = ["all", *validation.operations]
    shares = {kind: validation.shares(kind) for kind in kinds}
    return {
        name: {kind: shares[kind][place].pct for kind in kinds}
        for place, name in enumerate(("mean", "p99"))
    }
