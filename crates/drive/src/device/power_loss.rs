//! Examination of losses of power: the audit checks the surviving data, and the restart is estimated.
//!
//! # What it models
//! A loss of power destroys pages whose program has not ended, blocks whose erase has not ended, and, without
//! power-loss protection, the data of the cache. The run itself continues as if power had not failed, so that
//! one run can examine many instants.
//!
//! The audit checks the surviving data. Once a version of a logical page has reached flash, this version or a
//! newer one should survive. A page is lost if the block of its old version is erased while the newer version
//! is still being programmed. With `ftl.keep_old_versions`, this must not happen. With power-loss protection,
//! programs in progress are completed, and all data that the cache accepted must survive.
//!
//! # What is left out
//! The restart is not simulated; its operations are counted. Deallocations are not lost.
//!
//! # Parameters
//! `cache.power_loss_protection`; `ftl.restart` determines the time of the restart.

use venice_kernel::SimTime;
use venice_nand::geometry::PlaneId;

use crate::cache::Cache;
use crate::observe::Audit;

use super::front_end::FrontEnd;

/// Consequences of a loss of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerLoss {
    /// Instant of the loss of power.
    pub at: SimTime,
    /// True if the data in the cache survives the loss of power.
    pub is_protected: bool,
    /// Number of pages whose newest version on flash was lost and of which no newer version survives; `None`
    /// without audit.
    pub lost_pages: Option<u64>,
    /// Number of pages with data that only the cache holds.
    pub volatile_pages: u64,
    /// Number of sectors with data that only the cache holds.
    pub volatile_sectors: u64,
    /// Number of pages whose program was queued or in progress.
    pub programs: u64,
    /// Number of pages of searches that have no outcome yet, so that their searches end without a result;
    /// `None` if no search has reached the drive.
    pub search_pages: Option<u64>,
    /// Largest number of programmed pages in a plane.
    pub most_programmed: u32,
    /// Largest number of programmed pages in partly programmed blocks of a plane.
    pub most_in_open_blocks: u32,
}

impl FrontEnd {
    /// Examines the consequences of a loss of power at `now`.
    #[cold]
    pub(super) fn lose_power(&mut self, now: SimTime) -> PowerLoss {
        let held = self.cache.as_ref().map(Cache::volatile_data).unwrap_or_default();
        let is_protected = self.cache.as_ref().is_some_and(Cache::is_protected);
        let keeps_old_versions = self.ftl.settings.restart.keep_old_versions;
        let translation = self.ftl.translation();
        let host_pages = translation.capacity_sectors() / u64::from(translation.sectors_per_page());
        let check = |audit: &mut Audit| {
            audit.check_power_loss(host_pages as u32, is_protected.then_some(&held), keeps_old_versions)
        };
        let lost_pages = self.ftl.audit_mut().map(check);
        let mut loss = PowerLoss {
            at: now,
            is_protected,
            lost_pages,
            volatile_pages: held.len() as u64,
            volatile_sectors: held.values().map(|sectors| u64::from(sectors.count_ones())).sum::<u64>()
                * u64::from(self.cache.as_ref().map_or(1, Cache::sectors_per_bit)),
            programs: 0,
            search_pages: self.ftl.search_pages_in_progress(),
            most_programmed: 0,
            most_in_open_blocks: 0,
        };
        let blocks = self.ftl.space().blocks();
        let pages_per_block = blocks.table.pages_per_block();
        for plane in (0..self.ftl.geometry().planes()).map(PlaneId) {
            let used = blocks.table.of_plane(plane).iter().filter(|block| block.written > 0);
            let (mut programmed, mut in_open_blocks) = (0, 0);
            for block in used {
                // Second passes in flight program pages again.
                let done = block.written.saturating_sub(block.pending_programs);
                loss.programs += u64::from(block.pending_programs);
                programmed += done;
                in_open_blocks += if block.written < pages_per_block { done } else { 0 };
            }
            loss.most_programmed = loss.most_programmed.max(programmed);
            loss.most_in_open_blocks = loss.most_in_open_blocks.max(in_open_blocks);
        }
        loss
    }
}
