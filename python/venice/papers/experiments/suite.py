"""Common parts of the Venice paper's experiments: workloads, designs, regimes, means.

The paper states each workload's mean gap between requests (Table 2), and evaluates execution time.
At that rate most drives are idle, and the placement of data is not stated. Each comparison is
therefore made in six regimes. Four of them combine the table's rate, or a queue depth that keeps
every controller busy, with data on all channels, or on a quarter of them. Two regimes, in which
paths are held for a whole operation, were chosen after seeing results.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from venice.options.checks import check
from venice.papers.experiments.bounds import placement
from venice.papers.experiments.unstated_settings import (
    BY_CHIP,
    COMMITTED,
    HOLD_OPERATION,
    HOLD_REQUEST,
    NO_HOST_LIMIT,
    PLANES_FIRST,
    POOLED,
    SLOW_CHANNEL,
    WAYS_FIRST,
    X_THEN_Y,
)
from venice.sweep import Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from venice.api.scenario import Scenario
    from venice.config import FabricName
    from venice.papers.size import Size
    from venice.sweep.definition import Value
    from venice.workloads import Mix, Workload

Gaps: TypeAlias = Literal["constant", "exponential"]
"""Distributions of gaps that replace those of the synthetic workloads."""

PERFORMANCE, COST = "venice-performance", "venice-cost"

WORKLOADS = (
    "hm_0", "mds_0", "proj_3", "prxy_0", "rsrch_0", "src1_0", "src2_1", "usr_0", "wdev_0", "web_1",
    "YCSB_B", "YCSB_D", "jenkins", "postgres", "LUN0", "LUN2", "LUN3", "ssd-00", "ssd-10",
)  # fmt: skip
"""Names of the workloads of Table 2."""

MIXES = tuple(f"mix{number}" for number in range(1, 7))
"""Names of the mixes of Table 3."""

FABRICS: tuple[FabricName, ...] = ("bus", "pssd", "pnssd", "nossd", "venice", "ideal")
RELATED: tuple[FabricName, ...] = ("hlnand", "decoupled")
"""Fabrics that the paper names as related work (§7) without comparing them."""
EVERY = (*FABRICS, *RELATED)
RIVALS: tuple[FabricName, ...] = ("bus", "pssd", "pnssd", "nossd")
"""Fabrics that the paper compares with Venice, in its order."""

TITLES = {
    "bus": "Baseline",
    "pssd": "pSSD",
    "pnssd": "pnSSD",
    "nossd": "NoSSD",
    "venice": "Venice",
    "ideal": "ideal",
    "hlnand": "HLNAND",
    "decoupled": "Decoupled SSD",
}


@dataclass(frozen=True)
class Regime:
    """Arrival times, placement of data, and settings of the drive that the paper does not state.

    Attributes
    ----------
    name
        Name in tables.
    text
        Description in the scorecard.
    depth
        Number of outstanding requests; ``None`` for the workload's own arrival times.
    share
        Ratio of the number of channels to the number of channels that hold data.
    drive
        Settings of the drive for all designs.
    own
        Settings for one fabric only, by its name.
    gaps
        Distribution of the gaps between requests; ``None`` for the workload's own bursts.
    unstated
        Choices of the regime that no text of the paper states.
    """

    name: str
    text: str
    depth: int | None = None
    share: int = 1
    drive: tuple[str, ...] = ()
    own: tuple[tuple[str, tuple[str, ...]], ...] = ()
    gaps: Gaps | None = None
    unstated: tuple[str, ...] = ()

    def workload(self, name: str) -> str | Workload | Mix:
        """Return a workload whose arrival gaps have the distribution of the regime."""
        return name if self.gaps is None else with_gaps(name, self.gaps)

    def sets(self, rows: int = 8, fabric: str = "") -> tuple[str, ...]:
        """Return the settings of a drive with `rows` channels and a fabric."""
        where = placement(max(1, rows // self.share)) if self.share > 1 else ()
        return (*where, *self.drive, *dict(self.own).get(fabric, ()))


TABLE = Regime("table2", "gaps of Table 2")
"""Regime that uses only statements of the paper; the scorecard states its agreeing claims first."""

_HELD_DRIVE = (HOLD_OPERATION, SLOW_CHANNEL, NO_HOST_LIMIT)
_HELD_RIVALS = (("pnssd", BY_CHIP), ("nossd", (POOLED, X_THEN_Y)))
HELD = Regime(
    "held",
    "64 outstanding, data on 1/4 of the channels, paths held for the operation",
    depth=64,
    share=4,
    drive=_HELD_DRIVE,
    own=_HELD_RIVALS,
)
"""Hypothesis made after seeing results: channels of 1.0 GB/s, as implied by the 4 µs for 4 KB in
§3.1, no limit of the host link, a fixed bus for each chip of pnSSD, and X-first routing of NoSSD's
replies."""
FITTED = Regime(
    "fitted",
    "4 outstanding, data on one channel, paths held for the operation",
    depth=4,
    share=8,
    drive=_HELD_DRIVE,
    own=_HELD_RIVALS,
)
"""Setting that the experiment `fit` found among the best for the means of Figures 4 and 9(a)."""

_REQUEST_DRIVE = (HOLD_REQUEST, SLOW_CHANNEL)
_REQUEST_RIVALS = (("pnssd", BY_CHIP), ("nossd", (POOLED, COMMITTED)))
_REQUEST_CHOICES = ("order of allocation", "pnSSD's bus for each chip", "NoSSD as circuits")
REQUEST = Regime(
    "request",
    "Poisson gaps of Table 2, a request's pages on one channel, paths held for the request",
    drive=(*_REQUEST_DRIVE, PLANES_FIRST),
    own=_REQUEST_RIVALS,
    gaps="exponential",
    unstated=(*_REQUEST_CHOICES, "Poisson gaps"),
)
"""Gaps of Table 2, host link of Table 1, channels of §3.1, and paths held as in §4.2, also for
programs."""
REQUEST_BURSTS = Regime(
    "request-bursts",
    "bursts at the gaps of Table 2, a request's pages on one channel, paths held for the request",
    drive=(*_REQUEST_DRIVE, PLANES_FIRST),
    own=_REQUEST_RIVALS,
    unstated=(*_REQUEST_CHOICES, "bursts of the stand-ins"),
)
REQUEST_CLOSED = Regime(
    "request-closed",
    "4 outstanding, a request's pages on one channel, paths held for the request, no host limit",
    depth=4,
    drive=(*_REQUEST_DRIVE, PLANES_FIRST, NO_HOST_LIMIT),
    own=_REQUEST_RIVALS,
    unstated=(*_REQUEST_CHOICES, "4 outstanding", "no host limit"),
)
REQUEST_WAYS = Regime(
    "request-ways",
    "4 outstanding, a request's pages on one channel, ways first, paths held for the request",
    depth=4,
    drive=(*_REQUEST_DRIVE, WAYS_FIRST),
    own=_REQUEST_RIVALS,
    unstated=(*_REQUEST_CHOICES, "4 outstanding"),
)

REGIMES = (
    TABLE,
    Regime("qd64", "64 outstanding", depth=64),
    Regime("table2-skewed", "gaps of Table 2, data on 1/4 of the channels", share=4),
    Regime("qd64-skewed", "64 outstanding, data on 1/4 of the channels", depth=64, share=4),
    HELD,
    FITTED,
    REQUEST,
    REQUEST_BURSTS,
    REQUEST_CLOSED,
    REQUEST_WAYS,
)


def regimes_of(size: Size) -> tuple[Regime, ...]:
    """Return the loads (regimes) under which an experiment of this size compares all claims."""
    names = size.regimes
    return tuple(regime for regime in REGIMES if names is None or regime.name in names)


MEASURES = {"execution time": "makespan_us", "mean latency": "latency_us.all.mean"}
"""Figures of the report whose ratio is a speed-up, by name of the measure."""
STATED = "execution time"
"""Measure that the captions of the paper's figures state."""


def with_gaps(name: str, gaps: Gaps) -> Workload | Mix:
    """Return a workload whose arrival gaps have the same mean and another distribution.

    Examples
    --------
    >>> print(with_gaps("hm_0", "exponential").to_toml(), end="")
    extends = "hm_0"
    open_loop.gaps = "exponential"
    """
    from venice.workloads import Mix, OpenLoop, Workload  # noqa: PLC0415 built from a schema

    if name not in MIXES:
        return Workload(name, open_loop=OpenLoop(gaps=gaps))
    flows = [Workload(flow, open_loop=OpenLoop(gaps=gaps)) for flow in _flows(name)]
    return Mix(name, flows=flows)


def _flows(mix: str) -> list[str]:
    """Return the names of the workloads in a mix."""
    from venice.workloads import Mix, Workload  # noqa: PLC0415 built from a schema

    flows = Mix(mix).complete().flows or ()
    return [str(flow.base or flow.name) for flow in flows if isinstance(flow, Workload)]


def point(choices: Mapping[str, Value], **scenario: Any) -> Point:  # noqa: ANN401 keywords of run
    """Return the run with these choices (a point of the experiment)."""
    result = Point(choices, cast("Scenario", scenario))
    check(result.options)
    return result


def ratio(top: float | None, bottom: float | None) -> float | None:
    """Return a ratio; ``None`` if a value is missing or the divisor is 0."""
    return top / bottom if top is not None and bottom else None


def change(factor: float | None) -> float | None:
    """Convert a factor to a change in per cent.

    Examples
    --------
    >>> change(1.5), change(0.75)
    (50.0, -25.0)
    """
    return None if factor is None else (factor - 1) * 100


def mean_ratio(ratios: Iterable[float | None]) -> float | None:
    """Return the geometric mean of ratios; missing ones are ignored."""
    logs = [math.log(value) for value in ratios if value]
    return math.exp(math.fsum(logs) / len(logs)) if logs else None


def mean(values: Iterable[float | None]) -> float | None:
    """Return the arithmetic mean of values; missing ones are ignored."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
