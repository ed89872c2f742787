//! Flush commands of the host.
//!
//! # What it models
//! A flush is complete when all data that the cache held at its arrival is on flash, including data that is
//! already being destaged. Dirty pages are destaged oldest first, within the limit of concurrent destages.
//! Writes that wait for space continue after these destages. With power-loss protection, data in the cache
//! survives a loss of power, and a flush ends at once.
//!
//! # How
//! Each cached page and each destage records the earliest flush that waits for it. Later flushes wait for the
//! same data, so flushes end in order. A flush therefore counts only the pages and destages that no earlier
//! flush waits for.
//!
//! Partly filled flash pages that hold such data are programmed without waiting for further mapping units.
//!
//! # What is left out
//! Namespaces: a flush covers the whole drive. A destage that fails because its chip is lost counts as ended.
//!
//! # Source
//! NVM Express Base Specification 2.0, §7.1 (Flush command).
//!
//! # Parameters
//! `cache.power_loss_protection`

use std::collections::VecDeque;

use venice_kernel::SimTime;
use venice_nand::geometry::{Lpn, Priority, RequestId};

use super::slots::SlotState;
use super::{Cache, CacheEvent, LowerLayer};

/// Number of a flush in the order of arrival.
pub(super) type FlushNumber = u32;

/// Flush command of the host that is in progress.
#[derive(Clone, Copy, Debug)]
struct PendingFlush {
    request: RequestId,
    /// Number of cached pages and destages that the flush waits for. Pages and destages that an earlier flush
    /// waits for are not counted.
    left: u32,
}

/// All flushes in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct Flushes {
    /// Flushes in the order of arrival; the first one has the number `first`.
    pending: VecDeque<PendingFlush>,
    first: FlushNumber,
    /// Dirty pages to be destaged for flushes, one queue per partition. A page may already have left the
    /// cache when its turn comes.
    to_destage: Vec<VecDeque<Lpn>>,
}

impl Flushes {
    /// Creates an empty list of flushes, for a cache with `partitions` partitions.
    pub(super) fn new(partitions: u32) -> Self {
        Self { to_destage: vec![VecDeque::new(); partitions as usize], ..Self::default() }
    }

    /// Returns true if no flush is in progress.
    #[inline]
    pub(super) fn are_done(&self) -> bool {
        self.pending.is_empty()
    }

    /// Decrements the number of pages and destages that a flush waits for. Called when a destage has ended or
    /// a page has been dropped.
    pub(super) fn count_end(&mut self, flush: FlushNumber) {
        self.pending[flush.wrapping_sub(self.first) as usize].left -= 1;
    }

    /// Removes and returns the oldest flush if all its data is on flash.
    fn take_complete(&mut self) -> Option<RequestId> {
        let flush = *self.pending.front().filter(|flush| flush.left == 0)?;
        self.pending.pop_front();
        self.first = self.first.wrapping_add(1);
        Some(flush.request)
    }
}

impl Cache {
    /// Accepts a flush. Returns 1 if the flush waits for data, or 0 if it is complete at once.
    pub fn accept_flush(
        &mut self,
        request: RequestId,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) -> u32 {
        if self.settings.power_loss_protection {
            return 0;
        }
        if let Some(audit) = lower_layer.audit_mut() {
            audit.flush_begins(request);
        }
        let left = self.mark_for_flush();
        if left == 0 && self.flushes.are_done() {
            return 0;
        }
        self.counters.flushes_waited += 1;
        self.flushes.pending.push_back(PendingFlush { request, left });
        for partition in 0..self.settings.partitions {
            self.destage_for_flushes(partition, lower_layer, now);
        }
        lower_layer.queue_open_pages(now);
        1
    }

    /// Assigns the number of the next flush to all dirty pages and destages for which no earlier flush waits.
    /// Returns the number of these pages and destages.
    fn mark_for_flush(&mut self) -> u32 {
        let number = self.flushes.first.wrapping_add(self.flushes.pending.len() as u32);
        let mut left = 0;
        for (_, destage) in self.destages.iter_mut().filter(|(_, destage)| destage.flush.is_none()) {
            destage.flush = Some(number);
            left += 1;
        }
        for partition in 0..self.settings.partitions {
            for id in self.slots.dirty(partition) {
                let slot = self.slots.get_mut(id);
                if slot.flush.is_none() {
                    slot.flush = Some(number);
                    self.flushes.to_destage[partition as usize].push_back(slot.lpn);
                    left += 1;
                }
            }
        }
        left
    }

    /// Destages pages that flushes wait for, up to the limit of concurrent destages.
    pub(super) fn destage_for_flushes(
        &mut self,
        partition: u32,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) {
        let place = partition as usize;
        while self.in_flight[place] < self.settings.in_flight_sectors
            && let Some(lpn) = self.flushes.to_destage[place].pop_front()
        {
            let found = self.slots.find(lpn).filter(|&id| {
                let slot = self.slots.get(id);
                slot.flush.is_some() && slot.state == SlotState::Dirty
            });
            if let Some(id) = found {
                let destage = self.begin_destage(id, Priority::Urgent, lower_layer);
                self.to_read_out.push(destage);
            }
        }
        self.read_out_evicted(now);
    }

    /// Continues the flushes after a destage has ended. `ended` is the earliest flush that waited for the
    /// destage, if there was one.
    #[cold]
    pub(super) fn continue_flushes(
        &mut self,
        ended: Option<FlushNumber>,
        partition: u32,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) {
        if let Some(flush) = ended {
            self.flushes.count_end(flush);
            self.complete_flushes(now);
        }
        self.destage_for_flushes(partition, lower_layer, now);
    }

    /// Completes the flushes whose data is on flash.
    pub(super) fn complete_flushes(&mut self, now: SimTime) {
        while let Some(request) = self.flushes.take_complete() {
            self.scheduled.push((now, CacheEvent::Served(request)));
        }
    }
}
