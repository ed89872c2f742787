//! Eviction and destaging of pages.
//!
//! # What it models
//! The least recently used page is evicted to free space. A dirty page is first read from the cache's memory
//! and then written to flash with all of its cached sectors. The page is removed when the program has ended,
//! unless the host has written the page again.
//!
//! A page evicted for a write is destaged with the priority class `urgent`, since the write waits for the
//! space. A page evicted for data read from flash has the class `high`. A page that is written for the first
//! time since the current time window began is destaged at once (`windows`). Its destage has the class of the
//! host's write.
//!
//! # What is left out
//! Destaging of dirty pages before their space is needed. At the end of a run, dirty pages remain in the
//! cache.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018.
//!
//! # Parameters
//! `cache.capacity_bytes`, `cache.partitions`

use venice_kernel::SimTime;
use venice_nand::geometry::{DestageId, Priority, RequestId, quotient};
use venice_nand::transactions::Origin;

use super::flush::FlushNumber;
use super::slots::{SlotId, SlotState};
use super::{Cache, CacheEvent, LowerLayer};

/// Destage (write to flash) of a cached page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Destage {
    slot: SlotId,
    /// Set of the page's sectors that are destaged. `count` is the number of these sectors.
    sectors: u64,
    count: u32,
    /// Priority class of the write to flash.
    priority: Priority,
    /// Number of the earliest flush that waits for this destage.
    pub(super) flush: Option<FlushNumber>,
    /// Write with forced unit access that waits for the destage.
    pub(super) forced_by: Option<RequestId>,
}

impl Cache {
    /// Evicts the least recently used page if the cache partition is full.
    pub(super) fn make_room(
        &mut self,
        partition: u32,
        priority: Priority,
        lower_layer: &mut impl LowerLayer,
    ) {
        if self.slots.resident(partition) < quotient(self.settings.pages, self.settings.partitions) {
            return;
        }
        let Some(id) = self.slots.oldest(partition) else { return };
        self.counters.evictions += 1;
        self.slots.unsettle(id);
        match self.slots.get(id).state {
            SlotState::Clean => self.slots.remove(id),
            SlotState::BeingWritten => {}
            SlotState::Dirty => {
                let destage = self.begin_destage(id, priority, lower_layer);
                self.to_read_out.push(destage);
            }
        }
    }

    /// Marks a page as the most recently used one. If the page has been evicted, it gets space in its
    /// partition again.
    pub(super) fn use_again(&mut self, id: SlotId, lower_layer: &mut impl LowerLayer) {
        if self.slots.get(id).resident {
            self.slots.touch(id);
        } else {
            self.make_room(self.slots.get(id).partition, Priority::Urgent, lower_layer);
            self.slots.settle(id);
        }
    }

    /// Starts the destage of all sectors of a page that are currently cached.
    pub(super) fn begin_destage(
        &mut self,
        id: SlotId,
        priority: Priority,
        lower_layer: &mut impl LowerLayer,
    ) -> DestageId {
        let slot = self.slots.get_mut(id);
        slot.destages += 1;
        let flush = slot.flush.take();
        let (lpn, sectors, partition) = (slot.lpn, slot.sectors, slot.partition);
        let count = sectors.count_ones() * self.sectors_per_bit;
        self.slots.set_state(id, SlotState::BeingWritten);
        self.in_flight[partition as usize] += count;
        self.counters.destages += 1;
        let destage = Destage { slot: id, sectors, count, priority, flush, forced_by: None };
        let destage = DestageId(self.destages.insert(destage) as u32);
        if let Some(audit) = lower_layer.audit_mut() {
            audit.destage_begins(destage, lpn, sectors);
        }
        destage
    }

    /// Starts the DRAM reads of pages that have been evicted since the last call, one read per write lane
    /// (queue of waiting writes).
    pub(super) fn read_out_evicted(&mut self, now: SimTime) {
        while let Some(&first) = self.to_read_out.first() {
            let lane = self.slots.get(self.destages[first.index()].slot).lane;
            let (mut pages, mut sectors) = (0, 0);
            for index in 0..self.to_read_out.len() {
                let id = self.to_read_out[index];
                let destage = self.destages[id.index()];
                if self.slots.get(destage.slot).lane == lane {
                    pages += 1;
                    sectors += u64::from(destage.count);
                    self.lanes.get_mut(lane as usize).reading_out.push_back(id);
                }
            }
            let (slots, destages) = (&self.slots, &self.destages);
            self.to_read_out.retain(|id| slots.get(destages[id.index()].slot).lane != lane);
            self.lanes.get_mut(lane as usize).accesses.push_back(pages);
            let done = self.lanes.access(lane as usize, sectors, now);
            self.scheduled.push((done, CacheEvent::ReadOut(lane)));
        }
    }

    /// Sends the evicted pages of a write lane to flash, after a DRAM access has read these pages.
    pub fn read_out(&mut self, lane: u32, lower_layer: &mut impl LowerLayer, now: SimTime) {
        let lane = lane as usize;
        let mut is_waited_for = false;
        for _ in 0..self.lanes.get_mut(lane).accesses.pop_front().unwrap_or(0) {
            if let Some(destage) = self.lanes.get_mut(lane).reading_out.pop_front() {
                let Destage { flush, forced_by, .. } = self.destages[destage.index()];
                is_waited_for |= flush.is_some() || forced_by.is_some();
                self.send_to_flash(destage, lower_layer, now);
            }
        }
        if is_waited_for {
            lower_layer.queue_open_pages(now);
        }
    }

    pub(super) fn send_to_flash(&mut self, id: DestageId, lower_layer: &mut impl LowerLayer, now: SimTime) {
        let Destage { slot, sectors, priority, .. } = self.destages[id.index()];
        let slot = self.slots.get(slot);
        lower_layer.write_page(Origin::Cache(id), slot.queue, priority, slot.lpn, sectors, now);
    }

    /// Processes the end of a destage, which has written a cached page to flash.
    pub fn destage_ended(&mut self, id: DestageId, lower_layer: &mut impl LowerLayer, now: SimTime) {
        let Destage { slot: id, count, flush, forced_by, .. } = self.destages.remove(id.index());
        let slot = self.slots.get_mut(id);
        slot.destages -= 1;
        let partition = slot.partition;
        if slot.destages == 0 && slot.state == SlotState::BeingWritten {
            if slot.resident {
                self.slots.unsettle(id);
            }
            self.slots.remove(id);
        }
        self.in_flight[partition as usize] -= count;
        if let Some(request) = forced_by {
            self.scheduled.push((now, CacheEvent::Served(request)));
        }
        if !self.flushes.are_done() {
            self.continue_flushes(flush, partition, lower_layer, now);
        }
        if !self.trims.is_empty() {
            self.resume_trims(lower_layer, now);
        }
        self.resume_writes(partition, lower_layer, now);
    }
}
