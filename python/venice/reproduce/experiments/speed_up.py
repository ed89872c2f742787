"""What the speed-up figures share: bars for each workload, and Venice over each rival."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.reproduce.experiment import Finding
from venice.reproduce.experiments.suite import FABRICS, MEASURES, REGIMES, RIVALS, TITLES, Suite
from venice.reproduce.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

    from venice.reproduce.experiments.suite import Regime

COLUMNS = (
    "workload", "regime", "measure", *(f"{fabric}_speed_up" for fabric in FABRICS),
)  # fmt: skip


_MEAN = "geometric mean"


def find_speed_ups(suite: Suite, title: str, claims: list[Claim]) -> Finding:
    """Make the table and figure of speed-ups over the baseline."""
    rows = [
        [workload, regime.name, measure, *_speed_ups(suite, way, regime, workload)]
        for workload in (*suite.workloads, _MEAN)
        for regime in REGIMES
        for measure, way in MEASURES.items()
    ]
    return Finding(COLUMNS, rows, claims, lambda: _draw(suite, title))


def _speed_ups(suite: Suite, way: str, regime: Regime, workload: str) -> list[float | None]:
    if workload == _MEAN:
        return [suite.mean_gain(way, regime, "bus", fabric) for fabric in FABRICS]
    return [suite.gain(way, workload, regime, "bus", fabric) for fabric in FABRICS]


def claims_over_rivals(
    experiment: str, suite: Suite, paper: Mapping[str, float], section: str
) -> list[Claim]:
    """Make a row for Venice over each rival, each regime and measure, with the bound beside it."""
    speed_ups = [
        Claim(
            experiment,
            f"Venice over {TITLES[rival]}",
            paper[rival],
            suite.mean_gain(way, regime, rival, "venice"),
            "×",
            section,
            f"{regime.text}; {measure}",
            bound(suite, way, regime, rival, paper[rival]),
        )
        for regime in REGIMES
        for measure, way in MEASURES.items()
        for rival in RIVALS
    ]
    return [*speed_ups, *_orders(experiment, suite, paper, section)]


def _orders(experiment: str, suite: Suite, paper: Mapping[str, float], section: str) -> list[Claim]:
    """Say which design is the fastest, and which come after it."""
    published = {"venice": 1.0, **paper}
    return [
        Claim(
            experiment,
            "order of the designs",
            _order(published),
            _order(
                {fabric: suite.mean_gain(way, regime, fabric, "venice") for fabric in published}
            ),
            "",
            section,
            f"{regime.text}; {measure}",
        )
        for regime in REGIMES
        for measure, way in MEASURES.items()
    ]


def _order(slowness: Mapping[str, float | None]) -> str:
    return " > ".join(
        TITLES[fabric] for fabric in sorted(slowness, key=lambda name: slowness[name] or 0.0)
    )


def bound(suite: Suite, way: str, regime: Regime, rival: str, paper: float) -> str:
    """Say how much a fabric without any conflict gains in the same runs."""
    best = suite.mean_gain(way, regime, rival, "ideal")
    if best is None:
        return ""
    if best < paper:
        return f"bound: without any path conflict (ideal) it is {best:.2f} in the same runs"
    return f"ideal: {best:.2f}"


def _draw(suite: Suite, title: str) -> Figure:
    from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

    way = MEASURES["mean latency"]
    content = {
        regime.text: {
            TITLES[fabric]: [
                *suite.gains(way, regime, "bus", fabric),
                suite.mean_gain(way, regime, "bus", fabric),
            ]
            for fabric in FABRICS[1:]
        }
        for regime in REGIMES
    }
    panel = Panel(title, y="mean latency, × faster than Baseline")
    return panels_of_bars([*suite.workloads, "mean"], content, panel, level=1)
