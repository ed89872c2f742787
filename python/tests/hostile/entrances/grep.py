"""Patterns and files for ``venice grep``, which prints what GNU grep prints if both accept them."""

from __future__ import annotations

import os
import subprocess
from functools import partial
from shutil import which
from typing import TYPE_CHECKING

from ..case import Case, Link, Outcome
from ..damage import damage_bytes
from ..values import text

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from ..material import Material

_TEXT = (
    "straße a b\nNaïve café\nfoo foobar _foo 42\n\n\ttab\nÉÉ é\nx" + "y" * 3000 + "\nlast"
).encode()
_PATTERNS = (
    *(
        "a\\>",
        "\\<a",
        "a\\b",
        "\\bf",
        "foo\\B",
        "^",
        "$",
        "^$",
        ".",
        "(a|b)*",
        "((((((a*)*)*)*)*)*)*b",
    ),
    *("[", "[a", "[z-a]", "[[:alpha:]", "[[:nosuch:]]", "[[=a=]]", "*", "+a", "a{1", "a{2,1}"),
    *(
        "a{0,32767}",
        "a{99999}",
        "(",
        ")",
        "\\",
        "\\(",
        "(" * 5000 + ")" * 5000,
        "a|" * 5000,
        ".{200}.{200}",
    ),
    *("\\1", "(a)\\1", "é", "É", "ß", "[é-ü]", "\\w+\\W", "x.*y.*z", "", "a" * 20_000),
)
_OPTIONS = (
    ("-E",),
    ("-F",),
    ("-i",),
    ("-w",),
    ("-x",),
    ("-v",),
    ("-c",),
    ("-o",),
    ("-n",),
    ("-b",),
    ("-m", "1"),
    ("-l",),
)
_ALIKE = frozenset({"-E", "-F", "-c", "-v", "-w", "-x", "-i", "-l", "-n", "-m", "1"})


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a pattern and a file."""
    options = [word for option in draw.sample(_OPTIONS, draw.randint(0, 3)) for word in option]
    pattern = draw.choice(_PATTERNS) if draw.random() < 0.8 else text(draw)
    content = _TEXT if draw.random() < 0.7 else damage_bytes(draw, _TEXT)
    words = ("-e", pattern, "in.txt")
    if draw.random() < 0.1:
        return Case(
            ("grep", "-R", "-e", "foo", "."),
            {"in.txt": _TEXT},
            (Link("symlink", "self", "."),),
            layout="venice grep: ",
        )
    is_alike = set(options) <= _ALIKE and "\0" not in content.decode("latin-1")
    check = partial(_as_gnu, (*options, *words)) if is_alike and content == _TEXT else _nothing
    return Case(
        ("grep", *options, *words), {"in.txt": content}, layout="venice grep: ", faults=check
    )


def _nothing(_outcome: Outcome, _folder: Path) -> list[str]:
    return []


def _as_gnu(words: tuple[str, ...], outcome: Outcome, folder: Path) -> list[str]:
    """Compare with GNU grep, unless one of them refuses the pattern."""
    if (gnu := which("grep")) is None or outcome.code == 2:
        return []
    extended = () if {"-E", "-F"} & set(words) else ("-F",)
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [gnu, *extended, *words], cwd=folder, env=environment, capture_output=True, check=False
    )
    if done.returncode == 2 or (done.returncode, done.stdout) == (outcome.code, outcome.stdout):
        return []
    return [f"grep prints {done.stdout[:60]!r}, Venice {outcome.stdout[:60]!r}"]
