"""Published traces, if available: ``venice trace info`` agrees with their table."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

UNITS_US = {"us": 1.0, "ms": 1e3, "s": 1e6}


class Printed(NamedTuple):
    """A number as the table prints it, and half a unit of its last digit."""

    value: float
    tolerance: float

    @classmethod
    def of(cls, text: str) -> Printed:
        """Parse ``"83.0"``, or ``"21.16 ms"`` as microseconds; four equal digits suffice."""
        number, _, unit = text.replace(",", "").partition(" ")
        value = float(number) * UNITS_US.get(unit, 1.0)
        decimals = len(number.partition(".")[2].partition("e")[0])
        digits = 0.5 * 10.0**-decimals * UNITS_US.get(unit, 1.0)
        return cls(value, max(digits, value * 5e-4) * 1.001)


def table(readme: Path) -> list[list[str]]:
    """Return the rows of the table of files."""
    rows = [line.strip("|\n ").split("|") for line in readme.read_text().splitlines()]
    cells = [[cell.strip() for cell in row] for row in rows if len(row) > 10]
    return [row for row in cells if row[0].endswith(".zst")]


def test_every_published_trace_measures_as_its_table_says(
    published_traces: Path, venice: Callable[..., Outcome]
) -> None:
    rows = table(published_traces / "README.md")
    assert len(rows) == len(list(published_traces.glob("*/*.zst"))) > 20
    for file, _, _, requests, reads, size, mean_gap, median_gap, *_ in rows:
        outcome = venice("trace", "info", published_traces / file, "--json", "-")
        assert (outcome.code, outcome.stderr) == (0, ""), file
        found = json.loads(outcome.stdout)
        assert found["requests"] == int(re.sub(",", "", requests)), file
        for key, text in (
            ("read_pct", reads),
            ("mean_size_kib", size),
            ("mean_inter_arrival_us", mean_gap),
            ("median_inter_arrival_us", median_gap),
        ):
            printed = Printed.of(text)
            assert abs(found[key] - printed.value) <= printed.tolerance, (file, key, found[key])
