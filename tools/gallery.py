"""Generates the pictures of the gallery from the commands on its page.

``python -m tools.gallery docs/gallery.md FOLDER`` runs the commands of each section in a folder of
their own, with the package that is installed, and copies the pictures that the page shows.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

_ROOT = Path(__file__).resolve().parents[1]
_FENCE = re.compile(
    r'^```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL
)
_PICTURE = re.compile(r"!\[[^\]]*\]\((?P<path>[^)]+\.png)\)")
_OF_REPOSITORY = "conformance"
"""Folder of the repository that commands read."""


class Gallery(NamedTuple):
    """Contents of the page."""

    files: dict[str, str]
    """Texts of definitions by file name."""
    commands: list[list[str]]
    """Words of each command, in order."""
    pictures: list[str]
    """File names of the pictures, in order."""


def main() -> None:
    """Make the pictures of a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    make(read(given.page.read_text(encoding="utf-8")), given.folder)


def read(text: str) -> Gallery:
    """Read the definitions, commands and pictures of a page."""
    fences = list(_FENCE.finditer(text))
    files = {fence["title"]: fence["text"] for fence in fences if fence["title"]}
    shells = [fence["text"] for fence in fences if fence["kind"] == "bash"]
    commands = [shlex.split(line) for shell in shells for line in shell.splitlines() if line]
    pictures = [Path(found["path"]).name for found in _PICTURE.finditer(text)]
    return Gallery(files, commands, pictures)


def make(gallery: Gallery, folder: Path) -> None:
    """Run the commands and copy the pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        work = Path(scratch)
        (work / _OF_REPOSITORY).symlink_to(_ROOT / _OF_REPOSITORY)
        for name, text in gallery.files.items():
            (work / name).write_text(text, encoding="utf-8")
        for command in gallery.commands:
            _run(command, work)
        for picture in gallery.pictures:
            shutil.copy(work / picture, folder / picture)


def _run(command: list[str], work: Path) -> None:
    _, *arguments = command
    done = subprocess.run(
        [sys.executable, "-m", "venice", *arguments],
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"error: `{shlex.join(command)}` failed\n{done.stderr}")


if __name__ == "__main__":
    main()
