"""Untimed model of a page-mapped drive with one plane, independent of the engine.

It counts programs, with one write frontier or with two. A plane collects:

- at a threshold of two free blocks, when the host's block is full and only one block is free,
  which is collection's;
- at a higher one, when fewer blocks than that are free and the invalid pages would make up what is
  missing; otherwise as above.

With two frontiers collection fills blocks of its own, and repeats until the host has a block. Only
in a plane with fewer than three blocks to spare does the host fill what is left of collection's
block. With one frontier it always does.

Sources: Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012; Van Houdt,
"Performance of garbage collection algorithms for flash-based solid state drives with hot/cold
data", Performance Evaluation 70 (2013), for two frontiers.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True)
class Plane:
    """Shape of a plane."""

    blocks: int
    pages: int
    logical: int
    threshold: int
    frontiers: int = 2
    victim: str = "greedy"


class PageMapped:
    """A plane with its blocks and mapping."""

    def __init__(self, plane: Plane) -> None:
        """Create an erased plane."""
        self.plane = plane
        self.where: dict[int, tuple[int, int]] = {}
        self.held: list[dict[int, int]] = [{} for _ in range(plane.blocks)]
        self.free = list(range(plane.blocks))
        self.full: dict[int, None] = {}
        self.open: dict[str, list[int] | None] = {"host": None, "collection": None}
        self.programs = 0

    def write(self, page: int) -> None:
        """Write a page of the host, with the resulting garbage collection."""
        own = self.open["host"] or len(self.free) > 1
        self.put(page, "host" if own else "collection")
        while self.is_due():
            self.collect()

    def trim(self, page: int) -> None:
        """Deallocate a page, and perform the resulting garbage collections."""
        if page in self.where:
            block, offset = self.where.pop(page)
            del self.held[block][offset]
        while self.is_due():
            self.collect()

    def is_due(self) -> bool:
        """Return true if a block is due for garbage collection."""
        missing = self.plane.threshold - len(self.free)
        within_reach = self.invalid() // self.plane.pages >= missing
        return not self.room() or (len(self.free) > 1 and missing > 0 and within_reach)

    def room(self) -> bool:
        """Return true if the host has a free page."""
        if self.open["host"] or len(self.free) > 1:
            return True
        shared = self.open["collection"]
        return shared is not None and (
            self.plane.frontiers == 1 or not self.has_three_to_spare(shared)
        )

    def has_three_to_spare(self, shared: list[int]) -> bool:
        """Return true if three blocks are free or can be freed, without the open block."""
        room = self.plane.pages - shared[1] + len(self.free) * self.plane.pages
        useless = shared[1] - len(self.held[shared[0]])
        return room + self.invalid() - useless >= 3 * self.plane.pages

    def invalid(self) -> int:
        """Return the number of invalid pages."""
        opened = (block for block in self.open.values() if block)
        written = len(self.full) * self.plane.pages + sum(block[1] for block in opened)
        return written - len(self.where)

    def put(self, page: int, frontier: str) -> None:
        """Program a page."""
        block = self.open[frontier] or [self.free.pop(0), 0]
        if page in self.where:
            old, offset = self.where[page]
            del self.held[old][offset]
        self.where[page] = (block[0], block[1])
        self.held[block[0]][block[1]] = page
        block[1] += 1
        self.programs += 1
        is_full = block[1] == self.plane.pages
        self.open[frontier] = None if is_full else block
        if is_full:
            self.full[block[0]] = None

    def collect(self) -> None:
        """Move the valid pages of the next victim and erase it."""
        pages = self.plane.pages
        candidates = [block for block in self.full if len(self.held[block]) < pages]
        victim = candidates[0]
        if self.plane.victim == "greedy":
            # The block that became full first, among equally good ones.
            victim = min(candidates, key=lambda block: len(self.held[block]))
        for page in list(self.held[victim].values()):
            self.put(page, "collection")
        del self.full[victim]
        self.free.append(victim)


def uniform(logical: int, chance: random.Random) -> Callable[[], int]:
    """Return a source of uniformly distributed pages."""
    return lambda: chance.randrange(logical)


def hot_cold(logical: int, chance: random.Random) -> Callable[[], int]:
    """Return a source of pages in which a fifth of the pages receives four fifths of the writes."""
    hot = logical // 5
    return lambda: (
        chance.randrange(hot) if chance.random() < 0.8 else chance.randrange(hot, logical)
    )


def zipf(logical: int, chance: random.Random) -> Callable[[], int]:
    """Return a source of Zipf-distributed pages (exponent 0.99), in random order."""
    sums = list(accumulate((rank + 1) ** -0.99 for rank in range(logical)))
    order = chance.sample(range(logical), logical)
    return lambda: chance.choices(order, cum_weights=sums)[0]


WRITES = {"uniform": uniform, "hot_cold": hot_cold, "zipf": zipf}


def pages_written(kind: str, logical: int, turns: int, seed: int) -> list[int]:
    """Return every page once, in order, and then random pages by `kind`."""
    draw = WRITES[kind](logical, random.Random(seed))
    return [*range(logical), *(draw() for _ in range(turns * logical))]


def programs(plane: Plane, pages: Iterable[int], after: int) -> int:
    """Return the programs of those writes that follow the first `after` ones."""
    drive, before = PageMapped(plane), 0
    for writes, page in enumerate(pages, 1):
        drive.write(page)
        if writes == after:
            before = drive.programs
    return drive.programs - before


def share_in_use(trimmed: float) -> float:
    """Return the share of pages with data where this share of the requests trims a page with data.

    The other requests write any page. A trim takes one page of data away; a write adds one if its
    page has none. In balance ``q = (1 - q)(1 - x)``.
    """
    return (1 - 2 * trimmed) / (1 - trimmed)


def trimmed_requests(logical: int, trimmed: float, turns: int, seed: int) -> list[tuple[str, int]]:
    """Return a write of every page, then writes of any page and trims of pages with data."""
    chance = random.Random(seed)
    requests = [("write", page) for page in range(logical)]
    live, place = list(range(logical)), {page: page for page in range(logical)}
    for _ in range(turns * logical):
        if live and chance.random() < trimmed:
            page = live[chance.randrange(len(live))]
            last = live.pop()
            if last != page:
                live[place[page]], place[last] = last, place[page]
            del place[page]
            requests.append(("trim", page))
        else:
            page = chance.randrange(logical)
            if page not in place:
                place[page] = len(live)
                live.append(page)
            requests.append(("write", page))
    return requests


def work(
    plane: Plane, requests: Iterable[tuple[str, int]], after: int
) -> tuple[int, int, float, int]:
    """Return the work after the first `after` requests, and the use of the drive.

    The work is the number of programs and of writes; the use is the mean share of pages with data,
    and their number at the end.
    """
    drive, before, writes, in_use = PageMapped(plane), 0, 0, []
    for number, (operation, page) in enumerate(requests, 1):
        (drive.write if operation == "write" else drive.trim)(page)
        if number == after:
            before = drive.programs
        elif number > after:
            writes += operation == "write"
            in_use.append(len(drive.where) / plane.logical)
    share = sum(in_use) / len(in_use)
    return drive.programs - before, writes, share, len(drive.where)


def fifo_amplification(spare: float) -> float:
    """Return the closed form of FIFO, for raw pages of `spare` times the pages with data.

    Desnoyers, SYSTOR 2012: a share ``u = exp(-spare (1 - u))`` of a victim is valid.
    """
    valid = 0.0
    for _ in range(10_000):
        valid = math.exp(-spare * (1 - valid))
    return 1 / (1 - valid)
