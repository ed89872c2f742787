"""A condition in SQL on a table in the drive gives the rows that DuckDB and pyarrow give."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from venice import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")
duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

import sqlglot  # noqa: E402 after the skip
from sqlglot import exp  # noqa: E402

from venice.pif import query_table  # noqa: E402
from venice.pif.pushdown import Pushdown  # noqa: E402
from venice.pif.rows import stored  # noqa: E402

OLD = ("pif.pe_cycles=2000", "pif.retention_days=365")
RUINED = ("pif.pe_cycles=6000", "pif.retention_days=3650")


@pytest.fixture(scope="session")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with TPC-H's lineitem of 30,000 rows as Parquet and CSV."""
    generator = shutil.which("tpchgen-cli", path=str(Path(sys.executable).parent))
    if generator is None:
        pytest.skip("tpchgen-cli is not installed")
    folder = tmp_path_factory.mktemp("tpch")
    for form in ("parquet", "csv"):
        where = ["--tables=lineitem", f"--output-dir={folder}"]
        subprocess.run([generator, form, "-s", "0.005", *where], check=True, capture_output=True)
    return folder


def column(name: str) -> Any:  # noqa: ANN401 pyarrow has no types
    return pc.field(name)


AIR = column("l_shipmode").isin(["AIR", "REG AIR"])
DAY = date(1994, 3, 1)
CONDITIONS = {
    "l_shipmode = 'AIR' AND l_quantity < 10": (column("l_shipmode") == "AIR")
    & (column("l_quantity") < Decimal("10.00")),
    # Of TPC-H's query 19.
    "l_shipmode IN ('AIR', 'REG AIR') AND l_shipinstruct = 'DELIVER IN PERSON' "
    "AND l_quantity BETWEEN 1 AND 11": AIR
    & (column("l_shipinstruct") == "DELIVER IN PERSON")
    & (column("l_quantity") >= Decimal("1.00"))
    & (column("l_quantity") <= Decimal("11.00")),
    # Of query 12.
    "l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate "
    "AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1995-01-01'": column(
        "l_shipmode"
    ).isin(["MAIL", "SHIP"])
    & (column("l_commitdate") < column("l_receiptdate"))
    & (column("l_shipdate") < column("l_commitdate"))
    & (column("l_receiptdate") >= date(1994, 1, 1))
    & (column("l_receiptdate") < date(1995, 1, 1)),
    "l_shipdate = DATE '1994-03-01' AND l_discount >= 0.05": (column("l_shipdate") == DAY)
    & (column("l_discount") >= Decimal("0.05")),
    "l_comment LIKE '%express%' AND NOT l_returnflag = 'N'": pc.match_like(
        column("l_comment"), "%express%"
    )
    & (column("l_returnflag") != "N"),
    "(L_ORDERKEY = 7 OR lineitem.l_comment LIKE 'quickly%') AND l_linenumber <> 2": (
        (column("l_orderkey") == 7) | pc.match_like(column("l_comment"), "quickly%")
    )
    & (column("l_linenumber") != 2),
    "l_extendedprice = 24710.35": column("l_extendedprice") == Decimal("24710.35"),
    "l_shipmode = 'NO SUCH MODE' AND l_quantity < 30": column("l_shipmode") == "NO SUCH MODE",
}


@pytest.mark.parametrize(
    ("where", "wear"),
    [*((where, ()) for where in CONDITIONS), *((where, OLD) for where in list(CONDITIONS)[2:5])],
    ids=lambda value: value if isinstance(value, str) else "old" if value else "young",
)
def test_the_rows_are_those_of_duckdb_and_of_pyarrow(
    where: str, wear: tuple[str, ...], tpch: Path
) -> None:
    found = query_table(tpch / "lineitem.parquet", where, sets=wear)
    assert found.unreadable == ()
    whole = duckdb.read_parquet(str(tpch / "lineitem.parquet")).set_alias("lineitem")
    assert found.table.equals(whole.filter(where).to_arrow_table())
    # As DuckDB reads it: pyarrow cannot compare texts of the type that the file names.
    expected = whole.to_arrow_table().filter(CONDITIONS[where])
    assert found.table.equals(expected)
    assert found.candidates >= expected.num_rows


def test_csv_gives_what_duckdb_reads_from_it(
    venice: Callable[..., Outcome], tpch: Path, tmp_path: Path
) -> None:
    file = tpch / "lineitem.csv"
    where = "l_shipinstruct = 'COLLECT COD' AND l_comment LIKE '%pinto%' AND l_tax > 0.03"
    chosen = "l_orderkey, l_extendedprice * (1 - l_discount) AS price, l_shipdate, l_comment"
    outcome = venice("sql", file, "--where", where, "--select", chosen, "--json", "figures.json")
    assert (outcome.code, outcome.stderr) == (0, "")
    query = f"SELECT {chosen} FROM read_csv('{file}') WHERE {where}"  # noqa: S608 our own
    expected = duckdb.sql(query).to_arrow_table()
    written = io.BytesIO()
    pa.csv.write_csv(expected, written)
    assert outcome.stdout.encode() == written.getvalue()
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["patterns"] == ["|COLLECT COD|"]
    assert figures["rows"] == expected.num_rows > 10
    assert (
        figures["candidates"]
        == duckdb.sql(f"FROM read_csv('{file}') WHERE l_shipinstruct = 'COLLECT COD'").shape[0]
    )


def test_sums_are_of_the_rows_that_satisfy_the_condition(tpch: Path) -> None:
    where, chosen = "l_shipdate IN ('1994-03-01', '1995-06-17')", "sum(l_quantity), count(*)"
    found = query_table(tpch / "lineitem.parquet", where, select=chosen)
    whole = duckdb.read_parquet(str(tpch / "lineitem.parquet"))
    assert (
        found.table.to_pylist()
        == whole.filter(where).aggregate(chosen).to_arrow_table().to_pylist()
    )


def test_the_report_compares_the_places(venice: Callable[..., Outcome], tpch: Path) -> None:
    where = "l_comment LIKE '%no such words%' AND l_quantity < 30"
    outcome = venice(
        *("sql", tpch / "lineitem.parquet", "--where", where, "--report", "--json", "-"),
        *("--select", "l_orderkey"),
    )
    assert outcome.code == 0
    header, figures = outcome.stdout.split("\n", 1)
    assert header == '"l_orderkey"'
    assert "PiF (chips)" in outcome.stderr
    assert "searched for 'no such words': 0 rows with a match" in outcome.stderr
    report = json.loads(figures)
    assert report["matched_pages"] == 0 < report["pages"]
    assert report["pif"]["time_us"] < report["pis"]["time_us"] < report["host"]["time_us"]
    assert report["pif"]["energy_uj"] < report["pis"]["energy_uj"]


def test_unreadable_pages_are_named_and_end_in_1(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "x,1\n" * 5000)
    sets = [part for one in RUINED for part in ("--set", one)]
    outcome = venice("sql", "t.csv", "--where", "a = 'x'", *sets)
    assert (outcome.code, outcome.stdout) == (1, '"a","b"\n')
    assert "error: t.csv: the page at offset 16384 is unreadable" in outcome.stderr


def test_values_of_columns_side_by_side_are_one_pattern(tpch: Path) -> None:
    where = "l_shipmode = 'AIR' AND (l_quantity < 9 AND 'NONE' = l_shipinstruct) AND l_tax = 0.02"
    found = query_table(tpch / "lineitem.parquet", where)
    assert found.patterns == (b"|NONE|AIR|",)
    whole = duckdb.read_parquet(str(tpch / "lineitem.parquet"))
    assert found.table.equals(whole.filter(where).to_arrow_table())
    assert (
        found.candidates == whole.filter("l_shipmode = 'AIR' AND l_shipinstruct = 'NONE'").shape[0]
    )


NULLS = pa.table({"a": ["x", None, "a|x", "x\\", "\n"], "n": [1, None, 10, 1, 2]})


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("a = 'x'", [0]),
        ("a = 'x\\'", [3]),
        ("a LIKE '%x'", [0, 2]),
        ("a LIKE '_|%'", [2]),
        ("a IN ('x', 'a|x') AND n IS NOT NULL", [0, 2]),
        ("n = 1 OR a = '\n'", [0, 3, 4]),
        ("\"table\".a = 'x' AND \"A\" LIKE 'x'", [0]),
        ("a = 'x' AND (n > 5 OR n IS NULL)", []),
    ],
)
def test_values_of_any_kind_are_found(where: str, rows: list[int]) -> None:
    assert query_table(NULLS, where).table.equals(NULLS.take(pa.array(rows, pa.int64())))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("a = = 'x'",), "`a = = 'x'` is not a condition in SQL"),
        (("a = 'x",), "is not a condition in SQL"),
        (("",), "`` is not a condition in SQL"),
        (("a = 'x'; DROP TABLE t",), "is not a condition in SQL"),
        (("a = 'x' ORDER BY n",), "is not a condition in SQL"),
        (("c = 'x'",), "cannot be evaluated: Binder Error"),
        (("sum(n) = 3 AND a = 'x'",), "cannot be evaluated"),
        (("n < 3",), "nothing in `n < 3` can be searched for in the chips"),
        (("a = 'x' OR n < 3",), "can be searched for in the chips"),
        (("a <> 'x'",), "can be searched for in the chips"),
        (("a LIKE '%'",), "can be searched for in the chips"),
        ((" OR ".join(f"a = '{i}'" for i in range(9)),), "one of at most 8 texts"),
        (("a = 'x' AND n > (SELECT avg(n) FROM t)",), "a query within the condition"),
        (("a = 'x'", "--select", "n FROM u"), "`n FROM u` is not a selection"),
        (("a = 'x'", "--select", "(SELECT 1)"), "is not a selection"),
        (("a = 'x'", "--select", "n +"), "is not a selection in SQL"),
        (("a = 'x'", "--select", "m"), "cannot be evaluated: Binder Error"),
        (("a = 'x'", "--select", "[n] AS l"), "cannot be written as CSV"),
        (("a = 'x'", "--drive", "venice-cost"), "a chip of 2 planes"),
        (("a = 'x'", "--json", "no/such/folder.json"), "no/such/folder.json"),
    ],
    ids=lambda value: value[-1] if isinstance(value, tuple) else "",
)
def test_what_cannot_be_asked_is_refused(
    arguments: tuple[str, ...], text: str, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("a,n\nx,1\ny,2\n")
    outcome = venice("sql", "t.csv", "--where", *arguments)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert text in outcome.stderr


def test_tables_that_cannot_be_stored_are_refused(venice: Callable[..., Outcome]) -> None:
    outcome = venice("sql", "missing.parquet", "--where", "a = 'x'")
    assert outcome.code == 2
    assert "missing.parquet: not a table that can be read" in outcome.stderr
    with pytest.raises(UsageError, match="column `l` cannot be stored as text"):
        query_table(pa.table({"l": [[1]]}), "l = 'x'")


@pytest.mark.parametrize("library", ["duckdb", "pyarrow", "sqlglot"])
def test_what_is_not_installed_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=rf"need {library}, .* 'venice-ssd\[sql\]'"):
        query_table("t.csv", "a = 'x'")


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


TEXTS = st.text("ab|\\\nN%_'é", max_size=4)
PIECES = st.one_of(
    st.builds("a = {}".format, TEXTS.map(quoted)),
    st.builds("{} = b".format, TEXTS.map(quoted)),
    st.builds("a LIKE {}".format, TEXTS.map(quoted)),
    st.builds("n = {}".format, st.integers(0, 12)),
    st.builds("n < {}".format, st.integers(0, 12)),
    st.builds("d = {}".format, st.sampled_from(["1", "1.5", "1.50", "10", "1.555"])),
    st.just("a IS NULL"),
    st.builds(
        "b IN ({})".format,
        st.lists(TEXTS, min_size=1).map(lambda some: ", ".join(map(quoted, some))),
    ),
)
WHERES = st.recursive(
    PIECES,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("(NOT {})".format, inner),
    ),
    max_leaves=6,
)
TABLES = st.lists(
    st.tuples(
        st.none() | TEXTS,
        st.none() | TEXTS,
        st.none() | st.integers(0, 12),
        st.none() | st.sampled_from([Decimal("1.00"), Decimal("1.50"), Decimal("10.00")]),
    ),
    min_size=1,
    max_size=12,
)
SCHEMA = pa.schema({"a": pa.string(), "b": pa.string(), "n": pa.int32(), "d": pa.decimal128(9, 2)})


@settings(deadline=None, max_examples=200)
@given(where=WHERES, rows=TABLES)
def test_every_row_that_satisfies_a_condition_holds_what_the_chips_search_for(
    where: str, rows: list[tuple[Any, ...]]
) -> None:
    columns = [list(values) for values in zip(*rows, strict=True)]
    table = pa.table(columns, schema=SCHEMA)
    condition: Any = sqlglot.parse_one(where, into=exp.Condition, dialect="duckdb")
    patterns = Pushdown(SCHEMA, "t").patterns(condition)
    with duckdb.connect() as connection:
        connection.register("t", table)
        expected = connection.sql(f"FROM t WHERE {where}").to_arrow_table()
    for line in stored(expected).splitlines(keepends=True):
        assert not patterns or any(one in line for one in patterns)
