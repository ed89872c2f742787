"""Files of trace events, read with Perfetto's published messages."""

from __future__ import annotations

import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLEARED, _NEEDED = 1, 2
_BEGIN, _END = 1, 2
_BY_RANK = 3


class Slice(NamedTuple):
    """Slice of a track."""

    track: int
    name: str
    begin_ns: int
    end_ns: int
    request: int | None


class Events:
    """A file: its tracks by their numbers, and its slices.

    Reading fails if the file violates the format: a packet of another sequence, an undeclared name
    or track, decreasing times, or an end without a beginning.
    """

    def __init__(self, content: bytes) -> None:
        self.size = len(content)
        self._tracks: dict[int, Any] = {}
        self._names: dict[int, str] = {}
        self._annotations: dict[int, str] = {}
        self._clock = 0
        self._now_ns = 0
        self._open: dict[int, tuple[str, int, int | None]] = {}
        self.slices: list[Slice] = []
        for packet in _packets(content):
            self._take(packet)
        assert not self._open, "every slice has an end"

    def path(self, track: int) -> tuple[str, ...]:
        """Return the names of the tracks from the outermost to this one."""
        found = self._tracks[track]
        above = self.path(found.parent_uuid) if found.HasField("parent_uuid") else ()
        return (*above, found.name)

    def paths(self) -> set[tuple[str, ...]]:
        """Return the paths of all tracks with slices."""
        return {self.path(one.track) for one in self.slices}

    def counts(self, *above: str) -> Counter[str]:
        """Count slices by name on all tracks whose path begins with the given names."""
        return Counter(one.name for one in self.slices if self._lies_below(one.track, above))

    def _lies_below(self, track: int, above: tuple[str, ...]) -> bool:
        path = self.path(track)[1:]
        return all(name.startswith(begin) for name, begin in zip(path, above, strict=False))

    def _take(self, packet: Any) -> None:  # noqa: ANN401 the messages have no types
        assert packet.trusted_packet_sequence_id == 1
        if packet.sequence_flags & _CLEARED:
            self._begin(packet)
        if packet.HasField("track_descriptor"):
            self._describe(packet.track_descriptor)
        if packet.HasField("track_event"):
            assert packet.sequence_flags == _NEEDED
            assert not packet.HasField("timestamp_clock_id")
            assert packet.timestamp < 1 << 63, "time goes on"
            self._now_ns += packet.timestamp
            self._happen(packet.track_event)

    def _begin(self, packet: Any) -> None:  # noqa: ANN401 as above
        assert not self._names, "it begins once"
        self._clock = packet.trace_packet_defaults.timestamp_clock_id
        clocks = {clock.clock_id: clock for clock in packet.clock_snapshot.clocks}
        assert 64 <= self._clock < 128, "a clock of one sequence"
        assert clocks[self._clock].is_incremental
        assert {clock.timestamp for clock in clocks.values()} == {0}
        self._names = {one.iid: one.name for one in packet.interned_data.event_names}
        names = packet.interned_data.debug_annotation_names
        self._annotations = {one.iid: one.name for one in names}

    def _describe(self, track: Any) -> None:  # noqa: ANN401 as above
        assert track.uuid not in self._tracks
        assert track.uuid > 0
        if track.HasField("parent_uuid"):
            assert self._tracks[track.parent_uuid].child_ordering == _BY_RANK
        self._tracks[track.uuid] = track

    def _happen(self, event: Any) -> None:  # noqa: ANN401 as above
        assert event.track_uuid in self._tracks
        if event.type == _BEGIN:
            assert event.track_uuid not in self._open, "one slice at a time"
            notes = {
                self._annotations[it.name_iid]: it.uint_value for it in event.debug_annotations
            }
            begun = self._names[event.name_iid], self._now_ns, notes.get("request")
            self._open[event.track_uuid] = begun
        else:
            assert event.type == _END
            name, begin_ns, request = self._open.pop(event.track_uuid)
            self.slices.append(Slice(event.track_uuid, name, begin_ns, self._now_ns, request))


def _packets(content: bytes) -> Iterator[Any]:
    for outer in proto.Trace.FromString(content).packet:
        assert outer.ListFields()[0][0].name == "compressed_packets"
        yield from proto.Trace.FromString(zlib.decompress(outer.compressed_packets)).packet
