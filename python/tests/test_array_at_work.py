"""Animation of the array: the state drawn at each time agrees with the slices."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import zlib
from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice.observation.trace_events import Window
from venice.view import page_of
from venice.view.array import MOST_SLICES, array_of, window_of_slowest

from .browser import Opened, browser, open_page
from .conftest import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from venice.config import FabricName

    from .conftest import Outcome

_SETS = ("flash.blocks_per_plane=16", "flash.pages_per_block=32", "array.rows=4", "array.cols=4")
_LOAD: dict[str, Any] = {"workload": "mixed-70-30", "requests": 1500, "closed_loop": 64}
_FABRICS = ("venice", "bus", "pnssd", "nossd", "hlnand")
_STEPS = 20_000
_SLIDE = """(step) => {
    const slider = document.getElementById('array-slider');
    Object.assign(slider, { step: 'any', value: step });
    slider.oninput();
}"""
_SEEN = """() => ({
    ps: Math.round(parseFloat(
        document.querySelector('#array-clock').innerText.replaceAll(',', '')) * 1e6),
    busy: [...document.querySelectorAll('.place.busy')].map((one) => +one.dataset.place),
    detours: [...document.querySelectorAll('.place.detour')].map((one) => +one.dataset.place),
    transfers: [...document.querySelectorAll('.chip.transfers')].map((one) => +one.dataset.chip),
    atWork: [...document.querySelectorAll('.chip')]
        .filter((one) => one.querySelector('.die.read, .die.program, .die.erase, .die.settling'))
        .map((one) => +one.dataset.chip),
    waiting: document.querySelectorAll('.chip.waits').length,
    scouts: document.querySelectorAll('circle.scout').length,
    failing: document.querySelectorAll('circle.scout.failed').length,
})"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


def _run(fabric: FabricName) -> api.Report:
    sets = ["fabric.venice.retry=next_transfer"] if fabric == "venice" else []
    return api.run(
        fabric=fabric,
        sets=[*_SETS, *sets],
        slice_table=True,
        slowest=100,
        distributions=True,
        **_LOAD,
    )


@pytest.fixture(scope="module", params=_FABRICS)
def shown(
    request: pytest.FixtureRequest, chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, api.Report, Opened]]:
    """Return a run and its page."""
    report = _run(request.param)
    path = tmp_path_factory.mktemp("array") / "run.html"
    path.write_text(page_of(report))
    opened = open_page(chromium, path)
    opened.page.locator("#array-drawing svg").wait_for()
    yield request.param, report, opened
    assert opened.message == []
    assert opened.asked_for == [opened.address]
    opened.page.close()


def _slide(opened: Opened, step: int) -> Any:  # noqa: ANN401 JSON
    opened.page.evaluate(_SLIDE, step)
    return opened.page.evaluate(_SEEN)


def _rows(report: api.Report) -> list[dict[str, Any]]:
    return list(report.slice_table)


def _at(rows: list[dict[str, Any]], kind: str, ps: int, column: str = "index") -> set[int]:
    now = (one for one in rows if one["row"] == kind and one["begin_ps"] <= ps < one["end_ps"])
    return {one[column] for one in now}


def test_the_slider_moves_transfers_and_what_is_drawn_is_what_the_slices_say(
    shown: tuple[str, api.Report, Opened],
) -> None:
    fabric, report, opened = shown
    rows, drawn = _rows(report), []
    names = [place["name"] for place in report.to_dict()["places"]]
    busy: set[str] = set()
    for step in range(250, _STEPS, 489):
        seen = _slide(opened, step)
        assert set(seen["busy"]) == _at(rows, "place", seen["ps"])
        assert set(seen["transfers"]) == _at(rows, "pins", seen["ps"])
        assert set(seen["atWork"]) == _at(rows, "plane", seen["ps"], "chip")
        drawn.append(tuple(seen["busy"]))
        busy |= {names[place].split()[0] for place in seen["busy"]}
    assert ("link" in busy) == (fabric in ("venice", "nossd")), f"{fabric}: {busy}"
    assert len(set(drawn)) > 5, f"{fabric}: the slider moves what is drawn"


def test_the_words_count_what_is_drawn(shown: tuple[str, api.Report, Opened]) -> None:
    fabric, report, opened = shown
    seen = _slide(opened, _STEPS // 2)
    reported = opened.page.locator("#array-counts").inner_text()
    assert f"{len(seen['atWork'])} chips at work, {len(seen['transfers'])} transfers" in reported
    assert f"{seen['waiting']} chips wait for a path" in reported
    assert ("circuits" in reported) == (fabric == "venice") == (len(report.scout_table) > 0)


def test_conflicts_are_found_one_after_the_other(shown: tuple[str, api.Report, Opened]) -> None:
    fabric, _, opened = shown
    _slide(opened, _STEPS // 4)
    instants = []
    for _ in range(5):
        opened.page.locator("#array-next-conflict").click()
        seen = opened.page.evaluate(_SEEN)
        assert seen["waiting"] + seen["failing"] > 0, fabric
        instants.append(seen["ps"])
    assert instants == sorted(set(instants))
    opened.page.locator("#array-previous-conflict").click()
    assert opened.page.evaluate(_SEEN)["ps"] < instants[-1]


def test_a_clicked_chip_lists_its_requests(
    shown: tuple[str, api.Report, Opened],
) -> None:
    _, report, opened = shown
    seen = _slide(opened, _STEPS // 2)
    chip = seen["transfers"][0] if seen["transfers"] else seen["atWork"][0]
    opened.page.locator(f'.chip[data-chip="{chip}"]').click()
    reported = opened.page.locator("#array-chip")
    assert reported.locator("h3").inner_text() == f"chip {chip}"
    now = [one for one in _rows(report) if one["row"] in ("pins", "plane") and one["chip"] == chip]
    expected = sorted(
        one["request"] for one in now if one["begin_ps"] <= seen["ps"] < one["end_ps"]
    )
    found = reported.locator("tr[data-request]").evaluate_all(
        "all => all.map(one => +one.dataset.request)"
    )
    assert sorted(found) == expected


def test_a_request_that_is_clicked_is_shown_at_its_first_step(
    shown: tuple[str, api.Report, Opened],
) -> None:
    _, report, opened = shown
    chosen = report.to_dict()["slowest"][3]["number"]
    opened.page.locator(f'#requests tr[data-number="{chosen}"]').click()
    steps = [one for one in _rows(report) if one["request"] == chosen and one["row"] != "queue"]
    first = min(steps, key=lambda one: one["begin_ps"])
    assert abs(opened.page.evaluate(_SEEN)["ps"] - first["begin_ps"]) < 1000
    assert opened.page.locator("#array-request h3").inner_text().startswith(f"request {chosen:,}")
    assert opened.page.locator(".chip.of-request").count() >= 1
    drawn = opened.page.locator("#array-request tr").count() - 1
    assert drawn == sum(one["row"] != "place" for one in steps) + 1


def test_scouts_fail_and_circuits_are_misrouted_on_a_mesh(
    chromium: Browser, tmp_path: Path
) -> None:
    report = _run("venice")
    (tmp_path / "run.html").write_text(page_of(report))
    opened = open_page(chromium, tmp_path / "run.html")
    opened.page.locator("#array-drawing svg").wait_for()
    scouts = report.scout_table
    begins, ends, paths = (scouts.to_list(name) for name in ("set_out_ps", "back_ps", "path"))
    failed = paths.index(None)
    middle = (begins[failed] + ends[failed]) // 2
    first, last = _window(opened)
    opened.page.evaluate(_SLIDE, _STEPS * (middle - first) / (last - first))
    assert opened.page.evaluate(_SEEN)["failing"] >= 1
    assert opened.page.locator("#array-counts").inner_text().count("failing") == 1
    detour = next(one for one in _rows(report) if one["what"] == "circuit, misrouted")
    middle = (detour["begin_ps"] + detour["end_ps"]) // 2
    opened.page.evaluate(_SLIDE, _STEPS * (middle - first) / (last - first))
    assert opened.page.evaluate(_SEEN)["detours"]


def _window(opened: Opened) -> tuple[int, int]:
    read = "JSON.parse(document.querySelector('[data-data=\"array\"]').textContent).window_ps"
    first, last = opened.page.evaluate(read)
    return first, last


def test_a_window_that_plays_ends_at_its_end(chromium: Browser, tmp_path: Path) -> None:
    report = _run("bus")
    (tmp_path / "run.html").write_text(page_of(report, None, Window(10**9, 10**9 + 10**8)))
    opened = open_page(chromium, tmp_path / "run.html")
    page = opened.page
    page.locator("#array-drawing svg").wait_for()
    page.locator("#array-speed").select_option("1000")
    page.locator("#array-play").click()
    page.wait_for_function("document.getElementById('array-play').innerText === 'Play'")
    assert page.evaluate(_SEEN)["ps"] == 10**9 + 10**8


def test_the_window_is_around_the_slowest_request_and_not_too_long() -> None:
    report = _run("bus")
    slowest = report.to_dict()["slowest"][0]
    window = window_of_slowest(report, MOST_SLICES)
    assert window is not None
    end_ps = (slowest["arrival_us"] + slowest["latency_us"]) * 1e6
    assert window.from_ps <= slowest["arrival_us"] * 1e6
    assert end_ps < window.to_ps
    short = window_of_slowest(report, 200)
    assert short is not None
    assert end_ps < short.to_ps <= window.to_ps
    within = [
        one
        for one in _rows(report)
        if one["end_ps"] > short.from_ps and one["begin_ps"] < short.to_ps
    ]
    assert 50 < len(within) < 800
    assert window_of_slowest(api.run(workload="random-read", requests=10), MOST_SLICES) is None


def test_the_window_of_an_overloaded_drive_has_events_of_its_slowest_request() -> None:
    load: dict[str, Any] = {"workload": "bursty-oltp", "rate_scale": 100.0, "requests": 20_000}
    report = api.run(fabric="bus", sets=list(_SETS), slowest=1, **load)
    few_slices = 200
    window = window_of_slowest(report, few_slices)
    assert window is not None
    slowest = report.to_dict()["slowest"][0]
    life_us = slowest["latency_us"]
    assert (window.to_ps - window.from_ps) / 1e6 < 0.05 * life_us, "the limit is under the margin"
    end_ps = (slowest["arrival_us"] + life_us) * 1e6
    assert window.from_ps < end_ps < window.to_ps
    shown = api.run(
        fabric="bus",
        sets=list(_SETS),
        slice_table=True,
        distributions=True,
        trace_events_window=f"{window.from_ps / 1e6}us..{window.to_ps / 1e6}us",
        **load,
    )
    assert array_of(shown, window) is not None


def test_the_run_that_is_repeated_has_the_slices_of_the_run_itself(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    options = (*("--workload", "mixed-70-30", "--requests", "1500", "--closed-loop", "64"),)
    sets = tuple(word for one in _SETS for word in ("--set", one))
    window = ("--view-window", "1ms..2ms")
    done = venice("run", "--fabric", "venice", *options, *sets, "--view", "run.html", *window)
    assert done.code == 0
    data = (tmp_path / "run.html").read_text().partition('data-data="array">')[2]
    packed = data.partition('"packed":"')[2].partition('"')[0]
    whole = api.run(
        fabric="venice",
        sets=list(_SETS),
        slice_table=True,
        distributions=True,
        trace_events_window="1ms..2ms",
        **_LOAD,
    )
    shown = array_of(whole, Window(10**9, 2 * 10**9))
    assert shown is not None
    ours, theirs = (_of_array(_unpacked(one)) for one in (shown["packed"], packed))
    assert len(ours) > 1000
    assert ours == theirs


def _unpacked(packed: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed)))
    return content


def _of_array(content: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return all slices except those of requests, which may end after the window."""
    begin, rows = content["first_ps"], []
    columns = content["slices"]
    for row, index, what, request, chip, later, span in zip(
        *(columns[name] for name in ("row", "index", "what", "request", "chip")),
        *(columns[name] for name in ("begin_ps", "span_ps")),
        strict=True,
    ):
        begin += later
        if row != "queue":
            rows.append((begin, row, index, what, request, chip, span))
    return sorted(rows)


def test_without_a_window_no_run_is_repeated_and_the_page_states_it(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    options = ("--workload", "random-read", "--requests", "100", "--view", "run.html")
    assert venice("run", *options, "--view-window", "none").code == 0
    page = (tmp_path / "run.html").read_text()
    assert 'data-data="array"' not in page
    assert "Not shown: --view-window none was given." in page


def test_a_window_without_events_names_itself_as_the_reason(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    options = ("--workload", "random-read", "--requests", "100", "--view", "run.html")
    assert venice("run", *options, "--view-window", "10s..20s").code == 0
    page = (tmp_path / "run.html").read_text()
    assert "no chip or path was busy from 10,000,000.000 to 20,000,000.000 µs." in page


def test_a_page_of_a_report_states_that_it_has_no_events() -> None:
    page = page_of(api.run(workload="random-read", requests=10))
    assert "Not known: the report holds no events of chips and paths." in page


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_trace_that_can_be_read_once_only_gives_a_page_without(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [*COMMAND, "run", "--trace", "pipe.csv", "--format", "msr-csv", "--view", "run.html"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        line = "128166372003061629,hm,0,Read,8192,4096,100\n"
        pipe.write_text(line * 50)
        _, reported = run.communicate(timeout=60)
    assert run.returncode == 0, reported
    assert "can be read once only" in reported
    assert (tmp_path / "run.html").exists()


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        (["--view-window", "1ms..2ms"], "add --view FILE.html"),
        (["--view", "run.html", "--view-window", "1ms"], "two instants of simulated time"),
        (
            ["--view", "run.html", "--view-window", "2ms..1ms"],
            "expected: an end after its beginning",
        ),
    ],
)
def test_a_wrong_window_is_refused(
    options: list[str], reported: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("run", "--workload", "random-read", "--requests", "10", *options)
    assert outcome.code == 2
    assert reported in outcome.message
