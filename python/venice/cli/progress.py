"""Live progress on standard error, one line for each run; nothing where there is no terminal."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from venice.cli.interruption import InterruptedRunError
from venice.cli.screen import console

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Lines:
    """The progress of several runs over the same requests."""

    def __init__(self, bars: Progress, runs: Sequence[str]) -> None:
        self._bars = bars
        self._tasks = [bars.add_task(name, total=None, simulated="") for name in runs]
        self._completed = [0] * len(runs)
        self._total: int | None = None

    def update(self, run: int, completed: int, total: int | None, simulated_us: float) -> None:
        """Take the state of one run, by its place among the lines."""
        self._completed[run] = completed
        if total is not None and self._total is None:
            self._learn_total(total)
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
    screen = console(stderr=True)
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[simulated]}"),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )
    lines = Lines(bars, runs)
    try:
        with bars:
            yield lines
    except KeyboardInterrupt:
        raise InterruptedRunError(
            f"interrupted after {lines.summary()}; nothing was written"
        ) from None
