"""Outputs that are inputs, equal outputs, and places that cannot be written to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..case import Case, Link
from ..material import SMALL, SWEEP, lines

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_RUN = ("run", *SMALL, "--fold", "--requests", "30")
_OUTPUTS = (
    "--json",
    "--save-state",
    "--trace-events",
    "--request-log",
    "--intervals-out",
    "--view",
    "--plot",
)
_SUFFIXES = {
    "--request-log": ".parquet",
    "--intervals-out": ".csv",
    "--view": ".html",
    "--plot": ".png",
}
_INPUTS = {
    "--trace": "in.txt",
    "--drive": "drive.toml",
    "--workload": "load.toml",
    "--load-state": "drive.state",
}
_IMPOSSIBLE = (
    ".",
    "nowhere/x",
    "in.txt/x",
    "/proc/x",
    "/nonexistent/x",
    "",
    "x" * 300,
    "dangling",
    "loop",
)


def draw(draw: Random, material: Material) -> Case:
    """Draw a command with two paths to one file, or with an output that cannot be written."""
    files = {
        "in.txt": lines(30),
        "drive.toml": b'extends = "venice-performance"\n',
        "load.toml": b'extends = "random-read"\n',
        "drive.state": material.state,
        "report.json": material.report,
        "sweep.toml": SWEEP.encode(),
    }
    words, links = draw.choice([_output_is_input, _outputs_are_one, _converted, _cannot_be])(draw)
    return Case(words, files, links, must_fail=True)


def _output_is_input(draw: Random) -> tuple[tuple[str, ...], tuple[Link, ...]]:
    option, name = draw.choice(sorted(_INPUTS.items()))
    load = () if option in ("--trace", "--workload") else ("--workload", "random-read")
    out = draw.choice(_OUTPUTS[:3])
    path, links = _another_name(draw, name)
    return (*_RUN, *load, option, name, out, path), links


def _another_name(draw: Random, name: str) -> tuple[str, tuple[Link, ...]]:
    """Return a path of a file: its name, another path, or a link."""
    kind = draw.choice(["same", "path", "symlink", "hardlink"])
    if kind == "same":
        return name, ()
    if kind == "path":
        return draw.choice([f"./{name}", f"../work/{name}"]), ()
    return "link", (Link(kind, "link", name),)


def _outputs_are_one(draw: Random) -> tuple[tuple[str, ...], tuple[Link, ...]]:
    first, second = draw.sample(_OUTPUTS[:3], 2)
    links = (Link("symlink", "link", "out"),)
    name = draw.choice(["out", "./out", "link"])
    return (
        *_RUN,
        "--workload",
        "random-read",
        first,
        "out",
        second,
        name,
    ), links if name == "link" else ()


def _converted(draw: Random) -> tuple[tuple[str, ...], tuple[Link, ...]]:
    path, links = _another_name(draw, "in.txt")
    report, report_links = _another_name(draw, "report.json")
    words = [
        ("trace", "convert", "in.txt", "--to", "ssdsim-us", "-o", path),
        ("trace", "filter", "in.txt", "--op", "read", "-o", path),
        ("trace", "scale", "in.txt", "--rate-scale", "2", "-o", path),
        ("trace", "mix", "in.txt", "in.txt", "-o", path),
        ("trace", "info", "in.txt", "--json", path),
    ]
    reports = [
        ("report", "fio", "report.json", "-o", report),
        ("report", "sheet", "report.json", "-o", report),
    ]
    chosen = draw.choice([*words, *reports])
    return chosen, report_links if chosen in reports else links


def _cannot_be(draw: Random) -> tuple[tuple[str, ...], tuple[Link, ...]]:
    out, place = draw.choice(_OUTPUTS), draw.choice(_IMPOSSIBLE)
    links = (Link("symlink", "dangling", "nowhere/there"), Link("symlink", "loop", "loop"))
    is_bare = place in ("", ".", "dangling", "loop")
    path = place if is_bare else place + _SUFFIXES.get(out, "")
    return (*_RUN, "--interval", "3", "--workload", "random-read", out, path), links
