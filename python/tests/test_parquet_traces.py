"""Parquet traces: invalid files, files of any size, and a missing pyarrow."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Thread
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import venice as api

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

TRACES = REPOSITORY / "conformance" / "traces"
USUAL: dict[str, Any] = {
    "arrival_us": [0, 5, 9],
    "op": ["read", "write", "read"],
    "start_sector": [0, 8, 16],
    "sectors": [8, 8, 8],
}


def written(folder: Path, **columns: Any) -> Path:  # noqa: ANN401 pyarrow has no types
    path = folder / "own.parquet"
    parquet.write_table(pa.table({**USUAL, **columns}), path)
    return path


def rows_of(path: Path, folder: Path) -> list[str]:
    """Return the requests of a trace as lines of MQSim's format."""
    api.convert_trace(path, folder / "rows.txt", "mqsim-ascii")
    return (folder / "rows.txt").read_text().splitlines()


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("whole", {"format": "msr-csv"}, "neither of these options"),
        ("whole", {"columns": "time:us op offset size"}, "neither of these options"),
        ("cut", {}, "the Parquet file is damaged, or of a kind that is not read ("),
        ("text", {"format": "parquet"}, "the Parquet file is damaged, or of a kind that is not"),
    ],
)
def test_files_that_are_no_parquet_trace_are_refused(
    content: str, options: dict[str, str], message: str, tmp_path: Path
) -> None:
    whole = (TRACES / "parquet.bin").read_bytes()
    path = tmp_path / "trace"
    path.write_bytes({"whole": whole, "cut": whole[:-9], "text": b"0 0 8 8 1\n"}[content])
    with pytest.raises(api.TraceError) as refused:
        api.trace_info(path, **options)  # type: ignore[arg-type]
    assert str(path) in str(refused.value)
    assert message in str(refused.value)


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    content = (TRACES / "parquet.bin").read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(content,), daemon=True)
    writer.start()
    with pytest.raises(api.TraceError, match="read from its end, which a pipe does not allow"):
        api.trace_info(pipe)
    writer.join()


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("start_sector", pa.array([0.0, 8.0, 16.0]), "a column `start_sector` of whole numbers"),
        ("sectors", pa.array([8, 8, 8], pa.time32("ms")), "a column `sectors` of whole numbers"),
        ("queue", pa.array(["a", "b", "c"]), "a column `queue` of whole numbers"),
        ("op", pa.array([True, False, True]), "a column `op` of texts"),
        ("arrival_us", pa.array([0, 5, 9], pa.date32()), "a column `arrival_us` of times"),
        ("arrival_us", pa.array([[0], [5], [9]]), "a column `arrival_ps` of times"),
        ("arrival_ms", pa.array([0, 5, 9]), "`arrival_us` and `arrival_ms` both give the time"),
    ],
)
def test_columns_of_other_types_are_refused(
    column: str,
    values: pa.Array,
    message: str,
    tmp_path: Path,
) -> None:
    with pytest.raises(api.TraceError, match=message):
        api.trace_info(written(tmp_path, **{column: values}))


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["Read", "W", "r"]).dictionary_encode(),
        pa.array([b"R", b"write", b"read"], pa.large_binary()),
        pa.array(["read", "Write", "R"], pa.large_string()),
    ],
    ids=lambda values: str(values.type),
)
def test_operations_may_be_texts_of_any_type(values: pa.Array, tmp_path: Path) -> None:
    expected = ["0 0 0 8 1", "5000 0 8 8 0", "9000 0 16 8 1"]
    assert rows_of(written(tmp_path, op=values), tmp_path) == expected


@pytest.mark.parametrize(
    ("column", "values", "field"),
    [
        ("arrival_us", [0, -5, 9], "arrival"),
        ("op", ["read", "erase", "read"], "op"),
        ("op", ["read", None, "read"], "op"),
        ("start_sector", [0, -8, 16], "start_sector"),
        ("sectors", [8, None, 8], "sectors"),
        ("queue", [0, 65_536, 0], "queue"),
    ],
)
def test_bad_rows_are_named_or_skipped(
    column: str, values: list[object], field: str, tmp_path: Path
) -> None:
    path = written(tmp_path, **{column: values})
    message = rf"invalid `{field}`\n  --> .*own.parquet, record 2\n   = expected: "
    with pytest.raises(api.TraceError, match=message):
        api.trace_info(path)
    assert api.trace_info(path, skip_bad=1)["requests"] == 2


def test_more_rows_than_a_group_holds_come_back_the_same(tmp_path: Path) -> None:
    lines = [f"{1000 * n} {n % 5} {8 * n} 8 1" for n in range(600_000)]
    (tmp_path / "many.txt").write_text("".join(f"{line}\n" for line in lines))
    path = tmp_path / "many.parquet"
    api.convert_trace(tmp_path / "many.txt", path, format="mqsim-ascii")
    assert parquet.ParquetFile(path).num_row_groups > 1
    assert path.stat().st_size < len(lines), "regular requests take less than a byte each"
    assert rows_of(path, tmp_path) == lines


def test_picoseconds_and_the_end_of_the_clock_are_kept(tmp_path: Path) -> None:
    times = [0, 1, 999, 2**63, 2**64 - 1]
    count = len(times)
    columns = {
        "arrival_ps": pa.array(times, pa.uint64()),
        "op": ["write"] * count,
        "start_sector": [5] * count,
        "sectors": [3] * count,
    }
    parquet.write_table(pa.table(columns), tmp_path / "own.parquet")
    api.convert_trace(tmp_path / "own.parquet", tmp_path / "same.parquet")
    same = parquet.read_table(tmp_path / "same.parquet").to_pydict()
    zeros = dict.fromkeys(("queue", "pattern_set"), [0] * count)
    assert same == {**columns, "arrival_ps": times, **zeros}


def test_traces_are_opened_on_several_threads(tmp_path: Path) -> None:
    """Runs wait for the interpreter lock and for the list of traces, without a deadlock."""
    content = written(tmp_path).read_bytes()
    paths = [tmp_path / f"{number}.parquet" for number in range(40)]
    for path in paths:
        path.write_bytes(content)
    sweep = api.Sweep.of({}, [{"trace": [str(path) for path in paths]}])
    outcome = api.run_sweep(sweep, tmp_path / "out", workers=4)
    assert [report.requests.completed for _, report in outcome.results] == [3] * len(paths)


_WITHOUT_PYARROW = """
import sys
if {is_missing}: sys.modules["pyarrow"] = None
from venice.cli import main
sys.argv[1:] = {arguments!r}
try: main()
finally: print(sum(name.startswith("pyarrow.") for name in sys.modules), file=sys.stderr)
"""


def run_without_pyarrow(
    arguments: list[str], folder: Path, *, is_missing: bool
) -> tuple[int, list[str]]:
    """Run a command; return its exit code and its standard error."""
    program = _WITHOUT_PYARROW.format(is_missing=is_missing, arguments=arguments)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, check=False, capture_output=True, text=True
    )
    return done.returncode, done.stderr.splitlines()


@pytest.mark.parametrize(
    ("command", "where"),
    [
        (["trace", "info", "{}/parquet.bin"], "{}/parquet.bin"),
        (["run", "--trace", "{}/parquet.bin"], "{}/parquet.bin"),
        (["trace", "convert", "{}/msr-csv.txt", "-o", "out.parquet"], ""),
    ],
)
def test_a_missing_pyarrow_is_one_message(command: list[str], where: str, tmp_path: Path) -> None:
    arguments = [part.format(TRACES) for part in command]
    code, lines = run_without_pyarrow(arguments, tmp_path, is_missing=True)
    text = "\n".join(lines)
    assert code == 2, text
    assert "a Parquet trace needs pyarrow, which is not installed" in text
    assert "pip install 'venice-ssd[parquet]'" in text
    assert where.format(TRACES) in text
    assert "Traceback" not in text
    assert not list(tmp_path.iterdir())


def test_pyarrow_is_imported_for_parquet_alone(tmp_path: Path) -> None:
    code, lines = run_without_pyarrow(
        ["trace", "info", str(TRACES / "msr-csv.txt")], tmp_path, is_missing=False
    )
    assert (code, lines) == (0, ["0"])


def test_the_format_is_listed_for_users(venice: Callable[..., Outcome]) -> None:
    assert "parquet" in [name for name, _ in api.trace_formats()]
    assert "parquet" in api.written_formats()
    assert "\n  parquet " in venice("list").stdout
    outcome = venice("trace", "convert", TRACES / "msr-csv.txt", "-o", "x", "--to", "tencent-cbs")
    assert "parquet " in outcome.message
