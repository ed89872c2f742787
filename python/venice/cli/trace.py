"""``venice trace``: what a trace is like."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from venice.cli import options
from venice.cli.results import STANDARD_OUTPUT, claim, write_json
from venice.cli.screen import say
from venice.report import to_json
from venice.trace import trace_info

if TYPE_CHECKING:
    from venice.trace import TraceInfo

app = typer.Typer(help="Look at traces.", no_args_is_help=True, rich_markup_mode=None)

_LABELS = {
    "requests": ("requests", ""),
    "read_pct": ("reads", "%"),
    "mean_size_kib": ("mean size", "KiB"),
    "mean_inter_arrival_us": ("mean gap between arrivals", "µs"),
    "median_inter_arrival_us": ("median gap", "µs"),
    "duration_us": ("duration", "µs"),
    "footprint_mib": ("footprint", "MiB"),
    "footprint_exact": ("footprint is exact", ""),
    "format": ("format", ""),
    "format_note": ("why this format", ""),
    "compression": ("compression", ""),
    "out_of_order": ("time stamps that run backwards", ""),
    "moved_up": ("of them too late to be put in order", ""),
    "skipped_bad": ("bad lines passed over", ""),
    "other_ops": ("neither read nor write, passed over", ""),
    "zero_size": ("requests for no data, passed over", ""),
    "garbled_times": ("impossible times, passed over", ""),
}


@app.callback()
def _trace() -> None:
    pass


@app.command("info")
def info(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The trace, plain or compressed.")],
    format_: options.Format = None,
    columns: options.Columns = None,
    event: options.Event = None,
    skip_bad: options.SkipBad = None,
    json: options.Json = None,
) -> None:
    """Read a trace to its end and show what it is like."""
    with ExitStack() as files:
        json_file = claim(files, json)
        found = trace_info(file, format_, columns=columns, event=event, skip_bad=skip_bad)
        write_json(to_json(found), json, json_file)
    if json != STANDARD_OUTPUT:
        say(_lines(found))


def _lines(found: TraceInfo) -> str:
    shown = [(*_LABELS.get(key, (key, "")), value) for key, value in found.items()]
    width = max(len(label) for label, _, _ in shown)
    return "\n".join(
        f"{label:<{width}}  {_text(value)} {unit}".rstrip() for label, unit, value in shown
    )


def _text(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
