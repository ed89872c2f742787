"""``venice grep`` against GNU ``grep`` on random files, patterns and options.

The test suite tries a few hundred cases; ``python -m python.tests.test_grep_fuzz CASES [SEED]``
tries any number.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

import click
import pytest

from venice.cli.commands import run_command
from venice.cli.problem import LocatedError

CASES = 150
GREP = shutil.which("grep") or ""
PAGE_BYTES = 16_384

WEAR = (
    ("pif.pe_cycles=0",),
    ("pif.pe_cycles=2000", "pif.retention_days=182"),
    ("pif.pe_cycles=2000", "pif.retention_days=365"),
)
ALPHABETS = (b"ab", b"abAB_ -", b"a.b*[]()\\^$|+?{}1", bytes(range(256)), b"word Word_2 -\t")
EXPRESSIONS = (
    "a", "b+", "(a|b)", "[ab]", "[^a]", "a*", ".", "^", "$", r"\<", r"\>", r"\b", r"\w+", r"\W",
    "a{2}", "(ab)?", "[[:upper:]]", "A", "_", " ", "", "b|", "x{0,1}",
)  # fmt: skip


class Case:
    """Files, patterns and options, drawn from one seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 nothing is secret
        self.alphabet = self._random.choice(ALPHABETS)
        self.is_extended = self._random.random() < 0.4
        self.files = [self._text() for _ in range(self._random.choice((1, 1, 2, 3)))]
        self.patterns = [
            self._pattern() for _ in range(self._random.choice((0, 1, 1, 1, 2, 3, 12)))
        ]
        self.options = self._options()
        self.wear = self._random.choice(WEAR)

    def _text(self) -> bytes:
        """Return random lines: some empty, long or with CR; the last may lack a newline."""
        draw = self._random
        lines = [self._line() for _ in range(draw.choice((0, 1, 5, 40, 400)))]
        ending = draw.choice((b"\n", b"\n", b"\n", b"\r\n"))
        text = ending.join(lines) + draw.choice((b"", ending))
        return b"a" * draw.choice((0, 0, PAGE_BYTES - 3, 2 * PAGE_BYTES)) + text

    def _line(self) -> bytes:
        draw = self._random
        length = draw.choice((0, 1, 3, 10, 60)) if draw.random() < 0.99 else 20_000
        # Bytes are not uniformly distributed, so that some repeat.
        few = draw.choices(self.alphabet.replace(b"\n", b"") or b"a", k=max(1, length // 7))
        return bytes(draw.choice(few) for _ in range(length))

    def _pattern(self) -> bytes:
        draw = self._random
        if self.is_extended:
            return "".join(draw.choices(EXPRESSIONS, k=draw.choice((1, 1, 2, 3)))).encode()
        text = draw.choice(self.files)
        start = draw.randrange(len(text) + 1)
        part = text[start : start + draw.choice((0, 1, 2, 3, 8, 32, 33, 60))]
        # Patterns have no NUL: arguments cannot contain it, and GNU grep does not support it after
        # a byte that is invalid in the locale.
        return part.replace(b"\0", b"a")

    def _options(self) -> list[str]:
        draw = self._random
        options = ["-E"] if self.is_extended else ["-F"]
        for letter, share in (
            ("n", 0.4), ("b", 0.2), ("i", 0.3), ("v", 0.2), ("w", 0.25), ("x", 0.15), ("o", 0.2),
            ("c", 0.15), ("l", 0.07), ("L", 0.07), ("q", 0.05), ("H", 0.1), ("h", 0.1),
        ):  # fmt: skip
            if draw.random() < share:
                options.append(f"-{letter}")
        for letter, share in (("m", 0.15), ("A", 0.15), ("B", 0.15), ("C", 0.1)):
            if draw.random() < share:
                options += [f"-{letter}", str(draw.choice((0, 1, 2, 5)))]
        if not {"-m", "-A", "-B", "-C"} & set(options):
            draw.shuffle(options)
        return options

    def arguments(self, folder: Path) -> list[str]:
        """Write the files and return the command's arguments."""
        names = []
        for index, text in enumerate(self.files):
            (folder / f"file {index}").write_bytes(text)
            names.append(f"file {index}")
        patterns: list[str] = []
        if not self.patterns or self._random.random() < 0.2:
            ending = b"\n" if self._random.random() < 0.7 else b""
            (folder / "patterns").write_bytes(
                b"\n".join(self.patterns) + ending * bool(self.patterns)
            )
            patterns = ["-f", "patterns"]
        else:
            for pattern in self.patterns:
                patterns += ["-e", os.fsdecode(pattern)]
        return [*self.options, *patterns, *names]


def ours(arguments: list[str], wear: tuple[str, ...]) -> tuple[int, bytes]:
    """Run the command in this process, in the C locale as GNU grep."""
    written = BytesIO()
    sets = [part for one in wear for part in ("--set", one)]
    with TextIOWrapper(written, write_through=True) as out, redirect_stdout(out):
        with redirect_stderr(StringIO()), patch.dict(os.environ, LC_ALL="C"):
            try:
                code = run_command(["grep", *sets, *arguments])
            except (LocatedError, click.UsageError):
                return 2, b""
        return code, written.getvalue()


def theirs(arguments: list[str]) -> tuple[int, bytes]:
    """Run GNU grep."""
    done = subprocess.run(
        [GREP, "-a", *arguments],
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout


def try_case(seed: int) -> str:
    """Return a description of the difference; empty if there is none."""
    case = Case(seed)
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            arguments = case.arguments(Path(folder))
            expected, found = theirs(arguments), ours(arguments, case.wear)
        finally:
            os.chdir(before)
    if expected == found:
        return ""
    return (
        f"case {seed}: {arguments} of {case.patterns!r} at {case.wear}: "
        f"{found[0]} {found[1][:200]!r} for {expected[0]} {expected[1][:200]!r}"
    )


@pytest.mark.skipif(not GREP, reason="GNU grep is not there")
@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.nightly) for part in (1, 2))]
)
def test_random_options_on_random_files_print_what_grep_prints(part: int) -> None:
    assert [differs for seed in range(part, CASES, 3) if (differs := try_case(seed))] == []


def main() -> None:
    """Run the number of cases given on the command line."""
    cases = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    differing = 0
    for seed in range(first, first + cases):
        if differs := try_case(seed):
            differing += 1
            print(differs)  # noqa: T201
    print(f"{cases} cases, {differing} different")  # noqa: T201
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()
