"""PIQ, Figures 1, 3 and 8 to 13: effect of each scheme on every trace.

The means in the text are claims of :mod:`piq_claims`. This module has the figures with their
values, and two statements of Figure 10 that are not counted elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import piq_suite
from venice.papers.experiments.piq_claims import IDEAL, IDEAL_CHOICES
from venice.papers.experiments.piq_suite import IN_ORDER, SCHEMES, TITLES, Schemes, mean
from venice.papers.experiments.suite import ratio
from venice.papers.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point
    from venice.sweep.definition import Value

    Measure = Callable[[Report], float | None]

KINDS = ("read", "write")


@dataclass(frozen=True)
class _Figure:
    """Figure with quantities of several schemes, for each trace.

    Attributes
    ----------
    number
        Number of the figure, with the letter of its part.
    title
        Title of the figure.
    source
        Section of the paper.
    schemes
        Drawn schemes.
    measures
        Drawn quantity of each panel; names end in their unit.
    level
        Position of a reference line on a logarithmic axis; ``None`` for a linear axis without a
        line.
    """

    number: str
    title: str
    source: str
    schemes: tuple[str, ...]
    measures: Mapping[str, Measure]
    level: float | None = None
    claims: Callable[[Schemes, str], Sequence[Claim]] = lambda _found, _regime: ()

    @property
    def experiment(self) -> Experiment:
        source = f"PIQ, {self.source}, Figure {self.number}"
        return Experiment(
            f"piq-fig{self.number}", "piq", self.title, source, self._evaluate, self._points
        )

    def _points(self, size: Size) -> Sequence[Point]:
        return piq_suite.points(size, self.schemes, choices={"variant": "regime"})

    def _evaluate(self, runs: Runs, size: Size) -> Finding:
        found = Schemes.of(runs, size, IN_ORDER, {"variant": "regime"})
        rows: list[list[str | float | None]] = []
        for scheme in self.schemes:
            values = [found.figures(scheme, measure) for measure in self.measures.values()]
            rows += [
                [load, scheme, *(of[place] for of in values)]
                for place, load in enumerate(found.loads)
            ]
            rows.append(["mean", scheme, *map(mean, values)])
        regime = f"{piq_suite.regime(size)}; {IN_ORDER.text}"
        return Finding(
            ("load", "scheme", *self.measures),
            rows,
            self.claims(found, regime),
            lambda: self._draw(found),
        )

    def _draw(self, found: Schemes) -> Figure:
        from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

        content = {
            name: {TITLES[scheme]: found.figures(scheme, measure) for scheme in self.schemes}
            for name, measure in self.measures.items()
        }
        return panels_of_bars(found.loads, content, Panel("", y=self.title), level=self.level)


def _scheduled(name: str) -> Measure:
    return lambda report: cast("float | None", piq_suite.scheduled(report, name))


def _each(measure: Callable[..., float | None], unit: str) -> dict[str, Measure]:
    return {f"{kind}_{unit}": partial(measure, way=kind) for kind in KINDS}


def _before_their_turn(found: Schemes, regime: str) -> list[Claim]:
    shares = found.figures("rws", _scheduled("prioritised_reads_pct"))
    few = [share for share in shares if share is not None and share <= 10]  # noqa: PLR2004 paper
    known = [share for share in shares if share is not None]
    text = "most traces have at most 10 % of their reads go before their turn, RWS"
    ours = None if not known else "most" if 2 * len(few) > len(known) else "not most"
    note = f"{len(few)} of {len(known)} traces"
    return [Claim("piq-fig10", text, "most", ours, "", "§V-B1, Figure 10", regime, note)]


_FIGURES = (
    _Figure(
        "3a",
        "requests in conflict, % of their kind",
        "§III",
        ("noop",),
        _each(piq_suite.conflicted, "pct"),
    ),
    _Figure(
        "8",
        "mean time, µs",
        "§V-B1",
        SCHEMES,
        {**_each(piq_suite.processing, "process_us"), **_each(piq_suite.waiting, "wait_us")},
        level=1,
    ),
    _Figure(
        "9", "mean waiting, µs", "§V-B1", SCHEMES, _each(piq_suite.waiting, "wait_us"), level=1
    ),
    _Figure(
        "10",
        "reads before their turn, %",
        "§V-B1",
        ("noop", "rws"),
        {"prioritised_reads_pct": _scheduled("prioritised_reads_pct")},
        claims=_before_their_turn,
    ),
    _Figure(
        "11",
        "chips at work while requests are there, %",
        "§V-B1",
        SCHEMES,
        {"chip_pct": piq_suite.busy_chips},
    ),
    _Figure(
        "12",
        "batches of writes before their turn, %",
        "§V-B1",
        ("piq", "piq_plus"),
        {"prioritised_write_batches_pct": _scheduled("prioritised_write_batches_pct")},
    ),
)


_IDEALS: dict[str, dict[str, Value]] = {
    "ideal": {"variant": "regime", **IDEAL_CHOICES},
    "ideal_of_chips": {"variant": "regime"},
}
"""Ideal drives: one without any conflicts, and one with conflicts on channels only."""


def _ideal_points(size: Size) -> Sequence[Point]:
    return [
        *piq_suite.points(size, ("noop",), choices={"variant": "regime"}),
        *(
            point
            for choices in _IDEALS.values()
            for point in piq_suite.points(size, (IDEAL,), choices=choices)
        ),
    ]


def _ideal(runs: Runs, size: Size) -> Finding:
    noop = Schemes.of(runs, size, IN_ORDER, {"variant": "regime"})
    ideals = {name: Schemes.of(runs, size, IN_ORDER, of) for name, of in _IDEALS.items()}
    series: dict[tuple[str, str], list[float | None]] = {}
    for kind in KINDS:
        measure = partial(piq_suite.latency, way=kind)
        own = series[kind, "noop_us"] = noop.figures("noop", measure)
        for name, found in ideals.items():
            least = found.figures(IDEAL, measure)
            series[kind, f"{name}_us"] = least
            series[kind, f"over_{name}"] = [
                ratio(one, other) for one, other in zip(own, least, strict=True)
            ]
    loads = [load.name for load in piq_suite.loads(size)]
    columns = ("load", *(f"{kind}_{name}" for kind, name in series))
    rows = [[load, *(of[at] for of in series.values())] for at, load in enumerate(loads)]

    def draw() -> Figure:
        from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

        content = {
            f"{kind}s": {
                "no conflicts on any unit": series[kind, "over_ideal"],
                "none on chips": series[kind, "over_ideal_of_chips"],
            }
            for kind in KINDS
        }
        return panels_of_bars(loads, content, Panel("", y="NOOP, × without conflicts"), level=1)

    return Finding(columns, [*rows, ["mean", *map(mean, series.values())]], (), draw)


FIG3B = Experiment(
    "piq-fig3b",
    "piq",
    "mean latency over that without conflicts",
    "PIQ, §III, Figure 3b",
    _ideal,
    _ideal_points,
)


_MORE = ("host.scheduler.queue_length=512", "host.scheduler.drive_slots=512")
_TIMES = 10.0
_USED = {"traditional": ("noop", (), 1.0), "ideal": (IDEAL, _MORE, _TIMES)}
"""Scheme, settings and rate factor of two drives (§I): the ideal one has a queue of 512, and
requests arrive ten times as fast."""

_PLACES: dict[str, Measure] = {
    "chip_pct": piq_suite.busy_chips,
    "plane_pct": piq_suite.busy_planes,
}


def _use_points(size: Size) -> Sequence[Point]:
    return [
        point
        for name, (scheme, sets, times) in _USED.items()
        for point in piq_suite.points(
            size, (scheme,), sets=sets, choices={"variant": name, "times": times}
        )
    ]


def _use(runs: Runs, size: Size) -> Finding:
    series = {
        (place, name): Schemes.of(runs, size, IN_ORDER, {"variant": name, "times": times}).figures(
            scheme, measure
        )
        for place, measure in _PLACES.items()
        for name, (scheme, _, times) in _USED.items()
    }
    loads = [load.name for load in piq_suite.loads(size)]
    columns = ("load", *(f"{name}_{place}" for place, name in series))
    rows = [[load, *(of[at] for of in series.values())] for at, load in enumerate(loads)]

    def draw() -> Figure:
        from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

        content = {
            place.replace("_pct", "s"): {name: series[place, name] for name in _USED}
            for place in _PLACES
        }
        return panels_of_bars(loads, content, Panel("", y="at work while requests are there, %"))

    return Finding(columns, [*rows, ["mean", *map(mean, series.values())]], (), draw)


FIG1 = Experiment(
    "piq-fig1",
    "piq",
    "Chips and planes at work, traditional and ideal",
    "PIQ, §I, Figure 1",
    _use,
    _use_points,
)


_DRAWN = ("noop", "piq", "piq_plus")


def _distributions(runs: Runs, size: Size) -> Finding:
    names = [load.name for load in piq_suite.loads(size)]
    load = next((name for name in names if name.startswith("hm_0")), names[0])
    found = Schemes.of(runs, size, IN_ORDER, {"variant": "regime"})
    lines = {
        (kind, scheme): piq_suite.scheduled(report, "latency_cdf")[kind]
        for kind in KINDS
        for scheme in _DRAWN
        if (report := found.report(load, scheme)) is not None
    }
    rows = [
        [load, kind, scheme, percent, latency_us]
        for (kind, scheme), dots in lines.items()
        for percent, latency_us in dots
    ]

    def draw() -> Figure:
        from venice.papers.draw import (  # noqa: PLC0415 matplotlib is slow
            Panel,
            draw_steps,
            grid,
            label,
        )
        from venice.plot.log_scale import set_log_scale  # noqa: PLC0415 matplotlib

        figure, (axes,) = grid(1, len(KINDS))
        for space, kind in zip(axes, KINDS, strict=True):
            content = {
                TITLES[scheme]: [(latency, percent) for percent, latency in lines[kind, scheme]]
                for scheme in _DRAWN
                if lines.get((kind, scheme))
            }
            draw_steps(space, content)
            set_log_scale(space.xaxis)
            label(space, Panel(f"{load}, {kind}s", "latency, µs", f"{kind}s, %"))
        axes[0].legend(loc="lower right")
        return figure

    return Finding(("load", "direction", "scheme", "percent", "latency_us"), rows, (), draw)


FIG13 = Experiment(
    "piq-fig13",
    "piq",
    "Distributions of latency for hm_0",
    "PIQ, §V-B1, Figure 13",
    _distributions,
    lambda size: piq_suite.points(size, _DRAWN, choices={"variant": "regime"}),
)

_FIG3A, *_OTHERS = (figure.experiment for figure in _FIGURES)
EXPERIMENTS = (FIG1, _FIG3A, FIG3B, *_OTHERS, FIG13)
