"""Validation of simulated drives against measurements."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from venice.options.drives import drive_of
from venice.validation.csv_rows import read_csv
from venice.validation.fio_logs import read_logs
from venice.validation.fio_rows import read_fio_json
from venice.validation.halves import halves_of
from venice.validation.load import Load, fault_of
from venice.validation.rows import DataError
from venice.validation.simulation import rates_of, simulate
from venice.validation.verdict import Point, Validation, refusals_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from venice.options.run_options import RunOptions
    from venice.validation.halves import Half
    from venice.validation.load import Operation
    from venice.validation.rows import Row


class Selection(NamedTuple):
    """Rows to validate, selected by operation and by half; ``None`` selects all."""

    operation: Operation | None = None
    half: Half | None = None


def read_data(folder: str | PathLike[str]) -> list[Row]:
    """Return the measurements in a folder: CSV, fio's JSON output and its latency logs.

    Raises
    ------
    DataError
        If the folder does not exist, contains no measurements, or a file cannot be read.
    """
    home = Path(folder)
    if not home.is_dir():
        raise DataError(
            f"{home}: is not a folder; expected: a folder of measurements; check the path"
        )
    files = sorted(path for path in home.rglob("*") if path.is_file())
    rows = [row for path in files for row in _rows_of(path)]
    with _named(home):
        rows += read_logs([path for path in files if path.suffix == ".log"])
    if not rows:
        raise DataError(
            f"{home}: holds no measurements; expected: CSV with the columns op, bs, qd, jobs, "
            "iops, mean_us, or fio's JSON output"
        )
    return [_checked(row) for row in rows]


def _rows_of(path: Path) -> list[Row]:
    with _named(path):
        if path.suffix == ".csv":
            return read_csv(path)
        if path.suffix in (".json", ".txt"):
            return read_fio_json(path)
    return []


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Add the path to the error if a file cannot be read."""
    try:
        yield
    except UnicodeDecodeError:
        raise DataError(f"{path}: is not a text file; expected: UTF-8") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def _checked(row: Row) -> Row:
    """Return the row; a load that a drive cannot simulate is replaced by the reason."""
    if isinstance(row.load, str):
        return row
    faults = filter(None, map(fault_of, row.load.scene.streams))
    fault = next(faults, "" if row.figures.mean_us else "no mean latency")
    return row._replace(load=fault) if fault else row


def names_of(options: RunOptions) -> tuple[str, list[str]]:
    """Return a drive's name and the names of the measured drives that it describes."""
    config = json.loads(drive_of(options).to_json())
    return config["name"], list(config.get("measured_as") or [config["name"]])


def rows_for(rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Return the rows of the named drives, and rows that do not state a drive.

    Raises
    ------
    DataError
        If no row belongs to the named drives.
    """
    found = [row for row in rows if not row.drive or row.drive in names]
    if not found:
        there = ", ".join(sorted({row.drive for row in rows}))
        raise DataError(
            f"no measurements of {', '.join(names)}; expected: `measured_as` of the drive with one "
            f"of {there}"
        )
    return found


def validate_drive(
    options: RunOptions,
    rows: Sequence[Row],
    selection: Selection = Selection(),  # noqa: B008 immutable
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Validation:
    """Simulate the load of each measured row on a drive, and compare the figures.

    Parameters
    ----------
    options
        Drive and its settings.
    rows
        Measured rows; rows of other drives are ignored.
    selection
        Operation and half of the rows to validate.
    workers
        Parallel runs [default: one per processor].
    progress
        Function called with the number of finished runs and the number of all runs.
    """
    name, names = names_of(options)
    own = rows_for(rows, names)
    halves = halves_of(row.load.scene for row in own if isinstance(row.load, Load))
    asked = [row for row in own if selection.operation in (None, row.operation)]
    refused = [(row, row.load) for row in asked if isinstance(row.load, str)]
    chosen = [
        (row, row.load)
        for row in asked
        if isinstance(row.load, Load) and selection.half in (None, halves[row.load.scene])
    ]
    scenes = rates_of((load, row.figures) for row, load in chosen)
    results = simulate(options, scenes, workers=workers, progress=progress)
    points = []
    for row, load in chosen:
        result = results[load.scene]
        simulated = result.of(load, row.operation)
        if simulated is None:
            refused.append((row, result.refusal or "no such request in the run"))
        else:
            points.append(Point(row, halves[load.scene], simulated, is_steady=result.is_steady))
    return Validation(name, names, points, refusals_of(refused))
