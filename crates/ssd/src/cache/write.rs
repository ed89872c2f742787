//! Taking writes.
//!
//! # What it models
//! A write goes into the cache page by page as long as less than `in_flight_sectors` of its partition are on
//! their way to flash; what is left of it waits, and writes behind it wait too. It is answered when
//! the memory has the last of it.
//!
//! # How
//! A page that the cache has is changed in place. The first write of a page within a window of time goes to
//! flash at once, beside the memory: such a page is taken to be cold. One that is written again stays
//! until its room is needed.
//!
//! # What is left out
//! A window for each page: the next window begins with the first write after the end of the present one.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018.
//!
//! # Parameters
//! `cache.in_flight_pages_per_plane`, `cache.hot_window_us`

use venice_kernel::SimTime;

use crate::ftl::{Ftl, page_pieces};
use crate::geometry::{Lpn, RequestId, SparseTable};

use super::slots::State;
use super::{Cache, CacheEvent};

/// Pages that share a word.
const BITS: usize = u64::BITS as usize;

/// No page of so many is written yet: a bit for each, in words.
pub(super) fn written_pages(pages: usize) -> SparseTable<u64> {
    SparseTable::new(pages.div_ceil(BITS))
}

/// A write that is taken piece by piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingWrite {
    request: RequestId,
    queue: u16,
    /// The first sector not taken yet.
    next: u64,
    /// The first sector behind it.
    end: u64,
}

impl PendingWrite {
    const fn is_taken(&self) -> bool {
        self.next == self.end
    }
}

impl Cache {
    /// Takes in a write of the host's queue `queue` of `sectors` sectors from `start` on. Says of how
    /// many parts the request waits for.
    pub fn accept_write(
        &mut self,
        (request, queue): (RequestId, u16),
        (start, sectors): (u64, u32),
        ftl: &mut Ftl,
        now: SimTime,
    ) -> u32 {
        if !self.settings.mode.takes_writes() {
            return ftl.accept_write((request, queue), (start, sectors), now);
        }
        let partition = self.partition_of(queue);
        let mut write = PendingWrite { request, queue, next: start, end: start + u64::from(sectors) };
        if self.partitions[partition as usize].waiting.is_empty() {
            self.take(&mut write, partition, ftl, now);
        }
        if !write.is_taken() {
            self.counters.writes_held_up += 1;
            self.partitions[partition as usize].waiting.push_back(write);
        }
        1
    }

    /// Less is on its way to flash: writes that waited go on.
    pub(super) fn resume_writes(&mut self, partition: u32, ftl: &mut Ftl, now: SimTime) {
        while let Some(mut write) = self.partitions[partition as usize].waiting.pop_front() {
            self.take(&mut write, partition, ftl, now);
            if !write.is_taken() {
                self.partitions[partition as usize].waiting.push_front(write);
                return;
            }
        }
    }

    /// Takes as much of a write as may be taken now.
    fn take(&mut self, write: &mut PendingWrite, partition: u32, ftl: &mut Ftl, now: SimTime) {
        let from = write.next;
        self.begin_window(now);
        for (lpn, sectors) in page_pieces(self.sectors_per_page, write.next, write.end) {
            if self.partitions[partition as usize].in_flight >= self.settings.in_flight_sectors {
                break;
            }
            self.take_page(lpn, sectors, (partition, write.queue), ftl);
            write.next += u64::from(sectors.count_ones());
        }
        if write.next == from {
            return;
        }
        self.read_out_evicted(now);
        let done = self.dram.access(write.next - from, now);
        if write.is_taken() {
            self.schedule(done, CacheEvent::Served(write.request));
        }
        for index in 0..self.write_through.len() {
            self.send_to_flash(self.write_through[index], ftl, now);
        }
        self.write_through.clear();
    }

    fn take_page(&mut self, lpn: Lpn, sectors: u64, (partition, queue): (u32, u16), ftl: &mut Ftl) {
        self.counters.writes += 1;
        let id = if let Some(id) = self.slots.find(lpn) {
            self.counters.write_hits += 1;
            self.use_again(id, ftl);
            let slot = self.slots.get_mut(id);
            slot.sectors |= sectors;
            slot.state = State::Dirty;
            id
        } else {
            self.make_room(partition, ftl);
            self.slots.insert(lpn, (partition, queue), sectors, State::Dirty)
        };
        if let Some(audit) = ftl.audit_mut() {
            audit.cache_takes(lpn, sectors);
        }
        // A page already on its way might be overtaken there by a second write of it.
        if self.is_first_write(lpn) && self.slots.get(id).destages == 0 {
            let destage = self.begin_destage(id, ftl);
            self.write_through.push(destage);
        }
    }

    /// Whether a page is written for the first time in the present window; it is not from now on.
    fn is_first_write(&mut self, lpn: Lpn) -> bool {
        let word = self.written.entry(lpn.index() / BITS);
        let bit = 1 << (lpn.index() % BITS);
        let is_first = *word & bit == 0;
        *word |= bit;
        is_first
    }

    /// The next window begins with the first write after the end of the present one.
    fn begin_window(&mut self, now: SimTime) {
        if now >= self.window_end {
            self.written = written_pages(self.pages);
            self.window_end = now + self.settings.hot_window;
        }
    }
}
