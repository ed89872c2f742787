"""Keywords of the Python interface with values of hostile types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..case import Case

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_KEYWORDS = (
    *("drive", "fabric", "sets", "trace", "format", "columns", "event", "skip_bad", "devices"),
    *("trace_resample", "trace_block", "trace_seed", "fold", "most_folded_pct", "workload"),
    *("source", "closed_loop", "rate_scale", "requests", "seed", "warmup", "warmup_us", "until"),
    *("audit", "load_state", "host_scheduler", "interval", "slowest", "distributions", "causes"),
    *("request_table", "save_state", "trace_events", "trace_events_window", "alone", "log"),
)
_VALUES = (
    *("None", "True", "False", "0", "-1", "1.5", "float('nan')", "float('inf')", "2**64", "-2**63"),
    *("10**400", "''", "'\\ud800'", "'a\\0b'", "'x' * 100_000", "b'bytes'", "[]", "{}", "()"),
    *(
        "object()",
        "[1]",
        "['=']",
        "{'a': 1}",
        "lambda: 1",
        "lambda: iter(())",
        "print",
        "int",
        "1j",
    ),
    *("Path('.')", "Path('\\0')", "[None]", "range(3)", "'random-read'", "['a'] * 100_000"),
    *("lambda: [venice.Request('read', -512, 512)]", "[venice.Request('read', 0, 2**70)]"),
    *("lambda: (1 / 0 for _ in range(3))", "recursive", "deep"),
)
_RUN = """import venice
from pathlib import Path
recursive = []
recursive.append(recursive)
deep = []
for _ in range(100_000):
    deep = [deep]
try:
    venice.{call}
except (TypeError, ValueError, ZeroDivisionError) as error:
    text = str(error)
    assert "RequestOptions" not in text and "surrogates not allowed" not in text, text
    assert len(text) < 1000, len(text)
except MemoryError:
    raise AssertionError("memory") from None
"""
_USUAL = {"workload": "'random-read'", "requests": "20", "sets": "['array.rows=2', 'array.cols=2']"}
_CALLS = ("run(", "run(", "compare(fabrics='bus,ideal', ", "resolve(")


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a call with one or two hostile keywords."""
    call = draw.choice(_CALLS)
    values = {} if call == "resolve(" else dict(_USUAL)
    for _ in range(draw.randint(1, 2)):
        values[draw.choice(_KEYWORDS)] = draw.choice(_VALUES)
    words = ", ".join(f"{name}={value}" for name, value in values.items())
    outputs = ("random-read",)  # a path, too
    return Case(script=_RUN.format(call=f"{call}{words})"), outputs=outputs)
