"""``make same``: the scenarios of ``conformance/reports.toml`` still give the same reports."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import groupby
from typing import TYPE_CHECKING

import pytest

from equal_reports.canonical import Names, digest
from equal_reports.comparison import added, differing_figures
from equal_reports.rows import ReportsFile
from equal_reports.scenarios import Failure, outcomes_of

from .conftest import REPOSITORY, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from equal_reports.rows import Row

CONFORMANCE = REPOSITORY / "conformance"
NAMES = Names.read(CONFORMANCE / "renames.toml")
ROWS = """\
[first]
drive = "scenarios/dies.toml"
settings = { ftl.victim = "greedy" }
workload = "scenarios/reads.toml"
requests = 50

# The second.
[second]
drive = "scenarios/dies.toml"
workload = "scenarios/mixed.toml"
requests = 50
"""


def same(*arguments: object) -> Outcome:
    """Run the command."""
    command = [sys.executable, str(CONFORMANCE / "same.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr)


def digests(rows: Sequence[Row], workers: int) -> list[str]:
    """Run rows in `workers` processes and return the hashes of their reports."""
    reports = outcomes_of(rows, workers)
    return [digest(NAMES.canonical(one)) for one in reports if not isinstance(one, Failure)]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Write a file of two rows with their results."""
    path = tmp_path / "rows.toml"
    path.write_text(ROWS)
    assert same("--rows", path, "--bless-all").code == 0
    return path


# The runs take ten seconds on idle cores.
@pytest.mark.timeout(600)
def test_every_scenario_gives_the_report_of_its_row() -> None:
    outcome = same()
    assert outcome.code == 0, outcome.stdout + outcome.stderr


def test_rows_with_equal_reports_are_marked() -> None:
    rows = ReportsFile(CONFORMANCE / "reports.toml").rows.values()
    by_digest = sorted(rows, key=lambda row: row.sha256 or "")
    for _, group in groupby(by_digest, key=lambda row: row.sha256):
        names = {row.name: row.same_as for row in group}
        first, *more = [name for name, other in names.items() if other is None]
        assert not more, f"equal reports, so that one of the scenarios tests nothing: {names}"
        assert {other for name, other in names.items() if name != first} <= {first}


def test_neither_order_nor_number_of_workers_changes_a_report() -> None:
    rows = list(ReportsFile(CONFORMANCE / "reports.toml").rows.values())[::60]
    forwards = digests(rows, workers=1)
    backwards = digests(rows[::-1], workers=3)
    assert forwards == [row.sha256 for row in rows] == backwards[::-1]


def test_a_difference_is_named_with_the_old_and_the_new_value(rows: Path) -> None:
    assert same("--rows", rows).code == 0
    rows.write_text(rows.read_text().replace("requests = 50", "requests = 40", 1))
    outcome = same("--rows", rows)
    assert outcome.code == 1
    assert "first differs:\n    requests.completed: 50 -> 40\n" in outcome.stdout
    assert "second differs" not in outcome.stdout


def test_a_difference_in_no_figure_of_the_row_is_found_by_its_hash(rows: Path) -> None:
    sha256 = ReportsFile(rows).rows["second"].sha256
    rows.write_text(rows.read_text().replace(f"{sha256}", "0" * 16))
    outcome = same("--rows", rows)
    assert outcome.code == 1
    assert "second differs:\n    none of the figures of its row" in outcome.stdout


def test_the_named_row_alone_is_replaced(rows: Path) -> None:
    before = rows.read_text()
    changed = before.replace("requests = 50", "requests = 40")
    rows.write_text(changed)
    assert same("--rows", rows, "--bless", "second").code == 0
    first = changed.index("# The second.")
    assert rows.read_text()[:first] == changed[:first]
    assert same("--rows", rows, "second").code == 0
    assert same("--rows", rows, "first").code == 1
    rows.write_text(rows.read_text().replace("requests = 40", "requests = 50"))
    assert same("--rows", rows, "--bless-all").code == 0
    assert rows.read_text() == before


def test_a_row_without_a_result_is_a_difference(rows: Path) -> None:
    rows.write_text(ROWS)
    outcome = same("--rows", rows, "first")
    assert (outcome.code, "make same BLESS=first" in outcome.stdout) == (1, True)


def test_an_unknown_row_is_refused_with_its_nearest_name(rows: Path) -> None:
    outcome = same("--rows", rows, "--bless", "secnd")
    assert outcome.code == 2
    assert "has no row `secnd`; did you mean `second`?" in outcome.stderr


def test_a_scenario_that_fails_is_named(rows: Path) -> None:
    rows.write_text(rows.read_text().replace('"greedy"', '"gready"'))
    outcome = same("--rows", rows)
    assert outcome.code == 1
    assert "first fails: " in outcome.stdout
    assert "gready" in outcome.stdout


def test_another_build_is_compared_figure_by_figure(rows: Path, tmp_path: Path) -> None:
    same("--rows", rows, "--save", tmp_path / "reports.json")
    old = json.loads((tmp_path / "reports.json").read_text())
    del old["first"]
    old["second"]["latency_us"]["read"]["p99"] = 1
    old["second"]["wall_s"] = 0
    (tmp_path / "base" / "source" / "conformance").mkdir(parents=True)
    script = f"import pathlib, sys\npathlib.Path(sys.argv[-1]).write_text({json.dumps(old)!r})\n"
    (tmp_path / "base" / "source" / "conformance" / "same.py").write_text(script)
    outcome = same("--rows", rows, "--base", tmp_path / "base")
    assert outcome.code == 1
    assert "second differs:\n    latency_us.read.p99: 1 -> " in outcome.stdout
    assert outcome.stdout.count(" -> ") == 1
    assert "not compared: first\n" in outcome.stdout


def test_a_build_from_before_this_command_runs_todays_scenarios(rows: Path, tmp_path: Path) -> None:
    (tmp_path / "base" / "package").mkdir(parents=True)
    outcome = same("--rows", rows, "--base", tmp_path / "base")
    assert (outcome.code, outcome.stderr) == (0, "")
    assert outcome.stdout.endswith("reports compared: 2, of which differ: 0\n")


def test_a_renamed_key_and_a_moved_figure_are_no_difference() -> None:
    renamed = (
        ("p99", "percentile_99"),
        ("flash.gc_moves", "collection.moves"),
        ("queues[].pages", "flows[].pages.all"),
    )
    names = Names(renamed, NAMES.left_out)
    old = {"flash": {"gc_moves": 3}, "read": {"p99": 2}, "queues": [{"pages": {"n": 1}}, {"x": 0}]}
    new = {
        "read": {"percentile_99": 2},
        "flows": [{"pages": {"all": {"n": 1}}}],
        "queues": [{}, {"x": 0}],
        "collection": {"moves": 3},
    }
    expected = names.canonical(old)
    assert expected == NAMES.canonical(old)
    found = names.canonical(new)
    assert found.pop("queues[0]") == {}
    assert found == expected
    assert NAMES.canonical(new).keys().isdisjoint(expected.keys() - {"queues[1].x"})


def test_order_spelling_of_whole_numbers_and_what_is_no_result_are_no_difference() -> None:
    old = {"iops": 5.0, "latency_us": {"max": 0.1, "p99": None}, "list": [], "wall_s": 1}
    new = {"latency_us": {"p99": None, "max": 0.1}, "iops": 5, "list": [], "wall_s": 2}
    assert digest(NAMES.canonical(old)) == digest(NAMES.canonical(new))
    new["latency_us"] = {"p99": None, "max": 0.1 + 0.2 - 0.2}
    assert digest(NAMES.canonical(old)) != digest(NAMES.canonical(new))


def test_figures_of_a_list_share_a_line_and_new_figures_are_no_difference() -> None:
    old, new = NAMES.canonical({"a": [1, 2, 3]}), NAMES.canonical({"a": [1, 5, 6], "b": 1})
    assert differing_figures(old, new) == ["a[1]: 2 -> 5 and 1 more of the list"]
    assert added(old, new) == ["b"]
    assert differing_figures(new, old)[-1] == 'b: 1 -> "none"'
