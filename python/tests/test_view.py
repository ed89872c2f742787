"""Interactive page of a run: complete, correct and responsive."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice.observation.listeners import CombinedLog
from venice.view import Sample, page_of, vega
from venice.view.tail import MOST_RESOURCES, tail_of

from .browser import Opened, browser, open_page
from .conftest import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from .conftest import Outcome

_SETS = (
    "array.rows=2",
    "array.cols=2",
    "flash.blocks_per_plane=16",
    "flash.pages_per_block=32",
    "precondition.mode=steady_state",
)
_RUN = (
    *("--drive", "venice-cost", "--workload", "mixed-70-30", "--closed-loop", "4"),
    *("--requests", "3000"),
    *(word for one in _SETS for word in ("--set", one)),
)
_MOST_BYTES = 10_000_000
_MOST_LOADING_MS = 20_000
"""Generous limit, because test machines are busy."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run with its page."""
    found = tmp_path_factory.mktemp("view")
    more = ("--fabric", "venice", "--view", "run.html", "--json", "run.json")
    done = subprocess.run(
        [*COMMAND, "run", *_RUN, *more],
        cwd=found,
        env=environment(),
        capture_output=True,
        check=True,
        timeout=100,
    )
    (found / "screen.txt").write_bytes(done.stdout)
    return found


@pytest.fixture
def opened(chromium: Browser, folder: Path) -> Iterator[Opened]:
    """Return the page of that run, open."""
    found = open_page(chromium, folder / "run.html")
    yield found
    found.page.close()


def _report(folder: Path) -> Any:  # noqa: ANN401 JSON
    return json.loads((folder / "run.json").read_text())


def _drawn(opened: Opened) -> int:
    """Show every plot, so that it is drawn, and return the number of plots."""
    places = opened.page.locator(".plot").all()
    for place in places:
        place.scroll_into_view_if_needed()
        place.locator("canvas").wait_for()
    return len(places)


def _quiet(opened: Opened) -> None:
    assert opened.message == []
    assert opened.asked_for == [opened.address]


def test_a_page_is_one_file_that_loads_fast_without_network_requests(
    opened: Opened, folder: Path
) -> None:
    assert (folder / "run.html").stat().st_size < _MOST_BYTES
    timing = "performance.getEntriesByType('navigation')[0].duration"
    assert 0 < opened.page.evaluate(timing) < _MOST_LOADING_MS
    assert _drawn(opened) == 4
    _quiet(opened)


@pytest.mark.parametrize("width", [1000, 1200, 1400])
def test_a_page_fits_into_the_window(opened: Opened, width: int) -> None:
    assert _drawn(opened) == 4
    opened.page.set_viewport_size({"width": width, "height": 900})
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert opened.page.evaluate(overflow) == 0


def test_the_browser_refuses_network_requests_of_a_page(opened: Opened) -> None:
    opened.page.evaluate("fetch('https://example.org/').catch(() => 0)")
    assert opened.message
    assert all("Content Security Policy" in message for message in opened.message)
    assert opened.asked_for == [opened.address]


def test_the_tail_is_owed_to_ten_resources_and_the_rest_and_adds_up(
    opened: Opened, folder: Path
) -> None:
    slowest = _report(folder)["slowest"][:3]
    for name, most in (("tail-resources", MOST_RESOURCES + 1), ("tail-causes", 16)):
        rows = opened.page.locator(f"#{name} tbody tr").all()
        cells = [row.locator("td").all_inner_texts() for row in rows]
        assert 1 < len(cells) - 1 <= most
        shares = [float(share.removesuffix(" %")) for _, share, *_ in cells]
        assert sum(shares[:-1]) == pytest.approx(100, abs=1e-9)
        assert shares[-1] == 100
    assert sum(row["latency_us"] for row in slowest) == pytest.approx(
        sum(share.us for share in _tail(folder).resources)
    )


def _tail(folder: Path) -> Any:  # noqa: ANN401 never none here
    return tail_of(api.Report.load(folder / "run.json"))


def test_a_click_in_the_list_shows_stages_that_add_up_to_the_latency(
    opened: Opened, folder: Path
) -> None:
    chosen = _report(folder)["slowest"][5]
    page = opened.page
    page.locator(f'#requests tr[data-number="{chosen["number"]}"]').click()
    assert page.locator("#request h3").inner_text() == f"{chosen['operation']} {chosen['number']:,}"
    parts = page.locator("#request tr[data-us]").evaluate_all(
        "rows => rows.map(r => +r.dataset.us)"
    )
    assert sum(parts) == pytest.approx(chosen["latency_us"], abs=1e-5)
    total = page.locator("#request tr[data-total]").inner_text().split("\t")
    assert total == ["latency", f"{chosen['latency_us']:,.3f}", "100.0 %"]
    widths = page.locator(".parts div").evaluate_all("all => all.map(one => one.offsetWidth)")
    assert len(widths) == len(parts)
    _quiet(opened)


def test_a_click_on_a_point_shows_that_request(opened: Opened) -> None:
    page = opened.page
    before = page.locator("#request h3").inner_text()
    page.locator("#requests-plot").scroll_into_view_if_needed()
    number, x, y = page.evaluate(_POINT_FAR_FROM_OTHERS)
    box = page.locator("#requests-plot canvas").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + x, box["y"] + y)
    heading = page.locator("#request h3").inner_text()
    assert heading != before
    assert heading.split()[1] == f"{number:,}"
    _quiet(opened)


_POINT_FAR_FROM_OTHERS = """async () => {
    const view = await plots["requests-plot"], padding = view.padding();
    const left = view.origin()[0] + padding.left, top = view.origin()[1] + padding.top;
    const points = view.data("requests").map(({ number, arrival_s, latency_us }) =>
        [number, left + view.scale("x")(arrival_s), top + view.scale("y")(latency_us)]);
    const far = ([, x, y]) =>
        Math.min(...points.map(([, a, b]) => Math.hypot(x - a, y - b) || 1e9));
    return points.slice(1).reduce((best, one) => (far(one) > far(best) ? one : best));
}"""


def test_the_item_under_the_mouse_is_described(opened: Opened) -> None:
    page = opened.page
    page.locator("#stages-plot").scroll_into_view_if_needed()
    bar = page.locator("#stages-plot canvas")
    bar.wait_for()
    box = bar.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.wait_for_selector("#vg-tooltip-element.visible")
    reported = page.locator("#vg-tooltip-element").inner_text()
    assert "reads" in reported
    assert "mean, µs" in reported


def test_the_screen_shows_ten_and_the_page_a_thousand_slowest_requests(
    folder: Path, opened: Opened
) -> None:
    slowest = (folder / "screen.txt").read_text().partition(" slowest ")[2].partition("\n\n")[0]
    assert len(slowest.splitlines()) == 3 + 10
    assert opened.page.locator("#requests tbody tr").count() == 1000


def test_a_saved_report_states_missing_figures_and_their_option(
    chromium: Browser, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    assert venice("run", *_RUN, "--json", "run.json").code == 0
    assert venice("view", "run.json", "-o", "run.html") == (
        0,
        "run.json as a page in run.html\n",
        "",
    )
    opened = open_page(chromium, tmp_path / "run.html")
    text = opened.page.locator("body").inner_text()
    for option in ("--slowest 1000", "--interval 200", "--distributions", "--view"):
        assert option in text
    assert _drawn(opened) == 2
    _quiet(opened)


def test_a_saved_report_of_a_run_with_a_page_gives_the_page_but_for_the_sample(
    chromium: Browser, folder: Path, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    assert venice("view", folder / "run.json", "-o", "again.html").code == 0
    opened = open_page(chromium, tmp_path / "again.html")
    assert opened.page.locator("#requests tbody tr").count() == 1000
    assert "venice run --view" in opened.page.locator("body").inner_text()
    _drawn(opened)
    known = 'plots["requests-plot"].then((view) => view.data("requests").length)'
    assert opened.page.evaluate(known) == 1000
    _quiet(opened)


def test_text_of_the_user_is_no_markup(chromium: Browser, folder: Path, tmp_path: Path) -> None:
    values = _report(folder)
    values["workload"]["name"] = "</script><script>document.title = 'taken'</script>"
    (tmp_path / "odd.html").write_text(page_of(api.Report(values)))
    opened = open_page(chromium, tmp_path / "odd.html")
    assert "</script>" in opened.page.title()
    _quiet(opened)


def test_a_tail_with_too_few_requests_is_marked(folder: Path) -> None:
    values = _report(folder)
    values["slowest"] = values["slowest"][:2]
    tail = tail_of(api.Report(values))
    assert tail is not None
    assert (tail.requests, tail.wanted) == (2, 3)
    assert "run with --slowest 3" in page_of(api.Report(values))


def test_the_wait_for_a_row_s_channel_is_that_channel_s(folder: Path) -> None:
    values = _report(folder)
    row = {
        **values["slowest"][0],
        "chip": 3,
        "latency_us": 10.0,
        "stages_us": {"path_wait": 7.0, "transfer": 2.0, "queue": 1.0},
        "causes_us": {},
        "chip_wait_behind_us": {},
    }
    values["slowest"] = [row, *values["slowest"]]
    names = {}
    for fabric in ("bus", "venice"):
        values["fabric"] = fabric
        values["requests"]["completed"] = 1
        tail = tail_of(api.Report(values))
        assert tail is not None
        names[fabric] = [(share.name, share.pct) for share in tail.resources]
    queue = ("queue 0 of the host", 10.0)
    assert names["bus"] == [("channel 1: path wait", 70.0), ("channel 1: transfer", 20.0), queue]
    assert names["venice"] == [
        ("paths of chip 3: path wait", 70.0),
        ("paths of chip 3: transfer", 20.0),
        queue,
    ]


@pytest.mark.parametrize("requests", [1, 700, 9000])
def test_a_sample_is_every_nth_request_and_not_too_many(requests: int) -> None:
    sample, numbers = Sample(), list[int]()

    def note(rows: api.Table) -> None:
        numbers.extend(memoryview(rows.to_bytes("number")).cast("Q"))

    log = CombinedLog([sample, note])
    report = api.run(workload="random-read", requests=requests, log=log, slowest=requests)
    rows = sample.rows()
    every = -(-requests // len(rows))
    assert [row["number"] for row in rows] == numbers[::every]
    assert min(requests, 1000) <= len(rows) <= 2001
    known = {row["number"]: row for row in report.to_dict()["slowest"]}
    for row in rows:
        reported = known[row["number"]]
        behind = row.pop("chip_wait_behind_us")
        assert sum(behind.values()) == pytest.approx(sum(reported["chip_wait_behind_us"].values()))
        assert row == {key: reported[key] for key in row}


def test_a_sample_leaves_out_requests_of_the_warm_up() -> None:
    sample = Sample()
    report = api.run(workload="random-read", requests=500, warmup=400, slowest=1, log=sample)
    page = page_of(report, sample)
    data = page.partition('data-data="requests">')[2].partition("</script>")[0]
    numbers = [row["number"] for row in json.loads(data)["others"]]
    assert len(numbers) == 99
    assert min(numbers) >= 400


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["view", "two.json", "-o", "run.html"], "holds 2 reports; expected: one, as `venice"),
        (["view", "none.json", "-o", "run.html"], "there is no such file"),
        (["view", "one.json", "-o", "run.txt"], "expected: a name that ends in .html"),
        (
            ["run", "--workload", "random-read", "--view", "run.txt"],
            "expected: a name that ends in .html",
        ),
    ],
)
def test_a_wrong_wish_is_refused(
    arguments: list[str],
    reported: str,
    venice: Callable[..., Outcome],
    folder: Path,
    tmp_path: Path,
) -> None:
    report = _report(folder)
    (tmp_path / "one.json").write_text(json.dumps(report))
    (tmp_path / "two.json").write_text(json.dumps([report, report]))
    outcome = venice(*arguments)
    assert outcome.code == 2
    assert reported in outcome.message


def test_without_the_library_it_is_said_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setattr(vega, "find_spec", lambda _: None)
    with pytest.raises(api.UsageError, match=r"pip install 'venice-ssd\[view\]'"):
        page_of(api.Report.load(folder / "run.json"))
