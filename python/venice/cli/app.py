"""The commands there are."""

from __future__ import annotations

from typing import Annotated

import typer

from venice.cli.commands import Commands
from venice.version import __version__

app = typer.Typer(
    name="venice",
    cls=Commands,
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
