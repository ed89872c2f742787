"""I/O scheduler kyber of a measuring host, as named in the column ``scheduler``."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = re.compile(r"kyber(?:\s+(?:r_)?r_(?P<read>[\d.]+\w*)_w_(?P<write>[\d.]+\w*))?")
_TIME = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>us|ms|s)|0")
_UNITS_US = {"us": 1.0, "ms": 1000.0, "s": 1_000_000.0}
_EXPECTED = "expected: `kyber`, or with target latencies in us, ms or s `kyber r_2.5ms_w_10ms`"
_LONGEST_US = 1e6
"""Longest target latency of the engine's scheduler [µs]."""
_QUEUE_ENTRIES = 65_536
"""Entries of the host's queue and commands in the drive. In Linux, each processor core has a queue
of 256 entries (``nr_requests``) and each queue of the drive 1,023, at least as many as the measured
jobs have outstanding."""


class Kyber(NamedTuple):
    """Scheduler kyber with its target latencies."""

    read_us: float = 2000.0
    """Target latency of reads [µs], by default that of Linux."""
    write_us: float = 10_000.0
    """Target latency of writes [µs], by default that of Linux."""

    @property
    def settings(self) -> list[str]:
        """Settings of a drive that simulate the scheduler."""
        return [
            "host.scheduler.scheme=kyber",
            f"host.scheduler.queue_length={_QUEUE_ENTRIES}",
            f"host.scheduler.drive_slots={_QUEUE_ENTRIES}",
            f"host.scheduler.kyber_read_target_us={self.read_us:g}",
            f"host.scheduler.kyber_write_target_us={self.write_us:g}",
        ]

    def __str__(self) -> str:
        return f"kyber with targets of {self.read_us / 1000:g} and {self.write_us / 1000:g} ms"


def kyber_of(name: str) -> Kyber | None:
    """Return the scheduler that a name describes; ``None`` for another scheduler.

    Upper case and blanks around the name do not matter.

    Raises
    ------
    ValueError
        If a target latency is not 0 or a time of up to a second in us, ms or s.

    Examples
    --------
    >>> kyber_of("kyber"), kyber_of("kyber r_2ms_w_0")
    (Kyber(read_us=2000.0, write_us=10000.0), Kyber(read_us=2000.0, write_us=0.0))
    >>> kyber_of("Kyber r_50us_w_2.5ms")
    Kyber(read_us=50.0, write_us=2500.0)
    >>> kyber_of("bfq")
    """
    words = name.strip().lower()
    if words.split()[:1] != ["kyber"]:
        return None
    found = _NAME.fullmatch(words)
    if found is None:
        raise ValueError(f"`scheduler` is `{name}`; {_EXPECTED}")
    if found["read"] is None:
        return Kyber()
    return Kyber(_time_us(found["read"], name), _time_us(found["write"], name))


def _time_us(text: str, name: str) -> float:
    """Return a target latency in µs."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(
            f"`scheduler` is `{name}`; expected: 0 or numbers with us, ms or s in place of `{text}`"
        )
    # Rounded to picoseconds, so that 2.3ms equals 2300us.
    time_us = round(float(found["number"]) * _UNITS_US[found["unit"]], 6) if found["unit"] else 0.0
    if time_us > _LONGEST_US:
        raise ValueError(f"`scheduler` is `{name}`; expected: target latencies of at most 1s")
    return time_us
