"""Environment of a bundle: versions of packages, interpreter and machine."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

from venice.version import __version__, engine_digest

_PACKAGE = "venice-ssd"
_FALLBACK = ("click", "matplotlib", "numpy", "optuna", "pyarrow", "rich", "tomlkit")
"""Packages listed if Venice runs from its sources, without metadata of its own."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def environment() -> dict[str, Any]:
    """Return the versions on which results may depend."""
    return {
        "venice": __version__,
        "engine": engine_digest(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "packages": packages(),
    }


def packages() -> dict[str, str]:
    """Return the installed packages that Venice uses, with their versions."""
    found: dict[str, str] = {}
    left = [*_required(_PACKAGE), *_FALLBACK]
    while left:
        name = left.pop()
        if name in found:
            continue
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
        left += _required(name, with_extras=False)
    return dict(sorted(found.items()))


def requirements() -> str:
    """Return the packages in the form of pip's requirements, Venice first."""
    lines = [f"{_PACKAGE}=={__version__}", *(f"{name}=={at}" for name, at in packages().items())]
    return "\n".join(lines) + "\n"


def _required(name: str, *, with_extras: bool = True) -> list[str]:
    """Return the names of the packages that a package requires."""
    try:
        lines = requires(name) or []
    except PackageNotFoundError:
        return []
    chosen = [line for line in lines if with_extras or "extra ==" not in line]
    return [found[0].lower() for line in chosen if (found := _NAME.match(line))]
