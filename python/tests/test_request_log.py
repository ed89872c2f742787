"""The request log: a row for every request, whose stages add up."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import TYPE_CHECKING, Literal

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from polars.testing import assert_frame_equal
from pyarrow import parquet

import venice as api
from venice.observation.request_log import RequestLog
from venice.papers.required_figures import require

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

STAGES = (
    "queue_ps",
    "mapping_ps",
    "chip_wait_ps",
    "path_wait_ps",
    "transfer_ps",
    "array_ps",
    "host_link_ps",
    "cache_ps",
    "firmware_ps",
    "decoding_ps",
)


def test_every_request_is_a_row(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    options = "--workload mixed-70-30 --requests 5000 --request-log log.parquet --json out.json"
    outcome = venice("run", *options.split())
    assert outcome.code == 0
    table = parquet.read_table(tmp_path / "log.parquet")
    report = api.Report.load(tmp_path / "out.json")
    assert sorted(table["number"].to_pylist()) == list(range(5000))
    assert pc.sum(pc.equal(table["op"].cast(pa.string()), "read")).as_py() == report.requests.reads
    assert pc.max(table["completed_ps"]).as_py() / 1e6 == pytest.approx(report.makespan_us)


def test_a_log_of_searches_can_be_replayed(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    run = ("run", "--drive", "pif", "--closed-loop", "1")
    first = "--workload search --requests 4 --request-log log.parquet --json first.json"
    assert venice(*run, *first.split()).code == 0
    table = parquet.read_table(tmp_path / "log.parquet")
    assert table["op"].cast(pa.string()).to_pylist() == ["search"] * 4
    outcome = venice(*run, "--trace", "log.parquet", "--json", "again.json")
    assert outcome.code == 0, outcome.stderr
    reports = [api.Report.load(tmp_path / name) for name in ("first.json", "again.json")]
    pages = [report.to_dict()["search"]["pages"] for report in reports]
    assert pages[0] == pages[1] > 0
    assert [report.requests.reads for report in reports] == [0, 0]


def test_the_stages_of_every_row_add_up_to_its_latency() -> None:
    file = io.BytesIO()
    with RequestLog(file) as log:
        report = api.run(workload="zipf-mixed", requests=300_000, log=log)
    table = parquet.read_table(file)
    assert parquet.ParquetFile(file).num_row_groups > 1
    stages = sum((table[stage].to_numpy() for stage in STAGES[1:]), table[STAGES[0]].to_numpy())
    latencies_ps = table["completed_ps"].to_numpy() - table["arrival_ps"].to_numpy()
    assert (stages == latencies_ps).all()
    assert latencies_ps.mean() / 1e6 == pytest.approx(report.latency_us.all.mean, rel=1e-9)
    share = 100 * table["conflicted"].to_numpy().mean()
    assert share == pytest.approx(report.path.requests_conflict_pct)


def test_with_a_scheduler_the_log_has_its_waits_and_conflicts() -> None:
    file = io.BytesIO()
    with RequestLog(file) as log:
        sets = ["host.scheduler.scheme=piq_plus", "host.scheduler.issue=without_conflicts"]
        report = api.run(drive="piq-128gb", workload="hm_0", requests=3000, sets=sets, log=log)
    table = parquet.read_table(file)
    reads = table.filter(pc.equal(table["op"].cast(pa.string()), "read"))
    waited_ps = reads["handed_over_ps"].to_numpy() - reads["arrival_ps"].to_numpy()
    found = require(report.scheduler)
    assert waited_ps.mean() / 1e6 == pytest.approx(found.waiting_us.read.mean)
    assert waited_ps.max() > 0
    for kind in ("read", "write"):
        share = 100 * reads[f"met_{kind}"].to_numpy().mean()
        assert share == pytest.approx(found.conflicts_pct[f"read_{kind}"])


def test_the_log_changes_nothing() -> None:
    plain = api.run(workload="zipf-mixed", requests=2000)
    with RequestLog(io.BytesIO()) as log:
        logged = api.run(workload="zipf-mixed", requests=2000, log=log)
    assert logged.latency_us == plain.latency_us


def test_a_missing_pyarrow_is_said_before_the_run(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from venice.cli import main\n"
        "sys.argv[1:] = '--workload random-read --requests 9 --request-log log.parquet'.split()\n"
        "sys.argv.insert(1, 'run'); main()"
    )
    reported = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert reported.returncode == 2
    assert "pip install 'venice-ssd[parquet]'" in reported.stderr
    assert not list(tmp_path.iterdir())


def with_text(table: pa.Table) -> pa.Table:
    """Decode columns of words that are stored as numbers in a dictionary."""

    def written_out(field: pa.Field) -> pa.Field:
        return field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field

    return table.cast(pa.schema([written_out(field) for field in table.schema]))


@pytest.mark.parametrize("compression", ["zstd", "lz4", "snappy", "none"])
def test_the_file_has_the_rows_and_types_of_the_table(
    compression: Literal["zstd", "lz4", "snappy", "none"],
) -> None:
    scenario = api.Scenario(workload="zipf-mixed", requests=70_001, warmup=500)
    file = io.BytesIO()
    with RequestLog(file, columns="all", compression=compression) as log:
        api.run(**scenario, log=log)
    whole = pa.table(api.run(**scenario, request_table="all").request_table)
    read = parquet.read_table(file)
    # Numbers of words depend on their first occurrence in a row group; old releases of pyarrow use
    # 32 bits.
    written, kept = with_text(read), with_text(whole)
    assert written.schema.equals(kept.schema, check_metadata=True)
    assert written.equals(kept)
    assert [pa.types.is_dictionary(kind) for kind in read.schema.types] == [
        pa.types.is_dictionary(kind) for kind in whole.schema.types
    ]
    assert_frame_equal(
        pl.read_parquet(file.getvalue()), pl.DataFrame(whole), categorical_as_str=True
    )


def test_rows_of_several_runs_are_in_one_file() -> None:
    file = io.BytesIO()
    with RequestLog(file, columns=["number"]) as log:
        for requests in (10, 5):
            api.run(workload="random-read", requests=requests, log=log)
    assert sorted(parquet.read_table(file)["number"].to_pylist()) == sorted([*range(10), *range(5)])


def test_a_log_of_no_run_is_a_table_without_rows() -> None:
    file = io.BytesIO()
    with RequestLog(file, columns=["number", "op"]):
        pass
    assert parquet.read_table(file).num_rows == 0
    assert pl.read_parquet(file.getvalue()).columns == ["number", "op"]


def test_a_log_outside_its_block_is_refused() -> None:
    with pytest.raises(api.UsageError, match="the RequestLog is not open"):
        api.run(workload="random-read", requests=9, log=RequestLog(io.BytesIO()))
    with (
        pytest.raises(
            api.UsageError, match="unknown compression `gzip` of a request log; expected: one of z"
        ),
        RequestLog(io.BytesIO(), compression="gzip"),  # type: ignore[arg-type]
    ):
        pass


def test_every_row_states_its_dominant_cause() -> None:
    file = io.BytesIO()
    small = [
        "array.rows=2",
        "array.cols=2",
        "flash.blocks_per_plane=16",
        "flash.pages_per_block=32",
    ]
    with RequestLog(file, columns="all") as log:
        api.run(
            workload="mixed-70-30",
            requests=4000,
            sets=[*small, "precondition.mode=steady_state"],
            log=log,
        )
    table = parquet.read_table(file)
    behind, waited = (table[name].to_numpy() for name in ("chip_wait_behind_ps", "chip_wait_ps"))
    assert (behind <= waited).all()
    reasons = set(table["owes_most_to"].cast(pa.string()).to_pylist())
    assert {"array", "host_array", "collection_programs"} <= reasons
    assert set(table["chip"].to_pylist()) == {0, 1, 2, 3}
