"""``venice grep``: as ``grep -F``, by a drive that holds the files."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from venice._native import UsageError
from venice.cli import options
from venice.cli.results import claim, write_json
from venice.cli.screen import say, say_table
from venice.cli.search_report import report_table
from venice.pif import Search
from venice.pif.search import DRIVE
from venice.report.files import to_json

if TYPE_CHECKING:
    from venice.pif import FileFound

_FOUND, _NOT_FOUND, _TROUBLE = 0, 1, 2
_STDIN = "-"
_STDIN_NAME = "(standard input)"

_REFUSED = {
    "-i": "the chips compare bytes as they are: give each spelling with -e",
    "-v": "lines without a match lie in nearly every page, and every page would have to be sent",
    "-w": "the chips know no words: give the characters around the word too",
    "-x": "the chips know no lines",
    "-r": "name the files",
    "-R": "name the files",
    "-E": "the chips search for fixed strings",
    "-G": "the chips search for fixed strings",
    "-P": "the chips search for fixed strings",
    "-f": "give each pattern with -e",
    "-L": "it lists files of which every page has to be read",
    "-A": "only lines with a match are printed",
    "-B": "only lines with a match are printed",
    "-C": "only lines with a match are printed",
    "-m": "all pages are searched at once",
    "-b": "only names and numbers of lines are printed",
    "-z": "lines end in a newline",
}
_LONG = {
    "--ignore-case": "-i", "--invert-match": "-v", "--word-regexp": "-w", "--line-regexp": "-x",
    "--recursive": "-r", "--dereference-recursive": "-R", "--extended-regexp": "-E",
    "--basic-regexp": "-G", "--perl-regexp": "-P", "--file": "-f", "--files-without-match": "-L",
    "--after-context": "-A", "--before-context": "-B", "--context": "-C", "--max-count": "-m",
    "--byte-offset": "-b", "--null-data": "-z",
}  # fmt: skip


class GrepCommand(TyperCommand):
    """A command that says of options of ``grep`` that it lacks why it does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 click's or typer's own
        """Parse the arguments."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # typer does not say where its class for unknown options is
            option = getattr(error, "option_name", "")
            short = _LONG.get(option, option)
            if short in _REFUSED:
                raise UsageError(
                    f"`{option}` of grep is not supported: {_REFUSED[short]}"
                ) from None
            raise


def grep(
    *,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATTERN] FILE...", help="PATTERN only without -e; - for stdin."),
    ] = None,
    patterns: Annotated[
        list[str] | None,
        typer.Option("-e", "--regexp", metavar="PATTERN", help="Search for this; up to 8 times."),
    ] = None,
    count: Annotated[bool, typer.Option("-c", "--count", help="Count lines.")] = False,
    names: Annotated[
        bool, typer.Option("-l", "--files-with-matches", help="Name files with a line.")
    ] = False,
    number: Annotated[bool, typer.Option("-n", "--line-number", help="Number lines.")] = False,
    parts: Annotated[
        bool, typer.Option("-o", "--only-matching", help="Print the matching parts only.")
    ] = False,
    with_name: Annotated[
        bool | None,
        typer.Option("--with-filename/--no-filename", "-H/-h", help="Name the file of each line."),
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing.")] = False,
    silent: Annotated[
        bool, typer.Option("-s", "--no-messages", help="Do not tell of files that are not there.")
    ] = False,
    _fixed: Annotated[
        bool, typer.Option("-F", "--fixed-strings", help="It does so anyway.")
    ] = False,
    _text: Annotated[bool, typer.Option("-a", "--text", help="It does so anyway.")] = False,
    report: options.SearchReport = False,
    drive: options.Drive = DRIVE,
    fabric: options.Fabric = None,
    sets: options.Sets = None,
    seed: options.Seed = None,
    json: options.Json = None,
) -> None:
    """Store files in a drive and search them there, as `grep -F` does.

    Wear is set with --set pif.pe_cycles=..., pif.retention_days=...; see `venice config explain`.
    """
    searched, files = _split(patterns, arguments or [])
    wanted = _wanted(count=count, names=names, parts=parts, quiet=quiet)
    search = Search(
        searched,
        wanted=wanted,
        with_name=len(files) > 1 if with_name is None else with_name,
        with_number=number,
        drive=drive,
        fabric=fabric,
        sets=sets or (),
        seed=seed,
    )
    with ExitStack() as claimed:
        json_file = claim(claimed, json)
        code = _search(search, files, silent=silent, quiet=quiet)
        if report or json:
            figures = search.report()
            write_json(to_json(figures.to_dict()), json, json_file)
            if report:
                say_table(report_table(figures), stderr=True)
    sys.stdout.flush()
    raise typer.Exit(code)


def _split(patterns: list[str] | None, arguments: list[str]) -> tuple[list[str], list[str]]:
    if patterns:
        return patterns, arguments or [_STDIN]
    if not arguments:
        raise UsageError("there is no pattern to search for: `venice grep PATTERN FILE...`")
    return arguments[:1], arguments[1:] or [_STDIN]


def _wanted(*, count: bool, names: bool, parts: bool, quiet: bool) -> str:
    """Choose as ``grep`` does when several are asked for."""
    if quiet:
        return "nothing"
    if names:
        return "name"
    if count:
        return "count"
    return "parts" if parts else "lines"


def _search(search: Search, files: list[str], *, silent: bool, quiet: bool) -> int:
    """Search file by file and give the exit code."""
    any_found = any_unreadable = any_trouble = False
    for name in files:
        try:
            found = _search_one(search, name)
        except OSError as error:
            any_trouble = True
            if not silent:
                say(f"venice grep: {name}: {error.strerror or error}", stderr=True)
            continue
        sys.stdout.buffer.write(found.output)
        any_found |= found.lines > 0
        for page in found.unreadable:
            any_unreadable = True
            say(f"error: {page}", stderr=True)
    if any_trouble and not (quiet and any_found):
        return _TROUBLE
    return _FOUND if any_found and (quiet or not any_unreadable) else _NOT_FOUND


def _search_one(search: Search, name: str) -> FileFound:
    if name == _STDIN:
        return search.bytes(sys.stdin.buffer.read(), _STDIN_NAME)
    if os.path.isdir(name):  # noqa: PTH112 names are as they were given
        raise IsADirectoryError(0, "Is a directory")
    return search.file(name)
