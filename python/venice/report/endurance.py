"""Endurance of a drive under a load.

JESD218 defines TBW as the terabytes that a host may write before the drive no longer meets its
specification, under the workloads of JESD219. The simulator uses the chips' rated program/erase
cycles as the end of life, and the load of the run as the workload.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from venice.report.steadiness import is_amplification_settled, verdict_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice.report.report import Report

RATED_PE_CYCLES = 3000
"""Default number of program/erase cycles of a block.

Assumed: data sheets state 1,000 to 3,000 for 3D TLC, and 50,000 to 100,000 for SLC.
"""

WARRANTY_YEARS = 5.0
"""Default warranty period for DWPD [years]. Assumed: that of most server drives."""

_DAYS_PER_YEAR = 365.0
_ENOUGH_ERASES = 10
"""Smallest mean number of erases per block for which evenness is reported."""


@dataclass(frozen=True)
class Endurance:
    """Endurance of a drive under the load of a run; sizes are in bytes."""

    rated_pe_cycles: int
    warranty_years: float
    capacity_bytes: int
    raw_bytes: int
    host_bytes: int
    flash_bytes: int
    run_s: float
    blocks_by_erases: Mapping[int, int]
    caveat: str | None = None
    """Reason why the run's write amplification is not final, if any."""

    @classmethod
    def of(cls, report: Report, rated_pe_cycles: int, warranty_years: float) -> Endurance:
        """Return the endurance from the figures of a report."""
        content = report.content
        array, flash = content["config"]["array"], content["config"]["flash"]
        planes = array["rows"] * array["cols"] * flash["dies_per_chip"] * flash["planes_per_die"]
        pages = planes * flash["blocks_per_plane"] * flash["pages_per_block"]
        blocks: Mapping[str, int] = (content.get("distributions") or {}).get("blocks_by_erases", {})
        return cls(
            rated_pe_cycles,
            warranty_years,
            content["capacity_bytes"],
            pages * flash["page_bytes"],
            content["requests"]["written_bytes"],
            content["flash"]["programmed_bytes"],
            content["makespan_us"] / 1e6,
            {int(erases): count for erases, count in sorted(blocks.items(), key=_erases)},
            _caveat(report),
        )

    @property
    def write_amplification(self) -> float | None:
        """Ratio of programmed bytes to bytes that the host wrote, as in the report."""
        return self.flash_bytes / self.host_bytes if self.host_bytes else None

    @property
    def is_known(self) -> bool:
        """True if the run was long enough to determine write amplification."""
        return self.caveat is not _TOO_SHORT

    @property
    def tbw(self) -> float | None:
        """Terabytes (10^12 bytes) that the host may write under this load, with even wear.

        The value is ``None`` if nothing was written, or nothing reached the flash.
        """
        if not self.write_amplification:
            return None
        return self.raw_bytes * self.rated_pe_cycles / self.write_amplification / 1e12

    @property
    def dwpd(self) -> float | None:
        """Drive writes per day: how often the capacity may be written each day of the warranty."""
        if self.tbw is None:
            return None
        return self.tbw * 1e12 / (self.capacity_bytes * _DAYS_PER_YEAR * self.warranty_years)

    @property
    def drive_writes_per_day(self) -> float:
        """Number of times that the load writes the drive's capacity each day."""
        per_day = self.host_bytes / self.run_s * 86_400 if self.run_s else 0.0
        return per_day / self.capacity_bytes

    @property
    def years(self) -> float | None:
        """Lifetime of the drive under the load of the run [years]."""
        if self.tbw is None or not self.drive_writes_per_day:
            return None
        per_year = self.drive_writes_per_day * self.capacity_bytes * _DAYS_PER_YEAR
        return self.tbw * 1e12 / per_year

    @property
    def mean_erases(self) -> float | None:
        """Mean number of erases of a block."""
        blocks = sum(self.blocks_by_erases.values())
        erases = sum(erases * count for erases, count in self.blocks_by_erases.items())
        return erases / blocks if blocks else None

    @property
    def evenness(self) -> float | None:
        """Ratio of the mean erase count to that of the most worn block; ``None`` for few erases."""
        if self.mean_erases is None or self.mean_erases < _ENOUGH_ERASES:
            return None
        return self.mean_erases / max(self.blocks_by_erases)


_TOO_SHORT = (
    "Not known: the run is too short for its write amplification. It has to write a block for each "
    "plane, and to erase half as many blocks as it writes."
)


def _caveat(report: Report) -> str | None:
    content = report.content
    if content["config"]["precondition"]["mode"] == "none" and not content["flash"]["gc_moves"]:
        return (
            "The drive began empty and collected no garbage in this run: these figures are of a "
            "drive that never fills. Run it with precondition.mode = steady_state for those of a "
            "full one."
        )
    if not is_amplification_settled(report):
        return _TOO_SHORT
    if verdict_of(report) == "not_settled":
        return "The run is not in steady state, so its write amplification may not last."
    return None


def _erases(item: tuple[str, Any]) -> int:
    return int(item[0])
