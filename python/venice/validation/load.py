"""Loads of measured rows: concurrent streams of requests on a drive in a known condition."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from venice.text.units import size_text
from venice.validation.host import Host

Operation: TypeAlias = Literal["read", "write", "append"]
"""Operation of a measured row; appends to a zone are simulated as sequential writes."""
OPERATIONS: tuple[Operation, ...] = ("read", "write", "append")
Condition: TypeAlias = Literal["written", "filled", "steady"]
"""Condition of a drive before a measurement: written; written once in order (filled); or
overwritten at random until garbage collection has reached steady state (steady)."""


_SECTOR_BYTES = 512
_LARGEST_BYTES = 64 << 20
"""Largest request that the engine accepts [bytes]."""
_MOST_JOBS = 1024
"""Maximum number of equal jobs in the engine's fio files."""
_MOST_OUTSTANDING = 65_536
_LARGEST_RATE = 1e9
_LARGEST_EXPONENT = 5.0
"""Largest exponent of the engine's Zipf distribution."""

SHORTEST_PAUSE_US = 1
"""Shortest pause of a stream beyond its share [µs], for jobs that wait for their outstanding
requests, as jobs of fio with ``zonemode=zbd`` do."""


class Stream(NamedTuple):
    """Requests of equal jobs, each of which has its own queue."""

    read_pct: float
    is_random: bool
    size_bytes: int
    depth: int
    jobs: int = 1
    iops: float | None = None
    """Rate of all jobs together [requests/s]; ``None`` for a closed loop."""
    is_poisson: bool = False
    zipf: float | None = None
    """Zipf exponent of the distribution of addresses; ``None`` for uniform addresses."""
    region_pct: float = 100.0
    """Share of the scene's data that the stream accesses, from the first address on [%]."""
    weight: int | None = None
    """Weight in the requests of all streams with a weight (fio's ``flow``); ``None`` if the stream
    has none."""
    flow_pause_us: int = SHORTEST_PAUSE_US
    """Pause of a stream with a weight that is beyond its share [µs] (fio's ``flow_sleep``). With a
    pause, the stream first waits for its outstanding requests."""

    @property
    def outstanding(self) -> int:
        """Maximum number of outstanding requests of all jobs together."""
        return self.depth * self.jobs

    def __str__(self) -> str:
        """Return the stream as text, in fio's terms, such as ``4 KiB randread, 1 x 32``."""
        kind = {100.0: "read", 0.0: "write"}.get(self.read_pct, f"rw {self.read_pct:g} %")
        rate = "" if self.iops is None else f", {self.iops:,.0f}/s"
        law = "" if self.zipf is None else f", zipf {self.zipf:g}"
        law += "" if self.region_pct == 100 else f", {self.region_pct:.3g} % of the data"  # noqa: PLR2004 percent
        random = "rand" if self.is_random else "seq "
        share = "" if self.weight is None else f", weight {self.weight}"
        size = size_text(self.size_bytes)
        return f"{size} {random}{kind}, {self.jobs} x {self.depth}{rate}{law}{share}"


def fault_of(stream: Stream) -> str:
    """Return why a drive cannot simulate a stream; empty if it can.

    Examples
    --------
    >>> fault_of(Stream(100.0, True, 1000, 1)), fault_of(Stream(100.0, True, 4096, 1))
    ('request size of 1000 bytes', '')
    """
    size, rate = stream.size_bytes, stream.iops
    if not 0 < size <= _LARGEST_BYTES or size % _SECTOR_BYTES:
        return f"request size of {size} bytes"
    if stream.depth < 1 or not 1 <= stream.jobs <= _MOST_JOBS:
        return f"{stream.jobs} jobs of depth {stream.depth}"
    if stream.outstanding > _MOST_OUTSTANDING:
        return f"{stream.outstanding} outstanding requests"
    if rate is not None and not 0 < rate <= _LARGEST_RATE:
        return f"rate of {rate:g} requests a second"
    if not 0 <= stream.read_pct <= 100 or not 0 < stream.region_pct <= 100:  # noqa: PLR2004 percent
        return "share beyond 100 %"
    is_law = stream.zipf is None or 0 <= stream.zipf <= _LARGEST_EXPONENT
    return "" if is_law else f"zipf {stream.zipf:g}"


class Scene(NamedTuple):
    """Concurrent streams, and the condition of the drive; one run serves all rows of a scene."""

    streams: tuple[Stream, ...]
    condition: Condition = "written"
    used_pct: float = 100.0
    """Share of the capacity that contains data [%]."""
    host: Host = Host()

    @property
    def writes(self) -> bool:
        """True if a stream of the scene writes."""
        return any(stream.read_pct < 100 for stream in self.streams)  # noqa: PLR2004 percent

    @property
    def is_controlled(self) -> bool:
        """True if the host's I/O scheduler may limit the number of outstanding reads or writes.

        With requests of one kind, kyber does not reduce its depth: the 99th percentile of the total
        time misses the target whenever the 90th percentile of the time in the drive does.
        """
        reads = any(stream.read_pct > 0 for stream in self.streams)
        return self.host.kyber is not None and reads and self.writes

    def __str__(self) -> str:
        used = "" if self.used_pct == 100 else f", {self.used_pct:.3g} % of the drive"  # noqa: PLR2004 percent
        host = f", {self.host}" if str(self.host) else ""
        return " + ".join(map(str, self.streams)) + used + host


class Load(NamedTuple):
    """Concurrent streams (a scene), and the index of the stream whose figures were measured."""

    scene: Scene
    measured: int = 0

    @property
    def stream(self) -> Stream:
        """Stream whose figures were measured."""
        return self.scene.streams[self.measured]
