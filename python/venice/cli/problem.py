"""The one layout of an error: what is wrong, where, what was expected, what to do.

Configuration errors arrive in this layout. An exception of the Python API has one sentence:
``WHERE: WHAT; EXPECTED; ADVICE``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from venice.arguments import with_sets_as

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.cli.typed_words import Typed

_HEAD = "error: "
_WHERE = "  --> "
_NOTE = "   = "
_CLAUSE = re.compile(r"; (?=(?:[^`]*`[^`]*`)*[^`]*$)")
"""The end of a clause, outside of what is quoted."""
_PREFIX = re.compile(r"(?P<where>--\S+ (?:'[^']*'|\"[^\"]*\")|[^:`]+?): (?P<what>.+)")
_EXPECTED = re.compile(r"(?:it should be|expected:?) ")
_ARGUMENT = re.compile(r"`([a-z_]+)=(?:True|\"([^\"`]*)\")?`")
_PLACE = re.compile(r'(?:(?<=--> )|(?<=problem in )|(?<=problems in ))([a-z_]+)="([^"\n]*)"')
"""An argument as the place of an error in a configuration."""
_TOML_RS = re.compile(
    r"(?P<file>.+): TOML parse error at line (?P<line>\d+), column (?P<column>\d+)"
)
_TOMLLIB = re.compile(
    r"(?P<file>.+?):? is not TOML: (?P<what>.+) \(at line (?P<line>\d+), column (?P<column>\d+)\)"
)
_OF_SCENARIOS = ("venice sweep run", "venice explore")
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
        >>> print(Problem("unknown option `--colour`", "--colour", ["see `venice --help`"]))
        error: unknown option `--colour`
          --> --colour
           = see `venice --help`
        """
        where = [f"{_WHERE}{self.where}"] if self.where else []
        return "\n".join([f"{_HEAD}{self.what}", *where, *map(_note, self.notes)])


class LocatedError(Exception):
    """An exception of the Python API in a command, with the words that the command was given."""

    def __init__(self, error: Exception, path: str, typed: Sequence[Typed]) -> None:
        super().__init__(lay_out(str(error), path, typed))
        self.error = error


def lay_out(message: str, path: str = "", typed: Sequence[Typed] = ()) -> str:
    """Lay out the message of an exception in the command `path` with these options and arguments.

    Examples
    --------
    >>> print(lay_out("`seed=` is -1; it should be from 0 to 9", "venice run", [("--seed", "-1")]))
    error: `--seed` is -1
      --> --seed -1
       = expected: from 0 to 9
    """
    text = _as_keys(message) if path in _OF_SCENARIOS else _as_options(message)
    lines = text.split("\n")
    if any(line.startswith((_WHERE, _NOTE)) for line in lines):
        return f"{_HEAD}{_with_place(lines, typed).removeprefix(_HEAD)}"
    errors = re.split(rf"\n(?={_HEAD}|\d+ problems? in )", text.removeprefix(_HEAD))
    return "\n".join(_error_or_count(error, path, typed) for error in errors)


def _with_place(lines: Sequence[str], typed: Sequence[Typed]) -> str:
    """Add the place to an error that is laid out without one."""
    what, *others = lines
    place = "" if any(line.startswith(_WHERE) for line in others) else _typed_place(what, typed)
    return "\n".join([what, *([f"{_WHERE}{place}"] if place else []), *others])


def _error_or_count(text: str, path: str, typed: Sequence[Typed]) -> str:
    is_count = bool(re.match(r"\d+ problems? in ", text))
    return text if is_count else str(_problem(text.removeprefix(_HEAD), path, typed))


def _problem(message: str, path: str, typed: Sequence[Typed]) -> Problem | str:
    first, *others = message.split("\n")
    if (found := _TOML_RS.fullmatch(first)) is not None:
        return _excerpt(found, others)
    sentence, *clauses = _CLAUSE.split(first)
    if (found := _TOMLLIB.fullmatch(sentence)) is not None:
        file = found["file"].strip("`")
        what = f"`{file}` is not TOML: {found['what']}"
        return Problem(what, f"{file}:{found['line']}:{found['column']}", clauses)
    found = _PREFIX.fullmatch(sentence)
    where, what = "", sentence
    if found is not None and _is_place(found["where"]):
        where, what = found["where"], found["what"]
        what = f"`{where}` {what}" if _VERB.match(what) else what
    if where and _EXPECTED.match(what):
        clauses, what = [what, *clauses], f"`{where}` is not valid"
    where = where or _typed_place(what, typed, message) or path
    return Problem(what, where, [*clauses, *_joined(others)])


def _excerpt(found: re.Match[str], lines: Sequence[str]) -> str:
    """Lay out a syntax error as configurations have theirs: the line, and a caret below it.

    Examples
    --------
    >>> lines = ["  |", "2 | a = = 1", "  |     ^", "extra `=`"]
    >>> print(_excerpt(_TOML_RS.fullmatch("w.toml: TOML parse error at line 2, column 5"), lines))
    error: this is not valid TOML
      --> w.toml:2:5
       |
     2 | a = = 1
       |     ^ extra `=`
    """
    marked = [f" {line}" for line in lines if "|" in line]
    reason = ", ".join(line for line in lines if "|" not in line)
    head = Problem("this is not valid TOML", f"{found['file']}:{found['line']}:{found['column']}")
    return "\n".join([str(head), *marked]) + f" {reason}".rstrip()


def _is_place(text: str) -> bool:
    """Return true for an option with its value, and for a file with or without a line."""
    is_file = " " not in text or bool(re.search(r", (?:line|column) \w+$", text))
    is_option = bool(re.fullmatch(r"--\S+(?: \S+| '[^']*'| \"[^\"]*\")?", text))
    return is_option or (is_file and not text.startswith("-")) or Path(text).exists()


def _typed_place(what: str, typed: Sequence[Typed], message: str = "") -> str:
    """Return the option or argument that a message names, or whose value it repeats."""
    named = [one for one in typed if one[0] and f"`{one[0]}`" in what]
    quoted = [one for one in typed if one[1] and any(f"{q}{one[1]}{q}" in what for q in "`'\"")]
    told = [one for one in typed if one[0] and _is_told(one, what)]
    meant = [one for one in typed if " " in _words(one) and _words(one) in message]
    best = (
        [one for one in named if one in quoted or one in told] or named or quoted or told or meant
    )
    return " ".join(best[0]).strip() if best else ""


def _is_told(typed: Typed, what: str) -> bool:
    """Return true if a message has the words of an option's name, and its value."""
    value = re.escape(typed[1])
    has_value = bool(value) and bool(re.search(rf"(?<!\S){value}(?!\S)", what))
    return has_value and _words(typed) in what


def _words(typed: Typed) -> str:
    """Return the words of an option's name, as a message has them: ``rate scale``."""
    return typed[0].strip("-").replace("-", " ")


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
