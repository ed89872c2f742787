"""A run that reaches the end of the simulator's clock ends with its report."""

from __future__ import annotations

import pytest

import venice
from venice.report.criterion_notes import clock_notes

DAY_US = 86_400e6


def run(days: float) -> venice.Report:
    """Read a page at the start and another one after `days` days."""
    requests = [venice.Request("read", 0, 4096, at_us) for at_us in (0.0, days * DAY_US)]
    return venice.run(source=requests, fabric="bus")


def test_a_request_that_the_clock_reaches_is_served() -> None:
    """A run of months of simulated time needs no special treatment."""
    report = run(150)
    assert report.requests.completed == 2
    assert report.makespan_us == pytest.approx(150 * DAY_US)
    assert clock_notes(report) == []


def test_a_request_near_the_end_of_the_clock_ends_the_run_with_its_report() -> None:
    """The earlier request is reported, and the screen states why the run ended."""
    report = run(170)
    assert report.requests.completed == 1
    assert report.to_dict()["ended_by_clock"] is True
    [note] = clock_notes(report)
    assert "1 requests" in note
