//! Refresh: moves the data of blocks that were programmed long ago, or whose pages have many raw bit errors.
//!
//! # What it models
//! Retention errors grow with the time since data was programmed. A block whose first program since its last
//! erase is older than an age is collected like a victim, although its data is valid: the data is programmed
//! again elsewhere, and the block is erased. The same happens to a block in which a decoded page has too many
//! raw bit errors.
//!
//! # How
//! Blocks age from their first program, so that they become due in the order of these programs. A queue with the
//! instants at which blocks are due is sorted therefore, and a timer waits for the first of them. Entries of
//! blocks that were erased in the meantime are skipped. Due blocks are added to
//! [`DueBlocks`](super::due_blocks::DueBlocks).
//!
//! # What is left out
//! Blocks that have no data.
//!
//! # Source
//! Cai et al., "Flash correct-and-refresh: retention-aware error management for increased flash memory lifetime",
//! ICCD 2012 (remapping-based refresh at a fixed age).
//!
//! # Parameters
//! `ftl.refresh_age_days`, `ftl.refresh_errors_pct`

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{BlockId, PlaneId};

use super::Collector;
use crate::ftl::shared::{BlockAges, PS_PER_DAY, Shared};
use crate::ftl::space::CollectionCause;

/// Settings of refresh, which moves old data and data with many bit errors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RefreshSettings {
    /// Time after its first program at which a block is refreshed, in days; 0 for never.
    pub age_days: f64,
    /// Number of raw bit errors in a codeword at which its block is refreshed, as a share of the errors that
    /// hard-decision decoding corrects; 0 for no refresh because of errors.
    pub error_share: f64,
}

impl RefreshSettings {
    /// Returns true if blocks are refreshed.
    pub fn is_some(&self) -> bool {
        self.age_days > 0.0 || self.error_share > 0.0
    }
}

/// Instant at which a block must be refreshed, unless it is erased before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DueInstant {
    at: SimTime,
    block: BlockId,
    /// First program of the block since its last erase.
    programmed: SimTime,
}

/// Queue of the instants at which blocks must be refreshed because of the age of their data.
#[derive(Clone, Debug, Default)]
pub(super) struct Refresh {
    age_days: f64,
    /// True if a call of [`Collector::refresh_due`] is planned.
    is_armed: bool,
    /// Blocks and the instants at which they must be refreshed, in ascending order of the instants.
    queue: VecDeque<DueInstant>,
}

impl Refresh {
    /// Creates the state at the start of a run; `None` if blocks are not refreshed for their age.
    pub(super) fn new(settings: RefreshSettings) -> Option<Self> {
        (settings.age_days > 0.0).then(|| Self { age_days: settings.age_days, ..Self::default() })
    }

    /// Returns the instant at which a block must be refreshed whose data has the age `days` at `now`.
    fn due_at(&self, days: f64, now: SimTime) -> SimTime {
        now.saturating_add(SimSpan::from_ps(((self.age_days - days) * PS_PER_DAY).max(0.0).round() as u64))
    }

    /// Fills the queue with the blocks that have data at the start of the run.
    fn begin(&mut self, ages: &BlockAges, blocks: u32, now: SimTime) {
        let instant = |block: BlockId| {
            let age = ages.of(block);
            let at = self.due_at(age.days(now), now);
            age.is_programmed().then_some(DueInstant { at, block, programmed: age.programmed() })
        };
        let mut queue: Vec<DueInstant> = (0..blocks).map(BlockId).filter_map(instant).collect();
        queue.sort_by_key(|due| due.at);
        self.queue = queue.into();
    }

    /// Records the first program of a block since its last erase.
    fn programmed(&mut self, block: BlockId, now: SimTime) {
        self.queue.push_back(DueInstant { at: self.due_at(0.0, now), block, programmed: now });
    }

    /// Removes and returns the next block that must be refreshed by `now`, because of the age of its data.
    fn next_due(&mut self, ages: &BlockAges, now: SimTime) -> Option<BlockId> {
        while let Some(&DueInstant { block, programmed, .. }) = self.queue.front().filter(|due| due.at <= now)
        {
            self.queue.pop_front();
            let age = ages.of(block);
            if age.is_programmed() && age.programmed() == programmed {
                return Some(block);
            }
        }
        None
    }

    /// Plans the next examination of the queue of due blocks. Returns the instant of the examination, or
    /// `None` if it lies beyond the simulator's clock. Blocks that are programmed in the meantime do not
    /// become due before this instant.
    fn arm(&mut self, now: SimTime) -> Option<SimTime> {
        let at = self.queue.front().map_or(self.due_at(0.0, now), |due| due.at.max(now));
        self.is_armed = at < SimTime::MAX;
        self.is_armed.then_some(at)
    }
}

impl Collector {
    /// Starts refresh at the first request of the run. Returns the instant at which
    /// [`Self::refresh_due`] must be called, unless a call is planned already.
    pub(in crate::ftl) fn begin_refresh(&mut self, shared: &Shared, now: SimTime) -> Option<SimTime> {
        self.due.as_mut()?.can_refresh = true;
        let (refresh, ages) = (self.refresh.as_mut().filter(|it| !it.is_armed)?, shared.ages.as_ref()?);
        if refresh.queue.is_empty() {
            refresh.begin(ages, self.geometry.blocks(), now);
        }
        refresh.arm(now)
    }

    /// Starts the refresh of the blocks whose data has reached its maximum age at `now`. Returns the instant
    /// of the next call.
    pub(in crate::ftl) fn refresh_due(&mut self, shared: &mut Shared, now: SimTime) -> Option<SimTime> {
        if let (Some(refresh), Some(due), Some(ages)) = (&mut self.refresh, &mut self.due, &shared.ages) {
            while let Some(block) = refresh.next_due(ages, now) {
                due.add(self.geometry.plane_of(block), block, CollectionCause::Refresh);
            }
        }
        for plane in (0..self.geometry.planes()).map(PlaneId) {
            self.collect_due(shared, plane, now);
        }
        self.refresh.as_mut()?.arm(now)
    }

    /// Refreshes a block with too many raw bit errors.
    pub(in crate::ftl) fn refresh_block(&mut self, shared: &mut Shared, block: BlockId, now: SimTime) {
        let plane = self.geometry.plane_of(block);
        if let Some(due) = &mut self.due {
            due.add(plane, block, CollectionCause::Refresh);
        }
        self.collect_due(shared, plane, now);
    }

    /// Records the first program of a block since its last erase.
    pub(in crate::ftl) fn block_programmed(&mut self, block: BlockId, now: SimTime) {
        if let Some(refresh) = &mut self.refresh {
            refresh.programmed(block, now);
        }
    }

    /// Ends the refresh of further blocks, since the host has no more requests.
    pub(in crate::ftl) fn end_refresh(&mut self) {
        if let Some(refresh) = &mut self.refresh {
            refresh.is_armed = false;
        }
        if let Some(due) = &mut self.due {
            due.end_refresh();
        }
    }
}
