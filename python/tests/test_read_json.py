"""The engine reads JSON as Python does, and lays it out likewise."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import venice
from venice import _native
from venice.report.several import reports_to_json

_PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
_VALUES = st.recursive(
    _PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@settings(deadline=None)
@given(_VALUES, st.sampled_from([None, 1]), st.booleans())
def test_what_python_writes_is_read_as_python_reads_it(
    value: object, indent: int | None, is_ascii: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    found, expected = _native.read_json(text), json.loads(text)
    assert found == expected
    assert repr(found) == repr(expected)


def test_a_report_is_read_in_its_order() -> None:
    text = venice.run(workload="mixed-70-30", requests=500, interval=8).to_text()
    assert repr(_native.read_json(text)) == repr(json.loads(text))


@pytest.mark.parametrize("text", ["", "{", '{"a": 1,}', "[1] 2", "NaN", "'a'"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        _native.read_json(text)


@settings(deadline=None)
@given(_VALUES)
def test_lines_are_laid_out_as_python_lays_them_out(value: object) -> None:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    expected = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    assert _native.indent_json(text) == expected


@pytest.mark.parametrize("text", ["", "{", '{"a": 1,}', "[1] 2", "NaN", "'a'"])
def test_what_is_no_json_is_not_laid_out(text: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        _native.indent_json(text)


def test_several_reports_are_laid_out_as_one_list() -> None:
    reports = [venice.run(workload="random-read", requests=50, seed=seed) for seed in (1, 2)]
    plain = [report.to_dict() for report in reports]
    assert reports_to_json(reports) == json.dumps(plain, indent=2, ensure_ascii=False) + "\n"
    assert reports[0].to_json() == json.dumps(plain[0], indent=2, ensure_ascii=False) + "\n"
