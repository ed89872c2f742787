//! Host reads through the cache.
//!
//! # What it models
//! The cached sectors of a request are read from the DRAM in one access, while the others are read from
//! flash. In the modes `read` and `read_write`, data from flash is then stored as a clean page, unless the
//! page has been written in the meantime. The request does not wait for this.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018.
//!
//! # Parameters
//! `cache.mode`

use venice_kernel::SimTime;
use venice_nand::geometry::{Lpn, Priority};

use crate::ftl::{FinishedPage, HostCommand};

use super::slots::{SlotOwner, SlotState};
use super::{Cache, CacheEvent, LowerLayer};

impl Cache {
    /// Accepts a host read. Returns the number of parts for which the request waits: one DRAM access for all
    /// hits, and each page read from flash.
    pub fn accept_read(
        &mut self,
        command: &HostCommand,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) -> u32 {
        let HostCommand { initiator, queue, start_sector, sectors } = *command;
        let (mut from_flash, mut found, mut missing) = (0, 0, 0);
        for (lpn, wanted) in lower_layer.page_pieces(start_sector, start_sector + u64::from(sectors)) {
            let here = self.look_up(lpn, wanted, lower_layer);
            found += u64::from(self.count(here));
            if here != wanted {
                missing += u64::from(self.count(wanted & !here));
                if !self.waits_for_read_ahead(initiator, lpn, wanted & !here, now) {
                    lower_layer.read_page(initiator, queue, lpn, wanted & !here, now, now);
                }
                from_flash += 1;
            }
        }
        if self.read_ahead.is_some() {
            self.read_ahead(command, lower_layer, now);
        }
        self.counters.read_hit_sectors += found;
        self.counters.read_miss_sectors += missing;
        if found > 0 {
            let lane = self.lanes.lane_of(queue);
            let done = self.lanes.access(lane, found, now);
            self.scheduled.push((done, CacheEvent::Served(initiator.id)));
        }
        from_flash + u32::from(found > 0)
    }

    /// Returns a bit mask of the sectors of a page that are in the cache.
    pub fn held_sectors(&self, lpn: Lpn) -> u64 {
        self.slots.find(lpn).map_or(0, |id| self.slots.get(id).sectors)
    }

    /// Returns a bit mask of the wanted sectors of a page that are in the cache.
    pub(super) fn look_up(&mut self, lpn: Lpn, wanted: u64, lower_layer: &mut impl LowerLayer) -> u64 {
        let Some(id) = self.slots.find(lpn) else { return 0 };
        self.slots.touch(id);
        let here = self.slots.get(id).sectors & wanted;
        if let (Some(audit), true) = (lower_layer.audit_mut(), here != 0) {
            audit.cache_gives(lpn, here);
        }
        here
    }

    /// Processes the end of a read from flash for a request of the host queue `queue`.
    pub fn read_finished(
        &mut self,
        page: &FinishedPage,
        queue: u16,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) {
        if self.settings.mode_of_page(page.lpn, lower_layer).keeps_reads() && lower_layer.is_current(page) {
            self.keep(page, queue, lower_layer, now);
        }
    }

    /// Invalidates the cached copy of a page after a write that bypassed the cache.
    pub fn written_past(&mut self, lpn: Lpn) {
        if let Some(id) = self.slots.find(lpn) {
            self.slots.unsettle(id);
            self.slots.remove(id);
        }
    }

    /// Stores data read from flash in the cache, except sectors that the host has written or deallocated during
    /// the read.
    pub(super) fn keep(
        &mut self,
        page: &FinishedPage,
        queue: u16,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) {
        let known = self.slots.find(page.lpn);
        let here = known.map_or(0, |id| self.slots.get(id).sectors);
        let added = page.sectors & !here & lower_layer.sectors_with_data(page.lpn);
        if added == 0 {
            return;
        }
        let lane = self.lanes.lane_of(queue);
        if let Some(id) = known {
            self.slots.get_mut(id).sectors |= added;
        } else {
            let partition = self.lanes.partition_of(queue);
            self.make_room(partition, Priority::default(), lower_layer);
            self.read_out_evicted(now);
            let owner = SlotOwner { partition, lane: lane as u32, queue };
            self.slots.insert(page.lpn, owner, added, SlotState::Clean);
        }
        if let Some(audit) = lower_layer.audit_mut() {
            audit.cache_fills(page.lpn, added, page.ppn);
        }
        self.lanes.access(lane, u64::from(self.count(added)), now);
    }
}
