"""Operating points at which the effect of a setting is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from venice.papers.experiments.bounds import placement
from venice.papers.experiments.suite import point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice.papers.size import Size
    from venice.sweep import Point
    from venice.sweep.definition import Value


@dataclass(frozen=True)
class Load:
    """Workload at a fixed rate or queue depth, and the placement of its data.

    Attributes
    ----------
    name
        Name in tables and figures.
    workload
        Name of the workload.
    rate_gb_per_s
        Rate of an open loop [GB/s].
    depth
        Number of outstanding requests of a closed loop.
    share
        Ratio of the number of channels to the number of channels that hold data.
    """

    name: str
    workload: str
    rate_gb_per_s: float | None = None
    depth: int | None = None
    share: int = 1

    def point(
        self, choices: Mapping[str, Value], sets: tuple[str, ...], size: Size, rows: int = 8
    ) -> Point:
        """Return the run of a drive with these settings under this load."""
        skew = placement(max(1, rows // self.share)) if self.share > 1 else ()
        return point(
            {**choices, "load": self.name},
            workload=self.workload,
            fabric=choices["fabric"],
            rate_scale=self.rate_gb_per_s,
            closed_loop=self.depth,
            requests=size.requests,
            sets=(*sets, *skew),
        )


EVEN = Load("4-KiB reads, 2 GB/s, all channels", "poisson-read-4k", rate_gb_per_s=2.0)
SKEWED = Load("4-KiB reads, 1 GB/s, 1/4 of the channels", "poisson-read-4k", 1.0, share=4)
"""Load below Baseline's saturation, so that latencies do not depend on the length of a run."""
BUSY = Load("16-KiB reads, 64 outstanding", "poisson-read-16k", depth=64)
MIXED = Load("4 KiB, 70 % reads, 64 outstanding", "mixed-70-30", depth=64)
