"""``venice grep -r`` and ``-R`` against GNU grep: loops, depth, unreadable entries."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from venice.cli.folder_walk import FolderWalk
from venice.cli.grep_messages import Messages

from .conftest import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


needs_grep = pytest.mark.skipif(shutil.which("grep") is None, reason="GNU grep is not there")
SHORT = "d"
LONG = "a folder with a name of fifty characters, or so" * 4


class Searched(NamedTuple):
    """Exit code, output and messages of a search, without the command's name."""

    code: int
    output: list[bytes]
    messages: list[bytes]


def searched(command: Sequence[str], arguments: Sequence[str], folder: Path) -> Searched:
    done = subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={**environment(), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=100,
    )
    messages = [line.partition(b"grep: ")[2] for line in done.stderr.splitlines()]
    return Searched(done.returncode, done.stdout.splitlines(), messages)


def assert_like_grep(arguments: Sequence[str], folder: Path) -> Searched:
    """Compare lines, messages and exit code with those of GNU grep, in its order."""
    theirs = searched(["grep", "-a", "-F"], arguments, folder)
    assert searched([*COMMAND, "grep"], arguments, folder) == theirs
    return theirs


def nest(folder: Path, name: str, depth: int) -> None:
    """Make nested folders, each with a file and a second folder."""
    above = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=above)
        below = os.open(name, os.O_RDONLY, dir_fd=above)
        os.mkdir("e", dir_fd=above)
        for entry in ("file", "e/file"):
            file = os.open(entry, os.O_CREAT | os.O_WRONLY, dir_fd=above)
            os.write(file, b"a needle\n")
            os.close(file)
        os.close(above)
        above = below
    os.close(above)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Return a folder that may become too deep for Python to remove."""
    place = tmp_path / "place"
    place.mkdir()
    yield place
    subprocess.run(["/bin/rm", "-rf", place], check=True)


@pytest.fixture
def tree(folder: Path) -> Path:
    """Return a folder with files, broken links, and links to siblings and parents."""
    (folder / "t" / "sub").mkdir(parents=True)
    (folder / "aside").mkdir()
    for name in ("t/x", "t/sub/y", "aside/z"):
        (folder / name).write_text("a needle\nhay\n")
    for name, target in (
        ("t/sub/loop", ".."),
        ("t/self", "."),
        ("t/dangling", "nowhere"),
        ("t/aside", "../aside"),
        ("t/sub/again", "../../aside"),
        ("circle", "circle"),
        ("link", "t"),
    ):
        (folder / name).symlink_to(target)
    return folder


@needs_grep
@pytest.mark.parametrize(
    "arguments",
    [
        "-R needle t", "-Rc needle t t", "-RL needle t", "-Rl needle t", "-Rs needle t",
        "-Rq needle t", "-R absent t", "-r needle t", "-r needle t// link", "-R needle link",
        "-r needle", "-R needle", "-R needle t/sub/loop", "-r needle t/aside",
        "-r needle t/dangling t/x", "-r needle circle t", "-rn needle ./ t/x",
        "-rh needle . none", "-r absent t", "needle t t/x",
    ],
)  # fmt: skip
def test_links_and_loops_are_walked_as_grep_walks_them(arguments: str, tree: Path) -> None:
    found = assert_like_grep(arguments.split(), tree)
    assert found.code in (0, 1, 2)


@needs_grep
def test_a_loop_is_a_warning_and_each_line_is_printed_once(tree: Path) -> None:
    (tree / "t" / "dangling").unlink()
    found = assert_like_grep(["-Rh", "needle", "t/sub"], tree)
    # Through the loop, the folder's own file is searched a second time, as by GNU grep.
    assert found.code == 0
    assert any(message.endswith(b"warning: recursive directory loop") for message in found.messages)
    assert len(found.output) < 6


@needs_grep
@pytest.mark.parametrize(("name", "depth"), [(SHORT, 1300), (LONG, 60)], ids=["deep", "long"])
def test_neither_depth_nor_length_of_paths_is_limited(name: str, depth: int, folder: Path) -> None:
    nest(folder, name, depth)
    found = assert_like_grep(["-r", "needle", "."], folder)
    assert (found.code, len(found.output)) == (0, 2 * depth)


def _open_files() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


def test_few_folders_are_open_at_once(folder: Path) -> None:
    depth = 300
    nest(folder, SHORT, depth)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_open_files() + 50, hard))
    try:
        messages = Messages(silent=False)
        files = [file.name for file in FolderWalk(str(folder), messages, follow=False)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert (len(files), messages.has_errors) == (2 * depth, False)


def test_a_folder_that_is_replaced_during_the_walk_is_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    nest(folder, SHORT, 100)
    listed = os.listdir
    # Lists the subfolder before the files, independent of the order of the file system.
    monkeypatch.setattr(os, "listdir", lambda descriptor: sorted(listed(descriptor)))
    messages = Messages(silent=False)
    names = []
    for file in FolderWalk(str(folder), messages, follow=False):
        names.append(file.name)
        if Path(file.name).parts.count(SHORT) == 99 and not (folder / "moved").exists():
            (folder / SHORT).rename(folder / "moved")
            (folder / SHORT).mkdir()
    assert messages.has_errors
    assert "No such file or directory" in capsys.readouterr().err
    assert f"{folder}/file" in names


@needs_grep
@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to the superuser")
def test_what_may_not_be_read_is_reported_and_the_rest_is_searched(tree: Path) -> None:
    (tree / "t" / "x").chmod(0)
    (tree / "t" / "sub").chmod(0)
    try:
        found = assert_like_grep(["-r", "needle", "."], tree)
    finally:
        (tree / "t" / "sub").chmod(0o700)
    assert found.code == 2
    assert sum(message.endswith(b"Permission denied") for message in found.messages) == 2


@needs_grep
@pytest.mark.skipif(
    not Path("/proc/self/mem").exists(), reason="Linux has files that cannot be read there"
)
def test_a_file_that_breaks_off_is_reported_and_the_rest_is_searched(tree: Path) -> None:
    found = assert_like_grep(["-r", "needle", "/proc/self/mem", "t"], tree)
    assert (found.code, len(found.output)) == (2, 2)


@needs_grep
@pytest.mark.parametrize(
    "arguments", ["-r needle .", "needle t/x out", "-rc needle .", "-rm1 needle ."]
)
def test_the_output_is_not_searched_for_lines(arguments: str, tree: Path) -> None:
    def into_file(command: Sequence[str]) -> tuple[int, bytes, bool]:
        (tree / "out").write_bytes(b"a needle\n")
        with (tree / "out").open("ab") as out:
            done = subprocess.run(
                [*command, *arguments.split()],
                cwd=tree,
                env={**environment(), "LC_ALL": "C"},
                stdout=out,
                stderr=subprocess.PIPE,
                check=False,
            )
        is_reported = b"out: input file is also the output" in done.stderr
        return done.returncode, (tree / "out").read_bytes(), is_reported

    theirs = into_file(["grep", "-a", "-F"])
    assert into_file([*COMMAND, "grep"]) == theirs


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_output_that_cannot_be_written_ends_the_search_with_2(tree: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "grep", "-r", "needle", "t"],
            cwd=tree,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert b"standard output could not be written: No space left on device" in done.stderr


def test_internal_errors_do_not_look_like_an_absent_line(tree: Path) -> None:
    script = (
        "import sys; import venice.pif; from venice.cli.exit_codes import run_to_end\n"
        "def fail(*_, **__): raise RuntimeError('out of order')\n"
        "venice.pif.Search.read = fail\n"
        "sys.argv = ['venice', 'grep', 'needle', 't/x']\n"
        "sys.exit(run_to_end())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tree,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"this is a bug in Venice" in done.stderr


@needs_grep
@pytest.mark.parametrize(
    "expression",
    [
        "[:space:]", "[^:a:]", "[:::a:]", "[:a::]", "(y|[:a:])", "[:[a:]", "[:alpha:][:]", "[:]",
        "[::]", "[:a]", "[:a:b]", "[:a-c:]", "[:a:-z]", "[:+-:]", "[[:digit:]:a:]", "[:[.a.]:]",
        "[:]a:]",
    ],
)  # fmt: skip
def test_a_class_without_its_outer_brackets_is_an_error_as_in_grep(
    expression: str, tree: Path
) -> None:
    (tree / "colons").write_text(":\na\nb:]\n 1\n")
    arguments = ["-E", expression, "colons"]
    theirs = searched(["grep", "-a"], arguments, tree)
    ours = searched([*COMMAND, "grep"], arguments, tree)
    assert (ours.code, ours.output) == (theirs.code, theirs.output)
