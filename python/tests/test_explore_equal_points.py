"""Searches defer points with an expected equal result, and try neighbours of the front."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("optuna")

from venice.exploration import Exploration, Objective, Search, explore
from venice.exploration.equal_points import EqualPoints
from venice.exploration.estimate import Estimate
from venice.exploration.neighbourhood import Neighbourhood
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


def _known(space: Space, digests: Mapping[Place, str]) -> EqualPoints:
    known = EqualPoints(space)
    for place, text in digests.items():
        known.keep(place)
        known.add(place, text)
    return known


def test_equal_ends_of_an_axis_imply_equal_steps_between(space: Space) -> None:
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


def test_points_with_equal_reports_differ_in_no_effective_axis(space: Space) -> None:
    known = _known(space, {(_BUS, 0, 3): "a", (_BUS, 4, 5): "a"})
    assert not any(known.is_new((_BUS, width, depth)) for width in range(5) for depth in (3, 4, 5))
    assert known.is_new((_BUS, 5, 3))
    assert known.is_new((_BUS, 0, 2))


def test_a_contradicting_result_corrects_the_assumption(space: Space) -> None:
    digests: dict[Place, str] = {(_VENICE, 0, 3): "a", (_VENICE, 5, 3): "a", (_VENICE, 2, 5): "b"}
    assert not _known(space, digests).is_new((_VENICE, 3, 5))
    refuted = _known(space, {**digests, (_VENICE, 4, 5): "c"})
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
        digests = [
            (found.point.choices["fabric"], found.point.choices["host.queue_depth"])
            for found in explored.points
            if found.point.choices["fabric"] != "venice"
        ]
        again += len(digests) - len(set(digests))
    # 192 runs in all. Without inferred equalities the number is 56.
    assert again < 45


def _neighbourhood(space: Space, front: Mapping[Place, Values]) -> Neighbourhood:
    neighbourhood = Neighbourhood(space, Random(1))  # noqa: S311 no secret
    for place, values in front.items():
        neighbourhood.add(place)
        neighbourhood.set_values(place, values)
    return neighbourhood


def _all_chosen(neighbourhood: Neighbourhood) -> set[Place]:
    """Choose points until all neighbours of the front have been chosen."""
    chosen: list[Place] = []
    while (place := neighbourhood.expected(lambda place: place not in chosen)) is not None:
        chosen.append(place)
    return set(chosen)


def test_the_fringe_names_ends_then_middles_of_gaps(space: Space) -> None:
    neighbourhood = _neighbourhood(space, {(_BUS, 2, 3): (1.0,)})
    assert _all_chosen(neighbourhood) == {
        (_VENICE, 2, 3),
        (_PSSD, 2, 3),
        (_BUS, 0, 3),
        (_BUS, 5, 3),
        (_BUS, 2, 0),
        (_BUS, 2, 5),
    }
    for end in ((_BUS, 5, 3), (_BUS, 2, 0)):
        neighbourhood.add(end)
        neighbourhood.set_values(end, None)
    beside = _all_chosen(neighbourhood)
    assert {(_BUS, 3, 3), (_BUS, 2, 1)} < beside
    assert not {(_BUS, 5, 3), (_BUS, 2, 0)} & beside


def test_neighbours_are_one_step_away_and_each_point_of_the_front_has_its_turn(
    space: Space,
) -> None:
    front: dict[Place, Values] = {(_BUS, 2, 3): (1.0, 2.0), (_VENICE, 4, 0): (2.0, 1.0)}
    neighbourhood = _neighbourhood(space, front)
    chosen: list[Place] = []
    while (place := neighbourhood.neighbour(lambda place: place not in chosen)) is not None:
        chosen.append(place)
    of_bus = {
        (_BUS, 1, 3),
        (_BUS, 3, 3),
        (_BUS, 2, 2),
        (_BUS, 2, 4),
        (_VENICE, 2, 3),
        (_PSSD, 2, 3),
    }
    of_venice = {(_VENICE, 3, 0), (_VENICE, 5, 0), (_VENICE, 4, 1), (_BUS, 4, 0), (_PSSD, 4, 0)}
    assert set(chosen) == of_bus | of_venice
    pairs = zip(chosen[0:10:2], chosen[1:10:2], strict=True)
    assert all((one in of_bus) != (other in of_bus) for one, other in pairs)


def test_a_step_is_expected_to_do_what_it_did_elsewhere(space: Space) -> None:
    neighbourhood = _neighbourhood(
        space,
        {
            (_BUS, 2, 3): (8.0, 1.0),
            (_VENICE, 2, 3): (4.0, 2.0),
            (_BUS, 0, 3): (8.1, 1.1),
            (_BUS, 2, 0): (8.0, 1.5),
            (_BUS, 5, 3): (1.0, 1.2),
        },
    )
    # A change that improved the bus is expected to improve the mesh, too.
    of_mesh = [(_VENICE, 5, 3), (_VENICE, 0, 3), (_VENICE, 2, 0)]
    assert neighbourhood.expected(lambda place: place in of_mesh) == (_VENICE, 5, 3)


def test_without_a_front_or_a_new_point_beside_it_none_is_chosen(space: Space) -> None:
    for neighbourhood in (_neighbourhood(space, {}), _neighbourhood(space, {(_BUS, 2, 3): (1.0,)})):
        assert neighbourhood.expected(lambda _place: False) is None
        assert neighbourhood.neighbour(lambda _place: False) is None


def test_estimates_take_objectives_of_any_sign_and_ranges() -> None:
    axes = Space.of(
        {"workload": "random-read"},
        [
            {"array.rows": {"from": 2, "to": 8}},
            {"flash.t_read_us": {"from": 1.0, "to": 100.0, "log": True}},
        ],
    ).axes
    estimate = Estimate(axes)
    known: dict[Place, Values] = {
        (rows, t_read): (-rows * 100.0 / t_read, t_read - 50.0, 0.0)
        for rows in (2, 5, 8)
        for t_read in (1.0, 10.0, 100.0)
    }
    for place, values in known.items():
        estimate.add(place, values)
    best = (5, 10.0)
    steps = [(best, (8, 10.0)), (best, (2, 10.0)), (best, (5, 1.0))]
    more, fewer, faster = estimate.leads({best: known[best]}, steps)
    assert faster > more > 0
    assert fewer == 0, "as good in the objective in which all are alike"
