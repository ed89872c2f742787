"""The check of reports accepts the engine's reports and finds every kind of contradiction."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

import venice as api

from .report_consistency import inconsistencies

if TYPE_CHECKING:
    from collections.abc import Callable

    Figures = dict[str, Any]

_SMALL = (
    "array.rows=2",
    "array.cols=2",
    "flash.blocks_per_plane=24",
    "flash.pages_per_block=32",
    "precondition.mode=steady_state",
)


@pytest.fixture(scope="module")
def text() -> str:
    """Return a report with every part that is checked."""
    report = api.run(
        sets=[*_SMALL, "host.scheduler.scheme=piq", "host.scheduler.drive_slots=2"],
        workload="mixed-70-30",
        requests=1500,
        warmup=200,
        interval=6,
        slowest=5,
        distributions=True,
        causes=True,
    )
    return report.to_json()


@pytest.fixture
def figures(text: str) -> Figures:
    """Return a new copy of the report, which a test may change."""
    return dict(json.loads(text))


def _falls(figures: Figures) -> None:
    figures["queues"][0]["latency_us"]["read"]["p90"] = 0.0


def _mean_above_maximum(figures: Figures) -> None:
    latency = figures["device_latency_us"]["write"]
    latency["mean"] = 2 * latency["max"]


def _lost_request(figures: Figures) -> None:
    figures["requests"]["completed"] -= 1


def _failed_request(figures: Figures) -> None:
    figures["requests"]["failed"] = 1


def _share(figures: Figures) -> None:
    figures["utilisation"]["chip_pct_by_chip"][2] = 100.5


def _not_a_number(figures: Figures) -> None:
    figures["path"]["mean_hops"] = float("nan")


def _stage(figures: Figures) -> None:
    figures["breakdown_us"]["read"]["transfer"] += 0.01


def _cause(figures: Figures) -> None:
    figures["chip_wait_causes_us"]["write"]["erases"] += 0.01


def _behind(figures: Figures) -> None:
    figures["chip_wait_behind_us"]["write"]["erases"] += 0.01


def _slow_stage(figures: Figures) -> None:
    figures["slowest"][1]["stages_us"]["queue"] += 1.0


def _order(figures: Figures) -> None:
    figures["slowest"].reverse()


def _interval(figures: Figures) -> None:
    figures["time_series"]["write"]["count"][3] += 1


def _interval_percentile(figures: Figures) -> None:
    figures["time_series"]["read"]["p99_us"][2] = 1e9


def _energy(figures: Figures) -> None:
    figures["energy_uj"]["dram"] *= 1.001


def _window(figures: Figures) -> None:
    figures["energy_window_us"] = figures["makespan_us"] - 1.0


def _rate(figures: Figures) -> None:
    figures["iops"] *= 1.01


def _bandwidth(figures: Figures) -> None:
    figures["bandwidth_mb_per_s"] *= 1.01


def _gap(figures: Figures) -> None:
    figures["phases"][1]["start_us"] += 1.0


def _histogram(figures: Figures) -> None:
    figures["distributions"]["queues"][0]["latency"]["read"]["histogram"].pop()


def _depths(figures: Figures) -> None:
    figures["distributions"]["requests_by_depth"]["1"] = 7


def _cumulated(figures: Figures) -> None:
    figures["latency_cdf"][5][1] = 0.0


def _chip(figures: Figures) -> None:
    figures["utilisation"]["chip_pct"] /= 2


def _hops(figures: Figures) -> None:
    figures["path"]["hop_counts"][0] += 1


def _look_ups(figures: Figures) -> None:
    figures["mapping"]["read_hits"] = figures["mapping"]["hits"] + 1


def _programs(figures: Figures) -> None:
    figures["flash"]["host_programs"] = figures["flash"]["programs"] + 1


def _batches(figures: Figures) -> None:
    figures["scheduler"]["batch_sizes"]["read"]["count"] += 1


def _arrivals(figures: Figures) -> None:
    figures["demand"]["issued"][0] += 1


_CHANGES = (
    _falls,
    _mean_above_maximum,
    _lost_request,
    _failed_request,
    _share,
    _not_a_number,
    _stage,
    _cause,
    _behind,
    _slow_stage,
    _order,
    _interval,
    _interval_percentile,
    _energy,
    _window,
    _rate,
    _bandwidth,
    _gap,
    _histogram,
    _depths,
    _cumulated,
    _chip,
    _hops,
    _look_ups,
    _programs,
    _batches,
    _arrivals,
)


def test_a_report_of_the_engine_is_consistent(figures: Figures) -> None:
    assert inconsistencies(figures) == []


@pytest.mark.parametrize("change", _CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_a_contradiction_is_found(figures: Figures, change: Callable[[Figures], None]) -> None:
    change(figures)
    assert inconsistencies(figures) != []


def test_every_report_that_a_test_makes_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    # The name of conftest's module depends on how the tests are started.
    conftest = next(
        module for name, module in sys.modules.items() if name.endswith("tests.conftest")
    )
    monkeypatch.setattr(conftest, "inconsistencies", lambda _: ["wrong"])
    with pytest.raises(AssertionError):
        api.run(workload="random-read", requests=5)
