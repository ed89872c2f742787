"""Damaged traces of every format, read by every command that reads traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..case import Case, Link
from ..damage import compress, damage_bytes, damage_text
from ..material import SMALL, lines
from ..values import argument

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_FORMATS = (
    *("msr-csv", "msr-blank", "msr-rounded", "mqsim-ascii", "ssdsim-100ns", "ssdsim-us"),
    *("disksim-ascii", "replay-ms", "spc", "blkparse", "vscsi-csv", "fiu-blkparse"),
    *("tencent-replay", "tencent-cbs", "alibaba-csv", "systor-csv", "fio-iolog", "blktrace"),
    *("vscsi-1", "vscsi-2", "oracle-general", "parquet"),
)
_COMMANDS = (
    ("run", *SMALL, "--fold", "--requests", "50", "--json", "out.json", "--trace"),
    ("run", *SMALL, "--fold", "--closed-loop", "4", "--json", "out.json", "--trace"),
    ("compare", *SMALL, "--fold", "--fabrics", "bus,ideal", "--json", "out.json", "--trace"),
    ("trace", "info", "--json", "out.json"),
    ("trace", "head"),
    ("trace", "convert", "-o", "out.txt", "--to", "mqsim-ascii"),
    ("trace", "convert", "-o", "out.parquet", "--to", "parquet"),
    ("trace", "filter", "-o", "out.txt", "--op", "read", "--from-us", "10"),
    ("trace", "scale", "-o", "out.txt", "--rate-scale", "3"),
    ("trace", "mix", "-o", "out.txt", "--mean-gap-us", "5", "other.txt"),
)


def draw(draw: Random, material: Material) -> Case:
    """Draw a trace and a command that reads it."""
    name, content = _trace(draw, material)
    arguments = (*draw.choice(_COMMANDS), name, *_options(draw))
    files = {name: content, "other.txt": lines(20)}
    if draw.random() < 0.02:
        return Case(
            (*draw.choice(_COMMANDS), "fifo"), {"other.txt": lines(5)}, (Link("fifo", "fifo"),)
        )
    return Case(arguments, files, outputs=("out.json", "out.txt", "out.parquet"))


def _trace(draw: Random, material: Material) -> tuple[str, bytes]:
    if draw.random() < 0.15:
        return "own.txt", _own(draw)
    name = draw.choice(sorted(material.traces))
    damage = damage_text if name.endswith(".txt") else damage_bytes
    content = damage(draw, material.traces[name])
    if draw.random() < 0.15:
        suffix, content = compress(draw, content)
        name += suffix
    return name, content


def _own(draw: Random) -> bytes:
    """Write a trace whose lines are valid but together extreme."""
    kind = draw.randrange(4)
    if kind == 0:  # all requests at one instant
        return lines(draw.choice([1, 2, 100]), gap_ns=0)
    times = (0, 2**63 - 1) if kind == 1 else (draw.randrange(10**15), draw.randrange(10**19))
    sectors = draw.choice([1, 8, 2**17, 2**31, 2**63])
    rows = (
        f"{time} {draw.choice([0, 1, 65535])} {draw.choice([0, 7, 2**40])} {sectors} 1\n"
        for time in times
    )
    return "".join(rows).encode()


def _options(draw: Random) -> tuple[str | bytes, ...]:
    kind = draw.random()
    if kind < 0.5:
        return ()
    if kind < 0.7:
        return ("--format", draw.choice(_FORMATS))
    if kind < 0.8:
        return ("--columns", draw.choice(_COLUMNS))
    if kind < 0.9:
        return ("--skip-bad", "1000000")
    return (draw.choice(["--format", "--columns", "--devices", "--event"]), argument(draw))


_COLUMNS = (
    "time:us,op,offset,size",
    "time:iso,op,offset,size",
    "time:s,op,lba,size",
    "time:us,time:us,time:us,time:us",
    "op,op",
    "time:us",
    ",,,,",
    "time:us,op,offset,size," * 2000,
    "-,-,-,time:us,op,offset,size",
    "x" * 100_000,
)
