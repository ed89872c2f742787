"""``venice trace info``: the same of a trace whatever its format and compression."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

import venice as api

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

KEYS = {
    "requests",
    "read_pct",
    "mean_size_kib",
    "mean_inter_arrival_us",
    "median_inter_arrival_us",
    "duration_us",
    "footprint_mib",
    "format",
}
TRACES = sorted((REPOSITORY / "conformance" / "traces").glob("*.txt"))


def test_there_is_a_trace_in_every_format() -> None:
    assert sorted(path.stem for path in TRACES) == sorted(name for name, _ in api.trace_formats())


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_the_format_is_found_and_nothing_else_differs(path: Path) -> None:
    found, reference = api.trace_info(path), api.trace_info(TRACES[0])
    assert found["format"] == path.stem
    assert set(found) >= KEYS
    assert {**found, "format": ""} == {**reference, "format": ""}


def test_compression_is_found(tmp_path: Path) -> None:
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(TRACES[0].read_bytes()))
    found = api.trace_info(packed)
    assert found["compression"] == "gzip"
    assert {**found, "compression": "none"} == api.trace_info(TRACES[0])


def test_the_command_writes_what_the_api_returns(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("trace", "info", TRACES[0], "--json", "out.json")
    assert (outcome.code, outcome.stderr) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text()) == api.trace_info(TRACES[0])
    alone = venice("trace", "info", TRACES[0], "--json", "-")
    assert json.loads(alone.stdout) == api.trace_info(TRACES[0])


def test_the_command_shows_units(
    venice: Callable[..., Outcome], golden: Callable[[str, str], None]
) -> None:
    golden("trace_info.txt", venice("trace", "info", TRACES[0]).stdout)
