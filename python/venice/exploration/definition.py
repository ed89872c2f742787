"""Definition of an exploration: the space, the goals and the settings of the search."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice import version
from venice.exploration.goals import Constraint, Goals, Objective, checked_goals
from venice.exploration.space import Space
from venice.options.deprecation import warn_of_sets
from venice.sweep.definition import SweepError, located_in, read_parts
from venice.text.suggestions import suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

_FILE_KEYS = ("name", "scenario", "axis", "objective", "constraint", "search")
_LARGEST_SEED = 2**32 - 1
"""Largest seed of the optimiser."""
_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "figure": ((str,), "a text"),
    "goal": ((str,), '"min" or "max"'),
    "at_most": ((int, float), "a number"),
    "at_least": ((int, float), "a number"),
    "runs": ((int,), "a whole number"),
    "seed": ((int,), "a whole number"),
    "at_once": ((int,), "a whole number"),
    "short_requests": ((list, tuple), "a list of whole numbers"),
}


@dataclass(frozen=True)
class Search:
    """Settings of a search.

    Attributes
    ----------
    runs
        Budget, as a number of full runs; a short run costs its share of a full run's requests.
    seed
        Seed of the optimiser.
    short_requests
        Numbers of requests, in increasing order, of the short runs that precede the full run of
        each point. A point whose short run is too poor gets no further run [default: no short
        runs].
    at_once
        Maximum number of points in progress. The optimiser chooses the next point without their
        results, so the points do not depend on the number of workers.
    """

    runs: int = 200
    seed: int = 1
    short_requests: tuple[int, ...] = ()
    at_once: int = 8


@dataclass(frozen=True)
class Exploration:
    """Search for the best points of a space.

    Attributes
    ----------
    name
        Name of the exploration.
    space
        Points that can be tried.
    goals
        Objectives and constraints.
    search
        Budget and settings of the search.
    """

    name: str
    space: Space
    goals: Goals
    search: Search

    @classmethod
    def of(
        cls,
        scenario: Mapping[str, Any],
        axes: Sequence[Mapping[str, Any]],
        objectives: Sequence[Objective],
        constraints: Sequence[Constraint] = (),
        search: Search | None = None,
        name: str = "exploration",
    ) -> Exploration:
        """Define an exploration from its parts.

        Parameters
        ----------
        scenario
            Keywords of :func:`venice.run` that all points have in common.
        axes
            Axes as for :meth:`venice.Sweep.of`. An axis of one key may be a range, as ``{"from": 4,
            "to": 24}``, with optional ``"step"`` or ``"log": True``; a range between whole numbers
            has whole numbers.
        objectives
            Figures to minimise or maximise.
        constraints
            Limits of figures.
        search
            Budget and settings of the search.
        name
            Name of the exploration.

        Raises
        ------
        SweepError
            If an axis, objective, constraint or setting is invalid.
        UsageError
            If a resulting scenario is invalid.
        """
        warn_of_sets(scenario)
        how = search or Search()
        space = Space.of(scenario, axes)
        _check_search(how, space)
        return cls(name, space, checked_goals(objectives, constraints), how)

    @classmethod
    def load(cls, path: str | PathLike[str], *, fold: bool = False) -> Exploration:
        """Read a TOML file of a sweep with ranges, objectives, constraints and search settings.

        Raises
        ------
        SweepError
            If the file cannot be read or does not define an exploration.
        """
        with located_in(Path(path)):
            parts = read_parts(Path(path), _FILE_KEYS, "an exploration", fold=fold)
            content = parts.content
            return cls.of(
                parts.scenario,
                parts.axes,
                [Objective(**one) for one in _tables(content, "objective", Objective)],
                [Constraint(**one) for one in _tables(content, "constraint", Constraint)],
                _search(content.get("search", {})),
                parts.name,
            )

    def with_search(self, *, runs: int | None = None, seed: int | None = None) -> Exploration:
        """Return a copy with another budget or another seed."""
        search = replace(
            self.search,
            runs=self.search.runs if runs is None else runs,
            seed=self.search.seed if seed is None else seed,
        )
        _check_search(search, self.space)
        return replace(self, search=search)

    @property
    def stages(self) -> tuple[int | None, ...]:
        """Numbers of requests of a point's runs, the full run last; ``None`` for all requests."""
        return (*self.search.short_requests, self.space.scenario.get("requests"))

    @property
    def shares(self) -> tuple[float, ...]:
        """Cost of each run of a point, as a share of a full run."""
        most = self.space.scenario.get("requests", 1)
        return (*(short / most for short in self.search.short_requests), 1.0)

    def fingerprint(self) -> str:
        """Return a hash of the exploration, in which the budget is ignored."""
        parts = [
            version.__version__,
            version.engine_digest(),
            self.space.scenario,
            [repr(axis) for axis in self.space.axes],
            asdict(self.goals),
            {**asdict(self.search), "runs": 0},
        ]
        text = json.dumps(parts, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def _search(given: Any) -> Search:  # noqa: ANN401 any TOML value
    if not isinstance(given, dict):
        raise SweepError("`search` should be a table: [search]")
    _check_table(given, "search", Search)
    short = tuple(given.get("short_requests", ()))
    return Search(**{**given, "short_requests": short})


def _tables(content: Mapping[str, Any], name: str, kind: type) -> list[dict[str, Any]]:
    tables = content.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise SweepError(f"`{name}` should be a list of tables: [[{name}]]")
    for one in tables:
        _check_table(one, name, kind)
        if "figure" not in one:
            raise SweepError(f'{name}: `figure` is missing; for instance "latency_us.all.p99"')
    return tables


def _check_table(table: Mapping[str, Any], name: str, kind: Any) -> None:  # noqa: ANN401 a dataclass
    known = [field.name for field in fields(kind)]
    for key, value in table.items():
        if key not in known:
            listed = ", ".join(known)
            raise SweepError(
                f"{name}: `{key}` is unknown; there are: {listed}{suggestion(key, known)}"
            )
        types, wanted = _KINDS[key]
        if isinstance(value, bool) or not isinstance(value, types):
            raise SweepError(f"{name}: `{key}` is {value!r}; it should be {wanted}")


def _check_search(search: Search, space: Space) -> None:
    _check_range("runs", search.runs, 1, 1_000_000)
    _check_range("seed", search.seed, 0, _LARGEST_SEED)
    _check_range("at_once", search.at_once, 1, 10_000)
    short = search.short_requests
    if not short:
        return
    for value in short:
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise SweepError(f"search: `short_requests` holds {value!r}; give numbers above 0")
    requests = space.scenario.get("requests")
    if requests is None or "requests" in space.keys:
        raise SweepError(
            "search: `short_requests` needs `requests` in the scenario: how many a full run has"
        )
    if list(short) != sorted(set(short)) or short[-1] >= requests:
        raise SweepError(
            f"search: `short_requests` is {list(short)}; it should rise, "
            f"and end below the {requests} requests of a full run"
        )


def _check_range(key: str, value: int, smallest: int, largest: int) -> None:
    if not smallest <= value <= largest:
        raise SweepError(f"search: `{key}` is {value}; it should be from {smallest} to {largest:,}")
