"""SQL on tables and stores: statements that are no query, damaged tables, hostile conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..case import Case
from ..damage import damage_text
from ..values import number, text

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_TABLE = b'a,b,c\n1,x,2024-01-01\n2,y,2024-01-02\n-3,,\n4,"q""q",2024-02-30\n'
_NO_QUERIES = (
    "SET integer_division=true; SELECT 1",
    "SET threads=1",
    "CREATE MACRO lower(x) AS 'y'",
    "CREATE TABLE t AS SELECT 1",
    "COPY (SELECT 1) TO 'stolen.csv'",
    "ATTACH 'stolen.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA database_list",
    "DROP TABLE t",
    "INSERT INTO t VALUES (1)",
    "EXPORT DATABASE 'stolen'",
    "SELECT 1; SELECT 2",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/*')",
    "VACUUM",
    "BEGIN",
    "",
    ";",
)
_CONDITIONS = (
    "a = {0}",
    "b LIKE '{0}'",
    "b = '{0}'",
    "a IN ({0}, 1)",
    "c > DATE '{0}'",
    "CAST(a AS VARCHAR) = '{0}'",
    "a BETWEEN {0} AND {0}",
    "{0}",
    "a > 1 AND (" * 400 + "true" + ")" * 400,
    "a > 1 OR " * 3000 + "true",
    "a = (SELECT max(a) FROM t)",
    "a = 1 --",
    "a = 1 /*",
    "regexp_matches(b, '(a+)+$')",
    "unknown = 1",
)


def draw(draw: Random, material: Material) -> Case:
    """Draw a query, a condition or a table."""
    kind = draw.random()
    if kind < 0.25:
        return Case(
            ("sql", "in.csv", "--query", draw.choice(_NO_QUERIES)),
            {"in.csv": _TABLE},
            must_fail=True,
        )
    if kind < 0.4:
        words = ("sweep", "sql", draw.choice(_NO_QUERIES), "kept")
        return Case(
            words, {"kept/results.sqlite": material.store}, must_fail=True, stores=("kept",)
        )
    if kind < 0.6:
        return Case(("sql", "in.csv", "--where", "a > 1"), {"in.csv": damage_text(draw, _TABLE)})
    value = draw.choice([number, text])(draw)
    option = draw.choice(["--where", "--where", "--select"])
    condition = draw.choice(_CONDITIONS).replace("{0}", value)
    return Case(("sql", "in.csv", option, condition), {"in.csv": _TABLE})
