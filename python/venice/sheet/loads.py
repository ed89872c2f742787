"""Loads for the rows of a data sheet."""

from __future__ import annotations

from typing import NamedTuple


class Load(NamedTuple):
    """Requests that determine one row of the data sheet."""

    name: str
    base: str
    """Name of the built-in workload, whose share of reads is replaced by `read_pct`."""
    read_pct: float
    depth: int
    is_steady: bool = False
    """True if the load runs on a drive in steady state."""
    stated: tuple[str, str] | None = None
    """Key in the section `sheet` of a drive file, and the figure of the row with which it is
    compared."""


RANDOM_READS = "random-read"
"""Workload of random reads, whose range of addresses a data sheet may state."""
DEEP = 256
"""Number of outstanding requests for the rates that data sheets state."""

LOADS = (
    Load("sequential read", "sequential-read", 100.0, 1),
    Load(
        "sequential read",
        "sequential-read",
        100.0,
        DEEP,
        stated=("sequential_read_mb_per_s", "mb_per_s"),
    ),
    Load("sequential write", "sequential-read", 0.0, 1),
    Load(
        "sequential write",
        "sequential-read",
        0.0,
        DEEP,
        stated=("sequential_write_mb_per_s", "mb_per_s"),
    ),
    Load("random read", RANDOM_READS, 100.0, 1, stated=("random_read_us", "mean_us")),
    Load("random read", RANDOM_READS, 100.0, DEEP, stated=("random_read_iops", "iops")),
    Load(
        "random write",
        "random-write",
        0.0,
        1,
        is_steady=True,
        stated=("random_write_us", "mean_us"),
    ),
    Load(
        "random write",
        "random-write",
        0.0,
        DEEP,
        is_steady=True,
        stated=("random_write_iops", "iops"),
    ),
    Load("mixed 70/30", "mixed-70-30", 70.0, 1, is_steady=True),
    Load("mixed 70/30", "mixed-70-30", 70.0, DEEP, is_steady=True, stated=("mixed_iops", "iops")),
)
