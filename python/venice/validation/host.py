"""Host of a measurement: processor time of requests, which limits some measured rates."""

from __future__ import annotations

from typing import NamedTuple


class Host(NamedTuple):
    """Processor cores that submit requests."""

    cores: int = 0
    """Number of cores; 0 if submission takes no time."""
    request_ns: float = 0.0
    """Time of a core for a request [ns]."""
    core_per_job: bool = False
    """True if each job has one core."""

    @property
    def settings(self) -> list[str]:
        """Settings of a simulated host."""
        if not self.cores:
            return []
        return [
            f"host.cores={self.cores}",
            f"host.core_request_ns={self.request_ns:g}",
            *(["host.core_per_queue=true"] if self.core_per_job else []),
        ]

    def __str__(self) -> str:
        return f"{self.cores} x {self.request_ns / 1000:.3g} µs of the host" if self.cores else ""
