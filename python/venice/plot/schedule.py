"""The figure of a comparison of host schedulers: queues and chips over time, and mean latencies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.plot.picture import Picture
from venice.plot.style import colours, style, title_of
from venice.report.host_scheduler import row_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from venice.report import Report

_SIZE_INCHES = (13.0, 4.0)
# Fixed places, for the reason that the figure of fabrics has: the same bytes each time.
_PLACES = {"left": 0.05, "right": 0.985, "bottom": 0.14, "top": 0.84, "wspace": 0.22}
_WIDTH = 0.38
_SERIES = (("waiting", "requests waiting in the host"), ("chip_pct", "chips at work, %"))


def draw_schedule(reports: Sequence[Report]) -> Picture:
    """Draw queues at work under several schedulers.

    Parameters
    ----------
    reports
        At least one, as :func:`venice.compare_schemes` returns them. Without a host scheduler, only
        the latencies are drawn.
    """
    with style():
        figure = Picture(figsize=_SIZE_INCHES)
        figure.subplots_adjust(**_PLACES)
        left, middle, right = figure.subplots(1, 3, width_ratios=(1.1, 1.1, 1))
        for axes, (key, title) in zip((left, middle), _SERIES, strict=True):
            _draw_history(axes, reports, key, title)
        _draw_means(right, reports)
        figure.suptitle(title_of(reports), x=0.01, ha="left")
        return figure


def _draw_history(axes: Axes, reports: Sequence[Report], key: str, title: str) -> None:
    shades = colours(len(reports))
    for report, name, colour in zip(reports, row_names(reports), shades, strict=True):
        scheduler: Mapping[str, Any] | None = report.content.get("scheduler")
        if scheduler:
            history = scheduler["history"]
            step = history["interval_us"]
            times = [
                (history["start_us"] + step * place) / 1000
                for place in range(len(history[key]) + 1)
            ]
            axes.stairs(history[key], times, color=colour, label=name, baseline=None)
    axes.set_xlabel("time, ms")
    axes.set_title(title)
    axes.set_ylim(bottom=0)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper right")


def _draw_means(axes: Axes, reports: Sequence[Report]) -> None:
    places = range(len(reports))
    for kind, colour, side in zip(("read", "write"), colours(2), (-1, 1), strict=True):
        heights = [report.latency_us[kind]["mean"] or 0.0 for report in reports]
        shifted = [place + side * _WIDTH / 2 for place in places]
        bars = axes.bar(shifted, heights, _WIDTH, color=colour, label=f"{kind}s")
        axes.bar_label(bars, fmt="{:,.0f}", fontsize=6, padding=1)
    axes.set_xticks(places, row_names(reports))
    axes.tick_params(axis="x", rotation=20 if len(reports) > 5 else 0)  # noqa: PLR2004 what fits
    axes.grid(visible=False, axis="x")
    axes.set_title("mean latency, µs")
    axes.legend(loc="upper right")
    axes.margins(y=0.2)
