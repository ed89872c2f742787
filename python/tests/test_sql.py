"""SQL conditions on a table in the drive select the same rows as DuckDB and pyarrow."""

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

from venice.pif import duckdb_conditions, query_table  # noqa: E402
from venice.pif.columns import stored  # noqa: E402
from venice.pif.predicates import candidates  # noqa: E402
from venice.pif.pushdown import Pushdown  # noqa: E402

OLD = ("pif.pe_cycles=2000", "pif.retention_days=365")
RUINED = ("pif.pe_cycles=6000", "pif.retention_days=3650")


@pytest.fixture(scope="session")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with TPC-H's lineitem of 30,000 rows as Parquet and CSV."""
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
    # Predicates of TPC-H's query 19.
    "l_shipmode IN ('AIR', 'REG AIR') AND l_shipinstruct = 'DELIVER IN PERSON' "
    "AND l_quantity BETWEEN 1 AND 11": AIR
    & (column("l_shipinstruct") == "DELIVER IN PERSON")
    & (column("l_quantity") >= Decimal("1.00"))
    & (column("l_quantity") <= Decimal("11.00")),
    # Predicates of TPC-H's query 12.
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


KEY = [("l_orderkey", "ascending"), ("l_linenumber", "ascending")]


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
    # The order of rows differs between releases of DuckDB.
    rows = found.table.sort_by(KEY)
    assert rows.equals(whole.filter(where).to_arrow_table().sort_by(KEY))
    # The schema as DuckDB reads it, since pyarrow cannot compare texts of the file's type.
    expected = whole.to_arrow_table().filter(CONDITIONS[where])
    assert rows.equals(expected.sort_by(KEY))
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
    assert sorted(figures["patterns"]) == ["'COLLECT COD'", "'pinto'"]
    assert figures["rows"] == expected.num_rows > 10
    both = "l_shipinstruct = 'COLLECT COD' AND l_comment LIKE '%pinto%'"
    assert figures["candidates"] == duckdb.sql(f"FROM read_csv('{file}') WHERE {both}").shape[0]


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
    assert "PiF (chips)" in outcome.message
    assert "searched for 'no such words': 0 rows were read" in outcome.message
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
    assert "error: t.csv, column a: the page at offset 0 is unreadable" in outcome.message


def test_rows_are_ruled_out_column_by_column(tpch: Path) -> None:
    where = "l_shipmode = 'AIR' AND (l_quantity < 9 AND 'NONE' = l_shipinstruct) AND l_tax = 0.02"
    found = query_table(tpch / "lineitem.parquet", where)
    whole = duckdb.read_parquet(str(tpch / "lineitem.parquet"))
    assert found.table.equals(whole.filter(where).to_arrow_table())
    equal = "l_shipmode = 'AIR' AND l_shipinstruct = 'NONE' AND l_tax = 0.02"
    assert found.candidates == whole.filter(equal).shape[0]


def test_zone_maps_leave_only_the_pages_that_a_bound_allows(tpch: Path) -> None:
    # The file is sorted by its keys.
    found = query_table(tpch / "lineitem.parquet", "l_orderkey < 100", select="l_orderkey")
    assert found.report.pages == found.report.pages_read == 1
    assert found.table.num_rows == found.table.num_rows > 0


PRICES = (
    "sum(l_quantity) AS q, sum(l_extendedprice) AS p, "
    "sum(l_extendedprice * (1 - l_discount)) AS d, avg(l_discount) AS a, count(*) AS n"
)
OF_TPCH = {
    "Q1": f"SELECT l_returnflag, l_linestatus, {PRICES} FROM lineitem "  # noqa: S608 our own
    "WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL 90 DAY "
    "GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus",
    "Q6": "SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem "
    "WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01' "
    "AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24",
}


@pytest.mark.parametrize("query", OF_TPCH.values(), ids=OF_TPCH)
def test_queries_of_tpch_on_one_table_are_answered(query: str, tpch: Path) -> None:
    found = query_table(tpch / "lineitem.parquet", query=query)
    lineitem = duckdb.read_parquet(str(tpch / "lineitem.parquet"))
    expected = lineitem.query("lineitem", query).to_arrow_table()
    assert found.table.to_pylist() == expected.to_pylist()


def test_what_a_comparison_denies_is_not_searched_for(tpch: Path) -> None:
    # Predicate of query 13, and others whose results lack rows if NOT LIKE is evaluated as LIKE.
    for where in (
        "l_comment NOT LIKE '%special%requests%'",
        "l_shipmode = 'AIR' AND l_comment NOT LIKE '%express%'",
        "l_comment !~~ '%express%' AND l_shipmode NOT IN ('MAIL')",
        "l_comment NOT ILIKE '%EXPRESS%'",
        "l_shipmode IS DISTINCT FROM 'AIR'",
        "NOT l_comment LIKE '%express%'",
    ):
        found = query_table(tpch / "lineitem.parquet", where, select="count(*) AS n")
        whole = duckdb.read_parquet(str(tpch / "lineitem.parquet"))
        assert found.table.to_pylist() == [{"n": whole.filter(where).shape[0]}], where


def test_parts_of_a_text_are_searched_for_together() -> None:
    rows = ["special", "requests"] * 2000 + ["special requests"] + ["neither"] * 4000
    table = pa.table({"a": rows})
    found = query_table(table, "a LIKE '%special%requests%'")
    assert found.table.to_pylist() == [{"a": "special requests"}]
    assert found.patterns == (b"special", b"requests")
    # The later pages contain neither value.
    assert found.report.matched_pages < found.report.pages


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
        (("a = = 'x'",), "cannot be evaluated: Parser Error"),
        (("a = 'x",), "cannot be evaluated: Parser Error"),
        (("",), "cannot be evaluated"),
        (("a = 'x'; DROP TABLE t",), "cannot be evaluated: Parser Error"),
        (("a = 'x' ORDER BY n",), "cannot be evaluated: Parser Error"),
        (("c = 'x'",), "cannot be evaluated: Binder Error"),
        (("sum(n) = 3 AND a = 'x'",), "cannot be evaluated"),
        (("a = 'x'", "--query", "SELECT 1"), "`--query` cannot be combined with"),
        (("a = 'x'", "--select", "n FROM u"), "cannot be evaluated: Parser Error"),
        (("a = 'x'", "--select", "n +"), "cannot be evaluated: Parser Error"),
        (("a = 'x'", "--select", "m"), "cannot be evaluated: Binder Error"),
        (("a = 'x'", "--select", "[n] AS l"), "cannot be written as CSV"),
        (("a = 'x'", "--drive", "samsung-980-pro-1tb"), "a page has 4096 bytes"),
        (("a = 'x'", "--json", "no/such/folder.json"), "no/such/folder.json"),
    ],
    ids=lambda value: value[-1] if isinstance(value, tuple) else "",
)
def test_unsupported_queries_are_refused(
    arguments: tuple[str, ...], text: str, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("a,n\nx,1\ny,2\n")
    outcome = venice("sql", "t.csv", "--where", *arguments)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert text in outcome.message


def test_tables_that_cannot_be_stored_are_refused(venice: Callable[..., Outcome]) -> None:
    outcome = venice("sql", "missing.parquet", "--where", "a = 'x'")
    assert outcome.code == 2
    assert "missing.parquet: there is no such file" in outcome.message
    assert venice("sql", "missing.parquet").code == 2


def test_columns_of_any_type_are_stored() -> None:
    table = pa.table(
        {
            "l": [[1], None, [2, 3]],
            "s": [{"x": 1}, {"x": 2}, None],
            "b": [b"\xff", b"", None],
            "f": [0.5, float("nan"), None],
            "t": ["x" * 20_000, "y", None],
            "n": [1, 2, 3],
        }
    )
    for where in ("len(l) = 1", "s.x = 2", "f = 0.5", "t = 'y'", "t LIKE 'x%'", "n > 1", "true"):
        found = query_table(table, where).table
        with duckdb.connect() as connection:
            connection.register("t", table)
            expected = connection.table("t").filter(where).to_arrow_table()
        assert str(found.to_pylist()) == str(expected.to_pylist()), where


@pytest.mark.parametrize("library", ["duckdb", "pyarrow", "sqlglot"])
def test_what_is_not_installed_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=rf"need {library}, .* 'venice-ssd\[sql\]'"):
        query_table("t.csv", "a = 'x'")


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


TEXTS = st.text("ab|\\\nN%_'é", max_size=4)
WORDS = st.sampled_from(["=", "=", "<>", "<", ">=", "IS DISTINCT FROM", "=="])
LIKES = st.sampled_from(["LIKE", "NOT LIKE", "~~", "!~~", "ILIKE", "NOT ILIKE"])
MEMBERS = st.sampled_from(["IN", "NOT IN"])
RANGES = st.sampled_from(["BETWEEN", "NOT BETWEEN"])
NUMBERS = st.sampled_from(["0", "3", "-1", "12", "3.0", "2.5", "NULL", "'4'", "(1 + 2)"])
DECIMALS = st.sampled_from(["1", "1.5", "1.50", "10", "1.555", "-1.00", "2 - 0.5", "NULL"])
DATES = st.sampled_from(
    ["DATE '1994-01-05'", "'1994-01-07'", "DATE '1994-01-09' - INTERVAL 2 DAY",
     "TIMESTAMP '1994-01-05 12:00:00'"]
)  # fmt: skip
PIECES = st.one_of(
    st.builds("a {} {}".format, WORDS, TEXTS.map(quoted)),
    st.builds("{} = b".format, TEXTS.map(quoted)),
    st.builds("a {} {}".format, LIKES, TEXTS.map(quoted)),
    st.builds("n {} {}".format, WORDS, NUMBERS),
    st.builds("n {} {} AND {}".format, RANGES, NUMBERS, NUMBERS),
    st.builds("d {} {}".format, WORDS, DECIMALS),
    st.builds("d {} {} AND {}".format, RANGES, DECIMALS, DECIMALS),
    st.builds("t {} {}".format, WORDS, DATES),
    st.sampled_from(["a IS NULL", "n IS NOT NULL", "length(b) > 1", "a = b", "NOT n = 3"]),
    st.builds(
        "b {} ({})".format,
        MEMBERS,
        st.lists(TEXTS, min_size=1).map(lambda some: ", ".join(map(quoted, some))),
    ),
)
WHERES = st.recursive(
    PIECES,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("(NOT {})".format, inner),
        st.builds("({}) IS NOT TRUE".format, inner),
    ),
    max_leaves=6,
)
TABLES = st.lists(
    st.tuples(
        st.none() | TEXTS,
        st.none() | TEXTS,
        st.none() | st.integers(-1, 12),
        st.none() | st.sampled_from([Decimal("1.00"), Decimal("1.50"), Decimal("-1.00")]),
        st.none() | st.dates(date(1994, 1, 1), date(1994, 1, 10)),
    ),
    min_size=1,
    max_size=12,
)
SCHEMA = pa.schema(
    {
        "a": pa.string(),
        "b": pa.string(),
        "n": pa.int32(),
        "d": pa.decimal128(9, 2),
        "t": pa.date32(),
    }
)


@settings(deadline=None, max_examples=100)
@given(where=WHERES, rows=TABLES)
def test_random_conditions_give_the_rows_of_duckdb(where: str, rows: list[tuple[Any, ...]]) -> None:
    columns = [list(values) for values in zip(*rows, strict=True)]
    table = pa.table(columns, schema=SCHEMA)
    try:
        expected = duckdb_conditions.answer(f"FROM rows WHERE {where}", "rows", table)
    except duckdb.Error:
        return
    assert expected is not None
    assert query_table(table, where).table.equals(expected)
    # Zone maps do not exclude any row that satisfies the condition.
    condition: Any = sqlglot.parse_one(where, into=exp.Condition, dialect="duckdb")
    stored_columns = [
        stored(field, values) for field, values in zip(SCHEMA, table.columns, strict=True)
    ]
    left = [
        candidates(conjunct.node, stored_columns, table.num_rows)
        for conjunct in Pushdown(SCHEMA, ("t",)).conjuncts(condition)
    ]
    assert sum(all(row) for row in zip(*left, strict=True)) >= expected.num_rows


_CHANGES = (
    "SET integer_division=true",
    "SET VARIABLE v = 1",
    "CREATE MACRO lower(x) AS 'y'",
    "CREATE TABLE t2 AS SELECT 1",
    "CREATE TEMP VIEW v AS SELECT 1",
    "CREATE SEQUENCE s",
    "PREPARE p AS SELECT 1",
    "PRAGMA enable_profiling",
    "CALL pragma_version()",
    "BEGIN",
    "ATTACH ':memory:' AS other",
    "USE memory",
    "INSERT INTO t VALUES (1)",
    "DROP VIEW t",
    "EXPLAIN SELECT 1",
)


@pytest.mark.parametrize("change", _CHANGES)
def test_a_query_is_one_select_and_changes_nothing(change: str) -> None:
    table = pa.table({"a": [7], "b": ["Y"]})
    requested = 'SELECT a / 2 AS half, lower(b) AS b FROM "table"'
    for query in (change, f"{change}; {requested}", f"{requested}; {change}", ""):
        with pytest.raises(UsageError, match=r"expected: one SELECT statement|cannot be evaluated"):
            query_table(table, query=query)
    assert query_table(table, query=requested).table.to_pylist() == [{"half": 3.5, "b": "y"}]
    for part in (f"1; {change}", f"1) ; {change} --"):
        with pytest.raises(UsageError):
            query_table(table, part)


def test_no_query_sees_the_state_of_another() -> None:
    table = pa.table({"a": list(range(100))})
    requested = 'SELECT random() AS r FROM "table" LIMIT 1'
    seeded = 'SELECT setseed(0.5), random() AS r FROM "table" LIMIT 1'
    query_table(table, query=seeded)
    first = query_table(table, query=requested).table
    query_table(table, query=seeded)
    assert query_table(table, query=requested).table != first


def test_settings_are_locked_and_variables_of_python_unseen() -> None:
    table = pa.table({"a": [1]})
    hidden = pa.table({"b": [2]})
    with pytest.raises(UsageError):
        query_table(table, query="SELECT * FROM hidden")
    assert len(hidden) == 1
    with pytest.raises(UsageError):
        query_table(table, query="SELECT * FROM read_csv('/etc/hostname')")
