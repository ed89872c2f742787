"""Definition of an exploration: a space, goals, and the budget of the search."""

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
from venice.text.suggestions import meant

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
        How much is spent, in runs of all requests; a short run counts as its share of them.
    seed
        Seed of the optimiser.
    short_requests
        Every point first has runs of so few requests, from the fewest on. What one of them shows
        to be hopeless has no further run. None by default.
    at_once
        Points under way at a time, at most. The optimiser does not know the results of these when
        it chooses the next one, whoever does the runs; so the points do not depend on that.
    """

    runs: int = 200
    seed: int = 1
    short_requests: tuple[int, ...] = ()
    at_once: int = 8


@dataclass(frozen=True)
class Exploration:
    """A space, and what is searched for in it.

    Attributes
    ----------
    name
        What it is called.
    space
        Its points.
    goals
        What is searched for.
    search
        How.
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
        """Define an exploration.

        Parameters
        ----------
        scenario
            Keywords of :func:`venice.run` that are the same for all points.
        axes
            As those of :meth:`venice.Sweep.of`; besides, an axis of one key may be a range:
            ``{"from": 4, "to": 24}``, with ``"step"`` or ``"log": True`` if need be. Between whole
            numbers there are whole numbers.
        objectives
            Figures that should be small, or large.
        constraints
            Limits of figures.
        search
            How the space is searched.
        name
            What the exploration is called.

        Raises
        ------
        SweepError
            If something of this is wrong.
        UsageError
            If a scenario that results is none.
        """
        warn_of_sets(scenario)
        how = search or Search()
        space = Space.of(scenario, axes)
        _check_search(how, space)
        return cls(name, space, checked_goals(objectives, constraints), how)

    @classmethod
    def load(cls, path: str | PathLike[str], *, fold: bool = False) -> Exploration:
        """Read a TOML file: that of a sweep, with ranges, objectives, constraints and a search.

        Raises
        ------
        SweepError
            If the file cannot be read or says something else.
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
        """Return the same exploration with another number of runs or another seed."""
        search = replace(
            self.search,
            runs=self.search.runs if runs is None else runs,
            seed=self.search.seed if seed is None else seed,
        )
        _check_search(search, self.space)
        return replace(self, search=search)

    @property
    def stages(self) -> tuple[int | None, ...]:
        """The requests of the runs of a point, one after another; ``None`` for all there are."""
        return (*self.search.short_requests, self.space.scenario.get("requests"))

    @property
    def shares(self) -> tuple[float, ...]:
        """Cost of each short run, in full runs."""
        most = self.space.scenario.get("requests", 1)
        return (*(short / most for short in self.search.short_requests), 1.0)

    def fingerprint(self) -> str:
        """Return a digest of the exploration without its budget."""
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
            raise SweepError(f"{name}: `{key}` is unknown; there are: {listed}{meant(key, known)}")
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
