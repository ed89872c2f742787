"""Completion in bash, whose words end at the ``=`` that options and settings have inside."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from click.shell_completion import BashComplete, add_completion_class, split_arg_string

if TYPE_CHECKING:
    from collections.abc import Iterable

    from click.shell_completion import CompletionItem

_NO_SPACE = """\
    if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace; fi

    return 0
"""


class Bash(BashComplete):
    """Click's completion in bash, for words that have an ``=`` inside."""

    source_template = BashComplete.source_template.replace("    return 0\n", _NO_SPACE)
    _before = ""
    """The part of the word before the cursor that bash takes for words of their own."""
    _option = ""
    """The name of the option, if bash takes it and its value for one word."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one that is completed, and that one."""
        typed = split_arg_string(os.environ["COMP_WORDS"])[: int(os.environ["COMP_CWORD"]) + 1]
        if len(typed) <= int(os.environ["COMP_CWORD"]):
            typed.append("")
        *words, last = _joined(typed[1:]) or [""]
        if last != typed[-1] or last == "=":
            self._before = last[: last.rindex("=") + 1]
        elif last.startswith("--") and "=" in last:
            self._option = last[: last.index("=") + 1]
        return words, last

    def format_completion(self, item: CompletionItem) -> str:
        """Write a completion as bash puts it in place of its own word."""
        value = str(item.value)
        for start in range(len(self._before)):
            if value.startswith(self._before[start:]):
                value = value[len(self._before) - start :]
                break
        return f"{item.type},{self._option}{value}"


def _joined(typed: Iterable[str]) -> list[str]:
    """Join words around each ``=`` that stands alone.

    Examples
    --------
    >>> _joined(["run", "--set", "a", "=", "b", "--seed"])
    ['run', '--set', 'a=b', '--seed']
    """
    words: list[str] = []
    is_open = False
    for word in typed:
        if words and (word == "=" or is_open):
            words[-1] += word
        else:
            words.append(word)
        is_open = word == "="
    return words


def install() -> None:
    """Register this class as click's completion of bash."""
    add_completion_class(Bash)
