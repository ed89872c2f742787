"""``venice grep``: as ``grep -F`` and ``grep -E``, by a drive that holds the files."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from os import fsencode
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from venice._native import UsageError
from venice.cli import options
from venice.cli.declared import Argument, Option
from venice.cli.files import below, each
from venice.cli.grep_files import STDIN, Files, identity_of_output
from venice.cli.grep_messages import Messages
from venice.cli.screen import say, say_table
from venice.cli.search_report import report_table
from venice.cli.written import claim, write_json
from venice.pif import FileFound, Search
from venice.pif.search import DRIVE
from venice.report.files import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venice.cli.grep_files import SearchedFile

_FOUND, _NOT_FOUND, _TROUBLE = 0, 1, 2

_REFUSED = {
    "-G --basic-regexp": "basic expressions are not supported: use -E, or -F for fixed strings",
    "-P --perl-regexp": "Perl's expressions are not supported: use -E",
    "-z --null-data": "lines end in a newline",
    "-Z --null": "names end in a newline or a colon",
    "-U --binary": "bytes are compared as they are anyway",
    "-I": "files with NUL bytes are searched as texts",
    "-T --initial-tab": "lines are printed as they are",
}
LACKS = {
    option: f"`{option}` of grep is not supported: {reason}"
    for names, reason in _REFUSED.items()
    for option in names.split()
}
"""What is said of options of ``grep`` that are not taken."""


def _searched_files(arguments: Sequence[str], values: Mapping[str, Any]) -> Iterator[str | Path]:
    """Yield the files that are searched, those of folders only if a file is written."""
    if values["json"] is None:
        return
    has_pattern = values["patterns"] or values["pattern_files"]
    yield from each(arguments if has_pattern else arguments[1:], values)
    if values["recursive"] or values["follow"]:
        for folder in arguments if has_pattern else arguments[1:] or ["."]:
            yield from below(folder, values)


def grep(
    *,
    arguments: Annotated[
        list[str] | None,
        Argument(
            metavar="[PATTERN] FILE...",
            help="PATTERN only without -e; - for stdin.",
            reads=_searched_files,
        ),
    ] = None,
    patterns: Annotated[
        list[str] | None,
        Option(
            "-e",
            "--regexp",
            metavar="PATTERN",
            help="Search for this; may be repeated.",
            any_bytes=True,
        ),
    ] = None,
    pattern_files: Annotated[
        list[str] | None,
        Option(
            "-f", "--file", metavar="FILE", help="Search for the lines of this file.", reads=each
        ),
    ] = None,
    extended: Annotated[
        bool, Option("-E", "--extended-regexp", help="Patterns are extended expressions.")
    ] = False,
    _fixed: Annotated[
        bool,
        Option("-F", "--fixed-strings", help="Patterns are strings, unless -E is given."),
    ] = False,
    ignore_case: Annotated[
        bool, Option("-i", "-y", "--ignore-case", help="Take letters of either case.")
    ] = False,
    invert: Annotated[
        bool, Option("-v", "--invert-match", help="Select lines without a match.")
    ] = False,
    words: Annotated[bool, Option("-w", "--word-regexp", help="Match whole words only.")] = False,
    whole_lines: Annotated[
        bool, Option("-x", "--line-regexp", help="Match whole lines only.")
    ] = False,
    count: Annotated[bool, Option("-c", "--count", help="Count lines.")] = False,
    names_with: Annotated[
        bool | None,
        Option(
            "-l",
            "--files-with-matches",
            help="Name files with a line.",
            off=Option("-L", "--files-without-match", help="Name files without a line."),
        ),
    ] = None,
    at_most: Annotated[
        int | None,
        Option("-m", "--max-count", metavar="N", least=0, help="Select N lines at most."),
    ] = None,
    number: Annotated[bool, Option("-n", "--line-number", help="Number lines.")] = False,
    offset: Annotated[
        bool, Option("-b", "--byte-offset", help="Say where lines or parts begin.")
    ] = False,
    parts: Annotated[
        bool, Option("-o", "--only-matching", help="Print the matching parts only.")
    ] = False,
    after: Annotated[
        int | None,
        Option("-A", "--after-context", metavar="N", least=0, help="Print N lines after each."),
    ] = None,
    before: Annotated[
        int | None,
        Option("-B", "--before-context", metavar="N", least=0, help="Print N lines before each."),
    ] = None,
    context: Annotated[
        int | None,
        Option("-C", "--context", metavar="N", least=0, help="Print N lines around each."),
    ] = None,
    with_name: Annotated[
        bool | None,
        Option(
            "-H",
            "--with-filename",
            off=Option("-h", "--no-filename"),
            help="Name the file of each line.",
        ),
    ] = None,
    recursive: Annotated[
        bool, Option("-r", "--recursive", help="Search the files of folders.")
    ] = False,
    follow: Annotated[
        bool, Option("-R", "--dereference-recursive", help="The same, through links too.")
    ] = False,
    quiet: Annotated[bool, Option("-q", "--quiet", "--silent", help="Print nothing.")] = False,
    silent: Annotated[
        bool, Option("-s", "--no-messages", help="Do not tell of files that are not there.")
    ] = False,
    _text: Annotated[bool, Option("-a", "--text", help="It does so anyway.")] = False,
    report: options.SearchReport = False,
    drive: options.Drive = DRIVE,
    fabric: options.Fabric = None,
    sets: options.Sets = None,
    seed: options.Seed = None,
    json: options.Json = None,
) -> int:
    """Store files in a drive and search them there, as `grep -F` or `grep -E` does.

    Wear is set with --set pif.pe_cycles=..., pif.retention_days=...; see `venice config explain`.
    """
    searched, files = _split(
        patterns, pattern_files, arguments or [], recursive=recursive or follow
    )
    wanted = _wanted(count=count, names_with=names_with, parts=parts, quiet=quiet)
    # GNU grep opens no file if it is sure that no line can be selected.
    are_empty = not any(part for text in searched for part in fsencode(text).split(b"\n"))
    lines_unselectable = are_empty and (
        not invert if not searched else invert and not (words or whole_lines)
    )
    if (at_most == 0 or lines_unselectable) and wanted != "name_without":
        return _NOT_FOUND
    messages = Messages(silent=silent)
    found = Files(files, messages, recursive=recursive, follow=follow)
    search = Search(
        searched,
        wanted=wanted,
        extended=extended,
        ignore_case=ignore_case,
        invert=invert,
        words=words,
        unicode_words=_is_utf8_locale(),
        whole_lines=whole_lines,
        with_name=found.are_several if with_name is None else with_name,
        with_number=number,
        with_offset=offset,
        around=_around(before, after, context),
        at_most=at_most,
        drive=drive,
        fabric=fabric,
        sets=sets or (),
        seed=seed,
    )
    printer = _Printer(prints_lines=wanted in ("lines", "parts") and at_most != 1)
    with ExitStack() as claimed:
        json_file = claim(claimed, json)
        try:
            code = _search(search, found, printer, messages, quiet=quiet)
        except _OutputFailedError as error:
            raise error.__cause__ or error from None
        if report or json:
            figures = search.report()
            write_json(lambda: to_json(figures.to_dict()), json, json_file)
            if report:
                say_table(report_table(figures), stderr=True)
    sys.stdout.flush()
    return code


def _split(
    patterns: list[str] | None,
    pattern_files: list[str] | None,
    arguments: list[str],
    *,
    recursive: bool,
) -> tuple[list[str | bytes], list[str]]:
    """Tell patterns from files; without files, standard input or this folder."""
    searched: list[str | bytes] = [*(patterns or [])]
    for name in pattern_files or []:
        searched += _lines_of(name)
    if patterns is None and pattern_files is None:
        if not arguments:
            raise UsageError("there is no pattern to search for: `venice grep PATTERN FILE...`")
        searched, arguments = [arguments[0]], arguments[1:]
    return searched, arguments or ([] if recursive else [STDIN])


def _lines_of(name: str) -> list[bytes]:
    """Give the patterns of a file; none of an empty one."""
    try:
        text = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or error}") from None
    return text.removesuffix(b"\n").split(b"\n") if text else []


def _around(before: int | None, after: int | None, context: int | None) -> tuple[int, int] | None:
    if before is None and after is None and context is None:
        return None
    return (
        (context or 0) if before is None else before,
        (context or 0) if after is None else after,
    )


def _wanted(*, count: bool, names_with: bool | None, parts: bool, quiet: bool) -> str:
    """Choose as ``grep`` does when several are asked for."""
    if quiet:
        return "nothing"
    if names_with is not None:
        return "name" if names_with else "name_without"
    if count:
        return "count"
    return "parts" if parts else "lines"


def _is_utf8_locale() -> bool:
    """Return true if characters are UTF-8 by the locale, as GNU grep finds it."""
    is_coerced = sys.flags.utf8_mode == 1 and "LC_ALL" not in os.environ
    if is_coerced and os.environ.get("LC_CTYPE") == "C.UTF-8":
        return False  # Python has set it in place of the C locale.
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((name for name in names if name), "C")
    return locale.partition("@")[0].lower().endswith((".utf-8", ".utf8"))


class _Printer:
    """Standard output, whose errors end the command, unlike those of a file that is read."""

    def __init__(self, *, prints_lines: bool) -> None:
        self._output = identity_of_output() if prints_lines else None

    def writes_to(self, file: SearchedFile) -> bool:
        """Return true if lines found in the file would be appended to it."""
        if self._output is None:
            return False
        status = file.status()
        return (status.st_dev, status.st_ino) == self._output

    def write(self, output: bytes) -> None:
        """Write the output of a file."""
        try:
            sys.stdout.buffer.write(output)
        except OSError as error:
            raise _OutputFailedError from error


class _OutputFailedError(Exception):
    """Standard output failed; the cause says why."""


def _search(
    search: Search, files: Files, printer: _Printer, messages: Messages, *, quiet: bool
) -> int:
    """Search file by file and return the exit code."""
    any_found = any_unreadable = False
    for file in files:
        try:
            found = _search_one(search, file, printer, messages)
        except OSError as error:
            messages.error(file.name, error)
            continue
        any_found |= found.lines > 0
        for page in found.unreadable:
            any_unreadable = True
            say(f"error: {page}", stderr=True)
        if quiet and any_found:
            return _FOUND
    if messages.has_errors or any_unreadable:
        return _TROUBLE
    return _FOUND if any_found else _NOT_FOUND


def _search_one(
    search: Search, file: SearchedFile, printer: _Printer, messages: Messages
) -> FileFound:
    if printer.writes_to(file):
        messages.error(file.name, "input file is also the output")
        return FileFound(b"", 0)
    return file.search(search, printer.write)
