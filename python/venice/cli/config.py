"""``venice config``: drives as files, keys explained, the schema."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from venice import _native
from venice.cli import mqsim, options
from venice.report import to_json
from venice.scenario import Scenario, drive_of

app = typer.Typer(help="Look at configurations.", no_args_is_help=True, rich_markup_mode=None)


@app.command("show")
def show(
    drive: options.Drive = options.DEFAULT_DRIVE,
    fabric: options.Fabric = None,
    sets: options.Sets = None,
    seed: options.Seed = None,
) -> None:
    """Show the complete configuration of a drive as a TOML file, each value with its source."""
    scenario = Scenario(drive=drive, fabric=fabric, sets=sets or (), seed=seed)
    typer.echo(drive_of(scenario).to_toml(), nl=False)


@app.command("explain")
def explain(
    key: Annotated[str, typer.Argument(metavar="KEY", help="For instance flash.t_read_us.")],
) -> None:
    """Say what a configuration key means: unit, range, default, source."""
    typer.echo(_native.explain(key))


@app.command("schema")
def schema() -> None:
    """Print the JSON schema of drive files."""
    typer.echo(to_json(json.loads(_native.schema())), nl=False)


app.command("import")(mqsim.import_)
