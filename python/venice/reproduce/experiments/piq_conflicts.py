"""PIQ, Figures 1 and 3: how many requests conflict, and how few chips work, under NOOP."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import piq_suite
from venice.reproduce.experiments.piq_suite import WAYS, Schemes, mean, scheduled
from venice.reproduce.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from venice.report import Report
    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_KINDS = ("read_read", "read_write", "write_read", "write_write")
_PAPER = {"reads": 26.2, "writes": 23.3}
_PLACES = ("chip", "plane")


def _conflicted(report: Report, of: str) -> float | None:
    return cast("float | None", scheduled(report, f"conflicted_{of}_pct"))


def _points(size: Size) -> Sequence[Point]:
    return piq_suite.points(size, ("noop",))


def _kind(kind: str) -> Callable[[Report], float | None]:
    return lambda report: cast("float | None", scheduled(report, "conflicts_pct")[kind])


def _of(kind: str) -> Callable[[Report], float | None]:
    return lambda report: _conflicted(report, kind)


def _conflicts(runs: Runs, size: Size) -> Finding:
    columns = ("load", "way", *(f"{of}_pct" for of in _PAPER), *(f"{kind}_pct" for kind in _KINDS))
    measures = [*map(_of, _PAPER), *map(_kind, _KINDS)]
    rows: list[list[str | float | None]] = []
    claims = []
    for way in WAYS:
        found = Schemes.of(runs, size, way)
        values = [found.figures("noop", measure) for measure in measures]
        rows += [
            [load, way.name, *(of[place] for of in values)]
            for place, load in enumerate(found.loads)
        ]
        claims += [
            Claim(
                "piq-fig1",
                f"{of} in conflict",
                paper,
                mean(values[place]),
                "%",
                "§II",
                f"{piq_suite.regime()}; NOOP; {way.text}",
                _range(values[place]),
            )
            for place, (of, paper) in enumerate(_PAPER.items())
        ]
    return Finding(columns, rows, claims, lambda: _draw_conflicts(Schemes.of(runs, size)))


def _range(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"from {min(known):.3g} to {max(known):.3g} % over the loads" if known else ""


def _draw_conflicts(found: Schemes) -> Figure:
    from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

    series = {kind.replace("_", " meets "): found.figures("noop", _kind(kind)) for kind in _KINDS}
    panel = Panel("NOOP", y="share of requests of the kind, %")
    return panels_of_bars(found.loads, {piq_suite.IN_ORDER.text: series}, panel)


def _use(runs: Runs, size: Size) -> Finding:
    rows = [
        [load, way.name, *(found.figures("noop", _busy(place))[at] for place in _PLACES)]
        for way in WAYS
        for found in [Schemes.of(runs, size, way)]
        for at, load in enumerate(found.loads)
    ]
    columns = ("load", "way", *(f"{place}_while_busy_pct" for place in _PLACES))
    return Finding(columns, rows, (), lambda: _draw_use(Schemes.of(runs, size)))


def _busy(place: str) -> Callable[[Report], float | None]:
    return lambda report: cast("float | None", scheduled(report, f"{place}_while_busy_pct"))


def _draw_use(found: Schemes) -> Figure:
    from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

    series = {f"{place}s": found.figures("noop", _busy(place)) for place in _PLACES}
    panel = Panel("NOOP", y="at work while requests are there, %")
    return panels_of_bars(found.loads, {piq_suite.IN_ORDER.text: series}, panel)


FIG1 = Experiment(
    "piq-fig1", "piq", "Requests in conflict", "PIQ, §II, Figure 1", _conflicts, _points
)
FIG3 = Experiment(
    "piq-fig3", "piq", "Chips and planes at work", "PIQ, §II, Figure 3", _use, _points
)
