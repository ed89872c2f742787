"""Checks of a new drive file: its validity, and the figures that the drive cannot reach."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from venice._native import ConfigError, UsageError
from venice.options.drives import drive_of
from venice.options.run_options import RunOptions
from venice.sheet.new_drive import (
    CELLS,
    LEAST_AMPLIFICATION,
    Cells,
    DiesOfDrive,
    SheetValues,
    dies_of_drive,
    drive_file,
    least_latencies_us,
    random_write_iops_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

TOLERANCE = 0.05
"""Difference from the data sheet up to which random reads are not named."""
_LARGER = 1.1
"""Factor between the tried capacities, or rates, of a file that works."""
_MOST_TRIES = 120
"""Maximum number of tries, which cover a factor of 90,000."""
_REQUEST_BYTES = 4096
"""Length of the random requests of data sheets [bytes]."""
_LINK = "the host link, which `--sequential-read` sets"
_CONTROLLER = "the controller, which `--random-read` sets"


def checked_drive_file(name: str, cells: str, sheet: SheetValues) -> str:
    """Return the text of a drive file that the engine accepts.

    Raises
    ------
    UsageError
        If the engine refuses the file. The message names the figure to change.
    """
    text = drive_file(name, cells, sheet)
    reason = _refusal(text)
    if reason is None:
        return text
    raise UsageError(
        f"the figures of the data sheet give a drive that cannot work: {reason}; "
        f"expected: {_remedy(cells, sheet)}"
    )


def _refusal(text: str) -> str | None:
    """Return the first problem of a drive file; ``None`` if it is valid."""
    with TemporaryDirectory(prefix="venice-") as folder:
        file = Path(folder, "drive.toml")
        file.write_text(text, encoding="utf-8")
        try:
            drive_of(RunOptions(drive=str(file)))
        except ConfigError as error:
            return str(error).partition("\n")[0].removeprefix("error: ")
    return None


def _remedy(cells: str, sheet: SheetValues) -> str:
    """Return a text with the smallest change of a single figure that results in a valid drive."""
    changes = {"--capacity-gb": "capacity_gb", "--random-write": "random_write_iops"}
    for option, key in changes.items():
        least = _least(cells, sheet, key)
        if least is not None:
            given = f"{getattr(sheet, key):g}"
            return f"`{option}` of {least:g} or more (got {given}) with {cells.upper()} dies"
    return "other figures"


def _least(cells: str, sheet: SheetValues, key: str) -> float | None:
    """Return the smallest tried value, with two digits, that results in a valid drive."""
    value = getattr(sheet, key)
    for _ in range(_MOST_TRIES if value else 0):
        value *= _LARGER
        rounded = float(f"{value:.2g}")
        if _refusal(drive_file("tried", cells, sheet._replace(**{key: rounded}))) is None:
            return rounded
    return None


def unreachable_figures(cells: str, sheet: SheetValues) -> Iterator[str]:
    """Yield a text for each figure of the data sheet that the written drive cannot reach."""
    of, dies = CELLS[cells], dies_of_drive(cells, sheet)
    # The tightest limit of an option comes last.
    limits = sorted(_limits(of, dies, sheet), key=lambda limit: limit.most, reverse=True)
    for option, (_, stated, most, unit, why) in {limit.option: limit for limit in limits}.items():
        if stated is not None and stated > most:
            yield f"`{option}` {stated:,.0f} {unit}: at most {most:,.0f} {unit}, limited by {why}"
    read_us, write_us = least_latencies_us(of, sheet)
    for option, stated, least, why in (
        ("--read-us", sheet.random_read_us, read_us, "array, transfer, controller and link"),
        ("--write-us", sheet.random_write_us, write_us, "controller and link"),
    ):
        if stated is not None and stated < least:
            yield f"`{option}` {stated:g} µs: at least {least:.1f} µs for {why}"


def random_read_shortfall(text: str, sheet: SheetValues) -> str | None:
    """Simulate the random reads of a drive file; return a text if they are too slow.

    How many planes of a die one read command serves, and how long dies wait for their channel, have
    no closed form.
    """
    from venice.sheet.check import figures_of_loads  # noqa: PLC0415 other checks do without
    from venice.sheet.loads import DEEP, LOADS, RANDOM_READS  # noqa: PLC0415

    load = next(load for load in LOADS if (load.base, load.depth) == (RANDOM_READS, DEEP))
    with TemporaryDirectory(prefix="venice-") as folder:
        file = Path(folder, "drive.toml")
        file.write_text(text, encoding="utf-8")
        config = json.loads(drive_of(RunOptions(drive=str(file))).to_json())
        figure = figures_of_loads(str(file), config, [load], workers=1)[0]
    if figure.iops >= (1.0 - TOLERANCE) * sheet.random_read_iops:
        return None
    return (
        f"`--random-read` {sheet.random_read_iops:,.0f} IOPS: {figure.iops:,.0f} IOPS with {DEEP} "
        f"outstanding reads, limited by the {figure.bound}"
    )


class _Limit(NamedTuple):
    """Limit of a rate of the data sheet."""

    option: str
    stated: float | None
    most: float
    unit: str
    why: str


def _limits(of: Cells, dies: DiesOfDrive, sheet: SheetValues) -> Iterator[_Limit]:
    """Yield the limits of each rate of the data sheet."""
    link = sheet.sequential_read_mb_per_s
    array_mb_per_s = dies.planes * dies.page_bytes / of.t_read_us
    yield _Limit("--sequential-read", link, array_mb_per_s, "MB/s", "the dies' reads")
    channels = dies.channels * dies.channel_mb_per_s
    yield _Limit("--sequential-read", link, channels, "MB/s", "the channels")
    writes = sheet.sequential_write_mb_per_s
    yield _Limit("--sequential-write", writes, link, "MB/s", _LINK)
    yield _Limit("--sequential-write", writes, channels, "MB/s", "the channels")
    of_link = link * 1e6 / _REQUEST_BYTES
    reads = sheet.random_read_iops
    of_dies = dies.planes / of.t_read_us * 1e6
    yield _Limit("--random-read", reads, of_link, "IOPS", _LINK)
    yield _Limit("--random-read", reads, of_dies, "IOPS", "the dies' reads")
    random_writes = sheet.random_write_iops
    yield _Limit("--random-write", random_writes, of_link, "IOPS", _LINK)
    yield _Limit("--random-write", random_writes, reads, "IOPS", _CONTROLLER)
    most = random_write_iops_at(LEAST_AMPLIFICATION, sheet, of)
    yield _Limit("--random-write", random_writes, most, "IOPS", "garbage collection")
