"""``venice list`` and ``venice workloads``: built-in drives, fabrics, workloads, formats."""

from __future__ import annotations

import json
from shutil import get_terminal_size
from textwrap import shorten
from typing import TYPE_CHECKING

from venice._native import (
    UsageError,
    drive_names,
    fabric_names,
    host_scheduler_names,
    own_policies,
    trace_formats,
    victim_policy_names,
    workload_names,
    workloads,
)
from venice.cli import options
from venice.cli.command import command
from venice.cli.screen import print_text
from venice.cli.value_types import Text
from venice.engine.packages import selected_package
from venice.options.drives import drive_of
from venice.options.run_options import RunOptions
from venice.text.suggestions import suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_USUAL_COLUMNS = 100
_LEAST_ROOM = 30
_MARGIN = 4
"""Width of the indentation of a name and of the gap after it, in characters."""


@command("list")
def list_names() -> None:
    """List drives, fabrics, policies, workloads and trace formats."""
    width = max(len(name) for name, _ in trace_formats())
    formats = [f"{name:<{width}} {columns}" for name, columns in trace_formats()]
    drives: dict[str, str] = {name: _description(name) for name in drive_names()}
    _section("Drives (--drive; `venice config show --drive NAME` shows all of one)", _lines(drives))
    _section("Fabrics (--fabric, --fabrics)", _with_origins("fabric", fabric_names()))
    victims = _with_origins("victim", victim_policy_names())
    _section("Victim policies (--set ftl.victim=NAME)", victims)
    schedulers = _with_origins("host_scheduler", host_scheduler_names())
    _section("Host schedulers (--set host.scheduler.scheme=NAME)", schedulers)
    _section("Workloads, all of them synthetic (--workload)", workload_names())
    _section("Trace formats (--format; detected from the content by default)", formats)


def _with_origins(kind: str, names: Sequence[str]) -> list[str]:
    """Return the names of policies, with the package and the description of user-defined ones."""
    own = {name: about for of_kind, name, about in own_policies() if of_kind == kind}
    width = max(map(len, names))
    package = selected_package()
    return [f"{name:<{width}}  {own[name]} ({package})" if name in own else name for name in names]


def _description(drive: str) -> str:
    content = json.loads(drive_of(RunOptions(drive=drive)).to_json())
    return " ".join(str(content.get("description", "")).split())


def _lines(descriptions: Mapping[str, str]) -> list[str]:
    """Return a line for each name, with its description shortened to the width of the terminal."""
    width = max(map(len, descriptions))
    columns = get_terminal_size((_USUAL_COLUMNS, 1)).columns
    room = max(columns - width - _MARGIN, _LEAST_ROOM)
    return [
        f"{name:<{width}}  {shorten(text, room, placeholder=' …')}".rstrip()
        for name, text in descriptions.items()
    ]


@command("workloads")
@options.argument(
    "names",
    metavar="[NAME]...",
    nargs=-1,
    type=Text(workload_names),
    help=(
        "Workloads to show in detail, with their sources [default: a list with one line per "
        "workload]."
    ),
)
def list_workloads(names: tuple[str, ...]) -> None:
    """Describe the built-in workloads.

    All of them are synthetic: their requests are generated from characteristics.
    """
    known = {name: (description, source) for name, description, source in workloads()}
    for name in names:
        if name not in known:
            raise UsageError(
                f"`{name}` is not a built-in workload; `venice workloads` lists them"
                f"{suggestion(name, known)}"
            )
    if names:
        entries = (f"{name}: {known[name][0]}\n  source: {known[name][1]}" for name in names)
        print_text("\n\n".join(entries))
        return
    print_text("\n".join(_lines({name: text for name, (text, _) in known.items()})))


def _section(title: str, lines: Sequence[str]) -> None:
    print_text("\n".join([title, *(f"  {line}" for line in lines)]))
