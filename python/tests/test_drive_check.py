"""Data-sheet figures against the rates of the resources that bound them."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from venice import Drive, Workload, resolve, run
from venice.config import Precondition
from venice.sheet.check import figure_of, figures_of_loads, report_of
from venice.sheet.loads import LOADS
from venice.sheet.short_blocks import steady_drive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome


def die_mb_per_s(dies: int, planes: int, page: int, program_us: float, channel: float) -> float:
    """Return the rate of dies that are busy from the transfer to the end of the program."""
    return dies * planes * page / (program_us + planes * page / channel)


WRITES = {
    # Two dies a chip, of which one works at a time (`flash.die_work`).
    "mqsim-default": ("chips", die_mb_per_s(32, 2, 8192, 750, 333)),
    "samsung-970-pro": ("chips", die_mb_per_s(16, 8, 4096, 185, 800)),
    "venice-performance": ("chips", die_mb_per_s(64, 2, 4096, 100, 1200)),
    "wd-zn540": ("host link", 3050.0),
    "samsung-pm9a3-960gb": ("write admission", 4096 / 13.07),
}


def rows_of(outcome: Outcome) -> dict[tuple[str, int], dict[str, Any]]:
    assert outcome.code == 0, outcome.stderr
    return {(row["load"], row["depth"]): row for row in json.loads(outcome.stdout)}


@pytest.mark.parametrize("drive", WRITES)
def test_sequential_writes_reach_their_bound(drive: str) -> None:
    config = json.loads(resolve(drive).to_json())
    load = next(load for load in LOADS if (load.name, load.depth) == ("sequential write", 256))
    row = figure_of(load, report_of(drive, config, load), config)
    bound, rate = WRITES[drive]
    assert row.bound == bound
    assert row.mb_per_s == pytest.approx(rate, rel=0.03)


SHEET_WRITES = {
    "tlc-client-1tb": die_mb_per_s(16, 4, 3 * 16384, 6290, math.inf),
    "tlc-enterprise-2tb": die_mb_per_s(32, 4, 3 * 16384, 1800, math.inf),
    "qlc-4tb": die_mb_per_s(32, 4, 4 * 16384, 8390, math.inf),
    "slc-low-latency": die_mb_per_s(32, 4, 16384, 520, math.inf),
    "samsung-980-1tb": die_mb_per_s(16, 4, 16384, 419, math.inf),
    "lexar-nm800-pro-2tb": die_mb_per_s(32, 4, 16384, 599, math.inf),
}
"""Rates of dies that program while the next data is transferred (cache program)."""


@pytest.mark.parametrize("drive", SHEET_WRITES)
def test_sequential_writes_reach_the_rate_of_dies_less_the_share_of_the_map(drive: str) -> None:
    config = json.loads(resolve(drive).to_json())
    load = next(load for load in LOADS if (load.name, load.depth) == ("sequential write", 256))
    row = figures_of_loads(drive, config, [load])[0]
    assert row.bound == "chips"
    assert (row.map_pct is None) == (config["ftl"]["mapping"] == "ideal")
    rate = SHEET_WRITES[drive] * (1.0 - (row.map_pct or 0.0) / 100.0)
    assert row.mb_per_s == pytest.approx(rate, rel=0.03)
    assert row.difference_pct("mb_per_s") == pytest.approx(0.0, abs=5.0)


def test_map_in_flash_costs_sequential_writes_a_share(tmp_path: Path) -> None:
    drive = tmp_path / "cached.toml"
    drive.write_text(
        SMALL.replace("[ftl]", '[ftl]\nmapping = "cached"\nmapping_table_bytes = 4096'),
        encoding="utf-8",
    )
    config = json.loads(resolve(str(drive)).to_json())
    loads = [load for load in LOADS if load.depth == 256 and load.name.startswith("sequential")]
    reads, writes = sorted(figures_of_loads(str(drive), config, loads), key=lambda row: row.load)
    assert (reads.load, reads.map_pct) == ("sequential read", None)
    assert writes.map_pct is not None
    assert writes.map_pct > 1.0
    assert writes.limit.startswith("chips, map ")


def test_drive_whose_writes_wait_for_free_pages_is_limited_by_latency() -> None:
    config = json.loads(resolve("mqsim-default").to_json())
    config["flash"]["blocks_per_plane"] = 128
    load = next(load for load in LOADS if (load.name, load.depth) == ("mixed 70/30", 256))
    row = figure_of(load, report_of("mqsim-default", config, load), config)
    assert row.busy_pct["chips"] < 50.0
    assert row.bound == "latency"


SMALL = """
extends = "venice-performance"
[array]
rows = 2
cols = 2
[flash]
planes_per_die = 1
blocks_per_plane = 128
pages_per_block = 512
[ftl]
over_provisioning_pct = 20
[controller]
cores = 1
read_command_ns = 20000
[sheet]
sequential_write_mb_per_s = 100
random_read_iops = 50000
write_amplification = 3
"""
"""Drive whose reads one core bounds: 50,000/s."""


def test_check_names_bounds_and_compares_with_the_sheet(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    drive = tmp_path / "small.toml"
    drive.write_text(SMALL, encoding="utf-8")
    config = json.loads(resolve(str(drive)).to_json())
    loads = [load for load in LOADS if load.depth == 256 and load.name.startswith("random")]
    reads, writes = sorted(figures_of_loads(str(drive), config, loads), key=lambda row: row.load)
    assert reads.bound == "controller cores"
    assert reads.iops == pytest.approx(50_000, rel=0.01)
    assert reads.sheet == {"iops": 50_000}
    assert writes.bound == "chips"
    assert writes.sheet == {"write_amplification": 3}
    # Greedy victims at 20 % of the raw capacity less the reserve: Desnoyers' form gives 2.4 to 3.2.
    assert writes.write_amplification is not None
    assert 2.2 < writes.write_amplification < 3.4
    table = venice("drive", "check", str(drive))
    assert table.code == 0
    assert "50000 IOPS" in table.stdout
    assert "burst" not in table.stdout


ADMITTED = """
extends = "venice-performance"
[flash]
page_bytes = 16384
blocks_per_plane = 16
pages_per_block = 32
[controller]
cores = 1
write_admission_unit_ns = 2000000
"""
"""Drive that admits 500 writes a second of up to a page."""


def test_short_write_takes_the_admission_of_a_whole_unit(tmp_path: Path) -> None:
    drive = tmp_path / "admitted.toml"
    drive.write_text(ADMITTED, encoding="utf-8")
    config = json.loads(resolve(drive).to_json())
    load = next(load for load in LOADS if (load.name, load.depth) == ("random write", 256))
    row = figure_of(load, report_of(str(drive), config, load), config)
    assert row.iops == pytest.approx(500, rel=0.01)
    assert row.bound == "write admission"
    assert row.busy_pct["write admission"] == pytest.approx(100, abs=1)


def test_fewer_blocks_keep_write_amplification(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = tmp_path / "small.toml"
    many = SMALL.replace("blocks_per_plane = 128", "blocks_per_plane = 1024")
    drive.write_text(many, encoding="utf-8")
    config = json.loads(resolve(drive).to_json())
    load = next(load for load in LOADS if (load.name, load.depth) == ("random write", 256))

    def amplification() -> float:
        flash = report_of(str(drive), config, load).content["flash"]
        return float(flash["programs"] / flash["host_programs"])

    whole = amplification()
    monkeypatch.setattr("venice.sheet.short_blocks.MAX_BLOCKS", 512)
    assert "flash.blocks_per_plane=512" in steady_drive(config, "saturated").sets
    assert amplification() == pytest.approx(whole, rel=0.05)


def test_shorter_blocks_keep_write_amplification(tmp_path: Path) -> None:
    drive = tmp_path / "small.toml"
    drive.write_text(SMALL, encoding="utf-8")
    config = json.loads(resolve(drive).to_json())
    steady = steady_drive(config, "saturated")
    assert "flash.pages_per_block=128" in steady.sets
    load = next(load for load in LOADS if (load.name, load.depth) == ("random write", 256))
    short = report_of(str(drive), config, load).content["flash"]
    whole = run(
        drive=Drive(drive, precondition=Precondition(mode="steady_state", gc_load="saturated")),
        workload=Workload(base="random-write", closed_loop_depth=256),
        requests=200_000,
        warmup=100_000,
        progress=False,
    ).content["flash"]
    of = [flash["programs"] / flash["host_programs"] for flash in (short, whole)]
    assert of[0] == pytest.approx(of[1], rel=0.08)


BUFFERED = """
extends = "venice-performance"
[array]
rows = 2
cols = 2
[flash]
blocks_per_plane = 128
pages_per_block = 256
[ftl]
mapping = "{mapping}"
mapping_table_bytes = 4
mapping_table_entry_bytes = 4
mapping_page_entry_bytes = 4
mapping_host_memory_buffer_bytes = 65536
[host]
link_latency_ns = 250
[sheet]
random_read_range_bytes = {read_range}
"""
"""Drive with a host memory buffer that covers 64 MiB of data."""


def test_random_reads_stay_in_the_range_of_the_sheet(tmp_path: Path) -> None:
    load = next(load for load in LOADS if (load.name, load.depth) == ("random read", 1))

    def mean_us(mapping: str, read_range: int) -> float:
        drive = tmp_path / "buffered.toml"
        drive.write_text(BUFFERED.format(mapping=mapping, read_range=read_range), encoding="utf-8")
        config = json.loads(resolve(drive).to_json())
        return figure_of(load, report_of(str(drive), config, load), config).mean_us

    in_memory, covered = mean_us("ideal", 0), 2**26
    # Every look-up takes a round trip over the link.
    assert mean_us("cached", covered) == pytest.approx(in_memory + 0.5, abs=0.005)
    assert mean_us("cached", 2 * covered) > in_memory + 1.0
    assert mean_us("cached", 0) > mean_us("cached", 2 * covered)
    assert mean_us("cached", 2**50) == mean_us("cached", 0), "at most the whole drive"


def test_writes_that_a_buffer_takes_are_no_steady_state(tmp_path: Path) -> None:
    drive = tmp_path / "small.toml"
    buffer = '[cache]\nmode = "write"\ncapacity_bytes = 16777216\n'
    drive.write_text(SMALL + buffer, encoding="utf-8")
    config = json.loads(resolve(str(drive)).to_json())
    keys = [("random read", 1), ("random write", 1), ("random write", 256)]
    loads = [load for load in LOADS if (load.name, load.depth) in keys]
    rows = {(row.load, row.depth): row for row in figures_of_loads(str(drive), config, loads)}
    read, short, deep = (rows[key] for key in keys)
    assert [row.state for row in (read, short, deep)] == ["", "burst", "steady"]
    assert short.iops > deep.iops


@pytest.mark.nightly
def test_writes_that_a_pslc_cache_takes_are_a_burst(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    drive = tmp_path / "small.toml"
    drive.write_text('extends = "samsung-980-1tb"\n[flash]\nblocks_per_plane = 64\n')
    rows = rows_of(venice("drive", "check", str(drive), "--json"))
    assert [rows["sequential write", depth]["state"] for depth in (1, 256)] == ["burst", "burst"]
    assert rows["sequential read", 256]["state"] == ""
    assert rows["random write", 256]["state"] == "steady"
    assert "burst: the write buffer" in venice("drive", "check", str(drive)).stdout
