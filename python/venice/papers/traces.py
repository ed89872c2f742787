"""Selection of real traces for experiments that replay traces.

Traces may have any format that the engine reads. Other files are skipped and listed, so that a
folder may also contain notes; a folder without traces is refused.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from venice._native import TraceError, UsageError
from venice.api.run import run
from venice.papers.size import GOLDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.papers.size import Size

FOLDER = "VENICE_TRACES"
SHARED = "VENICE_SHARED"
_TRACES_OF_SHARED = Path("traces") / "msr"


@dataclass(frozen=True)
class TraceFolder:
    """Traces and other files of a folder.

    Attributes
    ----------
    traces
        Trace files, by their names in tables.
    passed_over
        Reasons why other files are not traces, by file name.
    """

    traces: dict[str, Path]
    passed_over: dict[str, str]

    @property
    def complaint(self) -> str | None:
        """Message about the files that are not traces; ``None`` if all are."""
        if not self.passed_over:
            return None
        name, reason = next(iter(self.passed_over.items()))
        others = "" if len(self.passed_over) == 1 else f" and {len(self.passed_over) - 1} more"
        return f"skipped {name}{others}: no trace that can be read ({reason})"


_NONE = TraceFolder({}, {})


def named_traces(size: Size) -> TraceFolder:
    """Return the traces in the folder of `--traces` or `VENICE_TRACES`; none if `size` is `GOLDEN`.

    Raises
    ------
    UsageError
        If such a folder contains no trace.
    """
    if size is GOLDEN:
        return _NONE
    if size.traces:
        return _look(size.traces, "`traces=`")
    named = os.environ.get(FOLDER)
    return _look(Path(named), f"`{FOLDER}`") if named else _NONE


def available_traces(size: Size) -> TraceFolder:
    """Return the user's traces, or those of the shared folder; none with the size ``golden``.

    Raises
    ------
    UsageError
        If the user's folder contains no trace.
    """
    found = named_traces(size)
    if found is not _NONE or size is GOLDEN:
        return found
    shared = Path(os.environ.get(SHARED, "")) / _TRACES_OF_SHARED
    is_there = bool(os.environ.get(SHARED)) and shared.is_dir()
    return _look(shared, f"the folder of `{SHARED}`") if is_there else _NONE


def _look(folder: Path, source: str) -> TraceFolder:
    """Return the traces of a folder that `source` names, an argument or environment variable."""
    expected = "expected: a folder with traces in any format that `venice run` reads"
    if not folder.is_dir():
        raise UsageError(f"{source} is `{folder}`, which is not a folder; {expected}")
    files = [path for path in folder.iterdir() if path.is_file() and path.name[0] != "."]
    if not files:
        raise UsageError(f"{source} is `{folder}`, which has no file; {expected}")
    return _sorted(tuple((path, path.stat().st_mtime_ns) for path in sorted(files)), source)


@cache
def _sorted(files: tuple[tuple[Path, int], ...], source: str) -> TraceFolder:
    """Return the traces and other files of a folder, cached until a file changes."""
    reasons = {path: _fault(path) for path, _ in files}
    traces = [path for path, reason in reasons.items() if reason is None]
    found = TraceFolder(
        dict(zip(_names(traces), traces, strict=True)),
        {path.name: reason for path, reason in reasons.items() if reason is not None},
    )
    if not traces:
        folder = files[0][0].parent
        inner = next((path for path in sorted(folder.iterdir()) if path.is_dir()), None)
        hint = f"; name a folder in it, such as {inner}" if inner else ""
        raise UsageError(
            f"{source} is `{folder}`, which has none that can be read; {found.complaint}{hint}"
        )
    return found


def _fault(path: Path) -> str | None:
    """Return why a file is not a trace, judged by its first request; ``None`` for a trace."""
    try:
        run(trace=str(path), requests=1, fold=True)
    except TraceError as wrong:
        first = str(wrong).splitlines()[0].removeprefix("error: ")
        return first.removeprefix(f"{path}: ")
    return None


def _names(paths: Sequence[Path]) -> list[str]:
    """Return the names of files up to the first dot, or complete names if two would be equal."""
    short = [path.name.split(".")[0] for path in paths]
    return [
        name if short.count(name) == 1 else path.name
        for name, path in zip(short, paths, strict=True)
    ]
