"""The commands there are."""

from __future__ import annotations

from typing import Annotated

import typer

from venice.cli import (
    bench_mqsim,
    compare,
    config,
    grep,
    mqsim,
    names,
    reproduce,
    run,
    sweep,
    trace,
)
from venice.version import __version__

app = typer.Typer(
    name="venice",
    help="Simulates solid-state drives whose flash chips are joined by a bus, a mesh or better.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)


def _show_version(*, asked: bool) -> None:
    if asked:
        typer.echo(f"venice {__version__}")
        raise typer.Exit


@app.callback()
def _venice(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version.",
            is_eager=True,
            callback=lambda asked: _show_version(asked=asked),
        ),
    ] = False,
) -> None:
    pass


app.command("run")(run.run)
app.command("compare")(compare.compare)
app.command("sweep")(sweep.sweep)
app.command("reproduce")(reproduce.reproduce_command)
app.command("grep", cls=grep.GrepCommand)(grep.grep)
app.command("mqsim")(mqsim.mqsim)
app.command("bench-mqsim")(bench_mqsim.bench_mqsim)
app.command("list")(names.list_names)
app.command("workloads")(names.list_workloads)
app.add_typer(trace.app, name="trace")
config.app.command("import")(mqsim.import_)
app.add_typer(config.app, name="config")
