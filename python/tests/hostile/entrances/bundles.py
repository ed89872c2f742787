"""Bundles: lists of commands, and folders of bundles that other users made."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

from ..case import Case
from ..damage import damage_text

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_COMMANDS = ("venice list", "venice config show --drive drive.toml")
_SCRIPT = "#!/bin/sh\nset -e\n" + "".join(f"{one}\n" for one in _COMMANDS)
_DRIVE = b'extends = "venice-cost"\n'
_NAMES = ("../escaped", "/tmp/venice-hostile-escaped", "a/../../escaped", "", ".", "a\0b")  # noqa: S108 nothing may be there


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a list of commands, or a bundle to be run again."""
    if draw.random() < 0.5:
        script = damage_text(draw, _SCRIPT.encode())
        files = {"paper.sh": script, "drive.toml": _DRIVE}
        return Case(("bundle", "make", "made", "paper.sh"), files, stores=("made",))
    manifest = _manifest(draw)
    script = _SCRIPT.encode()
    if draw.random() < 0.3:
        script = damage_text(draw, script)
    files = {
        "given/bundle.json": manifest,
        "given/commands.sh": script,
        "given/drive.toml": _DRIVE,
    }
    return Case(("bundle", "redo", "given", "--out", "made"), files, stores=("made",))


def _manifest(draw: Random) -> bytes:
    content: dict[str, object] = {
        "bundle_version": 1,
        "commands": [*_COMMANDS],
        "inputs": {"drive.toml": sha256(_DRIVE).hexdigest()},
        "results": {"a.csv": "0"},
        "runs": 0,
        "seeds": [],
        "environment": {"packages": {}},
    }
    if draw.random() < 0.4:
        content[draw.choice(["inputs", "results"])] = {draw.choice(_NAMES): "0"}
    if draw.random() < 0.4:
        content[draw.choice([*content])] = draw.choice([None, 0, "", [], {}, [1], {"a": 1}])
    text = json.dumps(content).encode()
    return damage_text(draw, text) if draw.random() < 0.3 else text
