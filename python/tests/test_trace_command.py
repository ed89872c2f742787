"""``venice trace info``: equal results for all formats and compressions of a trace."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING

import pytest

import venice as api

from .conftest import REPOSITORY
from .slow import nightly_among

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

COARSE = {"tencent-cbs", "oracle-general", "fio-iolog-2"}
"""Formats whose times are too coarse for the workload."""
TOO_SHORT_TO_TELL = {"ssdsim-us"}
"""Formats that eight lines do not distinguish from others."""
VARIANTS = ("2", "3", "little", "big")

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
TRACES = [
    path
    for path in sorted((REPOSITORY / "conformance" / "traces").iterdir())
    if path.suffix in {".txt", ".bin"} and path.stem not in COARSE
]
UNLIKE: dict[str, object] = {"format": "", "format_note": None, "devices": []}


def format_of(path: Path) -> str:
    """Return the format of a file: its name begins with it, or its header names the columns."""
    if path.stem == "data-frame":
        return "columns"
    names = [name for name, _ in api.trace_formats()]
    return next(name for name in names if path.stem in {name, *(f"{name}-{of}" for of in VARIANTS)})


def test_there_is_a_trace_in_every_format() -> None:
    there = {format_of(path) for path in TRACES}
    assert there | COARSE >= {name for name, _ in api.trace_formats()}


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_the_format_is_found_and_nothing_else_differs(path: Path) -> None:
    name = format_of(path)
    found = api.trace_info(path, name if name in TOO_SHORT_TO_TELL else None)
    assert found["format"] == name
    assert set(found) >= KEYS
    assert {**found, **UNLIKE} == {**api.trace_info(TRACES[0]), **UNLIKE}


def test_an_ambiguous_format_is_explained(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    (tmp_path / "close.txt").write_text("".join(f"{n * 977} 0 8 8 1\n" for n in range(32)))
    shown = venice("trace", "info", "close.txt").stdout
    assert re.search(r"format +ssdsim-us\n", shown)
    assert "microseconds are taken" in shown
    note = json.loads(venice("run", "--trace", "close.txt", "--json", "-").stdout)["workload"]
    assert note["format"] == "ssdsim-us"
    assert "microseconds are taken" in note["format_note"]
    noted = venice("run", "--trace", "close.txt").stdout
    assert "microseconds are taken" in noted


def test_bad_lines_are_tolerated_and_counted_everywhere(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    lines = [f"{n * 1000} 0 {n * 8} 8 1\n" for n in range(100)]
    lines[50:50] = ["garbage\n", "50000 0 8 -8 1\n"]
    (tmp_path / "bad.txt").write_text("".join(lines))
    refused = venice("trace", "info", "bad.txt", "--skip-bad", 1)
    assert refused.code == 2
    assert "bad.txt:52" in refused.message
    info = json.loads(venice("trace", "info", "bad.txt", "--skip-bad", 2, "--json", "-").stdout)
    assert (info["requests"], info["skipped_bad"]) == (100, 2)
    outcome = venice("run", "--trace", "bad.txt", "--skip-bad", 2, "--json", "out.json")
    assert "2 bad lines were skipped" in outcome.stdout
    assert outcome.stdout.split("\n\n")[0].splitlines()[-1].split()[-1] == "2"
    assert json.loads((tmp_path / "out.json").read_text())["workload"]["skipped_bad"] == 2
    compared = venice("compare", "--trace", "bad.txt", "--skip-bad", 2, "--fabrics", "bus,ideal")
    assert compared.code == 0


def test_columns_and_events_are_options_everywhere(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "own.txt").write_text("1;r;4096;512\n2;w;8192;512\n")
    for command in ("trace info", "run --trace", "compare --fabrics bus --trace"):
        outcome = venice(*command.split(), "own.txt", "--columns", "time:us;op;offset;size")
        assert outcome.code == 0, outcome.stderr
    blkparse = REPOSITORY / "conformance" / "traces" / "blkparse.txt"
    for command in ("trace info", "run --trace", "compare --fabrics bus --trace"):
        assert venice(*command.split(), blkparse, "--event", "Q").code == 0
        outcome = venice(*command.split(), blkparse, "--event", "C")
        assert outcome.code == 2
        assert "D (dispatched) or Q (queued)" in outcome.message


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
    path = REPOSITORY / "conformance" / "traces" / "mqsim-ascii.txt"
    golden("trace_info.txt", venice("trace", "info", path).stdout)


def test_a_drive_is_loaded_evenly_by_a_sweep_and_not_by_a_stride(tmp_path: Path) -> None:
    drive = api.resolve("venice-performance")
    page_sectors, channels = 8, 8
    sweep, stride = tmp_path / "sweep", tmp_path / "stride"
    sweep.write_text("".join(f"{n * 100} 0 {n * page_sectors} 8 1\n" for n in range(6400)))
    far = channels * page_sectors
    stride.write_text("".join(f"{n * 100} 0 {n * far} 8 1\n" for n in range(6400)))
    even = api.trace_info(sweep, "mqsim-ascii", drive=drive)["spread"]
    assert even is not None
    assert even["channels"]["busiest_over_mean"] == even["chips"]["busiest_over_mean"] == 1.0
    assert even["chips"]["pages"] == [100] * 64
    skewed = api.trace_info(stride, "mqsim-ascii", drive=drive)["spread"]
    assert skewed is not None
    assert skewed["channels"]["pages"] == [6400, *[0] * (channels - 1)]
    assert skewed["channels"]["busiest_over_mean"] == channels
    assert api.trace_info(sweep, "mqsim-ascii")["spread"] is None


def test_requests_beyond_the_drive_are_folded_and_counted(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "far").write_text("0 0 99999999999 8 1\n100 0 0 8 1\n")
    command = ("trace", "info", "far", "--drive", "venice-cost", "--json", "-")
    assert json.loads(venice(*command).stdout)["spread"]["folded"] == 1


@pytest.mark.parametrize("suffix", nightly_among([".png", ".svg"], (".png",)))
def test_a_trace_is_drawn_the_same_each_time(
    suffix: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "one").write_text("0 0 8 8 1\n")
    for trace in (TRACES[0], "one"):
        for name in ("a", "b"):
            command = ("trace", "info", trace, "--format", format_of(TRACES[0]))
            if trace == "one":
                command = ("trace", "info", "one", "--drive", "venice-cost")
            outcome = venice(*command, "--plot", name + suffix)
            assert outcome.code == 0, outcome.stderr
        drawn = (tmp_path / f"a{suffix}").read_bytes()
        assert drawn == (tmp_path / f"b{suffix}").read_bytes()
        assert len(drawn) > 10_000
    refused = venice("trace", "info", TRACES[0], "--plot", "x.jpg")
    assert refused.code == 2
    assert "unsupported picture format" in refused.message


def test_how_a_format_was_chosen_has_a_line_where_it_could_have_been_another(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    for name, line, is_contested in (
        ("one.csv", "128166372003061629,h,0,Read,4096,4096,1\n", False),
        ("two.trace", "100 0 8 8 1\n", True),
    ):
        (tmp_path / name).write_text(line * 3)
        message = venice("trace", "info", name).stdout
        assert ("why this format" in message) is is_contested
