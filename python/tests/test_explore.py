"""Explorations: spaces, objectives, stored results and errors."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("optuna")

import venice
from venice.exploration import Constraint, Exploration, Objective, Search, explore
from venice.exploration.front import front_of, hypervolume, is_as_good
from venice.exploration.goals import Goals
from venice.exploration.promotion import LEARNED_FROM, Stage
from venice.exploration.space import Range, Space
from venice.sweep import SweepError

from .conftest import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Outcome
    from venice.exploration import Explored

_BASE = {"workload": "random-read", "requests": 60}
_AXES: list[dict[str, Any]] = [
    {"fabric": ["bus", "pssd", "venice"]},
    {"fabric.mesh.link_width_bits": {"from": 4, "to": 24, "step": 4}},
    {"host.queue_depth": [1, 4, 16, 64]},
]
_OBJECTIVES = [Objective("latency_us.all.p99"), Objective("area.wires_in_channels")]
_TOML = """
[scenario]
workload = "random-read"
requests = 60
[[axis]]
fabric = ["bus", "pnssd", "venice"]
[[axis]]
"array.rows" = [4, 8]
"array.cols" = [16, 8]
[[axis]]
"fabric.mesh.link_width_bits" = { from = 4, to = 24 }
[[objective]]
figure = "latency_us.all.p99"
[[objective]]
figure = "area.wires_in_channels"
[search]
runs = 24
"""


def _exploration(runs: int = 30, seed: int = 1) -> Exploration:
    return Exploration.of(_BASE, _AXES, _OBJECTIVES, search=Search(runs=runs, seed=seed))


def _chosen(explored: Explored) -> list[tuple[object, ...]]:
    return [tuple(found.point.choices.values()) for found in explored.points]


def _rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "results.sqlite")) as database:
        return database.execute(query).fetchall()


def test_the_front_is_what_nothing_found_is_better_than(tmp_path: Path) -> None:
    explored = venice.explore(_exploration(), tmp_path)
    goals = explored.exploration.goals
    values = [goals.values(found.figures) for found in explored.points]
    on_front = [goals.values(found.figures) for found in explored.front]
    assert len(explored.points) == 30
    assert on_front == sorted(on_front)
    for mine in values:
        assert any(is_as_good(best, mine) for best in on_front)
    for best in on_front:
        assert sum(is_as_good(other, best) for other in on_front) == 1


def test_figures_are_those_of_a_run_of_its_own(tmp_path: Path) -> None:
    explored = explore(_exploration(runs=3), tmp_path)
    for found, (point, report) in zip(explored.points, explored.results, strict=True):
        assert point == found.point
        alone = venice.run(**point.scenario)
        assert alone.latency_us.all.p99 == found.figures["latency_us.all.p99"]
        assert (
            report.to_dict()["area"]["wires_in_channels"]
            == (found.figures["area.wires_in_channels"])
        )


def test_the_points_depend_on_the_seed_and_on_nothing_else(tmp_path: Path) -> None:
    alone = _chosen(explore(_exploration(), tmp_path / "one", workers=1))
    many = _chosen(explore(_exploration(), tmp_path / "four", workers=4))
    with ProcessPoolExecutor(2) as executor:
        elsewhere = _chosen(explore(_exploration(), tmp_path / "processes", executor=executor))
    assert alone == many == elsewhere
    assert alone != _chosen(explore(_exploration(seed=2), tmp_path / "two"))


def test_no_point_is_chosen_twice_and_a_small_space_ends(tmp_path: Path) -> None:
    explored = explore(_exploration(runs=500), tmp_path)
    assert len(explored.points) == len(set(_chosen(explored))) == 3 * 6 * 4
    assert explored.spent == 72


def test_a_search_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    whole = explore(_exploration(), tmp_path / "whole")

    def stop(done: int, _all: int) -> None:
        if done == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(_exploration(), tmp_path / "part", workers=1, progress=stop)
    before = _rows(tmp_path / "part", "SELECT key, at FROM finished")
    assert 12 <= len(before) < 30
    rest = explore(_exploration(), tmp_path / "part")
    assert rest.found == len(before)
    assert set(before) < set(_rows(tmp_path / "part", "SELECT key, at FROM finished"))
    assert _chosen(rest) == _chosen(whole)
    assert explore(_exploration(), tmp_path / "part").found == 30


def test_more_runs_go_on_behind_the_first_ones(tmp_path: Path) -> None:
    first = explore(_exploration(runs=20), tmp_path)
    more = explore(_exploration(runs=30), tmp_path)
    assert _chosen(more)[:20] == _chosen(first)
    assert more.found == 20


def test_runs_of_a_sweep_in_the_same_folder_are_not_run_again(tmp_path: Path) -> None:
    axes = [_AXES[0], {"fabric.mesh.link_width_bits": list(range(4, 25, 4))}, _AXES[2]]
    venice.run_sweep(venice.Sweep.of(_BASE, axes, "all"), tmp_path)
    explored = explore(_exploration(), tmp_path)
    assert explored.found == 30
    assert len(_rows(tmp_path, "SELECT 1 FROM finished")) == 72
    assert _rows(tmp_path, "SELECT points FROM sweeps WHERE name = 'all'") == [(72,)]


def test_the_store_lists_what_was_explored_and_the_front(tmp_path: Path) -> None:
    exploration = Exploration.of(_BASE, _AXES, _OBJECTIVES, search=Search(runs=20), name="mesh")
    explored = explore(exploration, tmp_path)
    kept = dict(_rows(tmp_path, "SELECT name, points FROM sweeps"))
    assert kept == {"mesh explored": 20, "mesh front": len(explored.front)}
    with (tmp_path / "front.csv").open() as file:
        table = list(csv.DictReader(file))
    assert [float(row["latency_us.all.p99"]) for row in table] == [
        found.figures["latency_us.all.p99"] for found in explored.front
    ]
    assert [point for point, _ in explored.front_results] == [
        found.point for found in explored.front
    ]


def test_constraints_keep_points_off_the_front(tmp_path: Path) -> None:
    limit = Constraint("area.wires_in_channels", at_most=6)
    exploration = Exploration.of(
        _BASE, _AXES, [Objective("latency_us.all.p99")], [limit], Search(runs=40)
    )
    explored = explore(exploration, tmp_path)
    assert {found.is_within for found in explored.points} == {True, False}
    for found in explored.points:
        assert found.is_within == (found.figures["area.wires_in_channels"] <= 6)
    (best,) = explored.front
    assert best.is_within


def test_objectives_can_be_large(tmp_path: Path) -> None:
    exploration = Exploration.of(_BASE, _AXES, [Objective("iops", "max")], search=Search(runs=30))
    explored = explore(exploration, tmp_path)
    (best,) = explored.front
    assert best.figures["iops"] == max(found.figures["iops"] for found in explored.points)


def test_impossible_points_are_reported_and_cost_no_run(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(_TOML)
    explored = explore(Exploration.load(tmp_path / "s.toml"), tmp_path / "out")
    assert len(explored.points) == 24
    assert explored.impossible
    for point, reason in explored.impossible:
        assert (point.choices["fabric"], point.choices["array.rows"]) == ("pnssd", 4)
        assert "equal numbers of rows and columns" in reason


def test_short_runs_spare_long_ones_and_lose_no_point_of_the_front(tmp_path: Path) -> None:
    scenario = {"workload": "random-read", "requests": 400, "closed_loop": 64}
    space = [_AXES[0], {"fabric.mesh.link_width_bits": list(range(4, 25, 4))}, _AXES[2]]
    whole = Exploration.of(scenario, space, _OBJECTIVES, search=Search(runs=72))
    short = Exploration.of(
        scenario, space, _OBJECTIVES, search=Search(runs=200, short_requests=(100,))
    )
    best = explore(whole, tmp_path)
    found = explore(short, tmp_path)
    assert found.given_up >= 20
    assert len(found.points) + found.given_up == 72
    assert found.spent == len(found.points) + 72 / 4
    assert [one.figures for one in found.front] == [one.figures for one in best.front]


@pytest.fixture
def trained_stage() -> Stage:
    """Return a stage of short runs that showed half of the latency and reversed a lead of 10 %."""
    stage = Stage(Goals((Objective("a"), Objective("b"))))
    for number in range(LEARNED_FROM - 2):
        stage.add({"a": 20.0 + number, "b": 5.0}, {"a": 40.0 + 2 * number, "b": 5.0})
    stage.add({"a": 10.0, "b": 5.0}, {"a": 23.0, "b": 5.0})
    assert not stage.judge().is_hopeless({"a": 1000.0, "b": 50.0})
    stage.add({"a": 11.0, "b": 5.0}, {"a": 22.0, "b": 5.0})
    return stage


def test_a_point_is_given_up_if_it_is_behind_by_more_than_the_margin(trained_stage: Stage) -> None:
    judge = trained_stage.judge()
    assert not judge.is_hopeless({"a": 10.9, "b": 5.0})
    assert not judge.is_hopeless({"a": 11.0, "b": 5.0})
    assert judge.is_hopeless({"a": 11.01, "b": 5.0})
    assert not judge.is_hopeless({"a": 1000.0, "b": 4.99})


def test_what_is_known_later_does_not_count(trained_stage: Stage) -> None:
    judge = trained_stage.judge()
    trained_stage.add({"a": 1.0, "b": 1.0}, {"a": 2.0, "b": 1.0})
    assert not judge.is_hopeless({"a": 9.0, "b": 4.0})
    assert trained_stage.judge().is_hopeless({"a": 9.0, "b": 4.0})


def test_a_point_is_given_up_if_one_before_the_limit_has_missed_it() -> None:
    stage = Stage(Goals((Objective("a"),), (Constraint("b", at_most=10),)))
    for number in range(LEARNED_FROM):
        stage.add({"a": 20.0 - number, "b": number}, {"a": 20.0 - number, "b": 2.0 * number})
    judge = stage.judge()
    assert not judge.is_hopeless({"a": 1.0, "b": 5.9})
    assert judge.is_hopeless({"a": 1.0, "b": 6.0})


def test_hypervolumes_are_those_of_boxes() -> None:
    random = Random(7)  # noqa: S311
    for objectives in (1, 2, 3, 4):
        points = [tuple(random.randrange(4) for _ in range(objectives)) for _ in range(6)]
        cells = 0
        for number in range(4**objectives):
            cell = tuple(number // 4**axis % 4 for axis in range(objectives))
            cells += any(is_as_good(point, cell) for point in points)
        assert hypervolume(points, (4.0,) * objectives) == cells


def test_a_front_has_no_point_twice() -> None:
    assert front_of([(2.0, 1.0), (1.0, 2.0), (2.0, 1.0), (2.0, 2.0)]) == [1, 0]


def test_a_range_has_the_numbers_that_it_says() -> None:
    space = Space.of(
        _BASE,
        [
            {"fabric.mesh.link_width_bits": {"from": 4, "to": 24, "step": 4}},
            {"fabric.mesh.link_latency_ns": {"from": 0.5, "to": 4, "log": True}},
        ],
    )
    assert space.size is None
    assert space.axes[0].count == 6
    random = Random(1)  # noqa: S311
    drawn = [space.random(random) for _ in range(200)]
    assert {width for width, _ in drawn} == {4, 8, 12, 16, 20, 24}
    assert all(0.5 <= latency <= 4 for _, latency in drawn)
    axis = Range("x", 1.0, 2.0, 0.25, is_log=False)
    assert {axis.any(random) for _ in range(100)} == {1.0, 1.25, 1.5, 1.75, 2.0}
    assert {axis.near(2.0, random) for _ in range(9)} == {1.75}


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ([], "there is no axis"),
        ([{"fabirc": ["bus"]}], "`fabirc` is unknown"),
        ([{"fabric": "bus"}], "should be a list"),
        ([{"host.queue_depth": {"from": 1}}], "expected: `from` and `to`"),
        ([{"host.queue_depth": {"from": 9, "to": 1}}], "should be larger"),
        ([{"host.queue_depth": {"from": 1, "to": 9, "by": 2}}], "`by` is unknown"),
        ([{"host.queue_depth": {"from": "1", "to": 9}}], "should be a number"),
        ([{"host.queue_depth": {"from": 1, "to": 9, "step": 0.5}}], "whole number above 0"),
        ([{"host.queue_depth": {"from": 0, "to": 9, "log": True}}], "`from` above 0"),
        ([{"seed": {"from": 1, "to": 2}, "fabric": ["bus"]}], "an axis of its own"),
    ],
)
def test_wrong_axes_are_refused(axes: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(SweepError, match=message):
        Exploration.of(_BASE, axes, _OBJECTIVES)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("runs = 24", "rums = 24", "search: `rums` is unknown"),
        ("runs = 24", 'runs = "24"', "a whole number"),
        ("runs = 24", "runs = 0", "`runs` is 0; expected: from 1"),
        ("runs = 24", "short_requests = [60]", "should rise, and end below the 60 requests"),
        ("runs = 24", "short_requests = [1.5]", "give numbers above 0"),
        ('"latency_us.all.p99"', '"latency_us.all.p98"', "did you mean"),
        ('"latency_us.all.p99"', '"latency_us.all"', "is not a number of the report"),
        ('"latency_us.all.p99"', '"fabric"', "is not a number of the report"),
        ('"latency_us.all.p99"', '"area.wires_in_channels"', "is given twice"),
        ("[[objective]]", "[[objektive]]", "`objektive` is unknown; an exploration has name"),
        ("[search]", '[[constraint]]\nfigure = "iops"\n[search]', "has no limit"),
        (
            "from = 4",
            "from = 0",
            "s.toml: `fabric.mesh.link_width_bits` = 0 is possible at no point",
        ),
        (
            '"bus", "pnssd"',
            '"bus", "pnsssd"',
            "axis 1: `fabric` is `pnsssd`, which is not a",
        ),
    ],
)
def test_a_wrong_file_is_one_message(
    venice: Callable[..., Outcome], tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in _TOML
    (tmp_path / "s.toml").write_text(_TOML.replace(old, new))
    outcome = venice("explore", "s.toml")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.message
    assert outcome.stderr.startswith("error: ")
    assert not (tmp_path / "out").exists()


def test_the_command_prints_the_front_and_keeps_it(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "mesh.toml").write_text(_TOML)
    first = venice("explore", "mesh.toml", "--plot", "front.png", "--json", "front.json")
    assert first.code == 0, first.stderr
    assert "not run: " in first.stderr
    assert "equal numbers of rows and columns" in first.stderr
    content = json.loads((tmp_path / "front.json").read_text())
    assert len(content["points"]) == 24
    assert [one for one in content["points"] if one["is_on_front"]] != []
    assert f"{len(content['front'])} points on the front, of 24 with a full run" in first.stdout
    assert (tmp_path / "front.png").read_bytes().startswith(b"\x89PNG")
    second = venice("explore", "mesh.toml", "--plot", "again.png", "--json", "-")
    assert json.loads(second.stdout) == content
    assert "24 runs were found there" in second.stderr
    assert (tmp_path / "again.png").read_bytes() == (tmp_path / "front.png").read_bytes()
    status = venice("sweep", "status", "out/mesh")
    assert "mesh explored" in status.stdout
    query = "SELECT count(*) FROM runs WHERE sweep = 'mesh front'"
    requested = venice("sweep", "sql", query, "out/mesh", "--csv")
    assert requested.stdout.splitlines()[1] == str(len(content["front"]))


def test_an_empty_front_is_reported(venice: Callable[..., Outcome], tmp_path: Path) -> None:
    limit = '[[constraint]]\nfigure = "iops"\nat_least = 1e12\n[search]'
    (tmp_path / "s.toml").write_text(_TOML.replace("[search]", limit))
    outcome = venice("explore", "s.toml", "--runs", "5")
    assert outcome.code == 0
    assert "no point meets iops >= 1e+12; the nearest is fabric = " in outcome.message


def test_failed_runs_are_named(venice: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "bad.trace").write_text("what is this\n")
    wrong = _TOML.replace('workload = "random-read"', 'trace = "bad.trace"\nformat = "mqsim-ascii"')
    (tmp_path / "s.toml").write_text(wrong)
    outcome = venice("explore", "s.toml", "--runs", "3")
    assert outcome.code == 2
    assert "failed: fabric = " in outcome.message
    assert "the runs of 3 points failed" in outcome.message


def test_a_missing_optimiser_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(_TOML)
    code = (
        "import sys, importlib.util as util; found = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'optuna' else found(name, *more)\n"
        "from venice.cli import main; sys.argv = ['venice', 'explore', 's.toml']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "error: explorations need Optuna, which is not installed\n"
        "  --> venice explore\n"
        "   = install it with: pip install 'venice-ssd[explore]'\n"
    )


def test_the_help_does_not_import_the_optimiser() -> None:
    code = "import sys, venice.cli.explore; sys.exit('optuna' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_search_that_is_ended_or_killed_runs_nothing_twice(
    tmp_path: Path, venice: Callable[..., Outcome], number: int
) -> None:
    text = _TOML.replace("runs = 24", "runs = 40").replace("requests = 60", "requests = 3000")
    (tmp_path / "s.toml").write_text(text)
    command = [*COMMAND, "explore", "s.toml"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        store = tmp_path / "out" / "s" / "results.sqlite"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(0.05)
            if store.exists() and len(_rows(store.parent, "SELECT 1 FROM finished")) >= 8:
                break
        os.kill(process.pid, number)
        _, reported = process.communicate()
    before = _rows(store.parent, "SELECT key, at FROM finished")
    assert 8 <= len(before) < 40
    if number == signal.SIGTERM:
        assert b"of 40 runs, which are kept in out/s; the same command continues" in reported
    rest = venice("explore", "s.toml")
    assert rest.code == 0, rest.stderr
    assert set(before) < set(_rows(store.parent, "SELECT key, at FROM finished"))
    twice = "SELECT key FROM attempts WHERE outcome = 'done' GROUP BY key HAVING count(*) > 1"
    assert _rows(store.parent, twice) == []


def test_two_searches_at_once_share_their_runs(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(_TOML.replace("requests = 60", "requests = 2000"))
    both = [
        subprocess.Popen(
            [*COMMAND, "explore", "s.toml", "--json", f"{name}.json", "--workers", "1"],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for name in ("one", "other")
    ]
    for process in both:
        _, reported = process.communicate()
        assert process.returncode == 0, reported.decode()
    one, other = ((tmp_path / f"{name}.json").read_bytes() for name in ("one", "other"))
    assert one == other
    attempts = "SELECT count(*), count(DISTINCT key) FROM attempts"
    assert _rows(tmp_path / "out" / "s", attempts) == [(24, 24)]
