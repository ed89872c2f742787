"""Fills of drives with a pSLC cache, compared with published measurements (TechPowerUp)."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import pytest

import venice

if TYPE_CHECKING:
    from pathlib import Path

_JOB = """
[fill]
ioengine=libaio
direct=1
rw=write
bs=1m
iodepth=8
size=100%
"""


class Fill(NamedTuple):
    """A published fill of an erased drive by sequential writes, in GB and MB/s."""

    drive: str
    blocks_per_plane: int
    capacity_gb: float
    cache_gb: float
    rates: tuple[float, float]
    average: float
    # Rate of the last third, which is folded while the host writes.
    last: float | None


_FILLS = [
    Fill("samsung-980-1tb", 238, 1000, 160, (2500, 500), 600, None),
    Fill("lexar-nm800-pro-2tb", 227, 2000, 592, (3500, 2200), 1514, 1000),
]


def scaled(fill: Fill) -> venice.Drive:
    """Return a drive with a quarter of the blocks and a sixteenth of their pages."""
    flash = venice.config.Flash(blocks_per_plane=fill.blocks_per_plane, pages_per_block=72)
    return venice.Drive(fill.drive, flash=flash, ftl=venice.config.Ftl(mapping_unit_bytes=16384))


@pytest.mark.parametrize("fill", _FILLS, ids=lambda fill: fill.drive)
def test_rates_size_and_average_of_a_fill_are_the_published_ones(
    fill: Fill, tmp_path: Path
) -> None:
    job = tmp_path / "fill.fio"
    job.write_text(_JOB)
    report = venice.run(drive=scaled(fill), workload=str(job), interval="50ms").to_dict()
    series, capacity = report["time_series"], report["capacity_bytes"]
    times = [*series["start_us"], report["makespan_us"]]
    written = [0, *accumulate(series["write"]["bytes"])]
    points = [(at, done / capacity) for at, done in zip(times, written, strict=True)]

    def rate(begin: float, end: float) -> float:
        """Return the mean rate between two shares of the drive, in MB/s."""
        inside = [(at, share) for at, share in points if begin <= share <= end]
        (first, low), (last, high) = inside[0], inside[-1]
        return float((high - low) * capacity / (last - first))

    cache = fill.cache_gb / fill.capacity_gb
    before, after = rate(0.02, cache * 0.9), rate(cache * 1.1, cache * 1.5)
    assert (before, after) == pytest.approx(fill.rates, rel=0.1)
    if fill.last is not None:
        assert rate(0.6, 0.98) == pytest.approx(fill.last, rel=0.1)
    assert capacity / report["makespan_us"] == pytest.approx(fill.average, rel=0.1)
    at, share = next(point for point, _ in pairwise(points) if point[1] >= cache * 1.4)
    size = (at - share * capacity / after) / (1 / before - 1 / after)
    assert size / capacity == pytest.approx(cache, rel=0.03)
    assert report["slc_cache"]["host_bytes"] / capacity == pytest.approx(cache, rel=0.03)
    served, after = report["flash"], report["after_last_completion"]["flash"]
    assert sum(series["flash"]["fold_moves"]) == served["fold_moves"] + after["fold_moves"]
    cached = max(series["flash"]["slc_cached_units"]) * 16384
    assert cached == pytest.approx(report["slc_cache"]["host_bytes"], rel=0.03)
