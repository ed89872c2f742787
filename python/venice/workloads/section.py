"""Tables of a workload file."""

from __future__ import annotations

from functools import partial

from venice._native import complete_workload
from venice.schema_classes.section import section


def _refuse(key: str) -> None:
    """Refuse an unknown key, by means of the engine."""
    base = "mix1" if key.startswith("mix.") else "random-read"
    text = f"extends = '{base}'\n{key.removeprefix('mix.')} = 0"
    complete_workload(("a workload", text))


table = partial(section, refuse=_refuse)
"""Decorator that sets the table of a class and refuses unknown names."""

mix = partial(section, refuse=lambda key: _refuse(f"mix.{key}"))
"""Decorator of the tables of a mix, as `table` is of a workload."""
