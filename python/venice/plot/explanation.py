"""Figure of the causes of a difference: attributed and measured parts, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from venice.plot.style import colours, style
from venice.report.fabric_looks import fabric_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.api.explanation import Explanation

_WIDTH_INCHES = 7.0
_INCHES_OF_A_CAUSE = 0.45
_INCHES_OF_A_PANEL = 1.1
_BAR = 0.38


def draw_why(explanations: Sequence[Explanation]) -> Figure:
    """Draw a panel for each row, with the attributed and the measured part of each cause.

    Parameters
    ----------
    explanations
        One or more, as :func:`venice.api.explanation.explain` returns them.
    """
    heights = [
        _INCHES_OF_A_PANEL + _INCHES_OF_A_CAUSE * max(len(one.findings), 1) for one in explanations
    ]
    with style():
        figure = Figure(figsize=(_WIDTH_INCHES, sum(heights)), layout="constrained")
        panels = figure.subplots(len(explanations), 1, squeeze=False, height_ratios=heights)
        for axes, explanation in zip(panels[:, 0], explanations, strict=True):
            _draw(axes, explanation)
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=2)
        return figure


def _draw(axes: Axes, explanation: Explanation) -> None:
    findings = explanation.findings[::-1]
    places = range(len(findings))
    first, second = colours(2)
    axes.barh(
        [place + _BAR / 2 for place in places],
        [one.attributed_us for one in findings],
        _BAR,
        color=first,
        label="attributed: parts of the mean latency",
    )
    axes.barh(
        [place - _BAR / 2 for place in places],
        [one.measured_us or 0.0 for one in findings],
        _BAR,
        color=second,
        label="measured: runs without the cause",
    )
    axes.set_yticks(list(places), [one.cause.label for one in findings])
    axes.axvline(0, color="black", linewidth=0.8)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("Mean latency saved (µs)")
    name, base = fabric_label(explanation.name), fabric_label(explanation.base)
    how = "shorter" if explanation.difference_us >= 0 else "longer"
    difference = f"{abs(explanation.difference_us):,.2f} µs {how}"
    axes.set_title(f"{name} against {base}: mean latency {difference}")
