//! Host memory buffer: a part of the map in the memory of the host, for drives without DRAM.
//!
//! # What it models
//! A look-up that misses the cached table reads its entry from the host's memory or, if it is not there,
//! from flash. A read of the host's memory takes a round trip over the link, instead of a flash read.
//!
//! # How
//! The buffer holds segments: the entries of one sector of a translation page. The least recently used segment
//! is evicted. A missed look-up that finds its segment waits in the list of its translation page, as for a flash
//! read. Entries change in the buffer at no cost, since the drive does not wait for writes over the link.
//!
//! # What is left out
//! The time in which reads of the buffer occupy the link.
//!
//! # Source
//! NVM Express Base Specification 2.0, host memory buffer
//!
//! # Parameters
//! `ftl.mapping_host_memory_buffer_bytes`

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Lpn, quotient};

use super::cached_table::CachedTable;

/// Settings of the host memory buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostBufferSettings {
    /// Number of segments in the buffer, at least one.
    pub segments: u32,
    /// Number of entries in a segment.
    pub entries_per_segment: u32,
    /// Time to read an entry from the host's memory.
    pub round_trip: SimSpan,
}

/// Host memory buffer of a drive.
#[derive(Clone, Debug)]
pub(super) struct HostBuffer {
    settings: HostBufferSettings,
    segments: CachedTable,
    /// Translation pages that are being read from the host's memory, with the end of each read.
    reads: VecDeque<(SimTime, Lpn)>,
    /// True if an event is scheduled for the end of the first read.
    is_timer_set: bool,
}

impl HostBuffer {
    /// Creates a buffer that holds the segments with the lowest addresses, like a drive whose map has been
    /// loaded in order.
    pub(super) fn new(settings: HostBufferSettings, host_pages: u32) -> Self {
        let all = host_pages.div_ceil(settings.entries_per_segment);
        let mut segments = CachedTable::new(&(0..1), settings.segments);
        for segment in (0..settings.segments.min(all)).rev() {
            segments.insert(Lpn(segment), 0, false);
        }
        Self { settings, segments, reads: VecDeque::new(), is_timer_set: false }
    }

    /// Returns true if the buffer holds the map entry of a logical page. Otherwise inserts the segment of
    /// this entry.
    pub(super) fn holds_or_inserts(&mut self, lpn: Lpn) -> bool {
        let segment = Lpn(quotient(lpn.0, self.settings.entries_per_segment));
        let is_held = self.segments.touch(segment);
        if !is_held {
            self.segments.insert(segment, 0, false);
        }
        is_held
    }

    /// Starts the read of an entry of the translation page `page`.
    pub(super) fn begin_read(&mut self, page: Lpn, now: SimTime) {
        self.reads.push_back((now + self.settings.round_trip, page));
    }

    /// Returns the instant at which the first read of the host's memory ends, unless an event is already
    /// scheduled for it.
    #[inline]
    pub(super) fn set_timer(&mut self) -> Option<SimTime> {
        if self.is_timer_set {
            return None;
        }
        let &(end, _) = self.reads.front()?;
        self.is_timer_set = true;
        Some(end)
    }

    /// Removes and returns the translation page of the first read of the host's memory that has ended by
    /// `now`.
    pub(super) fn next_ended(&mut self, now: SimTime) -> Option<Lpn> {
        self.is_timer_set = false;
        let &(end, page) = self.reads.front()?;
        if end > now {
            return None;
        }
        self.reads.pop_front();
        Some(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segment_is_held_until_others_have_been_used() {
        let settings =
            HostBufferSettings { segments: 2, entries_per_segment: 4, round_trip: SimSpan::from_us(3) };
        let mut buffer = HostBuffer::new(settings, 100);
        assert_eq!([0, 7, 3].map(|page| buffer.holds_or_inserts(Lpn(page))), [true, true, true]);
        assert_eq!([8, 3, 4].map(|page| buffer.holds_or_inserts(Lpn(page))), [false, true, false]);
    }

    #[test]
    fn read_ends_after_the_round_trip() {
        let settings =
            HostBufferSettings { segments: 1, entries_per_segment: 4, round_trip: SimSpan::from_us(3) };
        let mut buffer = HostBuffer::new(settings, 100);
        let at = |us| SimTime::ZERO + SimSpan::from_us(us);
        assert_eq!(buffer.set_timer(), None);
        buffer.begin_read(Lpn(100), at(1));
        buffer.begin_read(Lpn(101), at(2));
        assert_eq!((buffer.set_timer(), buffer.set_timer()), (Some(at(4)), None));
        assert_eq!((buffer.next_ended(at(4)), buffer.next_ended(at(4))), (Some(Lpn(100)), None));
        assert_eq!(buffer.set_timer(), Some(at(5)));
    }
}
