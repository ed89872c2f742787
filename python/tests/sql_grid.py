"""Conditions on one table in the drive against DuckDB, whole results: mixed ones and random ones.

As a program, ``python -m python.tests.sql_grid [--random N] [--seed S]`` says how many answers are
DuckDB's, with the releases of DuckDB and sqlglot, and ends with 1 if one is not, or if something
was refused that DuckDB answers. ``make sql-grid`` runs it with the newest libraries and the lowest.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
from hypothesis import HealthCheck, Phase, given, seed, settings

from venice import VeniceError
from venice.pif import duckdb_conditions, query_table

from . import test_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROWS = 3000
STATES: tuple[tuple[str, ...], ...] = ((), ("pif.pe_cycles=2000", "pif.retention_days=182.5"))
"""A new drive, and one in which a sixth of the pages cannot be decoded in the chip.
"""
WORDS = (
    "", "a", "ab", "a|b", "back\\slash", "new\nline", "é", "日本", "%", "_", "N", "null", "special",
    "requests", "special x requests", "it's",
)  # fmt: skip
CONDITIONS = (
    "s = 'a'",
    "s <> 'a'",
    "s LIKE '%special%requests%'",
    "s NOT LIKE '%special%requests%'",
    "NOT s LIKE '%a%'",
    "NOT (s NOT LIKE 'a%')",
    "s ILIKE 'A%'",
    "s NOT ILIKE '%B'",
    "s LIKE 'a_b'",
    "s LIKE '%\\%%' ESCAPE '\\'",
    "s IN ('a','é')",
    "s NOT IN ('a','')",
    "s IS NULL",
    "s IS NOT NULL",
    "s = ''",
    "s > 'a'",
    "s <= 'b'",
    "s BETWEEN 'a' AND 'n'",
    "s NOT BETWEEN 'a' AND 'n'",
    "s LIKE ''",
    "s LIKE '%'",
    "s NOT LIKE '%'",
    "s ~~ 'a%'",
    "s !~~ 'a%'",
    "s SIMILAR TO 'a.*'",
    "regexp_matches(s,'^a')",
    "starts_with(s,'a')",
    "contains(s,'spec')",
    "length(s) > 3",
    "upper(s) = 'AB'",
    "s || 'x' = 'ax'",
    "s IS DISTINCT FROM 'a'",
    "s IS NOT DISTINCT FROM NULL",
    "coalesce(s,'z') = 'z'",
    "k = 17",
    "k = -1",
    "k < 10",
    "k <= 10",
    "k > 2990",
    "k BETWEEN 100 AND 200",
    "k NOT BETWEEN 5 AND 2995",
    "k IN (1,2,3000)",
    "k NOT IN (1,2)",
    "k % 7 = 3",
    "k = 2.0",
    "k = 2.5",
    "k = '12'",
    "i = -3",
    "i < -2",
    "i IS NULL",
    "i = NULL",
    "i IS NOT TRUE",
    "NOT i = 3",
    "NOT (i = 3 OR i IS NULL)",
    "i + 1 = 4",
    "abs(i) = 5",
    "-i = 3",
    "i = k",
    "i < k",
    "i BETWEEN k AND 40",
    "u = 255",
    "u > 250",
    "u BETWEEN 0 AND 3",
    "u = -1",
    "u IN (1,NULL)",
    "u NOT IN (1,NULL)",
    "d = 1.5",
    "d = 1.50",
    "d = -1.00",
    "d < -4.9",
    "d BETWEEN 0.05 AND 0.07",
    "d BETWEEN 0.06 - 0.01 AND 0.06 + 0.01",
    "d > 4.995",
    "d = 1.555",
    "d IS NULL OR d > 4",
    "d = i",
    "f = 2.25",
    "f = 'nan'",
    "f > 2",
    "f = 0",
    "f = -0.0",
    "f IS NULL",
    "isnan(f)",
    "NOT f < 2",
    "f BETWEEN -2 AND 3",
    "t = DATE '1994-03-01'",
    "t >= DATE '1994-12-01'",
    "t < '1994-01-05'",
    "t BETWEEN DATE '1994-02-01' AND DATE '1994-02-10'",
    "t >= DATE '1994-01-01' + INTERVAL 11 MONTH",
    "year(t) = 1995",
    "t = TIMESTAMP '1994-03-01 00:00:00'",
    "t <> DATE '1994-03-01'",
    "t IN (DATE '1994-03-01', NULL)",
    "ts < TIMESTAMP '1994-01-03 12:00:00'",
    "ts BETWEEN '1994-05-01' AND '1994-05-02'",
    "ts = '1994-01-01 05:00:00'",
    "ts::DATE = DATE '1994-06-01'",
    "date_trunc('month', ts) = DATE '1994-06-01'",
    "g = 'AIR'",
    "g <> 'AIR'",
    "g IN ('AIR','RAIL')",
    "g LIKE '%A%'",
    "g NOT LIKE 'A%'",
    "g IS NULL",
    "b",
    "NOT b",
    "b IS TRUE",
    "b IS NOT FALSE",
    "b = true",
    "b AND i > 3",
    "b OR k < 5",
    "s = 'a' AND i = 3",
    "s = 'a' OR i = 3",
    "(s = 'a' OR s = 'ab') AND (g = 'AIR' OR d < 0)",
    "NOT (s = 'a' AND i = 3)",
    "CASE WHEN i > 3 THEN b ELSE NULL END",
    "i IN (1,2,3,4,5,6,7,8,9,10)",
    "s LIKE 'a%' AND s LIKE '%b'",
    "s = 'a' AND s <> 'a'",
    "s = 'new\nline'",
    "s = 'back\\slash'",
    "s LIKE '%|b%'",
    "s = '日本'",
    "k = (1+2)*4",
    "1 = 1",
    "1 = 0",
    "NULL",
    "k < 5 IS NULL",
    "(k < 5) = (i < 5)",
)
"""Comparison, negation, NULL, ranges and membership in all spellings of SQL, for every type."""


def mixed_table() -> Any:  # noqa: ANN401 pyarrow has no types
    """Return a table of ten types, with NULLs, escapes, negative decimals and not-a-number."""
    draw = random.Random(7)  # noqa: S311 no secret

    def some(value: Callable[[], Any]) -> list[Any]:
        return [None if draw.random() < 0.1 else value() for _ in range(ROWS)]

    first, midnight = date(1994, 1, 1), datetime(1994, 1, 1)
    numbers = (0.0, -1.5, 2.25, float("nan"), float("inf"), -0.0, 1e10)
    return pa.table(
        {
            "s": pa.array(some(lambda: draw.choice(WORDS))),
            "k": pa.array(range(ROWS), pa.int64()),
            "i": pa.array(some(lambda: draw.randint(-5, 50)), pa.int32()),
            "u": pa.array(some(lambda: draw.randint(0, 255)), pa.uint8()),
            "d": pa.array(
                some(lambda: Decimal(draw.randint(-500, 500)) / 100), pa.decimal128(9, 2)
            ),
            "f": pa.array(some(lambda: draw.choice(numbers)), pa.float64()),
            "t": pa.array(some(lambda: first + timedelta(draw.randint(0, 400))), pa.date32()),
            "ts": pa.array(
                some(lambda: midnight + timedelta(hours=draw.randint(0, 9000))), pa.timestamp("us")
            ),
            "g": pa.array(some(lambda: draw.choice(["AIR", "RAIL", "SHIP"]))).dictionary_encode(),
            "b": pa.array(some(lambda: draw.random() < 0.5)),
        }
    )


class Comparison:
    """Numbers of compared answers, by outcome."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.wrong: list[tuple[str, str]] = []

    def of(self, table: Any, where: str, sets: Sequence[str] = ()) -> None:  # noqa: ANN401
        """Compare the answer to one condition."""
        try:
            expected: Any = duckdb_conditions.answer(f"FROM rows WHERE {where}", "rows", table)
        except duckdb.Error:
            self.counts["DuckDB refuses"] += 1
            return
        try:
            found = query_table(table, where, sets=sets).table
        except VeniceError as error:
            self._note("refused", where, str(error))
            return
        # Not-a-number is not equal to itself, but to its text.
        if found.equals(expected) or str(found.to_pylist()) == str(expected.to_pylist()):
            self.counts["equal"] += 1
        else:
            self._note("different", where, f"{found.num_rows} rows, {expected.num_rows} expected")

    def _note(self, verdict: str, where: str, why: str) -> None:
        self.counts[verdict] += 1
        self.wrong.append((where, why))


def compare_mixed() -> Comparison:
    """Compare the answers to every condition in both states."""
    comparison, table = Comparison(), mixed_table()
    for sets in STATES:
        for where in CONDITIONS:
            comparison.of(table, where, sets)
    return comparison


def compare_random(conditions: int, first: int) -> Comparison:
    """Compare the answers to random conditions on random tables."""
    comparison = Comparison()

    @seed(first)
    @settings(
        deadline=None,
        max_examples=conditions,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(where=test_sql.WHERES, rows=test_sql.TABLES)
    def compare(where: str, rows: list[tuple[Any, ...]]) -> None:
        columns = [list(values) for values in zip(*rows, strict=True)]
        comparison.of(pa.table(columns, schema=test_sql.SCHEMA), where)

    compare()
    return comparison


def main() -> None:
    """Compare all answers and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=5000, help="random conditions")
    parser.add_argument("--seed", type=int, default=1, help="of them")
    chosen = parser.parse_args()
    releases = (f"{name} {version(name)}" for name in ("duckdb", "sqlglot", "pyarrow"))
    print(", ".join(releases))  # noqa: T201
    mixed, drawn = compare_mixed(), compare_random(chosen.random, chosen.seed)
    for name, comparison in (("mixed", mixed), ("random", drawn)):
        print(f"{name}: {dict(comparison.counts)}")  # noqa: T201
        for where, why in comparison.wrong[:10]:
            print(f"  {where!r}: {why}")  # noqa: T201
    if mixed.wrong or drawn.wrong:
        sys.exit("error: answers differ from those of DuckDB")


if __name__ == "__main__":
    main()
