"""External JSON files are read within limits, and reports are written as Python writes JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import venice
from venice.files.documents import DocumentError, read_json
from venice.report.report_lists import reports_to_json

if TYPE_CHECKING:
    from pathlib import Path


def test_the_engine_writes_a_report_as_python_does() -> None:
    text = venice.run(workload="mixed-70-30", requests=500, interval=8).to_text()
    assert json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False) == text


def test_several_reports_are_laid_out_as_one_list() -> None:
    reports = [venice.run(workload="random-read", requests=50, seed=seed) for seed in (1, 2)]
    plain = [report.to_dict() for report in reports]
    assert reports_to_json(reports) == json.dumps(plain, indent=2, ensure_ascii=False) + "\n"
    assert reports[0].to_json() == json.dumps(plain[0], indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not JSON: .*line 1"),
        ('{"a": 1,}', "is not JSON: .*line 1"),
        ("[1] 2", "is not JSON: .*line 1"),
        ("[NaN]", "is not JSON: it has no number NaN"),
        ("[-Infinity]", "is not JSON: it has no number -Infinity"),
        (r'["\ud800"]', "is not JSON: .*surrogates"),
        ("[" * 200_000, "is not JSON: it is nested too deep"),
        ("[" + "9" * 5000 + "]", "is not JSON: .*digits"),
    ],
)
def test_a_file_that_is_not_json_is_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "file.json"
    file.write_text(text)
    with pytest.raises(DocumentError, match=says):
        read_json(file)


def test_escaped_characters_beyond_sixteen_bits_are_read(tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    file.write_text(r'["\ud83d\ude00"]')
    assert read_json(file) == ["\N{GRINNING FACE}"]
