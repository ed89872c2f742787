"""Measurements as CSV: a row for each operation of each setting.

Columns: ``drive``, ``op``, ``pattern``, ``bs`` (bytes), ``qd`` (of each job), ``jobs``, ``rwmix``
(:mod:`venice.validation.beside`), ``preconditioned``, ``iops``, ``mean_us`` (total latency),
``p50_us``, ``p99_us``, ``p999_us``, ``source_file``; optionally the host's processor time
(:mod:`venice.validation.host_rules`) and I/O scheduler (:mod:`venice.validation.kyber`). An empty
cell is unknown.

A file with a column ``write_iops`` contains series of random writes over time
(:mod:`venice.validation.write_series`).
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, NamedTuple

from venice.validation.beside import UNSTATED_DEPTH, parse_beside
from venice.validation.cells import number_in, whole_in
from venice.validation.halves import mark_of
from venice.validation.host_rules import host_of, host_rules
from venice.validation.kyber import kyber_of
from venice.validation.load import OPERATIONS, Load, Scene, Stream
from venice.validation.rows import DataError, Figures, Row, Source
from venice.validation.write_series import rows_of_series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from venice.validation.beside import Beside
    from venice.validation.host_rules import HostRule
    from venice.validation.load import Condition, Operation

    Cells = Mapping[str, str]

_NEEDED = ("op", "bs", "qd", "jobs", "iops", "mean_us")
_PROBE_DEPTH = 64
"""Number of outstanding requests of a probe of an open loop (SSD-iq)."""
_LIMITED = 0.7
"""Mean share of a queue's depth in use, below which the job must have been rate-limited."""
_UNIT_BYTES = 4096
_RATIO = re.compile(
    r"(?:^|/)(?P<name>\w*(?:read|write|append)\w*?_(?P<writes>\d+)(?:_[a-z]+)?_(?P<reads>\d+)_[a-z_]+)"
    r"/(?P<size>\d+)bs(?:/|$)"
)
"""Regular expression for the shares of writes and reads in the name of a run (NVMeBenchmarks)."""
_OPTIMAL = re.compile(r"_opt(?:ap)?_")
"""Regular expression for the name of a run whose writes have the size with the highest rate."""
_OPTIMAL_BYTES = 8192
"""Size of the writes of these runs, as in their rows of writes [bytes]. The size in the name of a
run is that of its reads."""


class _Weights(NamedTuple):
    """Weights of reads and writes, which jobs of fio keep in this proportion (``flow``)."""

    reads: int
    writes: int
    write_bytes: int

    def apply_to(self, stream: Stream) -> Stream:
        """Return a stream with its weight."""
        return stream._replace(weight=self.reads if stream.read_pct > 0 else self.writes)

    def apply_with_size(self, stream: Stream) -> Stream:
        """Return a concurrent stream, whose row states no size, with its weight and size."""
        size_bytes = _UNIT_BYTES if stream.read_pct > 0 else self.write_bytes
        return self.apply_to(stream)._replace(size_bytes=size_bytes)


def read_csv(path: Path) -> list[Row]:
    """Return the rows of a file of measurements; none if the file is of another kind.

    Raises
    ------
    DataError
        If the value of a cell is invalid for its column.
    """
    columns, lines = _lines(path)
    if "write_iops" in columns:
        return rows_of_series(path.name, lines)
    if not set(_NEEDED) <= set(columns):
        return []
    partners = _partners([cells for _, cells in lines])
    rules = host_rules(path.parent)
    return [_row(path, line, cells, partners, rules) for line, cells in lines]


def _lines(path: Path) -> tuple[Sequence[str], list[tuple[int, Cells]]]:
    """Return the columns of a CSV file, and its rows with their line numbers.

    Raises
    ------
    DataError
        If the file is not CSV.
    """
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, restval="")
        try:
            return reader.fieldnames or (), [(reader.line_num, cells) for cells in reader]
        except csv.Error as error:
            raise DataError(f"{path}, line {reader.line_num}: {error}; expected: CSV") from None


def _partners(lines: Sequence[Cells]) -> dict[tuple[str, str], list[Cells]]:
    """Return the rows of each run, that is, the rows with the same drive and source."""
    runs: dict[tuple[str, str], list[Cells]] = {}
    for cells in lines:
        runs.setdefault(_run_of(cells), []).append(cells)
    return runs


def _run_of(cells: Cells) -> tuple[str, str]:
    return cells.get("drive") or "", cells.get("source_file") or ""


def _row(
    path: Path,
    line: int,
    cells: Cells,
    partners: Mapping[tuple[str, str], Sequence[Cells]],
    rules: Sequence[HostRule],
) -> Row:
    operation = next((one for one in OPERATIONS if one == cells["op"]), None)
    if operation is None:
        raise DataError(f"{path}, line {line}: `op` is {cells['op']!r}; expected: read or write")
    try:
        figures = _figures(cells)
        others = [one for one in partners[_run_of(cells)] if one is not cells]
        load = _load(cells, operation, figures, others)
        if isinstance(load, Load):
            load = _on_host(load, cells, rules)
    except ValueError as error:
        raise DataError(f"{path}, line {line}: {error}") from None
    source = Source(path.name, line, cells.get("source_file") or "")
    return Row(cells.get("drive") or "", operation, load, figures, source)


def _figures(cells: Cells) -> Figures:
    return Figures(
        mean_us=number_in(cells, "mean_us"),
        p50_us=number_in(cells, "p50_us"),
        p99_us=number_in(cells, "p99_us"),
        p999_us=number_in(cells, "p999_us"),
        iops=number_in(cells, "iops"),
        write_amplification=number_in(cells, "wa"),
    )


def _load(
    cells: Cells, operation: Operation, figures: Figures, others: Sequence[Cells]
) -> Load | str:
    words = cells.get("rwmix") or ""
    if UNSTATED_DEPTH.search(words):
        cells = {**cells, "qd": cells["qd"] or "1", "jobs": "1"}
    size, jobs = whole_in(cells, "bs"), whole_in(cells, "jobs") if cells["jobs"] else 1
    beside = parse_beside(words, size, jobs)
    if beside is None:
        return f"unknown load `{words.strip()}`"
    if reason := _reason_against(cells, figures, beside):
        return reason
    condition = _condition(cells.get("preconditioned") or "")
    if beside.probe_iops is not None:
        return Load(Scene((_probe(size, *beside.probe_iops), *beside.others), condition))
    alone = 100.0 if operation == "read" else 0.0
    read_pct = alone if beside.read_pct is None else beside.read_pct
    own = Stream(
        read_pct,
        cells.get("pattern") != "seq",
        size,
        whole_in(cells, "qd"),
        jobs,
        iops=beside.iops,
        is_poisson=beside.is_poisson,
    )
    if not beside.others:
        return Load(Scene((own,), condition))
    weights = _weights(cells)
    if weights and all(one.iops is None for one in beside.others):
        streams = [weights.apply_to(own), *map(weights.apply_with_size, beside.others)]
    else:
        known = (_known(one, others) or one for one in beside.others)
        streams = [_limited(own, figures), *known]
    ordered = tuple(sorted(streams, key=mark_of))
    return Load(Scene(ordered, condition), ordered.index(streams[0]))


def _on_host(load: Load, cells: Cells, rules: Sequence[HostRule]) -> Load:
    """Return the load with the host of its row."""
    streams = load.scene.streams
    jobs = sum(stream.jobs for stream in streams)
    host = host_of(cells, max(stream.depth for stream in streams), jobs, rules)
    kyber = kyber_of(cells.get("scheduler") or "")
    host = host._replace(kyber=kyber) if kyber else host._replace(wake_ns=0.0, dispatch_ns=0.0)
    return load._replace(scene=load.scene._replace(host=host))


def _reason_against(cells: Cells, figures: Figures, beside: Beside) -> str:
    """Return why a drive cannot simulate a row; empty if the drive can."""
    if not figures.mean_us:
        return "no mean latency"
    return "unknown queue depth" if not cells["qd"] and beside.probe_iops is None else ""


def _probe(size: int, reads: float, writes: float) -> Stream:
    """Return the requests of a probe, which issues reads and writes from one thread."""
    both = reads + writes
    return Stream(reads * 100 / both, True, size, _PROBE_DEPTH, 1, both, True)


def _limited(stream: Stream, figures: Figures) -> Stream:
    """Return the stream, with its measured rate if its queue was not full, by Little's law."""
    if not figures.iops or not figures.mean_us or stream.iops is not None:
        return stream
    occupied = figures.iops * figures.mean_us * 1e-6 / stream.outstanding
    return stream._replace(iops=_rounded(figures.iops)) if occupied < _LIMITED else stream


def _known(stream: Stream, others: Sequence[Cells]) -> Stream | None:
    """Return the concurrent stream of a row, determined from the other row of the same run."""
    is_read = stream.read_pct > 0
    for cells in others:
        if (cells["op"] == "read") == is_read and (cells["qd"] or "1") == str(stream.depth):
            size = whole_in(cells, "bs")
            return _limited(stream._replace(size_bytes=size), _figures(cells))
    return None


def _weights(cells: Cells) -> _Weights | None:
    """Return the weights that the name of a run states; ``None`` if it states none.

    The name ``read_write_10_90_adjacent/8192bs`` means 10 % writes of 8 KiB and 90 % reads of 4
    KiB. In ``append_read_10_opt_90_adjacent/4096bs``, writes also have 8 KiB.
    """
    found = _RATIO.search(cells.get("source_file") or "")
    if not found:
        return None
    reads, writes, size = (int(found[name]) for name in ("reads", "writes", "size"))
    write_bytes = _OPTIMAL_BYTES if _OPTIMAL.search(found["name"]) else size
    return _Weights(reads, writes, write_bytes) if reads and writes else None


def _rounded(rate: float) -> float:
    """Round a measured rate to two digits, so that repetitions of a run have equal loads."""
    return float(f"{rate:.2g}")


def _condition(words: str) -> Condition:
    """Return the condition of the drive that a data set describes in words.

    Examples
    --------
    >>> [_condition(words) for words in ("no", "4x filled", "seq fill 1x+4K rand 2x")]
    ['written', 'filled', 'steady']
    """
    if "rand" in words:
        return "steady"
    return "filled" if "fill" in words else "written"
