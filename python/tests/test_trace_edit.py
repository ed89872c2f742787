"""Traces derived from traces, by the command and from Python."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pytest

import venice as api

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from venice.workloads import TraceFormat

    from .conftest import Outcome

TINY = REPOSITORY / "conformance" / "traces" / "msr-csv.txt"
OF_A_FILE = ("name", "trace", "format", "format_note")
"""Keys of a report about the trace file itself."""


def report_of(path: Path, name: TraceFormat | None) -> dict[str, Any]:
    """Return the report of a run without the file's name and the wall time."""
    found: dict[str, Any] = json.loads(api.run(trace=path, format=name).to_json())
    del found["wall_s"]
    for queue in found["queues"]:
        del queue["name"]
    for key in OF_A_FILE:
        found["workload"].pop(key, None)
    return found


@pytest.mark.parametrize("name", api.written_formats())
def test_the_same_workload_gives_the_same_report_in_every_format(
    name: TraceFormat, tmp_path: Path
) -> None:
    path = tmp_path / "tiny"
    done = api.convert_trace(TINY, path, name)
    assert (done["format"], done["requests"], done["times_cut"]) == (name, 8, 0)
    assert report_of(path, name) == report_of(TINY, None)


def test_columns_are_what_other_programs_read(tmp_path: Path) -> None:
    api.convert_trace(TINY, tmp_path / "tiny.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "tiny.parquet")
    assert table.column_names == [
        "arrival_ps",
        "op",
        "start_sector",
        "sectors",
        "queue",
        "pattern_set",
    ]
    assert [str(kind) for kind in table.schema.types] == [
        "uint64",
        "string",
        "uint64",
        "uint32",
        "uint16",
        "uint8",
    ]
    first = {name: column[0] for name, column in table.slice(1, 1).to_pydict().items()}
    assert first == {
        "arrival_ps": 25_000_000,
        "op": "read",
        "start_sector": 2056,
        "sectors": 16,
        "queue": 0,
        "pattern_set": 0,
    }


def test_columns_that_other_programs_wrote_are_a_trace(tmp_path: Path) -> None:
    columns = {
        "sectors": [8, 8, 16],
        "op": ["R", "write", "read"],
        "arrival_us": [5, 7, 1_000_005],
        "more": [1.0, 2.0, 3.0],
        "start_sector": [0, 8, None],
    }
    path = tmp_path / "own.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(
        api.TraceError,
        match=r"invalid `start_sector`\n  --> .*own.parquet, record 3\n"
        r"   = expected: a whole number of sectors\n   = record: `1000005 read \? 16 0`",
    ):
        api.trace_info(path)
    found = api.trace_info(path, skip_bad=1)
    assert (found["requests"], found["read_pct"], found["duration_us"]) == (2, 50.0, 2.0)
    pyarrow.parquet.write_table(pyarrow.table({**columns, "op": [1, 2, 3]}), path)
    with pytest.raises(api.TraceError, match="should have a column `op` of texts"):
        api.trace_info(path)


def test_damaged_columns_are_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    api.convert_trace(TINY, tmp_path / "tiny.parquet")
    sound = (tmp_path / "tiny.parquet").read_bytes()
    damaged = tmp_path / "damaged.parquet"
    messages = []
    for place in range(4, len(sound), 3):
        damaged.write_bytes(sound[:place] + bytes([sound[place] ^ 0x55]) + sound[place + 1 :])
        with suppress(api.TraceError):
            api.trace_info(damaged)
            continue
        with pytest.raises(api.TraceError) as refused:
            api.trace_info(damaged)
        messages.append(str(refused.value))
    assert len(messages) > 100
    assert all(str(damaged) in one and len(one) < 1000 for one in messages)


def test_a_request_log_is_a_trace(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    venice("run", "--workload", "random-read", "--requests", 500, "--request-log", "log.parquet")
    assert api.trace_info(tmp_path / "log.parquet")["requests"] == 500


def test_the_suffix_of_a_name_selects_the_format(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    for name, compression, kind in [
        ("a.csv.gz", "gzip", "msr-csv"),
        ("a.zst", "zstd", "msr-csv"),
        ("a.parquet", "none", "parquet"),
        ("a.txt", "none", "msr-csv"),
    ]:
        outcome = venice("trace", "convert", TINY, "--output", name)
        assert outcome == (0, f"8 requests written as {kind}\n", "")
        info = api.trace_info(tmp_path / name)
        assert (info["compression"], info["format"]) == (compression, kind)


def test_the_head_is_shown_in_the_trace_s_own_format(venice: Callable[..., Outcome]) -> None:
    outcome = venice("trace", "head", TINY, "-n", 2)
    assert outcome.stdout == "0,venice,0,Write,1048576,4096,0\n250,venice,0,Read,1052672,8192,0\n"
    assert outcome.stderr == "2 requests written as msr-csv\n"
    as_text = venice("trace", "head", TINY, "-n", 1, "--to", "mqsim-ascii")
    assert as_text.stdout == "0 0 2048 8 0\n"
    assert "read it with --format mqsim-ascii" in as_text.stderr


def test_a_filter_keeps_matching_requests(venice: Callable[..., Outcome]) -> None:
    def kept(*options: object) -> list[str]:
        outcome = venice("trace", "filter", TINY, "--output", "-", "--to", "spc", *options)
        assert outcome.code == 0, outcome.stderr
        return [line.split(",")[1] for line in outcome.stdout.splitlines()]

    assert kept("--op", "write") == ["2048", "4194304", "7"]
    assert kept("--from-us", 1000, "--until-us", 50_000) == ["4194304", "4194304"]
    assert kept("--min-bytes", 4608, "--max-bytes", 8192) == ["2056", "7", "7"]
    assert kept("--from-sector", 2048, "--until-sector", 2056) == ["2048"]
    assert kept("--queue", 0, "--until-us", 25) == ["2048"]
    outcome = venice("trace", "filter", TINY, "--output", "x", "--queue", 3)
    assert outcome.code == 2
    assert outcome.message == (
        "error: msr-csv.txt: no requests to write; expected: at least one request\n"
    )


def test_a_rate_is_scaled_and_addresses_folded(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    outcome = venice(
        "trace", "scale", TINY, "--output", "out", "--mean-gap-us", 2.5, "--to", "mqsim-ascii"
    )
    assert outcome.code == 0, outcome.stderr
    info = api.trace_info(tmp_path / "out", "mqsim-ascii")
    assert info["mean_inter_arrival_us"] == pytest.approx(2.5, rel=1e-3)
    small = ("--drive", "venice-performance", "--set", "flash.blocks_per_plane=64")
    far = tmp_path / "far.txt"
    far.write_text("0,far,0,Read,1099511627776,4096,0\n")
    outcome = venice("trace", "scale", far, "--output", "out", *small)
    assert "requests beyond the drive, folded into it: 1\n" in outcome.stdout
    offset = int((tmp_path / "out").read_text().split(",")[4])
    assert offset < api.resolve("venice-performance", None, [small[3]]).capacity_bytes


def test_traces_are_mixed_each_on_a_queue_of_its_own(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    other = REPOSITORY / "conformance" / "traces" / "blkparse.txt"
    outcome = venice("trace", "mix", TINY, other, TINY, "--output", "mix.parquet")
    assert outcome == (0, "24 requests written as parquet\n", "")
    table = pyarrow.parquet.read_table(tmp_path / "mix.parquet").to_pydict()
    assert table["queue"] == [0, 1, 2, *[0, 0, 1, 1, 2, 2], *[0, 1, 2] * 5]
    assert table["arrival_ps"] == sorted(table["arrival_ps"])
    ran = venice("run", "--trace", "mix.parquet", "--devices", "overlay", "--json", "-")
    assert json.loads(ran.stdout)["requests"]["completed"] == 24


def test_what_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    def message(**edit: object) -> str:
        with pytest.raises(api.UsageError) as refused:
            api.convert_trace(TINY, io.BytesIO(), **edit)  # type: ignore[arg-type]
        return str(refused.value)

    assert message(rate_scale=2, mean_inter_arrival_us=2.0).startswith(
        "a rate scale and a mean gap"
    )
    assert message(mean_inter_arrival_us=0.0) == "the mean gap is 0.0 us; expected: above 0"
    assert message(op="trim") == "`trim` is not an operation; expected: read or write"
    assert message(from_us=5.0, until_us=4.0) == (
        "the time should end after it begins, but 4.0 is before 5.0"
    )
    assert message(queues=[70000]) == "queue is 70000; expected: from 0 to 65535"
    assert message(to="tencent-cbs").startswith("cannot write traces in the format `tencent-cbs`")
    with pytest.raises(api.UsageError, match="compresses itself"):
        api.convert_trace(TINY, tmp_path / "x.gz", "parquet")
    with pytest.raises(api.TraceError, match="trace file not found"):
        api.convert_trace([TINY, tmp_path / "none"], io.BytesIO())
    assert not list(tmp_path.iterdir()), "nothing is left behind"
    with pytest.raises(TypeError, match="unexpected keyword argument 'until'"):
        api.convert_trace(TINY, io.BytesIO(), until=5)  # type: ignore[call-arg]


def test_the_error_of_an_unwritable_file_states_the_reason(venice: Callable[..., Outcome]) -> None:
    outcome = venice("trace", "convert", TINY, "--output", "/dev/full")
    assert outcome.code == 1
    assert "/dev/full" in outcome.message
    assert "Traceback" not in outcome.message
