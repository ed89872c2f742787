"""Which commands there are, and where.

A command is imported when it is asked for: the libraries of all others would take a good part of a
short run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.cli.declared import Command

if TYPE_CHECKING:
    from collections.abc import Mapping

FAILED = 1
"""Exit code of a run that fails, unless the command has its own."""
_GREP_FAILED = 2
"""1 is "no line was found"."""


class Place:
    """Where a command is: a module of :mod:`venice.cli` and a function in it."""

    def __init__(
        self, module: str, function: str, lacks: str | None = None, failed: int = FAILED
    ) -> None:
        self.module = module
        self.function = function
        self.lacks = lacks
        """The module's name for what is said of options that the command lacks, if there is any."""
        self.failed = failed
        """The exit code of a run that fails."""

    def load(self, path: str) -> Command:
        """Import the command that these words call."""
        # The package `importlib` would be imported for this alone.
        module = __import__(f"venice.cli.{self.module}", fromlist=[self.function])
        lacks = getattr(module, self.lacks) if self.lacks else {}
        return Command(path, getattr(module, self.function), lacks)


class Group:
    """Commands of one kind."""

    def __init__(
        self,
        help: str,  # noqa: A002 what it is everywhere
        commands: Mapping[str, Place | Group],
        usual: str | None = None,
    ) -> None:
        self.help = help
        self.commands = commands
        """By name, in the order of the help."""
        self.usual = usual
        """The command that is meant by words which begin with no command's name."""


COMMANDS = Group(
    "Simulates solid-state drives whose flash chips are joined by a bus, a mesh or better.",
    {
        "run": Place("run", "run"),
        "compare": Place("compare", "compare"),
        "sweep": Group(
            "Run every combination of some choices; called again, go on where it stopped.\n\n"
            "venice sweep SWEEP.toml is short for venice sweep run SWEEP.toml.",
            {
                "run": Place("sweep", "sweep"),
                "status": Place("sweep_store", "status"),
                "export": Place("sweep_store", "export"),
                "sql": Place("sweep_store", "sql"),
            },
            usual="run",
        ),
        "explore": Place("explore", "explore_command"),
        "plot": Place("plot", "plot"),
        "view": Place("view", "view"),
        "reproduce": Place("reproduce", "reproduce_command"),
        "grep": Place("grep", "grep", lacks="LACKS", failed=_GREP_FAILED),
        "sql": Place("sql", "sql"),
        "ocp": Place("ocp", "ocp"),
        "mqsim": Place("mqsim", "mqsim"),
        "bench-mqsim": Place("bench_mqsim", "bench_mqsim"),
        "completion": Place("completion", "completion"),
        "list": Place("names", "list_names"),
        "workloads": Place("names", "list_workloads"),
        "trace": Group(
            "Look at traces, and make others from them.",
            {
                "convert": Place("trace_edit", "convert"),
                "head": Place("trace_edit", "head"),
                "filter": Place("trace_edit", "filter_"),
                "scale": Place("trace_edit", "scale"),
                "mix": Place("trace_edit", "mix"),
                "record": Place("trace_record", "record"),
                "info": Place("trace", "info"),
            },
        ),
        "config": Group(
            "Look at configurations.",
            {
                "show": Place("config", "show"),
                "explain": Place("config", "explain"),
                "schema": Place("config", "schema"),
                "import": Place("mqsim", "import_"),
            },
        ),
        "report": Group(
            "Look at what reports say, and give them other shapes.",
            {
                "explain": Place("report", "explain"),
                "schema": Place("report", "schema"),
                "sheet": Place("report", "sheet"),
                "fio": Place("report", "fio"),
            },
        ),
    },
)
"""All of ``venice``."""
