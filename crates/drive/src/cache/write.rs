//! Host writes to the cache.
//!
//! # What it models
//! A write enters the cache page by page while fewer than `in_flight_sectors` sectors of its partition are
//! being destaged. The rest of the write waits, and so do later writes. A write completes when its last part
//! is in the DRAM. With forced unit access, it completes when flash has all of its data.
//!
//! # How
//! A cached page is modified in place. The first write of a page in a time window is destaged at once,
//! concurrently with the DRAM access, since the page is assumed to be cold. A page written again in the
//! window stays in the cache until its space is needed. With coalescing, only writes that complete a page
//! count, and an incomplete page stays in the cache until its space is needed. A page written with forced unit access is also
//! destaged at once. If another destage of the page is in progress, the page is first read from the DRAM like
//! an evicted page, so that the second destage does not overtake the first.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018; NVM Express NVM Command Set Specification 1.0, §3.2.6 (FUA).
//!
//! # Parameters
//! `cache.in_flight_pages_per_plane`, `cache.coalesce_writes`

use std::ops::Range;

use venice_kernel::SimTime;
use venice_nand::geometry::{DestageId, Lpn, Priority, RequestId, long_quotient};

use crate::ftl::{HostCommand, Initiator};

use super::slots::{SlotId, SlotOwner, SlotState};
use super::{Cache, CacheEvent, CacheMechanism, LowerLayer};

/// Write that has been transferred to the cache in part.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingWrite {
    request: Initiator,
    /// True for a write with forced unit access, which completes when flash has its data.
    is_forced: bool,
    queue: u16,
    /// First sector of the write that is not in the cache yet.
    next: u64,
    /// End of the write's sectors (exclusive).
    end: u64,
}

impl PendingWrite {
    const fn is_taken(&self) -> bool {
        self.next == self.end
    }
}

impl Cache {
    /// Accepts a host write, with forced unit access if `is_forced` is true. Returns the number of parts that
    /// the request waits for: writes to the cache in each address range, destages with forced unit access,
    /// and writes that bypass the cache.
    pub fn accept_write(
        &mut self,
        command: &HostCommand,
        is_forced: bool,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) -> u32 {
        let HostCommand { initiator: request, queue, .. } = *command;
        let Range { start: mut next, end } = command.range();
        let is_forced = is_forced && !self.settings.power_loss_protection;
        if let Some(ahead) = &mut self.read_ahead {
            ahead.host_write(now);
        }
        let mut parts = 0;
        while next < end {
            let (until, mode) = self.settings.same_mode(next, end, self.sectors_per_page, lower_layer);
            if mode.takes_writes() {
                let write = PendingWrite { request, is_forced, queue, next, end: until };
                self.take_or_hold_up(write, lower_layer, now);
                parts += 1;
                if is_forced {
                    parts += lower_layer.page_pieces(next, until).count() as u32;
                }
            } else {
                let past = HostCommand { start_sector: next, sectors: (until - next) as u32, ..*command };
                parts += lower_layer.accept_write(&past, now);
            }
            next = until;
        }
        parts
    }

    fn take_or_hold_up(&mut self, mut write: PendingWrite, lower_layer: &mut impl LowerLayer, now: SimTime) {
        let lane = self.lanes.lane_of(write.queue);
        if self.lanes.get_mut(lane).waiting.is_empty() {
            self.take(&mut write, lane, lower_layer, now);
        }
        if !write.is_taken() {
            self.counters.writes_held_up += 1;
            self.lanes.get_mut(lane).waiting.push_back(write);
        }
    }

    /// Continues waiting writes after a destage has ended. With the simple mechanism, the write lanes are
    /// served in round-robin order, one write at a time.
    pub(super) fn resume_writes(&mut self, partition: u32, lower_layer: &mut impl LowerLayer, now: SimTime) {
        if self.settings.mechanism == CacheMechanism::Advanced {
            while self.resume_one(partition as usize, lower_layer, now) {}
            return;
        }
        let lanes = self.lanes.len();
        let mut without = 0;
        while without < lanes && self.in_flight[partition as usize] < self.settings.in_flight_sectors {
            let lane = self.lanes.next_turn();
            let resumed = self.resume_one(lane, lower_layer, now);
            without = if resumed { 0 } else { without + 1 };
        }
    }

    /// Continues the oldest waiting write of a write lane. Returns true if the write has entered the cache
    /// completely.
    fn resume_one(&mut self, lane: usize, lower_layer: &mut impl LowerLayer, now: SimTime) -> bool {
        let Some(&(mut write)) = self.lanes.get_mut(lane).waiting.front() else { return false };
        self.take(&mut write, lane, lower_layer, now);
        let waiting = &mut self.lanes.get_mut(lane).waiting;
        if write.is_taken() {
            waiting.pop_front();
        } else {
            waiting[0] = write;
        }
        write.is_taken()
    }

    /// Copies as much of a write into the cache as the limit of concurrent destages allows.
    fn take(
        &mut self,
        write: &mut PendingWrite,
        lane: usize,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) {
        self.take_pages(write, lane, lower_layer, now);
        self.windows.note_write(now);
    }

    fn take_pages(
        &mut self,
        write: &mut PendingWrite,
        lane: usize,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) {
        let partition = self.lanes.partition_of(write.queue);
        let from = write.next;
        for (lpn, sectors) in lower_layer.page_pieces(write.next, write.end) {
            if self.in_flight[partition as usize] >= self.settings.in_flight_sectors {
                break;
            }
            let owner = SlotOwner { partition, lane: lane as u32, queue: write.queue };
            self.take_page(lpn, sectors, owner, write, lower_layer);
            write.next = self.end_of_piece(write.next, sectors).min(write.end);
        }
        if write.next == from {
            return;
        }
        self.read_out_evicted(now);
        let done = self.lanes.access(lane, write.next - from, now);
        if write.is_taken() {
            self.scheduled.push((done, CacheEvent::Served(write.request.id)));
        }
        for index in 0..self.write_through.len() {
            self.send_to_flash(self.write_through[index], lower_layer, now);
        }
        self.write_through.clear();
        if write.is_forced {
            lower_layer.queue_open_pages(now);
        }
    }

    /// Returns the end (exclusive) of a piece of a request. The piece starts at the sector `start`, and
    /// `sectors` is the bit mask of its sectors in the page. If a bit represents several sectors, the end may
    /// lie beyond the end of the request.
    #[inline]
    pub(super) fn end_of_piece(&self, start: u64, sectors: u64) -> u64 {
        let per_bit = self.sectors_per_bit;
        (long_quotient(start, per_bit) + u64::from(sectors.count_ones())) * u64::from(per_bit)
    }

    fn take_page(
        &mut self,
        lpn: Lpn,
        sectors: u64,
        owner: SlotOwner,
        write: &PendingWrite,
        lower_layer: &mut impl LowerLayer,
    ) {
        self.counters.writes += 1;
        let id = if let Some(id) = self.slots.find(lpn) {
            self.counters.write_hits += 1;
            self.use_again(id, lower_layer);
            self.slots.get_mut(id).sectors |= sectors;
            self.slots.set_state(id, SlotState::Dirty);
            id
        } else {
            self.make_room(owner.partition, Priority::Urgent, lower_layer);
            self.slots.insert(lpn, owner, sectors, SlotState::Dirty)
        };
        if let Some(audit) = lower_layer.audit_mut() {
            audit.cache_takes(lpn, sectors);
        }
        let is_due = !self.settings.coalesces_writes || self.holds_whole_page(id);
        let is_cold = is_due && self.windows.is_first_write(lpn);
        // While a destage of the page is in progress, a second one sent to flash at once could overtake it.
        let is_alone = self.slots.get(id).destages == 0;
        if write.is_forced || (is_cold && is_alone) {
            let destage = self.begin_destage(id, write.request.priority, lower_layer);
            let queue = if is_alone { &mut self.write_through } else { &mut self.to_read_out };
            queue.push(destage);
            if write.is_forced {
                self.force(destage, lpn, write.request.id, lower_layer);
            }
        }
    }

    fn holds_whole_page(&self, id: SlotId) -> bool {
        self.count(self.slots.get(id).sectors) == self.sectors_per_page
    }

    /// Makes a write with forced unit access wait for the destage of its page.
    #[cold]
    fn force(&mut self, id: DestageId, lpn: Lpn, request: RequestId, lower_layer: &mut impl LowerLayer) {
        self.destages[id.index()].forced_by = Some(request);
        if let Some(audit) = lower_layer.audit_mut() {
            audit.forced_write(request, lpn);
        }
    }
}
