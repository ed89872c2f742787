"""Which commands there are, and where.

A command is imported when it is asked for: the libraries of all others would take a good part of a
short run.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group


@dataclass(frozen=True)
class Place:
    """Where a command is: a module of :mod:`venice.cli` and a name in it."""

    module: str
    name: str
    """A function, or the ``typer.Typer`` of a group of commands."""
    cls: str | None = None
    """The class of the command, if it has one of its own."""

    def load(self, command: str) -> Any:  # noqa: ANN401 click's command, which typer does not name
        """Import the command."""
        module = import_module(f"venice.cli.{self.module}")
        found = getattr(module, self.name)
        if isinstance(found, typer.Typer):
            loaded: Any = get_group(found)
        else:
            alone = typer.Typer(
                pretty_exceptions_enable=False, rich_markup_mode=None, add_completion=False
            )
            alone.command(command, cls=getattr(module, self.cls) if self.cls else None)(found)
            loaded = get_command(alone)
        loaded.name = command
        return loaded


COMMANDS: dict[str, Place] = {
    "run": Place("run", "run"),
    "compare": Place("compare", "compare"),
    "sweep": Place("sweep", "app"),
    "explore": Place("explore", "explore_command"),
    "plot": Place("plot", "plot"),
    "view": Place("view", "view"),
    "reproduce": Place("reproduce", "reproduce_command"),
    "grep": Place("grep", "grep", cls="GrepCommand"),
    "sql": Place("sql", "sql"),
    "ocp": Place("ocp", "ocp"),
    "mqsim": Place("mqsim", "mqsim"),
    "bench-mqsim": Place("bench_mqsim", "bench_mqsim"),
    "list": Place("names", "list_names"),
    "workloads": Place("names", "list_workloads"),
    "trace": Place("trace", "app"),
    "config": Place("config", "app"),
    "report": Place("report", "app"),
}
"""By name, in the order of the help."""


class Commands(TyperGroup):
    """A group that imports a command when it is asked for."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 click's
        super().__init__(*arguments, **options)
        # Typer looks here for the names that there are.
        self.commands.update(dict.fromkeys(COMMANDS))  # type: ignore[arg-type]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002 likewise
        """Import a command; none of this name is no command."""
        place = COMMANDS.get(cmd_name)
        return place.load(cmd_name) if place else None
