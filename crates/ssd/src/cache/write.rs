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
//! A window for each page: the present window ends with the first write after its time, which still belongs to it, as in MQSim.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018.
//!
//! # Parameters
//! `cache.in_flight_pages_per_plane`, `cache.hot_window_us`

use venice_kernel::SimTime;

use crate::ftl::{Ftl, Initiator};
use crate::geometry::{Lpn, Priority, SparseTable};

use super::slots::State;
use super::{Cache, CacheEvent, CacheMechanism, CacheMode};

/// Pages that share a word.
const BITS: usize = u64::BITS as usize;

/// No page of so many is written yet: a bit for each, in words.
pub(super) fn written_pages(pages: usize) -> SparseTable<u64> {
    SparseTable::new(pages.div_ceil(BITS))
}

/// A write that is taken piece by piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingWrite {
    request: Initiator,
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
        (request, queue): (Initiator, u16),
        (start, sectors): (u64, u32),
        ftl: &mut Ftl,
        now: SimTime,
    ) -> u32 {
        let end = start + u64::from(sectors);
        let (mut parts, mut next) = (0, start);
        while next < end {
            let (until, mode) = self.same_mode(next, end, ftl);
            if mode.takes_writes() {
                self.take_or_hold_up(PendingWrite { request, queue, next, end: until }, ftl, now);
                parts += 1;
            } else {
                parts += ftl.accept_write((request, queue), (next, (until - next) as u32), now);
            }
            next = until;
        }
        parts
    }

    /// How far from `start` on, at most to `end`, all sectors are of one address range, and its mode.
    fn same_mode(&self, start: u64, end: u64, ftl: &Ftl) -> (u64, CacheMode) {
        if self.settings.modes.is_empty() {
            return (end, self.settings.mode);
        }
        let range = ftl.translation().range_of(Lpn((start / u64::from(self.sectors_per_page)) as u32));
        let until = ftl.translation().address_ranges().nth(range).map_or(end, |range| range.end);
        (until.min(end), self.settings.mode_of(range))
    }

    fn take_or_hold_up(&mut self, mut write: PendingWrite, ftl: &mut Ftl, now: SimTime) {
        let lane = self.lane_of(write.queue);
        if self.lanes[lane].waiting.is_empty() {
            self.take(&mut write, lane, ftl, now);
        }
        if !write.is_taken() {
            self.counters.writes_held_up += 1;
            self.lanes[lane].waiting.push_back(write);
        }
    }

    /// Less is on its way to flash: writes that waited go on. With the simple mechanism, a write of each queue in turn.
    pub(super) fn resume_writes(&mut self, partition: u32, ftl: &mut Ftl, now: SimTime) {
        if self.settings.mechanism == CacheMechanism::Advanced {
            while self.resume_one(partition as usize, ftl, now) {}
            return;
        }
        let lanes = self.lanes.len();
        let mut without = 0;
        while without < lanes && self.in_flight[partition as usize] < self.settings.in_flight_sectors {
            self.turn = (self.turn + 1) % lanes;
            let resumed = self.resume_one(self.turn, ftl, now);
            without = if resumed { 0 } else { without + 1 };
        }
    }

    /// The write of a lane that waited longest goes on. Says whether it was taken to its end.
    fn resume_one(&mut self, lane: usize, ftl: &mut Ftl, now: SimTime) -> bool {
        let Some(mut write) = self.lanes[lane].waiting.pop_front() else { return false };
        self.take(&mut write, lane, ftl, now);
        if !write.is_taken() {
            self.lanes[lane].waiting.push_front(write);
        }
        write.is_taken()
    }

    /// Takes as much of a write as may be taken now.
    fn take(&mut self, write: &mut PendingWrite, lane: usize, ftl: &mut Ftl, now: SimTime) {
        self.take_pages(write, lane, ftl, now);
        self.end_window(now);
    }

    fn take_pages(&mut self, write: &mut PendingWrite, lane: usize, ftl: &mut Ftl, now: SimTime) {
        let partition = self.partition_of(write.queue);
        let from = write.next;
        for (lpn, sectors) in ftl.translation().page_pieces(write.next, write.end) {
            if self.in_flight[partition as usize] >= self.settings.in_flight_sectors {
                break;
            }
            let place = (partition, lane as u32, write.queue);
            self.take_page((lpn, sectors), place, write.request.priority, ftl);
            write.next += u64::from(sectors.count_ones());
        }
        if write.next == from {
            return;
        }
        self.read_out_evicted(now);
        let done = self.access(lane, write.next - from, now);
        if write.is_taken() {
            self.schedule(done, CacheEvent::Served(write.request.id));
        }
        for index in 0..self.write_through.len() {
            self.send_to_flash(self.write_through[index], ftl, now);
        }
        self.write_through.clear();
    }

    fn take_page(
        &mut self,
        (lpn, sectors): (Lpn, u64),
        place: (u32, u32, u16),
        priority: Priority,
        ftl: &mut Ftl,
    ) {
        self.counters.writes += 1;
        let id = if let Some(id) = self.slots.find(lpn) {
            self.counters.write_hits += 1;
            self.use_again(id, ftl);
            let slot = self.slots.get_mut(id);
            slot.sectors |= sectors;
            slot.state = State::Dirty;
            id
        } else {
            self.make_room(place.0, Priority::Urgent, ftl);
            self.slots.insert(lpn, place, sectors, State::Dirty)
        };
        if let Some(audit) = ftl.audit_mut() {
            audit.cache_takes(lpn, sectors);
        }
        // A page already on its way might be overtaken there by a second write of it.
        if self.is_first_write(lpn) && self.slots.get(id).destages == 0 {
            let destage = self.begin_destage(id, priority, ftl);
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

    /// The present window ends with the first write after its time. The first one begins with the first write.
    fn end_window(&mut self, now: SimTime) {
        let is_over = self.window_end.is_some_and(|end| now > end);
        if is_over {
            self.written = written_pages(self.pages);
        }
        if is_over || self.window_end.is_none() {
            self.window_end = Some(now + self.settings.hot_window);
        }
    }
}
