"""Figure of a comparison of host schedulers: queues and chips over time, and mean latencies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.plot.canvas import Entries, lay_out
from venice.plot.groups import name_groups
from venice.plot.picture import Picture
from venice.plot.results.curves import line_entries
from venice.plot.style import style, title_of
from venice.report.fabric_looks import looks_of
from venice.report.host_scheduler import row_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from venice.report import Report
    from venice.report.fabric_looks import Look

_SIZE_INCHES = (13.0, 4.2)
_WIDTH = 0.38
_SHADES = ("#444444", "#aaaaaa")
"""Shades for reads and writes; colours distinguish the schedulers."""
_SERIES = (("waiting", "Requests waiting in the host"), ("chip_pct", "Chips at work (%)"))


def draw_schedule(reports: Sequence[Report]) -> Picture:
    """Draw queue lengths, busy chips and latencies under several schedulers.

    Parameters
    ----------
    reports
        One or more, as :func:`venice.compare_schemes` returns them. Without a host scheduler, only
        the latencies are drawn.
    """
    with style():
        figure = Picture(figsize=_SIZE_INCHES, heading=title_of(reports))
        left, middle, right = figure.subplots(1, 3, width_ratios=(1.1, 1.1, 1))
        for axes, (key, title) in zip((left, middle), _SERIES, strict=True):
            _draw_history(axes, reports, key, title)
        _draw_means(right, reports)
        entries = line_entries(_looks(reports)) if left.has_data() else Entries()
        lay_out(figure, *entries)
        return figure


def _looks(reports: Sequence[Report]) -> dict[str, Look]:
    return looks_of(row_names(reports))


def _draw_history(axes: Axes, reports: Sequence[Report], key: str, title: str) -> None:
    looks = _looks(reports)
    for report, name in zip(reports, row_names(reports), strict=True):
        scheduler: Mapping[str, Any] | None = report.content.get("scheduler")
        if scheduler:
            history = scheduler["history"]
            step = history["interval_us"]
            times = [
                (history["start_us"] + step * place) / 1000
                for place in range(len(history[key]) + 1)
            ]
            look = looks[name]
            axes.stairs(history[key], times, color=look.colour, linestyle=look.dash, baseline=None)
    axes.set_xlabel("Simulated time (ms)")
    axes.set_title(title)
    axes.set_ylim(bottom=0)


def _draw_means(axes: Axes, reports: Sequence[Report]) -> None:
    places = range(len(reports))
    for kind, colour, side in zip(("read", "write"), _SHADES, (-1, 1), strict=True):
        heights = [report.latency_us[kind]["mean"] or 0.0 for report in reports]
        shifted = [place + side * _WIDTH / 2 for place in places]
        bars = axes.bar(shifted, heights, _WIDTH, color=colour, label=f"{kind}s")
        axes.bar_label(bars, fmt="{:,.0f}", fontsize=6, padding=1)
    name_groups(axes, row_names(reports))
    axes.set_title("Mean latency (µs)")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.2)
    axes.margins(y=0.12)
