"""Cost of a search in the chips, in the controller or by the host."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

PLACES = ("pif", "pis", "host")
"""Search locations: in the chips, in the controller, by the host."""


@dataclass(frozen=True)
class PlaceReport:
    """Cost of a search in one location; `energy_without_arrays_uj` excludes sensing.

    `flash_us`, `transfer_us` and `accelerators_us` are the busy times of a chip's array, of the
    busiest path and of an accelerator in the controller. These times overlap.
    """

    time_us: float
    energy_uj: float
    energy_without_arrays_uj: float
    energy_of_chips_uj: float
    energy_of_controller_uj: float
    energy_of_host_uj: float
    fabric_bytes: int
    host_link_bytes: int
    senses: int
    pages_sent: int
    controller_bytes: int
    tables_filled: int
    flash_us: float
    transfer_us: float
    accelerators_us: float


@dataclass(frozen=True)
class SearchReport:
    """Cost of a search in each location."""

    pages: int
    passes: int
    pages_read: int
    matched_pages: int
    pages_failed_in_chip: int
    pages_with_extra_reads: int
    heads_asked_for: int
    context_pages: int
    pif: PlaceReport
    pis: PlaceReport
    host: PlaceReport

    @classmethod
    def of(cls, figures: dict[str, Any]) -> SearchReport:
        """Return the report for the engine's figures."""
        places = {place: PlaceReport(**figures[place]) for place in PLACES}
        return cls(**{**figures, **places})

    def to_dict(self) -> dict[str, Any]:
        """Return all figures of the report by name."""
        return asdict(self)
