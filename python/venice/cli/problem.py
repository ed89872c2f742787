"""Layout of errors: problem, location, expected value, advice.

Errors of configurations come from the engine in this layout. Messages of other exceptions are one
sentence, ``WHERE: WHAT; EXPECTED; ADVICE``, which this module splits.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from venice.options.argument_names import split_values, with_sets_as

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.cli.command_words import Typed

_HEAD = "error: "
_WHERE = "  --> "
_NOTE = "   = "
_CLAUSE = re.compile(r"; (?=(?:[^`]*`[^`]*`)*[^`]*$)")
"""Separator of the clauses of a message; semicolons within backticks do not separate."""
_WHERE_AND_WHAT = re.compile(r"(?P<where>--\S+ (?:'[^']*'|\"[^\"]*\")|[^:`]+?): (?P<what>.+)")
_EXPECTED = re.compile(r"(?:it should be|expected:?) ")
_ARGUMENT = re.compile(r"`([a-z_]+)=(?:True|\"([^\"`]*)\")?`")
"""Argument of the Python API in a message: ```seed=```, ```fold=True```, ```fabric="bus"```."""
_ARGUMENT_AS_PLACE = re.compile(
    r'(?:(?<=--> )|(?<=problem in )|(?<=problems in ))([a-z_]+)="([^"\n]*)"'
)
"""Argument of the Python API as the location of a configuration error: ``--> fabric="bus"``."""
_PYTHON_SYNTAX_ERROR = re.compile(
    r"(?P<file>.+?):? is not TOML: (?P<what>.+) \(at line (?P<line>\d+), column (?P<column>\d+)\)"
)
_READING_SCENARIOS = ("venice sweep run", "venice explore")
"""Commands whose definition files have the arguments of the Python API as keys."""
_VERB = re.compile(r"(?:is|was|holds|defines|has|cannot|could not) ")
"""Verb at the beginning of a message whose subject is the location of the error."""
_VALUE_OF_AXIS = re.compile(
    r'vary=\{"(?P<key>[^\n]+?)": \[(?P<value>"(?:[^"\\\n]|\\.)*")\]\}|'
    r'schemes=\["(?P<scheme>[^"\n]*)"\]'
)
"""Argument of the Python API with one value of several, as the location of an error."""
_OPTIONS = {"sets": "set", "drives": "drive", "power_loss_us": "power-loss"}
"""Options whose name differs from that of the argument in the Python API."""


class Problem(NamedTuple):
    """An error: problem, location (empty if unknown), expected values and advice."""

    what: str
    where: str = ""
    notes: Sequence[str] = ()
    """Expected values and advice."""

    def __str__(self) -> str:
        """Return the error as lines: problem, location, notes.

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
    """Exception of the Python API whose message has the layout of command-line errors."""

    def __init__(self, error: Exception, path: str, typed: Sequence[Typed]) -> None:
        super().__init__(error_layout(str(error), path, typed))
        self.error = error


def error_layout(message: str, path: str = "", typed: Sequence[Typed] = ()) -> str:
    """Return the message of an exception in the layout of errors.

    Parameters
    ----------
    message
        Text of the exception.
    path
        Words of the command line up to the command; the location of errors without a better one.
    typed
        Options and arguments as typed; the one that the message names becomes the location.

    Examples
    --------
    >>> message = "`seed=` is -1; it should be from 0 to 9"
    >>> print(error_layout(message, "venice run", [("--seed", "-1")]))
    error: `--seed` is -1
      --> --seed -1
       = expected: from 0 to 9
    """
    text = _as_keys(message) if path in _READING_SCENARIOS else _as_options(message)
    text = _VALUE_OF_AXIS.sub(lambda found: _typed_axis(found, typed), text)
    lines = text.split("\n")
    if any(line.startswith((_WHERE, _NOTE)) for line in lines):
        return f"{_HEAD}{_with_place(lines, typed).removeprefix(_HEAD)}"
    errors = re.split(rf"\n(?={_HEAD}|\d+ problems? in )", text.removeprefix(_HEAD))
    return "\n".join(_error_or_count(error, path, typed) for error in errors)


def _typed_axis(found: re.Match[str], typed: Sequence[Typed]) -> str:
    """Return the typed option whose list contains a value.

    Examples
    --------
    >>> found = _VALUE_OF_AXIS.fullmatch('vary={"flash.planes": ["x"]}')
    >>> _typed_axis(found, [("--vary", "flash.planes=2,x")])
    '--vary flash.planes=2,x'
    """
    key, scheme = found["key"], found["scheme"]
    value = json.loads(found["value"]) if key else ""
    for option, text in typed:
        name, _, values = text.partition("=")
        if option == "--vary" and name == key and value in split_values(values):
            return f"{option} {text}"
        if option == "--schemes" and scheme in text.split(","):
            return f"{option} {text}"
    return f"--schemes {scheme}" if key is None else f"--vary {key}={value}"


def _with_place(lines: Sequence[str], typed: Sequence[Typed]) -> str:
    """Return the lines of an error with its location, by default the option at fault."""
    what, *others = lines
    place = "" if any(line.startswith(_WHERE) for line in others) else _typed_place(what, typed)
    return "\n".join([what, *([f"{_WHERE}{place}"] if place else []), *others])


def _error_or_count(text: str, path: str, typed: Sequence[Typed]) -> str:
    is_count = bool(re.match(r"\d+ problems? in ", text))
    return text if is_count else str(_problem(text.removeprefix(_HEAD), path, typed))


def _problem(message: str, path: str, typed: Sequence[Typed]) -> Problem | str:
    first, *others = message.split("\n")
    sentence, *clauses = _CLAUSE.split(first)
    if (found := _PYTHON_SYNTAX_ERROR.fullmatch(sentence)) is not None:
        file = found["file"].strip("`")
        what = f"`{file}` is not TOML: {found['what']}"
        return Problem(what, f"{file}:{found['line']}:{found['column']}", clauses)
    found = _WHERE_AND_WHAT.fullmatch(sentence)
    where, what = "", sentence
    if found is not None and _is_place(found["where"]):
        where, what = found["where"], found["what"]
        what = f"`{where}` {what}" if _VERB.match(what) else what
    if where and _EXPECTED.match(what):
        clauses, what = [what, *clauses], f"`{where}` is not valid"
    where = where or _typed_place(what, typed, message) or path
    return Problem(what, where, [*clauses, *_joined(others)])


def _is_place(text: str) -> bool:
    """Return true if the text is an option with its value, or a file, perhaps with a line."""
    is_file = " " not in text or bool(re.search(r", (?:line|column) \w+$", text))
    is_option = bool(re.fullmatch(r"--\S+(?: \S+| '[^']*'| \"[^\"]*\")?", text))
    return is_option or (is_file and not text.startswith("-")) or Path(text).exists()


def _typed_place(what: str, typed: Sequence[Typed], message: str = "") -> str:
    """Return the typed option or argument that an error is about, found by its name or value."""
    named = [one for one in typed if one[0] and f"`{one[0]}`" in what]
    quoted = [one for one in typed if one[1] and any(f"{q}{one[1]}{q}" in what for q in "`'\"")]
    worded = [one for one in typed if one[0] and _is_worded(one, what)]
    meant = [one for one in typed if " " in _words(one) and _words(one) in message]
    surest = [one for one in named if one in quoted or one in worded]
    best = surest or named or quoted or worded or meant
    return " ".join(best[0]).strip() if best else ""


def _is_worded(typed: Typed, what: str) -> bool:
    """Return true if a message contains an option's name as words, and its value unquoted."""
    value = re.escape(typed[1])
    has_value = bool(value) and bool(re.search(rf"(?<!\S){value}(?!\S)", what))
    return has_value and _words(typed) in what


def _words(typed: Typed) -> str:
    """Return an option's name as the words of a sentence, such as ``rate scale``."""
    return typed[0].strip("-").replace("-", " ")


def _as_options(message: str) -> str:
    """Replace arguments of the Python API in a message by options of the command line.

    Examples
    --------
    >>> _as_options('add `trace_resample="blocks"`')
    'add `--trace-resample blocks`'
    """

    def option(found: re.Match[str]) -> str:
        name = _OPTIONS.get(found[1], found[1]).replace("_", "-")
        return f"`--{name} {found[2]}`" if found[2] else f"`--{name}`"

    text = _ARGUMENT_AS_PLACE.sub(
        lambda found: option(found).strip("`"), _ARGUMENT.sub(option, message)
    )
    return with_sets_as("--set", text)


def _as_keys(message: str) -> str:
    """Replace arguments of the Python API in a message by keys of a definition file."""
    return _ARGUMENT.sub(
        lambda found: f"`{found[1]} = {found[2]}`" if found[2] else f"`{found[1]}`", message
    )


def _joined(lines: Sequence[str]) -> list[str]:
    """Join each note with the indented lines that follow it."""
    return re.split(r"\n(?! )", "\n".join(lines)) if lines else []


def _note(text: str) -> str:
    noted = _EXPECTED.sub("expected: ", text) if _EXPECTED.match(text) else text
    return _NOTE + noted.replace("\n", "\n   ")
