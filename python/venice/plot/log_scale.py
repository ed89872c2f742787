"""Logarithmic axes whose labels need no mathtext.

Names of drives, workloads and traces may contain dollar signs, so the style disables mathtext,
while Matplotlib's own labels of powers are formulae.
"""

from __future__ import annotations

import re
from math import floor, log10
from typing import TYPE_CHECKING

from matplotlib.ticker import (
    LogFormatterSciNotation,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    StrMethodFormatter,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

_FORMULA = re.compile(r"\$\\mathdefault\{(.*)\}\$")
_EXPONENT = re.compile(r"\^\{([^}]*)\}")
_ROOMY_RANGE = 300
"""Largest ratio of the ends of an axis for which labels at 1, 2 and 5 times a power of ten fit."""
_FEW_TICKS = 3
"""Largest number of intervals on an axis within half a decade."""
_RAISED = str.maketrans("0123456789-.", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻·")


class PowerFormatter(LogFormatterSciNotation):
    r"""Formatter of labels such as 10³ and 2×10⁻¹ for logarithmic axes.

    Examples
    --------
    >>> PowerFormatter.plain(r"$\mathdefault{2\times10^{-3}}$")
    '2×10⁻³'
    """

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the label of a tick."""
        return self.plain(super().__call__(x, pos))

    @staticmethod
    def plain(label: str) -> str:
        """Return a label of matplotlib, which may be a formula, as plain text."""
        inner = _FORMULA.sub(r"\1", label).replace(r"\times", "×")
        return _EXPONENT.sub(lambda exponent: exponent[1].translate(_RAISED), inner)


def set_log_scale(axis: Axis, base: float = 10) -> None:
    """Make an axis logarithmic."""
    axes = axis.axes
    set_scale = axes.set_xscale if axis is axes.xaxis else axes.set_yscale
    set_scale("log", base=base)
    axis.set_major_formatter(PowerFormatter(base))
    axis.set_minor_formatter(PowerFormatter(base))


def mark_axis(axes: Axes) -> None:
    """Label a logarithmic x axis with plain numbers: 1, 2, 5 where they fit, else powers of ten."""
    set_log_scale(axes.xaxis)
    number_log_axis(axes.xaxis)


def number_log_axis(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers; its limits must be final."""
    low, high = axis.get_view_interval()
    if _is_narrow(low, high):
        axis.set_major_locator(MaxNLocator(_FEW_TICKS))
    else:
        is_roomy = high < low * _ROOMY_RANGE
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if is_roomy else (1,)))
    axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axis.set_minor_formatter(NullFormatter())


def _is_narrow(low: float, high: float) -> bool:
    """Return true if a range contains at most one of the ticks 1, 2 and 5 times a power of ten.

    Examples
    --------
    >>> _is_narrow(1500, 4500), _is_narrow(1500, 5500)
    (True, False)
    """
    decades = range(floor(log10(low)), floor(log10(high)) + 1)
    ticks = (digit * 10.0**decade for decade in decades for digit in (1, 2, 5))
    return sum(low <= tick <= high for tick in ticks) <= 1
