"""Figure of a trace: arrivals over time, sizes, burstiness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.plot.log_scale import set_log_scale
from venice.plot.picture import Picture
from venice.plot.style import colours, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from venice.trace import TraceInfo
    from venice.trace.info import Spread

_SIZE_INCHES = (13.0, 7.0)
_PLACES = {"left": 0.06, "right": 0.98, "bottom": 0.09, "top": 0.88, "wspace": 0.24, "hspace": 0.42}
_SHORTEST_GAP_US = 1e-3
"""Position of gaps of zero on a logarithmic axis [µs]; times are exact to the nanosecond."""
_US_PER_S = 1e6
_BYTES_PER_KIB = 1024


def draw_trace(info: TraceInfo, name: str) -> Picture:
    """Draw the characteristics from :func:`venice.trace_info`.

    Parameters
    ----------
    info
        Characteristics of the trace.
    name
        Name of the trace.
    """
    with style():
        figure = Picture(figsize=_SIZE_INCHES)
        figure.subplots_adjust(**_PLACES)
        axes = figure.subplots(2, 3)
        _draw_timeline(axes[0][0], info)
        _draw_gaps(axes[0][1], info)
        _draw_dispersion(axes[0][2], info)
        _draw_sizes(axes[1][0], info)
        spread = info.get("spread")
        _draw_spread(axes[1][1], "channel", spread and spread["channels"])
        _draw_spread(axes[1][2], "chip", spread and spread["chips"])
        title = f"trace {name}, {info['requests']:,} requests, {info['read_pct']:.1f} % reads"
        figure.suptitle(title, x=0.01, ha="left")
        return figure


def _draw_timeline(axes: Axes, info: TraceInfo) -> None:
    timeline = info["timeline"]
    bin_s = timeline["bin_us"] / _US_PER_S
    edges = [index * bin_s for index in range(len(timeline["requests"]) + 1)]
    rates = [count / bin_s for count in timeline["requests"]]
    axes.stairs(rates, edges, fill=True, color=colours(1)[0])
    axes.set_xlabel("time, s")
    axes.set_ylabel("requests per second")
    axes.set_title("Arrivals")


def _draw_gaps(axes: Axes, info: TraceInfo) -> None:
    gaps = info["inter_arrival"]
    axes.set_title("Gaps between arrivals")
    if gaps is None:
        _write_note(axes, "a single request has no gap")
        return
    lengths_us, percents = zip(*gaps["cdf"], strict=True)
    axes.step(
        [max(length, _SHORTEST_GAP_US) for length in lengths_us],
        percents,
        where="post",
        color=colours(1)[0],
    )
    set_log_scale(axes.xaxis)
    axes.set_ylim(0, 100)
    axes.set_xlabel("gap, µs (logarithmic; zero at 0.001)")
    axes.set_ylabel("gaps, %")


def _draw_dispersion(axes: Axes, info: TraceInfo) -> None:
    scales = info["dispersion"]
    axes.set_title("Burstiness")
    if not scales:
        _write_note(axes, "the trace is too short")
        return
    windows_s = [scale["window_us"] / _US_PER_S for scale in scales]
    axes.plot(windows_s, [scale["index"] for scale in scales], "o-", color=colours(1)[0])
    axes.axhline(1, color="0.5", linestyle=":", label="Poisson process")
    set_log_scale(axes.xaxis)
    set_log_scale(axes.yaxis)
    axes.set_xlabel("window, s (logarithmic)")
    axes.set_ylabel("variance over mean of requests")
    axes.legend(loc="best")


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
    axes.set_xlabel("size up to, KiB")
    axes.set_ylabel("requests, %")
    axes.set_title("Sizes")
    axes.legend(loc="best")


def _draw_spread(axes: Axes, part: str, spread: Spread | None) -> None:
    axes.set_title(f"Pages per {part}")
    if spread is None:
        _write_note(axes, "no drive was given")
        return
    axes.bar(range(len(spread["pages"])), spread["pages"], color=colours(1)[0])
    axes.set_xlabel(f"{part}, the busiest {spread['busiest_over_mean']:.2f} times the mean")
    axes.set_ylabel("pages")


def _write_note(axes: Axes, why: str) -> None:
    axes.text(0.5, 0.5, why, ha="center", va="center", transform=axes.transAxes)
    axes.set_xticks([])
    axes.set_yticks([])
