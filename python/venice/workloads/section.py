"""Decorators for classes that are tables of a workload file."""

from __future__ import annotations

from functools import partial

from venice._native import complete_workload
from venice.schema_classes.section import section


def _refuse(key: str) -> None:
    """Raise the engine's error for an unknown key."""
    base = "mix1" if key.startswith("mix.") else "random-read"
    text = f"extends = '{base}'\n{key.removeprefix('mix.')} = 0"
    complete_workload(("a workload", text))


table = partial(section, refuse=_refuse)
"""Decorator that sets the name of a class's table and refuses unknown keys."""

mix = partial(section, refuse=lambda key: _refuse(f"mix.{key}"))
"""Decorator like `table` for the tables of a mix."""
