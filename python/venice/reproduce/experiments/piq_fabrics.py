"""Host schedulers over every fabric, and whether they matter once paths are pooled.

No paper has this. The baseline of each fabric is NOOP on that fabric; both ways of handing over are
run in which batches follow at once.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import piq_suite
from venice.reproduce.experiments.piq_suite import TITLES, WAYS, Schemes, mean
from venice.reproduce.experiments.suite import FABRICS
from venice.reproduce.experiments.suite import TITLES as FABRIC_TITLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_SCHEMES = ("noop", "rws", "piq", "piq_plus", "paq")
_WAYS = tuple(way for way in WAYS if "drained" not in way.name)
_MEASURES = {
    "mean read latency": partial(piq_suite.latency, way="read"),
    "mean write latency": partial(piq_suite.latency, way="write"),
}


def _points(size: Size) -> Sequence[Point]:
    # Links as wide as the drive's channels: the meshes carry what eight channels do.
    links = ("fabric.mesh.link_latency_ns=25",)
    return [
        point
        for fabric in FABRICS
        for point in piq_suite.points(size, _SCHEMES, _WAYS, links, {"fabric": fabric})
    ]


def _tell(runs: Runs, size: Size) -> Finding:
    titles = {**TITLES, "paq": "PAQ"}
    rows: list[list[str | float | None]] = []
    content: dict[str, dict[str, list[float | None]]] = {}
    for way in _WAYS:
        for name, measure in _MEASURES.items():
            series: dict[str, list[float | None]] = {titles[s]: [] for s in _SCHEMES[1:]}
            for fabric in FABRICS:
                found = Schemes.of(runs, size, way, {"fabric": fabric})
                changes = [found.mean_change(scheme, measure) for scheme in _SCHEMES[1:]]
                noop = mean(found.figures("noop", measure))
                rows.append([way.name, name, fabric, noop, *changes])
                for scheme, value in zip(series, changes, strict=True):
                    series[scheme].append(value)
            content[f"{name}; {way.text}"] = series

    def draw() -> Figure:
        from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

        groups = [FABRIC_TITLES[fabric] for fabric in FABRICS]
        return panels_of_bars(groups, content, Panel("", y="against NOOP, %"), level=0)

    columns = ("way", "measure", "fabric", "noop_us", *(f"{s}_change_pct" for s in _SCHEMES[1:]))
    return Finding(columns, rows, (), draw)


EXPERIMENT = Experiment(
    "piq-fabrics", "piq", "Host schedulers over every fabric", "ours", _tell, _points
)
