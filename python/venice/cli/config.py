"""``venice config``: drives as files, keys explained, the schema."""

from __future__ import annotations

import json
from typing import Annotated

from venice import _native
from venice.cli import completed, options
from venice.cli.declared import Argument
from venice.cli.screen import say
from venice.report import to_json
from venice.report.over_provisioning import drive_comment
from venice.scenario import Scenario, drive_of


def show(
    drive: options.Drive = options.DEFAULT_DRIVE,
    fabric: options.Fabric = None,
    sets: options.Sets = None,
    seed: options.Seed = None,
) -> None:
    """Show the complete configuration of a drive as a TOML file, each value with its source."""
    scenario = Scenario(drive=drive, fabric=fabric, sets=sets or (), seed=seed)
    resolved = drive_of(scenario)
    say(f"{resolved.to_toml()}\n{drive_comment(resolved)}", end="")


def explain(
    key: Annotated[
        str,
        Argument(metavar="KEY", help="For instance flash.t_read_us.", values=completed.keys),
    ],
) -> None:
    """Say what a configuration key means: unit, range, default, source."""
    say(_native.explain(key))


def schema() -> None:
    """Print the JSON schema of drive files."""
    say(to_json(json.loads(_native.schema())), end="")
