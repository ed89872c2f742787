"""Definition of a sweep: a scenario, and axes along which it varies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast, overload

from venice._native import UsageError, drive_names, fabric_names
from venice.files.documents import DocumentError, is_file, read_toml
from venice.files.open_errors import unreadable
from venice.options.checks import check
from venice.options.deprecation import warn_of_sets
from venice.options.named_files import FILES_OF_RUNS, check_named
from venice.options.repeats import repeated
from venice.options.run_options import NAMES, POLICY_OPTIONS, RunOptions
from venice.options.value_checks import check_types
from venice.schema_classes import Described
from venice.text.quotation import quote
from venice.text.suggestions import suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike

    from venice.api.scenario import Scenario

Value = str | int | float | bool

_FILE_KEYS = ("name", "scenario", "axis")
_NAMED: Mapping[str, Callable[[], Sequence[str]]] = {"fabric": fabric_names, "drive": drive_names}
"""Keys whose values are names, with the function that lists the names."""
_MOST_POINTS = 1_000_000
_LONGEST_NAME = 200
"""Maximum length of a sweep's name [bytes]. File systems allow 255, minus the suffix of temporary
files."""
_PARTING = ("/", "\\", "\0")
"""Characters that some systems do not allow in file names."""


Step = Value | Described
"""Value on an axis; a Python object is identified by its label."""


class SweepError(UsageError):
    """Error of an invalid definition of a sweep."""


@dataclass(frozen=True)
class Point:
    """A run of a sweep.

    Attributes
    ----------
    choices
        Value on each axis, by key, in the order of the axes.
    scenario
        Keywords of :func:`venice.run`.
    """

    choices: Mapping[str, Value]
    scenario: Scenario

    @property
    def options(self) -> RunOptions:
        """Options of the run at this point."""
        return RunOptions.of(self.scenario)

    def __str__(self) -> str:
        return ", ".join(f"{key} = {value}" for key, value in self.choices.items())


@dataclass(frozen=True)
class Sweep:
    """Sweep over all combinations of the values on its axes.

    Attributes
    ----------
    name
        Name of the sweep.
    points
        Runs, computed on access; the last axis varies fastest.
    keys
        Keys of all axes, in order.
    """

    name: str
    points: Sequence[Point]
    keys: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls,
        scenario: Mapping[str, Any],
        axes: Sequence[Mapping[str, Sequence[Step]]],
        name: str = "sweep",
    ) -> Sweep:
        """Return the sweep over all combinations of the values on some axes.

        Parameters
        ----------
        scenario
            Keywords of :func:`venice.run` that all points have in common.
        axes
            Axes, each a mapping from keys to lists of values. A key with a dot is a key of the
            drive's configuration; other keys are keywords of :func:`venice.run`. The lists of one
            axis have the same length, and their values vary together. Values of ``drive``,
            ``workload`` and ``trace`` may be :class:`venice.Drive`, :class:`venice.Workload` and
            :class:`venice.Trace` objects.
        name
            Name of the sweep.

        Raises
        ------
        SweepError
            If an axis is invalid, a key occurs twice, or a resulting scenario is invalid.
        """
        warn_of_sets(scenario)
        if not all(isinstance(axis, Mapping) for axis in axes):
            raise SweepError('axes should be a list of mappings: [{"fabric": ["bus", "venice"]}]')
        steps = [steps_of_axis(axis, number) for number, axis in enumerate(axes, 1)]
        keys = keys_of(axes, scenario)
        count = math.prod(len(axis) for axis in steps)
        if count > _MOST_POINTS:
            raise SweepError(f"the axes combine to {count:,} points; the most is {_MOST_POINTS:,}")
        points = _Grid(scenario, steps)
        check_points(scenario, points)
        return cls(name, points, keys)

    @classmethod
    def load(cls, path: str | PathLike[str], *, fold: bool = False) -> Sweep:
        """Read a sweep from a TOML file with ``[scenario]`` and any number of ``[[axis]]``.

        Paths of drive, trace and workload files are relative to the folder of the file. `fold` sets
        this keyword of the scenario (:class:`venice.Scenario`).

        Raises
        ------
        SweepError
            If the file cannot be read or is not a sweep.
        """
        with located_in(Path(path)):
            parts = read_parts(Path(path), _FILE_KEYS, "a sweep", fold=fold)
            return cls.of(parts.scenario, parts.axes, parts.name)


class Parts(NamedTuple):
    """Contents of a TOML file that defines a sweep or an exploration.

    Attributes
    ----------
    name
        Name of the sweep.
    scenario
        Keywords that all runs have in common.
    axes
        Axes, each a mapping from keys to values.
    content
        Contents of the whole file.
    """

    name: str
    scenario: dict[str, Any]
    axes: list[dict[str, Any]]
    content: dict[str, Any]


@contextmanager
def located_in(path: Path) -> Iterator[None]:
    """Add the file's path to error messages about a definition."""
    try:
        yield
    except SweepError as error:
        raise SweepError(f"{path}: {error}") from None


def read_parts(path: Path, keys: Sequence[str], what: str, *, fold: bool = False) -> Parts:
    """Read a TOML file with ``[scenario]``, any number of ``[[axis]]``, and the given `keys` only.

    Raises
    ------
    SweepError
        If the file cannot be read or is not of the kind `what`.
    """
    content = _read(path, what)
    for key in content:
        if key not in keys:
            listed = ", ".join(keys)
            raise SweepError(f"`{key}` is unknown; {what} has {listed}{suggestion(key, keys)}")
    return _parts(content, path, fold=fold)


def _read(path: Path, what: str) -> dict[str, Any]:
    expected = f"{what} in TOML, with [scenario] and [[axis]]"
    try:
        return read_toml(path)
    except OSError as error:
        raise SweepError(unreadable(error, expected)) from None
    except DocumentError as error:
        raise SweepError(f"{error}; expected: {expected}") from None


class _Grid(Sequence[Point]):
    """Points of all combinations of the axes, computed on access."""

    def __init__(
        self, scenario: Mapping[str, Any], steps: Sequence[Sequence[dict[str, Step]]]
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
        return Point(choice_labels(choices), applied(self._scenario, choices))


def _parts(content: dict[str, Any], path: Path, *, fold: bool) -> Parts:
    scenario, axes = content.get("scenario", {}), content.get("axis", [])
    if not isinstance(scenario, dict):
        raise SweepError("`scenario` should be a table: [scenario]")
    if not isinstance(axes, list) or not all(isinstance(axis, dict) for axis in axes):
        raise SweepError("`axis` should be a list of tables: [[axis]]")
    name = content.get("name", path.stem)
    if not isinstance(name, str) or not name:
        raise SweepError("`name` should be a text")
    _check_name(name)
    scenario = {key: _resolved(key, value, path) for key, value in scenario.items()}
    if fold:
        scenario["fold"] = True
    axes = [
        {key: _all_resolved(key, values, path) for key, values in axis.items()} for axis in axes
    ]
    return Parts(name, scenario, axes, content)


def _check_name(name: str) -> None:
    """Refuse a name that is not a valid folder name."""
    is_long = len(name.encode(errors="replace")) > _LONGEST_NAME
    if is_long or name in (".", "..") or any(part in name for part in _PARTING):
        raise SweepError(
            f"`name` is {quote(name)!r}; it should be the name of one folder, without "
            f"`/` and `\\`, of at most {_LONGEST_NAME} bytes; give another folder with --out"
        )


def _all_resolved(key: str, values: Any, path: Path) -> Any:  # noqa: ANN401 any TOML value
    if not isinstance(values, list):
        return values
    return [_resolved(key, value, path) for value in values]


def _resolved(key: str, value: Any, path: Path) -> Any:  # noqa: ANN401 any TOML value
    """Return a path relative to the folder of the sweep's file, if such a file exists."""
    if key not in FILES_OF_RUNS or not isinstance(value, str) or "\0" in value:
        return value
    own = path.parent / value
    found = str(own) if key != "load_state" and is_file(own) else value
    check_named(found, key, str(path))
    return found


def steps_of_axis(axis: Mapping[str, Sequence[Step]], number: int) -> list[dict[str, Step]]:
    """Return the steps of an axis, each of which has a value for every key of the axis."""
    if not axis:
        raise SweepError(f"axis {number} has no key; give it one, for instance fabric = [...]")
    lengths = set()
    for key, values in axis.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise SweepError(f"axis {number}: `{key}` should be a list of one value or more")
        _check_steps(key, values, number)
        lengths.add(len(values))
    if len(lengths) > 1:
        raise SweepError(
            f"axis {number}: its lists have {', '.join(map(str, sorted(lengths)))} values; "
            "lists of one axis advance together, so give each as many, or make two axes"
        )
    _refuse_repeated_steps(axis, number)
    return [{key: values[place] for key, values in axis.items()} for place in range(lengths.pop())]


def _refuse_repeated_steps(axis: Mapping[str, Sequence[Step]], number: int) -> None:
    """Refuse an axis that contains a step twice, because both runs would be equal."""
    labels = [
        [value.label() if isinstance(value, Described) else value for value in step]
        for step in zip(*axis.values(), strict=True)
    ]
    if (pair := repeated(labels)) is None:
        return
    first, again = (
        [f"`{value}`" for value in step] for step in cast("tuple[list[Value], ...]", pair)
    )
    keys = ", ".join(f"`{key}`" for key in axis)
    written = f" (also as {', '.join(again)})" if again != first else ""
    raise SweepError(
        f"axis {number}: {keys} has {', '.join(first)} more than once{written}; "
        "expected: different values"
    )


def _check_steps(key: str, values: Sequence[object], number: int) -> None:
    described = [value for value in values if isinstance(value, Described)]
    others = [value for value in values if not isinstance(value, Described)]
    if not all(isinstance(value, str | int | float | bool) for value in others):
        raise SweepError(f"axis {number}: `{key}` should hold texts, numbers or booleans")
    for one in described:
        if key != one.ROLE:
            raise SweepError(
                f"axis {number}: `{key}` holds a {one.ROLE}; that belongs on an axis `{one.ROLE}`"
            )
    for other in others:
        _refuse_unknown_name(f"axis {number}", key, other)
    labels = [*others, *(one.label() for one in described)]
    for label in labels if described else ():
        if labels.count(label) > 1:
            raise SweepError(
                f"axis {number}: several {key}s are called `{label}`; give each a `name` of its own"
            )


def check_points(scenario: Mapping[str, Any], points: Iterable[Point]) -> None:
    """Refuse points with an invalid scenario.

    Raises
    ------
    SweepError
        The message states the reason.
    """
    try:
        check_types(scenario)
        for point in points:
            check(point.options)
    except UsageError as error:
        raise SweepError(str(error)) from None


def _refuse_unknown_name(where: str, key: str, value: object) -> None:
    """Refuse the name of an unknown fabric or drive before any run."""
    if key not in _NAMED or not isinstance(value, str) or value in (names := _NAMED[key]()):
        return
    if key == "drive" and is_file(value):
        return
    files = ", or the path of a drive's file (.toml)" if key == "drive" else ""
    raise SweepError(
        f"{where}: `{key}` is `{value}`, which is not a {key}; "
        f"there are: {', '.join(names)}{files}{suggestion(value, names)}"
    )


def choice_labels(choices: Mapping[str, Step]) -> dict[str, Value]:
    """Return the choices of a point for tables and stores; Python objects become labels."""
    return {
        key: value.label() if isinstance(value, Described) else value
        for key, value in choices.items()
    }


def keys_of(axes: Sequence[Mapping[str, Any]], scenario: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of all axes; refuse unknown and duplicate keys."""
    keys: list[str] = []
    # Runs with a Python function cannot be identified, because a function has no content.
    known = [name for name in NAMES if name not in ("source", *POLICY_OPTIONS)]
    for key in scenario:
        if key not in known:
            listed = ", ".join(known)
            raise SweepError(
                f"scenario: `{key}` is unknown; there are: {listed}{suggestion(key, known)}"
            )
    for key in _NAMED:
        _refuse_unknown_name("scenario", key, scenario.get(key))
    for key in (key for axis in axes for key in axis):
        if key in keys or key in scenario:
            raise SweepError(f"`{key}` is given twice")
        if "." not in key and (key not in known or key == "sets"):
            raise SweepError(
                f"`{key}` is unknown; an axis is a key of the drive's configuration, with a dot, "
                f"or one of: {', '.join(name for name in known if name != 'sets')}"
                f"{suggestion(key, known)}"
            )
        keys.append(key)
    return tuple(keys)


def applied(scenario: Mapping[str, Any], choices: Mapping[str, Step]) -> Scenario:
    """Return a scenario with the choices of a point."""
    changed: dict[str, Any] = dict(scenario)
    sets = list(changed.get("sets", ()))
    for key, value in choices.items():
        if "." in key:
            sets.append(f"{key}={_as_toml(value)}")
        else:
            changed[key] = value
    changed["sets"] = tuple(sets)
    return cast("Scenario", changed)


def _as_toml(value: Step) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
