//! Losses of power: what survives them, and the work of a restart.
//!
//! # What it models
//! At a given instant the drive's volatile state is gone: pages whose program has not ended, blocks whose erase
//! has not ended, and, without power-loss protection, the data of the cache. The run itself continues as if
//! power had not failed, so that one run can examine many instants.
//!
//! The audit checks what is left. Each version of a logical page that has reached flash, or a newer one, must
//! still be there; with power-loss protection, so must all data that the cache accepted.
//!
//! # What is left out
//! The restart is not simulated; its work is counted. Deallocations are not lost.
//!
//! # Parameters
//! `cache.power_loss_protection`; `ftl.restart` for the time of the restart

use venice_kernel::SimTime;
use venice_nand::geometry::PlaneId;

use super::front_end::FrontEnd;

/// Observation of a loss of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerLoss {
    /// Instant of the loss.
    pub at: SimTime,
    /// True if the data of the cache survives.
    pub is_protected: bool,
    /// Pages with data that only the cache holds.
    pub volatile_pages: u64,
    /// Sectors with data that only the cache holds.
    pub volatile_sectors: u64,
    /// Pages whose program was ordered and has not ended.
    pub programs: u64,
    /// Programmed pages of the plane with most of them.
    pub most_programmed: u32,
    /// Programmed pages in partly programmed blocks of the plane with most of them.
    pub most_in_open_blocks: u32,
}

impl FrontEnd {
    /// Examines a loss of power at `now`.
    #[cold]
    pub(super) fn lose_power(&mut self, now: SimTime) -> PowerLoss {
        let held = self.cache.as_ref().map(|cache| cache.volatile_data()).unwrap_or_default();
        let is_protected = self.cache.as_ref().is_some_and(|cache| cache.is_protected());
        if let Some(audit) = self.ftl.audit_mut() {
            audit.check_power_loss(is_protected.then_some(&held));
        }
        let mut loss = PowerLoss {
            at: now,
            is_protected,
            volatile_pages: held.len() as u64,
            volatile_sectors: held.values().map(|sectors| u64::from(sectors.count_ones())).sum(),
            programs: 0,
            most_programmed: 0,
            most_in_open_blocks: 0,
        };
        let blocks = self.ftl.space().blocks();
        let pages_per_block = blocks.table.pages_per_block();
        for plane in (0..self.ftl.geometry().planes()).map(PlaneId) {
            let used = blocks.table.of_plane(plane).iter().filter(|block| block.written > 0);
            let (mut programmed, mut in_open_blocks) = (0, 0);
            for block in used {
                let done = block.written - block.pending_programs;
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
