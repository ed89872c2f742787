"""``venice report``: what a report can say."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from venice import _native
from venice.report import to_json

app = typer.Typer(help="Look at what reports say.", no_args_is_help=True, rich_markup_mode=None)


@app.command("explain")
def explain(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="For instance latency_us.all.p99; none lists the top."),
    ] = "",
) -> None:
    """Say what a figure of a report means, and its unit; of a group, what is in it."""
    typer.echo(_native.explain_figure(name))


@app.command("schema")
def schema() -> None:
    """Print the JSON schema of reports."""
    typer.echo(to_json(json.loads(_native.report_schema())), nl=False)
