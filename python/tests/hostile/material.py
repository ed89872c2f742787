"""Valid files of Venice that entrances damage; they are written once for all inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..conftest import REPOSITORY
from .case import Case
from .forks import run_case

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TRACES = REPOSITORY / "conformance" / "traces"
SMALL = (
    *("--set", "array.rows=2", "--set", "array.cols=2"),
    *("--set", "flash.blocks_per_plane=16", "--set", "flash.pages_per_block=16"),
)
"""Options that make any drive so small that a run takes milliseconds."""
SWEEP = """[scenario]
workload = "random-read"
requests = 30
sets = ["array.rows=2", "array.cols=2"]
[[axis]]
fabric = ["bus", "ideal"]
[[axis]]
"host.queue_depth" = [1, 8]
"""
_RUN = ("run", *SMALL, "--workload", "mixed-70-30", "--requests")
_COMMANDS = (
    Case(
        (
            *_RUN,
            "400",
            "--interval",
            "5",
            "--slowest",
            "3",
            "--distributions",
            "--json",
            "report.json",
        )
    ),
    Case((*_RUN, "50", "--save-state", "drive.state")),
    Case(
        (
            "compare",
            *SMALL,
            "--workload",
            "mixed-70-30",
            "--requests",
            "60",
            "--fabrics",
            "bus,ideal",
            "--no-why",
            "--json",
            "compared.json",
        )
    ),
    Case(("sweep", "run", "sweep.toml", "--out", "kept", "--workers", "1")),
    Case(("sweep", "export", "kept", "-o", "kept.csv")),
    Case(("trace", "convert", "long.txt", "--format", "mqsim-ascii", "-o", "requests.parquet")),
)


class Material(NamedTuple):
    """Files and settings from which entrances draw."""

    traces: Mapping[str, bytes]
    """The tiny traces of every format, by file name."""
    report: bytes
    compared: bytes
    state: bytes
    store: bytes
    """The database of a finished sweep."""
    tables: Mapping[str, str]
    """The tables that this sweep writes and exports, by file name."""
    parquet: bytes
    """A trace of a thousand requests."""


def make(folder: Path) -> Material:
    """Make the material in an empty folder.

    Raises
    ------
    RuntimeError
        If a command that makes it fails.
    """
    (folder / "sweep.toml").write_text(SWEEP)
    (folder / "long.txt").write_bytes(lines(1000))
    for case in _COMMANDS:
        done = run_case(case, folder, folder.with_name("material-says"))
        if done.code:
            raise RuntimeError(f"{case.arguments}: {done.stderr.decode()}")
    return _read(folder)


def lines(count: int, gap_ns: int = 2500) -> bytes:
    """Write requests in MQSim's format: ns, device, sector, sectors, 1 for a read."""
    rows = (f"{n * gap_ns} 0 {n * 7919 % 4000 * 8} 8 {n % 3 and 1}\n" for n in range(count))
    return "".join(rows).encode()


def _read(folder: Path) -> Material:
    return Material(
        traces={path.name: path.read_bytes() for path in sorted(TRACES.glob("*.bin"))}
        | {path.name: path.read_bytes() for path in sorted(TRACES.glob("*.txt"))},
        report=(folder / "report.json").read_bytes(),
        compared=(folder / "compared.json").read_bytes(),
        state=(folder / "drive.state").read_bytes(),
        store=(folder / "kept" / "results.sqlite").read_bytes(),
        tables={name: (folder / name).read_text() for name in ("kept.csv", "kept/results.csv")},
        parquet=(folder / "requests.parquet").read_bytes(),
    )
