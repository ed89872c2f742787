"""Victim policies and fabrics in Python that violate the rules of their interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..case import Case

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_SCRIPT = """import math
import venice

class Victim:
    def choose(self, candidates, must):
        {choose}

class Fabric:
    def __init__(self, settings):
        self.rows, self.columns = settings
        self.used = set()
        {paths}

    def domains(self):
        {domains}

    def offer(self, transfer, now_us):
        if transfer.row in self.used:
            return None
        self.used.add(transfer.row)
        {offer}

    def ended(self, transfer, now_us):
        {ended}

drive = venice.Drive(
    "venice-performance",
    array=venice.config.Array(rows=2, cols=2),
    flash=venice.config.Flash(blocks_per_plane=16, pages_per_block=16),
    precondition=venice.config.Precondition(mode="steady_state"),
)
try:
    venice.run(
        drive=drive,
        workload="mixed-70-30",
        requests=30,
        {option},
    )
except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError, AttributeError):
    pass
"""
_USUAL = {
    "choose": "return min(candidates, key=lambda block: block.valid).index if candidates else None",
    "paths": "self.paths = self.rows",
    "domains": "return [(0, self.rows * self.columns)]",
    "offer": "return now_us + transfer.channel_us, transfer.row",
    "ended": "self.used.discard(transfer.row)",
    "option": "victim_policy=Victim, fabric_model=Fabric",
}
_WRONG = {
    "choose": (
        "return None",
        "return -1",
        "return 2**32 - 1",
        "return 10**30",
        "return 'a'",
        "return 1.5",
        "return candidates",
        "return candidates[0]",
        "candidates.clear()",
        "candidates[0].valid = 3",
        "raise LookupError('no')",
        "return self.choose(candidates, must)",
        "return candidates[-1].index if must else None",
    ),
    "paths": (
        "self.paths = -1",
        "self.paths = 0",
        "self.paths = 'two'",
        "self.paths = 10**30",
        "self.paths = 10**9",
        "raise LookupError('no')",
    ),
    "domains": (
        "return []",
        "return None",
        "return [(0, 1)]",
        "return [(0, 4), (4, 4)]",
        "return [(1, 4), (0, 1)]",
        "return [(0, 2), (1, 4)]",
        "return [(0, 2**32 - 1)]",
        "return [(0, 2**40)]",
        "return [(0,)]",
        "return 'ab'",
        "raise LookupError('no')",
    ),
    "offer": (
        "return None",
        "return now_us",
        "return now_us - 1e-9",
        "return now_us - 1",
        "return -1.0",
        "return math.nan",
        "return math.inf",
        "return 1e300",
        "return 10**400",
        "return 'soon'",
        "return now_us + 1, -1",
        "return now_us + 1, 10**6",
        "return now_us + 1, 'a'",
        "return now_us + 1, 0, 0",
        "return now_us + 1e-7",
        "return now_us + 1e9",
        "return True",
        "raise LookupError('no')",
        "return self.offer(transfer, now_us)",
    ),
    "ended": ("pass", "return 5", "raise LookupError('no')", "self.used.clear()", "del self.used"),
    "option": (
        "victim_policy=Victim()",
        "victim_policy=object",
        "victim_policy=lambda: None",
        "victim_policy='greedy'",
        "fabric_model=Fabric((2, 2))",
        "fabric_model=object",
        "fabric_model=lambda settings: None",
        "fabric_model=lambda: Fabric((2, 2))",
        "fabric_model='bus'",
        "victim_policy=Fabric, fabric_model=Victim",
    ),
}


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a victim policy and a fabric with one or two wrong parts."""
    parts = dict(_USUAL)
    for _ in range(draw.randint(1, 2)):
        part = draw.choice(sorted(_WRONG))
        parts[part] = draw.choice(_WRONG[part])
    return Case(script=_SCRIPT.format(**parts))
