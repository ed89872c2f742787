"""Key of a run: everything on which its report depends.

That is its resolved drive, its requests, the version of Venice and the digest of its engine; of
files it is what they say. A run that was done before is found again even if the sweep has other
axes now. A run of another engine, or whose drive, trace or workload says something else, is not.
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
from venice.options.run_options import NAMES, RunOptions
from venice.options.trace_options import MOST_FOLDED_PCT, most_folded_pct, with_trace_options
from venice.schema_classes import DescribedWorkload
from venice.sweep.content import Contents

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from venice._native import Drive
    from venice.api.scenario import Scenario
    from venice.sweep.definition import Point

_KEY_CHARS = 24
"""96 bits of a hash: among a million runs two are alike by chance once in 10^17 times."""
_MOST_DRIVES = 256
"""Resolved drives that are remembered; neighbours in a sweep often have the same one."""

_FILES = ("trace", "load_state")
"""Files that are known by their bytes."""
_OF_DRIVE = ("drive", "fabric", "sets", "seed")
_RESOLVED = (*_OF_DRIVE, "workload", "load_state", "fold", "most_folded_pct")
_OF_PYTHON = ("source", "host_scheduler")
"""Options of which a key has the content; of those of Python, none has a key."""


class Keys:
    """Gives runs their keys, and resolves a drive once for neighbours that share it.

    Parameters
    ----------
    contents
        Contents of files, remembered once read.
    """

    def __init__(self, contents: Contents | None = None) -> None:
        self._drives: OrderedDict[str, tuple[Drive, str] | ConfigError] = OrderedDict()
        self._contents = contents or Contents()

    def of(self, options: RunOptions) -> str:
        """Name a run by everything that its report depends on, and whether it may be refused.

        Raises
        ------
        ConfigError
            If the drive is impossible.
        """
        return self.all_of(options)[0]

    def all_of(self, options: RunOptions) -> tuple[str, ...]:
        """Name a run, and those whose reports are as good.

        A run for which folding was insisted on is another than one that is refused for it; but
        where that one was not refused, both say the same.

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
        # A smaller limit may refuse what the usual one does not.
        return (own, usual) if most is None or most > MOST_FOLDED_PCT else (own,)

    def drive_of(self, options: RunOptions) -> Drive | None:
        """Return the drive by which a run was named, if that was not long ago.

        It need not be resolved again; and its file may say something else by now.
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
    """Return the options that the key holds as they are: neither of the drive nor files."""
    plain = {
        name: getattr(options, name) for name in NAMES if name not in (*_RESOLVED, *_OF_PYTHON)
    }
    return {
        **{name: _plain(value) for name, value in plain.items()},
        "trace_resample": resampling_of(options),
        "trace_block": block_of(options),
    }


def run_key(scenario: Scenario) -> str:
    """Name a run by everything that its report depends on.

    Raises
    ------
    ConfigError
        If the drive is impossible.
    """
    return Keys().of(RunOptions.of(scenario))


def fingerprint(points: Iterable[Point], contents: Contents) -> tuple[str, list[str]]:
    """Return a digest of a sweep: its points, their choices, and the contents of their files.

    It is much faster than the keys of all of them: no drive is resolved.
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
    """Return the options by name, with the content of a trace or workload that Python describes."""
    by_name = dict(vars(with_trace_options(options)))
    workload = by_name["workload"]
    if isinstance(workload, DescribedWorkload):
        by_name |= {"workload": None, "described": workload.content()}
    return by_name


def _hash(parts: Mapping[str, Any]) -> str:
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_KEY_CHARS]


def _resolved(drive: RunOptions) -> str:
    """Return the contents of a drive's file and of its bases."""
    try:
        return drive_of(drive).to_toml()
    except ConfigError as error:
        # What it lacks may come from the changes of each point.
        return str(error)


def _plain(value: Any) -> Any:  # noqa: ANN401 what scenarios hold
    return value if value is None or isinstance(value, int | float | str) else str(value)
