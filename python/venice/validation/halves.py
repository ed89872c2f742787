"""Division of measured scenes into a half to fit and a half to test."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venice.validation.load import Scene

Half: TypeAlias = Literal["fitted", "held-out"]
HALVES: tuple[Half, ...] = ("fitted", "held-out")


def halves_of(scenes: Iterable[Scene]) -> dict[Scene, Half]:
    """Return the half of each scene; it depends on the set of scenes alone.

    Rows of one scene are in one half: repetitions, and reads and writes of one run. Scenes of each
    kind (reads alone, writes alone, both) are divided evenly.
    """
    kinds: dict[tuple[bool, bool], list[Scene]] = {}
    for scene in sorted(set(scenes), key=_mark):
        kinds.setdefault(_kind(scene), []).append(scene)
    halves: dict[Scene, Half] = {}
    for kind in sorted(kinds):
        first = len(halves)
        for place, scene in enumerate(kinds[kind], first):
            # Kinds with an odd number of scenes assign the extra one to fit and test in turn.
            halves[scene] = HALVES[place % 2]
    return halves


def _kind(scene: Scene) -> tuple[bool, bool]:
    reads = any(stream.read_pct > 0 for stream in scene.streams)
    return reads, scene.writes


def _mark(scene: Scene) -> str:
    return sha256(repr(tuple(scene)).encode()).hexdigest()
