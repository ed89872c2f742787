"""Trace events: the content of the file, read with Perfetto's messages, agrees with the report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice.observation.trace_events import TraceEvents, Window, parse_window
from venice.report.work import flash_of_run

from .perfetto_files import Events

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

_MOST_BYTES = 20
_WHOLE = "flash.suspend.operations=none"
"""A suspended operation has a slice for each of its parts."""
_SMALL = [
    "array.rows=2",
    "array.cols=2",
    "flash.blocks_per_plane=16",
    "flash.pages_per_block=32",
    _WHOLE,
]
_COLLECTS = [*_SMALL, "precondition.mode=steady_state"]
_RUNS = {
    "bus": {"fabric": "bus", "sets": [_WHOLE]},
    "venice": {"fabric": "venice", "sets": [_WHOLE]},
    "bus_collects": {"fabric": "bus", "sets": _COLLECTS},
    "venice_collects": {"fabric": "venice", "sets": _COLLECTS},
    "pnssd": {"fabric": "pnssd", "sets": _SMALL},
    "nossd": {"fabric": "nossd", "sets": _SMALL},
    "hlnand": {"fabric": "hlnand", "sets": _SMALL},
    "decoupled": {"fabric": "decoupled", "sets": _SMALL},
}
_ROWS, _COLS = 8, 8
_REQUESTS = 1000


def _traced(folder: Path, name: str, **more: object) -> tuple[api.Report, Events]:
    path = folder / "run.perfetto-trace"
    options = {"workload": "mixed-70-30", "requests": _REQUESTS, **_RUNS[name], **more}
    report = api.run(trace_events=path, **options)  # type: ignore[arg-type]
    return report, Events(path.read_bytes())


def _transfers(report: api.Report) -> int:
    """Return the transfers in the measured window and after it."""
    return int(report.path.transfers + report.after_last_completion.transfers)


@pytest.mark.parametrize("name", _RUNS)
def test_there_is_as_much_in_the_file_as_the_report_counts(name: str, tmp_path: Path) -> None:
    report, events = _traced(tmp_path, name)
    requests = events.counts("host queues")
    assert (requests["read"], requests["write"]) == (report.requests.reads, report.requests.writes)
    planes = events.counts("chips", "chip", "die")
    flash = flash_of_run(report)
    found = (planes["read"], planes["program"], planes["erase"])
    assert found == (flash["reads"], flash["programs"], flash["erases"])
    transfers = _transfers(report)
    assert events.counts("chips", "chip", "pins").total() == transfers
    assert events.counts("collection")["collecting"] == flash["erases"]
    assert (flash["erases"] > 0) == name.endswith("collects")
    assert events.size <= _MOST_BYTES * len(events.slices)


def test_a_bus_has_a_track_for_each_channel(tmp_path: Path) -> None:
    report, events = _traced(tmp_path, "bus")
    on_paths = {path[1:] for path in events.paths() if path[1] == "paths"}
    assert on_paths == {("paths", f"channel {row}") for row in range(_ROWS)}
    assert events.counts("paths").total() == _transfers(report)
    assert not events.counts("flash controllers")


def test_a_mesh_has_tracks_for_controllers_with_their_scouts_and_for_links(tmp_path: Path) -> None:
    report, events = _traced(tmp_path, "venice")
    controllers = {path[2] for path in events.paths() if path[1] == "flash controllers"}
    assert controllers == {f"controller {row}" for row in range(_ROWS)}
    found = events.counts("flash controllers")
    assert found["scout"] == _transfers(report)
    assert found["failed scout"] == report.path.scout_retries > 0
    assert found["circuit"] + found["circuit, misrouted"] == _transfers(report)
    assert found["circuit, misrouted"] > 0
    links = {path[2] for path in events.paths() if path[1] == "paths"}
    across = {f"link {chip}-{chip + 1}" for chip in range(_ROWS * _COLS) if (chip + 1) % _COLS}
    along = {f"link {chip}-{chip + _COLS}" for chip in range((_ROWS - 1) * _COLS)}
    assert links <= across | along
    assert len(links) > len(across | along) / 2
    hops = report.path.mean_hops
    assert hops is not None
    assert events.counts("paths").total() == round(hops * report.path.transfers)


def test_requests_that_overlap_in_a_queue_have_tracks_of_their_own(tmp_path: Path) -> None:
    report, events = _traced(tmp_path, "bus")
    queues = [one for one in events.slices if events.path(one.track)[1] == "host queues"]
    assert {events.path(one.track)[2] for one in queues} == {"queue 0"}
    assert len({one.track for one in queues}) > 1
    assert sorted(one.request or 0 for one in queues) == list(range(_REQUESTS))
    longest_us = max(one.end_ns - one.begin_ns for one in queues) / 1000
    assert longest_us == pytest.approx(report.latency_us.all.max, abs=2e-3)


def test_tracing_changes_nothing(tmp_path: Path) -> None:
    report, _ = _traced(tmp_path, "venice_collects")
    plain = api.run(workload="mixed-70-30", requests=_REQUESTS, **_RUNS["venice_collects"])  # type: ignore[arg-type]
    assert {**report.to_dict(), "wall_s": 0} == {**plain.to_dict(), "wall_s": 0}


def test_the_same_slices_are_rows_of_a_table(tmp_path: Path) -> None:
    report, events = _traced(tmp_path, "venice_collects", slice_table=True)
    table = report.slice_table
    assert len(table) == len(events.slices)
    begin, end = (table[name].tolist() for name in ("begin_ps", "end_ps"))
    what, requests = table["what"].tolist(), table["request"].tolist()
    rows = [
        (name, first // 1000, last // 1000, None if request < 0 else request)
        for name, first, last, request in zip(what, begin, end, requests, strict=True)
    ]
    found = [(it.name, it.begin_ns, it.end_ns, it.request) for it in events.slices]
    assert Counter(rows) == Counter(found)
    kinds, names = table["row"], table["name"]
    assert set(kinds) == {"queue", "controller", "place", "pins", "plane", "collection"}
    assert set(names[kinds == "place"]) == {"link 0-1", "link 2-3", "link 0-2", "link 1-3"}
    assert set(names[kinds == "pins"]) == {f"chip {chip} pins" for chip in range(4)}
    assert set(table["chip"].tolist()) == {-1, 0, 1, 2, 3}
    assert table.schema["begin_ps"].text == "start [ps]"
    with pytest.raises(api.UsageError, match="slice_table=True"):
        _ = api.run(workload="random-read", requests=10).slice_table


def test_a_window_has_what_lies_in_it(tmp_path: Path) -> None:
    _, whole = _traced(tmp_path, "venice_collects")
    _, part = _traced(tmp_path, "venice_collects", trace_events_window="10ms..12.5ms")

    def seen(events: Events) -> list[tuple[tuple[str, ...], str, int, int]]:
        named = [(events.path(it.track), it.name, it.begin_ns, it.end_ns) for it in events.slices]
        return sorted(one for one in named if one[2] < 12_500_000 and one[3] > 10_000_000)

    assert seen(part) == seen(whole)
    assert len(seen(part)) == len(part.slices) > 100


def test_slices_beyond_the_limit_are_omitted_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with path.open("wb") as file:
        events = TraceEvents(file, most=500)
        events(b"", 500, 2_500_000_000)
    assert events.remark == (
        "there was more to trace than 500 slices: they end at 2500.000us of simulated time; "
        "for what came later, trace a part of the run: --trace-events-window 2500.000us.."
    )
    assert events.slices == 500


def test_the_command_writes_the_file_and_reports_an_empty_one(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    options = "--workload random-read --requests 100 --trace-events out --json out.json"
    outcome = venice("run", *options.split())
    assert (outcome.code, outcome.stderr.count("warning")) == (0, 0)
    report = api.Report.load(tmp_path / "out.json")
    events = Events((tmp_path / "out").read_bytes())
    assert events.counts("chips", "chip", "pins").total() == _transfers(report)
    outcome = venice("run", *options.split(), "--trace-events-window", "1s..2s")
    assert outcome.code == 0
    assert "nothing happened in the window" in outcome.message
    assert not Events((tmp_path / "out").read_bytes()).slices
    with pytest.warns(UserWarning, match="nothing happened"):
        api.run(
            workload="random-read",
            requests=10,
            trace_events=tmp_path / "out",
            trace_events_window="1s..",
        )


@pytest.mark.parametrize(
    ("window", "reported"),
    [
        ("10ms", "two instants"),
        ("10..20", "two instants"),
        ("1ms..2parsec", "two instants"),
        ("..999999999min", "two instants"),
        ("2ms..1ms", "an end after its beginning"),
    ],
)
def test_what_is_no_window_is_refused_in_a_sentence(
    window: str, reported: str, venice: Callable[..., Outcome]
) -> None:
    options = ("--workload", "random-read", "--trace-events", "out", "--trace-events-window")
    outcome = venice("run", *options, window)
    assert outcome.code == 2
    assert reported in outcome.message


def test_a_window_without_a_file_is_refused(venice: Callable[..., Outcome]) -> None:
    options = ("--workload", "random-read", "--trace-events-window", "1ms..2ms")
    outcome = venice("run", *options)
    assert outcome.code == 2
    assert "--trace-events" in outcome.message


def test_windows_are_read() -> None:
    assert parse_window("1us..2us") == Window(10**6, 2 * 10**6)
    assert parse_window("..2.5 ms") == Window(0, 2_500_000_000)
    assert parse_window("1s..").from_ps == 10**12
