"""Request for a figure: drive, fabrics, workload, seeds and style."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from venice.api.compare import GROUPS, parse_fabrics
from venice.plot.print_style import SCREEN
from venice.stats import CONFIDENCE_PCT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Axis = Mapping[str, Sequence[Any]]
    """Axis of a sweep: values by key."""

    from venice.plot.print_style import PrintStyle

_WARMUP_SHARE = 10
"""Number of measured requests per warm-up request."""


class Source(NamedTuple):
    """A trace or a workload, as the source of a figure's requests."""

    trace: str | None = None
    workload: str | None = None

    @property
    def scenario(self) -> dict[str, Any]:
        """Keywords of :func:`venice.run` for the trace or the workload."""
        if self.trace is not None:
            return {"trace": self.trace}
        return {"workload": self.workload}

    @property
    def name(self) -> str:
        """Display name of the source.

        Examples
        --------
        >>> Source(trace="traces/hm_0.csv.zst").name
        'hm_0'
        """
        text = self.trace if self.trace is not None else str(self.workload)
        return Path(text).name.split(".")[0]


@dataclass(frozen=True, kw_only=True)
class FigureRequest:
    """Content and look of a figure.

    Attributes
    ----------
    drive
        Preset or TOML file [default: the recipe's].
    sets
        Settings of the drive, ``key=value``.
    fabrics
        Fabrics to compare, or a word for several [default: the recipe's].
    sources
        Traces and workloads [default: the recipe's].
    reading
        Options for reading a trace and for wrapping its addresses around the drive's capacity.
    seeds
        Number of seeds; a trace begins at a different random time with each.
    first_seed
        First seed.
    requests
        Measured requests of a run [default: the recipe's].
    warmup
        Warm-up requests, not measured [default: a tenth of the measured ones].
    rate_scale
        Factor on the arrival rate.
    closed_loop
        Outstanding requests in place of arrival times.
    loads
        Number of loads of the figure load-tail.
    figures
        Names of figures in the report.
    baseline
        Fabric to which others are compared [default: the first].
    confidence_pct
        Confidence level of intervals, in %.
    style
        Style that sets size and fonts.
    """

    drive: str | None = None
    sets: tuple[str, ...] = ()
    fabrics: str | None = None
    sources: tuple[Source, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)
    seeds: int = 5
    first_seed: int = 1
    requests: int | None = None
    warmup: int | None = None
    rate_scale: float | None = None
    closed_loop: int | None = None
    loads: int = 8
    figures: tuple[str, ...] = ()
    baseline: str | None = None
    confidence_pct: float = CONFIDENCE_PCT
    style: PrintStyle = SCREEN

    @property
    def fabric_names(self) -> list[str]:
        """Names of the fabrics that the figure compares."""
        if not self.fabrics:
            return []
        asked = parse_fabrics(self.fabrics)
        return list(GROUPS[asked]() if isinstance(asked, str) and asked in GROUPS else asked)

    @property
    def base(self) -> str:
        """Name of the fabric with which others are compared."""
        return self.baseline or self.fabric_names[0]

    @property
    def source(self) -> Source:
        """First trace or workload of the figure."""
        return self.sources[0]

    @property
    def measured(self) -> int:
        """Number of measured requests of a run."""
        return self.requests or 0

    @property
    def warmup_requests(self) -> int:
        """Number of warm-up requests."""
        return self.measured // _WARMUP_SHARE if self.warmup is None else self.warmup

    @property
    def seed_axis(self) -> dict[str, list[int]]:
        """Axis of a sweep over the seeds."""
        return {"seed": list(range(self.first_seed, self.first_seed + self.seeds))}

    @property
    def axes(self) -> list[Axis]:
        """Axes of a sweep over the fabrics and the seeds."""
        return [{"fabric": self.fabric_names}, self.seed_axis]

    def scenario(self, source: Source | None = None) -> dict[str, Any]:
        """Return the keyword arguments of all runs with this source, except those of the load."""
        chosen = source or self.source
        found: dict[str, Any] = {
            "drive": self.drive,
            "sets": self.sets,
            **chosen.scenario,
            "requests": self.measured + self.warmup_requests,
            "warmup": self.warmup_requests,
        }
        if chosen.trace is not None:
            found |= {"trace_resample": "offset", **self.reading}
        return {key: value for key, value in found.items() if value not in (None, ())}

    @property
    def pace(self) -> dict[str, Any]:
        """Settings of the load: rate factor, or number of outstanding requests."""
        found = {"rate_scale": self.rate_scale, "closed_loop": self.closed_loop}
        return {key: value for key, value in found.items() if value is not None}
