"""Each scheme's gain over the offered load: the paper's mean values, each at its load.

The paper gives one mean for its fifteen volumes and not how busy they keep the drive. Here the
same stand-ins offer from a twentieth to six tenths of what the channels carry, to a drive in order.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import piq_suite
from venice.reproduce.experiments.piq_suite import IN_ORDER, TITLES, Schemes, mean
from venice.reproduce.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from venice.report import Report
    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_LOADS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
_SCHEMES = ("noop", "rws", "piq", "piq_plus")
_MEASURES: dict[str, Callable[[Report], float | None]] = {
    "mean read latency": partial(piq_suite.latency, way="read"),
    "mean write latency": partial(piq_suite.latency, way="write"),
    "mean waiting of reads": partial(piq_suite.waiting, way="read"),
    "mean waiting of writes": partial(piq_suite.waiting, way="write"),
    "chips at work while busy": piq_suite.busy_chips,
}
_PAPER = {
    ("mean read latency", "piq"): -41.7,
    ("mean write latency", "piq"): -33.8,
    ("mean write latency", "piq_plus"): -39.7,
    ("mean waiting of reads", "piq"): -51.3,
    ("mean waiting of writes", "piq"): -46.3,
    ("mean waiting of writes", "piq_plus"): -70.5,
    ("chips at work while busy", "piq"): 22.0,
}


def _points(size: Size) -> Sequence[Point]:
    return [
        point
        for share in size.some(_LOADS)
        for point in piq_suite.points(size, _SCHEMES, (IN_ORDER,), choices={"share": share})
    ]


def _tell(runs: Runs, size: Size) -> Finding:
    rows: list[list[str | float | None]] = []
    gains: dict[tuple[str, str], list[tuple[float, float]]] = {}
    claims = []
    for share in size.some(_LOADS):
        found = Schemes.of(runs, size, IN_ORDER, {"share": share})
        conflicts = mean(found.figures("noop", piq_suite.conflicted_reads))
        for name, scheme in itertools.product(_MEASURES, _SCHEMES[1:]):
            gain = found.mean_change(scheme, _MEASURES[name])
            rows.append([share, conflicts, name, scheme, gain])
            if gain is not None:
                gains.setdefault((name, scheme), []).append((share, gain))
            if (name, scheme) in _PAPER:
                claim = f"{name}, {TITLES[scheme]} against NOOP"
                note = "" if conflicts is None else f"{conflicts:.3g} % of the reads in conflict"
                regime = f"{piq_suite.regime(share)}; {IN_ORDER.text}"
                claims.append(
                    Claim("piq-load", claim, _PAPER[name, scheme], gain, "%", "§V", regime, note)
                )
    columns = ("load", "reads_in_conflict_pct", "measure", "scheme", "change_pct")
    return Finding(columns, rows, claims, lambda: _draw(gains))


def _draw(gains: dict[tuple[str, str], list[tuple[float, float]]]) -> Figure:
    from venice.reproduce.draw import Panel, draw_lines, grid, label  # noqa: PLC0415 matplotlib

    figure, (axes,) = grid(1, len(_MEASURES))
    for space, name in zip(axes, _MEASURES, strict=True):
        lines = {TITLES[scheme]: gains.get((name, scheme), []) for scheme in _SCHEMES[1:]}
        draw_lines(space, lines)
        for (of, scheme), paper in _PAPER.items():
            if of == name:
                space.axhline(paper, color="black", linewidth=0.8)
                space.annotate(f"paper, {TITLES[scheme]}", (_LOADS[0], paper), fontsize=7)
        label(space, Panel(name, "offered, share of the channels' bandwidth", "against NOOP, %"))
    axes[0].legend()
    return figure


EXPERIMENT = Experiment(
    "piq-load", "piq", "Gain of each scheme over the load", "PIQ, §V", _tell, _points
)
