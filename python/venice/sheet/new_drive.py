"""Drive files from the figures of a data sheet.

Data sheets state rates, not the internals of a drive. The geometry is that of common dies; program
time, spare blocks and controller times follow from the rates:

- program time: dies × planes × pages of a program × page size / rate of sequential writes;
- link: rate of sequential reads;
- controller core: rate of random reads, which may also be limited by the dies;
- delays: latency of a single read or write, minus read time, transfer and link.

The write amplification W of random writes determines the spare share. It is the solution of the
closed form of greedy garbage collection in the limit of long blocks: W = 1 / (1 - v), where (v - 1)
/ ln(v) is the share of the raw capacity in use.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import tomlkit

PAGE_BYTES = 16384
CHANNELS = 8
PLANES = 4
WORD_LINES = 384
LINK_NS = 2500
"""Latency of the host link in each direction [ns]."""


ASSUMED_SPARE_PCT = 12.65
"""Spare share of the raw capacity if the sheet does not state random writes [%]."""
RESERVE_PCT = 0.6
"""Share of spare blocks that garbage collection does not use [%]."""
SHARE_OF_TIME = 0.95
"""Share of time in which the dies are busy under random writes."""
LEAST_AMPLIFICATION = 1.15
"""Smallest write amplification of random writes that a drive file aims at."""


class Cells(NamedTuple):
    """Properties of dies with a given number of bits per cell."""

    bits: int
    """Bits per cell, which is the number of pages of a program."""
    die_gib: int
    t_read_us: float
    t_bers_us: float


CELLS = {
    "slc": Cells(1, 32, 25, 3000),
    "mlc": Cells(2, 32, 40, 4000),
    "tlc": Cells(3, 64, 50, 5000),
    "qlc": Cells(4, 128, 65, 15000),
}
"""Dies of about 2020 by kind of cell; sizes and times are assumed."""


class SheetValues(NamedTuple):
    """Figures of a data sheet; `None` for a figure that the sheet does not state."""

    capacity_gb: float
    sequential_read_mb_per_s: float
    sequential_write_mb_per_s: float
    random_read_iops: float
    random_write_iops: float | None = None
    random_read_us: float | None = None
    random_write_us: float | None = None
    random_read_range_gb: float | None = None
    """Range of addresses of random reads; `None` for the whole drive."""


_TEMPLATE = """# Written by `venice drive new`. `venice drive check FILE` compares it with a sheet.
# "set": follows from a figure of the sheet. "assumed": a value of common drives; change it freely.
name = {name}
description = "Drive of {capacity_gb:g} GB with {kind} dies, from a data sheet"
source = "data sheet; geometry assumed"
extends = "tlc-enterprise-2tb"

[array]
rows = {channels} # channels, assumed
cols = {chips} # set: {dies} dies of some {die_gib} GiB hold the capacity

[flash]
planes_per_die = {planes_per_die} # assumed
page_bytes = {page_bytes} # assumed
program_pages = {bits} # assumed: all pages of a word line in one program
pages_per_block = {pages} # assumed
blocks_per_plane = {blocks} # set: capacity and spare blocks
t_read_us = [{t_read_us:g}] # assumed
t_prog_us = [{program_us:.1f}] # set: sequential writes
t_bers_us = {t_bers_us:g} # assumed

[fabric]
channel_rate_mb_per_s = {channel:g} # assumed: above the rates of the sheet

[ftl]
over_provisioning_pct = {spare_pct:.2f} # {spare_origin}

[cache]
in_flight_pages_per_plane = {in_flight} # four programs: some planes have more than others
capacity_bytes = {buffer} # six programs of each plane

[host]
link_rate_mb_per_s = {link:g} # set: sequential reads
link_latency_ns = {link_ns} # assumed

[controller]
read_command_ns = {command_ns} # set: random reads
write_command_ns = {command_ns} # as reads
read_delay_ns = {read_ns} # {read_origin}
write_delay_ns = {write_ns} # {write_origin}

[sheet]
{stated}
random_read_range_bytes = {read_range} # 0: the whole drive
mixed_iops = 0
write_amplification = 0
"""


def drive_file(name: str, cells: str, sheet: SheetValues) -> str:
    """Return the text of a file for a drive with these figures."""
    of, dies = CELLS[cells], dies_of_drive(cells, sheet)
    spare_pct = _spare_pct(sheet, of)
    raw_bytes = sheet.capacity_gb * 1e9 / (1.0 - spare_pct / 100.0)
    chips = dies.chips_per_channel
    program_bytes = dies.planes * of.bits * PAGE_BYTES
    least_read_us, least_write_us = least_latencies_us(of, sheet)
    stated = "\n".join(
        f"{key} = {value or 0:g}"
        for key, value in sheet._asdict().items()
        if not key.endswith("_gb")
    )
    return _TEMPLATE.format(
        name=tomlkit.string(name).as_string(),
        kind=cells.upper(),
        capacity_gb=sheet.capacity_gb,
        channels=CHANNELS,
        chips=chips,
        dies=CHANNELS * chips,
        die_gib=of.die_gib,
        planes_per_die=PLANES,
        page_bytes=PAGE_BYTES,
        bits=of.bits,
        pages=WORD_LINES * of.bits,
        blocks=math.ceil(raw_bytes / (WORD_LINES * program_bytes)),
        t_read_us=of.t_read_us,
        program_us=program_bytes / sheet.sequential_write_mb_per_s,
        t_bers_us=of.t_bers_us,
        channel=dies.channel_mb_per_s,
        spare_pct=spare_pct,
        spare_origin=_origin(sheet.random_write_iops, "random writes"),
        in_flight=4 * of.bits,
        buffer=6 * program_bytes,
        link=sheet.sequential_read_mb_per_s,
        link_ns=LINK_NS,
        command_ns=_command_ns(sheet),
        read_ns=_delay_ns(sheet.random_read_us, least_read_us, 10000),
        read_origin=_origin(sheet.random_read_us, "one random read"),
        write_ns=_delay_ns(sheet.random_write_us, least_write_us, 3000),
        write_origin=_origin(sheet.random_write_us, "one random write"),
        stated=stated,
        read_range=round((sheet.random_read_range_gb or 0.0) * 1e9 / 4096) * 4096,
    )


class DiesOfDrive(NamedTuple):
    """Dies, planes and channels of a new drive."""

    chips_per_channel: int
    channel_mb_per_s: float

    @property
    def channels(self) -> int:
        """Number of channels of the drive."""
        return CHANNELS

    @property
    def planes(self) -> int:
        """Number of planes of all dies."""
        return CHANNELS * self.chips_per_channel * PLANES

    @property
    def page_bytes(self) -> int:
        """Size of a page of the drive [bytes]."""
        return PAGE_BYTES


def dies_of_drive(cells: str, sheet: SheetValues) -> DiesOfDrive:
    """Return the dies and channels that hold the capacity of a data sheet."""
    of = CELLS[cells]
    raw_bytes = sheet.capacity_gb * 1e9 / (1.0 - _spare_pct(sheet, of) / 100.0)
    chips = max(1, round(raw_bytes / 2**30 / of.die_gib / CHANNELS))
    return DiesOfDrive(chips, _channel_rate(sheet))


def least_latencies_us(of: Cells, sheet: SheetValues) -> tuple[float, float]:
    """Return the latencies of one random read and write without the controller's delays [µs]."""
    link_us = 2 * LINK_NS / 1000.0 + 4096 / sheet.sequential_read_mb_per_s
    write_us = _command_ns(sheet) / 1000.0 + link_us
    return of.t_read_us + 4096 / _channel_rate(sheet) + write_us, write_us


def _command_ns(sheet: SheetValues) -> int:
    return round(0.99e9 / sheet.random_read_iops)


def _origin(stated: float | None, figure: str) -> str:
    return "assumed" if stated is None else f"set: {figure}"


def _spare_pct(sheet: SheetValues, of: Cells) -> float:
    """Return the over-provisioning [% of the raw capacity] that gives the sheet's random writes."""
    if sheet.random_write_iops is None:
        return ASSUMED_SPARE_PCT
    program_s, read_s = _unit_times_s(sheet, of)
    amplification = (SHARE_OF_TIME / sheet.random_write_iops + read_s) / (program_s + read_s)
    valid = 1.0 - 1.0 / max(amplification, LEAST_AMPLIFICATION)
    return min(70.0, 100.0 * (1.0 - (valid - 1.0) / math.log(valid)) + RESERVE_PCT)


def _unit_times_s(sheet: SheetValues, of: Cells) -> tuple[float, float]:
    """Return the times of all dies to program a unit of 4 KiB, and to read it for its move [s].

    A page that is read for its moves holds about three units.
    """
    dies = sheet.capacity_gb * 1e9 / 2**30 / (1.0 - ASSUMED_SPARE_PCT / 100.0) / of.die_gib
    return 4096 / (sheet.sequential_write_mb_per_s * 1e6), of.t_read_us * 1e-6 / 3.0 / dies


def random_write_iops_at(amplification: float, sheet: SheetValues, of: Cells) -> float:
    """Return the rate of random writes with a write amplification, which dies and moves limit."""
    program_s, read_s = _unit_times_s(sheet, of)
    return SHARE_OF_TIME / (amplification * (program_s + read_s) - read_s)


def _channel_rate(sheet: SheetValues) -> float:
    """Return the smallest common channel rate at which channels do not limit the drive [MB/s]."""
    fastest = max(sheet.sequential_read_mb_per_s, sheet.sequential_write_mb_per_s)
    return next(
        (rate for rate in (1200.0, 1600.0, 2400.0, 3600.0) if CHANNELS * rate > 1.4 * fastest),
        4800.0,
    )


def _delay_ns(us: float | None, least_us: float, assumed: int) -> int:
    return assumed if us is None else max(0, round(1000.0 * (us - least_us)))
