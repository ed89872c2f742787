"""The table reads well, and says what was run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome

WIDEST = 100


def timeless(text: str) -> str:
    """Give a table without what depends on the machine, and without blanks at the ends of lines."""
    text = re.sub(
        r"[\d.]+ s of computing · [\d,]+ requests/s", "… s of computing · … requests/s", text
    )
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def test_a_comparison_is_a_table(
    venice: Callable[..., Outcome], golden: Callable[[str, str], None]
) -> None:
    outcome = venice("compare", "--workload", "random-read", "--requests", 1000)
    assert (outcome.code, outcome.stderr) == (0, "")
    golden("compare_table.txt", timeless(outcome.stdout))
    *rows, _caption = outcome.stdout.splitlines()
    assert max(map(len, rows)) <= WIDEST


def test_a_run_is_a_row(venice: Callable[..., Outcome], golden: Callable[[str, str], None]) -> None:
    outcome = venice("run", "--workload", "bursty-oltp", "--requests", 1000, "--fabric", "venice")
    assert (outcome.code, outcome.stderr) == (0, "")
    golden("run_table.txt", timeless(outcome.stdout))


def test_json_on_standard_output_stands_there_alone(venice: Callable[..., Outcome]) -> None:
    outcome = venice("run", "--workload", "random-read", "--requests", 100, "--json", "-")
    assert outcome.stdout.startswith("{")
    assert outcome.stdout.endswith("}\n")
    assert "IOPS" in outcome.stderr
