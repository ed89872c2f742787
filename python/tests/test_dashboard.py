"""The live page of sweeps: its data, its access rules, and its display in a browser."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
from contextlib import closing
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from venice import Sweep, UsageError, run_sweep
from venice.dashboard.progress import FIGURES, progress_of
from venice.dashboard.server import Dashboard, serving

from .browser import browser
from .conftest import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from .conftest import Outcome

pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")

_BASE = {"workload": "random-read", "requests": 60}


def _run(folder: Path, *depths: int, name: str = "depths") -> None:
    axes: list[dict[str, list[Any]]] = [
        {"fabric": ["bus", "venice"]},
        {"host.queue_depth": [*depths]},
    ]
    run_sweep(Sweep.of(_BASE, axes, name), folder, progress=False)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


def _get(address: str, path: str, host: str | None = None) -> tuple[int, str, str]:
    """Return status, kind and content of an answer."""
    with closing(HTTPConnection(urlsplit(address).netloc, timeout=60)) as connection:
        connection.request("GET", path, headers={"Host": host} if host else {})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type", ""), answer.read().decode()


def test_progress_has_each_run_once_however_often_it_is_asked(tmp_path: Path) -> None:
    _run(tmp_path, 1, 4)
    first = progress_of(tmp_path)
    assert [(one["name"], one["done"], one["left"]) for one in first["sweeps"]] == [
        ("depths", 4, 0),
    ]
    assert sorted((run["fabric"], run["host.queue_depth"]) for run in first["runs"]) == [
        *(("bus", 1), ("bus", 4), ("venice", 1), ("venice", 4)),
    ]
    assert all(run["iops"] > 0 and set(FIGURES) <= set(run) for run in first["runs"])
    assert progress_of(tmp_path, first["last"])["runs"] == []
    _run(tmp_path, 1, 4, 16)
    later = progress_of(tmp_path, first["last"])
    assert [run["host.queue_depth"] for run in later["runs"]] == [16, 16]
    assert later["last"] > first["last"]


def test_long_answers_are_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _run(tmp_path, 1, 2, 4)
    monkeypatch.setattr("venice.dashboard.progress.MOST_RUNS", 4)
    first = progress_of(tmp_path)
    second = progress_of(tmp_path, first["last"])
    assert (len(first["runs"]), len(second["runs"])) == (4, 2)


def test_reasons_of_failures_are_shown(tmp_path: Path) -> None:
    _run(tmp_path, 1)
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as database:
        database.execute("UPDATE attempts SET outcome = 'failed', reason = 'no memory'")
        database.commit()
    assert progress_of(tmp_path)["reasons"] == [{"reason": "no memory", "runs": 2}]


def test_a_folder_without_a_store_yet_is_no_error(tmp_path: Path) -> None:
    assert "there is no such folder" in progress_of(tmp_path / "later")["error"]


def test_only_this_machine_is_answered(tmp_path: Path) -> None:
    _run(tmp_path, 1)
    with serving(tmp_path) as server:
        status, kind, content = _get(server.address, "/progress.json?after=x")
        found: dict[str, Any] = json.loads(content)
        assert (status, kind, len(found["runs"])) == (200, "application/json", 2)
        assert _get(server.address, "/", host="evil.example")[0] == 403
        assert _get(server.address, "/results.sqlite")[0] == 404
        assert _get(server.address, "/../results.sqlite")[0] == 404
        with pytest.raises(UsageError, match=f"port {server.server_port} cannot be used"):
            Dashboard(tmp_path, server.server_port)
    with pytest.raises(UsageError, match="port 70000 cannot be used"):
        Dashboard(tmp_path, 70_000)
    with pytest.raises(ConnectionRefusedError):
        _get(server.address, "/progress.json")


def test_the_page_follows_a_sweep(chromium: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "<b>out"
    messages: list[str] = []
    with serving(folder) as server:
        page = chromium.new_page(viewport={"width": 1200, "height": 900})
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("console", lambda message: messages.append(message.text))
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(server.address)
        page.locator("#state", has_text="there is no such folder").wait_for()
        assert page.locator("h1").inner_text() == str(folder)
        _run(folder, 1, 4)
        page.locator("#count", has_text="4 runs").wait_for()
        page.locator("#plot canvas").wait_for()
        assert page.locator("#sweeps tbody td").first.inner_text() == "depths"
        assert page.locator("#y").input_value() == "latency_us.all.p99"
        page.locator("#colour").select_option("host.queue_depth")
        _run(folder, 1, 4, name="again")
        page.locator("#count", has_text="8 runs").wait_for()
        assert page.locator("#sweeps tbody tr").count() == 2
        assert all(one.startswith((server.address, "data:")) for one in asked)
    page.locator("#state", has_text="The command has ended").wait_for()
    page.close()
    assert [one for one in messages if "ERR_CONNECTION_REFUSED" not in one] == []


def test_a_sweep_serves_its_page_until_it_ends(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "s.toml").write_text(
        '[scenario]\nworkload = "random-read"\nrequests = 60\n[[axis]]\nseed = [1, 2]\n'
    )
    ended = venice("sweep", "s.toml", "--dashboard")
    assert ended.code == 0
    assert ended.stderr.startswith("live page until the end: http://127.0.0.1:")


def test_the_command_serves_the_page_of_a_store_until_it_is_interrupted(tmp_path: Path) -> None:
    _run(tmp_path / "out" / "depths", 1)
    command = [*COMMAND, "sweep", "dashboard"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[-1]
        assert _get(address, "/progress.json")[0] == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
