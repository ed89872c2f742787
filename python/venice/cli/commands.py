"""Table of commands and their modules.

A command is imported when it is called; importing all of them would take half a second.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.shell_completion import CompletionItem, shell_complete

from venice.cli.interruption import ImportingCommand
from venice.cli.strict_parsing import SETTINGS, StrictWords
from venice.cli.usage import UnknownNameError
from venice.version import version_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

COMPLETE_VARIABLE = "_VENICE_COMPLETE"
"""Environment variable with which a shell requests completions."""
FAILED = 1
"""Exit code of a run that fails."""
_GREP_FAILED = 2
"""Exit code of a failed `venice grep`; its exit code 1 means that no line was found."""


class Place(NamedTuple):
    """Module in :mod:`venice.cli` and function of a command, with the command's summary."""

    module: str
    function: str
    summary: str


class LazyGroup(StrictWords, click.Group):
    """Group of commands that imports each command when it is called."""

    def __init__(
        self,
        name: str,
        text: str,
        places: Mapping[str, Place | LazyGroup],
        usual: str | None = None,
        sections: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Create a group of commands by name; `usual` is the default command.

        The help lists commands by section; commands without a section are in the last one.
        """
        super().__init__(name, help=text, context_settings=SETTINGS, no_args_is_help=True)
        self.places = places
        self.usual = usual
        self.sections = sections or {"Commands": ()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        _ = ctx
        return [*self.places]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command that has only a name and a summary, which help and completion need."""
        _ = ctx
        place = self.places.get(cmd_name)
        if not isinstance(place, Place):
            return place
        return click.Command(cmd_name, help=place.summary)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, section by section."""
        listed = {name for names in self.sections.values() for name in names}
        rest = [name for name in self.list_commands(ctx) if name not in listed]
        last = [*self.sections][-1]
        for title, names in self.sections.items():
            shown = [name for name in names if name in self.places]
            shown += rest if title == last else []
            rows = [(name, self._summary(ctx, name, formatter)) for name in shown]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def _summary(self, ctx: click.Context, name: str, formatter: click.HelpFormatter) -> str:
        command = self.get_command(ctx, name)
        return "" if command is None else command.get_short_help_str(formatter.width)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; unless it begins with a command, insert the default one.

        Raises
        ------
        UnknownNameError
            If the command line begins with a misspelt command.
        """
        names = {*self.places, *self.get_help_option_names(ctx)}
        if self.usual is not None and args and args[0] not in names:
            if _is_misspelt(args[0], self.places):
                raise UnknownNameError("command", args[0], [*self.places], ctx)
            args = [self.usual, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names of commands, or of files for the default command."""
        found = super().shell_complete(ctx, incomplete)
        is_file = self.usual is not None and not found and not incomplete.startswith("-")
        return [CompletionItem(incomplete, type="file")] if is_file else found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import the called command.

        Raises
        ------
        UnknownNameError
            If no command has the name.
        """
        name, *left = args
        if name not in self.places:
            if ctx.resilient_parsing:
                return None, None, left
            raise UnknownNameError("command", name, [*self.places], ctx)
        return name, self.load(name), left

    def load(self, name: str) -> click.Command:
        """Import the command `name` and return it."""
        place = self.places[name]
        if not isinstance(place, Place):
            return place
        with ImportingCommand():
            module = import_module(f"venice.cli.{place.module}")
        command: click.Command = getattr(module, place.function)
        return command


def _is_misspelt(word: str, names: Iterable[str]) -> bool:
    """Return true if a word resembles one of these names and no file has this name."""
    return bool(get_close_matches(word, names)) and not os.path.lexists(word)


SECTIONS = {
    "Main commands": ("run", "compare", "figure", "sweep", "explore", "drive", "trace"),
    "Results": ("plot", "view", "report", "bundle"),
    "Drives and workloads": ("config", "validate", "fit", "list", "workloads", "policy"),
    "Papers": ("reproduce", "mqsim", "bench-mqsim"),
    "Search in flash": ("grep", "sql"),
    "Suites": ("ocp",),
    "Others": ("migrate", "completion"),
}
"""Headings of the help's first page, with the commands below each."""

VENICE = LazyGroup(
    "venice",
    "Simulator of solid-state drives whose flash chips are joined by a bus, a mesh or better.",
    {
        "run": Place("run", "run", "Run one drive over a trace or workload."),
        "compare": Place("compare", "compare", "Compare fabrics, drives or host schedulers."),
        "sweep": LazyGroup(
            "sweep",
            "Run every combination of axes; resumes when called again.\n\n"
            "venice sweep SWEEP.toml is short for venice sweep run SWEEP.toml.",
            {
                "run": Place("sweep", "sweep", "Run a sweep, or resume an interrupted one."),
                "status": Place("sweep_store", "status", "Show the progress of a sweep."),
                "dashboard": Place("dashboard", "dashboard", "Serve a live page of the runs."),
                "export": Place("sweep_store", "export", "Write all finished runs as one table."),
                "sql": Place("sweep_store", "sql", "Query the finished runs in SQL."),
            },
            usual="run",
        ),
        "validate": Place("validate", "validate", "Compare drives with measurements of real ones."),
        "fit": Place("fit", "fit", "Fit a drive file to measurements of a real drive."),
        "explore": Place(
            "explore", "explore_command", "Search a design space for several objectives at once."
        ),
        "figure": Place(
            "figure", "figure", "Run the simulations of a standard figure, and draw it."
        ),
        "plot": Place("plot", "plot", "Plot results, with the data as CSV next to the picture."),
        "view": Place("view", "view", "Write an interactive page about one run."),
        "reproduce": Place(
            "reproduce", "reproduce_command", "Reproduce published figures and tables."
        ),
        "grep": Place("grep", "grep", "Search files within a drive, as `grep -F` or `grep -E`."),
        "sql": Place("sql", "sql", "Filter a table within a drive and print the rows as CSV."),
        "ocp": Place("ocp", "ocp", "Run a suite of fio jobs and check their targets."),
        "mqsim": Place("mqsim", "mqsim", "Run MQSim's own files, scenario by scenario."),
        "bench-mqsim": Place(
            "bench_mqsim",
            "bench_mqsim",
            "Compare speed or results with MQSim on the same input files.",
        ),
        "bundle": LazyGroup(
            "bundle",
            "Bundle commands, inputs and results for artifact evaluation.\n\n"
            "venice bundle BUNDLE COMMANDS is short for venice bundle make BUNDLE COMMANDS.",
            {
                "make": Place(
                    "bundle", "make", "Run commands and store them with their inputs and results."
                ),
                "redo": Place("bundle", "redo", "Run a bundle again and compare the results."),
            },
            usual="make",
        ),
        "migrate": Place(
            "migrate", "migrate", "Replace renamed keys in files by their current names."
        ),
        "completion": Place("completion", "completion", "Print a shell's completion script."),
        "list": Place(
            "names", "list_names", "List drives, fabrics, policies, workloads and trace formats."
        ),
        "workloads": Place("names", "list_workloads", "Describe the built-in workloads."),
        "trace": LazyGroup(
            "trace",
            "Inspect, convert and record traces.",
            {
                "convert": Place("trace_edit", "convert", "Write a trace in another format."),
                "head": Place("trace_edit", "head", "Write the first requests of a trace."),
                "filter": Place("trace_edit", "filter_", "Write the matching requests of a trace."),
                "scale": Place(
                    "trace_edit", "scale", "Write a trace with changed times or addresses."
                ),
                "mix": Place("trace_edit", "mix", "Write several traces as one."),
                "record": Place("trace_record", "record", "Record the I/O of a program."),
                "info": Place("trace", "info", "Show the characteristics of a trace."),
            },
        ),
        "config": LazyGroup(
            "config",
            "Inspect and import drive configurations.",
            {
                "show": Place("config", "show", "Show a drive's complete configuration as TOML."),
                "explain": Place("config", "explain", "Explain a configuration key."),
                "schema": Place("config", "schema", "Print the JSON schema of drive files."),
                "import": Place("mqsim", "import_", "Convert MQSim's configuration to TOML."),
            },
        ),
        "drive": LazyGroup(
            "drive",
            "Check drives, write new ones, and measure real ones.",
            {
                "new": Place(
                    "drive", "new", "Write a drive file with the figures of a data sheet."
                ),
                "script": Place(
                    "drive", "script", "Print a script that measures a drive with fio."
                ),
                "import": Place("drive", "import_", "Convert fio's results to a data set."),
                "check": Place(
                    "drive",
                    "check",
                    "Print a drive's rates, their bounds and its data sheet.",
                ),
            },
        ),
        "policy": LazyGroup(
            "policy",
            "Write and check policies of your own.",
            {
                "new": Place("policy", "new", "Write a package with a policy in Rust."),
                "check": Place(
                    "policy", "check", "Check policies against the rules of their interfaces."
                ),
            },
        ),
        "report": LazyGroup(
            "report",
            "Explain, compare and convert reports.",
            {
                "explain": Place("report", "explain", "Explain a figure of a report."),
                "schema": Place("report", "schema", "Print the JSON schema of reports."),
                "sheet": Place("report", "sheet", "Write a data sheet as one HTML file."),
                "diff": Place("report", "diff", "Compare the runs of two files of reports."),
                "fio": Place("report", "fio", "Write a report in the layout of fio's JSON."),
            },
        ),
    },
    sections=SECTIONS,
)
"""The command ``venice`` with all subcommands."""
VENICE.params.append(
    click.Option(
        ["--version"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=lambda ctx, _param, is_asked: _show_version(ctx) if is_asked else None,
        help="Show the version.",
    )
)


def _show_version(ctx: click.Context) -> None:
    click.echo(version_text())
    ctx.exit()


def run_command(words: list[str]) -> int:
    """Run a command line and return its exit code."""
    if instruction := os.environ.get(COMPLETE_VARIABLE):
        import_module("venice.cli.bash_completion").install()
        return shell_complete(VENICE, {}, "venice", COMPLETE_VARIABLE, instruction)
    try:
        with VENICE.make_context("venice", [*words]) as ctx:
            code: Any = VENICE.invoke(ctx)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    return code or 0


def exit_code_of_failure(words: list[str]) -> int:
    """Return the exit code of a command line if its run fails."""
    return _GREP_FAILED if words[:1] == ["grep"] else FAILED
