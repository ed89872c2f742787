"""The scenarios of ``make same`` use every named value of every parameter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import venice
from equal_reports.rows import ReportsFile
from equal_reports.scenarios import INPUTS, located, resolved_drive
from venice import _native

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from equal_reports.rows import Row


class Choice(NamedTuple):
    """A value of a parameter with named values."""

    key: str
    value: str | bool


FILE = ReportsFile(INPUTS / "reports.toml")
ROWS = list(FILE.rows.values())


def parameters(section: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the key of each parameter of a drive and the schema of its value."""
    for name, inner in section["properties"].items():
        if inner.get("type") == "object":
            yield from parameters(inner, f"{prefix}{name}.")
        else:
            # The second alternative is a value with its source.
            yield f"{prefix}{name}", inner["anyOf"][0]


def named_values(kind: Mapping[str, Any]) -> list[str | bool]:
    """Return the named values of a schema, also those of a list's elements."""
    if kind.get("type") == "boolean":
        return [False, True]
    inner = [*kind.get("anyOf", []), *([kind["items"]] if "items" in kind else [])]
    found = [*kind.get("enum", []), *([kind["const"]] if "const" in kind else [])]
    return [*found, *(value for one in inner for value in named_values(one))]


def choices_of_drives() -> set[Choice]:
    schema = json.loads(_native.schema())
    return {Choice(key, value) for key, kind in parameters(schema) for value in named_values(kind)}


def choices_of_row(row: Row, folder: Path) -> Iterator[Choice]:
    """Yield the named values of a row's drive, without those of other fabrics."""
    drive = resolved_drive(row.scenario, folder)
    for name in venice.fabric_names():
        if name != drive["fabric"]["name"]:
            drive["fabric"].pop(name, None)
    yield from _leaves(drive)


def _leaves(value: object, key: str = "") -> Iterator[Choice]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, f"{key}.{name}".removeprefix("."))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
    elif isinstance(value, (str, bool)):
        yield Choice(key, value)


def test_every_named_value_of_every_parameter_is_in_a_scenario(tmp_path: Path) -> None:
    covered = {choice for row in ROWS for choice in choices_of_row(row, tmp_path)}
    uncovered = {Choice(key, value) for key, reasons in FILE.uncovered.items() for value in reasons}
    assert choices_of_drives() - covered == uncovered


WORKLOADS = json.loads(_native.workload_schema())


def choices_of_workloads() -> set[Choice]:
    """Return the alternatives of each law of workloads and of each option of traces."""
    return {
        Choice(law, _alternative(kind))
        for law, definition in WORKLOADS["$defs"].items()
        for kind in definition.get("oneOf", [])
    }


def _alternative(kind: Mapping[str, Any]) -> str:
    """Return what identifies an alternative: a text, or the only key of a table."""
    found: str = kind.get("const") or kind["required"][0]
    return found


def choices_of_workload(name: str) -> Iterator[Choice]:
    """Yield the alternatives that a workload uses; the workload is a preset or a file."""
    workload = json.loads(_native.complete_workload(name))
    definition = "Mix" if "flows" in workload else "Workload"
    yield from _taken({"$ref": f"#/$defs/{definition}"}, workload)


def _taken(kind: Mapping[str, Any], value: Any) -> Iterator[Choice]:  # noqa: ANN401 as JSON
    law = kind.get("$ref", "").rpartition("/")[2]
    kind = WORKLOADS["$defs"].get(law, kind)
    for one in kind.get("oneOf", []):
        if _alternative(one) == value or (isinstance(value, dict) and _alternative(one) in value):
            yield Choice(law, _alternative(one))
            yield from _taken(one, value)
    for one in kind.get("anyOf", []):
        yield from _taken(one, value)
    if isinstance(value, dict):
        for name, inner in kind.get("properties", {}).items():
            if name in value:
                yield from _taken(inner, value[name])
    if isinstance(value, list) and "items" in kind:
        for element in value:
            yield from _taken(kind["items"], element)


def used(key: str) -> set[str]:
    """Return the values of a keyword that the scenarios use."""
    return {row.scenario[key] for row in ROWS if key in row.scenario}


def test_every_alternative_of_every_law_of_workloads_is_in_a_scenario() -> None:
    runs = [row.scenario for row in ROWS if row.scenario.get("kind", "run") == "run"]
    names = {located(run["workload"]) for run in runs if "workload" in run}
    definitions = {name for name in names if not name.endswith(".fio")}
    covered = {choice for name in definitions for choice in choices_of_workload(name)}
    covered |= {Choice("Event", event) for event in used("event")}
    assert choices_of_workloads() - covered == set()


def test_every_trace_format_is_in_a_scenario() -> None:
    traces = [row.scenario for row in ROWS if "trace" in row.scenario]
    formats = {
        venice.trace_info(located(run["trace"]), format=run.get("format"))["format"]
        for run in traces
        if "columns" not in run
    }
    assert {name for name, _ in venice.trace_formats()} - formats == set()


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("drive", venice.drive_names()),
        ("fabric", venice.fabric_names()),
        ("workload", venice.workload_names()),
        ("trace_resample", ["offset", "blocks"]),
        ("kind", ["mqsim", "grep", "sql"]),
    ],
)
def test_every_preset_and_kind_of_run_is_in_a_scenario(key: str, names: list[str]) -> None:
    assert set(names) - used(key) == set()
