"""Measurements of drives: CSV, fio's JSON output and latency logs, damaged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..case import Case
from ..damage import damage_text
from ..values import text

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_DRIVE = b'extends = "samsung-970-pro"\nname = "d"\n[flash]\nblocks_per_plane = 32\n'
_ROWS = (
    b"drive,op,pattern,bs,qd,jobs,rwmix,preconditioned,iops,mean_us,p50_us,p99_us,p999_us\n"
    b"d,read,rand,4096,4,1,r70,no,20000,200,150,400,500\n"
    b"d,write,seq,131072,1,2,beside randread 4k qd2 100/s poisson,filled,1000,100,90,300,400\n"
)
_SERIES = (
    b"drive,pattern,details,used_gib,bs,qd,jobs,t_s,write_iops,w_p50_us,w_p99_us,w_p999_us,wa,run\n"
    b"d-800,uniform,,372,4096,16,1,60,200000,80,100,200,1.2,a\n"
    b"d-800,uniform,,372,4096,16,1,120,100000,80,100,200,1.9,a\n"
)
_SIDE = {"total_ios": 9, "iops": 9000.0, "lat_ns": {"mean": 1e5}, "clat_ns": {"percentile": {}}}
_JOB = {
    "jobname": "a",
    "groupid": 0,
    "job options": {"rw": "randread", "bs": "4k", "iodepth": "4"},
    "read": _SIDE,
}
_FIO = json.dumps({"fio version": "fio-3.35", "global options": {}, "jobs": [_JOB]}).encode()
_LOG = b"".join(b"%d, %d, 0, 4096, 0\n" % (number, 90_000 + number) for number in range(50))
_FILES = {
    "data/rows.csv": _ROWS,
    "data/series.csv": _SERIES,
    "data/a.json": _FIO,
    "data/randread-4-1_lat.1.log": _LOG,
}


def draw(draw: Random, _material: Material) -> Case:
    """Draw a damaged data set, and a command that reads it."""
    name = draw.choice([*_FILES])
    files = {"drive.toml": _DRIVE, name: damage_text(draw, _FILES[name])}
    if draw.random() < 0.5:
        words: tuple[str, ...] = ("validate", "drive.toml", "--data", "data", "--json", "out.json")
    else:
        words = ("drive", "import", "data", "--name", text(draw), "-o", "out.csv")
    return Case(words, files, outputs=("out.json", "out.csv"))
