"""Searches pass over what is believed to say the same, and look beside the front."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("optuna")

from venice.exploration import Exploration, Objective, Search, explore
from venice.exploration.fringe import Fringe
from venice.exploration.front import crowding
from venice.exploration.known import Known
from venice.exploration.space import Space

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from venice.exploration.front import Values
    from venice.exploration.space import Place

_BASE = {"workload": "random-read", "requests": 60}
_AXES: list[dict[str, Any]] = [
    {"fabric": ["bus", "venice", "pssd"]},
    {"fabric.mesh.link_width_bits": [4, 6, 8, 12, 16, 24]},
    {"host.queue_depth": [1, 2, 4, 8, 16, 32]},
]
_BUS, _VENICE, _PSSD = 0, 1, 2


@pytest.fixture
def space() -> Space:
    return Space.of(_BASE, _AXES)


def _known(space: Space, said: Mapping[Place, str]) -> Known:
    known = Known(space)
    for place, text in said.items():
        known.keep(place)
        known.learn(place, text)
    return known


def test_two_ends_that_say_the_same_stand_for_all_between_them(space: Space) -> None:
    known = _known(space, {(_BUS, 0, 3): "a", (_BUS, 5, 3): "a"})
    assert not any(known.is_new((_BUS, width, 3)) for width in range(6))
    assert known.is_new((_VENICE, 2, 3))
    assert known.is_new((_BUS, 2, 4))


def test_what_is_seen_on_one_line_is_believed_of_the_fabric_and_of_no_other(space: Space) -> None:
    known = _known(
        space, {(_BUS, 0, 3): "a", (_BUS, 5, 3): "a", (_BUS, 2, 1): "b", (_VENICE, 2, 1): "c"}
    )
    assert not known.is_new((_BUS, 4, 1))
    assert known.is_new((_VENICE, 4, 1))


def test_points_that_say_the_same_differ_on_no_axis_that_matters(space: Space) -> None:
    known = _known(space, {(_BUS, 0, 3): "a", (_BUS, 4, 5): "a"})
    assert not any(known.is_new((_BUS, width, depth)) for width in range(5) for depth in (3, 4, 5))
    assert known.is_new((_BUS, 5, 3))
    assert known.is_new((_BUS, 0, 2))


def test_what_says_something_else_refutes_what_was_believed(space: Space) -> None:
    said: dict[Place, str] = {(_VENICE, 0, 3): "a", (_VENICE, 5, 3): "a", (_VENICE, 2, 5): "b"}
    assert not _known(space, said).is_new((_VENICE, 3, 5))
    refuted = _known(space, {**said, (_VENICE, 4, 5): "c"})
    assert refuted.is_new((_VENICE, 3, 5))


def test_of_an_unordered_axis_only_the_steps_that_were_seen_are_the_same(space: Space) -> None:
    known = _known(space, {(_BUS, 0, 3): "a", (_PSSD, 0, 3): "a", (_BUS, 0, 1): "b"})
    assert not known.is_new((_PSSD, 0, 1))
    assert known.is_new((_VENICE, 0, 1))


def test_a_search_runs_few_link_widths_of_what_has_no_links(tmp_path: Path) -> None:
    objectives = [Objective("latency_us.all.p99"), Objective("area.wires_in_channels")]
    again = 0
    for seed in range(1, 5):
        exploration = Exploration.of(_BASE, _AXES, objectives, search=Search(runs=48, seed=seed))
        explored = explore(exploration, tmp_path)
        said = [
            (found.point.choices["fabric"], found.point.choices["host.queue_depth"])
            for found in explored.points
            if found.point.choices["fabric"] != "venice"
        ]
        again += len(said) - len(set(said))
    # Of 192 runs; 56 if nothing is believed of runs that say the same.
    assert again < 45


def test_crowding_is_the_way_round_each_point_as_a_share_of_the_front() -> None:
    front = [(0.0, 10.0), (2.0, 5.0), (8.0, 4.0), (10.0, 0.0)]
    assert crowding(front)[1:3] == pytest.approx([8 / 10 + 6 / 10, 8 / 10 + 5 / 10])


def _fringe(space: Space, front: Mapping[Place, Values]) -> Fringe:
    fringe = Fringe(space, Random(1))  # noqa: S311 no secret
    for place, values in front.items():
        fringe.add(place)
        fringe.tell(place, values)
    return fringe


def test_the_fringe_names_ends_then_middles_of_gaps(space: Space) -> None:
    fringe = _fringe(space, {(_BUS, 2, 3): (1.0,)})
    beside = {fringe.choose(lambda _place: True) for _ in range(200)}
    assert beside == {
        (_VENICE, 2, 3),
        (_PSSD, 2, 3),
        (_BUS, 0, 3),
        (_BUS, 5, 3),
        (_BUS, 2, 0),
        (_BUS, 2, 5),
    }
    for end in ((_BUS, 5, 3), (_BUS, 2, 0)):
        fringe.add(end)
        fringe.tell(end, None)
    beside = {fringe.choose(lambda _place: True) for _ in range(200)}
    assert {(_BUS, 3, 3), (_BUS, 2, 1)} < beside
    assert not {(_BUS, 5, 3), (_BUS, 2, 0)} & beside
    assert fringe.choose(lambda _place: False) is None


def test_the_widest_gap_of_the_front_comes_first(space: Space) -> None:
    front: dict[Place, Values] = {
        (_BUS, 0, 0): (0.0, 100.0),
        (_BUS, 0, 1): (1.0, 99.0),
        (_BUS, 0, 2): (2.0, 50.0),
        (_BUS, 0, 3): (52.0, 1.0),
        (_BUS, 0, 4): (99.0, 0.5),
        (_BUS, 0, 5): (100.0, 0.0),
    }
    fringe = _fringe(space, front)
    chosen = [fringe.choose(lambda place: place[1] != 0) for _ in range(6)]
    # Both ends count as twice the widest gap, and half of that once they were visited.
    assert sorted(place[2] for place in chosen if place) == [0, 0, 2, 3, 5, 5]


def test_axes_that_led_to_the_front_are_taken_more_often(space: Space) -> None:
    best = (_BUS, 2, 3)
    fringe = _fringe(space, {best: (0.0, 0.0)})
    taken = []
    for _ in range(60):
        place = fringe.choose(lambda _place: True)
        assert place is not None
        taken.append(next(number for number in range(3) if place[number] != best[number]))
        if taken[-1] == 2:
            # As if it were better; the point that it was beside stays the only one of the front.
            fringe.tell(place, (-1.0 - len(taken), 0.0))
            fringe.tell(best, (-1.5 - len(taken), 0.0))
        else:
            fringe.tell(place, None)
    assert taken[30:].count(2) > 20
