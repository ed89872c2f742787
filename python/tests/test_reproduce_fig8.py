"""Figure 8 of the Venice paper: the worked example, by the engine's router."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from venice import UsageError
from venice._native import resolve, scout_search
from venice.papers import GOLDEN, choose, reproduce
from venice.papers.experiments import fig8

if TYPE_CHECKING:
    from pathlib import Path

_SETS = ("array.rows=4", "array.cols=5")
_CHIPS = fig8.ROWS * fig8.COLS


@pytest.mark.parametrize("seed", range(8))
def test_algorithm_1_finds_a_path_of_seven_links_that_meets_no_circuit(seed: int) -> None:
    found = fig8.search("non_minimal_adaptive", seed)
    taken = {link for _, routers in fig8.CIRCUITS for link in fig8.links(routers)}
    assert found.path[0] == 3 * fig8.COLS
    assert found.path[-1] == 2
    assert found.links == len(fig8.PAPER) - 1 == 7
    assert 7 <= found.crossed <= 17
    assert not taken & set(fig8.links(found.course))
    for one, other in pairwise(found.course):
        apart = abs(one // 5 - other // 5) + abs(one % 5 - other % 5)
        assert apart == 1, "a scout crosses one link at a time"


@pytest.mark.parametrize("routing", ["minimal_adaptive", "dimension_order"])
def test_minimal_routing_finds_no_path_and_returns(routing: str) -> None:
    found = fig8.search(routing, 1)
    assert list(found.path) == []
    assert found.course[0] == found.course[-1] == 15


def test_the_example_is_drawn_from_the_search(tmp_path: Path) -> None:
    done = reproduce(choose(["fig8"]), tmp_path, GOLDEN)
    finding = done.findings["fig8"]
    assert len(finding.rows) == len(fig8.ROUTINGS) * len(fig8.SEEDS)
    assert {path.suffix for path in tmp_path.glob("fig8.*")} == {".csv", ".png", ".svg"}


def test_the_paper_s_path_is_free_and_algorithm_1_does_not_take_it() -> None:
    drive = resolve("venice-performance", fabric="venice", sets=_SETS)
    # The path can be reserved together with the circuits of FC1 and FC2, and does not cross that of
    # FC0.
    _, path = scout_search(drive, [*fig8.CIRCUITS[1:], (3, fig8.PAPER)], (0, 6))
    assert path[-1] == 6
    assert not set(fig8.links(fig8.PAPER)) & set(fig8.links(fig8.CIRCUITS[0][1]))
    for seed in range(8):
        found = fig8.search("non_minimal_adaptive", seed)
        assert 12 in found.path
        assert tuple(found.path) != fig8.PAPER


def test_the_drawing_has_every_chip_once_and_every_link_of_the_path() -> None:
    text = fig8.mesh(fig8.PAPER)
    words = text.replace("=", " ").replace("-", " ").split()
    assert [word for word in words if word.startswith("F") and word[1] != "C"] == [
        f"F{chip}" for chip in range(_CHIPS)
    ]
    # Seven links between routers, and the one to the controller.
    assert words.count("R") == 8
    assert [words.count(name) for name in "012"] == [3, 4, 4]


def test_circuits_that_cannot_be_reserved_are_refused() -> None:
    drive = resolve("venice-performance", fabric="venice", sets=_SETS)
    with pytest.raises(UsageError, match="in a circuit"):
        scout_search(drive, fig8.CIRCUITS, (0, 9))
    with pytest.raises(UsageError, match="no free link"):
        scout_search(drive, [(0, [0, 7])], (3, 2))
    beyond_circuits = [([(4, [0])], (3, 2)), ([(0, [0, 20])], (3, 2))]
    beyond_requests: list[tuple[list[tuple[int, list[int]]], tuple[int, int]]] = [
        ([], (3, 20)),
        ([], (4, 2)),
    ]
    for circuits, request in (*beyond_circuits, *beyond_requests):
        with pytest.raises(UsageError, match="below"):
            scout_search(drive, circuits, request)
