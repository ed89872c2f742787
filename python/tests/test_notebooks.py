"""Notebooks of the documentation run without errors, and cells show progress bars."""

from __future__ import annotations

import base64
import sys
from contextlib import suppress
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import nbformat
import pytest

import venice
from venice.execution import progress as bars
from venice.execution.progress import Cell, in_notebook, of_count, of_run, of_runs

from .conftest import REPOSITORY
from .notebook import notebook_at, notebook_of, notebook_of_script, run_notebook

if TYPE_CHECKING:
    from pathlib import Path

_NOTEBOOKS = sorted((REPOSITORY / "docs" / "guide").glob("*.ipynb"))
_SCRIPTS = sorted((REPOSITORY / "docs" / "notebooks").glob("*.py"))
_LONG = """
import venice
from venice.execution import progress as bars

bars._PATIENCE_S = bars._REFRESH_S = 0.0
report = venice.run(workload="random-read", requests=200_000)
rows = venice.compare(fabrics=["bus", "ideal"], workload="random-read", requests=100_000)
quiet = venice.run(workload="random-read", requests=200_000, progress=False)
"""


_each_notebook = pytest.mark.parametrize("path", _NOTEBOOKS, ids=lambda path: path.name)


@_each_notebook
def test_a_notebook_of_the_documentation_is_kept_without_results(path: Path) -> None:
    code = [cell for cell in notebook_at(path).cells if cell.cell_type == "code"]
    assert code
    assert not any(cell.outputs or cell.execution_count for cell in code)


@pytest.mark.nightly
@pytest.mark.parametrize("path", [*_NOTEBOOKS, *_SCRIPTS], ids=lambda path: path.name)
def test_a_notebook_of_the_documentation_runs(path: Path) -> None:
    notebook = notebook_at(path) if path in _NOTEBOOKS else notebook_of_script(path)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    run_notebook(notebook)
    shown = [output for cell in code for output in cell.outputs]
    assert not any("bars" in str(output) or output.get("name") == "stderr" for output in shown)
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert {"text/html", "image/png"} <= kinds


def test_a_script_is_a_notebook_with_its_text_and_code() -> None:
    assert len(_SCRIPTS) >= 3
    for path in _SCRIPTS:
        notebook = notebook_of_script(path)
        nbformat.validate(notebook)
        kinds = [cell.cell_type for cell in notebook.cells]
        assert kinds[0] == "markdown"
        assert notebook.cells[0].source.startswith("# ")
        code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        assert len(code) >= 5
        whole = path.read_text()
        assert all(source in whole for source in code)
        assert not any("# %%" in cell.source for cell in notebook.cells)


def test_a_cell_shows_bars_while_it_runs_and_none_when_it_has() -> None:
    notebook = notebook_of(_LONG)
    received = run_notebook(notebook)
    first = [one["content"] for one in received if one["msg_type"] == "display_data"]
    later = [one["content"] for one in received if one["msg_type"] == "update_display_data"]
    assert len(first) == 2
    assert "bus" in first[0]["data"]["text/plain"]
    assert "/200000" in "".join(one["data"]["text/plain"] for one in [*first, *later])
    assert any(
        "ideal" in one["data"]["text/html"]
        for one in first[1:] + later
        if "text/html" in one["data"]
    )
    assert [output["data"] for output in notebook.cells[0].outputs] == [{"text/plain": ""}] * 2


_PICTURES = (
    """
import venice
from venice import plot

runs = venice.compare(fabrics=["bus", "venice"], workload="random-read", requests=200, seeds=2)
report = venice.run(workload="random-read", requests=200, interval=8)
plot.draw_comparison(runs)
""",
    """
plot.draw(runs, "bars", of="latency_us.all.p99", baseline="bus")
""",
    """
plot.draw_over_time(report)
""",
)


@pytest.mark.nightly
def test_a_picture_that_is_the_value_of_a_cell_is_shown() -> None:
    notebook = notebook_of(*_PICTURES)
    run_notebook(notebook)
    for cell in notebook.cells:
        shown = [base64.b64decode(one["data"].get("image/png", "")) for one in cell.outputs]
        assert any(png.startswith(b"\x89PNG") for png in shown)


class _Display:
    """Stand-in for IPython's display that keeps the displayed objects."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def __call__(self, data: dict[str, str], *, raw: bool, display_id: bool) -> _Display:
        assert raw
        assert display_id
        return self.update(data, raw=raw)

    def update(self, data: dict[str, str], *, raw: bool) -> _Display:
        assert raw
        self.shown.append(data)
        return self


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> _Display:
    """Make this process look like a notebook and return its stand-in for the display."""
    display = _Display()
    shell = SimpleNamespace(kernel=object())
    for name, parts in (
        ("IPython", {"get_ipython": lambda: shell}),
        ("IPython.display", {"display": display}),
    ):
        module = ModuleType(name)
        vars(module).update(parts)
        monkeypatch.setitem(sys.modules, name, module)
    return display


def test_what_ends_soon_shows_nothing(display: _Display) -> None:
    assert in_notebook()
    venice.run(workload="random-read", requests=100)
    assert display.shown == []


def test_bars_tell_how_far_each_run_has_come(
    display: _Display, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bars, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(bars, "_REFRESH_S", 0.0)
    with of_runs(None, lambda: ["bus", "venice <b>"]) as listener:
        assert listener is not None
        listener(1, 30, 120, 5000.0)
    text = display.shown[-2]["text/plain"]
    assert "30/120" in text
    assert "0/120" in text.splitlines()[0]
    assert "5.0 ms simulated" in text
    assert "venice &lt;b&gt;" in display.shown[-2]["text/html"]
    assert display.shown[-1] == {"text/plain": ""}


def test_sweeps_and_searches_show_how_many_runs_are_done(
    display: _Display, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bars, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(bars, "_REFRESH_S", 0.0)
    scenario = {"workload": "random-read", "requests": 50}
    venice.run_sweep(venice.Sweep.of(scenario, [{"seed": [1, 2, 3]}], "mine"), tmp_path)
    assert any("mine" in one["text/plain"] and "3/3" in one["text/plain"] for one in display.shown)
    display.shown.clear()
    from venice.exploration import Objective, Search  # noqa: PLC0415 it brings Optuna

    goals = [Objective("latency_us.all.p99")]
    axes = [{"flash.t_read_us": [1, 2]}]
    space = venice.Exploration.of(scenario, axes, goals, search=Search(runs=2), name="best")
    venice.explore(space, tmp_path / "found")
    assert any("best" in one["text/plain"] and "/2" in one["text/plain"] for one in display.shown)


def test_outside_of_a_notebook_bars_are_shown_on_request_only() -> None:
    assert not in_notebook()
    for requested in (None, False):
        with of_run(requested, "bus") as listener, of_count(requested, "mine", 3) as count:
            assert listener is None
            assert count is None
    with of_run(True, "bus") as listener:
        assert listener is not None
        listener(3, 10, 1.0)


def test_a_progress_function_receives_the_progress(display: _Display, tmp_path: Path) -> None:
    received: list[int] = []
    report = venice.run(
        workload="random-read",
        requests=20_000,
        progress=lambda completed, _total, _simulated_us: received.append(completed),
    )
    assert received[-1] == report.requests.completed
    places: set[int] = set()
    venice.compare(
        fabrics=["bus", "ideal"],
        workload="random-read",
        requests=20_000,
        progress=lambda place, *_state: places.add(place),
    )
    assert places == {0, 1}
    done: list[tuple[int, int]] = []
    sweep = venice.Sweep.of({"workload": "random-read", "requests": 50}, [{"seed": [1, 2]}])
    venice.run_sweep(sweep, tmp_path, progress=lambda *state: done.append(state))
    assert done[-1] == (2, 2)
    assert display.shown == []


def test_a_cell_that_fails_leaves_no_bars(
    display: _Display, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bars, "_PATIENCE_S", 0.0)
    with suppress(ZeroDivisionError), Cell("{task.description}") as cell:
        cell.update(cell.add_task("bus", total=3), completed=1)
        _ = 1 / 0
    assert "1/3" in display.shown[0]["text/plain"]
    assert display.shown[-1] == {"text/plain": ""}
