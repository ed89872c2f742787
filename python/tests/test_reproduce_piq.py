"""PIQ's experiments: their loads, the paper's figures, and differences of the schemes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import venice as venice_api
from venice import UsageError
from venice.papers import GOLDEN, Size, choose, reproduce, traces
from venice.papers.experiments import piq_claims, piq_suite
from venice.papers.experiments.piq_bound import most_waiting
from venice.papers.experiments.piq_saturation import at_share, rate_scale

_SMALL = Size("small", 1000, most_values=2)
_TRACES = Path(__file__).parents[2] / "conformance" / "traces"


@pytest.fixture(autouse=True)
def no_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (traces.FOLDER, traces.SHARED):
        monkeypatch.delenv(name, raising=False)


def test_stand_ins_offer_the_configured_share_of_the_bandwidth() -> None:
    (first, last) = piq_suite.loads(_SMALL, share=0.25)
    assert (first.name, last.name) == ("hm_0", "web_1")
    for load in (first, last):
        size_kb, gap_us = piq_suite.STAND_INS[load.name]
        offered_mb_per_s = size_kb * 1024 / gap_us * load.scenario["rate_scale"]
        assert offered_mb_per_s == pytest.approx(0.25 * 8 * 40, rel=1e-3)


def test_traces_in_a_folder_that_is_named_take_their_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    msr = tmp_path / "traces" / "msr"
    msr.mkdir(parents=True)
    for name in ("msr-csv.txt", "spc.txt"):
        (msr / name).write_bytes((_TRACES / name).read_bytes())
    named = replace(_SMALL, traces=msr)
    assert [load.name for load in piq_suite.loads(named)] == ["msr-csv", "spc"]
    assert piq_suite.regime(named) == "2 traces at their own times, 10,000 requests of each at most"
    for variable, folder in ((traces.FOLDER, msr), (traces.SHARED, tmp_path)):
        with monkeypatch.context() as environment:
            environment.setenv(variable, str(folder))
            assert [load.name for load in piq_suite.loads(_SMALL)] == ["msr-csv", "spc"]
            assert not traces.available_traces(GOLDEN).traces, "pinned figures need no other files"


def test_a_folder_without_traces_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="which is not a folder"):
        piq_suite.loads(replace(_SMALL, traces=tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="which has no file"):
        piq_suite.loads(replace(_SMALL, traces=tmp_path))


def test_traces_of_several_formats_stand_side_by_side_and_other_files_are_passed_over(
    tmp_path: Path,
) -> None:
    kept = ("fiu-blkparse.txt", "replay-ms.txt", "spc.txt", "vscsi-csv.txt")
    for name in kept:
        (tmp_path / name).write_bytes((_TRACES / name).read_bytes())
    (tmp_path / "spc.trace").write_bytes((_TRACES / "spc.txt").read_bytes())
    for name in ("README.md", "notes.txt", ".hidden"):
        (tmp_path / name).write_text("what these traces are\n")
    found = traces.available_traces(replace(_SMALL, traces=tmp_path))
    names = ["fiu-blkparse", "replay-ms", "spc.trace", "spc.txt", "vscsi-csv"]
    assert sorted(found.traces) == names, "two of one name keep their endings"
    assert sorted(found.passed_over) == ["README.md", "notes.txt"]
    assert found.complaint is not None
    assert found.complaint.startswith("skipped README.md and 1 more: no trace that can be read")


def test_a_folder_of_other_files_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("what these traces are\n")
    with pytest.raises(UsageError, match=r"has none that can be read; skipped notes\.txt"):
        piq_suite.loads(replace(_SMALL, traces=tmp_path))


def test_waiting_that_weighs_little_is_taken_first() -> None:
    # A mean of 10 points is a sum of 20 on two traces: all 15 of the first, and 5 of the second.
    assert most_waiting([(0.3, 0.5), (1.0, 0.5)], 10.0) == pytest.approx(100 * (0.5 + 0.05) / 2)
    assert most_waiting([], 10.0) == 0


def test_the_worked_examples_take_the_cycles_that_the_paper_draws(tmp_path: Path) -> None:
    chosen = choose(["piq-fig5", "piq-fig6", "piq-fig7"])
    done = reproduce(chosen, tmp_path, _SMALL, pictures=False)
    rows = {
        (name, row[0], row[1]): row[2] for name in done.findings for row in done.findings[name].rows
    }
    assert rows["piq-fig5", "noop", "cycles"] == 3
    assert (rows["piq-fig5", "piq", "cycles"], rows["piq-fig5", "piq", "batches"]) == (2, 2)
    assert rows["piq-fig6", "noop", "cycles"] == 6
    assert (rows["piq-fig7", "piq", "cycles"], rows["piq-fig7", "piq", "batches"]) == (4, 4)
    assert all(claim.is_reproduced for claim in done.claims)


def test_nineteen_claims_are_judged_once_each_at_one_setting(tmp_path: Path) -> None:
    done = reproduce(choose(["piq-claims"]), tmp_path, GOLDEN, pictures=False)
    texts = [claim.claim for claim in done.claims]
    assert len(texts) == len(set(texts)) == len(piq_claims.PRINTED_MEANS) == 19
    assert len({claim.regime for claim in done.claims}) == 1
    ours = {claim.claim: claim.ours for claim in done.claims}
    assert all(isinstance(value, float) for value in ours.values()), ours


def test_leaving_one_load_out_spans_the_means_of_the_others() -> None:
    stated = next(of for of in piq_claims.PRINTED_MEANS if of.scheme == "piq" and of.way == "read")
    assert stated.reported([0.5, 0.7, 0.9]) == pytest.approx(-30)
    claim = piq_claims.claim_of(stated, [0.5, None, 0.7, 0.9], "here")
    assert claim.note == "3 traces; leaving one out: -40 to -20"


def test_a_mean_over_some_traces_states_their_number_and_names(tmp_path: Path) -> None:
    home = tmp_path / "traces"
    home.mkdir()
    # Alternating reads and writes, and reads alone.
    for name, op in (("mixed", (0, 1)), ("reads", (1, 1))):
        lines = (f"{10_000 * it} 0 {8 * it} 8 {op[it % 2]}" for it in range(200))
        (home / f"{name}.trace").write_text("\n".join(lines) + "\n")
    size = replace(_SMALL, requests=200, traces=home)
    done = reproduce(choose(["piq-claims"]), tmp_path / "out", size, pictures=False)
    assert all(claim.regime.startswith("1 of 2 traces at their own") for claim in done.claims)
    assert "Means are over 1: mixed." in done.findings["piq-claims"].summary
    waits = [claim for claim in done.claims if claim.claim.startswith("waiting of")]
    assert len(waits) == 5
    assert all("in the host's queue alone" in claim.note for claim in waits)


def test_waiting_in_the_hosts_queue_is_the_first_part_of_all_waiting() -> None:
    report = venice_api.run(
        drive=piq_suite.DRIVE, workload="hm_0", requests=500, rate_scale=0.05,
        sets=("host.scheduler.scheme=piq", *piq_suite.IN_ORDER.sets),
    )  # fmt: skip
    for way in ("read", "write"):
        alone, every = piq_suite.queued(report, way), piq_suite.waiting(report, way)
        assert alone is not None
        assert every is not None
        assert 0 < alone < every
        assert alone == pytest.approx(report.breakdown_us[way]["queue"], rel=0.01)


def test_a_share_of_saturation_is_that_of_the_rate_that_the_drive_sustains() -> None:
    (load, *_) = piq_suite.loads(_SMALL)
    whole = rate_scale(load, "bus", 1.0, 400)
    assert rate_scale(load, "bus", 0.25, 400) == pytest.approx(whole / 4, rel=1e-3)
    assert at_share(load, "bus", 0.25, 400).scenario["rate_scale"] == pytest.approx(
        whole / 4, rel=1e-3
    )
    assert rate_scale(load, "ideal", 0.25, 400) > whole / 4, "a drive that sustains more"


def test_more_entries_help_and_one_is_enough_for_no_choice(tmp_path: Path) -> None:
    done = reproduce(choose(["piq-fig18"]), tmp_path, _SMALL, pictures=False)
    (one, many) = done.findings["piq-fig18"].rows
    assert (one[0], many[0]) == (1, 512)
    assert list(one[1:]) == [0.0, 0.0, 0.0, 0.0]
    assert many[1] < -2, "reads gain by more entries"


def test_on_every_fabric_batches_shorten_the_hosts_queue_of_a_drive_in_order(
    tmp_path: Path,
) -> None:
    size = Size("small", 300, most_values=2)
    done = reproduce(choose(["piq-fabrics-time"]), tmp_path, size, pictures=False)
    time = {tuple(row[:5]): row[5] for row in done.findings["piq-fabrics-time"].rows}
    fabrics = {key[3] for key in time}
    assert fabrics == {"bus", "pssd", "pnssd", "nossd", "venice", "ideal"}
    for fabric in fabrics:
        queue = {
            (way, scheme): time[way, scheme, "read", fabric, "queue"]
            for way, scheme in (("in_order", "noop"), ("in_order", "piq"), ("paq", "noop"))
        }
        in_order = queue["in_order", "noop"]
        assert queue["in_order", "piq"] < in_order > queue["paq", "noop"], fabric
    assert time["in_order", "noop", "read", "ideal", "path_wait"] == 0


@pytest.mark.parametrize("name", ["piq-paths", "piq-collection"])
def test_extensions_show_the_means_of_their_table(name: str, tmp_path: Path) -> None:
    size = Size("small", 60, most_values=2)
    (finding,) = reproduce(choose([name]), tmp_path, size, pictures=False).findings.values()
    means: dict[str, str] = {}
    for *_, kind, load, change in finding.rows:
        if load == "mean" and change is not None:
            means.setdefault(kind, f"{change:+.1f}")
    shown = f"{means['read']} / {means['write']}".replace("+0.0", "0.0").replace("-0.0", "0.0")
    assert shown in finding.summary
    assert shown in finding.text
