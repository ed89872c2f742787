"""Paths held for requests, compared with an independent event model of six fabrics.

The model and its generator of requests are published with the measurements in ``VENICE_SHARED``;
they were written from the paper, without the engine's code. Engine and model get equal lists of
requests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import venice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.config import FabricName

REPOSITORY = Path(__file__).parents[2]
SHARED = Path(os.environ.get("VENICE_SHARED", REPOSITORY.parent / "shared"))
MODEL = SHARED / "reviews" / "scripts" / "papers"
TOLERANCE = 0.10
SATURATED_TOLERANCE = 0.12
"""For the ideal fabric at open loop: Baseline is near saturation on three workloads, where a small
difference of its service time is a large one of its latency, and these decide the mean.
"""
FILETIME = 128_166_372_000_000_000
"""Start of the traces, in ticks of 100 ns."""
MODEL_DESIGNS = [
    "base",
    "pssd",
    "pn_free",
    "pn_one",
    "pn_by",
    "no_pool",
    "no_home",
    "no_comm",
    "v_lett",
    "v_best",
    "ideal",
]
DESIGNS: dict[str, tuple[FabricName, tuple[str, ...]]] = {
    "pssd": ("pssd", ()),
    "pn_by": (
        "pnssd",
        ("fabric.pnssd.path_choice=by_chip", "fabric.pnssd.transfers_per_controller=1"),
    ),
    "no_pool": ("nossd", ("fabric.nossd.switching=circuits",)),
    "no_home": ("nossd", ("fabric.nossd.switching=circuits", "fabric.nossd.controller=home")),
    "no_comm": ("nossd", ("fabric.nossd.switching=committed_circuits",)),
    "v_lett": (
        "venice",
        (
            "fabric.venice.retry=at_once",
            "fabric.venice.port_choice=random",
            "fabric.venice.path_loops=kept",
            "fabric.venice.order=first_come",
        ),
    ),
    "v_best": ("venice", ()),
    "ideal": ("ideal", ()),
}
COMMON = (
    "fabric.channel_rate_mb_per_s=1000",
    "fabric.hold=request",
    # The model programs the pages of a request's two planes together at any offsets in their
    # blocks, and reads nothing before a partial write.
    "flash.multiplane_same_offset=false",
    "ftl.unwritten_data=absent",
)
READINGS = {
    "Poisson gaps": ("ex", "PWC", ("m=lat", "N=0", "hl=8"), ()),
    "Poisson gaps, other requests": ("ex2", "PWC", ("m=lat", "N=0", "hl=8"), ()),
    "bursts": ("bursts", "PWC", ("m=lat", "N=0", "hl=8"), ()),
    "4 outstanding": ("bursts", "PWC", ("N=4", "hl=0"), ("host.link_rate_mb_per_s=unlimited",)),
    "4 outstanding, ways first": ("bursts", "WPC", ("N=4", "hl=8"), ()),
}
"""Requests, order of allocation, and settings of the model and of the drive."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the model and its lists of requests."""
    compiler = shutil.which("g++")
    if compiler is None or not MODEL.is_dir():
        pytest.skip(f"needs g++ and the model at {MODEL}; set VENICE_SHARED to its folder")
    folder = tmp_path_factory.mktemp("model")
    (folder / "presets").symlink_to(REPOSITORY / "presets")
    for command in ("gen.py 300 1", "gen.py 300 2", "exgen.py"):
        script, *arguments = command.split()
        subprocess.run([sys.executable, str(MODEL / script), *arguments], cwd=folder, check=True)
    source = [str(MODEL / "des2.cpp"), "-o", str(folder / "des2")]
    subprocess.run([compiler, "-O2", "-std=c++17", "-w", *source], check=True)
    (folder / "bursts").mkdir()
    for file in folder.glob("req_*_1.txt"):
        (folder / "bursts" / file.name).symlink_to(file)
    return folder


def _model_means(
    model: Path, files: Sequence[Path], order: str, options: tuple[str, ...]
) -> dict[str, float]:
    """Return the mean of each workload's speed-up over the bus."""
    command = [str(model / "des2"), "raw=1", "n=300", "hold=all", "rate=1.0", f"alloc={order}"]
    command += [*options, *map(str, files)]
    result = subprocess.run(command, capture_output=True, check=True, text=True)
    place = 1 if "m=lat" in options else 0
    rows = [line.split()[2:] for line in result.stdout.splitlines() if line.startswith("RAW")]
    times = [[float(cell.split(":")[place]) for cell in row] for row in rows]
    gains = [[row[0] / value for value in row] for row in times]
    return dict(zip(MODEL_DESIGNS, map(_mean, zip(*gains, strict=True)), strict=True))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _as_trace(file: Path, folder: Path) -> Path:
    """Write a list of requests (gap in ns, read, start, bytes) as an MSR trace."""
    path, now, lines = folder / f"{file.parent.name}-{file.stem}.csv", 0.0, []
    for line in file.read_text().splitlines():
        gap, is_read, start, size = line.split()
        now += float(gap)
        kind = "Read" if is_read == "1" else "Write"
        lines.append(f"{FILETIME + round(now / 100)},host,0,{kind},{start},{size},0\n")
    path.write_text("".join(lines))
    return path


@pytest.mark.nightly
@pytest.mark.parametrize("reading", READINGS)
def test_speed_ups_agree_with_an_independent_model(
    reading: str, model: Path, tmp_path: Path
) -> None:
    requests, order, options, own = READINGS[reading]
    files = sorted((model / requests).glob("req_*.txt"))
    traces = [_as_trace(file, tmp_path) for file in files]
    assert len(traces) == 19
    expected = _model_means(model, files, order, options)
    depth = 4 if "N=4" in options else None

    def times(fabric: FabricName, changes: tuple[str, ...]) -> list[float]:
        sets = (*COMMON, f"ftl.allocation={order}D", *own, *changes)
        reports = [
            venice.run(
                drive="venice-performance",
                sets=sets,
                fabric=fabric,
                trace=trace,
                format="msr-csv",
                closed_loop=depth,
            )
            for trace in traces
        ]
        if "m=lat" in options:
            return [report.latency_us.all.mean or 0.0 for report in reports]
        return [report.makespan_us for report in reports]

    bus = times("bus", ())
    for name, (fabric, changes) in DESIGNS.items():
        own_times = times(fabric, changes)
        gain = _mean([top / bottom for top, bottom in zip(bus, own_times, strict=True)])
        is_near_saturation = name == "ideal" and depth is None
        tolerance = SATURATED_TOLERANCE if is_near_saturation else TOLERANCE
        assert gain == pytest.approx(expected[name], rel=tolerance), name
