"""Warnings about stored runs that are damaged or were made by another engine."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from venice import version
from venice.text import counts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from venice.sweep.store.damage import Damage
    from venice.sweep.store.engines import Engine


class StoreWarning(UserWarning):
    """Warning that stored runs are damaged or were made by another engine."""


def warn_of_damage(path: Path, damage: Damage) -> None:
    """Warn that damaged rows were removed from a store."""
    _warn(f"{path}: {damage}; these are not used, and their runs are done again")


def warn_of_reruns(path: Path, stale: Sequence[Engine]) -> None:
    """Warn that runs made by other engines are run again."""
    _warn(f"{path}: {_engines_text(stale)}; stale runs are done again")


def warn_of_stale(path: Path, stale: Sequence[Engine]) -> None:
    """Warn that the shown runs were made by other engines."""
    _warn(f"{path}: {_engines_text(stale)}; stale runs are read as they are")


def _engines_text(stale: Sequence[Engine]) -> str:
    runs = counts.of(sum(engine.runs for engine in stale), "run")
    names = ", ".join(str(engine) for engine in stale)
    unchecked = any(engine.digest is None for engine in stale)
    note = ", whose runs have no checksum" if unchecked else ""
    return f"{runs} of another engine ({names}{note}); this one is {version.engine_digest()}"


def _warn(text: str) -> None:
    # No line of the caller is the cause, so no line is named.
    warnings.warn(text, StoreWarning, stacklevel=2)
