"""Key of a run, computed from everything on which its report depends.

The key covers the resolved drive, the requests, the version of Venice, the digest of its engine,
and the contents of files. A stored run is therefore reused by a sweep with other axes, but not
after a change of its engine, drive, trace or workload.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from venice import version
from venice._native import ConfigError
from venice.options.drives import drive_of
from venice.options.resampling import block_of, resampling_of
from venice.options.run_options import NAMES, POLICY_OPTIONS, RunOptions
from venice.options.trace_options import MOST_FOLDED_PCT, most_folded_pct, with_trace_options
from venice.schema_classes import DescribedWorkload
from venice.sweep.content import Contents

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from venice._native import Drive
    from venice.api.scenario import Scenario
    from venice.sweep.definition import Point

_KEY_CHARS = 24
"""Length of a key: 96 bits of a hash, so that of a million runs two collide with probability
10^-17."""
_MOST_DRIVES = 256
"""Maximum number of cached drives; neighbouring points of a sweep often have the same drive."""

_FILES = ("trace", "load_state")
"""Options whose files are identified by their contents."""
_OF_DRIVE = ("drive", "fabric", "sets", "seed")
_RESOLVED = (*_OF_DRIVE, "workload", "load_state", "fold", "most_folded_pct")
_OF_PYTHON = ("source", *POLICY_OPTIONS)
"""Options whose values are Python code; runs with such options have no key."""


class Keys:
    """Object that computes the keys of runs; neighbouring points share a resolved drive.

    Parameters
    ----------
    contents
        Contents of files, each of which is read once.
    """

    def __init__(self, contents: Contents | None = None) -> None:
        self._drives: OrderedDict[str, tuple[Drive, str] | ConfigError] = OrderedDict()
        self._contents = contents or Contents()

    def of(self, options: RunOptions) -> str:
        """Return the key of a run.

        Raises
        ------
        ConfigError
            If the drive is impossible.
        """
        return self.all_of(options)[0]

    def all_of(self, options: RunOptions) -> tuple[str, ...]:
        """Return the key of a run, and the keys of runs with equal reports.

        A run with `fold` and one without it have different keys. Their reports are equal unless the
        run without it is refused.

        Raises
        ------
        ConfigError
            If the drive is impossible.
        """
        options = with_trace_options(options)
        parts: dict[str, Any] = {
            "version": version.__version__,
            "engine": version.engine_digest(),
            "drive": self._drive(options),
            "requests": _plain_options(options),
        }
        workload = options.workload
        if isinstance(workload, DescribedWorkload):
            parts["workload"] = workload.content()
        elif workload is not None:
            content = self._contents.workload(str(workload))
            parts["workload"] = str(workload) if content is None else content
        for key in _FILES:
            name = getattr(options, key)
            digest = self._contents.digest(str(name)) if name else None
            if digest is not None:
                parts[f"{key}_file"] = digest
        usual = _hash(parts)
        most = most_folded_pct(options)
        if most == MOST_FOLDED_PCT:
            return (usual,)
        own = _hash({**parts, "most_folded_pct": most})
        # A smaller limit may refuse requests that the default limit accepts.
        return (own, usual) if most is None or most > MOST_FOLDED_PCT else (own,)

    def drive_of(self, options: RunOptions) -> Drive | None:
        """Return the resolved drive of a run from the cache; ``None`` if it is not there.

        The drive is not resolved again, because its file may have changed in the meantime.
        """
        found = self._drives.get(_name_of_drive(options))
        return found[0] if isinstance(found, tuple) else None

    def _drive(self, options: RunOptions) -> str:
        name = _name_of_drive(options)
        found = self._drives.get(name)
        if found is None:
            try:
                drive = drive_of(options)
                found = drive, drive.to_toml()
            except ConfigError as error:
                found = error
            self._drives[name] = found
            if len(self._drives) > _MOST_DRIVES:
                self._drives.popitem(last=False)
        if isinstance(found, ConfigError):
            raise ConfigError(str(found))
        return found[1]


def _name_of_drive(options: RunOptions) -> str:
    return repr([getattr(options, key) for key in _OF_DRIVE])


def _plain_options(options: RunOptions) -> dict[str, Any]:
    """Return the options that become part of the key unchanged: neither drive nor files."""
    plain = {
        name: getattr(options, name) for name in NAMES if name not in (*_RESOLVED, *_OF_PYTHON)
    }
    return {
        **{name: _plain(value) for name, value in plain.items()},
        "trace_resample": resampling_of(options),
        "trace_block": block_of(options),
    }


def run_key(scenario: Scenario) -> str:
    """Return the key of a run.

    Raises
    ------
    ConfigError
        If the drive is impossible.
    """
    return Keys().of(RunOptions.of(scenario))


def fingerprint(points: Iterable[Point], contents: Contents) -> tuple[str, list[str]]:
    """Return a digest of a sweep and its choices, from all points and the contents of their files.

    Comparing digests is much faster than computing all keys, since no drive is resolved.
    """
    choices: dict[str, None] = {}
    engine = [version.__version__, version.engine_digest()]
    text = hashlib.sha256(json.dumps(engine).encode())
    files: set[str] = set()
    workloads: set[str] = set()
    drives: dict[str, RunOptions] = {}
    for point in points:
        scenario = _described(point.options)
        files |= {str(scenario[key]) for key in _FILES if scenario.get(key)}
        if scenario.get("workload"):
            workloads.add(str(scenario["workload"]))
        if scenario.get("drive"):
            drives[str(scenario["drive"])] = RunOptions(drive=scenario["drive"])
        choices |= dict.fromkeys(point.choices)
        plain = [dict(point.choices), scenario]
        text.update(json.dumps(plain, sort_keys=True, default=str).encode())
    for name in sorted(files):
        text.update(repr((name, contents.digest(name))).encode())
    for name in sorted(workloads):
        text.update(repr((name, contents.workload(name))).encode())
    for name in sorted(drives):
        text.update(_resolved(drives[name]).encode())
    return text.hexdigest()[:_KEY_CHARS], list(choices)


def _described(options: RunOptions) -> dict[str, Any]:
    """Return the options by name, with the content of workloads described in Python."""
    by_name = dict(vars(with_trace_options(options)))
    workload = by_name["workload"]
    if isinstance(workload, DescribedWorkload):
        by_name |= {"workload": None, "described": workload.content()}
    return by_name


def _hash(parts: Mapping[str, Any]) -> str:
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_KEY_CHARS]


def _resolved(drive: RunOptions) -> str:
    """Return the contents of a drive's file and of the files that it extends."""
    try:
        return drive_of(drive).to_toml()
    except ConfigError as error:
        # Required keys that the file lacks may be among the changes of each point.
        return str(error)


def _plain(value: Any) -> Any:  # noqa: ANN401 what scenarios hold
    return value if value is None or isinstance(value, int | float | str) else str(value)
