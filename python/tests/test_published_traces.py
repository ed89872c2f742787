"""Real traces, if available: no request is lost, and the ideal drive is the fastest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import venice
from venice.papers.required_figures import require

from . import real_traces
from .slow import nightly_among

if TYPE_CHECKING:
    from pathlib import Path

TRACES = (real_traces.TRACES[0], real_traces.TRACES[4], real_traces.TRACES[1])
NO_FASTER_THAN_IDEAL = ("bus", "pnssd", "nossd", "venice")
"""Fabrics whose links are at most as fast as the ideal drive's; those of pSSD are twice as fast."""


@pytest.fixture(scope="module", params=TRACES, ids=lambda trace: trace.file)
def reports(
    request: pytest.FixtureRequest, published_traces: Path
) -> tuple[int, dict[str, venice.Report]]:
    """Run a trace on every fabric."""
    trace = published_traces / request.param.file
    found = venice.compare(trace=trace, devices=request.param.devices, fold=True)
    return venice.trace_info(trace)["requests"], {report.fabric: report for report in found}


def test_every_request_is_completed(reports: tuple[int, dict[str, venice.Report]]) -> None:
    requests, found = reports
    assert sorted(found) == sorted(venice.paper_fabric_names())
    for report in found.values():
        assert report.requests.submitted == report.requests.completed == requests
        assert not report.workload.synthetic


def test_no_link_of_its_rate_beats_the_ideal_drive(
    reports: tuple[int, dict[str, venice.Report]],
) -> None:
    _, found = reports
    ideal = require(found["ideal"].latency_us.all.mean)
    for fabric in NO_FASTER_THAN_IDEAL:
        assert ideal < require(found[fabric].latency_us.all.mean), fabric
    assert found["ideal"].path.requests_conflict_pct == 0


@pytest.mark.parametrize("rate", nightly_among(real_traces.RATES, (10, 100)))
@pytest.mark.parametrize("trace", real_traces.TRACES[3:5], ids=lambda trace: trace.file)
def test_every_request_is_completed_at_every_rate(
    published_traces: Path, trace: real_traces.Trace, rate: int
) -> None:
    requests = venice.trace_info(published_traces / trace.file)["requests"]
    for fabric in venice.fabric_names():
        found = venice.run(
            trace=published_traces / trace.file,
            devices=trace.devices,
            fabric=fabric,
            rate_scale=float(rate),
            fold=True,
        )
        assert found.requests.submitted == found.requests.completed == requests, fabric
