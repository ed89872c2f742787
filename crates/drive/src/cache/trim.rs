//! Trims of cached pages.
//!
//! # What it models
//! A cached page that a trim covers completely is dropped, even if it is dirty, and is deallocated in the
//! flash translation layer. While the page is being destaged, the deallocation waits, since the destaged data
//! would otherwise reach flash after it. A page that the trim covers in part stays in the cache; with
//! `ftl.trim_partial_units = "zeroed"`, it does so without the covered sectors.
//!
//! # Source
//! NVM Express NVM Command Set Specification 1.0, §3.2.3 (dataset management).

use venice_kernel::SimTime;
use venice_nand::geometry::{Lpn, RequestId};

use crate::ftl::HostCommand;

use super::slots::SlotId;
use super::{Cache, CacheEvent, LowerLayer};

/// Deallocation that waits for the destages of its page to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingTrim {
    request: RequestId,
    lpn: Lpn,
    sectors: u64,
}

impl Cache {
    /// Accepts a trim. Returns the number of deallocations that the request waits for.
    pub fn accept_trim(
        &mut self,
        command: &HostCommand,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) -> u32 {
        let request = command.initiator.id;
        let range = lower_layer.whole_parts(command.range());
        let mut waiting = 0;
        for (lpn, sectors) in lower_layer.page_pieces(range.start, range.end) {
            let trim = PendingTrim { request, lpn, sectors };
            waiting += u32::from(self.trim_page(trim, lower_layer, now));
        }
        waiting
    }

    /// Accepts a write-zeroes command that may deallocate. Pages that the command covers completely are
    /// deallocated, and all other pages are written. Returns the number of parts of the request
    /// (deallocations and writes) that have not ended.
    pub fn accept_zeroes(
        &mut self,
        command: &HostCommand,
        lower_layer: &mut impl LowerLayer,
        now: SimTime,
    ) -> u32 {
        let (request, range) = (command.initiator.id, command.range());
        let (mut waiting, mut next) = (0, range.start);
        for (lpn, sectors) in lower_layer.page_pieces(range.start, range.end) {
            let until = self.end_of_piece(next, sectors).min(range.end);
            let count = (until - next) as u32;
            if count == self.sectors_per_page {
                let trim = PendingTrim { request, lpn, sectors };
                waiting += u32::from(self.trim_page(trim, lower_layer, now));
            } else {
                let part = HostCommand { start_sector: next, sectors: count, ..*command };
                waiting += self.accept_write(&part, false, lower_layer, now);
            }
            next = until;
        }
        waiting
    }

    /// Deallocates a page. Returns true if the request waits for the deallocation.
    fn trim_page(&mut self, trim: PendingTrim, lower_layer: &mut impl LowerLayer, now: SimTime) -> bool {
        let PendingTrim { request, lpn, sectors } = trim;
        let has_effect = self.count(sectors) == self.sectors_per_page || lower_layer.trims_parts();
        match self.slots.find(lpn).filter(|_| has_effect) {
            Some(id) if self.slots.get(id).destages > 0 => {
                self.trims.push(trim);
                return true;
            }
            Some(id) => self.drop_sectors(id, sectors, lower_layer, now),
            None => {}
        }
        lower_layer.trim_page(request, lpn, sectors, now)
    }

    /// Removes sectors of a page from the cache without writing their data to flash.
    fn drop_sectors(&mut self, id: SlotId, sectors: u64, lower_layer: &mut impl LowerLayer, now: SimTime) {
        let slot = self.slots.get_mut(id);
        slot.sectors &= !sectors;
        if slot.sectors == 0 {
            let lpn = slot.lpn;
            self.drop_page(id, now);
            if let Some(audit) = lower_layer.audit_mut() {
                audit.cache_drops(lpn);
            }
        }
    }

    /// Removes a page from the cache without writing its data to flash.
    fn drop_page(&mut self, id: SlotId, now: SimTime) {
        let slot = self.slots.get(id);
        if let Some(flush) = slot.flush {
            self.flushes.count_end(flush);
        }
        if slot.resident {
            self.slots.unsettle(id);
        }
        self.slots.remove(id);
        self.complete_flushes(now);
    }

    /// Performs the pending deallocations of pages that are no longer being destaged.
    #[cold]
    pub(super) fn resume_trims(&mut self, lower_layer: &mut impl LowerLayer, now: SimTime) {
        for trim in std::mem::take(&mut self.trims) {
            let id = self.slots.find(trim.lpn);
            if id.is_some_and(|id| self.slots.get(id).destages > 0) {
                self.trims.push(trim);
            } else if !self.trim_page(trim, lower_layer, now) {
                self.scheduled.push((now, CacheEvent::Served(trim.request)));
            }
        }
    }
}
