"""PIQ, Figures 13 and 14: distributions of latency, and what is served before its turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import piq_suite
from venice.reproduce.experiments.piq_suite import IN_ORDER, SCHEMES, TITLES, Schemes, scheduled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from venice.report import Report
    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_DIRECTIONS = ("read", "write")
_SHARES = ("prioritised_reads_pct", "prioritised_write_batches_pct")


def _points(size: Size) -> Sequence[Point]:
    return piq_suite.points(size, ways=(IN_ORDER,))


def _distributions(runs: Runs, size: Size) -> Finding:
    load = piq_suite.loads(size)[0].name
    lines = {
        (way, scheme): scheduled(report, "latency_cdf")[way]
        for way in _DIRECTIONS
        for scheme in SCHEMES
        if (report := runs.find(load=load, scheme=scheme, way=IN_ORDER.name)) is not None
    }
    rows = [
        [load, way, scheme, percent, latency_us]
        for (way, scheme), dots in lines.items()
        for percent, latency_us in dots
    ]

    def draw() -> Figure:
        from venice.reproduce.draw import (  # noqa: PLC0415 matplotlib is slow
            Panel,
            draw_steps,
            grid,
            label,
        )

        figure, (axes,) = grid(1, len(_DIRECTIONS))
        for space, way in zip(axes, _DIRECTIONS, strict=True):
            content = {
                TITLES[scheme]: [(latency, percent) for percent, latency in lines[way, scheme]]
                for scheme in SCHEMES
                if lines.get((way, scheme))
            }
            draw_steps(space, content)
            space.set_xscale("log")
            label(space, Panel(f"{load}, {way}s", "latency, µs", f"{way}s, %"))
        axes[0].legend(loc="lower right")
        return figure

    return Finding(("load", "direction", "scheme", "percent", "latency_us"), rows, (), draw)


def _share(name: str) -> Callable[[Report], float | None]:
    return lambda report: cast("float | None", scheduled(report, name))


def _before_their_turn(runs: Runs, size: Size) -> Finding:
    found = Schemes.of(runs, size)
    series = {
        f"{TITLES[scheme]}, {share.removeprefix('prioritised_').removesuffix('_pct')}": (
            found.figures(scheme, _share(share))
        )
        for scheme in ("rws", "piq", "piq_plus")
        for share in _SHARES
        if share == _SHARES[0] or scheme == "piq_plus"
    }
    rows = [
        [load, *(values[place] for values in series.values())]
        for place, load in enumerate(found.loads)
    ]

    def draw() -> Figure:
        from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

        panel = Panel("before their turn", y="share of their kind, %")
        return panels_of_bars(found.loads, {IN_ORDER.text: series}, panel)

    return Finding(("load", *(f"{name}, %" for name in series)), rows, (), draw)


FIG13 = Experiment(
    "piq-fig13", "piq", "Distributions of latency", "PIQ, §V", _distributions, _points
)
FIG14 = Experiment(
    "piq-fig14",
    "piq",
    "Reads and batches of writes before their turn",
    "PIQ, §V",
    _before_their_turn,
    _points,
)
