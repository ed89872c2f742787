"""Tables of a validation: a row for each load, and the shares by operation."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from venice.text import counts
from venice.text.layout import format_table
from venice.text.units import column_texts
from venice.validation.rows import Figures
from venice.validation.verdict import MEAN_PCT, P99_PCT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.validation.verdict import Point, Share, Validation

MOST_ROWS = 60
"""Maximum number of rows in a table of loads."""
_FIGURES = (
    ("mean\nµs", "mean_us"),
    ("p50\nµs", "p50_us"),
    ("p99\nµs", "p99_us"),
    ("p99.9\nµs", "p999_us"),
    ("IOPS", "iops"),
    ("write\nampl.", "write_amplification"),
)
_TITLES = ("op", "load", "half")


class LoadPoint(NamedTuple):
    """All points with one load: medians of the measurements, and the simulation."""

    point: Point
    rows: int
    measured: Figures

    @property
    def simulated(self) -> Figures:
        """Simulated figures of the load."""
        return self.point.simulated

    def error_pct(self, name: str) -> float | None:
        """Return the error of a simulated figure [%]; ``None`` if the error is unknown."""
        measured, simulated = getattr(self.measured, name), getattr(self.simulated, name)
        return None if not measured or simulated is None else 100 * (simulated / measured - 1)


def by_load(points: Sequence[Point]) -> list[LoadPoint]:
    """Return one point for each load, ordered by operation, size and depth."""
    groups: dict[tuple[object, ...], list[Point]] = {}
    for point in points:
        groups.setdefault((point.row.operation, point.load), []).append(point)
    merged = [LoadPoint(group[0], len(group), _medians(group)) for group in groups.values()]
    return sorted(merged, key=_order)


def _medians(points: Sequence[Point]) -> Figures:
    def middle(name: str) -> float | None:
        values = [getattr(point.row.figures, name) for point in points]
        known = [value for value in values if value is not None]
        return median(known) if known else None

    return Figures(*map(middle, Figures._fields))


def _order(merged: LoadPoint) -> tuple[object, ...]:
    load = merged.point.load
    stream = load.stream
    return (
        merged.point.row.operation,
        len(load.scene.streams),
        not stream.is_random,
        stream.read_pct,
        stream.size_bytes,
        stream.outstanding,
        str(load.scene),
    )


def points_table(validation: Validation) -> str:
    """Return a table of measured and simulated figures, with a row for each load."""
    return format_table(*cells_of(by_load(validation.points)[:MOST_ROWS]), left=len(_TITLES))


def cells_of(merged: Sequence[LoadPoint]) -> tuple[list[str], list[list[str]]]:
    """Return titles and rows of a table of loads."""
    titles = list(_TITLES)
    columns = [
        [one.point.row.operation for one in merged],
        [str(one.point.load.scene) for one in merged],
        [one.point.half for one in merged],
    ]
    for title, name in _FIGURES:
        measured = [getattr(one.measured, name) for one in merged]
        if all(value is None for value in measured):
            continue
        head, _, unit = title.partition("\n")
        titles += [f"{head}\ndrive", f"{head}\n{unit or 'simulated'}", "error\n%"]
        simulated = [getattr(one.simulated, name) for one in merged]
        both = column_texts([*measured, *simulated])
        columns += [both[: len(merged)], both[len(merged) :]]
        columns.append([_percent(one.error_pct(name)) for one in merged])
    return titles, [list(row) for row in zip(*columns, strict=True)]


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:+.0f}".replace("-", "−")


def unsteady_text(validation: Validation) -> str:
    """Return a sentence on the runs whose latency is not steady."""
    number = counts.of(validation.unsteady_scenes, "run")
    return f"{validation.drive}: the latency of {number} is not steady (`latency_steady` in JSON)"


def shares_table(validations: Sequence[Validation]) -> str:
    """Return a table of the shares of agreeing points, by drive and operation."""
    titles, rows = shares_cells(validations)
    return format_table(titles, rows, left=2)


def shares_cells(validations: Sequence[Validation]) -> tuple[list[str], list[list[str]]]:
    """Return titles and rows of the table of shares of agreeing points."""
    titles = [
        "drive",
        "op",
        "rows",
        f"mean within\n{MEAN_PCT:g} %",
        "median\nerror",
        f"p99 within\n{P99_PCT:g} %",
        "median\nerror",
    ]
    rows = []
    for one in validations:
        kinds = [*one.operations, *(["all"] if len(one.operations) > 1 else [])]
        for kind in kinds:
            mean, p99 = one.shares(kind)
            rows.append([one.drive, kind, f"{len(one.of(kind)):,}", *_share(mean), *_share(p99)])
    return titles, rows


def _share(share: Share) -> tuple[str, str]:
    if share.pct is None or share.median_error_pct is None:
        return "–", "–"
    return (
        f"{share.agreeing} of {share.known}, {share.pct:.0f} %",
        f"{share.median_error_pct:.1f} %",
    )
