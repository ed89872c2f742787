"""``venice grep`` prints the same output as GNU ``grep`` at every state of wear."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from venice import ConfigError, UsageError
from venice.cli.commands import VENICE
from venice.pif import Search

from .conftest import COMMAND, environment
from .grep_grid import EVERY_OPTION, Progress, real_text
from .slow import nightly_among

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .conftest import Outcome

YOUNG = ("pif.pe_cycles=0",)
WORN = ("pif.pe_cycles=1000", "pif.retention_days=365")
OLD = ("pif.pe_cycles=2000", "pif.retention_days=365")
"""Wear at which nearly every page cannot be decoded in the chip."""
RUINED = ("pif.pe_cycles=6000", "pif.retention_days=3650")
WEAR = {"young": YOUNG, "worn": WORN, "old": OLD}

needs_grep = pytest.mark.skipif(shutil.which("grep") is None, reason="GNU grep is not there")


def run(command: Sequence[object], stdin: bytes = b"", locale: str = "C") -> tuple[int, bytes]:
    """Run a command in a locale and return its exit code and output."""
    done = subprocess.run(
        [str(part) for part in command],
        input=stdin,
        env={**environment(), "LC_ALL": locale},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode, done.stdout


def assert_like_grep(arguments: Sequence[object], wear: Sequence[str], stdin: bytes = b"") -> None:
    """Compare output and exit code with those of GNU grep."""
    sets = [part for one in wear for part in ("--set", one)]
    ours = run([*COMMAND, "grep", *sets, *arguments], stdin)
    kind = [] if "-E" in arguments else ["-F"]
    theirs = run(["grep", "-a", *kind, *arguments], stdin)
    assert ours == theirs


@pytest.fixture(scope="session")
def files() -> list[Path]:
    """Return about two megabytes of Python's own sources in a few files."""
    library = Path(sysconfig.get_path("stdlib"))
    found = real_text(
        2_000_000, [library / name for name in ("asyncio", "email", "unittest", "json")]
    )[:40]
    if not found:
        pytest.skip("there is no text on this machine")
    return found


@needs_grep
@pytest.mark.parametrize("wear", nightly_among(WEAR.values(), (WORN,)), ids=WEAR)
@pytest.mark.parametrize(
    "options",
    [
        ("-e", "the"),
        ("-n", "-e", "error", "-e", "warning", "-e", "return "),
        ("-c", "-e", "if"),
        ("-l", "-e", "License"),
        ("-on", "-e", "th", "-e", "the ", "-e", "he"),
        ("-hn", "-e", "e"),
        ("-e", "there is no such line in here"),
        ("-inw", "-e", "error", "-e", "LICENSE"),
        ("-v", "-c", "-e", "e"),
        ("-vn", "-e", "e"),
        ("-x", "-e", "", "-e", "#"),
        ("-L", "-e", "License"),
        ("-b", "-A", "2", "-B", "1", "-e", "warning"),
        ("-C", "3", "-m", "2", "-n", "-e", "the"),
        ("-ob", "-e", "the", "-e", "e there is a pattern of more than 32 bytes"),
        ("-n", *(part for word in "abcdefghijkl" for part in ("-e", f"{word}{word}"))),
        ("-E", "-n", "-e", "^[a-z]+ (error|warn(ing)?s?)", "-e", "[0-9]{4}-[0-9]+"),
        ("-E", "-io", "-e", "\\<(licen[cs]e|copyright) [^ ]+"),
    ],
    ids=" ".join,
)
def test_real_text_is_searched_as_grep_does(
    options: tuple[str, ...], wear: tuple[str, ...], files: list[Path]
) -> None:
    assert_like_grep([*options, *files], wear)


@needs_grep
def test_odd_files_are_searched_as_grep_does(tmp_path: Path) -> None:
    texts = {
        "empty": b"",
        "newline": b"\n",
        "no newline": b"a cat\nthe last cat",
        "blank lines": b"\n\ncat\n\n",
        "borders": b"x" * 16_382 + b"cat\n" + b"y" * 32_763 + b"\ncat" + b"z" * 20_000,
        "bytes": bytes(range(1, 256)) * 100 + b"cat",
        "crlf": b"a cat\r\nno\r\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    paths = [tmp_path / name for name in texts]
    for options in (
        ["cat"],
        ["-c", "cat"],
        ["-no", "cat"],
        ["-H", "-e", "cat", "-e", "at"],
        ["-h", "cat"],
        ["-lc", "cat"],
        ["-co", "cat"],
        ["-q", "cat"],
        ["-e", "cat\nno"],
        ["-n", "\xff"],
    ):
        assert_like_grep([*options, *paths], OLD)
        assert_like_grep([*options, paths[2]], YOUNG)


@needs_grep
def test_missing_files_are_reported_as_by_grep(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("a cat\n")
    for options in (["cat"], ["-s", "cat"], ["-q", "cat"], ["dog"]):
        assert_like_grep([*options, there, tmp_path / "not there", tmp_path], YOUNG)


@needs_grep
def test_folders_and_files_of_patterns_are_taken_as_grep_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "one").write_text("a cat\n")
    (tmp_path / "a" / "deep" / "two").write_text("no\ncats\n")
    (tmp_path / "a" / "link").symlink_to(tmp_path / "a" / "one")
    (tmp_path / "patterns").write_text("cat\nno\n")
    (tmp_path / "none").write_text("")
    monkeypatch.chdir(tmp_path)
    for arguments in (
        ["-r", "cat", "a"],
        ["-r", "cat", "a/"],
        ["-rn", "cat"],
        ["-R", "cat", "a"],
        ["-rh", "cat", "a", "patterns"],
        ["-f", "patterns", "a/deep/two"],
        ["-f", "patterns", "-e", "a", "a/one"],
        ["-f", "none", "a/one"],
        ["-v", "-f", "none", "a/one"],
        ["-m0", "cat", "a/one"],
    ):
        assert_like_grep(arguments, YOUNG)


@needs_grep
def test_standard_input_is_a_file() -> None:
    for arguments in (["cat"], ["-H", "cat", "-"], ["-c", "-e", "cat"], ["dog", "-"]):
        assert_like_grep(arguments, YOUNG, stdin=b"a cat\nx\ncat")


def test_unreadable_pages_are_named_and_the_exit_code_is_2(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "old").write_bytes(b"a cat\n" * 5000)
    sets = [part for one in RUINED for part in ("--set", one)]
    outcome = venice("grep", *sets, "cat", "old")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert outcome.stderr.splitlines() == [
        f"error: old: the page at offset {offset} is unreadable: no decoder corrects it, so its "
        "contents were not searched"
        for offset in (0, 16_384)
    ]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("-P", "cat", "x"), "`-P` of grep is not supported: Perl's expressions"),
        (("-z", "cat", "x"), "`-z` of grep is not supported"),
        (("--null", "cat", "x"), "`--null` of grep is not supported"),
        (("-E", "(cat", "x"), "`(` without `)`"),
        (("-E", "(c)\\1", "x"), "back-references"),
        (("-E", "[:space:]", "x"), "is written `[[:space:]]`, not `[:space:]`"),
        (("-f", "missing", "x"), "missing: there is no such file"),
        ((), "there is no pattern"),
        (("cat", "x", "--drive", "samsung-980-pro-1tb"), "a page has 4096 bytes"),
        (("cat", "x", "--set", "pif.decoder_mw=20"), "needs 181.06 mW"),
        (("cat", "x", "--set", "pif.free_mm2=0.8"), "do not fit into the 0.8 mm²"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    arguments: tuple[str, ...], text: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("grep", *arguments)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert text in outcome.message


def test_the_report_compares_the_places(venice: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"x" * 4_000_000 + b"\ncat\n")
    outcome = venice("grep", "-c", "--report", "--json", "r.json", "cat", "text")
    assert (outcome.code, outcome.stdout) == (0, "1\n")
    assert "PiF (chips)" in outcome.message
    report = json.loads((tmp_path / "r.json").read_text())
    pages = -(-4_000_005 // 16_384)
    assert (report["pages"], report["matched_pages"]) == (pages, 1)
    assert report["pis"]["fabric_bytes"] == report["host"]["fabric_bytes"] == pages * 18_432
    tables = min(pages, 128) * 5120
    assert report["pif"]["fabric_bytes"] == 18_432 + 4 * pages + tables
    # The controller does not decode a page again in which a chip found a match.
    assert report["pif"]["controller_bytes"] == 0
    assert report["pis"]["controller_bytes"] == pages * 16_384
    assert report["host"]["host_link_bytes"] == pages * 16_384
    assert report["pif"]["time_us"] < report["pis"]["time_us"] < report["host"]["time_us"]


def test_the_modes_find_the_same_and_python_does_as_the_command() -> None:
    text = b"".join(b"line %d\n" % number for number in range(20_000))
    found = {
        mode: Search(["99"], wanted="count", sets=[*OLD, f"pif.errors={mode}"]).bytes(text)
        for mode in ("functional", "statistical", "threshold")
    }
    expected = sum(b"99" in line for line in text.splitlines())
    assert {found.lines for found in found.values()} == {expected}
    many = Search([f"<{index}>" for index in range(9)], wanted="count")
    assert many.bytes(b"<0>\n<8>\n").lines == 2
    assert many.report().passes == 2
    sets = ["array.rows=1", "array.cols=1", "flash.blocks_per_plane=64", "flash.pages_per_block=1"]
    small = Search(["x"], sets=sets)
    with pytest.raises(UsageError, match="the files need 65 pages, but the drive has 59"):
        small.bytes(b"x" * 64 * 16_384 + b"x")
    with pytest.raises(ConfigError, match="a page has 4096 bytes"):
        Search(["x"], sets=["flash.page_bytes=4096"])


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="Linux tells the peak of memory there"
)
def test_memory_does_not_grow_with_the_searched_data() -> None:
    # getrusage is not used, since its maximum after an exec includes the parent process.
    script = (
        "from venice.pif import Search\n"
        "class Lines:\n"
        "    left = 40\n"
        "    def read(self, size):\n"
        "        self.left -= 1\n"
        "        return b'a line without it\\n' * 200_000 if self.left >= 0 else b''\n"
        "search = Search(['needle'], wanted='count', sets=['pif.errors=threshold'])\n"
        "search.stream(Lines(), '', print)\n"
        "status = open('/proc/self/status').read()\n"
        "print(status.split('VmHWM:')[1].split()[0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=environment(), check=True
    )
    # 144 MB were searched.
    assert int(done.stdout.split()[-1]) < 100_000


@needs_grep
@pytest.mark.parametrize("wear", nightly_among(WEAR.values(), (YOUNG, WORN)), ids=WEAR)
def test_30_megabytes_of_real_text_are_searched_as_grep_does(wear: tuple[str, ...]) -> None:
    found = real_text(31_000_000)
    if sum(path.stat().st_size for path in found) < 30_000_000:
        pytest.skip("this machine has less text")
    assert_like_grep(["-n", "-e", "error", "-e", "the ", "-e", "License", *found], wear)


def test_the_grid_tries_every_option() -> None:
    params = VENICE.load("grep").params
    names = [name for one in params for name in (*one.opts, *one.secondary_opts)]
    tried = {word for options in EVERY_OPTION for word in options}
    # Patterns are fixed strings unless -E is given.
    assert {name for name in names if len(name) == 2} - tried == {"-F"}


def test_a_grid_that_was_broken_off_goes_on_unless_something_else_is_asked_for(
    tmp_path: Path,
) -> None:
    done: list[str] = []

    def work() -> list[str]:
        done.append("once")
        return [*done]

    found = [
        Progress(tmp_path, [engine]).once("a", work) for engine in ("first", "first", "second")
    ]
    assert found == [["once"], ["once"], ["once", "once"]]


TEXT_OF_LETTERS = "straße\nétude é\nа б\nab éa\nnaïve ïx\n"
"""Words with non-ASCII letters at the beginning, at the end and inside."""


@needs_grep
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
@pytest.mark.parametrize(
    "arguments",
    [
        *(("-o", "-E", rf"{one}") for one in (r"a\>", r"\<[a-z]+", r"a\B", r"a\b|ab|e\>")),
        *(("-c", "-w", one) for one in ("a", "e", "x", "б", "tude", "stra")),
        *(("-w", "-E", one) for one in ("a|ab", "[a-z]+", "(é|e)tude")),
    ],
)
def test_boundaries_of_words_are_those_of_the_locale(
    locale: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "letters.txt"
    file.write_text(TEXT_OF_LETTERS)
    kind = [] if "-E" in arguments else ["-F"]
    theirs = run(["grep", "-a", *kind, *arguments, file], locale=locale)
    assert run([*COMMAND, "grep", *arguments, file], locale=locale) == theirs
