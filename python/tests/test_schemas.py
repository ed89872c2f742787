"""JSON Schemas accept exactly the files that the engine reads, and every report."""

from __future__ import annotations

import copy
import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import tomlkit

import venice as api
from venice import _native

if TYPE_CHECKING:
    from collections.abc import Iterator

PRESETS = Path(__file__).parents[2] / "presets"


def checker(schema: str) -> Any:  # noqa: ANN401 jsonschema has no type for validators
    """Return the validator of a schema, which is valid itself."""
    kind = jsonschema.validators.validator_for(json.loads(schema))
    kind.check_schema(json.loads(schema))
    return kind(json.loads(schema))


DRIVES = checker(_native.schema())
WORKLOADS = checker(_native.workload_schema())
REPORTS = checker(_native.report_schema())


def presets(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((PRESETS / folder).glob("*.toml"))]


@pytest.mark.parametrize("path", presets("drives", "chips"), ids=lambda path: path.stem)
def test_built_in_drives_and_chips_satisfy_the_schema(path: Path) -> None:
    DRIVES.validate(tomllib.loads(path.read_text()))


@pytest.mark.parametrize("name", api.drive_names())
def test_resolved_drives_satisfy_the_schema(name: str) -> None:
    drive = api.resolve(name)
    DRIVES.validate(json.loads(drive.to_json()))
    DRIVES.validate(tomllib.loads(drive.to_toml()))


@pytest.mark.parametrize(
    "wrong",
    [
        "[array]\nrwos = 8\n",
        "[array]\nrows = 0\n",
        '[array]\nrows = "8"\n',
        '[array]\nrows = { value = 8, sauce = "x" }\n',
        '[array]\nrows = { source = "x" }\n',
        "[flash]\npage_bytes = 5000\n",
        "[flash]\nt_read_us = []\n",
        "[flash]\nt_read_us = [1, 2, 3, 4, 5]\n",
        '[fabric]\nname = "crossbar"\n',
        '[host]\nlink_rate_mb_per_s = "unlimted"\n',
        '[fabirc]\nname = "bus"\n',
    ],
)
def test_schema_and_loader_refuse_the_same_drives(wrong: str, tmp_path: Path) -> None:
    assert not DRIVES.is_valid(tomllib.loads(wrong))
    path = tmp_path / "wrong.toml"
    path.write_text(f'extends = "venice-cost"\n{wrong}')
    with pytest.raises(api.ConfigError):
        api.resolve(str(path))


@pytest.mark.parametrize("path", presets("workloads"), ids=lambda path: path.stem)
def test_built_in_workloads_satisfy_the_schema(path: Path) -> None:
    WORKLOADS.validate(tomllib.loads(path.read_text()))


def test_a_workload_has_a_base_or_all_keys_that_are_required() -> None:
    assert WORKLOADS.is_valid({"extends": "random-read", "requests": 10})
    assert not WORKLOADS.is_valid({"requests": 10})
    assert not WORKLOADS.is_valid({"extends": "random-read", "reqests": 10})


# Definition with all keys of a workload of one flow.
FULL = tomllib.loads("""
name = "full"
description = "a test"
source = "assumed"
synthetic = true
requests = 10
read_pct = 50.0
gather_pct = 0.0
strata = 10
start_us = 0.0
stop_us = 1e12
read_after_write = { pct = 20.0, within_writes = 64 }
[size.by_operation]
read = { normal = { mean_bytes = 1024, deviation_bytes = 512 } }
write = { choices = [{ bytes = 512, weight = 1 }] }
[address]
pattern = { zipf = { theta = 0.9 } }
footprint = { drive_pct = 100.0 }
align_bytes = 4096
align_offset_bytes = 512
run_requests = 1.0
runs_by_operation = false
[open_loop]
mean_gap_us = 1.0
most_outstanding = 64
gaps = { hyperexponential = { long_pct = 20.0, short_mean_pct = 5.0 } }
bursts = { on_us = 500.0, off_us = 1e9, lengths = "constant" }
""")
VALUES = (
    *(-1.0, 0.0, 0.001, 0.01, 0.5, 1.0, 2.0, 5.0, 5.5, 99.0, 100.0, 101.0, 512.0, 513.0),
    *(65_536.0, 65_537.0, 1e6, 1e6 + 1, 67_108_864.0, 67_109_376.0, 1e9, 1.1e9, 1e12, 1e12 + 512),
)


def numbers(part: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every number of a definition."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from numbers(value, (*path, key))
    elif isinstance(part, list):
        for index, value in enumerate(part):
            yield from numbers(value, (*path, index))
    elif isinstance(part, int | float) and not isinstance(part, bool):
        yield path


def with_value(path: tuple[str | int, ...], value: float) -> dict[str, Any]:
    """Return the full definition with another value of one number."""
    changed: Any = copy.deepcopy(FULL)
    part = changed
    for key in path[:-1]:
        part = part[key]
    is_whole = isinstance(part[path[-1]], int) and value.is_integer()
    part[path[-1]] = int(value) if is_whole else value
    return changed  # type: ignore[no-any-return]


def is_read(definition: dict[str, Any]) -> bool:
    try:
        _native.complete_workload(("full", tomlkit.dumps(definition)))
    except api.WorkloadError:
        return False
    return True


def breaks_a_rule_on_two_values(path: tuple[str | int, ...], value: float) -> bool:
    """Return true if a value is refused because of another one, which no schema can express."""
    return {
        "stop_us": value == 0,
        "start_us": value >= 1e12,
        "align_bytes": value <= 512,
        "align_offset_bytes": value >= 4096,
    }.get(str(path[-1]), False)


@pytest.mark.parametrize("path", [*numbers(FULL)], ids=lambda path: ".".join(map(str, path)))
def test_schema_and_reader_accept_the_same_numbers(path: tuple[str | int, ...]) -> None:
    read = [is_read(with_value(path, value)) for value in VALUES]
    allowed = [
        WORKLOADS.is_valid(with_value(path, value)) and not breaks_a_rule_on_two_values(path, value)
        for value in VALUES
    ]
    assert allowed == read
    assert True in read
    assert False in read


def report_of(setting: str) -> dict[str, Any]:
    report = api.run(
        drive="venice-performance",
        fabric="venice",
        sets=[setting],
        workload="mixed-70-30",
        requests=100,
    )
    return json.loads(report.to_json())  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "setting",
    [
        "cache.mode=write",
        "host.scheduler.scheme=piq",
        "fabric.mesh.failed_links=[[0, 0, 0, 1]]",
        "ftl.mapping=cached",
    ],
)
def test_reports_satisfy_the_schema(setting: str) -> None:
    report = report_of(setting)
    REPORTS.validate(report)
    del report["latency_us"]["all"]["p99"]
    assert not REPORTS.is_valid(report)
