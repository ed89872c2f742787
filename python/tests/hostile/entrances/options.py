"""Options of every command with hostile values, also bytes that are not UTF-8."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..case import Case
from ..material import SMALL, lines
from ..values import argument, few

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_OF_RUNS = (
    *("--drive", "--fabric", "--set", "--workload", "--closed-loop", "--rate-scale", "--requests"),
    *("--seed", "--percentiles", "--warmup", "--warmup-us", "--until", "--interval", "--slowest"),
    *("--load-state", "--most-folded-pct", "--request-columns", "--trace-events-window"),
)
_OF_TRACES = (
    "--format",
    "--columns",
    "--event",
    "--skip-bad",
    "--devices",
    "--trace-resample",
    "--trace-block",
    "--trace-seed",
)
_BY_WORKLOAD = (
    "run",
    *SMALL,
    "--workload",
    "mixed-70-30",
    "--requests",
    "40",
    "--json",
    "out.json",
)
_BY_TRACE = ("run", *SMALL, "--fold", "--trace", "in.txt", "--json", "out.json")
_COMMANDS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (_BY_WORKLOAD, _OF_RUNS),
    (_BY_WORKLOAD, _OF_RUNS),
    (_BY_TRACE, (*_OF_RUNS, *_OF_TRACES)),
    (
        ("compare", *SMALL, "--workload", "random-read", "--requests", "20", "--json", "out.json"),
        (*_OF_RUNS[:8], "--fabrics", "--schemes", "--vary", "--seeds", "--confidence", "--workers"),
    ),
    (
        ("trace", "filter", "in.txt", "-o", "out.txt"),
        ("--to", "--from-us", "--until-us", "--queue", "--min-bytes", "--from-sector", "--op"),
    ),
    (
        ("trace", "scale", "in.txt", "-o", "out.txt"),
        ("--to", "--rate-scale", "--mean-gap-us", "--from-us", "--drive", "--set"),
    ),
    (("trace", "head", "in.txt"), ("-n", "--to", "--format")),
    (("trace", "info", "in.txt", "--json", "out.json"), (*_OF_TRACES[:5], "--drive", "--set")),
    (("config", "show"), ("--drive", "--fabric", "--set", "--seed")),
    (("grep", "x", "in.txt"), ("--set", "--fabric", "--drive", "-m", "-A", "--seed")),
    (("sql", "in.csv", "--where", "a > 1"), ("--select", "--set", "--fabric", "--drive", "--seed")),
)
_NAMED = (
    ("config", "explain"),
    ("report", "explain"),
    ("completion",),
    ("reproduce",),
    ("list",),
    ("nosuch",),
    ("sweep", "status"),
    ("sweep",),
    ("trace",),
)


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a command with one to three hostile options, or a hostile argument."""
    files = {"in.txt": lines(40), "in.csv": b"a,b\n1,x\n2,y\n"}
    if draw.random() < 0.15:
        return Case((*draw.choice(_NAMED), argument(draw)), files)
    words, names = draw.choice(_COMMANDS)
    chosen = [word for _ in range(draw.choice([1, 1, 1, 2, 3])) for word in _option(draw, names)]
    layout = "venice grep: " if words[0] == "grep" else "error: "
    return Case((*words, *chosen), files, outputs=("out.json", "out.txt"), layout=layout)


def _option(draw: Random, names: tuple[str, ...]) -> tuple[str | bytes, ...]:
    name, value = draw.choice(names), argument(draw)
    if name in _COUNTS and isinstance(value, str):
        value = few(value)
    if name == "--set" and draw.random() < 0.5:
        value = b"flash.t_read_us=" + (value if isinstance(value, bytes) else value.encode())
    return (name, value)


_COUNTS = ("--requests", "--seeds")
