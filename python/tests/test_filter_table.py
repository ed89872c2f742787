"""Filtering a table in the drive selects the same rows as pyarrow."""

from __future__ import annotations

import random
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from venice import UsageError
from venice.pif import filter_table

if TYPE_CHECKING:
    from collections.abc import Sequence

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

OLD = ["pif.pe_cycles=2000", "pif.retention_days=365"]
ROWS = 20_000
MODES = ["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"]
INSTRUCTIONS = ["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"]


@pytest.fixture(scope="module")
def lineitem() -> Any:  # noqa: ANN401 pyarrow has no types
    """Return a table with columns and values like those of TPC-H's lineitem."""
    draw = random.Random(1)  # noqa: S311 nothing is secret
    first = date(1992, 1, 1)
    columns: dict[str, Any] = {
        "l_orderkey": pa.array(range(ROWS), pa.int64()),
        "l_quantity": pa.array([Decimal(draw.randint(1, 50)) for _ in range(ROWS)]),
        "l_extendedprice": pa.array([draw.uniform(900, 105_000) for _ in range(ROWS)]),
        "l_discount": pa.array([draw.randint(0, 10) / 100 for _ in range(ROWS)]),
        "l_returnflag": pa.array([draw.choice("RAN") for _ in range(ROWS)]),
        "l_shipdate": pa.array([first + timedelta(draw.randint(0, 2500)) for _ in range(ROWS)]),
        "l_shipinstruct": pa.array([draw.choice(INSTRUCTIONS) for _ in range(ROWS)]),
        "l_shipmode": pa.array([draw.choice([*MODES, None]) for _ in range(ROWS)]),
        "l_comment": pa.array(
            [draw.choice(["a|AIR|b", "back\\slash", "two\nlines", "", "\\N"]) for _ in range(ROWS)]
        ),
    }
    return pa.table(columns)


FILTERS: list[list[tuple[str, str, Any]]] = [
    [("l_shipmode", "==", "AIR")],
    [("l_shipmode", "in", ["AIR", "REG AIR"]), ("l_quantity", "<", Decimal(11))],
    [
        ("l_shipmode", "in", ["MAIL", "SHIP"]),
        ("l_shipinstruct", "==", "DELIVER IN PERSON"),
        ("l_shipdate", ">=", date(1994, 1, 1)),
        ("l_shipdate", "<", date(1995, 1, 1)),
        ("l_discount", "<=", 0.05),
    ],
    [("l_returnflag", "==", "R"), ("l_comment", "!=", "two\nlines")],
    [("l_comment", "==", "a|AIR|b"), ("l_shipmode", "==", "AIR")],
    [
        ("l_comment", "in", ["back\\slash", "", "two\nlines", "\\N"]),
        ("l_quantity", "==", Decimal(7)),
    ],
    [("l_shipmode", "==", "NO SUCH MODE")],
]


@pytest.mark.parametrize("filters", FILTERS, ids=lambda filters: filters[0][0])
@pytest.mark.parametrize("wear", [[], OLD], ids=["young", "old"])
def test_the_rows_are_those_of_pyarrow(
    filters: list[tuple[str, str, Any]],
    wear: Sequence[str],
    lineitem: Any,  # noqa: ANN401
) -> None:
    found = filter_table(lineitem, filters, sets=wear)
    expected = lineitem.filter(pq.filters_to_expression(filters))
    assert found.table.equals(expected)
    assert found.unreadable == ()
    assert found.candidates >= expected.num_rows


def test_what_does_not_match_stays_in_the_chips(lineitem: Any) -> None:  # noqa: ANN401
    filters = [("l_shipmode", "==", "NO SUCH MODE"), ("l_quantity", "<", Decimal(30))]
    report = filter_table(lineitem, filters).report
    assert report.matched_pages == 0
    # Only the column of shipping modes is searched; no other column is read.
    assert report.pif.fabric_bytes == (4 + 5120) * report.pages
    assert report.pif.host_link_bytes == 0 < report.host.host_link_bytes


def test_files_are_read_by_their_suffix(lineitem: Any, tmp_path: Path) -> None:  # noqa: ANN401
    import pyarrow.csv as pv  # noqa: PLC0415

    part = lineitem.slice(0, 2000).drop_columns(["l_comment", "l_quantity"])
    pq.write_table(part, tmp_path / "t.parquet")
    pv.write_csv(part, tmp_path / "t.csv")
    filters = [("l_shipmode", "==", "RAIL"), ("l_discount", ">", 0.02)]
    expected = part.filter(pq.filters_to_expression(filters))
    assert filter_table(tmp_path / "t.parquet", filters).table.equals(expected)
    of_csv = filter_table(tmp_path / "t.csv", filters).table
    assert of_csv.column("l_orderkey") == expected.column("l_orderkey")


def test_tables_of_any_layout_are_stored(lineitem: Any) -> None:  # noqa: ANN401
    filters = [("l_shipmode", "==", "RAIL")]
    part = lineitem.slice(0, 500)
    expected = part.filter(pq.filters_to_expression(filters))
    modes = part.schema.get_field_index("l_shipmode")
    for kind in (pa.string(), pa.large_string(), pa.string_view(), None):
        texts = part["l_shipmode"]
        texts = texts.dictionary_encode() if kind is None else texts.cast(kind)
        found = filter_table(part.set_column(modes, "l_shipmode", texts), filters).table
        assert found.cast(expected.schema).equals(expected)
    assert filter_table(lineitem.slice(0, 0), filters).table.num_rows == 0


def test_what_the_chips_cannot_help_with_is_read(lineitem: Any) -> None:  # noqa: ANN401
    for filters in (
        [("l_quantity", "<", Decimal(3))],
        [("l_shipmode", "in", [str(i) for i in range(9)])],
        [("l_shipmode", "not in", ["AIR"])],
    ):
        expected = lineitem.filter(pq.filters_to_expression(filters))
        assert filter_table(lineitem, filters).table.equals(expected)


@pytest.mark.parametrize(
    ("filters", "text"),
    [
        ([("l_shipmode", "==", "AIR"), ("l_quantity", "<", "x")], "cannot be evaluated"),
        ([("l_mode", "==", "AIR")], "there is no column `l_mode`"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(
    filters: list[tuple[str, str, Any]],
    text: str,
    lineitem: Any,  # noqa: ANN401
) -> None:
    with pytest.raises(UsageError, match=text):
        filter_table(lineitem, filters)
    with pytest.raises(UsageError, match="there is no such file"):
        filter_table(Path("missing.csv"), [])
