"""Plots of the page, as Vega-Lite specifications."""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate, pairwise
from math import log
from typing import TYPE_CHECKING, Any

from venice.report.over_time import columns_over_time
from venice.report.parts import parts_us
from venice.view.latency_parts import PARTS, parts_by_key
from venice.view.tail import ONE_IN, tail_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from venice.report.report import Report

    Values = list[dict[str, Any]]
    Spec = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_OPERATION_COLOURS = {
    "read": "#0072b2",
    "write": "#d55e00",
    "gather": "#009e73",
    "trim": "#cc79a7",
    "flush": "#56b4e9",
    "write_zeroes": "#e69f00",
    "write_fua": "#f0e442",
    "search": "#999999",
    "all": "#000",
}
_MOST_POINTS = 400
"""Maximum number of points on a curve of the distribution; a screen shows no more."""
_WIDTH = 450
_HEIGHT = 260


def plots_of(report: Report) -> dict[str, Spec]:
    """Return a specification for each plot for which the report has figures, by element name."""
    found = {
        "latency-plot": latency_plot(report),
        "time-plot": time_plot(report),
        "stages-plot": stages_plot(report),
    }
    return {name: spec for name, spec in found.items() if spec is not None}


def latency_plot(report: Report) -> Spec:
    """Return a plot of the share of requests that take longer, on logarithmic axes."""
    values = _latency_values(report)
    return {
        **_head(values),
        "width": _WIDTH,
        "height": _HEIGHT,
        "params": [_zoom()],
        "mark": {"type": "line", "interpolate": "step-after", "point": {"size": 12}},
        "encoding": {
            "x": _quantity("us", "latency, µs", log=True),
            "y": _quantity("longer", "share of requests that take longer", log=True, form="~g"),
            "color": _by_operation(values),
            "tooltip": [
                {"field": "operation"},
                _tooltip("us", "latency, µs", ",.3~f"),
                _tooltip("percentile", "this or less, %", ".6~f"),
            ],
        },
    }


def _latency_values(report: Report) -> Values:
    return [
        {
            "operation": operation,
            "us": us,
            "longer": 1 - below / total,
            "percentile": 100 * below / total,
        }
        for operation, histogram in _histograms(report).items()
        for us, below, total in _thinned(histogram)
    ]


def _histograms(report: Report) -> Mapping[str, Sequence[tuple[float, float]]]:
    """Return latency histograms by operation or, without distributions, one of all requests."""
    distributions = report.content.get("distributions")
    if distributions is None:
        shares: Sequence[tuple[float, float]] = report.content["latency_cdf"]
        steps = pairwise(shares)
        return {"all": [(us, after - share) for (share, us), (after, _) in steps]}
    sums: defaultdict[str, defaultdict[float, float]] = defaultdict(lambda: defaultdict(float))
    for queue in distributions["queues"]:
        for operation, latencies in queue["latency"].items():
            for us, count in latencies["histogram"]:
                sums[operation][us] += count
    return {operation: sorted(counts.items()) for operation, counts in sums.items() if counts}


def _thinned(histogram: Sequence[tuple[float, float]]) -> Iterable[tuple[float, float, float]]:
    """Yield the points of a cumulative histogram that are distinguishable in the plot.

    Neighbouring points differ by at least a 400th of an axis; both axes are logarithmic. The last
    point, whose share of longer requests is 0, is omitted.
    """
    total = sum(count for _, count in histogram)
    way = log(max(histogram[-1][0], 1e-9) / max(histogram[0][0], 1e-9)) or 1.0
    last: tuple[float, float] | None = None
    for (us, _), below in zip(histogram, accumulate(count for _, count in histogram), strict=True):
        if below >= total:
            continue
        at = (log(max(us, 1e-9)) / way, log(1 - below / total) / log(total + 1))
        if last is None or max(abs(at[0] - last[0]), abs(at[1] - last[1])) * _MOST_POINTS >= 1:
            last = at
            yield us, below, total


def time_plot(report: Report) -> Spec | None:
    """Return plots of throughput and of 99th percentiles over time, one above the other."""
    if report.content.get("time_series") is None:
        return None
    columns = columns_over_time(report)
    values = _values_over_time(columns)
    shared = {"field": "s", "type": "quantitative", "title": "simulated time, s"}
    panels = [
        ("mb_per_s", "10⁶ bytes/s", False),
        ("p99_us", "99th percentile, µs", True),
    ]
    tooltip = [
        {"field": "operation"},
        _tooltip("s", "from, s", ".4~f"),
        _tooltip("mb_per_s", "10⁶ bytes/s", ",.4~r"),
        _tooltip("p99_us", "99th percentile, µs", ",.4~r"),
        _tooltip("count", "completed", ","),
    ]
    return {
        **_head(values),
        "vconcat": [
            {
                "width": _WIDTH,
                "height": _HEIGHT // 2,
                "params": [_zoom("x", f"zoom_{field}")],
                "mark": {"type": "line", "interpolate": "step-after", "point": {"size": 10}},
                "encoding": {
                    "x": shared,
                    "y": _quantity(field, title, log=log),
                    "color": _by_operation(values),
                    "tooltip": tooltip,
                },
            }
            for field, title, log in panels
        ],
        "resolve": {"scale": {"x": "shared"}},
    }


def _values_over_time(columns: Mapping[str, Sequence[Any]]) -> Values:
    """Return a row for each interval and each operation that has requests."""
    return [
        {
            "operation": operation,
            "s": start / 1e6,
            **{
                field: columns[f"{operation}_{field}"][place]
                for field in ("count", "mb_per_s", "p99_us")
            },
        }
        for operation in ("read", "write")
        if f"{operation}_count" in columns
        for place, start in enumerate(columns["start_us"])
        if columns[f"{operation}_count"][place]
    ]


def stages_plot(report: Report) -> Spec:
    """Return a plot of the parts of mean latencies and of tail latency."""
    rows = [
        {"of": of, "part": part.label, "order": order, "us": parts[part.key]}
        for of, parts in _mean_parts(report).items()
        for order, part in enumerate(PARTS)
        if parts.get(part.key)
    ]
    used = [part for part in PARTS if any(row["part"] == part.label for row in rows)]
    return {
        **_head(rows),
        "width": _WIDTH,
        "height": {"step": 34},
        "mark": "bar",
        "encoding": {
            "y": {"field": "of", "type": "nominal", "sort": None, "title": None},
            "x": {
                "field": "us",
                "type": "quantitative",
                "stack": "normalize",
                "title": "share of the mean latency",
                "axis": {"format": "%"},
            },
            "order": {"field": "order", "type": "quantitative"},
            "color": {
                "field": "part",
                "type": "nominal",
                "title": None,
                "scale": {
                    "domain": [part.label for part in used],
                    "range": [part.colour for part in used],
                },
                "legend": {"orient": "bottom", "columns": 3, "labelLimit": 260},
            },
            "tooltip": [{"field": "of"}, {"field": "part"}, _tooltip("us", "mean, µs", ",.3~f")],
        },
    }


def _mean_parts(report: Report) -> dict[str, dict[str, float]]:
    """Return the mean time of each part, by operation and for the tail [µs]."""
    content = report.content
    found = {}
    for operation in ("read", "write", "gather", "trim", "flush", "write_zeroes", "search"):
        if (content["latency_us"].get(operation) or {}).get("count"):
            found[f"{operation}s"] = parts_us(report, operation)
    tail = tail_of(report)
    if tail is not None:
        rows = [parts_by_key(row) for row in content["slowest"][: tail.requests]]
        found[f"slowest {100 / ONE_IN:g} %"] = {
            part.key: sum(row[part.key] for row in rows) / len(rows) for part in PARTS
        }
    return found


def requests_plot(requests: Values) -> Spec:
    """Return a plot of requests as points; the page's script provides the data."""
    return {
        **_head([]),
        "data": {"name": "requests"},
        "width": _WIDTH,
        "height": _HEIGHT,
        "params": [{"name": "chosen", "value": -1}, _zoom()],
        "mark": {"type": "point", "filled": True, "opacity": 0.7, "cursor": "pointer"},
        "encoding": {
            "x": _quantity("arrival_s", "issued at, s of simulated time"),
            "y": _quantity("latency_us", "latency, µs", log=True),
            "color": _by_operation(requests),
            "size": {"condition": {"test": "datum.number == chosen", "value": 250}, "value": 24},
            "tooltip": [
                {"field": "operation"},
                _tooltip("number", "number", ","),
                _tooltip("latency_us", "latency, µs", ",.3~f"),
            ],
        },
    }


def _head(values: Values) -> Spec:
    return {
        "$schema": _SCHEMA,
        "data": {"values": values},
        "config": {"view": {"stroke": None}, "font": "system-ui, sans-serif"},
    }


def _zoom(*channels: str) -> Spec:
    name = channels[1] if len(channels) > 1 else "zoom"
    select = {"type": "interval", "encodings": list(channels[:1])} if channels else "interval"
    return {"name": name, "select": select, "bind": "scales"}


def _quantity(field: str, title: str, *, log: bool = False, form: str = "~s") -> Spec:
    scale = {"scale": {"type": "log"}} if log else {}
    axis = {"format": form, "gridOpacity": 0.4}
    return {"field": field, "type": "quantitative", "title": title, "axis": axis, **scale}


def _by_operation(values: Values) -> Spec:
    there = {row["operation"] for row in values}
    domain = [operation for operation in _OPERATION_COLOURS if operation in there]
    scale = {"domain": domain, "range": [_OPERATION_COLOURS[one] for one in domain]}
    legend = {"orient": "top"}
    return {
        "field": "operation",
        "type": "nominal",
        "title": None,
        "scale": scale,
        "legend": legend,
    }


def _tooltip(field: str, title: str, form: str) -> Spec:
    return {"field": field, "title": title, "format": form, "type": "quantitative"}
