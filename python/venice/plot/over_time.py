"""Figure of a run over time, in panels below each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from venice.plot.log_scale import set_log_scale
from venice.plot.picture import Picture
from venice.plot.style import colours, style, title_of
from venice.report.over_time import columns_over_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

    from venice.report import Report

_WIDTH_INCHES = 10.0
_PANEL_INCHES = 1.1
_EDGES_INCHES = {"left": 0.75, "right": 1.75, "bottom": 0.45, "top": 0.7}
_NUMBERS_INCHES = 0.55
_BETWEEN = 0.36
_US_PER_S = 1e6
_LONG_S = 0.5
"""Duration below which the axis is in milliseconds [s]."""
_WIDE = 50.0
"""Ratio of the largest to the mean queue depth from which the axis is logarithmic."""
_PERCENTILES = (("p999", "99.9 %", 0.35), ("p99", "99 %", 0.6), ("p50", "median", 1.0))


class _Panel(NamedTuple):
    title: str
    draw: Callable[[Axes, _Run], None]


class _Run(NamedTuple):
    """Columns of a run, and the ends of its intervals on the time axis."""

    columns: Mapping[str, Sequence[Any]]
    edges: Sequence[float]
    lengths_s: Sequence[float]
    unit: str

    def numbers(self, name: str) -> list[float]:
        return [float("nan") if one is None else float(one) for one in self.columns[name]]

    def per_s(self, name: str) -> list[float]:
        return [
            number / length if length else 0.0
            for number, length in zip(self.numbers(name), self.lengths_s, strict=True)
        ]

    def has(self, name: str) -> bool:
        return any(self.columns[name])


def draw_over_time(
    report: Report, title: str | None = None, inches: tuple[float, float] | None = None
) -> Picture:
    """Draw the figures of a run over time.

    Parameters
    ----------
    report
        Report of a run with an interval.
    title
        Title; by default the drive and the requests.
    inches
        Width and height; by default as high as the panels need.

    Raises
    ------
    UsageError
        If the run was not divided into intervals.
    """
    columns = columns_over_time(report)
    usual = f"{title_of([report])}, in intervals of {_length(columns)}"
    return _draw(_run_of(columns), usual if title is None else title, inches)


def _run_of(columns: Mapping[str, Sequence[Any]]) -> _Run:
    ends = [*columns["start_us"], *columns["end_us"][-1:]]
    in_s = bool(ends) and ends[-1] - ends[0] >= _LONG_S * _US_PER_S
    unit_us = _US_PER_S if in_s else 1000.0
    spans = zip(columns["start_us"], columns["end_us"], strict=True)
    return _Run(
        columns,
        [end / unit_us for end in ends],
        [(to - since) / _US_PER_S for since, to in spans],
        "s" if in_s else "ms",
    )


def _draw(run: _Run, title: str, inches: tuple[float, float] | None) -> Picture:
    panels, edges = _panels(run), _EDGES_INCHES
    needed = _PANEL_INCHES * len(panels) * (1 + _BETWEEN) + edges["bottom"] + edges["top"]
    width, height = inches or (_WIDTH_INCHES, needed)
    with style():
        figure = Picture(figsize=(width, height))
        figure.subplots_adjust(
            left=edges["left"] / width,
            right=1 - edges["right"] / width,
            bottom=edges["bottom"] / height,
            top=1 - edges["top"] / height,
            hspace=_BETWEEN,
        )
        all_axes = figure.subplots(len(panels), 1, sharex=True)
        for axes, panel in zip(all_axes, panels, strict=True):
            panel.draw(axes, run)
            axes.set_title(panel.title)
            _plain_numbers(axes)
        all_axes[-1].set_xlabel(f"time, {run.unit}")
        all_axes[-1].set_xlim(run.edges[0], run.edges[-1])
        figure.suptitle(title, x=0.01, y=1 - 0.1 / height, va="top", ha="left")
        return figure


def _length(columns: Mapping[str, Sequence[Any]]) -> str:
    starts, ends = columns["start_us"], columns["end_us"]
    length_us = max((end - start for start, end in zip(starts, ends, strict=True)), default=0.0)
    for size_us, unit in ((_US_PER_S, "s"), (1000.0, "ms")):
        if length_us >= size_us:
            return f"{length_us / size_us:,.4g} {unit}"
    return f"{length_us:,.4g} µs"


def _panels(run: _Run) -> list[_Panel]:
    latencies = [
        _Panel(f"latency of {name}s, µs", _latencies(name))
        for name in ("read", "write")
        if run.has(f"{name}_count")
    ]
    return [
        _Panel("throughput, 10⁶ bytes/s", _by_operation("mb_per_s", "{}")),
        *latencies,
        _Panel("mean wait behind the drive's own work, µs", _by_operation("behind_us", "of {}")),
        _Panel("pages programmed, thousand/s", _programs),
        _Panel("blocks erased per s", _erases),
        _Panel("requests outstanding", _depth),
        _Panel("at work, %", _busy),
    ]


def _plain_numbers(axes: Axes) -> None:
    """Write large numbers with commas, and no factor above the axis."""
    if axes.get_yscale() == "linear":
        axes.yaxis.set_major_formatter("{x:,.10g}")


def _line(axes: Axes, run: _Run, name: str, **look: Any) -> None:  # noqa: ANN401 what matplotlib takes
    axes.stairs(run.numbers(name), run.edges, baseline=None, **{"linewidth": 1.0, **look})


def _legend(axes: Axes, above: Axes | None = None) -> None:
    shown = [axes] if above is None else [axes, above]
    pairs = [pair for one in shown for pair in zip(*one.get_legend_handles_labels(), strict=True)]
    if pairs:
        handles, labels = zip(*pairs, strict=True)
        beside = 1.0
        if above is not None:
            # The right axis has its numbers there.
            width_inches = axes.get_window_extent().width / axes.figure.dpi
            beside += _NUMBERS_INCHES / width_inches
        axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(beside, 1.08))


def _by_operation(figure: str, label: str) -> Callable[[Axes, _Run], None]:
    """Draw a figure for reads and for writes; `label` has a placeholder for the operation."""

    def draw(axes: Axes, run: _Run) -> None:
        for name, colour in zip(("read", "write"), colours(2), strict=True):
            if run.has(f"{name}_count"):
                _line(axes, run, f"{name}_{figure}", color=colour, label=label.format(f"{name}s"))
        axes.set_ylim(bottom=0)
        _legend(axes)

    return draw


def _latencies(name: str) -> Callable[[Axes, _Run], None]:
    def draw(axes: Axes, run: _Run) -> None:
        colour = colours(2)[name == "write"]
        for key, label, strength in _PERCENTILES:
            _line(axes, run, f"{name}_{key}_us", color=colour, alpha=strength, label=label)
        set_log_scale(axes.yaxis)
        _legend(axes)

    return draw


def _programs(axes: Axes, run: _Run) -> None:
    host = [one / 1000 for one in run.per_s("flash_host_programs")]
    moved = [
        (gc + wear) / 1000
        for gc, wear in zip(run.per_s("flash_gc_moves"), run.per_s("flash_wear_moves"), strict=True)
    ]
    both = [one + other for one, other in zip(host, moved, strict=True)]
    shades = colours(7)
    axes.stairs(both, run.edges, baseline=host, fill=True, color=shades[5], label="moved")
    axes.stairs(host, run.edges, fill=True, color=shades[4], label="of the host")
    axes.set_ylim(bottom=0)
    right = axes.twinx()
    _line(right, run, "write_amplification", color=shades[6], label="write ampl., bytes")
    set_log_scale(right.yaxis)
    right.grid(visible=False)
    _legend(axes, right)


def _erases(axes: Axes, run: _Run) -> None:
    shades = colours(7)
    erases = run.per_s("flash_erases")
    axes.stairs(erases, run.edges, fill=True, color=shades[5], label="erased")
    axes.set_ylim(bottom=0)
    right = axes.twinx()
    _line(right, run, "flash_free_blocks", color=shades[2], label="free blocks")
    right.grid(visible=False)
    _legend(axes, right)


def _depth(axes: Axes, run: _Run) -> None:
    _line(axes, run, "queue_depth", color=colours(1)[0])
    depths = [depth for depth in run.columns["queue_depth"] if depth is not None]
    if depths and max(depths) > _WIDE * sum(depths) / len(depths):
        axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(bottom=0)


def _busy(axes: Axes, run: _Run) -> None:
    names = (("chip_pct", "chips"), ("plane_pct", "planes"), ("channel_pct", "paths"))
    for (name, label), colour in zip(names, colours(3), strict=True):
        _line(axes, run, name, color=colour, label=label)
    axes.set_ylim(bottom=0)
    _legend(axes)
