"""Expectations on searches during host requests, stated in `docs/together.md` before the runs."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

from venice.papers.experiments.together_grid import COMPARED, GC, LOADS, OLD, WORN, Cell
from venice.papers.experiments.together_results import READ_P99, SEARCH_MEAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venice.papers.experiments.together_results import Results
    from venice.stats import Estimate

    Change = dict[str, Any]


class Verdict(enum.Enum):
    """Verdict on an expectation that was stated before the runs."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


def assess(ratio: Estimate | None, low: float, high: float) -> Verdict:
    """Compare the confidence interval of a ratio with the expected range.

    Examples
    --------
    >>> from venice.stats import Estimate
    >>> assess(Estimate(1.2, 0.1, 5), 1.0, float("inf")).value
    'confirmed'
    >>> assess(Estimate(1.2, 0.1, 5), 0.9, 1.05).value
    'refuted'
    >>> assess(Estimate(1.2, 0.1, 5), 1.2, 2.0).value
    'undecided'
    """
    if ratio is None or ratio.low is None or ratio.high is None:
        return Verdict.UNDECIDED
    if low <= ratio.low and ratio.high <= high:
        return Verdict.CONFIRMED
    if ratio.high < low or ratio.low > high:
        return Verdict.REFUTED
    return Verdict.UNDECIDED


def combined(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict on an expectation, given the verdicts on its comparisons.

    Examples
    --------
    >>> combined([Verdict.CONFIRMED, Verdict.UNDECIDED]).value
    'undecided'
    >>> combined([Verdict.REFUTED, Verdict.UNDECIDED]).value
    'refuted'
    """
    if Verdict.REFUTED in verdicts:
        return Verdict.REFUTED
    if not verdicts or Verdict.UNDECIDED in verdicts:
        return Verdict.UNDECIDED
    return Verdict.CONFIRMED


_EVERY = tuple(design.name for design in COMPARED)
_WIDE = ("pssd", "pnssd", "venice-equal-wires", "ideal")
"""Designs whose paths are faster than the decoders and the host link."""


@dataclass(frozen=True)
class Expectation:
    """Expected range of a ratio of a figure.

    Attributes
    ----------
    number
        Number in `docs/together.md`.
    text
        Text of the expectation.
    figure
        Name of the figure.
    over, under
        Changes from the reference cell that give the factors of numerator and denominator.
    low, high
        Ends of the expected range.
    designs
        Designs for which the ratio is expected.
    conditions
        Further changes of all cells; the ratio is expected under each of them.
    """

    number: int
    text: str
    figure: str
    over: tuple[Change, ...]
    under: tuple[Change, ...]
    low: float = 0.0
    high: float = inf
    designs: tuple[str, ...] = _EVERY
    conditions: tuple[Change, ...] = field(default=({},))

    def ratios(
        self, results: Results, designs: Sequence[str]
    ) -> Iterator[tuple[str, Change, Estimate | None]]:
        """Yield design, condition and ratio of each comparison."""
        for design in self.designs:
            if design not in designs:
                continue
            for condition in self.conditions:
                over, under = (
                    [Cell(**{"design": design, **condition, **change}) for change in part]
                    for part in (self.over, self.under)
                )
                yield design, condition, results.ratio(self.figure, over, under)

    def assess(self, ratio: Estimate | None) -> Verdict:
        """Return the verdict on a comparison."""
        return assess(ratio, self.low, self.high)


def _at(**choices: object) -> Change:
    return choices


_NONE, _PIF, _PIS, _HOST = (_at(search=name) for name in ("none", "pif", "pis", "host"))
_BUS = _at(design="bus")
_NO_DECODERS = _at(without="read errors")
_PIQ = _at(scheduler="PIQ+")
EXPECTATIONS = (
    Expectation(
        1, "search in chips hardly affects the host", READ_P99, (_PIF,), (_NONE,), 1, 1.15,
        conditions=tuple(_at(load=load) for load in LOADS),
    ),
    Expectation(2, "search in controller lengthens the tail", READ_P99, (_PIS,), (_PIF,), 1),
    Expectation(
        3, "a better fabric makes the chips more valuable", READ_P99,
        (_PIS, _PIF | _BUS), (_PIF, _PIS | _BUS), 1, designs=_WIDE,
    ),
    Expectation(
        4, "without decoders, a better fabric makes the chips pointless", READ_P99,
        (_PIS | _NO_DECODERS,), (_PIF | _NO_DECODERS,), 0.9, 1.15,
        designs=("pssd", "pnssd", "ideal"),
    ),
    Expectation(
        5, "search in host has a longer tail on fast fabrics", READ_P99, (_HOST,), (_PIS,), 1,
        designs=_WIDE,
    ),
    Expectation(
        6, "location of matching does not matter on slow fabrics", READ_P99, (_HOST,), (_PIS,),
        0.95, 1.05, designs=("nossd", "venice", "venice-best"),
    ),
    Expectation(
        7, "wider links of Venice lengthen the tail, controller", READ_P99,
        (_PIS,), (_PIS | _at(design="venice-best"),), 1, designs=("venice-equal-wires",),
    ),
    Expectation(
        8, "search in chips keeps a fabric's advantage", READ_P99,
        (_PIF, _NONE | _BUS), (_NONE, _PIF | _BUS), 0.95, 1.05, designs=_EVERY[1:],
    ),
    Expectation(9, "search in chips is faster", SEARCH_MEAN, (_PIF,), (_PIS,), 0, 1),
    Expectation(
        10, "PIQ+ has no effect at 1 GB/s, chips", READ_P99, (_PIF | _PIQ,), (_PIF,), 0.95, 1.05,
    ),
    Expectation(
        11, "PIQ+ lengthens the tail at 4 GB/s, controller", READ_P99, (_PIS | _PIQ,), (_PIS,), 1,
        conditions=(_at(load=4_000),),
    ),
    Expectation(
        12, "without its limit of 32 requests, PIQ+ has no effect", READ_P99,
        (_PIS | _PIQ | _at(without="limit of requests"),), (_PIS,), 0.9, 1.1,
        conditions=(_at(load=4_000),),
    ),
    Expectation(
        13, "3 months do not change the effect of a search in chips", READ_P99,
        (_PIF | _at(wear=WORN), _NONE), (_NONE | _at(wear=WORN), _PIF), 0.95, 1.05,
    ),
    Expectation(
        14, "after 6 months, the advantage of the chips is smaller", READ_P99,
        (_PIS | _at(wear=OLD), _PIF), (_PIF | _at(wear=OLD), _PIS), 0, 1,
    ),
    Expectation(
        15, "GC lengthens the tail of the host alone", READ_P99,
        (_NONE | _at(gc=GC),), (_NONE,), 1,
    ),
    Expectation(
        16, "GC hides the location of the search", READ_P99,
        (_PIS | _at(gc=GC), _PIF), (_PIF | _at(gc=GC), _PIS), 0, 1,
    ),
    Expectation(
        17, "during GC, search in chips hardly affects the host", READ_P99, (_PIF,), (_NONE,),
        0.95, 1.15, conditions=(_at(gc=GC),),
    ),
    Expectation(
        18, "GC lengthens searches in chips", SEARCH_MEAN, (_PIF | _at(gc=GC),), (_PIF,), 1,
    ),
    Expectation(
        19, "PIQ+ has no effect during GC at 1 GB/s, chips", READ_P99,
        (_PIF | _PIQ,), (_PIF,), 0.9, 1.1, conditions=(_at(gc=GC),),
    ),
)  # fmt: skip
