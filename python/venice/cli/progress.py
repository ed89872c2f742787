"""Live progress on standard error, one line for each run; nothing where there is no terminal."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

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

    from rich.progress import TaskID


class _Seen(NamedTuple):
    completed: int = 0
    total: int | None = None


class Lines:
    """The progress of several runs at once."""

    def __init__(self, bars: Progress, runs: Sequence[str]) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {
            name: bars.add_task(name, total=None, simulated="") for name in runs
        }
        self._seen = dict.fromkeys(runs, _Seen())

    def update(self, run: str, completed: int, total: int | None, simulated_us: float) -> None:
        """Take the state of one run."""
        self._seen[run] = _Seen(completed, total)
        simulated = f"{simulated_us / 1000:,.1f} ms simulated"
        self._bars.update(self._tasks[run], completed=completed, total=total, simulated=simulated)

    def summary(self) -> str:
        """Say how far all runs have come together."""
        seen = self._seen.values()
        text = f"{sum(run.completed for run in seen):,}"
        totals = [run.total for run in seen if run.total is not None]
        if len(totals) == len(seen):
            text += f" of {sum(totals):,}"
        fabrics = f" on {len(seen)} fabrics" if len(seen) > 1 else ""
        return f"{text} requests{fabrics}"


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
