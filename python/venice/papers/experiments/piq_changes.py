"""Tables of the changes of mean latencies, for reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from venice.papers.experiments.suite import change
from venice.papers.markdown import section, table
from venice.text.layout import format_table

if TYPE_CHECKING:
    from collections.abc import Sequence


def pair(reads: float | None, writes: float | None) -> str:
    """Return two ratios of latencies as changes in per cent, or – if missing.

    Examples
    --------
    >>> pair(1.0, 0.853), pair(1.024, None)
    ('0.0 / -14.7', '+2.4 / –')
    """
    return " / ".join(map(_change, (reads, writes)))


def _change(factor: float | None) -> str:
    if factor is None:
        return "–"
    text = f"{change(factor):+.1f}"
    return "0.0" if text in {"+0.0", "-0.0"} else text


@dataclass(frozen=True)
class ChangeTable:
    """Table of changes of the mean latencies of reads and writes.

    Attributes
    ----------
    title
        Title of the experiment.
    reference
        Runs to which the changes are relative.
    columns
        Titles of the columns; a line feed separates lines.
    rows
        Name of each row, and its texts of :func:`pair`.
    """

    title: str
    reference: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def as_markdown(self) -> str:
        """Return the table as a section of the scorecard."""
        titles = [title.replace("\n", ", ") for title in self.columns]
        return section(self.title, f"{self._what()}.", table(titles, self.rows))

    def as_text(self) -> str:
        """Return the table as text for the terminal."""
        return f"{self.title}\n\n{self._what()}:\n\n{format_table(self.columns, self.rows)}"

    def _what(self) -> str:
        return f"Mean latency of reads / writes, change in % relative to {self.reference}"
