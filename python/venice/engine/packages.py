"""Installed packages that contain user-defined policies."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

GROUP = "venice.policies"
"""Group of the entry points that packages with policies declare."""
VARIABLE = "VENICE_POLICIES"
"""Environment variable that selects a package by name if several are installed, or ``none``."""
BUILT_IN = "none"
"""Value of the variable that selects the built-in engine."""


class EngineError(ImportError):
    """The engine to load is ambiguous, missing or of another version than Venice."""


class PolicyPackage(NamedTuple):
    """Installed package with user-defined policies."""

    name: str
    """Name of the distribution."""
    version: str
    """Version of the distribution."""
    module: str
    """Name of the extension module."""

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def selected_package() -> PolicyPackage | None:
    """Return the package whose engine this process runs; ``None`` for the built-in engine.

    Raises
    ------
    EngineError
        If several packages are installed and none is selected, or the selected one is missing.
    """
    wanted = os.environ.get(VARIABLE, "")
    if wanted == BUILT_IN:
        return None
    found = installed_packages()
    if wanted:
        return _named(wanted, found)
    if len(found) > 1:
        names = " and ".join(f"`{package}`" for package in found)
        raise EngineError(
            f"{names} provide an engine with policies each\n"
            f"   = expected: one of them; uninstall the others, or set {VARIABLE}={found[0].name}"
            f" (or {VARIABLE}={BUILT_IN} for the built-in engine)"
        )
    return found[0] if found else None


def _named(wanted: str, found: list[PolicyPackage]) -> PolicyPackage:
    for package in found:
        if package.name.replace("_", "-") == wanted.replace("_", "-"):
            return package
    names = ", ".join([*(package.name for package in found), BUILT_IN])
    raise EngineError(
        f"{VARIABLE} is `{wanted}`, but no installed package with policies has that name\n"
        f"   = expected: {names}"
    )


def installed_packages() -> list[PolicyPackage]:
    """Return the installed packages with policies, by name."""
    if not any(map(_has_policies, sys.path)):
        return []
    # Imported only if there is a package: it takes longer than most commands' other imports.
    from importlib.metadata import entry_points  # noqa: PLC0415

    found: dict[str, PolicyPackage] = {}
    for point in entry_points(group=GROUP):
        if point.dist is not None:
            package = PolicyPackage(point.dist.name, point.dist.version, point.value)
            found.setdefault(package.name, package)
    return [found[name] for name in sorted(found)]


def _has_policies(folder: str) -> bool:
    """Return true if a folder of ``sys.path`` has metadata of a package with policies."""
    try:
        with os.scandir(folder or ".") as entries:
            names = [entry.path for entry in entries if entry.name.endswith(".dist-info")]
    except OSError:
        return False
    return any(map(_names_group, names))


def _names_group(metadata: str) -> bool:
    try:
        with open(os.path.join(metadata, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123 pathlib takes longer to import
            return GROUP.encode() in file.read()
    except OSError:
        return False
