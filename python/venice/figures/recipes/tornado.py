"""Figure of the sensitivity of a gain to assumed parameters, and of reversed rankings."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.patches import Patch

from venice._native import UsageError
from venice.figures import words
from venice.figures.recipe import Recipe
from venice.options.drives import drive_of
from venice.options.run_options import RunOptions
from venice.plot.canvas import lay_out
from venice.plot.results.data_table import Table
from venice.plot.results.figures import half_title, interval_note, sample_of
from venice.report.fabric_looks import fabric_label
from venice.report.figure_words import words_of
from venice.report.grouping import Groups
from venice.stats import ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from venice.figures.bench import Bench
    from venice.figures.request import FigureRequest
    from venice.plot.picture import Picture
    from venice.plot.results.data_table import Cell
    from venice.report.grouping import Result
    from venice.stats import Estimate

_FIGURE = "latency_us.all.mean"
_BASE = "as configured"
_LOW, _HIGH = "#8db6d9", "#e9a15b"
"""Colours for halved and doubled values; no fabric has these colours."""
_LANE = 0.36
_FLIP = " †"
_LEAST_EFFECT = 0.005
"""Smallest effect on the gain for which a parameter is drawn, as a share of the gain."""
_PARAMETER, _SETTING, _VALUE, _GAIN, _HALF, _SEEDS, _FLIPS = range(7)


class _Parameter(NamedTuple):
    label: str
    key: str
    values: tuple[object, object] | None = None
    """Low and high value of the parameter; half and twice the drive's value by default."""


_PARAMETERS = (
    _Parameter("read time", "flash.t_read_us"),
    _Parameter("program time", "flash.t_prog_us"),
    _Parameter("command time", "flash.command.t_cmd_ns"),
    _Parameter("page size", "flash.page_bytes", (8192, 16384)),
    _Parameter("planes per die", "flash.planes_per_die", (1, 4)),
    _Parameter("channel rate", "fabric.channel_rate_mb_per_s"),
    _Parameter("mesh link width", "fabric.mesh.link_width_bits"),
    _Parameter("mesh link latency", "fabric.mesh.link_latency_ns"),
    _Parameter("host link rate", "host.link_rate_mb_per_s"),
    _Parameter("queue depth", "host.queue_depth"),
    _Parameter("allocation order", "ftl.allocation", ("PWCD", "WCPD")),
)
"""Parameters that papers seldom report, or in which drives differ."""


def _measure(request: FigureRequest, bench: Bench) -> Table:
    base, own = _pair(request)
    scenario = request.scenario() | request.pace
    axes: list[Mapping[str, Any]] = [{"fabric": [base, own]}, request.seed_axis]
    usual = _gain(bench.sweep(_BASE, scenario, axes), request)
    if usual is None:
        raise UsageError(
            f"the figure tornado compares {base} and {own}, of which one is impossible"
        )
    rows: list[tuple[Cell, ...]] = [(_BASE, "", "", *usual, False)]
    for parameter in _PARAMETERS:
        rows += _rows_of(parameter, request, bench, usual)
    half = half_title(request.confidence_pct)
    return Table(
        ("parameter", "setting", "value", f"gain_of_{own}_over_{base}", half, "seeds", "flips"),
        tuple(rows),
        interval_note([request.seeds], request.confidence_pct, of_ratios=True),
    )


def _pair(request: FigureRequest) -> tuple[str, str]:
    others = [name for name in request.fabric_names if name != request.base]
    if len(others) != 1:
        raise UsageError(
            f"the figure tornado compares two fabrics; {len(request.fabric_names)} were given"
        )
    return request.base, others[0]


def _rows_of(
    parameter: _Parameter, request: FigureRequest, bench: Bench, usual: Estimate
) -> Iterator[tuple[Cell, ...]]:
    scenario = request.scenario() | request.pace
    for value in parameter.values or _half_and_twice(request, parameter.key):
        sets = (*scenario.get("sets", ()), f"{parameter.key}={value}")
        axes: list[Mapping[str, Any]] = [{"fabric": [*_pair(request)]}, request.seed_axis]
        part = f"{parameter.key}={value}"
        gain = _gain(bench.sweep(part, {**scenario, "sets": sets}, axes), request)
        if gain is not None:
            flips = (gain.mean - 1) * (usual.mean - 1) < 0
            yield parameter.label, parameter.key, str(value), *gain, flips


def _half_and_twice(request: FigureRequest, key: str) -> tuple[object, ...]:
    """Return half and twice the drive's value of a key; nothing if the value is not a number."""
    drive = drive_of(RunOptions(drive=request.drive, sets=request.sets))
    value: Any = json.loads(drive.to_json())
    for step in key.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return ()
    if isinstance(value, int):
        return (value // 2, value * 2) if value > 1 else (value * 2,)
    return value / 2, value * 2


def _gain(results: Sequence[Result], request: FigureRequest) -> Estimate | None:
    """Estimate the gain over the baseline; ``None`` if a fabric is impossible."""
    base, own = _pair(request)
    path = request.figures[0] if request.figures else _FIGURE
    found = {one.drive: sample_of(one, path, _FIGURE) for one in Groups(results).series}
    if base not in found or own not in found:
        return None
    return ratio(found[base], found[own], request.confidence_pct)


def _draw(picture: Picture, table: Table, request: FigureRequest) -> None:
    axes = picture.subplots()
    usual = float(table.rows[0][_GAIN] or 1)
    names = _by_span(table, usual)[::-1]
    labels = []
    for place, name in enumerate(names):
        rows = [row for row in table.rows if row[_PARAMETER] == name]
        labels.append(f"{name}: {', '.join(_value(row) for row in rows)}")
        for row, colour, side in zip(rows, (_LOW, _HIGH), (1, -1), strict=False):
            _draw_bar(axes, place + side * _LANE / 2, row, usual, colour)
    axes.axvline(usual, color="black", linewidth=0.8)
    axes.axvline(1.0, color="#b00020", linewidth=0.9, linestyle="--")
    axes.set_yticks(range(len(names)), labels)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    base, own = _pair(request)
    axes.set_xlabel(f"Gain of {fabric_label(own)} over {fabric_label(base)} (×)")
    patches = [Patch(facecolor=_LOW), Patch(facecolor=_HIGH)]
    lay_out(picture, patches, ["first value", "second value"])


def _value(row: tuple[Cell, ...]) -> str:
    """Return a value as text, with a mark if it reverses the ranking."""
    text = str(row[_VALUE])
    with suppress(ValueError):
        text = f"{float(text):,g}"
    return f"{text}{_FLIP if row[_FLIPS] else ''}"


def _by_span(table: Table, usual: float) -> list[str]:
    """Return the parameters that have an effect, the largest effect first."""
    spans: dict[str, float] = {}
    for row in table.rows[1:]:
        name = str(row[_PARAMETER])
        spans[name] = max(spans.get(name, 0.0), abs(float(row[_GAIN] or usual) - usual))
    found = sorted(spans, key=lambda name: -spans[name])
    return [name for name in found if spans[name] > _LEAST_EFFECT * usual] or found[:1]


def _draw_bar(axes: Axes, place: float, row: tuple[Cell, ...], usual: float, colour: str) -> None:
    gain, half = float(row[_GAIN] or usual), row[_HALF]
    axes.barh(
        place,
        gain - usual,
        _LANE,
        left=usual,
        color=colour,
        xerr=None if half is None else float(half),
        error_kw={"elinewidth": 0.7, "capsize": 1.2, "ecolor": "#222222"},
    )


def _caption(request: FigureRequest, table: Table) -> str:
    base, own = (fabric_label(one) for one in _pair(request))
    path = request.figures[0] if request.figures else _FIGURE
    flips = list(dict.fromkeys(str(row[_PARAMETER]) for row in table.rows if row[_FLIPS]))
    verdict = (
        f"The ranking flips (†) with {words.listed(flips)}."
        if flips
        else "No single parameter flips the ranking."
    )
    return words.paragraph(
        f"Sensitivity of the gain of {own} over {base} ({base}'s {words_of(path).text} over own) "
        f"to one parameter at a time ({words.load_of(request)}). Solid line: drive as configured; "
        "dashed line: no gain.",
        verdict,
        _without_effect(table),
        words.intervals_of(request, "Mean ratios", ", paired by seed"),
        words.runs_of(request),
    )


def _without_effect(table: Table) -> str:
    shown = _by_span(table, float(table.rows[0][_GAIN] or 1))
    names = dict.fromkeys(str(row[_PARAMETER]) for row in table.rows[1:])
    left_out = [name for name in names if name not in shown]
    return f"Without effect: {words.listed(left_out)}." if left_out else ""


RECIPE = Recipe(
    _measure,
    _draw,
    _caption,
    workloads=("strided-read",),
    fabrics="bus,venice",
    options=frozenset({"figures", "baseline", "rate_scale", "closed_loop"}),
    height=1.25,
    requests=5_000,
)
