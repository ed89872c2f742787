"""Figure of a run over time, with panels below each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.ticker import EngFormatter

from venice.plot.canvas import lay_out
from venice.plot.log_scale import number_log_axis, set_log_scale
from venice.plot.picture import Picture
from venice.plot.style import style, title_of
from venice.report.mapping_units import pages_per_unit
from venice.report.over_time import columns_over_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

    from venice.report import Report

_WIDTH_INCHES = 10.0
_PANEL_INCHES = 1.35
_HEADING_INCHES = 0.8
_US_PER_S = 1e6
_LONG_S = 0.5
"""Duration from which the time axis is in seconds instead of milliseconds [s]."""
_WIDE = 50.0
"""Ratio of the largest to the mean queue depth from which the axis is logarithmic."""
_PERCENTILES = (
    ("p999", "99.9th percentile", "#d55e00"),
    ("p99", "99th percentile", "#e69f00"),
    ("p50", "median", "#0072b2"),
)
_READS, _WRITES = "#0072b2", "#d55e00"
_HOST, _MOVED = "#56b4e9", "#cc79a7"


class _Panel(NamedTuple):
    title: str
    draw: Callable[[Axes, _Run], None]


class _Run(NamedTuple):
    """Columns of a run's intervals, and the ends of the intervals on the time axis."""

    columns: Mapping[str, Sequence[Any]]
    edges: Sequence[float]
    lengths_s: Sequence[float]
    unit: str
    unit_pages: float
    """Number of pages of a mapping unit, in which host programs and moves are counted."""

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
        Report of a run with intervals.
    title
        Title [default: the drive and the requests].
    inches
        Width and height [default: as high as the panels need].

    Raises
    ------
    UsageError
        If the run was not divided into intervals.
    """
    columns = columns_over_time(report)
    usual = f"{title_of([report])}, in intervals of {_length(columns)}"
    run = _run_of(columns, pages_per_unit(report.config))
    return _draw(run, usual if title is None else title, inches)


def _run_of(columns: Mapping[str, Sequence[Any]], unit_pages: float) -> _Run:
    ends = [*columns["start_us"], *columns["end_us"][-1:]]
    in_s = bool(ends) and ends[-1] - ends[0] >= _LONG_S * _US_PER_S
    unit_us = _US_PER_S if in_s else 1000.0
    spans = zip(columns["start_us"], columns["end_us"], strict=True)
    return _Run(
        columns,
        [end / unit_us for end in ends],
        [(to - since) / _US_PER_S for since, to in spans],
        "s" if in_s else "ms",
        unit_pages,
    )


def _draw(run: _Run, title: str, inches: tuple[float, float] | None) -> Picture:
    panels = _panels(run)
    usual = (_WIDTH_INCHES, _PANEL_INCHES * len(panels) + _HEADING_INCHES)
    with style():
        figure = Picture(figsize=inches or usual, heading=title)
        all_axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axes, panel in zip(all_axes, panels, strict=True):
            panel.draw(axes, run)
            axes.set_title(panel.title)
            _short_numbers(axes)
        all_axes[-1].set_xlabel(f"Simulated time ({run.unit})")
        all_axes[-1].set_xlim(run.edges[0], run.edges[-1])
        lay_out(figure)
        return figure


def _length(columns: Mapping[str, Sequence[Any]]) -> str:
    starts, ends = columns["start_us"], columns["end_us"]
    length_us = max((end - start for start, end in zip(starts, ends, strict=True)), default=0.0)
    for size_us, unit in ((_US_PER_S, "s"), (1000.0, "ms")):
        if length_us >= size_us:
            return f"{length_us / size_us:,.4g} {unit}"
    return f"{length_us:,.4g} µs"


def _panels(run: _Run) -> list[_Panel]:
    """Return the panels for which the run has data."""
    latencies = [
        _Panel(f"{name.capitalize()} latency (µs)", _latencies(name))
        for name in ("read", "write")
        if run.has(f"{name}_count")
    ]
    flash = [
        _Panel("Pages programmed per second", _programs),
        _Panel("Write amplification", _amplification),
    ]
    blocks = [_Panel("Free blocks", _free_blocks)]
    return [
        _Panel("Throughput (MB/s)", _throughput),
        *latencies,
        *(flash if run.has("flash_host_programs") or run.has("flash_gc_moves") else []),
        *(blocks if run.has("flash_erases") else []),
        _Panel("Requests outstanding", _depth),
        _Panel("Busy (% of time)", _busy),
    ]


def _short_numbers(axes: Axes) -> None:
    """Label an axis with numbers such as 20k or 3M, so that no label is cut off."""
    if axes.get_yscale() == "linear":
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))


def _line(axes: Axes, run: _Run, name: str, **look: Any) -> None:  # noqa: ANN401 what matplotlib takes
    axes.stairs(run.numbers(name), run.edges, baseline=None, **{"linewidth": 1.0, **look})


def _legend(axes: Axes) -> None:
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)


def _throughput(axes: Axes, run: _Run) -> None:
    for name, colour in (("read", _READS), ("write", _WRITES)):
        if run.has(f"{name}_count"):
            _line(axes, run, f"{name}_mb_per_s", color=colour, label=f"{name}s")
    axes.set_ylim(bottom=0)
    _legend(axes)


def _latencies(name: str) -> Callable[[Axes, _Run], None]:
    def draw(axes: Axes, run: _Run) -> None:
        for key, label, colour in _PERCENTILES:
            _line(axes, run, f"{name}_{key}_us", color=colour, label=label)
        set_log_scale(axes.yaxis)
        number_log_axis(axes.yaxis)
        _legend(axes)

    return draw


def _programs(axes: Axes, run: _Run) -> None:
    causes = ("gc", "idle", "wear", "reclaim", "refresh", "fold")
    kinds = [f"flash_{cause}_moves" for cause in causes]
    units = [run.per_s(kind) for kind in ("flash_host_programs", *kinds) if kind in run.columns]
    host, *moved = ([number * run.unit_pages for number in numbers] for numbers in units)
    both = [sum(parts) for parts in zip(host, *moved, strict=True)]
    if both != host:
        own = "moved by the drive"
        axes.stairs(both, run.edges, baseline=host, fill=True, color=_MOVED, label=own)
    axes.stairs(host, run.edges, fill=True, color=_HOST, label="written by the host")
    axes.set_ylim(bottom=0)
    _legend(axes)


def _amplification(axes: Axes, run: _Run) -> None:
    _line(axes, run, "write_amplification", color="#444444")
    values = [value for value in run.numbers("write_amplification") if value == value]  # noqa: PLR0124 gaps
    if values and max(values) > _WIDE * min(values) > 0:
        set_log_scale(axes.yaxis)
    else:
        axes.set_ylim(bottom=0)


def _free_blocks(axes: Axes, run: _Run) -> None:
    _line(axes, run, "flash_free_blocks", color="#009e73")
    axes.margins(y=0.15)


def _depth(axes: Axes, run: _Run) -> None:
    _line(axes, run, "queue_depth", color="#444444")
    depths = [depth for depth in run.columns["queue_depth"] if depth is not None]
    if depths and max(depths) > _WIDE * sum(depths) / len(depths):
        axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(bottom=0)


def _busy(axes: Axes, run: _Run) -> None:
    names = (
        ("chip_pct", "chips", "#0072b2"),
        ("plane_pct", "planes", "#e69f00"),
        ("channel_pct", "paths", "#009e73"),
    )
    for name, label, colour in names:
        _line(axes, run, name, color=colour, label=label)
    axes.set_ylim(bottom=0)
    _legend(axes)
