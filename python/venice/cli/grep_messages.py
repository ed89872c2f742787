"""Messages about files that ``venice grep`` cannot search, in the wording of GNU grep."""

from __future__ import annotations

from venice.cli.screen import print_text


class Messages:
    """Printer of error messages, which can be silenced, and record of whether an error occurred."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self.has_errors = False

    def error(self, name: str, error: OSError | str) -> None:
        """Report a file that cannot be read completely."""
        self.has_errors = True
        reason = error if isinstance(error, str) else error.strerror or str(error)
        self._say(f"{name}: {reason}")

    def warning(self, name: str, reason: str) -> None:
        """Report a skipped entry."""
        self._say(f"{name}: warning: {reason}")

    def _say(self, text: str) -> None:
        if not self._silent:
            print_text(f"venice grep: {text}", stderr=True)
