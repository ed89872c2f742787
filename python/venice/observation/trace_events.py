"""Activity of the resources in a run, written as a file for Perfetto."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from venice._native import UsageError
from venice.observation.table import Table

if TYPE_CHECKING:
    from venice import _native

MOST_SLICES = 2_000_000
"""Maximum number of slices in a file, which a browser can show: 64 MB of memory."""

_UNITS_PS = {"ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12, "min": 60 * 10**12}
_INSTANT = r"(\d+(?:\.\d+)?)\s*([a-zµ]+)"
_LAST_PS = 2**64 - 1


class Window(NamedTuple):
    """Part of a run, in simulated time [ps]; the run begins at 0."""

    from_ps: int = 0
    to_ps: int = _LAST_PS


def parse_window(text: str) -> Window:
    """Parse a window of simulated time, such as ``"10ms..12ms"``; either end may be omitted.

    Raises
    ------
    UsageError
        If the text is not a window.

    Examples
    --------
    >>> parse_window("10ms..12.5ms")
    Window(from_ps=10000000000, to_ps=12500000000)
    >>> parse_window("..800us").to_ps
    800000000
    """
    begin, dots, end = text.strip().partition("..")
    if not dots:
        raise _wrong(text)
    window = Window(
        _instant_ps(text, begin) if begin else 0, _instant_ps(text, end) if end else _LAST_PS
    )
    if window.from_ps >= window.to_ps:
        raise UsageError(f"the window is {text}; expected: an end after its beginning")
    return window


def check_window(is_traced: bool, window: str | None) -> None:
    """Refuse an option for the window of a trace-event file that is not written.

    Raises
    ------
    UsageError
        If there is no file, or the text is not a window.
    """
    if window is None:
        return
    if not is_traced:
        raise UsageError("`trace_events_window=` requires `trace_events=`; expected: both")
    parse_window(window)


def _instant_ps(text: str, instant: str) -> int:
    found = re.fullmatch(_INSTANT, instant.strip().lower().replace("µ", "u"))
    if found is None or found[2] not in _UNITS_PS:
        raise _wrong(text)
    ps = round(float(found[1]) * _UNITS_PS[found[2]])
    if ps > _LAST_PS:
        raise _wrong(text)
    return ps


def _wrong(text: str) -> UsageError:
    return UsageError(
        f"the window is {text!r}; it should be two instants of simulated time with their units "
        "(10ms..12ms), one of which may be left out (..500us)"
    )


class TraceEvents:
    """Writer of a trace-event file with the activity of resources.

    Parameters
    ----------
    file
        Open file, not closed; ``None`` to write nothing.
    window
        Recorded part of the run, as for :func:`parse_window` [default: the whole run].
    most
        Maximum number of slices; later ones are dropped.
    keeps_table
        True to keep the slices also as a table.

    Raises
    ------
    UsageError
        If the window is invalid.
    """

    def __init__(
        self,
        file: BinaryIO | None,
        window: str | Window | None = None,
        *,
        most: int = MOST_SLICES,
        keeps_table: bool = False,
    ) -> None:
        self._file = file
        self.keeps_table = keeps_table
        self.table: Table | None = None
        """Table of all slices after the run; ``None`` if slices are not kept."""
        self.scouts: Table | None = None
        """Table of the scouts after the run; ``None`` if slices are not kept."""
        self.window = parse_window(window) if isinstance(window, str) else window or Window()
        self.most = most
        self.slices = 0
        """Number of slices, after the run."""
        self.remark: str | None = None
        """Note that the recording ends before the window; ``None`` if it is complete."""

    def __call__(self, file: bytes, slices: int, full_at_ps: int | None) -> None:
        """Write the file of trace events."""
        if self._file is not None:
            self._file.write(file)
        self._note(slices, full_at_ps)

    def keep(self, rows: _native.Table, scouts: _native.Table, full_at_ps: int | None) -> None:
        """Store the tables of the slices and of the scouts."""
        self.table, self.scouts = Table(rows), Table(scouts)
        self._note(len(rows), full_at_ps)

    @property
    def writes_file(self) -> bool:
        """True if the events are written to a file."""
        return self._file is not None

    def _note(self, slices: int, full_at_ps: int | None) -> None:
        self.slices = slices
        if full_at_ps is not None:
            at = f"{full_at_ps / 10**6:.3f}us"
            self.remark = (
                f"there was more to trace than {self.most:,} slices: they end at {at} of "
                f"simulated time; for what came later, trace a part of the run: "
                f"--trace-events-window {at}.."
            )
        elif slices == 0:
            self.remark = "nothing happened in the window: there are no slices"
