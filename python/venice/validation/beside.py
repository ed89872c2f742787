"""Parser of the column ``rwmix``, which describes the load next to the measured requests.

Terms are joined by `` + ``:

| words | meaning |
| --- | --- |
| ``r70`` | one stream of 70 % reads |
| ``rate 5000/s poisson`` | arrivals of the measured stream, in place of a closed loop |
| ``beside randread 4k qd2`` | a closed loop of another job |
| ``beside randwrite 4k qd64 30000/s poisson`` | a job of limited rate; ``poisson`` is optional |
| ``beside write 128k 250 MiB/s`` | likewise, in bytes; 0 is none |
| ``w99 open loop 30000/s + probe 5k reads/s 5k writes/s`` | Poisson arrivals, measured by a probe |
"""

from __future__ import annotations

import re
from typing import NamedTuple

from venice.validation.load import Load, Stream

_MIX = re.compile(r"r(?P<read>\d+(?:\.\d+)?)")
_RATE = re.compile(r"rate (?P<rate>\d+(?:\.\d+)?)/s(?P<poisson> poisson)?")
_BESIDE = re.compile(
    r"beside (?P<rw>(?:rand)?(?:read|write)|append)(?: (?P<size>\d+(?:\.\d+)?)k)?"
    r"(?: qd(?P<depth>\d+))?(?: x(?P<jobs>\d+))?"
    r"(?: (?P<rate>\d+(?:\.\d+)?)(?P<unit> MiB/s|/s)(?P<poisson> poisson)?)?"
    r"(?: (?:own|same) cpu)?"
)
_OPEN = re.compile(
    r"w(?P<write>\d+) open loop (?P<offered>\d+)/s \+ "
    r"probe (?P<reads>\d+)k reads/s (?P<writes>\d+)k writes/s"
)
UNSTATED_DEPTH = re.compile(" qdNone")
"""Words for a job without a stated depth, which is fio's default, 1; each job has its own row."""
_STEP = 10.0
"""Granularity to which offered rates are rounded [requests/s]; data sets distinguish repetitions by
single requests per second."""
_THREAD_DEPTH = 64
"""Number of outstanding requests of each thread of an open loop (SSD-iq)."""


class Beside(NamedTuple):
    """Load that the column ``rwmix`` describes."""

    read_pct: float | None = None
    """Share of reads in the measured stream; ``None`` if it has only the row's operation."""
    others: tuple[Stream, ...] = ()
    probe_iops: tuple[float, float] | None = None
    """Rates of the reads and the writes of a probe [requests/s]."""
    iops: float | None = None
    """Arrival rate of the measured stream [requests/s]; ``None`` for a closed loop."""
    is_poisson: bool = False


def parse_beside(words: str, size_bytes: int, threads: int) -> Beside | None:
    """Parse the load concurrent with the measured requests; ``None`` if it is unknown.

    Parameters
    ----------
    words
        Text of the column.
    size_bytes
        Request size of the measured stream, for jobs that do not state their own.
    threads
        Number of jobs, of which one is the probe of an open loop.

    Examples
    --------
    >>> parse_beside("r70", 4096, 1).read_pct
    70.0
    >>> str(parse_beside("beside write 128k 250 MiB/s", 4096, 1).others[0])
    '128 KiB seq write, 1 x 1, 2,000/s'
    >>> parse_beside("beside something", 4096, 1)
    """
    words = UNSTATED_DEPTH.sub(" qd1", words.strip()).replace("+write qd", " + beside write qd")
    if found := _OPEN.fullmatch(words):
        return _open_loop(found, size_bytes, threads)
    beside = Beside()
    for term in words.split(" + ") if words else ():
        if found := _MIX.fullmatch(term):
            beside = beside._replace(read_pct=float(found["read"]))
        elif found := _RATE.fullmatch(term):
            is_poisson = found["poisson"] is not None
            beside = beside._replace(iops=float(found["rate"]), is_poisson=is_poisson)
        elif found := _BESIDE.fullmatch(term):
            beside = beside._replace(others=(*beside.others, *_other(found, size_bytes)))
        else:
            return None
    return beside


def _other(found: re.Match[str], size_bytes: int) -> tuple[Stream, ...]:
    size = int(float(found["size"]) * 1024) if found["size"] else size_bytes
    rate = None if found["rate"] is None else float(found["rate"])
    if rate == 0:
        return ()
    if rate is not None and found["unit"] == " MiB/s":
        rate *= 2**20 / size
    rw = found["rw"]
    return (
        Stream(
            100.0 if rw.endswith("read") else 0.0,
            rw.startswith("rand"),
            size,
            int(found["depth"] or 1),
            int(found["jobs"] or 1),
            iops=rate,
            is_poisson=found["poisson"] is not None,
        ),
    )


def words_of(load: Load) -> str | None:
    """Return the text of the column ``rwmix`` for a load; ``None`` if there is none.

    Examples
    --------
    >>> from venice.validation.load import Scene
    >>> mixed = Stream(70.0, True, 4096, 8)
    >>> words_of(Load(Scene((mixed,))))
    'r70'
    """
    own = load.stream
    if any(stream.weight is not None for stream in load.scene.streams):
        return None
    terms = [] if own.read_pct in (0.0, 100.0) else [f"r{own.read_pct:g}"]
    if own.iops is not None:
        terms.append(f"rate {_rate(own)}")
    for place, other in enumerate(load.scene.streams):
        if place == load.measured:
            continue
        if other.read_pct not in (0.0, 100.0) or other.zipf is not None:
            return None
        kind = f"{'rand' if other.is_random else ''}{'read' if other.read_pct else 'write'}"
        jobs = f" x{other.jobs}" if other.jobs > 1 else ""
        rate = "" if other.iops is None else f" {_rate(other)}"
        terms.append(f"beside {kind} {other.size_bytes / 1024:g}k qd{other.depth}{jobs}{rate}")
    return None if own.zipf is not None else " + ".join(terms)


def _rate(stream: Stream) -> str:
    return f"{stream.iops:.6g}/s{' poisson' if stream.is_poisson else ''}"


def _open_loop(found: re.Match[str], size_bytes: int, threads: int) -> Beside:
    """Return the background load of an open loop; its rate includes the probe's writes."""
    reads, writes = (1000.0 * float(found[name]) for name in ("reads", "writes"))
    offered = round(float(found["offered"]) / _STEP) * _STEP - writes
    read_pct = 100 - float(found["write"])
    jobs = max(threads - 1, 1)
    background = Stream(read_pct, True, size_bytes, _THREAD_DEPTH, jobs, offered, True)
    return Beside(others=(background,) if offered > 0 else (), probe_iops=(reads, writes))
