//! Read-ahead: reads of pages that sequential reads of the host will request next.
//!
//! # What it models
//! A read that begins where an earlier read ended continues that read's stream. The drive then reads the pages
//! up to a fixed distance after the end of the read from flash into the cache. A host read of a page that is on
//! its way waits for it, and does not read it again. Pages read ahead are kept as clean pages in all modes of the
//! cache but `off`, unless they were written or moved in the meantime. While reads of several streams alternate,
//! and for some time after a host write, the distance may be limited further.
//!
//! # How
//! Streams are a short list, the most recently used first. Pages on their way have an entry in a table until they
//! arrive; reads that wait for them are in a list per page. If the arriving page was not kept, each waiting read
//! reads its sectors from flash itself.
//!
//! # What is left out
//! Backward and strided streams; windows that grow with the length of a stream.
//!
//! # Source
//! Ours; fixed windows as in Smith, "Sequentiality and prefetching in database systems", ACM TODS 1978.
//!
//! # Parameters
//! `cache.read_ahead_bytes`, `cache.read_ahead_shared_bytes`, `cache.read_ahead_streams`,
//! `cache.read_ahead_after_write_ms`

use slab::Slab;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Lpn, PageIndex};

use crate::ftl::{FinishedPage, HostCommand, Initiator};

use super::settings::{CacheMode, CacheSettings};
use super::{Cache, CacheEvent, LowerLayer};

/// Sequential stream of host reads, each of which begins at the end of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReadStream {
    /// Sector at which the next read of the stream would begin.
    next_sector: u64,
    /// Sector up to which (exclusive) data has been read ahead.
    read_until: u64,
}

/// Part of a host read that waits for a page that is being read from flash.
#[derive(Clone, Copy, Debug)]
struct WaitingRead {
    initiator: Initiator,
    /// Instant at which the read began to wait for the page.
    since: SimTime,
    /// Bit mask of the sectors of the page that the read needs.
    sectors: u64,
    /// Index of the next read that waits for the same page.
    next: Option<u32>,
}

/// Page that is being read from flash.
#[derive(Clone, Copy, Debug)]
struct PageInFlight {
    /// Bit mask of the sectors that are read.
    sectors: u64,
    first_waiting: Option<u32>,
    last_waiting: Option<u32>,
}

/// Streams of reads, and the pages that are being read from flash.
#[derive(Clone, Debug)]
pub(super) struct ReadAhead {
    /// Number of sectors after a sequential read that are read ahead.
    window: u64,
    /// Maximum of `window` while reads of several streams alternate, and before `shared_until`.
    shared_window: u64,
    /// Time after a host write during which `shared_window` limits read-ahead.
    after_write: SimSpan,
    /// Instant until which the last host write limits read-ahead to `shared_window`.
    shared_until: SimTime,
    /// Number of consecutive host reads, up to the latest one, that belong to the same stream. The count
    /// stops at the maximum number of streams.
    run: usize,
    /// Sequential streams, the most recently used first.
    streams: Vec<ReadStream>,
    max_streams: usize,
    /// Index in `pages` of each page that is being read.
    by_page: PageIndex,
    pages: Slab<PageInFlight>,
    waiting: Slab<WaitingRead>,
}

impl ReadAhead {
    /// Creates the state of read-ahead before the first host read; `None` if read-ahead is off.
    pub(super) fn new(settings: &CacheSettings) -> Option<Self> {
        let max_streams = settings.read_ahead_streams as usize;
        (settings.read_ahead_sectors > 0).then(|| Self {
            window: settings.read_ahead_sectors,
            shared_window: settings.read_ahead_shared_sectors.min(settings.read_ahead_sectors),
            after_write: settings.read_ahead_after_write,
            shared_until: SimTime::ZERO,
            run: 0,
            streams: Vec::with_capacity(max_streams),
            max_streams,
            by_page: PageIndex::new(),
            pages: Slab::new(),
            waiting: Slab::new(),
        })
    }

    /// Records a host write, which limits read-ahead for some time.
    pub(super) fn host_write(&mut self, now: SimTime) {
        self.shared_until = now + self.after_write;
    }

    /// Records a host read of the sectors from `start` to `end` (exclusive). Returns the sectors to be read ahead,
    /// which may be none.
    fn next_window(&mut self, start: u64, end: u64, now: SimTime) -> (u64, u64) {
        let known = self.streams.iter().position(|stream| stream.next_sector == start);
        let from = known.map_or(end, |index| self.streams[index].read_until.max(end));
        self.run = if known == Some(0) { (self.run + 1).min(self.max_streams) } else { 1 };
        let is_alone = self.run == self.max_streams && now >= self.shared_until;
        let window = if is_alone { self.window } else { self.shared_window };
        let until = if known.is_some() { from.max(end + window) } else { end };
        if known.is_none() && self.streams.len() < self.max_streams {
            self.streams.push(ReadStream { next_sector: 0, read_until: 0 });
        }
        let replaced = known.unwrap_or(self.streams.len() - 1);
        self.streams[..=replaced].rotate_right(1);
        self.streams[0] = ReadStream { next_sector: end, read_until: until };
        (from, until)
    }

    /// Returns true if some sectors of a page are being read from flash.
    fn is_in_flight(&self, lpn: Lpn) -> bool {
        self.by_page.get(lpn).is_some()
    }

    /// Records the start of the read of a page.
    fn page_requested(&mut self, lpn: Lpn, sectors: u64) {
        let page = PageInFlight { sectors, first_waiting: None, last_waiting: None };
        self.by_page.insert(lpn, self.pages.insert(page) as u32);
    }

    /// Makes a read wait for sectors of a page. Returns false if some of these sectors are not being read
    /// from flash.
    fn wait(&mut self, initiator: Initiator, lpn: Lpn, sectors: u64, since: SimTime) -> bool {
        let Some(page) = self.by_page.get(lpn).map(|index| &mut self.pages[index as usize]) else {
            return false;
        };
        if sectors & !page.sectors != 0 {
            return false;
        }
        let id = self.waiting.insert(WaitingRead { initiator, since, sectors, next: None }) as u32;
        match page.last_waiting.replace(id) {
            Some(last) => self.waiting[last as usize].next = Some(id),
            None => page.first_waiting = Some(id),
        }
        true
    }

    /// Removes a page that has arrived. Returns the first read that waits for this page.
    fn page_arrived(&mut self, lpn: Lpn) -> Option<u32> {
        let index = self.by_page.get(lpn)?;
        self.by_page.remove(lpn);
        self.pages.remove(index as usize).first_waiting
    }
}

impl Cache {
    /// Makes a host read wait for sectors of a page that are being read ahead. Returns false if the sectors
    /// are not being read ahead.
    pub(super) fn waits_for_read_ahead(
        &mut self,
        initiator: Initiator,
        lpn: Lpn,
        sectors: u64,
        now: SimTime,
    ) -> bool {
        let waits = self.read_ahead.as_mut().is_some_and(|ahead| ahead.wait(initiator, lpn, sectors, now));
        self.counters.read_ahead_waits += u64::from(waits);
        waits
    }

    /// Returns true if read-ahead is on and all sectors of a read are cached or being read from flash.
    pub fn has_read_ahead(&self, start: u64, end: u64, lower_layer: &impl LowerLayer) -> bool {
        let Some(ahead) = &self.read_ahead else { return false };
        lower_layer.page_pieces(start, end).all(|(lpn, wanted)| {
            let missing = wanted & !self.held_sectors(lpn);
            missing == 0
                || ahead.by_page.get(lpn).is_some_and(|at| missing & !ahead.pages[at as usize].sectors == 0)
        })
    }

    /// Reads the pages after a sequential host read into the cache, except pages that are cached or being
    /// read.
    pub(super) fn read_ahead(
        &mut self,
        command: &HostCommand,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) {
        let drive_end = lower_layer.address_ranges().last().map_or(0, |range| range.end);
        let Some(ahead) = &mut self.read_ahead else { return };
        let range = command.range();
        let (from, until) = ahead.next_window(range.start, range.end, now);
        let per_page = u64::from(self.sectors_per_page);
        let first = from / per_page * per_page;
        let last = until.min(drive_end).div_ceil(per_page) * per_page;
        if until == from {
            return;
        }
        for (lpn, sectors) in lower_layer.page_pieces(first, last.max(first)) {
            self.read_page_ahead(command, lpn, sectors, lower_layer, now);
        }
    }

    fn read_page_ahead(
        &mut self,
        command: &HostCommand,
        lpn: Lpn,
        sectors: u64,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) {
        let is_cached = self.slots.find(lpn).is_some();
        let sectors = sectors & lower_layer.sectors_with_data(lpn);
        let is_off = self.settings.mode_of_page(lpn, lower_layer) == CacheMode::Off;
        let Some(ahead) = &mut self.read_ahead else { return };
        if is_cached || is_off || sectors == 0 || ahead.is_in_flight(lpn) {
            return;
        }
        ahead.page_requested(lpn, sectors);
        self.counters.read_ahead_pages += 1;
        lower_layer.read_page_ahead(command.queue, command.initiator.priority, lpn, sectors, now);
    }

    /// Processes the arrival of a page that was read ahead for the host queue `queue`.
    pub fn read_ahead_finished(
        &mut self,
        page: &FinishedPage,
        queue: u16,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) {
        if lower_layer.is_current(page) {
            self.keep(page, queue, lower_layer, now);
        }
        let mut next = self.read_ahead.as_mut().and_then(|ahead| ahead.page_arrived(page.lpn));
        while let Some(id) = next {
            let Some(ahead) = &mut self.read_ahead else { return };
            let read = ahead.waiting.remove(id as usize);
            next = read.next;
            self.serve_waiting(&read, page.lpn, queue, lower_layer, now);
        }
    }

    /// Serves the part of a host read that waited for a page: from the cache, or from flash if the page is not in the
    /// cache.
    fn serve_waiting(
        &mut self,
        read: &WaitingRead,
        lpn: Lpn,
        queue: u16,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) {
        let &WaitingRead { initiator, since, sectors, .. } = read;
        let here = self.look_up(lpn, sectors, lower_layer);
        if here != sectors {
            return lower_layer.read_page(initiator, queue, lpn, sectors & !here, since, now);
        }
        let lane = self.lanes.lane_of(queue);
        let done = self.lanes.access(lane, u64::from(self.count(sectors)), now);
        self.scheduled.push((done, CacheEvent::Served(initiator.id)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::settings::SmallDrive;

    fn read_ahead(window: u64, streams: u32) -> ReadAhead {
        let settings = CacheSettings {
            read_ahead_sectors: window,
            read_ahead_shared_sectors: 10,
            read_ahead_streams: streams,
            ..SmallDrive::new(1, 1).cache
        };
        ReadAhead::new(&settings).expect("the window is not empty")
    }

    #[test]
    fn only_a_read_that_continues_another_reads_ahead() {
        let mut ahead = read_ahead(100, 1);
        assert_eq!(ahead.next_window(0, 8, SimTime::ZERO), (8, 8));
        assert_eq!(ahead.next_window(9, 16, SimTime::ZERO), (16, 16));
        assert_eq!(ahead.next_window(16, 24, SimTime::ZERO), (24, 124));
        assert_eq!(ahead.next_window(24, 32, SimTime::ZERO), (124, 132));
    }

    #[test]
    fn the_least_recently_used_stream_is_replaced() {
        let mut ahead = read_ahead(100, 2);
        for start in [0, 1000] {
            ahead.next_window(start, start + 8, SimTime::ZERO);
        }
        assert_eq!(ahead.next_window(8, 16, SimTime::ZERO), (16, 26));
        ahead.next_window(5000, 5008, SimTime::ZERO);
        assert_eq!(
            ahead.next_window(1008, 1016, SimTime::ZERO),
            (1016, 1016),
            "replaced by the read at 5000"
        );
        assert_eq!(ahead.next_window(5008, 5016, SimTime::ZERO), (5016, 5026));
    }

    #[test]
    fn a_stream_has_the_whole_window_after_as_many_reads_as_there_are_streams() {
        let mut ahead = read_ahead(100, 3);
        ahead.next_window(0, 8, SimTime::ZERO);
        ahead.next_window(1000, 1008, SimTime::ZERO);
        assert_eq!(ahead.next_window(8, 16, SimTime::ZERO), (16, 26));
        assert_eq!(ahead.next_window(16, 24, SimTime::ZERO), (26, 34));
        assert_eq!(ahead.next_window(24, 32, SimTime::ZERO), (34, 132));
        assert_eq!(ahead.next_window(1008, 1016, SimTime::ZERO), (1016, 1026));
        assert_eq!(ahead.next_window(32, 40, SimTime::ZERO), (132, 132), "its data has been read before");
    }
}
