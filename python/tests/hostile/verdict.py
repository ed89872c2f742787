"""The rules that no input may make Venice break."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import stat
from typing import TYPE_CHECKING, Any

from ..report_consistency import inconsistencies
from .pages import injections

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from .case import Case, Outcome

_EXIT_CODES = frozenset({0, 1, 2, 3})
_REMARKS = ("warning: ", "note: ")
_BUGS = ("Traceback (most recent", "bug in Venice", "panicked at", "RequestOptions.", "core dumped")
_MOST_CHARACTERS = 2_000
"""Maximum length of one error message, without lists of accepted values."""
_MOST_IN_ALL = 8_000
"""Maximum length of all error messages for a file, without lists of accepted values."""
_MOST_QUOTED = 200
_LONGEST_LINE = 2_000
_STEP = 20
_LISTING = re.compile("expected: one of\n|one of these formats, selected with --format:\n")
"""The message for an unknown format lists all formats and is longer than any other message."""

Contents = dict[str, str]


def contents(folder: Path) -> Contents:
    """Return a digest of every file below a folder, and the kind of entries that are not files."""
    return {str(path.relative_to(folder)): _digest(path) for path in sorted(folder.rglob("*"))}


def faults(case: Case, outcome: Outcome, folder: Path, before: Contents) -> list[str]:
    """Return the rules that a case violated.

    Parameters
    ----------
    folder
        Parent of the working folder of the case.
    before
        Contents of this folder before the run.
    """
    if outcome.is_late:
        return ["did not end in time"]
    found = [*_of_code(case, outcome), *_of_messages(case, outcome)]
    found += _of_files(case, outcome, before, contents(folder))
    if outcome.code == 0:
        found += _of_outputs(case, folder / "work")
    return found + case.faults(outcome, folder / "work")


def _digest(path: Path) -> str:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return f"link to {path.readlink()}"
    if not stat.S_ISREG(mode):
        return stat.filemode(mode)[0]
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _of_code(case: Case, outcome: Outcome) -> Iterator[str]:
    if outcome.code < 0:
        yield f"ended by {signal.Signals(-outcome.code).name}"
    elif outcome.code not in _EXIT_CODES:
        yield f"exit code {outcome.code}"
    elif case.must_fail and outcome.code == 0:
        yield "was not refused"


def _of_messages(case: Case, outcome: Outcome) -> Iterator[str]:
    reported = outcome.stderr.decode(errors="replace")
    yield from (f"says {bug!r}" for bug in _BUGS if bug in reported)
    lines = [line for line in reported.splitlines(keepends=True) if not line.startswith(_REMARKS)]
    yield from _of_length(_LISTING.split("".join(lines), maxsplit=1)[0], _given(case))
    if outcome.code in (1, 2) and not case.script and not _is_laid_out(case, outcome, lines):
        yield f"an error without the common layout: {reported[:100]!r}"


def _of_length(reported: str, given: str) -> Iterator[str]:
    longest = max(map(len, reported.split("\nerror: ")))
    if longest > _MOST_CHARACTERS or len(reported) > _MOST_IN_ALL:
        yield f"an error of {longest} characters, {len(reported)} in all"
    for line in reported.splitlines():
        if len(line) > _LONGEST_LINE or _quotes(line, given):
            yield f"an error with a line of {len(line)} characters: {line[:60]!r}"
            return


def _given(case: Case) -> str:
    """Return all text of a case that an error message may quote."""
    words = (os.fsencode(word) for word in case.arguments)
    return b"\n".join([*words, *case.files.values()]).decode(errors="replace")


def _quotes(line: str, given: str) -> bool:
    """Return true if a line quotes more of the input than a message may."""
    window = _MOST_QUOTED + 1
    return any(line[n : n + window] in given for n in range(0, len(line) - window + 1, _STEP))


def _is_laid_out(case: Case, outcome: Outcome, lines: Sequence[str]) -> bool:
    if not lines:  # exit code 1 of grep means that no line was found
        return outcome.code == 1 and case.layout != "error: "
    # The message for a wrong option of `grep` has the layout of all commands.
    return any(line.startswith((case.layout, "error: ")) for line in lines)


def _of_files(case: Case, outcome: Outcome, before: Contents, after: Contents) -> Iterator[str]:
    allowed = case.stores + (case.outputs if outcome.code == 0 else ())
    for name in sorted(before.keys() | after.keys()):
        is_output = any(f"{name}/".startswith(f"work/{one}/") for one in allowed)
        if before.get(name) != after.get(name) and not is_output:
            change = "changed" if name in after else "vanished"
            yield f"the file {name} {change if name in before else 'appeared'}"


def _of_outputs(case: Case, folder: Path) -> Iterator[str]:
    for name in case.outputs:
        path = folder / name
        if path.is_file():
            yield from _of_output(path, path.read_bytes())


def _of_output(path: Path, content: bytes) -> Iterator[str]:
    if path.suffix == ".json":
        yield from _of_reports(path.name, content)
    elif path.suffix == ".html":
        yield from (f"{path.name}: {text}" for text in injections(content.decode()))
        if not content.rstrip().endswith(b"</html>"):
            yield f"{path.name} is cut off"
    elif path.suffix == ".parquet" and not content.endswith(b"PAR1"):
        yield f"{path.name} is cut off"


def _of_reports(name: str, content: bytes) -> Iterator[str]:
    try:
        value = json.loads(content)
    except ValueError as error:
        yield f"{name} is not JSON: {error}"
        return
    for report in _reports(value):
        yield from (f"{name}: {text}" for text in inconsistencies(report))


def _reports(value: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401 any JSON value
    if isinstance(value, dict) and "latency_us" in value and "requests" in value:
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _reports(inner)
