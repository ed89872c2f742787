"""Figure of a trace: arrivals over time, request sizes, burstiness."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from matplotlib.ticker import EngFormatter

from venice.plot.canvas import lay_out
from venice.plot.log_scale import set_log_scale
from venice.plot.picture import Picture
from venice.plot.style import colours, style

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from venice.trace import TraceInfo
    from venice.trace.info import GapDistribution, Spread

_PANEL_INCHES = (4.4, 3.2)
_FOUR = 4
"""Number of panels that are arranged in a square."""
_SHORTEST_GAP_US = 1e-3
"""Position of zero gaps on a logarithmic axis [µs]; times are exact to the nanosecond."""
_US_PER_S = 1e6
_BYTES_PER_KIB = 1024


def draw_trace(info: TraceInfo, name: str) -> Picture:
    """Draw the characteristics of a trace, as returned by :func:`venice.trace_info`.

    Parameters
    ----------
    info
        Characteristics of the trace.
    name
        Name of the trace.
    """
    drawn = _panels(info)
    columns = 2 if len(drawn) == _FOUR else 3
    rows = -(-len(drawn) // columns)
    with style():
        title = f"trace {name}, {info['requests']:,} requests, {info['read_pct']:.1f} % reads"
        figure = Picture(
            figsize=(columns * _PANEL_INCHES[0], rows * _PANEL_INCHES[1]), heading=title
        )
        spaces = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, draw in zip(spaces, drawn, strict=False):
            draw(axes)
        for axes in spaces[len(drawn) :]:
            axes.set_axis_off()
        lay_out(figure)
        return figure


def _panels(info: TraceInfo) -> list[Callable[[Axes], None]]:
    """Return the functions that draw the panels for which the trace has data."""
    panels: list[Callable[[Axes], None]] = [partial(_draw_timeline, info=info)]
    gaps, spread = info["inter_arrival"], info.get("spread")
    if gaps is not None:
        panels.append(partial(_draw_gaps, gaps=gaps))
    if info["dispersion"]:
        panels.append(partial(_draw_dispersion, info=info))
    panels.append(partial(_draw_sizes, info=info))
    if spread:
        panels += [
            partial(_draw_spread, part="channel", spread=spread["channels"]),
            partial(_draw_spread, part="chip", spread=spread["chips"]),
        ]
    return panels


def _draw_timeline(axes: Axes, info: TraceInfo) -> None:
    timeline = info["timeline"]
    bin_s = timeline["bin_us"] / _US_PER_S
    edges = [index * bin_s for index in range(len(timeline["requests"]) + 1)]
    rates = [count / bin_s for count in timeline["requests"]]
    axes.stairs(rates, edges, fill=True, color=colours(1)[0])
    axes.set_xlabel("Time (s)")
    axes.set_ylabel("Requests per second")
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_title("Arrivals")


def _draw_gaps(axes: Axes, gaps: GapDistribution) -> None:
    axes.set_title("Gaps between arrivals")
    lengths_us, percents = zip(*gaps["cdf"], strict=True)
    axes.step(
        [max(length, _SHORTEST_GAP_US) for length in lengths_us],
        percents,
        where="post",
        color=colours(1)[0],
    )
    set_log_scale(axes.xaxis)
    axes.set_ylim(0, 100)
    has_zeros = gaps["zero_pct"] > 0
    axes.set_xlabel("Gap (µs; zero at 0.001)" if has_zeros else "Gap (µs)")
    axes.set_ylabel("Gaps that are no longer (%)")


def _draw_dispersion(axes: Axes, info: TraceInfo) -> None:
    scales = info["dispersion"]
    axes.set_title("Burstiness")
    windows_s = [scale["window_us"] / _US_PER_S for scale in scales]
    axes.plot(windows_s, [scale["index"] for scale in scales], "o-", color=colours(1)[0])
    axes.axhline(1, color="0.5", linestyle=":", label="Poisson process")
    set_log_scale(axes.xaxis)
    set_log_scale(axes.yaxis)
    axes.set_xlabel("Window (s)")
    axes.set_ylabel("Variance over mean of requests")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.1)


def _draw_sizes(axes: Axes, info: TraceInfo) -> None:
    sizes = info["sizes"]
    places = range(len(sizes))
    reads = [100 * size["reads"] / info["requests"] for size in sizes]
    writes = [100 * size["writes"] / info["requests"] for size in sizes]
    read_colour, write_colour = colours(2)
    axes.bar(places, reads, color=read_colour, label="reads")
    axes.bar(places, writes, bottom=reads, color=write_colour, label="writes")
    labels = [f"{size['up_to_bytes'] / _BYTES_PER_KIB:g}" for size in sizes]
    axes.set_xticks(places, labels, rotation=45 if len(labels) > 8 else 0)  # noqa: PLR2004
    axes.set_xlabel("Size up to (KiB)")
    axes.set_ylabel("Requests (%)")
    axes.set_title("Sizes")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.1)


def _draw_spread(axes: Axes, part: str, spread: Spread) -> None:
    axes.set_title(f"Pages per {part}")
    axes.bar(range(len(spread["pages"])), spread["pages"], color=colours(1)[0])
    axes.set_xlabel(f"{part.capitalize()} (busiest: {spread['busiest_over_mean']:.2f} × mean)")
    axes.set_ylabel("Pages")
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))
