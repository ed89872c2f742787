"""Completion in bash, which splits words at ``=``, as in ``--set=key=value``."""

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
    """Completer for bash, which splits words at ``=``."""

    source_template = BashComplete.source_template.replace("    return 0\n", _NO_SPACE)
    _before = ""
    """Text before the cursor that bash splits off as separate words."""
    _option = ""
    """Name of the option, if bash treats it and its value as one word."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the word to complete, and the word to complete."""
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
        """Format a completion so that it replaces the last of the words that bash split."""
        value = str(item.value)
        for start in range(len(self._before)):
            if value.startswith(self._before[start:]):
                value = value[len(self._before) - start :]
                break
        return f"{item.type},{self._option}{value}"


def _joined(typed: Iterable[str]) -> list[str]:
    """Join the words around each ``=`` that is a word of its own.

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
    """Register :class:`Bash` as click's completion of bash."""
    add_completion_class(Bash)
