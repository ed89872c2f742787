"""Live progress on standard error; nothing where there is no terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from venice.cli.interruption import InterruptedRunError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from rich.progress import Progress


class Count:
    """The progress of many runs that are kept one by one."""

    def __init__(self, bars: Progress | None, title: str, total: int | None) -> None:
        self._bars = bars
        self._task = bars.add_task(title, total=total) if bars else None
        self._state = (0, total or 0)

    def update(self, done: int, total: int) -> None:
        """Take how many of all runs are done."""
        self._state = (done, total)
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, completed=done, total=total)

    def summary(self) -> str:
        """Say how far they have come."""
        done, total = self._state
        return f"{done} of {total} runs"


@contextmanager
def counted(title: str, folder: Path, total: int | None = None) -> Iterator[Count]:
    """Show the progress of runs that are kept in a folder while the block runs.

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
        raise InterruptedRunError(
            f"interrupted after {count.summary()}, which are kept in "
            f"{folder}; the same command goes on from there"
        ) from None


class Lines:
    """The progress of several runs over the same requests."""

    def __init__(self, bars: Progress | None, runs: Sequence[str]) -> None:
        self._bars = bars
        self._tasks = [bars.add_task(name, total=None, simulated="") for name in runs if bars]
        self._completed = [0] * len(runs)
        self._total: int | None = None

    def update(self, run: int, completed: int, total: int | None, simulated_us: float) -> None:
        """Take the state of one run, by its place among the lines."""
        self._completed[run] = completed
        if total is not None and self._total is None:
            self._learn_total(total)
        if self._bars is not None:
            simulated = f"{simulated_us / 1000:,.1f} ms simulated"
            self._bars.update(self._tasks[run], completed=completed, simulated=simulated)

    def summary(self) -> str:
        """Say how far all runs have come together."""
        runs = len(self._completed)
        total = "" if self._total is None else f" of {self._total * runs:,}"
        fabrics = f" on {runs} fabrics" if runs > 1 else ""
        return f"{sum(self._completed):,}{total} requests{fabrics}"

    def _learn_total(self, total: int) -> None:
        """Use what one run knows for those that have not begun: they have the same requests."""
        self._total = total
        if self._bars is not None:
            for task in self._tasks:
                self._bars.update(task, total=total)


@contextmanager
def shown(runs: Sequence[str]) -> Iterator[Lines]:
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
    """Give bars with these texts about them; without a terminal, import nothing."""
    if not sys.stderr.isatty():
        return None
    from rich.console import Console  # noqa: PLC0415 both are a fifth of a short run's time
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn(before),
        BarColumn(),
        MofNCompleteColumn(),
        *(TextColumn(text) for text in after),
        TimeRemainingColumn(),
        console=Console(stderr=True, highlight=False, markup=False, emoji=False),
        transient=True,
    )
