"""Files that definitions refer to: base and chip of a drive, flows of a mix, runs of a sweep.

The author of a definition chose these files, not the user: a file of another kind is refused
without quoting its contents.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from venice._native import (
    ConfigError,
    UsageError,
    WorkloadError,
    drive_names,
    schema,
    workload_schema,
)
from venice.files.documents import MOST_DEFINITION_BYTES, DocumentError, is_file, read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from venice.options.run_options import RunOptions

_LONGEST_CHAIN = 16
"""Maximum length of a chain of `extends`; the engine has the same limit."""
_TOML = ".toml"
_WORKLOADS = (_TOML, ".fio")
_MADE_UP = ("/proc/", "/sys/", "/dev/")
"""Folders of virtual files."""
_FILE_PATH = r"<File_Path>\s*([^<]*?)\s*</File_Path>"
"""Regular expression for the path of a flow's trace in MQSim's workload file."""
FILES_OF_RUNS = ("drive", "trace", "workload", "load_state")
"""Keys of a scenario whose value may be the path of a file."""


class Reference(NamedTuple):
    """Reference from a definition to another file."""

    path: str
    key: str
    """Key whose value is the path of the other file."""
    file: str
    """File that contains the reference."""


def drive_files(drive: str | PathLike[str]) -> Iterator[str]:
    """Yield the files of a drive: its own, those that it extends, and the chip's."""
    yield os.fspath(drive)
    yield from (reference.path for reference in _of_drive(os.fspath(drive), _LONGEST_CHAIN))


def workload_files(workload: str | PathLike[str]) -> Iterator[str]:
    """Yield the files of a workload: its own, those that it extends, and those of its flows."""
    yield os.fspath(workload)
    yield from (reference.path for reference in _of_workload(os.fspath(workload), _LONGEST_CHAIN))


def definition_files(path: str | PathLike[str]) -> Iterator[str]:
    """Yield the files of a sweep or an exploration: its own file, and those of its runs."""
    yield os.fspath(path)
    content = tables(os.fspath(path)) or {}
    axes = content.get("axis")
    parts = [content.get("scenario"), *(axes if isinstance(axes, list) else [])]
    for key, value in _values(parts):
        own = _beside(path, value)
        found = own if is_file(own) and key != "load_state" else value
        if key == "drive":
            yield from drive_files(found)
        elif key == "workload":
            yield from workload_files(found)
        else:
            yield found


def scenario_files(options: RunOptions) -> Iterator[tuple[str, str]]:
    """Yield the files that a run reads, each with the option that names it."""
    kinds = {"drive": drive_files, "workload": workload_files}
    for key in FILES_OF_RUNS:
        given = getattr(options, key)
        named = getattr(given, "path", given) if key == "trace" else given
        if isinstance(named, str | os.PathLike):
            found = kinds[key](named) if key in kinds else [os.fspath(named)]
            yield from ((key, path) for path in found)


def mqsim_files(workload: str) -> Iterator[str]:
    """Yield a workload of MQSim, and the traces in its folder or the working folder."""
    yield workload
    if not is_file(workload):
        return

    with Path(workload).open(encoding="utf-8", errors="replace") as file:
        named = re.findall(_FILE_PATH, file.read(MOST_DEFINITION_BYTES))
    for name in named:
        spellings = (name, name.replace("\\", "/"))
        places = (place for one in spellings for place in (_beside(workload, one), one))
        yield next((place for place in places if _exists(place)), name)


def check_drive(drive: str | PathLike[str]) -> None:
    """Refuse a drive whose base or chip is not a file of the expected kind.

    Raises
    ------
    ConfigError
        The message names the definition that refers to the wrong file.
    """
    for reference in _of_drive(os.fspath(drive), _LONGEST_CHAIN):
        fault = _fault(reference.path, (_TOML,), _drive_keys())
        if fault is not None:
            raise ConfigError(_refusal(reference, fault, "drive"))


def check_workload(workload: str | PathLike[str]) -> None:
    """Refuse a workload whose base or flow is not a file of the expected kind.

    Raises
    ------
    WorkloadError
        The message names the definition that refers to the wrong file.
    """
    for reference in _of_workload(os.fspath(workload), _LONGEST_CHAIN):
        fault = _fault(reference.path, _WORKLOADS, _workload_keys())
        if fault is not None:
            raise WorkloadError(_refusal(reference, fault, "workload"))


def check_named(path: str, key: str, file: str) -> None:
    """Refuse a file in the scenario of a definition that is not of the expected kind.

    Raises
    ------
    UsageError
        The message names the key that refers to the file.
    """
    reference = Reference(path, key, file)
    if not _exists(path) or (key == "drive" and path in drive_names()):
        return  # a preset, or what its reader does not find
    if key == "drive":
        fault = _fault(path, (_TOML,), _drive_keys())
    elif key == "workload":
        fault = _fault(path, _WORKLOADS, _workload_keys()) if path.endswith(_WORKLOADS) else None
    else:
        fault = _fault_of_data(path)
    if fault is not None:
        raise UsageError(_refusal(reference, fault, key.removeprefix("load_")))


def _fault_of_data(path: str) -> str | None:
    """Return why a file (a device or a pipe) cannot contain data; ``None`` if it can."""
    real = os.path.realpath(path)
    if not is_file(real):
        return "is not a regular file"
    return "is not a file on a disk" if real.startswith(_MADE_UP) else None


def tables(path: str) -> dict[str, Any] | None:
    """Return the contents of a TOML file; ``None`` if it is invalid, too large or too nested."""
    if not is_file(path):
        return None
    try:
        return read_toml(path)
    except (OSError, DocumentError):
        return None


def _of_drive(path: str, depth: int) -> Iterator[Reference]:
    content = tables(path) if path not in drive_names() else None
    for key in ("extends", "chip"):
        name = _plain((content or {}).get(key))
        found = _beside(path, name)
        if not name or (key == "extends" and name in drive_names()) or not _exists(found):
            continue
        yield Reference(found, key, path)
        if key == "extends" and depth:
            yield from _of_drive(found, depth - 1)


def _of_workload(path: str, depth: int) -> Iterator[Reference]:
    content = tables(path) if path.lower().endswith(_TOML) else None
    for key, name in _workload_names(content or {}):
        found = _beside(path, name)
        if name.lower().endswith(_WORKLOADS) and _exists(found):
            yield Reference(found, key, path)
            if depth:
                yield from _of_workload(found, depth - 1)


def _workload_names(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    flows = content.get("flows")
    for key, value in (
        ("extends", content.get("extends")),
        *(("flows", flow) for flow in (flows if isinstance(flows, list) else [])),
    ):
        if isinstance(value, dict):
            yield from _workload_names(value)
        elif isinstance(value, str):
            yield key, value


def _values(parts: Sequence[object]) -> Iterator[tuple[str, str]]:
    """Yield the keys and paths of the files in a scenario and on axes."""
    for part in parts:
        for key, value in part.items() if isinstance(part, dict) else ():
            if key in FILES_OF_RUNS:
                every = value if isinstance(value, list) else [value]
                yield from ((key, one) for one in every if isinstance(one, str))


def _plain(value: object) -> str:
    """Return the text of a value, which may be a table of value and source."""
    text = value.get("value") if isinstance(value, dict) else value
    return text if isinstance(text, str) else ""


def _beside(path: str | PathLike[str], name: str) -> str:
    """Return the path of a file given relative to the folder of the file `path`."""
    return str(Path(path).parent / name)


def _exists(path: str) -> bool:
    return "\0" not in path and os.path.lexists(path)


def _fault(path: str, suffixes: tuple[str, ...], keys: frozenset[str]) -> str | None:
    """Return why a file is not of the expected type; ``None`` if its type is correct."""
    real = Path(os.path.realpath(path))
    if real.is_dir() or not real.exists():
        return None  # the engine reports it
    if not real.is_file():
        return "is not a regular file"
    if not (path.lower().endswith(suffixes) and real.name.lower().endswith(suffixes)):
        return f"does not end in {' or '.join(suffixes)}"
    if not real.name.lower().endswith(_TOML):
        return None
    content = tables(str(real))
    if content is None:
        return "is not valid TOML"
    return None if keys.issuperset(content) else "has keys that are unknown at the top"


def _refusal(reference: Reference, fault: str, kind: str) -> str:
    path = reference.path
    return (
        f"error: `{path}` {fault}\n"
        f"  --> {reference.file}: {reference.key}\n"
        f"   = expected: a {kind} file\n"
        "   = name another file; nothing was run"
    )


@cache
def _drive_keys() -> frozenset[str]:
    return frozenset(json.loads(schema())["properties"])


@cache
def _workload_keys() -> frozenset[str]:
    parts = json.loads(workload_schema())["$defs"]
    return frozenset(key for kind in ("Workload", "Mix") for key in parts[kind]["properties"])
