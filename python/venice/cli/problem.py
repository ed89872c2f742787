"""The one layout of an error: what is wrong, where, what was expected, what to do.

Configuration errors arrive in this layout. Every other message is one sentence, as an exception of
the Python API has it: ``WHERE: WHAT; EXPECTED; ADVICE``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from venice.arguments import with_sets_as

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEAD = "error: "
_WHERE = "  --> "
_NOTE = "   = "
_CLAUSE = re.compile(r"; (?=(?:[^`]*`[^`]*`)*[^`]*$)")
"""The end of a clause, outside of what is quoted."""
_PREFIX = re.compile(r"(?P<where>--\S+ (?:'[^']*'|\"[^\"]*\")|[^:`]+?): (?P<what>.+)")
_EXPECTED = re.compile(r"(?:it should be|expected:?) ")
_QUOTED = re.compile(r"`([^`]+)`|'([^']+)'|\"([^\"]+)\"")
_ARGUMENT = re.compile(r"`([a-z_]+)=(?:True|\"([^\"`]*)\")?`")
_PLACE = re.compile(r'(?:(?<=--> )|(?<=problem in )|(?<=problems in ))([a-z_]+)="([^"\n]*)"')
"""An argument as the place of an error in a configuration."""
_OF_SCENARIOS = ("sweep", "explore")
"""Commands whose files have the arguments as keys."""
_VERB = re.compile(r"(?:is|was|holds|defines|has|cannot|could not) ")
"""The begin of a message whose subject is the file before it."""
_OPTIONS = {"sets": "set", "drives": "drive"}
"""Options that are not named after their argument of the Python API."""


class Problem(NamedTuple):
    """An error, of which only `what` is always known."""

    what: str
    where: str = ""
    notes: Sequence[str] = ()
    """Expected values and advice."""

    def __str__(self) -> str:
        """Lay the error out.

        Examples
        --------
        >>> print(Problem("unknown option `--colour`", "--colour red", ["see `venice --help`"]))
        error: unknown option `--colour`
          --> --colour red
           = see `venice --help`
        """
        where = [f"{_WHERE}{self.where}"] if self.where else []
        return "\n".join([f"{_HEAD}{self.what}", *where, *map(_note, self.notes)])


def lay_out(message: str, words: Sequence[str] = ()) -> str:
    """Lay out the message of an exception; `words` are those of the command line.

    Examples
    --------
    >>> print(lay_out("`seed=` is -1; it should be from 0 to 9", ["run", "--seed", "-1"]))
    error: `--seed` is -1
      --> --seed -1
       = expected: from 0 to 9
    """
    is_of_file = bool(words) and words[0] in _OF_SCENARIOS
    text = _as_keys(message) if is_of_file else _as_options(message)
    if any(line.startswith((_WHERE, _NOTE)) for line in text.split("\n")):
        return f"{_HEAD}{text.removeprefix(_HEAD)}"
    errors = re.split(rf"\n(?={_HEAD}|\d+ problems? in )", text.removeprefix(_HEAD))
    return "\n".join(_error_or_count(error, words) for error in errors)


def _error_or_count(text: str, words: Sequence[str]) -> str:
    is_count = bool(re.match(r"\d+ problems? in ", text))
    return text if is_count else str(_problem(text.removeprefix(_HEAD), words))


def _problem(message: str, words: Sequence[str]) -> Problem:
    first, *others = message.split("\n")
    sentence, *clauses = _CLAUSE.split(first)
    found = _PREFIX.fullmatch(sentence)
    where, what = "", sentence
    if found is not None and _is_place(found["where"]):
        where, what = found["where"], found["what"]
        what = f"`{where}` {what}" if _VERB.match(what) else what
    if where and _EXPECTED.match(what):
        clauses, what = [what, *clauses], f"`{where}` is not valid"
    return Problem(what, where or _typed(what, words), [*clauses, *_joined(others)])


def _is_place(text: str) -> bool:
    """Return true for an option with its value, and for a file with or without a line."""
    is_file = " " not in text or bool(re.search(r", (?:line|column) \w+$", text))
    is_option = bool(re.fullmatch(r"--\S+(?: \S+| '[^']*'| \"[^\"]*\")?", text))
    return is_option or (is_file and not text.startswith("-")) or Path(text).exists()


def _typed(what: str, words: Sequence[str]) -> str:
    """Return the words of the command line that a message quotes; empty if there are none."""
    for quoted in _QUOTED.findall(what):
        name = "".join(quoted)
        for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
            if word == name and word.startswith("-"):
                return f"{word} {after}" if after and after in what else word
            if word == name:
                return f"{before} {word}" if before.startswith("-") and before != "--" else word
            if word.startswith("--") and name in (word.partition("=")[0], word.partition("=")[2]):
                return word
    return ""


def _as_options(message: str) -> str:
    """Replace arguments of the Python API by the options of the command line.

    Examples
    --------
    >>> _as_options('add `trace_resample="blocks"`')
    'add `--trace-resample blocks`'
    """

    def option(found: re.Match[str]) -> str:
        name = _OPTIONS.get(found[1], found[1]).replace("_", "-")
        return f"`--{name} {found[2]}`" if found[2] else f"`--{name}`"

    text = _PLACE.sub(lambda found: option(found).strip("`"), _ARGUMENT.sub(option, message))
    return with_sets_as("--set", text)


def _as_keys(message: str) -> str:
    """Replace arguments of the Python API by the keys of a file."""
    return _ARGUMENT.sub(
        lambda found: f"`{found[1]} = {found[2]}`" if found[2] else f"`{found[1]}`", message
    )


def _joined(lines: Sequence[str]) -> list[str]:
    """Join the lines of a list with the line above them."""
    return re.split(r"\n(?! )", "\n".join(lines)) if lines else []


def _note(text: str) -> str:
    noted = _EXPECTED.sub("expected: ", text) if _EXPECTED.match(text) else text
    return _NOTE + noted.replace("\n", "\n   ")
