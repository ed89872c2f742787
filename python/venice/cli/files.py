"""Files that the value of an option refers to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from venice.options import named_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

STANDARD_STREAM = "-"
"""Value for standard input or output."""
STORE = ("results.sqlite", "results.sqlite-wal", "results.sqlite-shm")
"""File names of a database of results."""
TABLES = ("results.csv", "results.json", "front.csv")
"""Tables that a sweep or an exploration writes next to its database."""


def file_itself(path: str | Path, _: Mapping[str, Any]) -> Iterator[str | Path]:
    """Yield the value itself as a file."""
    if str(path) != STANDARD_STREAM:
        yield path


def each(paths: Sequence[str | Path], values: Mapping[str, Any]) -> Iterator[str | Path]:
    """Yield the files of a list."""
    for path in paths:
        yield from file_itself(path, values)


def of_drive(drive: str, _: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files of a drive, if the drive is not a preset."""
    return named_files.drive_files(drive)


def of_drives(drives: Sequence[str], values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files of drives, each optionally followed by a colon and fabrics."""
    for drive in drives:
        yield from of_drive(drive.partition(":")[0], values)


def of_settings(sets: Sequence[str], _: Mapping[str, Any]) -> Iterator[str]:
    """Yield the file of the flash chip, if a setting names one."""
    for setting in sets:
        key, _equals, value = setting.partition("=")
        if key.strip() == "chip":
            yield value.strip().strip("\"'")


def of_workload(workload: str, _: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files of a workload, if the workload is not built in."""
    return named_files.workload_files(workload)


def of_definition(path: Path, _: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files of a sweep or an exploration."""
    return named_files.definition_files(path)


def of_results(paths: Sequence[Path], _: Mapping[str, Any]) -> Iterator[str | Path]:
    """Yield the files of reports; for the folder or table of a sweep, all files of its database."""
    for path in paths:
        if path.is_dir():
            yield from in_folder(path)
        elif path.name in TABLES:
            yield from in_folder(path.parent)
        else:
            yield path


def in_folder(folder: str | Path) -> Iterator[str]:
    """Yield the database files and the tables of a folder."""
    yield from (str(Path(folder, name)) for name in (*STORE, *TABLES))


def files_below(folder: str | Path, _: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files of a folder and its subfolders."""
    for home, _folders, names in os.walk(folder):
        yield from (str(Path(home, name)) for name in names)


def if_json(path: str, _: Mapping[str, Any]) -> Iterator[str]:
    """Yield the value as a file if it ends in ``.json``; other values are network addresses."""
    if path.endswith(".json"):
        yield path


def results(folder: str | Path, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the output files of a sweep or an exploration; none for --dry-run."""
    return iter(()) if values.get("dry_run") else in_folder(folder)


def default_results(definition: Path, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that the runs of a definition write to their default folder."""
    if values["out"] is None:
        content = named_files.tables(os.fspath(definition)) or {}
        yield from results(Path("out", str(content.get("name", definition.stem))), values)


def of_mqsim(workload: str, _: Mapping[str, Any]) -> Iterator[str]:
    """Yield a workload file of MQSim and the traces of its flows."""
    return named_files.mqsim_files(workload)
