"""Host of a measurement: processor time of requests and I/O scheduler, which limit some rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from venice.validation.kyber import Kyber


class Host(NamedTuple):
    """Processor cores that submit requests, and the I/O scheduler."""

    cores: int = 0
    """Number of cores; 0 if submission takes no time."""
    request_ns: float = 0.0
    """Time of a core for a request [ns]."""
    core_per_job: bool = False
    """True if each job has one core."""
    variation_pct: float = 0.0
    """Exponentially distributed share of the time [%]; the rest is constant."""
    wake_ns: float = 0.0
    """Time from a completion until the I/O scheduler sends a request that waits for it [ns]."""
    dispatch_ns: float = 0.0
    """Time of a core to send a request that waited for the I/O scheduler [ns]."""
    slice_us: float = 0.0
    """Time slice of jobs that share a core [µs]; 0 if cores serve requests in order of issue."""
    is_polling: bool = False
    """True if jobs with time slices poll, so that they never block."""
    has_lock: bool = False
    """True if cores with time slices share a lock."""
    write_ns: float = 0.0
    """Time for which a core is occupied after a write [ns]."""
    overrun_ppm: float = 0.0
    """Share of the run by which a job with a weight ends later, per outstanding request [ppm]."""
    kyber: Kyber | None = None
    """I/O scheduler; ``None`` if the host sends requests in order of arrival."""

    @property
    def settings(self) -> list[str]:
        """Settings of a drive that simulate the host."""
        return [*self._core_settings, *self._scheduler_settings]

    @property
    def _core_settings(self) -> list[str]:
        if not self.cores:
            return []
        return [
            f"host.cores={self.cores}",
            f"host.core_request_ns={self.request_ns:g}",
            *(["host.core_per_queue=true"] if self.core_per_job else []),
            *([f"host.core_write_ns={self.write_ns:g}"] if self.write_ns else []),
            *([f"host.core_variation_pct={self.variation_pct:g}"] if self.variation_pct else []),
            *self._slice_settings,
        ]

    @property
    def _slice_settings(self) -> list[str]:
        if not self.slice_us:
            return []
        return [
            f"host.core_slice_us={self.slice_us:g}",
            *(["host.core_polling=true"] if self.is_polling else []),
            *(["host.core_lock=true"] if self.has_lock else []),
        ]

    @property
    def _scheduler_settings(self) -> list[str]:
        if not self.kyber:
            return []
        return [
            *self.kyber.settings,
            f"host.scheduler.kyber_wake_us={self.wake_ns / 1000:g}",
            f"host.core_dispatch_ns={self.dispatch_ns:g}",
        ]

    def __str__(self) -> str:
        return ", ".join(filter(None, [self._words_of_cores, str(self.kyber or "")]))

    @property
    def _words_of_cores(self) -> str:
        if not (self.cores and self.request_ns):
            return ""
        writes = f", {self.write_ns / 1000:.3g} µs more for a write" if self.write_ns else ""
        varies = f" ({self.variation_pct:g} % exponential)" if self.variation_pct else ""
        slices = f" in slices of {self.slice_us / 1000:g} ms" if self.slice_us else ""
        return f"{self.cores} x {self.request_ns / 1000:.3g} µs{varies} of the host{slices}{writes}"
