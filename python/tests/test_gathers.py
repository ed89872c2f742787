"""Gathers of operands through the public interface: workloads, reports, sweeps, the study."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import venice
from venice.papers.experiments import suite
from venice.papers.registry import choose
from venice.papers.required_figures import require
from venice.papers.runner import reproduce
from venice.papers.size import Size
from venice.report.figure_paths import OF_DEMAND, OF_GATHERS, columns, figure
from venice.sweep import FIGURES

if TYPE_CHECKING:
    from pathlib import Path

    from venice.config import FabricName
    from venice.report import Report

_COPIES = "fabric.chip_to_chip=true"


def _gathered(fabric: FabricName = "venice", operands: int = 4, *sets: str) -> Report:
    return venice.run(
        workload="gather",
        fabric=fabric,
        requests=200,
        sets=[f"gather.operands={operands}", *sets],
        audit=True,
    )


def _mean_us(report: Report) -> float:
    return require(require(report.latency_us.gather).mean)


def test_every_operand_of_every_gather_comes_by_one_way_and_is_counted_with_its_bytes() -> None:
    for fabric in suite.EVERY:
        report = _gathered(fabric, 5, _COPIES)
        ways = require(report.gather)
        assert report.requests.gathers == ways.gathers == 200
        assert ways.operands == 1000
        assert ways.in_place + ways.copied_between_chips + ways.by_controller == 1000
        assert ways.bytes_between_chips == 4096 * ways.copied_between_chips
        assert ways.bytes_by_controller == 4096 * ways.by_controller
        assert (ways.copied_between_chips > 0) == (fabric in {"venice", "pnssd"}), fabric


def test_circuits_between_chips_make_a_gather_on_venice_faster_and_cross_the_fabric_less() -> None:
    out_and_in, copied = _gathered(), _gathered("venice", 4, _COPIES)
    assert _mean_us(copied) < 0.9 * _mean_us(out_and_in)
    assert (
        copied.path.transfers + require(copied.gather).copied_between_chips
        == out_and_in.path.transfers
    )
    assert copied.energy_uj["total"] < out_and_in.energy_uj["total"]


def test_a_result_that_stays_in_the_chip_does_not_cross_the_host_link() -> None:
    sent, kept = _gathered(), _gathered("venice", 4, "gather.result=flash")
    assert _mean_us(kept) < _mean_us(sent)
    assert kept.bandwidth_mb_per_s == 0.0
    assert require(sent.bandwidth_mb_per_s) > 0.0


def test_the_parts_of_a_gather_s_time_add_up() -> None:
    report = _gathered()
    assert sum(report.breakdown("gather").values()) == pytest.approx(_mean_us(report))
    assert report.breakdown() == report.breakdown("gather")
    assert sum(report.breakdown("read").values()) == 0.0


def test_a_workload_without_gathers_has_no_gather_figures() -> None:
    report = venice.run(workload="random-read", requests=50).to_dict()
    assert "gather" not in report
    assert "gather" not in report["latency_us"]
    assert "gathers" not in report["requests"]


def test_gathers_are_refused_with_a_write_cache_only() -> None:
    with pytest.raises(venice.WorkloadError, match=r"expected: cache.mode = \"off\" or \"read\""):
        _gathered("bus", 4, "cache.mode=write")
    assert _gathered("bus", 4, "cache.mode=read").requests.gathers == 200


def test_one_operand_is_refused_with_a_remedy() -> None:
    with pytest.raises(venice.ConfigError, match=r"gather.operands"):
        _gathered("bus", 1)


def test_a_sweep_has_columns_for_gathers_where_some_run_gathers() -> None:
    gathers = _gathered()
    assert columns([gathers]) == (*FIGURES, *OF_DEMAND, *OF_GATHERS)
    assert all(figure(gathers, way) is not None for way in OF_GATHERS)
    assert columns([venice.run(workload="random-read", requests=20)]) == (
        *FIGURES,
        *OF_DEMAND,
    )


def test_the_study_lists_every_design_and_load(tmp_path: Path) -> None:
    (study,) = choose(["gathering"])
    size = Size("tiny", 30, most_values=2)
    every = study.points(size)
    assert len(every) == 15 * (2 + 2 * 2 + 2) + 9 * 2
    designs = {"Baseline", "pnSSD, column copies", "Venice, best, circuits"}
    sensed = {"AND, single pages", "AND, Flash-Cosmos"}
    some = [point for point in every if point.choices["design"] in designs | sensed]
    part = replace(study, points=lambda _size: some)
    done = reproduce([part], tmp_path, size, pictures=False)
    assert done.outcome is not None
    assert not done.outcome.failed
    finding = done.findings["gathering"]
    assert len(finding.rows) == 3 * 2 * 3 + 2 * 2
    place = finding.columns.index
    for row in finding.rows:
        if row[0] in sensed:
            once = row[0] == "AND, Flash-Cosmos"
            assert row[place("senses_per_gather")] == (1 if once else row[place("operands")])
            assert row[place("wrong_bits_per_result")] > 0
            continue
        assert row[place("copied_between_chips")] + row[place("by_controller")] > 0, row
        assert (row[place("copied_between_chips")] > 0) <= (row[0] != "Baseline"), row
    assert "Operands gathered on one chip" in finding.text
