"""HTML page of a run, with the time window for which the page shows the array of chips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.api.run import repeat_window
from venice.cli.interruption import InterruptedRunError
from venice.cli.progress import progress_lines
from venice.cli.screen import warn
from venice.cli.usage import OptionError
from venice.observation.trace_events import TraceEvents, Window, parse_window
from venice.report import Report

if TYPE_CHECKING:
    from venice.api.run import Load
    from venice.view import Sample

_NO_WINDOW = "none"
_INTERRUPTED = "Not shown: the repeated run was interrupted."


def check_view_window(is_viewed: bool, window: str | None) -> None:
    """Refuse an option for the window of a page that is not written.

    Raises
    ------
    OptionError
        If there is no page.
    UsageError
        If the text is not a window of time.
    """
    if window is None:
        return
    if not is_viewed:
        raise OptionError(
            "--view-window", "`--view-window` requires `--view`", "add --view FILE.html"
        )
    if window != _NO_WINDOW:
        parse_window(window)


def page_bytes(load: Load, report: Report, sample: Sample | None, window: str | None) -> bytes:
    """Return the page; the run is repeated up to the end of the window that the page shows."""
    from venice.view import page_of  # noqa: PLC0415 seldom wanted

    chosen = _window(load, report, window)
    if isinstance(chosen, str):
        return page_of(report, sample, without_array=chosen).encode()
    events = _seen(load, chosen)
    if events is None:
        return page_of(report, sample, without_array=_INTERRUPTED).encode()
    with_tables = Report(report.content, None, events.table, events.scouts)
    return page_of(with_tables, sample, chosen).encode()


def _window(load: Load, report: Report, window: str | None) -> Window | str:
    """Return the window to show, or the reason for which none can be shown."""
    from venice.view.array import MOST_SLICES, window_of_slowest  # noqa: PLC0415 seldom wanted

    if window == _NO_WINDOW:
        return f"Not shown: --view-window {_NO_WINDOW} was given."
    if not load.is_repeatable:
        warn("the trace can be read once only: the page does not show the array at work")
        return "Not shown: the trace can be read only once, so the run was not repeated."
    if window is not None:
        return parse_window(window)
    slowest = window_of_slowest(report, MOST_SLICES)
    return "Nothing to show: no measured request completed." if slowest is None else slowest


def _seen(load: Load, window: Window) -> TraceEvents | None:
    """Repeat the run and return the events of the window; ``None`` if the user interrupts it."""
    from venice.view.array import MOST_SLICES  # noqa: PLC0415 seldom wanted

    events = TraceEvents(None, window, most=MOST_SLICES, keeps_table=True)
    try:
        with progress_lines([f"{load.drive.fabric}, its window"]) as lines:

            def progress(completed: int, total: int | None, simulated_us: float) -> None:
                lines.update(0, completed, total, simulated_us)

            repeat_window(load, events, progress)
    except InterruptedRunError:
        warn("interrupted: the page does not show the array at work")
        return None
    return events
