"""``venice grep``: ``grep -F`` and ``grep -E`` on files stored in a simulated drive."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from os import fsencode
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venice._native import UsageError
from venice.cli import options
from venice.cli.command import Command, command, flag, option
from venice.cli.files import STANDARD_STREAM, each, files_below
from venice.cli.grep_files import Files, identity_of_output
from venice.cli.grep_messages import Messages
from venice.cli.output_files import claim, write_json
from venice.cli.screen import print_table, print_text
from venice.cli.search_report import drive_of_search, report_table
from venice.cli.usage import OptionError, UnknownNameError
from venice.cli.value_types import InputFile, Integer, Pattern
from venice.files.open_errors import unreadable
from venice.pif import FileFound, Search
from venice.pif.search import DRIVE
from venice.report.files import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venice.cli.command import Decorator
    from venice.cli.grep_files import SearchedFile
    from venice.config import FabricName

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
"""Messages about options of ``grep`` that are not supported."""


def _searched_files(arguments: Sequence[str], values: Mapping[str, Any]) -> Iterator[str | Path]:
    """Yield the searched files; files in folders are needed only if the command writes a file."""
    if values["json"] is None:
        return
    has_pattern = values["patterns"] or values["pattern_files"]
    yield from each(arguments if has_pattern else arguments[1:], values)
    if values["recursive"] or values["follow"]:
        for folder in arguments if has_pattern else arguments[1:] or ["."]:
            yield from files_below(folder, values)


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Drive that stores the searched files."""

    drive: str
    fabric: FabricName | None
    sets: tuple[str, ...]
    seed: int | None


@dataclass(frozen=True, kw_only=True)
class _GrepOptions:
    """Options of the search and of its output."""

    patterns: tuple[str, ...]
    pattern_files: tuple[str, ...]
    extended: bool
    ignore_case: bool
    invert: bool
    words: bool
    whole_lines: bool
    count: bool
    names_with: bool | None
    at_most: int | None
    number: bool
    offset: bool
    parts: bool
    after: int | None
    before: int | None
    context: int | None
    with_name: bool | None
    recursive: bool
    follow: bool
    quiet: bool

    @property
    def wanted(self) -> str:
        """Type of output that the options select, in GNU ``grep``'s order of precedence."""
        if self.quiet:
            return "nothing"
        if self.names_with is not None:
            return "name" if self.names_with else "name_without"
        if self.count:
            return "count"
        return "parts" if self.parts else "lines"

    def split(self, arguments: Sequence[str]) -> tuple[list[str | bytes], list[str]]:
        """Separate patterns from files; default: standard input, or the working folder with -r.

        Raises
        ------
        click.UsageError
            If there is no pattern.
        """
        searched: list[str | bytes] = [*self.patterns]
        for name in self.pattern_files:
            searched += _lines_of(name)
        if not self.patterns and not self.pattern_files:
            if not arguments:
                text = "there is no pattern to search for: `venice grep PATTERN FILE...`"
                raise click.UsageError(text, click.get_current_context())
            searched, arguments = [arguments[0]], arguments[1:]
        default = [] if self.recursive or self.follow else [STANDARD_STREAM]
        return searched, [*arguments] or default

    def selects_nothing(self, searched: Sequence[str | bytes]) -> bool:
        """Return true if no line can be selected, so that no file is opened, as in GNU grep."""
        are_empty = not any(part for text in searched for part in fsencode(text).split(b"\n"))
        if searched:
            unselectable = are_empty and self.invert and not (self.words or self.whole_lines)
        else:
            unselectable = are_empty and not self.invert
        return (self.at_most == 0 or unselectable) and self.wanted != "name_without"

    def search(
        self, searched: Sequence[str | bytes], place: _Place, *, are_several: bool
    ) -> Search:
        """Return a search with these options, in a drive that stores the files."""
        return Search(
            searched,
            wanted=self.wanted,
            extended=self.extended,
            ignore_case=self.ignore_case,
            invert=self.invert,
            words=self.words,
            unicode_words=_is_utf8_locale(),
            whole_lines=self.whole_lines,
            with_name=are_several if self.with_name is None else self.with_name,
            with_number=self.number,
            with_offset=self.offset,
            around=self._around(),
            at_most=self.at_most,
            drive=drive_of_search(place.drive, place.fabric, place.sets, place.seed),
        )

    def _around(self) -> tuple[int, int] | None:
        if self.before is None and self.after is None and self.context is None:
            return None
        return (
            (self.context or 0) if self.before is None else self.before,
            (self.context or 0) if self.after is None else self.after,
        )


class _Grep(Command):
    """Command with specific messages for options of ``grep`` that are not supported."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line.

        Raises
        ------
        OptionError
            If the command line has an unsupported option.
        """
        try:
            return super().parse_args(ctx, args)
        except UnknownNameError as error:
            if error.name in LACKS:
                raise OptionError(error.name, LACKS[error.name]) from None
            raise


def _lines(*names: str, help: str) -> Decorator:  # noqa: A002 as click
    """Declare an option with a number of lines."""
    return option(*names, metavar="N", type=Integer(0), help=help)


# `-h` is an option of grep, not the help.
@command("grep", cls=_Grep, help_option_names=["--help"])
@options.argument(
    "arguments",
    metavar="[PATTERN] FILE...",
    nargs=-1,
    type=InputFile(reads=_searched_files),
    help="Pattern (only without -e and -f), then files to search; - for standard input.",
)
@option(
    "-e",
    "--regexp",
    "patterns",
    metavar="PATTERN",
    multiple=True,
    type=Pattern(),
    help="Pattern to search for; repeatable.",
)
@option(
    "-f",
    "--file",
    "pattern_files",
    metavar="FILE",
    multiple=True,
    type=InputFile(reads=each),
    help="File with a pattern on each line; repeatable.",
)
@flag("-E", "--extended-regexp", "extended", help="Patterns are extended regular expressions.")
@flag(
    "-F",
    "--fixed-strings",
    expose_value=False,
    help="Patterns are literal strings; the default without -E.",
)
@flag("-i", "-y", "--ignore-case", help="Case-insensitive search.")
@flag("-v", "--invert-match", "invert", help="Print the lines without a match.")
@flag("-w", "--word-regexp", "words", help="Only matches that are whole words.")
@flag("-x", "--line-regexp", "whole_lines", help="Only matches that are whole lines.")
@flag("-c", "--count", help="Print only the number of selected lines per file.")
@flag(
    "-l/-L",
    "--files-with-matches/--files-without-match",
    "names_with",
    default=None,
    help="Print only the names of files with a selected line / without one.",
)
@_lines(
    "-m",
    "--max-count",
    "at_most",
    help="Largest number of selected lines per file [default: no limit].",
)
@flag("-n", "--line-number", "number", help="Print the line number before each line.")
@flag(
    "-b",
    "--byte-offset",
    "offset",
    help="Print the byte offset before each line, or with -o before each matching part.",
)
@flag("-o", "--only-matching", "parts", help="Print only the matching parts of lines.")
@_lines("-A", "--after-context", "after", help="Lines of context after each line [default: 0].")
@_lines("-B", "--before-context", "before", help="Lines of context before each line [default: 0].")
@_lines(
    "-C", "--context", "context", help="Lines of context before and after each line [default: 0]."
)
@flag(
    "-H/-h",
    "--with-filename/--no-filename",
    "with_name",
    default=None,
    help="Print the file name before each line / never print it.",
)
@flag(
    "-r",
    "--recursive",
    help="Search of folders, recursively; symbolic links in them are not followed.",
)
@flag(
    "-R",
    "--dereference-recursive",
    "follow",
    help="Search of folders, recursively; symbolic links are followed.",
)
@flag(
    "-q",
    "--quiet",
    "--silent",
    "quiet",
    help="Print nothing; only the exit code shows whether a line was selected.",
)
@flag("-s", "--no-messages", "silent", help="Print no messages about missing files.")
@flag("-a", "--text", expose_value=False, help="Accepted for compatibility with grep; no effect.")
@options.drive(DRIVE)
@options.drive_choice
@options.json
@options.search_report
@options.gather(grep_options=_GrepOptions, place=_Place)
def grep(
    grep_options: _GrepOptions,
    place: _Place,
    *,
    arguments: tuple[str, ...],
    silent: bool,
    report: bool,
    json: str | None,
) -> int:
    """Search files within a drive, as `grep -F` or `grep -E`.

    The wear of the flash is set with --set pif.pe_cycles=..., pif.retention_days=...; see `venice
    config explain`.
    """
    searched, files = grep_options.split(arguments)
    if grep_options.selects_nothing(searched):
        return _NOT_FOUND
    messages = Messages(silent=silent)
    found = Files(files, messages, recursive=grep_options.recursive, follow=grep_options.follow)
    search = grep_options.search(searched, place, are_several=found.are_several)
    prints_lines = grep_options.wanted in ("lines", "parts") and grep_options.at_most != 1
    printer = _Printer(prints_lines=prints_lines)
    with ExitStack() as claimed:
        json_file = claim(claimed, json)
        try:
            code = _search(search, found, printer, messages, quiet=grep_options.quiet)
        except _OutputFailedError as error:
            raise error.__cause__ or error from None
        if report or json:
            figures = search.report()
            write_json(lambda: to_json(figures.to_dict()), json, json_file)
            if report:
                print_table(report_table(figures), stderr=True)
    sys.stdout.flush()
    return code


def _lines_of(name: str) -> list[bytes]:
    """Return the patterns in a file; an empty file has none."""
    try:
        text = sys.stdin.buffer.read() if name == STANDARD_STREAM else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {unreadable(error, 'a pattern on each line')}") from None
    return text.removesuffix(b"\n").split(b"\n") if text else []


def _is_utf8_locale() -> bool:
    """Return true for a UTF-8 locale, determined as GNU grep does."""
    is_coerced = sys.flags.utf8_mode == 1 and "LC_ALL" not in os.environ
    if is_coerced and os.environ.get("LC_CTYPE") == "C.UTF-8":
        return False  # Python sets this locale in place of the C locale.
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((name for name in names if name), "C")
    return locale.partition("@")[0].lower().endswith((".utf-8", ".utf8"))


class _Printer:
    """Standard output of a search; an error in writing to it ends the command."""

    def __init__(self, *, prints_lines: bool) -> None:
        self._output = identity_of_output() if prints_lines else None

    def writes_to(self, file: SearchedFile) -> bool:
        """Return true if standard output is redirected to the searched file."""
        if self._output is None:
            return False
        status = file.status()
        return (status.st_dev, status.st_ino) == self._output

    def write(self, output: bytes) -> None:
        """Write lines of the output to standard output."""
        try:
            sys.stdout.buffer.write(output)
        except OSError as error:
            raise _OutputFailedError from error


class _OutputFailedError(Exception):
    """Failure to write to standard output."""


def _search(
    search: Search, files: Files, printer: _Printer, messages: Messages, *, quiet: bool
) -> int:
    """Search the files in order and return the exit code."""
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
            print_text(f"error: {page}", stderr=True)
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
