"""Gain of Venice over the load of the hottest channel and that channel's share of the data.

4-KiB reads arrive at random. The offered load in Erlang is the share of time for which the hottest
channel of Baseline is busy. All loads are below one, so Baseline's latencies do not depend on the
length of the run. The map marks loads that Venice cannot sustain with `full`. If data is spread
evenly over k of eight channels, each of these holds 1/k of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import suite
from venice.papers.experiments.bounds import placement
from venice.papers.experiments.designs import BEST, LETTER, Design
from venice.papers.experiments.study import is_saturated
from venice.papers.experiments.wires import link_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.sweep import Point

_ERLANG = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_CHANNELS = (8, 4, 2, 1)
_SERVICE_US = 0.01 + 4096 / 1200
"""Time of a command and 4 KiB of data on a channel [µs]: §3.1, Table 1."""
_BASELINE = Design("bus", "Baseline", "bus")
_EQUAL = Design("venice-best-14", "Venice, best, 14 bits", "venice", (*BEST.sets, *link_width(14)))
_VENICES = (LETTER, BEST, _EQUAL)
_MEAN = "latency_us.all.mean"
_COLUMNS = (
    "erlang", "channels", "share_of_data_pct", "offered_gb_per_s", "baseline_mean_us",
    *(f"{design.name}_gain" for design in _VENICES),
)  # fmt: skip


def offered_gb_per_s(erlang: float, channels: int) -> float:
    """Return the total rate with which each of `channels` channels has a given utilisation.

    Examples
    --------
    >>> round(offered_gb_per_s(0.5, 8), 2)
    4.79
    """
    return channels * erlang * 4096 / _SERVICE_US / 1000


def _points(size: Size) -> Sequence[Point]:
    return [
        suite.point(
            {"erlang": erlang, "channels": channels, "design": design.name},
            workload="poisson-read-4k",
            fabric=design.fabric,
            requests=2 * size.requests,
            rate_scale=offered_gb_per_s(erlang, channels),
            sets=(*design.sets, *placement(channels)),
        )
        for erlang in size.some(_ERLANG)
        for channels in _CHANNELS
        for design in (_BASELINE, *_VENICES)
    ]


def _gain(runs: Runs, erlang: float, channels: int, design: Design) -> float | None:
    """Return the speed-up in mean latency; ``None`` if the load saturates Venice."""
    report = runs.find(erlang=erlang, channels=channels, design=design.name)
    if report is None or is_saturated(report):
        return None
    top, bottom = (
        runs.figure(_MEAN, erlang=erlang, channels=channels, design=name)
        for name in (_BASELINE.name, design.name)
    )
    return suite.ratio(top, bottom)


def _evaluate(runs: Runs, size: Size) -> Finding:
    rows = [
        [
            erlang,
            channels,
            100 / channels,
            offered_gb_per_s(erlang, channels),
            runs.figure(_MEAN, erlang=erlang, channels=channels, design=_BASELINE.name),
            *(_gain(runs, erlang, channels, design) for design in _VENICES),
        ]
        for channels in _CHANNELS
        for erlang in size.some(_ERLANG)
    ]
    return Finding(_COLUMNS, rows, draw=lambda: _draw(runs, size))


def _draw(runs: Runs, size: Size) -> Figure:
    from venice.papers.draw import Panel, contour, draw_map, grid, label  # noqa: PLC0415 slow

    loads = size.some(_ERLANG)
    maps = {
        design: [
            [_gain(runs, erlang, channels, design) for erlang in loads]
            for channels in reversed(_CHANNELS)
        ]
        for design in _VENICES
    }
    most = max(value or 1.0 for values in maps.values() for row in values for value in row)
    figure, axes = grid(1, len(_VENICES), 4.8, 2.9, left_inches=0.95)
    for space, (design, values) in zip(axes[0], maps.items(), strict=True):
        shares = [f"{100 / channels:g} %" for channels in reversed(_CHANNELS)]
        draw_map(space, shares, [f"{erlang:g}" for erlang in loads], values, most, "full")
        contour(space, [[value or 0.5 for value in row] for row in values], 1.0)
        label(space, Panel(f"{design.title}: × faster", "load of the hottest channel, Erlang"))
    axes[0][0].set_ylabel("share of the data on it")
    return figure


EXPERIMENT = Experiment(
    "hot-channel", "venice", "Gain of Venice by load and data share of the hottest channel", "ours",
    _evaluate,
    _points,
)  # fmt: skip
