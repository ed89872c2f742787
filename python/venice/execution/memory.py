"""Checks for insufficient memory before and during a run, so that the process is not killed.

The engine allocates tables in proportion to the drive's size, and memory for outstanding requests.
On Linux the limit of a run is the smallest of the available memory, the limit of the control group
and the limit of the process (``ulimit -v``). Other systems are not checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import SimulationError
from venice.text.units import size_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from venice._native import Drive

    Progress = Callable[[int, int | None, float], object]

BYTES_PER_PAGE = 0.75
"""Memory for the tables per flash page, for a drive whose blocks are erased [bytes].

Measured: 0.73 on drives of 100 million to 1.6 billion pages.
"""

BYTES_PER_FILLED_PAGE = 1.25
"""Memory for the tables per flash page, for a drive that is filled before the run [bytes].
Measured: 1.2."""

LEAST_LEFT_BYTES = 64 << 20
"""Free memory below which a run ends [bytes]. A run allocates less than this between two checks, a
tenth of a second apart."""

_PROC, _GROUP = "/proc", "/sys/fs/cgroup"
_REMEDY = (
    "take a smaller drive (flash.blocks_per_plane), fewer runs at a time (`workers=`), "
    "or a load that the drive can serve"
)


class MemoryShortError(SimulationError):
    """Failure of a run because of insufficient memory."""


def check_memory(drive: Drive) -> None:
    """Refuse a run whose tables would not fit into memory.

    Raises
    ------
    MemoryShortError
        If the available memory is too small.
    """
    left, needed = left_bytes(), needed_bytes(drive)
    if left is not None and needed > left:
        raise MemoryShortError(
            f"memory does not suffice: the drive's tables take about {size_text(needed)}, and "
            f"{size_text(left)} are left; {_REMEDY}"
        )


def with_memory_check(progress: Progress | None) -> Progress:
    """Return a progress function that also ends the run before memory is exhausted."""

    def watch(completed: int, total: int | None, simulated_us: float) -> None:
        left = left_bytes()
        if left is not None and left < LEAST_LEFT_BYTES:
            raise MemoryShortError(
                f"memory does not suffice: {size_text(max(left, 0))} are left after {completed:,} "
                f"requests; {_REMEDY}"
            )
        if progress is not None:
            progress(completed, total, simulated_us)

    return watch


def needed_bytes(drive: Drive) -> float:
    """Return the estimated size of the tables of a drive [bytes]."""
    return drive.flash_pages * (BYTES_PER_FILLED_PAGE if drive.is_filled else BYTES_PER_PAGE)


def left_bytes() -> int | None:
    """Return the memory available to this process [bytes]; ``None`` if unknown."""
    known = [left for left in (_of_machine(), _of_group(), _of_process()) if left is not None]
    return min(known, default=None)


def _of_machine() -> int | None:
    return _kib(f"{_PROC}/meminfo", "MemAvailable:")


def _of_process() -> int | None:
    try:
        import resource  # noqa: PLC0415 not on every system
    except ImportError:
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return None
    taken = _kib(f"{_PROC}/self/status", "VmSize:")
    return None if taken is None else most - taken


def _of_group() -> int | None:
    """Return the available memory of the control group, including page cache [bytes]."""
    try:
        most = _text(f"{_GROUP}/memory.max").strip()
        taken = int(_text(f"{_GROUP}/memory.current"))
        cached = _field(f"{_GROUP}/memory.stat", "inactive_file")
    except (OSError, ValueError):
        return None
    return None if most == "max" else int(most) - taken + (cached or 0)


def _kib(path: str, name: str) -> int | None:
    found = _field(path, name)
    return None if found is None else found * 1024


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 a short run does without `pathlib`
        return file.read()


def _field(path: str, name: str) -> int | None:
    try:
        lines = _text(path).splitlines()
    except OSError:
        return None
    rows = (line.split() for line in lines)
    return next((int(row[1]) for row in rows if row[:1] == [name]), None)
