"""Workload files: hostile values of every key, cycles, mixes, and files that are not workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..case import Case
from ..damage import damage_text
from ..material import SMALL
from ..values import number, text
from .toml import BROKEN, changed

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_RUN = ("run", *SMALL, "--json", "out.json", "--requests", "60", "--workload", "mine.toml")
_CLOSED = """description = "mine"
source = "a test"
synthetic = true
requests = 100
read_pct = 70.0
closed_loop_depth = 16
think_us = 1.0
size = { choices = [{ bytes = 4096, weight = 3 }, { bytes = 512, weight = 1 }] }
[address]
pattern = { zipf = { theta = 0.99 } }
footprint = { drive_pct = 50.0 }
align_bytes = 4096
run_requests = 2.0
"""
_OPEN = """description = "mine"
source = "a test"
synthetic = true
requests = 100
read_pct = 50.0
strata = 10
start_us = 0.0
stop_us = 1e6
size = { normal = { mean_bytes = 8192, deviation_bytes = 2048 } }
read_after_write = { pct = 20.0, within_writes = 64 }
[address]
pattern = { hot_cold = { hot_access_pct = 80.0, hot_space_pct = 20.0 } }
footprint = { at_most_bytes = 1048576 }
align_bytes = 4096
[open_loop]
mean_gap_us = 20.0
gaps = { hyperexponential = { long_pct = 20.0, short_mean_pct = 5.0 } }
bursts = { on_us = 500.0, off_us = 2000.0, lengths = "exponential" }
most_outstanding = 64
"""
_MIX = """description = "mix"
source = "a test"
synthetic = true
requests = 100
mean_gap_us = 5.0
flows = ["other.toml", "bursty-oltp", { extends = "hm_0", read_pct = 50 }]
"""
_CYCLES = ("mine.toml", "other.toml", "./mine.toml", "/etc/passwd", "/dev/zero", "mix1", "..", "")


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a workload's file."""
    files = {"mine.toml": _file(draw), "other.toml": _OPEN.encode()}
    return Case(_RUN, files, outputs=("out.json",))


def _file(draw: Random) -> bytes:
    kind = draw.random()
    if kind < 0.15:
        return draw.choice(BROKEN)
    if kind < 0.25:
        target = draw.choice(_CYCLES)
        return f'extends = "{target}"\n'.encode()
    whole = draw.choice([_CLOSED, _OPEN, _MIX])
    if kind < 0.4:
        return damage_text(draw, whole.encode())
    for _ in range(draw.randint(1, 2)):
        whole = changed(draw, whole, draw.choice([number, text])(draw))
    return whole.encode()
