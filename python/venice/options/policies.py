"""Victim policies and fabrics written in Python.

A policy is a class, or a function that returns an object; each run makes a new one::

    import venice

    class FewestValid:
        def choose(self, candidates, must):
            return min(candidates, key=lambda block: block.valid).index

    report = venice.run(workload="random-write", victim_policy=FewestValid)

A fabric receives the size of the array::

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

Each replaces the policy of the drive. docs/guide/own-policies.md has the measured time of a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice._native import CandidateBlock, OfferedTransfer


class VictimPolicy(Protocol):
    """Interface of a victim policy."""

    def choose(self, candidates: Sequence[CandidateBlock], must: bool, /) -> int | None:
        """Return the `index` of the block to collect; ``None`` to collect none now.

        The candidates are the full blocks of one plane with an invalid page, by ascending index;
        there may be none. If `must` is true and there is a candidate, one must be chosen.
        """


class FabricSettings(NamedTuple):
    """Settings of a fabric."""

    rows: int
    """Rows of chips; each has a flash controller."""
    columns: int
    """Chips of a row."""


class FabricModel(Protocol):
    """Interface of a fabric.

    Three further members are optional. ``ended(transfer: OfferedTransfer, now_us: float)`` is
    called at the end of a transfer. ``domains() -> list[tuple[int, int]]`` returns the first chip
    and the end of each group of consecutive chips that compete for the same paths [default: all
    chips]; smaller groups are faster. ``paths``, the number of paths, is for figures of
    utilisation.
    """

    def offer(
        self, transfer: OfferedTransfer, now_us: float, /
    ) -> float | tuple[float, int] | None:
        """Return the simulated time at which the transfer ends [µs]; ``None`` to refuse it.

        A refused transfer is offered again when another one of its domain has ended. On an idle
        fabric, no transfer is refused. With `paths`, the number of the path may follow the time.
        """


__all__ = ["FabricModel", "FabricSettings", "VictimPolicy"]
