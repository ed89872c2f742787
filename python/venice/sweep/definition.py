"""What a sweep is: a scenario, and axes along which it is changed."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

from venice._native import UsageError
from venice.scenario import Scenario, check, check_types

if TYPE_CHECKING:
    from os import PathLike

Value = str | int | float | bool

_FILE_KEYS = ("name", "scenario", "axis")
_MOST_POINTS = 1_000_000


class SweepError(UsageError):
    """A sweep's definition is wrong."""


@dataclass(frozen=True)
class Point:
    """One run of a sweep.

    Attributes
    ----------
    choices
        Its value on each axis, by key, in the order of the axes.
    scenario
        What is run: the keywords of :func:`venice.run`.
    """

    choices: Mapping[str, Value]
    scenario: Scenario

    def __str__(self) -> str:
        return ", ".join(f"{key} = {value}" for key, value in self.choices.items())


@dataclass(frozen=True)
class Sweep:
    """Every combination of the values of some axes.

    Attributes
    ----------
    name
        What the sweep is called.
    points
        Its runs; the last axis varies fastest. Each is made when it is asked for: a million of
        them take no memory.
    keys
        The keys of all axes, in order.
    """

    name: str
    points: Sequence[Point]
    keys: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls,
        scenario: Mapping[str, Any],
        axes: Sequence[Mapping[str, Sequence[Value]]],
        name: str = "sweep",
    ) -> Sweep:
        """Combine axes.

        Parameters
        ----------
        scenario
            Keywords of :func:`venice.run` that are the same for all points.
        axes
            Each a mapping from keys to lists of values. A key with a dot is a key of the drive's
            configuration; one without is a keyword of :func:`venice.run`. The lists of one axis
            have the same length and advance together.
        name
            What the sweep is called.

        Raises
        ------
        SweepError
            If an axis is not like that, or a key occurs twice.
        UsageError
            If a scenario that results is none.
        """
        steps = [_steps(axis, number) for number, axis in enumerate(axes, 1)]
        keys = _keys(axes, scenario)
        check_types(scenario)
        count = math.prod(len(axis) for axis in steps)
        if count > _MOST_POINTS:
            raise SweepError(f"the axes combine to {count:,} points; the most is {_MOST_POINTS:,}")
        points = _Grid(scenario, steps)
        for point in points:
            check(point.scenario)
        return cls(name, points, keys)

    @classmethod
    def load(cls, path: str | PathLike[str], *, fold: bool = False) -> Sweep:
        """Read a TOML file with ``[scenario]`` and any number of ``[[axis]]``.

        Names of drive, trace and workload files are relative to the file's folder. With `fold`, its
        scenario says so, too: see :class:`venice.Scenario`.

        Raises
        ------
        SweepError
            If the file cannot be read or says something else.
        """
        path = Path(path)
        try:
            content = tomllib.loads(path.read_text())
        except OSError as error:
            raise SweepError(f"{path}: cannot be read: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SweepError(f"{path}: is not TOML: {error}") from None
        try:
            return _from_toml(content, path, fold=fold)
        except SweepError as error:
            raise SweepError(f"{path}: {error}") from None


class _Grid(Sequence[Point]):
    """The points of axes, each made when it is asked for."""

    def __init__(
        self, scenario: Mapping[str, Any], steps: Sequence[Sequence[dict[str, Value]]]
    ) -> None:
        self._scenario = dict(scenario)
        self._steps = steps

    def __len__(self) -> int:
        return math.prod(len(axis) for axis in self._steps)

    @overload
    def __getitem__(self, place: int) -> Point: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Point]: ...

    def __getitem__(self, place: int | slice) -> Point | Sequence[Point]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        left = range(len(self))[place]
        chosen = []
        for axis in reversed(self._steps):
            left, step = divmod(left, len(axis))
            chosen.append(axis[step])
        choices = {key: value for step in reversed(chosen) for key, value in step.items()}
        return Point(choices, _applied(self._scenario, choices))


def _from_toml(content: dict[str, Any], path: Path, *, fold: bool) -> Sweep:
    for key in content:
        if key not in _FILE_KEYS:
            raise SweepError(f"`{key}` is unknown; a sweep has {', '.join(_FILE_KEYS)}")
    scenario, axes = content.get("scenario", {}), content.get("axis", [])
    if not isinstance(scenario, dict):
        raise SweepError("`scenario` should be a table: [scenario]")
    if not isinstance(axes, list) or not all(isinstance(axis, dict) for axis in axes):
        raise SweepError("`axis` should be a list of tables: [[axis]]")
    name = content.get("name", path.stem)
    if not isinstance(name, str) or not name:
        raise SweepError("`name` should be a text")
    home = path.parent
    scenario = {key: _resolved(key, value, home) for key, value in scenario.items()}
    if fold:
        scenario["fold"] = True
    axes = [
        {
            key: [_resolved(key, value, home) for value in values]
            if isinstance(values, list)
            else values
            for key, values in axis.items()
        }
        for axis in axes
    ]
    return Sweep.of(scenario, axes, name)


def _resolved(key: str, value: Any, home: Path) -> Any:  # noqa: ANN401 any TOML value
    """Take a file's name relative to the sweep's own folder, if there is such a file."""
    if (
        key in ("drive", "trace", "workload")
        and isinstance(value, str)
        and (home / value).is_file()
    ):
        return str(home / value)
    return value


def _steps(axis: Mapping[str, Sequence[Value]], number: int) -> list[dict[str, Value]]:
    if not axis:
        raise SweepError(f"axis {number} has no key; give it one, for instance fabric = [...]")
    lengths = set()
    for key, values in axis.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise SweepError(f"axis {number}: `{key}` should be a list of one value or more")
        if not all(isinstance(value, str | int | float | bool) for value in values):
            raise SweepError(f"axis {number}: `{key}` should hold texts, numbers or booleans")
        lengths.add(len(values))
    if len(lengths) > 1:
        raise SweepError(
            f"axis {number}: its lists have {', '.join(map(str, sorted(lengths)))} values; "
            "lists of one axis advance together, so give each as many, or make two axes"
        )
    return [{key: values[place] for key, values in axis.items()} for place in range(lengths.pop())]


def _keys(
    axes: Sequence[Mapping[str, Sequence[Value]]], scenario: Mapping[str, Any]
) -> tuple[str, ...]:
    keys: list[str] = []
    known = Scenario.__annotations__
    for key in scenario:
        if key not in known:
            raise SweepError(f"scenario: `{key}` is unknown; there are: {', '.join(known)}")
    for key in (key for axis in axes for key in axis):
        if key in keys or key in scenario:
            raise SweepError(f"`{key}` is given twice")
        if "." not in key and (key not in known or key == "sets"):
            raise SweepError(
                f"`{key}` is unknown; an axis is a key of the drive's configuration, with a dot, "
                f"or one of: {', '.join(name for name in known if name != 'sets')}"
            )
        keys.append(key)
    return tuple(keys)


def _applied(scenario: Mapping[str, Any], choices: Mapping[str, Value]) -> Scenario:
    changed: dict[str, Any] = dict(scenario)
    sets = list(changed.get("sets", ()))
    for key, value in choices.items():
        if "." in key:
            sets.append(f"{key}={_as_toml(value)}")
        else:
            changed[key] = value
    changed["sets"] = tuple(sets)
    return cast("Scenario", changed)


def _as_toml(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
