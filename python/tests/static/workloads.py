"""Workloads as a user writes them, and mistakes in their names and values."""

from typing import assert_type

import venice
from venice.workloads import Address, DrivePct, FixedBytes, OpenLoop, Zipf


def a_mix_of_parts() -> None:
    mine = venice.Workload(
        "random-read",
        size=FixedBytes(8192),
        address=Address(pattern=Zipf(theta=0.99), footprint=DrivePct(50)),
        open_loop=OpenLoop(mean_gap_us=20, gaps="exponential"),
    )
    both = venice.Mix(flows=[mine.with_(read_pct=50), "hm_0"], mean_gap_us=3)
    venice.run(workload=both, requests=200)
    venice.compare(workload=mine, fabrics=["bus"])
    venice.run(trace=venice.Trace("disk.csv", format="msr-csv", skip_bad=3))
    assert_type(mine.open_loop, OpenLoop)


def mistakes() -> None:
    FixedBytes("8 KiB")  # type: ignore[arg-type]
    Zipf(thta=0.99)  # type: ignore[call-arg]
    OpenLoop(gaps="exponental")  # type: ignore[arg-type]
    OpenLoop(mean_gap=20)  # type: ignore[call-arg]
    Address(footprint=FixedBytes(512))  # type: ignore[arg-type]
    venice.Workload("random-read", read_pct="half")  # type: ignore[arg-type]
    venice.Trace("disk.csv", skip_bad="all")  # type: ignore[arg-type]
