"""Manifest of a bundle: ``bundle.json``."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from venice._native import UsageError
from venice.bundles.digests import digest_of
from venice.report.files import save, to_json

MANIFEST = "bundle.json"
SCRIPT = "commands.sh"
LOG = "log.txt"
CONFIGURATIONS = "configurations.json"
REQUIREMENTS = "requirements.txt"
README = "README.md"
OWN_FILES = (MANIFEST, SCRIPT, LOG, CONFIGURATIONS, REQUIREMENTS, README)
"""Files that every bundle has in addition to its inputs and results."""
_VERSION = 1


def is_inside(path: str) -> bool:
    """Return true if a path does not lead out of the folder of a bundle.

    Examples
    --------
    >>> is_inside("out/a.csv"), is_inside("../a.csv"), is_inside("/a.csv"), is_inside("a/../../b")
    (True, False, False, False)
    """
    return not Path(path).is_absolute() and os.pardir not in Path(path).parts


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """Contents of a bundle.

    Attributes
    ----------
    commands
        Commands, in order.
    inputs, results
        Digests (SHA-256) of the files by path.
    runs
        Number of runs in databases and report files.
    seeds
        Seeds of these runs.
    environment
        Versions of packages, interpreter and machine.
    """

    commands: list[str]
    inputs: dict[str, str]
    results: dict[str, str]
    runs: int
    seeds: list[int]
    environment: dict[str, Any]

    def save(self, folder: Path) -> None:
        """Write the manifest into the folder of a bundle."""
        save(to_json({"bundle_version": _VERSION, **asdict(self)}), folder / MANIFEST)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read the manifest of a bundle.

        Raises
        ------
        UsageError
            If there is no manifest, or a later version wrote it.
        """
        path = folder / MANIFEST
        try:
            content = json.loads(path.read_bytes())
            found = int(content.pop("bundle_version"))
            if found == _VERSION:
                return cls._checked(**{one.name: content[one.name] for one in fields(cls)})
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise UsageError(
                f"{folder}: is not a bundle, or {MANIFEST} is damaged; expected: a folder that "
                "`venice bundle` has written"
            ) from None
        raise UsageError(
            f"{path}: has version {found}, and this Venice reads {_VERSION}; use a newer Venice"
        )

    @classmethod
    def _checked(cls, **content: Any) -> Self:  # noqa: ANN401 any JSON value
        """Return a manifest with the contents of a file, after checking them.

        Raises
        ------
        TypeError
            If a part is not a table.
        ValueError
            If a path leads out of the folder.
        """
        for kind in ("inputs", "results", "environment"):
            if not isinstance(content[kind], dict):
                raise TypeError(kind)
        names = [*content["inputs"], *content["results"]]
        if not all(map(is_inside, names)):
            raise ValueError("path outside of the bundle")
        return cls(**content)

    def changed_inputs(self, folder: Path) -> list[str]:
        """Return the inputs that are missing or differ from their digests."""
        return [
            name
            for name, digest in self.inputs.items()
            if not (folder / name).is_file() or digest_of(folder / name) != digest
        ]
