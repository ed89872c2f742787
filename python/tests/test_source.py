"""Requests that a Python program makes are served like any others."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

import venice
from venice import Request

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = 4096
DRIVE: dict[str, Any] = {"drive": "mqsim-default", "fabric": "bus"}


def mixed() -> Iterator[Request]:
    """Return 300 requests that arrive over time."""
    for number in range(300):
        op: Any = "write" if number % 3 == 0 else "read"
        yield Request(op, (number * 7919 % 5000) * PAGE, PAGE * (1 + number % 4), number * 2.5)


def figures(report: venice.Report) -> dict[str, Any]:
    """Return a report without the source of its requests and the wall time."""
    content = report.to_dict()
    for queue in content["queues"]:
        del queue["name"]
    return {
        key: value for key, value in content.items() if key not in ("workload", "wall_s", "engine")
    }


def as_trace(requests: Iterator[Request], path: Path) -> Path:
    """Write requests as MQSim's traces have them: ns, device, sector, sectors, 0 for a write."""
    rows = (
        f"{round(arrival_us * 1000)} {queue} {offset // 512} {size // 512} {int(op == 'read')}"
        for op, offset, size, arrival_us, queue in requests
    )
    path.write_text("\n".join(rows) + "\n")
    return path


def test_requests_made_in_python_fare_as_the_same_ones_of_a_trace(tmp_path: Path) -> None:
    """Every figure is the same; only their origin is another."""
    trace = as_trace(mixed(), tmp_path / "mixed.trace")
    made = venice.run(source=mixed, **DRIVE)
    read = venice.run(trace=trace, format="mqsim-ascii", **DRIVE)
    assert figures(made) == figures(read)
    assert made.to_dict()["workload"]["name"] == "mixed"
    assert made.requests.completed == 300


def test_a_list_is_kept_outstanding_in_a_closed_loop() -> None:
    """Arrival times have no effect in a closed loop."""
    requests = [Request("read", number * PAGE, PAGE) for number in range(64)]
    one = venice.run(source=requests, closed_loop=1, **DRIVE)
    eight = venice.run(source=requests, closed_loop=8, **DRIVE)
    assert one.requests.completed == eight.requests.completed == 64
    assert eight.makespan_us < one.makespan_us / 4


def test_each_run_of_a_comparison_has_the_requests_made_anew() -> None:
    """Both fabrics get all of them."""
    bus, ideal = venice.compare(fabrics=["bus", "ideal"], source=mixed, drive="venice-performance")
    assert bus.requests.completed == ideal.requests.completed == 300


def test_requests_without_an_end_are_ended_by_their_number() -> None:
    """The engine takes only the requested number."""

    def endless() -> Iterator[Request]:
        for number in count():
            yield Request("write", number * PAGE, PAGE, float(number))

    assert venice.run(source=endless, requests=100, **DRIVE).requests.completed == 100


def test_exceptions_of_the_function_are_raised_by_the_run() -> None:
    """The exception itself, not a text about it."""
    wrong = LookupError("no more pages")

    def broken() -> Iterator[Request]:
        yield Request("read", 0, PAGE)
        raise wrong

    with pytest.raises(LookupError) as raised:
        venice.run(source=broken, **DRIVE)
    assert raised.value is wrong


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            Request("read", 100, PAGE),
            "request 2: `offset_bytes` is 100; expected: a multiple of 512",
        ),
        (Request("read", 0, 0), "`size_bytes` is 0; expected: from 512"),
        (Request("read", 0, PAGE, -1.0), "`arrival_us` is -1; expected: from 0"),
        (Request("read", 0, PAGE, float("nan")), "`arrival_us` is NaN"),
        (Request("read", 0, PAGE, 4.0), "before the previous request"),
        (Request("erase", 0, PAGE), '`op` is "erase"; expected one of: "read", "write", "trim", '),  # type: ignore[arg-type]
        (Request("gather", 0, PAGE), '`op` is "gather"; expected one of: '),  # type: ignore[arg-type]
        (Request("flush", 0, PAGE), "`size_bytes` is 4096"),
        (("read", 0), "expected: `venice.Request`"),
        (7, "expected: `venice.Request`"),
    ],
)
def test_a_request_that_is_none_is_refused_with_its_number(request_: Any, text: str) -> None:  # noqa: ANN401
    """The message says which, what was wrong, and what it should be."""
    with pytest.raises(venice.WorkloadError) as raised:
        venice.run(source=[Request("read", 0, PAGE, 5.0), request_], **DRIVE)
    assert text in str(raised.value)
    assert "request 2" in str(raised.value)


def test_a_generator_is_refused_since_it_gives_its_requests_once() -> None:
    """A function can be called for each run."""
    with pytest.raises(venice.UsageError, match="give the function that makes it"):
        venice.run(source=mixed(), **DRIVE)


@pytest.mark.parametrize("key", ["trace", "workload"])
def test_a_source_goes_with_no_other_origin(key: str) -> None:
    """A run takes one of them."""
    other: Any = {key: "random-read"}
    with pytest.raises(venice.UsageError, match=f"`{key}=` and `source=` cannot be combined"):
        venice.run(source=mixed, **other, **DRIVE)


def test_a_sweep_takes_no_source() -> None:
    """Its runs are known by their content, and a function has none."""
    with pytest.raises(venice.VeniceError, match="`source` is unknown"):
        venice.Sweep.of({"source": mixed}, [{"fabric": ["bus", "ideal"]}])
