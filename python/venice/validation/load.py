"""Loads of measured points: streams of requests side by side on a drive in a known condition."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from venice.text.units import size_text

Operation: TypeAlias = Literal["read", "write", "append"]
"""Operations of measured rows; an append to a zone is asked as a write in sequence."""
OPERATIONS: tuple[Operation, ...] = ("read", "write", "append")
Condition: TypeAlias = Literal["written", "filled", "steady"]
"""Data of a drive before a measurement: read as written, written once in order, overwritten at
random until garbage collection has settled."""


class Stream(NamedTuple):
    """Requests of equal jobs, each with a queue of its own."""

    read_pct: float
    is_random: bool
    size_bytes: int
    depth: int
    jobs: int = 1
    iops: float | None = None
    """Rate of all jobs together; ``None`` for a closed loop."""
    is_poisson: bool = False
    zipf: float | None = None
    """Exponent of the addresses' popularity; ``None`` for uniform addresses."""
    region_pct: float = 100.0
    """Share of the scene's data, from its first address on, that is accessed."""

    @property
    def outstanding(self) -> int:
        """Largest number of outstanding requests."""
        return self.depth * self.jobs

    def __str__(self) -> str:
        """Return the stream as fio words it, such as ``4 KiB randread, 1 x 32``."""
        kind = {100.0: "read", 0.0: "write"}.get(self.read_pct, f"rw {self.read_pct:g} %")
        rate = "" if self.iops is None else f", {self.iops:,.0f}/s"
        law = "" if self.zipf is None else f", zipf {self.zipf:g}"
        law += "" if self.region_pct == 100 else f", {self.region_pct:.3g} % of the data"  # noqa: PLR2004 percent
        random = "rand" if self.is_random else "seq "
        size = size_text(self.size_bytes)
        return f"{size} {random}{kind}, {self.jobs} x {self.depth}{rate}{law}"


class Scene(NamedTuple):
    """Streams side by side, and the condition of the drive: one run serves all rows of a scene."""

    streams: tuple[Stream, ...]
    condition: Condition = "written"
    used_pct: float = 100.0
    """Share of the capacity that holds data."""

    @property
    def writes(self) -> bool:
        """True if a stream writes."""
        return any(stream.read_pct < 100 for stream in self.streams)  # noqa: PLR2004 percent

    def __str__(self) -> str:
        used = "" if self.used_pct == 100 else f", {self.used_pct:.3g} % of the drive"  # noqa: PLR2004 percent
        return " + ".join(map(str, self.streams)) + used


class Load(NamedTuple):
    """A scene and the stream of it whose figures were measured."""

    scene: Scene
    measured: int = 0

    @property
    def stream(self) -> Stream:
        """The measured stream."""
        return self.scene.streams[self.measured]
