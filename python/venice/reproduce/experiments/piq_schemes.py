"""PIQ, Figures 8 to 12: each scheme's latency, waiting and use of chips against NOOP.

The paper's value is printed beside each way in which requests can go to the drive: the paper says
neither whether the drive takes them in order nor when the batch after one begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import piq_suite
from venice.reproduce.experiments.piq_suite import SCHEMES, TITLES, WAYS, Schemes, mean
from venice.reproduce.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from venice.report import Report
    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_COLUMNS = ("load", "way", *(f"{scheme}_ratio" for scheme in SCHEMES), "noop")


@dataclass(frozen=True)
class _Figure:
    """A measure of every scheme, and what the paper says of one.

    Attributes
    ----------
    number
        Of the figure.
    title
        What it shows.
    measure
        What is compared.
    paper
        The paper's mean change in per cent, by scheme.
    """

    number: int
    title: str
    measure: Callable[[Report], float | None]
    paper: dict[str, float]

    @property
    def name(self) -> str:
        return f"piq-fig{self.number}"

    def tell(self, runs: Runs, size: Size) -> Finding:
        found = {way.name: Schemes.of(runs, size, way) for way in WAYS}
        rows = [row for way in WAYS for row in self._rows(way.name, found[way.name])]
        claims = [
            Claim(
                self.name,
                f"{self.title}, {TITLES[scheme]} against NOOP",
                paper,
                found[way.name].mean_change(scheme, self.measure),
                "%",
                "§V",
                f"{piq_suite.regime()}; {way.text}",
                _order(found[way.name], self.measure),
            )
            for way in WAYS
            for scheme, paper in self.paper.items()
        ]
        return Finding(_COLUMNS, rows, claims, lambda: self._draw(found))

    def _rows(self, way: str, found: Schemes) -> list[list[str | float | None]]:
        ratios = [found.ratios(scheme, self.measure) for scheme in SCHEMES]
        noop = found.figures("noop", self.measure)
        rows: list[list[str | float | None]] = [
            [load, way, *(of[place] for of in ratios), noop[place]]
            for place, load in enumerate(found.loads)
        ]
        return [*rows, ["mean", way, *(mean(of) for of in ratios), mean(noop)]]

    def _draw(self, found: dict[str, Schemes]) -> Figure:
        from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

        content = {
            way.text: {
                TITLES[scheme]: _with_mean(found[way.name].ratios(scheme, self.measure))
                for scheme in SCHEMES[1:]
            }
            for way in WAYS
        }
        loads = found[WAYS[0].name].loads
        panel = Panel("", y=f"{self.title}, × NOOP's")
        return panels_of_bars([*loads, "mean"], content, panel, level=1)


def _with_mean(values: Sequence[float | None]) -> list[float | None]:
    return [*values, mean(values)]


def _order(found: Schemes, measure: Callable[[Report], float | None]) -> str:
    means = {scheme: mean(found.ratios(scheme, measure)) for scheme in SCHEMES}
    known = {scheme: value for scheme, value in means.items() if value is not None}
    names = sorted(known, key=lambda scheme: known[scheme])
    return " < ".join(f"{TITLES[scheme]} {known[scheme]:.2f}" for scheme in names)


def _points(size: Size) -> Sequence[Point]:
    return piq_suite.points(size)


_FIGURES = (
    _Figure(8, "mean read latency", partial(piq_suite.latency, way="read"), {"piq": -41.7}),
    _Figure(
        9,
        "mean write latency",
        partial(piq_suite.latency, way="write"),
        {"piq": -33.8, "piq_plus": -39.7},
    ),
    _Figure(10, "mean waiting of reads", partial(piq_suite.waiting, way="read"), {"piq": -51.3}),
    _Figure(
        11,
        "mean waiting of writes",
        partial(piq_suite.waiting, way="write"),
        {"piq": -46.3, "piq_plus": -70.5},
    ),
    _Figure(12, "chips at work while busy", piq_suite.busy_chips, {"piq": 22.0}),
)

EXPERIMENTS = tuple(
    Experiment(
        figure.name,
        "piq",
        figure.title.capitalize(),
        "PIQ, §V",
        figure.tell,
        _points,
    )
    for figure in _FIGURES
)
