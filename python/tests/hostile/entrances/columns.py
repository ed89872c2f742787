"""Parquet and data-frame traces: types, nulls and contradictions of columns, damaged files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..case import Case
from ..damage import damage_bytes
from ..material import SMALL
from ..values import text

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_COMMANDS = (
    ("run", *SMALL, "--fold", "--json", "out.json", "--trace", "in.parquet"),
    ("trace", "info", "in.parquet", "--json", "out.json"),
    ("trace", "convert", "in.parquet", "-o", "out.txt", "--to", "mqsim-ascii"),
    ("sql", "in.parquet", "--where", "sectors > 0", "--json", "out.json"),
)
_UNITS = ("ps", "ns", "us", "ms", "s")
_NUMBERS = (
    *(pa.int8(), pa.int32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64()),
    *(pa.string(), pa.binary(), pa.bool_(), pa.timestamp("us"), pa.timestamp("ns", "UTC")),
    *(pa.duration("ms"), pa.decimal128(20, 3), pa.list_(pa.int64()), pa.null(), pa.date32()),
)
_ROWS = 20


def draw(draw: Random, material: Material) -> Case:
    """Draw a file and a command that reads it."""
    outputs = ("out.json", "out.txt")
    kind = draw.random()
    if kind < 0.3:
        content = damage_bytes(
            draw, draw.choice([material.parquet, material.traces["parquet.bin"]])
        )
        return Case(draw.choice(_COMMANDS), {"in.parquet": content}, outputs=outputs)
    if kind < 0.4:
        content = written(_contradicting(draw))
        return Case(
            draw.choice(_COMMANDS[:3]), {"in.parquet": content}, outputs=outputs, must_fail=True
        )
    content = written(_columns(draw), compression=draw.choice(["none", "snappy", "zstd", "gzip"]))
    return Case(draw.choice(_COMMANDS), {"in.parquet": content}, outputs=outputs)


def written(columns: dict[str, Any], compression: str = "snappy") -> bytes:
    """Write columns as Parquet."""
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, compression=compression)
    return file.getvalue()


def _usual() -> dict[str, Any]:
    return {
        "arrival_us": pa.array([10 * n for n in range(_ROWS)]),
        "op": pa.array(["read", "write"] * (_ROWS // 2)),
        "start_sector": pa.array([8 * n for n in range(_ROWS)]),
        "sectors": pa.array([8] * _ROWS),
    }


def _contradicting(draw: Random) -> dict[str, Any]:
    """Return two columns of arrival times with the same numbers in different units."""
    unit = draw.choice([unit for unit in _UNITS if unit != "us"])
    return {**_usual(), f"arrival_{unit}": pa.array([10 * n for n in range(_ROWS)])}


def _columns(draw: Random) -> dict[str, Any]:
    columns = _usual()
    for _ in range(draw.randint(1, 3)):
        name = draw.choice([*columns, "queue", "arrival_ms", "device"])
        columns[name] = _column(draw)
    if draw.random() < 0.2:
        columns.pop(draw.choice(sorted(columns)))
    if draw.random() < 0.1:
        columns[text(draw)[:1000]] = columns.popitem()[1]
    return columns


def _column(draw: Random) -> Any:  # noqa: ANN401 pyarrow has no types
    kind = draw.randrange(4)
    if kind == 0:
        return pa.array([None if draw.random() < 0.3 else n for n in range(_ROWS)])
    if kind == 1:
        return pa.array([draw.choice([-1, 0, 2**31, 2**62, 2**63 - 1]) for _ in range(_ROWS)])
    if kind == 2:
        numbers = [float("nan"), float("inf"), -0.0, 1e300, 0.1]
        return pa.array([draw.choice(numbers) for _ in range(_ROWS)])
    return _of_type(draw.choice(_NUMBERS))


def _of_type(kind: Any) -> Any:  # noqa: ANN401 pyarrow has no types
    numbers = pa.array(range(_ROWS), pa.int64())
    try:
        return numbers.cast(kind)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return pa.nulls(_ROWS, kind)
