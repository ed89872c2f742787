"""Output files of commands, opened before the command runs."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.cli.files import STANDARD_STREAM
from venice.cli.screen import ignore_closed_output, print_text
from venice.cli.usage import OptionError
from venice.files import output
from venice.observation.request_columns import chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from venice.observation.request_columns import Columns
    from venice.observation.request_log import RequestLog

_TEXTS = (".csv", ".json", ".tsv", ".txt")
"""Suffixes of text tables."""
_HTML = (".html", ".htm")
_PLOT_SUFFIXES = (".png", ".svg", ".pdf")
MATPLOTLIB_TO_INSTALL = (
    "matplotlib, which is not installed; install it with: pip install 'venice-ssd[plot]'"
)


@contextmanager
def claimed_files() -> Iterator[ExitStack]:
    """Yield the stack of a command's output files, which are written to the end.

    They are complete even if the reader of standard output, such as `head`, closes it.
    """
    with ignore_closed_output(), ExitStack() as files:
        yield files


def claim(files: ExitStack, path: Path | str | None) -> BinaryIO | None:
    """Open an output file before the run; closing `files` moves it to its destination.

    Raises
    ------
    UsageError
        If the file cannot be written.
    """
    if path is None or path == STANDARD_STREAM:
        return None
    return files.enter_context(output.create(path))


def claim_picture(files: ExitStack, path: Path | None) -> BinaryIO | None:
    """Open a picture for writing, as :func:`claim` does.

    Raises
    ------
    UsageError
        If the file cannot be written, has another suffix than .png, .svg or .pdf, or matplotlib is
        not installed.
    """
    if path is None:
        return None
    require_matplotlib()
    if path.suffix.lower() not in _PLOT_SUFFIXES:
        raise UsageError(
            f"{path}: unsupported picture format; expected: a name that ends in .png, .svg or .pdf"
        )
    return claim(files, path)


def claim_page(files: ExitStack, path: Path | None) -> BinaryIO | None:
    """Open the HTML page of a run for writing, as :func:`claim` does.

    Raises
    ------
    UsageError
        If the file cannot be written, has another suffix than .html, or the library for its plots
        is missing.
    """
    if path is None:
        return None
    from venice.view.vega import require_vega  # noqa: PLC0415 seldom wanted

    require_vega()
    require_html(path, "a page to look into a run")
    return claim(files, path)


def require_html(path: Path, what: str) -> None:
    """Refuse a page whose path does not end in ``.html``.

    Raises
    ------
    UsageError
        The message names the expected suffix.
    """
    if path.suffix.lower() not in _HTML:
        raise UsageError(f"{path}: {what} is HTML; expected: a name that ends in .html")


def require_matplotlib() -> None:
    """Raise an error if matplotlib is not installed.

    Raises
    ------
    UsageError
        The message names the command that installs it.
    """
    if not has_matplotlib():
        raise UsageError(f"pictures need {MATPLOTLIB_TO_INSTALL}")


def has_matplotlib() -> bool:
    """Return true if matplotlib is installed."""
    from importlib.util import find_spec  # noqa: PLC0415 seldom wanted

    return find_spec("matplotlib") is not None


def log_columns(log: Path | None, columns: str | None) -> Columns:
    """Parse the columns of a request log.

    Raises
    ------
    UsageError
        If no log is written, a column does not exist, or the suffix is not .parquet.
    """
    if log is not None and log.suffix.lower() in _TEXTS:
        raise UsageError(
            f"{log}: a request log is a Parquet file; expected: a name that ends in .parquet"
        )
    if columns is None or columns == "usual":
        return "usual"
    if log is None:
        raise OptionError(
            "--request-columns",
            "`--request-columns` requires `--request-log`",
            "add --request-log OUT.parquet",
        )
    return chosen("all" if columns == "all" else columns.split(","))


def log_in(file: BinaryIO | None, columns: Columns) -> RequestLog | None:
    """Open the request log in `file`, if one is requested."""
    if file is None:
        return None
    from venice.observation.request_log import RequestLog  # noqa: PLC0415 few want it

    return RequestLog(file, columns=columns)


def write_json(text: Callable[[], str], path: str | None, file: BinaryIO | None) -> None:
    """Write the JSON that `text` returns to the file of ``--json``, if there is one."""
    if file is not None:
        file.write(text().encode())
    elif path == STANDARD_STREAM:
        print_text(text(), end="")
