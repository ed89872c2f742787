"""``venice trace info``: characteristics of a trace."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from venice.api.scenario import resolve
from venice.cli import options
from venice.cli.command import OUTPUT, command, option
from venice.cli.files import STANDARD_STREAM
from venice.cli.output_files import claim, claim_picture, write_json
from venice.cli.screen import print_text
from venice.cli.value_types import OutputFile
from venice.report import to_json
from venice.trace import trace_info

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from venice.trace import TraceInfo
    from venice.trace.info import DeviceInfo

_US_PER_S = 1e6
_SECTORS_PER_MIB = 2048
_MOST_DEVICES = 24
"""Maximum number of printed devices, as many as SPC's Financial1 has; the JSON lists all."""
_LABELS = {
    "requests": ("requests", ""),
    "read_pct": ("reads", "%"),
    "searches": ("of them searches", ""),
    "mean_size_kib": ("mean size", "KiB"),
    "mean_inter_arrival_us": ("mean gap between arrivals", "µs"),
    "median_inter_arrival_us": ("median gap", "µs"),
    "duration_us": ("duration", "µs"),
    "sequential_pct": ("go on where the one before ended", "%"),
    "footprint_mib": ("footprint", "MiB"),
    "footprint_exact": ("footprint is exact", ""),
    "format": ("format", ""),
    "format_note": ("why this format", ""),
    "compression": ("compression", ""),
    "out_of_order": ("decreasing time stamps", ""),
    "moved_up": ("of them too late to be sorted", ""),
    "skipped_bad": ("bad lines skipped", ""),
    "trims": ("trims", ""),
    "flushes": ("flushes", ""),
    "other_ops": ("other operations, skipped", ""),
    "trims_skipped": ("of them trims without an address range", ""),
    "zero_size": ("requests without data, skipped", ""),
    "garbled_times": ("impossible times, skipped", ""),
}


@command()
@options.trace_file
@options.trace_reading
@options.drive(
    None, "Drive for the distribution of the load over channels and chips [default: none]."
)
@options.sets
@options.json
@option(
    "--plot",
    metavar="FILE.png",
    group=OUTPUT,
    type=OutputFile(path_type=Path),
    help="Picture file of the trace to write: PNG, SVG or PDF.",
)
def info(
    file: str,
    *,
    drive: str | None,
    sets: tuple[str, ...],
    json: str | None,
    plot: Path | None,
    **reading: Unpack[options.TraceReading],
) -> None:
    """Show the characteristics of a trace."""
    resolved = None if drive is None else resolve(drive, None, sets)
    with ExitStack() as files:
        json_file, plot_file = claim(files, json), claim_picture(files, plot)
        found = trace_info(file, drive=resolved, **reading)
        write_json(lambda: to_json(found), json, json_file)
        _draw(found, Path(file).name, plot, plot_file)
    if json != STANDARD_STREAM:
        print_text(_lines(found))


def _draw(found: TraceInfo, name: str, path: Path | None, file: BinaryIO | None) -> None:
    if path is None or file is None:
        return
    from venice import plot  # noqa: PLC0415 matplotlib takes a second to load

    plot.save(plot.draw_trace(found, name), file, path.suffix.lower())


def _lines(found: TraceInfo) -> str:
    shown = [(*_LABELS[key], value) for key, value in found.items() if _is_shown(key, value)]
    shown += [*_gaps(found), *_bursts(found), *_spread(found), *_devices(found)]
    width = max(len(label) for label, _, _ in shown)
    return "\n".join(
        f"{label:<{width}}  {_figure(value, unit)}".rstrip() for label, unit, value in shown
    )


def _is_shown(key: str, value: object) -> bool:
    """Return true if a characteristic is printed, unlike a missing remark or zero searches."""
    is_missing = (key == "format_note" and value is None) or (key == "searches" and value == 0)
    return key in _LABELS and not is_missing


def _figure(value: object, unit: str) -> str:
    """Return a figure with its unit; times of a second or more are converted to seconds."""
    if unit == "µs" and isinstance(value, float) and value >= _US_PER_S:
        value, unit = value / _US_PER_S, "s"
    return f"{_text(value)} {unit}"


def _gaps(found: TraceInfo) -> Iterator[tuple[str, str, object]]:
    gaps = found.get("inter_arrival")
    if gaps is None:
        return
    yield "gaps of zero", "%", gaps["zero_pct"]
    yield "9 of 10 gaps are at most", "µs", gaps["p90_us"]
    yield "99 of 100 gaps are at most", "µs", gaps["p99_us"]
    yield "longest gap", "µs", gaps["max_us"]
    yield "deviation of gaps, over their mean", "", gaps["coefficient_of_variation"]


def _bursts(found: TraceInfo) -> Iterator[tuple[str, str, object]]:
    for scale in found.get("dispersion", []):
        window = _duration(scale["window_us"])
        yield f"variance of requests in {window}, over their mean", "", scale["index"]


def _spread(found: TraceInfo) -> Iterator[tuple[str, str, object]]:
    spread = found.get("spread")
    if spread is None:
        return
    yield "requests beyond the drive, folded into it", "", spread["folded"]
    for one, level in (("channel", spread["channels"]), ("chip", spread["chips"])):
        yield f"pages of the busiest {one}, over the mean", "", level["busiest_over_mean"]
        yield f"deviation of pages per {one}, over the mean", "", level["coefficient_of_variation"]


def _devices(found: TraceInfo) -> Iterator[tuple[str, str, object]]:
    """Yield the devices of a trace in decreasing order of their requests."""
    devices = found.get("devices", [])
    if len(devices) < 2:  # noqa: PLR2004 one device needs no list
        return
    yield "4-KiB pages that several devices touch", "", found.get("coinciding_pages")
    yield "devices", "", len(devices)
    listed = sorted(devices, key=lambda device: -device["requests"])
    for device in listed[:_MOST_DEVICES]:
        yield f"  device {device['name']}", "", _extent(device)
    if len(listed) > _MOST_DEVICES:
        rest = sum(device["requests"] for device in listed[_MOST_DEVICES:])
        yield f"  {len(listed) - _MOST_DEVICES:,} more", "", f"{rest:,} requests"


def _extent(device: DeviceInfo) -> str:
    first, end = (device[key] / _SECTORS_PER_MIB for key in ("first_sector", "end_sector"))
    reads_pct = 100 * device["reads"] / device["requests"]
    return (
        f"{device['requests']:,} requests, {reads_pct:.1f} % reads, {first:,.3f} to {end:,.3f} MiB"
    )


def _duration(us: int) -> str:
    for unit, length_us in (("s", 1_000_000), ("ms", 1_000)):
        if us >= length_us:
            return f"{us // length_us} {unit}"
    return f"{us} µs"


def _text(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
