"""Victim policies and fabrics written in Python.

A policy is a class, or a function that returns an object. Each run creates a new one::

    import venice

    class FewestValid:
        def choose(self, candidates, must):
            return min(candidates, key=lambda block: block.valid).index

    report = venice.run(workload="random-write", victim_policy=FewestValid)

A fabric is created with the size of the array::

    class TwoBuses:
        def __init__(self, settings):
            self.free = [[0, 1] for _ in range(settings.rows)]
            self.uses = {}

        def offer(self, transfer, now_us):
            if not self.free[transfer.row]:
                return None
            self.uses[transfer.die] = self.free[transfer.row].pop()
            return now_us + transfer.channel_us

        def ended(self, transfer, now_us):
            self.free[transfer.row].append(self.uses.pop(transfer.die))

    report = venice.run(workload="random-read", fabric_model=TwoBuses)

Such a policy or fabric replaces the drive's own. The time of a call is in
docs/guide/own-policies.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice._native import CandidateBlock, OfferedTransfer


class VictimPolicy(Protocol):
    """Interface of a victim policy for garbage collection."""

    def choose(self, candidates: Sequence[CandidateBlock], must: bool, /) -> int | None:
        """Return the `index` of the block to collect; ``None`` to collect none now.

        The candidates are the full blocks of one plane that have an invalid page, by ascending
        index; there may be none. If `must` is true and there are candidates, one must be chosen.
        """


class FabricSettings(NamedTuple):
    """Size of the array of chips for a fabric written in Python."""

    rows: int
    """Number of rows of chips; each row has a flash controller."""
    columns: int
    """Number of chips in a row."""


class FabricModel(Protocol):
    """Interface of a fabric.

    Three further members are optional. ``ended(transfer: OfferedTransfer, now_us: float)`` is
    called at the end of a transfer. ``domains() -> list[tuple[int, int]]`` returns the first chip
    and the end of each group of consecutive chips that compete for the same paths [default: all
    chips]; smaller groups are faster. ``paths``, the number of paths, is needed for figures of path
    utilisation.
    """

    def offer(
        self, transfer: OfferedTransfer, now_us: float, /
    ) -> float | tuple[float, int] | None:
        """Return the simulated time at which the transfer ends [µs]; ``None`` to refuse it.

        A refused transfer is offered again when another transfer in its domain has ended. An idle
        fabric must not refuse a transfer. A fabric with `paths` may return a tuple of the time and
        the number of the path, which is busy until then. Transfers on one path may overlap.
        """


__all__ = ["FabricModel", "FabricSettings", "VictimPolicy"]
