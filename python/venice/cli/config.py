"""``venice config``: complete configurations, explanations of keys, JSON schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from venice import _native
from venice.api.scenario import resolve
from venice.cli import options
from venice.cli.command import command
from venice.cli.keys import keys
from venice.cli.screen import print_text
from venice.cli.value_types import Text
from venice.report import to_json
from venice.report.over_provisioning import drive_comment

if TYPE_CHECKING:
    from venice.config import FabricName


@command()
@options.drive()
@options.drive_choice
def show(*, drive: str, fabric: FabricName | None, sets: tuple[str, ...], seed: int | None) -> None:
    """Show a drive's complete configuration as TOML.

    Every value has its source.
    """
    resolved = resolve(drive, fabric, sets, seed)
    print_text(f"{resolved.to_toml()}\n{drive_comment(resolved)}", end="")


@command()
@options.argument(
    "key",
    metavar="KEY",
    type=Text(keys),
    help="Parameter to explain, by its key, such as flash.t_read_us.",
)
def explain(key: str) -> None:
    """Explain a configuration key.

    The explanation has its meaning, unit, range, default and source.
    """
    print_text(_native.explain(key))


@command()
def schema() -> None:
    """Print the JSON schema of drive files."""
    print_text(to_json(json.loads(_native.schema())), end="")
