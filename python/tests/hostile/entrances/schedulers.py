"""Host schedulers in Python that violate the rules of their interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..case import Case

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_SCRIPT = """import math
import venice

class Scheduler:
    def __init__(self):
        self.waiting = []
        self.calls = 0
        self.now = 0.0

    def add(self, request):
        {add}

    def next(self, now_us):
        self.now = now_us
        self.calls += 1
        {next}

    def wakes_at(self):
        {wakes_at}

    def woken(self, now_us):
        self.now = now_us
        {woken}

try:
    venice.run(
        workload="mixed-70-30",
        requests=30,
        sets=["host.scheduler.scheme=noop", "array.rows=2", "array.cols=2"],
        host_scheduler={scheduler},
    )
except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError, AttributeError):
    pass
"""
_USUAL = {
    "add": "self.waiting.append(request.id)",
    "next": "return self.waiting.pop(0) if self.waiting else None",
    "wakes_at": "return None",
    "woken": "pass",
    "scheduler": "Scheduler",
}
_WRONG = {
    "add": (
        "pass",
        "raise LookupError('no')",
        "self.waiting.append(request.id + 1)",
        "self.waiting += [request.id] * 2",
        "request.id = 3",
    ),
    "next": (
        "return None",
        "return self.waiting[0] if self.waiting else None",
        "return -1",
        "return 10**30",
        "return 'a'",
        "return 1.5",
        "return True",
        "return self.waiting",
        "raise LookupError('no')",
        "return self.next(now_us)",
        "return self.waiting.pop(0) if len(self.waiting) > 3 else None",
    ),
    "wakes_at": (
        "return math.inf",
        "return -math.inf",
        "return math.nan",
        "return -1.0",
        "return 0.0",
        "return self.now",
        "return self.now + 1e-9",
        "return self.now * (1 + 1e-12) + 1e-6",
        "return 1e300",
        "return 2.0**63",
        "return 10**400",
        "return 'soon'",
        "raise LookupError('no')",
    ),
    "woken": ("raise LookupError('no')", "return 5", "self.waiting.clear()"),
    "scheduler": (
        "Scheduler()",
        "None",
        "int",
        "lambda: None",
        "lambda: Scheduler",
        "'noop'",
        "object",
    ),
}


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a scheduler with one or two wrong methods."""
    parts = dict(_USUAL)
    for _ in range(draw.randint(1, 2)):
        part = draw.choice(sorted(_WRONG))
        parts[part] = draw.choice(_WRONG[part])
    return Case(script=_SCRIPT.format(**parts))
