"""Share of a space's complete front that explorations, and random draws, find.

``python python/tests/explore_front.py`` runs every point of a space once (2,048 possible ones, some
minutes), then explores the space with 200 runs under several seeds, and draws the same number of
random points. All runs are in one store, so that none is repeated; the explorations choose the same
points as with an empty store. The test suite has a smaller version (``test_explore_front.py``).

The measure is the hypervolume, the volume of the objective space that a set of points dominates, up
to a reference point. The reference point is worse than the whole front by a tenth of its range in
each objective.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from venice.exploration import Exploration, Objective, Search, explore
from venice.exploration.front import front_of, hypervolume
from venice.sweep import Sweep, run_sweep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.exploration.front import Values

OBJECTIVES = (
    Objective("latency_us.all.p99"),
    Objective("mean_power_mw"),
    Objective("area.wires_in_channels"),
)
AXES: tuple[dict[str, list[Any]], ...] = (
    {"fabric": ["bus", "pssd", "pnssd", "nossd", "venice", "hlnand"]},
    {"array.rows": [4, 8, 16], "array.cols": [16, 8, 4]},
    {"fabric.mesh.link_width_bits": [4, 6, 8, 10, 12, 16, 20, 24]},
    {"fabric.first_on_path": ["data", "commands"]},
    {"host.queue_depth": [4, 8, 16, 32, 64, 128, 256, 512]},
)
"""2,304 points, of which 256 are impossible: pnSSD needs equal numbers of rows and columns."""
LOADS: dict[str, dict[str, Any]] = {
    "oltp": {"workload": "bursty-oltp", "rate_scale": 3.0},
    "zipf": {"workload": "zipf-mixed"},
}
"""The search was designed with the first load; the second was not used for its design."""


@dataclass(frozen=True)
class Case:
    """A space, and the budget of a search."""

    scenario: Mapping[str, Any]
    axes: Sequence[Mapping[str, Any]] = AXES
    runs: int = 200
    short_requests: tuple[int, ...] = ()

    def exploration(self, seed: int) -> Exploration:
        """Return the search with a given seed."""
        search = Search(runs=self.runs, seed=seed, short_requests=self.short_requests)
        return Exploration.of(self.scenario, self.axes, OBJECTIVES, search=search, name="search")


@dataclass(frozen=True)
class Whole:
    """A space that was run exhaustively."""

    values: Sequence[Values]
    reference: Values
    volume: float
    front: int
    impossible: int

    def missing_pct(self, values: Sequence[Values]) -> float:
        """Return the hypervolume that a set of points lacks, in % of that of the complete front."""
        return 100 * (1 - hypervolume(values, self.reference) / self.volume)


def exhausted(case: Case, folder: Path) -> Whole:
    """Run every point of a space and return the complete front."""
    outcome = run_sweep(Sweep.of(case.scenario, case.axes, "whole"), folder)
    goals = case.exploration(1).goals
    values = []
    for _, report in outcome.results:
        figures = goals.read(report)
        assert not isinstance(figures, str)
        values.append(goals.values(figures))
    best = [values[place] for place in front_of(values)]
    reference = tuple(max(one) + 0.1 * (max(one) - min(one)) for one in zip(*best, strict=True))
    volume = hypervolume(best, reference)
    return Whole(values, reference, volume, len(best), len(outcome.left_out))


def searched_pct(case: Case, whole: Whole, folder: Path, seed: int) -> tuple[float, int]:
    """Search; return its missing hypervolume in % and the number of runs ended early."""
    found = explore(case.exploration(seed), folder)
    assert found.spent <= case.runs
    goals = found.exploration.goals
    values = [goals.values(one.figures) for one in found.points]
    return whole.missing_pct(values), found.given_up


def drawn_pct(case: Case, whole: Whole, seed: int) -> float:
    """Draw distinct random points; return the hypervolume that their front lacks, in %."""
    return whole.missing_pct(Random(seed).sample(whole.values, case.runs))  # noqa: S311


def main() -> None:
    """Run all searches and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--load", choices=LOADS, default="oltp")
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--short", type=int, nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path("out/explore-front"))
    given = parser.parse_args()
    scenario = {
        "drive": "venice-performance",
        "requests": given.requests,
        **LOADS[given.load],
    }
    case = Case(scenario, runs=given.runs, short_requests=tuple(given.short))
    folder = given.out / given.load
    whole = exhausted(case, folder)
    runs, front = len(whole.values), whole.front
    print(f"{runs} runs, {whole.impossible} points impossible, {front} on the front")  # noqa: T201
    searched, drawn = [], []
    for seed in range(given.first_seed, given.first_seed + given.seeds):
        missing, given_up = searched_pct(case, whole, folder, seed)
        searched.append(missing)
        drawn.append(drawn_pct(case, whole, seed))
        print(  # noqa: T201
            f"seed {seed}: explored lacks {missing:.2f} %, {given_up} given up; "
            f"drawn lacks {drawn[-1]:.2f} %",
            flush=True,
        )
    for name, lacks in (("explored", searched), ("drawn", drawn)):
        print(  # noqa: T201
            f"{name}: least {min(lacks):.2f} %, median {median(lacks):.2f} %, "
            f"most {max(lacks):.2f} %"
        )


if __name__ == "__main__":
    main()
