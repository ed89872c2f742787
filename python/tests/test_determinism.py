"""Equal inputs give equal bytes for any number of workers and way of running."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice.report import to_json
from venice.report.report_lists import reports_to_json

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from venice.config import FabricName

    from .conftest import Outcome

OPTIONS = ("--workload", "zipf-mixed", "--requests", "3000", "--seed", "7")
SCENARIO = api.Scenario(workload="zipf-mixed", requests=3000, seed=7)


def timeless(text: str) -> str:
    """Return JSON without the fields that are allowed to differ."""

    def strip(report: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in report.items() if key not in {"wall_s", "build"}}

    content = json.loads(text)
    assert to_json(content) == text
    return to_json(list(map(strip, content)) if isinstance(content, list) else strip(content))


def test_the_same_seed_gives_the_same_report(venice: Callable[..., Outcome]) -> None:
    first, second = (venice("run", *OPTIONS, "--json", "-").stdout for _ in range(2))
    assert timeless(first) == timeless(second)


def test_another_seed_gives_another_report(venice: Callable[..., Outcome]) -> None:
    first = venice("run", *OPTIONS, "--json", "-").stdout
    second = venice("run", *OPTIONS[:-1], "8", "--json", "-").stdout
    assert timeless(first) != timeless(second)


def test_the_number_of_workers_has_no_influence(venice: Callable[..., Outcome]) -> None:
    texts = [
        venice("compare", *OPTIONS, "--workers", workers, "--json", "-").stdout
        for workers in (1, 2, 6)
    ]
    first, *others = map(timeless, texts)
    assert [report["fabric"] for report in json.loads(texts[0])] == api.paper_fabric_names()
    assert others == [first, first]


def test_processes_give_what_threads_give() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        elsewhere = api.compare(fabrics=["venice", "bus"], executor=executor, **SCENARIO)
    here = api.compare(fabrics=["venice", "bus"], **SCENARIO)
    assert timeless(reports_to_json(elsewhere)) == timeless(reports_to_json(here))


def test_fabrics_keep_the_given_order(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    requested = ["venice", "bus", "ideal", "pssd"]
    outcome = venice("compare", *OPTIONS, "--fabrics", ",".join(requested), "--json", "out.json")
    assert outcome.code == 0
    assert [report.fabric for report in api.load_reports(tmp_path / "out.json")] == requested


@pytest.mark.parametrize("fabric", api.fabric_names())
def test_a_row_of_a_comparison_is_the_run_of_that_fabric(
    fabric: FabricName, venice: Callable[..., Outcome]
) -> None:
    alone = venice("run", *OPTIONS, "--fabric", fabric, "--causes", "--json", "-").stdout
    (row,) = api.compare(fabrics=[fabric], **SCENARIO)
    assert timeless(row.to_json()) == timeless(alone)


def test_the_command_writes_what_the_api_returns(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    assert venice("run", *OPTIONS, "--json", "command.json").code == 0
    api.run(**SCENARIO).save(tmp_path / "api.json")
    command, own = ((tmp_path / f"{name}.json").read_text() for name in ("command", "api"))
    assert timeless(command) == timeless(own)


def test_every_trace_format_gives_the_same_report(venice: Callable[..., Outcome]) -> None:
    folder = REPOSITORY / "conformance" / "traces"
    traces = [path for path in sorted(folder.iterdir()) if path.suffix in {".txt", ".bin"}]
    # The times of three are too coarse for the workload, and eight lines do not show microseconds.
    coarse = {"tencent-cbs", "oracle-general", "fio-iolog-2"}
    traces = [path for path in traces if path.stem not in {*coarse, "ssdsim-us"}]
    assert len(traces) >= len(api.trace_formats()) - 3 > 0
    reports = [json.loads(venice("run", "--trace", path, "--json", "-").stdout) for path in traces]
    for report in reports:
        del report["wall_s"], report["workload"]["name"]
        del report["workload"]["format"], report["workload"]["format_note"]
        for queue in report["queues"]:
            del queue["name"]
    assert reports == [reports[0]] * len(reports)
