"""Live progress on standard error, if it is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from venice.cli.interruption import InterruptedRunError
from venice.execution.progress import Count, Lines, terminal_bars

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from rich.progress import Progress


@contextmanager
def progress_count(
    title: str, folder: Path | None = None, total: int | None = None
) -> Iterator[Count]:
    """Show the progress of runs during a ``with`` block; `folder` is set if they are stored.

    Raises
    ------
    InterruptedRunError
        In place of ``KeyboardInterrupt``.
    """
    bars = _bars(title)
    count = Count(bars, title, total)
    try:
        with _on_screen(bars):
            yield count
    except KeyboardInterrupt:
        kept = "; nothing was written"
        if folder is not None:
            kept = f", which are kept in {folder}; the same command continues from there"
        raise InterruptedRunError(f"interrupted after {count.summary()}{kept}") from None


@contextmanager
def progress_lines(runs: Sequence[str]) -> Iterator[Lines]:
    """Show progress while the block runs.

    Raises
    ------
    InterruptedRunError
        In place of ``KeyboardInterrupt``.
    """
    bars = _bars("{task.description}", "{task.fields[simulated]}")
    lines = Lines(bars, runs)
    try:
        with _on_screen(bars):
            yield lines
    except KeyboardInterrupt:
        raise InterruptedRunError(
            f"interrupted after {lines.summary()}; nothing was written"
        ) from None


def _on_screen(bars: Progress | None) -> AbstractContextManager[object]:
    return nullcontext() if bars is None else bars


def _bars(before: str, *after: str) -> Progress | None:
    """Return progress bars with these texts before and after them, if this is a terminal."""
    return terminal_bars(before, *after) if sys.stderr.isatty() else None
