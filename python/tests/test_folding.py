"""A trace that exceeds the drive is refused unless `--fold` is given, and is reported."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice import Sweep, run_sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

REQUESTS = 200
SECTORS = 748_934_144
"""Sectors of the default drive."""


@pytest.fixture
def too_large(tmp_path: Path) -> Path:
    """Write a trace in which every fourth request lies beyond the end of the drive."""
    return written(tmp_path, beyond=REQUESTS // 4)


def written(folder: Path, beyond: int) -> Path:
    """Write a trace whose last `beyond` requests lie beyond the end of the drive."""
    path = folder / "trace.txt"
    starts = [8 * n if n >= beyond else SECTORS + 8 * n for n in range(REQUESTS)][::-1]
    path.write_text("".join(f"{n * 20_000} 0 {start} 8 1\n" for n, start in enumerate(starts)))
    return path


@pytest.mark.parametrize("command", ["run", "compare"])
def test_a_trace_that_does_not_fit_is_refused(
    command: str, too_large: Path, venice: Callable[..., Outcome]
) -> None:
    outcome = venice(command, "--trace", too_large, "--format", "mqsim-ascii", "--json", "-")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert outcome.errors == 1
    for part in ("50 of 200 requests (25.0 %)", "357.120 GiB", "--fold wraps"):
        assert part in outcome.message


def test_it_is_refused_before_the_drive_is_built(
    too_large: Path, venice: Callable[..., Outcome]
) -> None:
    # Preconditioning of this drive takes minutes.
    sets = ("precondition.mode=steady_state", "flash.blocks_per_plane=1024")
    options = [word for one in sets for word in ("--set", one)]
    outcome = venice("run", "--trace", too_large, "--format", "mqsim-ascii", *options)
    assert outcome.code == 2


def test_what_is_read_once_only_is_refused_too(tmp_path: Path, too_large: Path) -> None:
    import os  # noqa: PLC0415
    import threading  # noqa: PLC0415

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    feed = threading.Thread(target=lambda: pipe.write_bytes(too_large.read_bytes()))
    feed.start()
    with pytest.raises(api.TraceError, match=r"50 of 200 requests \(25\.0 %\) lie beyond"):
        api.run(trace=pipe, format="mqsim-ascii")
    feed.join()


def test_a_share_up_to_the_limit_is_wrapped_and_reported(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    requested = ("run", "--trace", "trace.txt", "--format", "mqsim-ascii")
    written(tmp_path, beyond=2)
    outcome = venice(*requested)
    assert (outcome.code, outcome.stderr) == (0, "")
    assert "2 requests (1.0 %) lie beyond the drive" in outcome.stdout
    assert venice(*requested, "--most-folded-pct", 0.9).code == 2
    written(tmp_path, beyond=3)
    assert venice(*requested).code == 2
    assert venice(*requested, "--most-folded-pct", 1.5).code == 0


def test_fold_wraps_requests_and_adds_a_column(
    too_large: Path, venice: Callable[..., Outcome]
) -> None:
    options = ("--trace", too_large, "--format", "mqsim-ascii", "--fold", "--json", "out.json")
    outcome = venice("compare", *options, "--fabrics", "bus,venice")
    assert (outcome.code, outcome.stderr) == (0, "")
    head, *rows = outcome.stdout.split("\n\n")[0].strip("\n").splitlines()[1:]
    assert "% of req." in head
    assert all(row.split()[-2] == "25.00" for row in rows[1:]), rows
    assert "venice-performance of 357.1 GiB" in outcome.stdout
    reports = json.loads((too_large.parent / "out.json").read_text())
    assert [report["workload"]["folded"] for report in reports] == [50, 50]
    assert [report["capacity_bytes"] for report in reports] == [SECTORS * 512] * 2


def test_to_fold_and_a_limit_contradict_each_other(too_large: Path) -> None:
    with pytest.raises(api.UsageError, match="expected: one of them"):
        api.run(trace=too_large, fold=True, most_folded_pct=2.0)
    with pytest.raises(api.UsageError, match="from 0 to 100"):
        api.run(trace=too_large, most_folded_pct=101.0)
    with pytest.raises(api.UsageError, match="requires a trace"):
        api.run(workload="random-read", most_folded_pct=2.0)


def test_a_sweep_refuses_and_folds_as_a_run_does(
    too_large: Path, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "sweep.toml").write_text(
        f'[scenario]\ntrace = "{too_large}"\nformat = "mqsim-ascii"\n'
        '[[axis]]\nfabric = ["bus", "venice"]\n'
    )
    refused = venice("sweep", "sweep.toml", "--out", "out")
    assert refused.code == 2
    assert refused.stderr.count("50 of 200 requests (25.0 %) lie beyond the drive") == 2
    done = venice("sweep", "sweep.toml", "--out", "out", "--fold")
    assert (done.code, done.stderr) == (0, "")
    rows = done.stdout.strip().splitlines()
    assert rows[0].split()[-2:] == ["folded", "%"]
    assert [row.split()[-1] for row in rows[2:4]] == ["25.0", "25.0"]
    with (tmp_path / "out" / "results.csv").open() as file:
        assert [
            (row["workload.folded"], row["workload.skipped_bad"], row["workload.format"])
            for row in csv.DictReader(file)
        ] == [("50", "0", "mqsim-ascii")] * 2
    # A stored run with --fold does not permit one without it.
    assert venice("sweep", "sweep.toml", "--out", "out").code == 2


def test_a_stored_run_is_found_with_and_without_fold(tmp_path: Path) -> None:
    trace = written(tmp_path, beyond=1)
    base = {"trace": str(trace), "format": "mqsim-ascii"}
    first = run_sweep(Sweep.of(base, [{"fabric": ["bus"]}]), tmp_path / "out")
    again = run_sweep(Sweep.of({**base, "fold": True}, [{"fabric": ["bus"]}]), tmp_path / "out")
    assert (first.found, again.found) == (0, 1)
