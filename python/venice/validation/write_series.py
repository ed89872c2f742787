"""Series of writes over time, each of which counts as one measurement of its settled part."""

from __future__ import annotations

import re
from statistics import fmean
from typing import TYPE_CHECKING

from venice.validation.cells import number_in, whole_in
from venice.validation.load import Load, Scene, Stream
from venice.validation.rows import DataError, Figures, Row, Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Line = tuple[int, Mapping[str, str]]

_SETTLED = 1 / 3
"""Share of a series that is averaged, at its end."""
_GIGABYTES = re.compile(r"-(\d{3,5})(?=-|$)")
"""Regular expression for the capacity in a drive's name, in 10^9 bytes."""


def rows_of_series(file: str, lines: Sequence[Line]) -> list[Row]:
    """Return a row for each run in a file of series.

    Raises
    ------
    DataError
        If the value of a cell is invalid for its column.
    """
    runs: dict[tuple[str, ...], list[Line]] = {}
    keys = ("drive", "run", "source_file", "pattern", "details", "used_gib")
    for line in lines:
        runs.setdefault(tuple(line[1].get(key) or "" for key in keys), []).append(line)
    return [_row(file, run) for run in runs.values()]


def _row(file: str, run: Sequence[Line]) -> Row:
    settled = run[-max(1, round(len(run) * _SETTLED)) :]
    line, last = settled[-1]
    try:
        iops = _mean(settled, "write_iops")
        depth, jobs = whole_in(last, "qd"), whole_in(last, "jobs")
        figures = Figures(
            # Little's law in a closed loop.
            mean_us=None if not iops else depth * jobs / iops * 1e6,
            p50_us=_mean(settled, "w_p50_us"),
            p99_us=_mean(settled, "w_p99_us"),
            p999_us=_mean(settled, "w_p999_us"),
            iops=iops,
            write_amplification=_mean(settled, "wa"),
        )
        load = _load(last, depth, jobs)
    except KeyError as missing:
        raise DataError(f"{file}: has no column `{missing.args[0]}`") from None
    except (TypeError, ValueError) as error:
        raise DataError(f"{file}, line {line}: {error}") from None
    source = Source(file, line, f"{last.get('source_file', '')} {last.get('run', '')}".strip())
    return Row(last.get("drive") or "", "write", load, figures, source)


def _mean(lines: Sequence[Line], column: str) -> float | None:
    values = [number_in(cells, column) for _, cells in lines]
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _load(cells: Mapping[str, str], depth: int, jobs: int) -> Load | str:
    pattern, details = cells["pattern"], cells.get("details") or ""
    used = _used_pct(cells)
    zipf, region = None, 100.0
    if pattern.startswith("zones"):
        found = re.fullmatch(r"s[\d.]+ f0 s([\d.]+) f1", details)
        if found is None:
            return "several zones with rates of their own"
        region = 100 * float(found[1])
    elif pattern.startswith("zipf"):
        zipf = float(details)
    elif pattern not in ("uniform", "sequential"):
        return f"unknown pattern `{pattern}`"
    is_random = pattern != "sequential"
    stream = Stream(
        0.0, is_random, whole_in(cells, "bs"), depth, jobs, zipf=zipf, region_pct=region
    )
    return Load(Scene((stream,), "steady" if is_random else "filled", round(used)))


def _used_pct(cells: Mapping[str, str]) -> float:
    """Return the used share of the capacity, which the drive's name states [%]."""
    found = _GIGABYTES.search(cells.get("drive") or "")
    used = cells.get("used_gib")
    if found is None or not used:
        return 100.0
    return min(100.0, 100 * float(used) * 2**30 / (float(found[1]) * 1e9))
