"""A host scheduler in Python orders requests like the same scheduler of the engine."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

import venice
from venice.papers.required_figures import require

if TYPE_CHECKING:
    from venice import QueuedRequest, ServedRequest

SCENARIO: dict[str, Any] = {
    "fabric": "bus",
    "workload": "mixed-70-30",
    "requests": 2000,
    "sets": ["host.scheduler.scheme=noop", "host.scheduler.drive_slots=2", "array.rows=2"],
}


class Fifo:
    """First come, first served."""

    def __init__(self) -> None:
        self.waiting: deque[int] = deque()

    def add(self, request: QueuedRequest) -> None:
        """Queue a request."""
        self.waiting.append(request.id)

    def next(self, now_us: float) -> int | None:
        """Return the oldest request."""
        assert now_us >= 0
        return self.waiting.popleft() if self.waiting else None


class Lifo(Fifo):
    """Last come, first served."""

    def next(self, now_us: float) -> int | None:
        """Return the newest request."""
        assert now_us >= 0
        return self.waiting.pop() if self.waiting else None


def figures(report: venice.Report) -> dict[str, Any]:
    """Return a report without the scheduler's name and the wall time."""
    content = report.to_dict()
    scheduler = {**content["scheduler"], "scheme": None}
    return {**content, "config": None, "wall_s": None, "scheduler": scheduler}


def test_first_come_first_served_in_python_gives_the_report_of_noop() -> None:
    """Every figure is the same; with a scheduler of another order the figures differ."""
    built_in = venice.run(**SCENARIO)
    ours = venice.run(host_scheduler=Fifo, **SCENARIO)
    assert figures(ours) == figures(built_in)
    assert figures(venice.run(host_scheduler=Lifo, **SCENARIO)) != figures(built_in)


def test_the_report_has_its_name() -> None:
    """The name is in the same field as that of a built-in scheduler, and in the configuration."""
    content = venice.run(host_scheduler=Fifo, **SCENARIO).to_dict()
    assert content["scheduler"]["scheme"] == "Fifo"
    assert content["config"]["host"]["scheduler"]["scheme"] == "Fifo"


def test_each_run_of_a_comparison_has_one_of_its_own() -> None:
    """State of one run's scheduler is not shared with the next."""
    made: list[Fifo] = []

    def fifo() -> Fifo:
        made.append(Fifo())
        return made[-1]

    scenario = {**SCENARIO, "fabric": None}
    reports = venice.compare(fabrics=["bus", "ideal"], host_scheduler=fifo, **scenario)
    assert [report.requests.completed for report in reports] == [2000, 2000]
    assert len(made) == 2


def test_it_is_notified_of_requests_and_completions() -> None:
    """All fields have the documented values and units."""
    added: list[QueuedRequest] = []
    served: list[tuple[ServedRequest, float]] = []

    class RecordsQueue(Fifo):
        def add(self, request: QueuedRequest) -> None:
            added.append(request)
            super().add(request)

        def completed(self, done: ServedRequest, now_us: float) -> None:
            served.append((done, now_us))

    requests = [venice.Request("write", 8192, 4096, 3.0), venice.Request("read", 0, 512, 5.5)]
    scenario = {**SCENARIO, "workload": None, "requests": None}
    report = venice.run(source=requests, host_scheduler=RecordsQueue, **scenario)
    assert [request[1:] for request in added] == [
        ("write", 8192, 4096, 0, 3.0),
        ("read", 0, 512, 0, 5.5),
    ]
    assert sorted(done.op for done, _ in served) == ["read", "write"]
    last, at_us = served[-1]
    assert last.latency_us == pytest.approx(report.latency_us.all.max)
    assert 0 < last.drive_us <= last.latency_us < at_us


def test_it_is_woken_at_the_requested_time() -> None:
    """The requests that the scheduler held until then are issued."""
    woken: list[float] = []

    class Waits(Fifo):
        def next(self, now_us: float) -> int | None:
            return super().next(now_us) if now_us >= 500 else None

        def wakes_at(self) -> float | None:
            return 500.0 if self.waiting else None

        def woken(self, now_us: float) -> None:
            woken.append(now_us)

    scenario = {**SCENARIO, "workload": None, "requests": None}
    requests = [venice.Request("read", 0, 4096, 3.0)]
    report = venice.run(source=requests, host_scheduler=Waits, **scenario)
    assert woken == [500.0]
    assert require(report.latency_us.all.max) > 497


@pytest.mark.parametrize("wakes_at", [math.inf, math.nan, 1.7e13])
def test_a_wake_up_at_no_instant_of_the_clock_is_refused(wakes_at: float) -> None:
    """The time is refused, neither replaced by another time nor waited for."""
    broken: Any = type("Broken", (Fifo,), {"wakes_at": lambda _: wakes_at})
    with pytest.raises(venice.UsageError, match=r"`wakes_at` returned (inf|NaN|170+); expected"):
        venice.run(host_scheduler=broken, **SCENARIO)


def test_a_scheduler_that_is_woken_again_and_again_without_issuing_anything_fails() -> None:
    """The run ends with a message instead of running for ever."""

    class IssuesLate(Fifo):
        at_us = 0.0

        def next(self, now_us: float) -> int | None:
            self.at_us = now_us
            return None

        def wakes_at(self) -> float:
            return self.at_us + 1e-3

        def woken(self, now_us: float) -> None:
            self.at_us = now_us

    scenario = {**SCENARIO, "workload": None, "requests": None}
    requests = [venice.Request("read", 0, 4096, 0.0)]
    with pytest.raises(venice.UsageError, match=r"woken 1000000 times in a row"):
        venice.run(source=requests, host_scheduler=IssuesLate, **scenario)


@pytest.mark.parametrize("method", ["__init__", "add", "next", "completed", "wakes_at", "woken"])
def test_exceptions_of_the_scheduler_are_raised_by_the_run(method: str) -> None:
    """The exception itself is raised, from every method."""
    wrong = LookupError("no idea")

    def fail(*_: object) -> None:
        raise wrong

    base = {"wakes_at": lambda _: 1.0} if method == "woken" else {}
    broken: Any = type("Broken", (Fifo,), {**base, method: fail})
    with pytest.raises(LookupError) as raised:
        venice.run(host_scheduler=broken, **SCENARIO)
    assert raised.value is wrong


class DropsRequests(Fifo):
    """Scheduler that drops every second request."""

    def add(self, request: QueuedRequest) -> None:
        """Queue every second request."""
        if request.id % 2 == 0:
            super().add(request)


class Repeats(Fifo):
    """Scheduler that issues each request twice."""

    def next(self, now_us: float) -> int | None:
        """Return the oldest request without removing it."""
        assert now_us >= 0
        return self.waiting[0] if self.waiting else None


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        (DropsRequests, "the host scheduler `DropsRequests`: it never dispatched"),
        (Repeats, "the host scheduler `Repeats`: .* expected: a waiting request"),
    ],
)
def test_one_that_loses_a_request_or_repeats_one_is_named(broken: type[Fifo], text: str) -> None:
    """The run ends with one message and does not hang."""
    with pytest.raises(venice.UsageError, match=text):
        venice.run(host_scheduler=broken, **SCENARIO)


def test_an_answer_that_is_no_id_is_refused() -> None:
    class Text(Fifo):
        def next(self, now_us: float) -> int | None:
            return f"at {now_us}"  # type: ignore[return-value]

    with pytest.raises(venice.UsageError, match="next"):
        venice.run(host_scheduler=Text, **SCENARIO)


@pytest.mark.parametrize(
    ("sets", "text"),
    [
        ([], "host.scheduler.scheme"),
        (["host.scheduler.issue=without_conflicts"], "host.scheduler.issue"),
    ],
)
def test_a_drive_that_has_no_place_for_it_is_refused(sets: list[str], text: str) -> None:
    """The message states which setting to change."""
    first = SCENARIO["sets"][:1] if sets else []
    scenario = {**SCENARIO, "sets": first + sets}
    with pytest.raises(venice.UsageError, match=text):
        venice.run(host_scheduler=Fifo, **scenario)


def test_one_that_was_made_already_is_refused() -> None:
    """A class is required, since each run creates its own scheduler."""
    scheduler: Any = Fifo()
    with pytest.raises(venice.UsageError, match="give the class"):
        venice.run(host_scheduler=scheduler, **SCENARIO)


def test_a_sweep_takes_none() -> None:
    """Runs of a sweep are identified by their inputs, and a class cannot be compared."""
    with pytest.raises(venice.VeniceError, match="`host_scheduler` is unknown"):
        venice.Sweep.of({"host_scheduler": Fifo}, [{"fabric": ["bus", "ideal"]}])
