"""Division of measured scenes, which are concurrent streams, into a half to fit and one to test."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Literal, TypeAlias

from venice.validation.host import Host
from venice.validation.load import SHORTEST_PAUSE_US

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venice.validation.load import Scene, Stream

Half: TypeAlias = Literal["fitted", "held-out"]
HALVES: tuple[Half, ...] = ("fitted", "held-out")


def halves_of(scenes: Iterable[Scene]) -> dict[Scene, Half]:
    """Return the half of each scene, which depends only on the set of scenes.

    All rows of a scene are in one half: repetitions, and the reads and writes of one run. Scenes of
    each kind (only reads, only writes, both) are divided evenly. Scenes that differ only in the
    host are in one half.
    """
    kinds: dict[tuple[bool, bool], list[Scene]] = {}
    hosts: dict[Scene, list[Scene]] = {}
    for scene in set(scenes):
        hosts.setdefault(scene._replace(host=Host()), []).append(scene)
    for scene in sorted(hosts, key=_mark):
        kinds.setdefault(_kind(scene), []).append(scene)
    halves: dict[Scene, Half] = {}
    first = 0
    for kind in sorted(kinds):
        for place, scene in enumerate(kinds[kind], first):
            # Kinds with an odd number of scenes assign the extra one to fit and test in turn.
            halves |= dict.fromkeys(hosts[scene], HALVES[place % 2])
        first += len(kinds[kind])
    return halves


def _kind(scene: Scene) -> tuple[bool, bool]:
    reads = any(stream.read_pct > 0 for stream in scene.streams)
    return reads, scene.writes


def _mark(scene: Scene) -> str:
    """Return a hash of the scene. It must not change, since published halves depend on it."""
    parts = [mark_of(part) for stream in scene.streams for part in _directions(stream)]
    streams = f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    return sha256(f"({streams}, {scene.condition!r}, {scene.used_pct!r})".encode()).hexdigest()


def mark_of(stream: Stream) -> str:
    """Return the fields of a stream as text, without a weight or a pause that is not set."""
    fields = stream._asdict()
    if stream.weight is None:
        del fields["weight"]
    if stream.weight is None or stream.flow_pause_us == SHORTEST_PAUSE_US:
        del fields["flow_pause_us"]
    return f"Stream({', '.join(f'{name}={value!r}' for name, value in fields.items())})"


def _directions(stream: Stream) -> tuple[Stream, ...]:
    """Return a mixed stream with a rate as two streams, one of reads and one of writes."""
    if stream.iops is None or stream.read_pct in (0.0, 100.0):
        return (stream,)
    writes = (100 - stream.read_pct) / 100
    return (
        stream._replace(read_pct=100.0, iops=stream.iops * (1 - writes)),
        stream._replace(read_pct=0.0, iops=stream.iops * writes),
    )
