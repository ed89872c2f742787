"""``venice grep`` against GNU ``grep -F`` on real text of the machine, at every state of wear.

As a program, this module writes the results that the documentation shows. The text is taken from
the given folders; by default, from the machine's documentation, source trees and logs. Progress is
stored in ``out/grep-grid``: an interrupted run continues, unless the engine, the folders or the
size have changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time
from functools import cache, partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import venice._native
from tools import results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tools.results import Table

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = results.RESULTS / "pif-grep-grid.json"
OUT = REPOSITORY / "out" / "grep-grid"

CYCLES = (0, 500, 1000, 2000)
MONTHS = (0, 1, 3, 6, 12)
DAYS_PER_MONTH = 365 / 12
PAGE_BYTES = 16_384
MEGABYTES = 300
OPTIONS = ("-n", "-e", "error", "-e", "warning:", "-e", "License")
STATES = ((0, 0), (1000, 12), (2000, 6), (2000, 12))
"""Program-erase cycles and months of retention at which every option is tested."""
WORDS_OF_A_FILE = "alpha beta gamma delta epsilon zeta theta kappa lambda sigma omega omicron"
EVERY_OPTION = (
    ("-c", "-e", "error"),
    ("-i", "-n", "-e", "error", "-e", "warning:"),
    ("-v", "-c", "-e", "e"),
    ("-v", "-H", "-m", "3", "-e", "e"),
    ("-w", "-o", "-b", "-e", "error", "-e", "License"),
    ("-x", "-h", "-e", "return", "-e", ""),
    ("-l", "-s", "-e", "License"),
    ("-L", "-e", "the"),
    ("-A", "1", "-B", "2", "-n", "-e", "warning:"),
    ("-C", "1", "-m", "2", "-b", "-e", "License"),
    ("-E", "-n", "-e", "[a-z]+ error", "-e", "(foo|ba[rz])[0-9]+"),
    ("-n", "-f", "../words"),
    ("-y", "-c", "-e", "redistributions of source code must retain", "-e", "of any kind"),
    ("-r", "-a", "-c", "-e", "needle in a haystack", "."),
    ("-R", "-l", "-i", "-e", "permission is hereby granted, free of charge", "."),
    ("-q", "-e", "error"),
)
"""Every option that is supported, at least once; patterns of more than 32 bytes and more than eight
of them too."""

UNREADABLE = 2
"""Exit code of a search with unreadable pages; GNU grep returns it for unreadable files."""
VENICE = (sys.executable, "-m", "venice", "grep")
PYTHON = Path(os.__file__).parent
DAILY = (Path("/usr/share/doc"), PYTHON, Path("/usr/share/perl"))
"""Folders that every machine has."""
ALL = (*DAILY, Path("/var/log"), Path("/usr/include"), Path.home() / ".cargo/registry/src")


def real_text(most_bytes: int, roots: Sequence[Path] = DAILY) -> list[Path]:
    """Return text files of the machine, largest first, without binary ones."""
    files = {path.resolve() for root in roots for path in root.rglob("*") if path.is_file()}
    sized = sorted(((path.stat().st_size, path) for path in files), reverse=True)
    chosen: list[Path] = []
    for size, path in sized:
        if 0 < size <= most_bytes and b"\0" not in path.read_bytes():
            chosen.append(path)
            most_bytes -= size
    return chosen


def shared_out(roots: Sequence[Path], least_bytes: int) -> list[Path]:
    """Return files with an equal number of bytes from every root, as far as a root has them."""
    chosen: dict[Path, None] = {}
    left = least_bytes
    # The smallest folders first; later folders make up for missing bytes.
    offers = sorted((real_text(least_bytes, [root]) for root in roots), key=total)
    for after, offer in enumerate(offers):
        share = left / (len(offers) - after)
        for path in offer:
            if share <= 0:
                break
            if path not in chosen:
                chosen[path] = None
                size = path.stat().st_size
                share -= size
                left -= size
    return list(chosen)


def total(files: Iterable[Path]) -> int:
    """Return the total size of files in bytes."""
    return sum(path.stat().st_size for path in files)


class Level(NamedTuple):
    """A state of wear, and the result of a search in it."""

    cycles: int
    months: int
    extra_reads: str
    report: dict[str, int]
    unreadable: int
    verdict: str
    seconds: float


class Tried(NamedTuple):
    """Results of a search with some options in every state."""

    options: Sequence[str]
    bytes: int
    grep_s: float
    seconds: tuple[float, ...]
    is_equal: bool

    @property
    def verdict(self) -> str:
        """Return the result of the comparison of output and exit code with GNU grep's."""
        return "equal" if self.is_equal else "DIFFERENT"


class Progress:
    """Progress in a file, which is discarded if the engine or the input has changed."""

    def __init__(self, folder: Path, done_with: Sequence[str]) -> None:
        self._file = folder / "progress.json"
        self.done_with = list(done_with)
        self.done: dict[str, Any] = {}
        if self._file.exists():
            kept = json.loads(self._file.read_text())
            if kept["done_with"] == self.done_with:
                self.done = kept["done"]

    def once(self, key: str, work: Callable[[], Any]) -> Any:  # noqa: ANN401 what JSON holds
        """Return the stored result of a named task, or do the task and store its result."""
        if key not in self.done:
            self.done[key] = work()
            # Written atomically, so that the file is complete even after an interruption.
            new = self._file.with_suffix(".new")
            new.write_text(json.dumps({"done_with": self.done_with, "done": self.done}))
            new.replace(self._file)
        return self.done[key]


class Grid:
    """A search of the same files at one state of wear after another."""

    def __init__(self, names: Sequence[str], folder: Path) -> None:
        self.folder = folder
        self.texts = folder / "texts"
        self.names = list(names)
        (folder / "words").write_text(WORDS_OF_A_FILE.replace(" ", "\n") + "\n")
        self.expected, self.code, _ = self._timed(["grep", "-F", *OPTIONS, *self.names], "expected")

    def level(self, cycles: int, months: int, extra_reads: str = "six") -> Level:
        """Search the files and compare output and exit code with those of GNU grep."""
        days = months * DAYS_PER_MONTH
        sets = [f"pif.pe_cycles={cycles}", f"pif.retention_days={days!r}"]
        sets.append(f"pif.extra_reads={extra_reads}")
        figures = self.folder / "report.json"
        options = [part for one in sets for part in ("--set", one)] + ["--json", str(figures)]
        started = time.monotonic()
        found, code, seconds = self._timed([*VENICE, *options, *OPTIONS, *self.names], "found")
        unreadable = _unreadable((self.folder / "found.errors").read_bytes())
        verdict = self._verdict(found, code, unreadable)
        report = json.loads(figures.read_text())
        figures.unlink()
        level = Level(cycles, months, extra_reads, report, len(unreadable), verdict, seconds)
        took = time.monotonic() - started
        print(f"{cycles} cycles, {months} months: {verdict}; {took:.0f} s", file=sys.stderr)  # noqa: T201
        return level

    def option(self, options: Sequence[str]) -> Tried:
        """Search the files with these options in every state of wear, and with GNU grep."""
        names = [] if options[-1] == "." else self.names
        kind = () if "-E" in options else ("-F",)
        grep = ["grep", "-a", *kind, *options, *names]
        # The first search may have to read the files from disk, so it is not timed.
        expected, code, first = self._timed(grep, "expected of option")
        grep_s = min(first, self._timed(grep, "expected of option")[2])
        verdicts, seconds = [], []
        for cycles, months in STATES:
            days = months * DAYS_PER_MONTH
            sets = ("--set", f"pif.pe_cycles={cycles}", "--set", f"pif.retention_days={days!r}")
            found = self._timed([*VENICE, *sets, *options, *names], "found")
            verdicts.append(found[:2] == (expected, code))
            seconds.append(found[2])
        tried = Tried(options, len(expected), grep_s, tuple(seconds), all(verdicts))
        print(f"{' '.join(options)}: {tried.verdict}", file=sys.stderr)  # noqa: T201
        return tried

    def _timed(self, command: list[str], name: str) -> tuple[bytes, int, float]:
        before = _children_s()
        output, code = self._run(command, name)
        return output, code, _children_s() - before

    def _run(self, command: list[str], name: str) -> tuple[bytes, int]:
        output = self.folder / name
        with output.open("wb") as to, output.with_suffix(".errors").open("wb") as errors:
            done = subprocess.run(
                command,
                cwd=self.texts,
                env={**os.environ, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=to,
                stderr=errors,
                check=False,
            )
        return output.read_bytes(), done.returncode

    def _verdict(self, found: bytes, code: int, unreadable: set[tuple[bytes, int]]) -> str:
        if not unreadable:
            return "equal" if (found, code) == (self.expected, self.code) else "DIFFERENT"
        # No line is added, only lines on unreadable pages are missing, and the exit code reports
        # it.
        ours, theirs = set(found.split(b"\n")), set(self.expected.split(b"\n"))
        missing = theirs - ours
        lost = all(pages & unreadable for pages in map(self._pages_of, missing))
        if ours - theirs or not lost or code != UNREADABLE:
            return "DIFFERENT"
        return f"{len(missing):,} lines in unreadable pages are missing"

    def _pages_of(self, found: bytes) -> set[tuple[bytes, int]]:
        """Return the pages, by file and offset, that contain a line of the output."""
        name, number, line = found.split(b":", 2)
        start = self._starts(name)[int(number) - 1]
        offsets = range(start - start % PAGE_BYTES, start + len(line) + 1, PAGE_BYTES)
        return {(name, offset) for offset in offsets}

    @cache  # noqa: B019 there is one grid
    def _starts(self, name: bytes) -> list[int]:
        lines = (self.texts / os.fsdecode(name)).read_bytes().split(b"\n")
        return list(accumulate((len(line) + 1 for line in lines), initial=0))


def _unreadable(errors: bytes) -> set[tuple[bytes, int]]:
    """Return the pages, by file and offset, that the command reported."""
    line = rb"^error: (.*): the page at offset (\d+) is unreadable"
    reported = re.findall(line, errors, re.MULTILINE)
    if len(reported) != len(errors.splitlines()):
        sys.exit(errors.decode(errors="replace"))
    return {(name, int(offset)) for name, offset in reported}


def _copied(file: Path, to: Path) -> Path:
    """Copy a file into a folder and return the name of the copy."""
    name = file.relative_to(file.anchor)
    (to / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, to / name)
    return name


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


COLUMNS = [
    results.numbers("P/E cycles"),
    results.numbers("months"),
    results.words("extra reads"),
    *(
        results.numbers(title, "{:,}")
        for title in (
            "pages", "pages with a match", "failed in the chip", "read again", "unreadable"
        )
    ),
    results.words("output"),
    results.numbers("processor time, s", "{:,}"),
]  # fmt: skip
OPTION_COLUMNS = [
    results.words("options", "`{}`"),
    results.numbers("bytes of output", "{:,}"),
    results.numbers("GNU grep, s", "{:.2f}"),
    *(
        results.numbers(f"{cycles:,} cycles, {months} months, s", "{:.1f}")
        for cycles, months in STATES
    ),
    results.words("output"),
]
OPTIONS_TEXT = """\
## Every option

The same files with every supported option, in four states of wear. Output and exit code are
compared byte for byte with those of GNU grep (`-F`, or `-E` with that option). Times are processor
times of whole commands, user and system; for GNU grep the smaller of two runs."""


def table(levels: Sequence[Level]) -> Table:
    """Return a table of the searches in every state of wear."""
    return {"columns": COLUMNS, "rows": [_row(level) for level in levels]}


def _row(level: Level) -> list[Any]:
    report = level.report
    counts = (
        report[name]
        for name in ("pages", "matched_pages", "pages_failed_in_chip", "pages_with_extra_reads")
    )
    state = (level.cycles, level.months, level.extra_reads)
    return [*state, *counts, level.unreadable, level.verdict, round(level.seconds)]


def option_table(tried: Sequence[Tried]) -> Table:
    """Return a table of the searches with every option."""
    rows = [
        [
            shlex.join(one.options),
            one.bytes,
            round(one.grep_s, 2),
            *(round(seconds, 1) for seconds in one.seconds),
            one.verdict,
        ]
        for one in tried
    ]
    return {"columns": OPTION_COLUMNS, "rows": rows}


def engine() -> str:
    """Return an identification of the engine's build."""
    return hashlib.sha256(Path(str(venice._native.__file__)).read_bytes()).hexdigest()  # noqa: SLF001


def copied(roots: Sequence[Path], least_bytes: int, folder: Path) -> list[str]:
    """Copy text, since log files grow during the runs; return the names of the copies."""
    files = shared_out(roots, least_bytes)
    if total(files) < least_bytes:
        sys.exit(f"error: {total(files):,} bytes of text are there, and {least_bytes:,} are needed")
    texts = folder / "texts"
    shutil.rmtree(texts, ignore_errors=True)
    return [str(_copied(file, texts)) for file in files]


def write_results(file: Path, roots: Sequence[Path], megabytes: int, folder: Path) -> bool:
    """Do the remaining work, write the results, and return true if every output was equal."""
    folder.mkdir(parents=True, exist_ok=True)
    progress = Progress(folder, [engine(), str(megabytes), *map(str, roots)])
    names = progress.once("names", lambda: copied(roots, megabytes * 1_000_000, folder))
    grid = Grid(names, folder)
    # With the controller's decoder alone, some of the oldest pages are unreadable.
    states = [(cycles, months, "six") for cycles in CYCLES for months in MONTHS]
    states.append((CYCLES[-1], MONTHS[-1], "none"))
    levels = [
        Level(*progress.once(f"level {state}", partial(grid.level, *state))) for state in states
    ]
    tried = [
        Tried(*progress.once(f"options {options}", partial(grid.option, options)))
        for options in EVERY_OPTION
    ]
    megabytes_of_all = total(grid.texts / name for name in names) / 1e6
    folders = " ".join(map(str, roots)).replace(str(Path.home()), "~")
    text = (
        f"{len(names):,} text files of one machine, {megabytes_of_all:,.1f} MB, from `{folders}`; "
        f"the search prints {len(grid.expected.splitlines()):,} lines."
    )
    results.write(file, [text, table(levels), OPTIONS_TEXT, option_table(tried)])
    verdicts = [level.verdict for level in levels] + [one.verdict for one in tried]
    return "DIFFERENT" not in verdicts


def main() -> None:
    """Write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=MEGABYTES, help="of text at least")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file to write")
    parser.add_argument("--out", type=Path, default=OUT, help="where copies and progress are kept")
    parser.add_argument("roots", type=Path, nargs="*", help="folders to take the text from")
    given = parser.parse_args()
    roots = given.roots or [root for root in ALL if root.is_dir()]
    if not write_results(given.results, roots, given.megabytes, given.out.resolve()):
        sys.exit(f"error: the output differs; see {given.results}")


if __name__ == "__main__":
    main()
