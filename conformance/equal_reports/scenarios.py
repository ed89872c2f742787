"""Runs of the scenarios of ``reports.toml`` by the Python API, in several processes."""

from __future__ import annotations

import hashlib
import json
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from equal_reports.rows import Row
    from venice.mqsim import Mqsim

INPUTS = Path(__file__).resolve().parents[1]
"""Folder to which paths in scenarios are relative."""


class Failure(NamedTuple):
    """Outcome of a failed scenario."""

    message: str


def outcomes_of(
    rows: Iterable[Row], workers: int | None = None
) -> Iterator[dict[str, Any] | Failure]:
    """Run rows and yield their reports in the order of the rows."""
    # Processes are spawned, since a fork would inherit locks of threads that loaded libraries have
    # started.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_outcome_of, rows)


def _outcome_of(row: Row) -> dict[str, Any] | Failure:
    with warnings.catch_warnings(action="ignore"), tempfile.TemporaryDirectory() as folder:
        try:
            return report_of(row.scenario, Path(folder))
        except Exception as error:
            return Failure(f"{type(error).__name__}: {error}")


def report_of(scenario: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Run a scenario and return its report; files that it needs are written into the folder."""
    options = located(scenario)
    kind = options.pop("kind", "run")
    if kind == "mqsim":
        return _mqsim(options)
    options["drive"] = _drive(options, folder)
    if kind == "grep":
        return _grep(options)
    if kind == "sql":
        return _sql(options)
    return _run(options, folder)


def resolved_drive(scenario: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return every parameter of a scenario's drive."""
    import venice  # noqa: PLC0415 it takes longer than reading the rows

    options = located(scenario)
    if options.get("kind") == "mqsim":
        drive = _mqsim_files(options).drive(options.get("scenario", 1) - 1)
    else:
        drive = venice.resolve(_drive(options, folder), options.get("fabric"))
    values: dict[str, Any] = json.loads(drive.to_json())
    return values


def located(value: Any) -> Any:  # noqa: ANN401 of any type
    """Return a value of a scenario with names of files replaced by paths, also within a table."""
    if isinstance(value, dict):
        return {key: located(inner) for key, inner in value.items()}
    is_path = isinstance(value, str) and "/" in value and (INPUTS / value).exists()
    return str(INPUTS / value) if is_path else value


def _drive(options: dict[str, Any], folder: Path) -> str:
    """Return the name of a drive, or the path of a drive file with the changes."""
    drive: str = options["drive"]
    settings = options.pop("settings", None)
    if settings is None:
        return drive
    path = folder / "drive.toml"
    lines = (f"{key} = {value}" for key, value in _values(settings))
    path.write_text("\n".join([f"extends = {json.dumps(drive)}", *lines, ""]))
    return str(path)


def _values(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the keys and values of settings as TOML; texts, numbers and lists are as in JSON."""
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _values(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", json.dumps(value)


def _run(options: dict[str, Any], folder: Path) -> dict[str, Any]:
    import venice  # noqa: PLC0415 each process imports it once

    state = options.pop("state", None)
    if state is not None:
        options["load_state"] = folder / "state"
        venice.run(drive=options["drive"], save_state=folder / "state", progress=False, **state)
    return venice.run(progress=False, **options).to_dict()


def _mqsim(options: dict[str, Any]) -> dict[str, Any]:
    files = _mqsim_files(options)
    return files.run(options.pop("scenario", 1) - 1, **options).to_dict()


def _mqsim_files(options: dict[str, Any]) -> Mqsim:
    from venice.mqsim import Mqsim  # noqa: PLC0415

    sets = [f"{key}={value}" for key, value in _values(options.pop("settings", {}))]
    config, workload = options.pop("config"), options.pop("workload")
    return Mqsim(config, workload, fabric=options.pop("fabric", None), sets=sets)


def _grep(options: dict[str, Any]) -> dict[str, Any]:
    from venice.pif import Search  # noqa: PLC0415

    file = options.pop("file")
    if "around" in options:
        options["around"] = tuple(options["around"])
    search = Search(**options)
    found = search.file(file, name="file")
    output = found.output + repr((found.lines, found.unreadable)).encode()
    return {"output": _digest(output), **search.report().to_dict()}


def _sql(options: dict[str, Any]) -> dict[str, Any]:
    from venice.pif import query_table  # noqa: PLC0415

    found = query_table(**options)
    output = repr((found.table.to_pylist(), found.patterns, found.candidates, found.unreadable))
    return {"output": _digest(output.encode()), **found.report.to_dict()}


def _digest(output: bytes) -> str:
    return hashlib.sha256(output).hexdigest()[:16]
