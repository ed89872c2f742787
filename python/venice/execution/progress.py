"""Progress bars of runs, in a terminal or in a notebook."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console
    from rich.progress import Progress, TaskID

    Bars: TypeAlias = "Progress | Cell"

_PATIENCE_S = 0.5
"""Time after which a notebook shows a progress bar [s]; shorter work shows none."""
_REFRESH_S = 0.2
_COLUMNS = 100
_OF_RUNS = ("{task.description}", "{task.fields[simulated]}")


class Count:
    """Progress of many runs, as the number of finished runs."""

    def __init__(self, bars: Bars | None, title: str, total: int | None) -> None:
        self._bars = bars
        self._task = bars.add_task(title, total=total) if bars else None
        self._state = (0, total or 0)

    def update(self, done: int, total: int) -> None:
        """Set the number of completed runs."""
        self._state = (done, total)
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, completed=done, total=total)

    def summary(self) -> str:
        """Return the progress as text, for messages."""
        done, total = self._state
        return f"{done} of {total} runs"


class Lines:
    """Progress of several runs over the same requests, with a bar for each run."""

    def __init__(self, bars: Bars | None, runs: Sequence[str]) -> None:
        self._bars = bars
        self._tasks = [bars.add_task(name, total=None, simulated="") for name in runs if bars]
        self._completed = [0] * len(runs)
        self._total: int | None = None

    def update(self, run: int, completed: int, total: int | None, simulated_us: float) -> None:
        """Set the number of completed requests of a run."""
        self._completed[run] = completed
        if total is not None and self._total is None:
            self._learn_total(total)
        if self._bars is not None:
            simulated = f"{simulated_us / 1000:,.1f} ms simulated"
            self._bars.update(self._tasks[run], completed=completed, simulated=simulated)

    def summary(self) -> str:
        """Return the progress as text, for messages."""
        runs = len(self._completed)
        total = "" if self._total is None else f" of {self._total * runs:,}"
        fabrics = f" on {runs} fabrics" if runs > 1 else ""
        return f"{sum(self._completed):,}{total} requests{fabrics}"

    def _learn_total(self, total: int) -> None:
        """Use the number of requests of one run as an estimate for the runs that have not begun."""
        self._total = total
        if self._bars is not None:
            for task in self._tasks:
                self._bars.update(task, total=total)


class Cell:
    """Progress bars in the output of a notebook cell, drawn by Rich and removed at the end.

    Rich's own bars for notebooks need ipywidgets, which is seldom installed.
    """

    def __init__(self, before: str, *after: str) -> None:
        from rich.console import Console  # noqa: PLC0415 as in `_with_bars`

        self._console = Console(
            file=StringIO(), record=True, width=_COLUMNS, force_jupyter=False, highlight=False
        )
        self._bars = _with_bars(self._console, before, *after)
        self._handle: Any = None
        self._lock = threading.Lock()
        self._next = time.monotonic() + _PATIENCE_S

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._next = float("inf")
            if self._handle is not None:
                self._handle.update({"text/plain": ""}, raw=True)

    def add_task(self, description: str, **state: Any) -> TaskID:  # noqa: ANN401 as Rich has it
        """Add a progress bar."""
        return self._bars.add_task(description, **state)

    def update(self, task_id: TaskID, **state: Any) -> None:  # noqa: ANN401 as Rich has it
        """Update a bar; redraw at most every few tenths of a second."""
        self._bars.update(task_id, **state)
        with self._lock:
            now = time.monotonic()
            if now >= self._next:
                self._next = now + _REFRESH_S
                self._show()

    def _show(self) -> None:
        self._console.print(self._bars.get_renderable())
        text = self._console.export_text(clear=False)
        html = self._console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")
        shown = {"text/plain": text, "text/html": html}
        if self._handle is None:
            display = import_module("IPython.display").display
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


@contextmanager
def of_runs(
    progress: Callable[..., object] | bool | None, names: Callable[[], Sequence[str]]
) -> Iterator[Callable[..., object] | None]:
    """Yield the function to call with the progress of several runs; ``None`` for no display.

    Parameters
    ----------
    progress
        The argument `progress` of :func:`venice.compare`: a function, ``True`` for bars, ``False``
        for none, ``None`` for bars in notebooks only.
    names
        Function that returns the names of the runs, called if bars are shown.
    """
    bars = None if callable(progress) else _chosen_bars(progress, *_OF_RUNS)
    if bars is None:
        yield progress if callable(progress) else None
    else:
        with bars as shown:
            yield Lines(shown, names()).update


@contextmanager
def of_run(
    progress: Callable[..., object] | bool | None, name: str
) -> Iterator[Callable[..., object] | None]:
    """Yield the function to call with the progress of one run, as :func:`of_runs` does."""
    if callable(progress):
        yield progress
    else:
        with of_runs(progress, lambda: [name]) as listener:
            yield partial(listener, 0) if listener else None


@contextmanager
def of_count(
    progress: Callable[[int, int], object] | bool | None, title: str, total: int
) -> Iterator[Callable[[int, int], object] | None]:
    """Yield the function to call with the number of finished runs, as :func:`of_runs` does."""
    bars = None if callable(progress) else _chosen_bars(progress, "{task.description}")
    if bars is None:
        yield progress if callable(progress) else None
    else:
        with bars as shown:
            yield Count(shown, title, total).update


def in_notebook() -> bool:
    """Return true if a notebook shows the output of this process."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def terminal_bars(before: str, *after: str) -> Progress:
    """Return progress bars on standard error, with these texts before and after them."""
    from rich.console import Console  # noqa: PLC0415 as in `_with_bars`

    return _with_bars(
        Console(stderr=True, highlight=False, markup=False, emoji=False), before, *after
    )


def _chosen_bars(progress: bool | None, before: str, *after: str) -> Bars | None:
    is_cell = in_notebook()
    if progress or (progress is None and is_cell):
        return Cell(before, *after) if is_cell else terminal_bars(before, *after)
    return None


def _with_bars(console: Console, before: str, *after: str) -> Progress:
    from rich.progress import (  # noqa: PLC0415 a fifth of a short run's time
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
        console=console,
        transient=True,
    )
