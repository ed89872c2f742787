"""Figure of an exploration's Pareto front, with a panel for each pair of objectives."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from venice.plot.canvas import lay_out
from venice.plot.log_scale import set_log_scale
from venice.plot.picture import Picture
from venice.plot.results.load import MARKERS
from venice.plot.style import style
from venice.report.fabric_looks import looks_of
from venice.report.figure_words import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from venice.exploration import Explored, Found

_PART_INCHES = (4.0, 3.6)
_MOST_PARTS_IN_A_ROW = 3
_MOST_SERIES = len(MARKERS)
_FAR = 5.0
"""Ratio of the largest to the smallest value from which an axis is logarithmic."""


def draw_front(explored: Explored) -> Picture:
    """Draw each pair of objectives: the front, and the other points with a full run.

    The colour and marker of a front point show its value on the first axis with few values. Points
    that miss a constraint are crosses. With two objectives the front is drawn as a staircase.
    """
    objectives = [one.figure for one in explored.exploration.goals.objectives]
    pairs = list(combinations(objectives, 2))
    cols = min(len(pairs), _MOST_PARTS_IN_A_ROW)
    rows = -(-len(pairs) // cols)
    with style():
        size = (cols * _PART_INCHES[0], rows * _PART_INCHES[1])
        figure = Picture(figsize=size, heading=_title(explored))
        parts = figure.subplots(rows, cols, squeeze=False).flat
        for place, part in enumerate(parts):
            if place >= len(pairs):
                part.set_axis_off()
                continue
            _draw_pair(part, explored, pairs[place])
        lay_out(figure, *figure.axes[0].get_legend_handles_labels())
        return figure


def _draw_pair(axes: Axes, explored: Explored, pair: tuple[str, str]) -> None:
    on_front = {id(found) for found in explored.front}
    behind = [found for found in explored.points if id(found) not in on_front]
    within = [found for found in behind if found.is_within]
    beyond = [found for found in behind if not found.is_within]
    if within:
        axes.plot(*_columns(within, pair), ".", color="0.75", label="behind the front", zorder=1)
    if beyond:
        axes.plot(*_columns(beyond, pair), "x", color="0.75", label="beyond a constraint", zorder=1)
    if len(explored.exploration.goals.objectives) == len(pair):
        _draw_stair(axes, explored, pair)
    series = _series(explored)
    looks = looks_of([*series])
    for (name, found), marker in zip(series.items(), MARKERS, strict=False):
        look = looks[name]
        axes.plot(*_columns(found, pair), marker, color=look.colour, markersize=5, label=look.label)
    for name, axis in zip(pair, (axes.xaxis, axes.yaxis), strict=True):
        if _is_far([found.figures[name] for found in explored.points]):
            set_log_scale(axis)
            _mark_with_numbers(axis)
    axes.set_xlabel(_label(explored, pair[0]))
    axes.set_ylabel(_label(explored, pair[1]))


def _draw_stair(axes: Axes, explored: Explored, pair: tuple[str, str]) -> None:
    xs, ys = _columns(explored.front, pair)
    # A step: between two points, the best known value of the second objective is that of the first
    # point.
    axes.step(xs, ys, where="post", color="0.5", linewidth=1, zorder=2)


def _series(explored: Explored) -> Mapping[str, Sequence[Found]]:
    """Return the front, grouped by the first axis that has several, but few, values."""
    front = explored.front
    for key in explored.exploration.space.keys:
        values = list(dict.fromkeys(found.point.choices[key] for found in front))
        if 1 < len(values) <= _MOST_SERIES:
            return {
                str(value) if key == "fabric" else f"{key.rsplit('.', 1)[-1]} = {value}": [
                    found for found in front if found.point.choices[key] == value
                ]
                for value in values
            }
    return {"front": front}


def _columns(points: Sequence[Found], pair: tuple[str, str]) -> tuple[list[float], list[float]]:
    first, second = pair
    return [one.figures[first] for one in points], [one.figures[second] for one in points]


def _is_far(values: Sequence[float]) -> bool:
    return bool(values) and min(values) > 0 and max(values) > _FAR * min(values)


def _mark_with_numbers(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers in place of powers."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def _label(explored: Explored, name: str) -> str:
    goal = next(one.goal for one in explored.exploration.goals.objectives if one.figure == name)
    return f"{words_of(name).axis}{'' if goal == 'min' else ', more is better'}"


def _title(explored: Explored) -> str:
    return (
        f"{explored.exploration.name}: {len(explored.front)} of {len(explored.points)} points "
        "on the front"
    )
