"""``venice list`` and ``venice workloads``: built-in drives, fabrics, workloads, formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import drive_names, fabric_names, trace_formats, workload_names, workloads
from venice.cli.command import command
from venice.cli.screen import print_text

if TYPE_CHECKING:
    from collections.abc import Sequence


@command("list")
def list_names() -> None:
    """List drives, fabrics, workloads and trace formats."""
    width = max(len(name) for name, _ in trace_formats())
    formats = [f"{name:<{width}} {columns}" for name, columns in trace_formats()]
    _section("Drives (--drive)", drive_names())
    _section("Fabrics (--fabric, --fabrics)", fabric_names())
    _section("Workloads, all of them synthetic (--workload)", workload_names())
    _section("Trace formats (--format; detected from the content by default)", formats)


@command("workloads")
def list_workloads() -> None:
    """Describe the built-in workloads.

    Each has the source of its numbers.
    """
    print_text(
        "All of them are synthetic: requests made up from characteristics, labelled so in reports."
    )
    for name, description, source in workloads():
        print_text(f"\n{name}: {description}\n  source: {source}")


def _section(title: str, lines: Sequence[str]) -> None:
    print_text("\n".join([title, *(f"  {line}" for line in lines)]))
