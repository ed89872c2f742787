//! Parameters of garbage collection and wear levelling.
//!
//! # Parameters
//! `ftl.victim`, `ftl.gc_*`, `ftl.write_frontiers`, and the parameters of wear levelling and of each policy

use venice_kernel::SimSpan;
use venice_params::{Conflict, ParameterKind, choices, declare, number, one_of, whole};

use crate::ftl::gc::{VictimParameters, VictimPolicy};
use crate::ftl::gc_destination::{DestinationParameters, GcDestination};
use crate::ftl::idle::IdleCollectionSettings;

use super::refresh::RefreshSettings;

/// Event that starts garbage collection (GC) in a plane with too few free blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcTrigger {
    /// Shortage of free blocks: GC runs until the plane has enough free blocks.
    Shortage,
    /// A block becomes full: GC collects one victim for each full block.
    FullBlock,
}

/// Separation of host writes and pages moved by garbage collection (GC) into different blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFrontiers {
    /// Separate blocks for host writes and GC, as long as a plane has three spare blocks: the reserved block,
    /// the open block of the host, and the open block of GC.
    Separate,
    /// Shared blocks. Without a free block, host writes fill those pages of the open GC block that GC does
    /// not need.
    Shared,
}

/// Measure of wear that static wear levelling compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WearMeasure {
    /// Number of erases of each block of the plane.
    Erases,
    /// Block numbers, as in MQSim: the number of the plane's first block is compared with the number of its
    /// most worn block (the first one on a tie). Only the first block is moved, and only once.
    BlockNumbers,
}

choices! {
    WearMeasure, "measure of wear": "erases" => Erases, "block_numbers" => BlockNumbers;
    GcTrigger, "trigger of collection": "shortage" => Shortage, "full_block" => FullBlock;
    WriteFrontiers, "set of write frontiers": "separate" => Separate, "shared" => Shared;
}

declare! {
    /// Parameters of garbage collection.
    pub struct CollectionParameters in "ftl." {
        /// Victim policy of garbage collection.
        ///
        /// Candidates are a plane's full blocks with an invalid page.
        victim: VictimPolicy = one_of::<VictimPolicy>(), unit "", default "greedy",
            source "Gao et al., PIQ, TCAD 2017, §V-A; MQSim, GC_Block_Selection_Policy; each policy's own file";
        with victim_parameters: VictimParameters;
        /// Start threshold of garbage collection (GC), as a share of a plane's blocks.
        ///
        /// GC starts in a plane with fewer free blocks than the threshold. Exception: GC does not start if
        /// the plane has free pages for host writes, but too few invalid pages to reach the threshold again.
        /// The threshold is rounded down to whole blocks, but is at least `gc_start_free_blocks_min`. Free
        /// blocks hold no data: with 7 % over-provisioning, a threshold of 5 % leaves 2 % for invalid pages.
        gc_start_free_blocks_pct: f64 = number(0.0, 50.0), unit "%", default "0",
            source "ours: the reserve covers bursts, which do not grow with the drive; MQSim, GC_Exec_Threshold = 0.05";
        /// Minimum of the start threshold of garbage collection (GC), in free blocks per plane.
        ///
        /// With 2, GC starts when the plane has no free block left for the host.
        gc_start_free_blocks_min: u32 = whole(2, 1024), unit "blocks", default "6",
            source "ours: the hard threshold and three blocks, which host writes may take before collection goes first; a Samsung PM9A3's reads beside random writes are met with it";
        /// Placement of host writes and of GC moves: in separate blocks or in shared blocks.
        ///
        /// `separate`: different blocks, as long as a plane has three spare blocks; without a free block,
        /// host writes wait until GC has erased one. `shared`: the host fills the spare pages of the open GC
        /// block, so that newly written and cold data share blocks. Always `shared` if `gc_destination` lets
        /// moves leave their plane.
        write_frontiers: WriteFrontiers = one_of::<WriteFrontiers>(), unit "", default "separate",
            source "Van Houdt, Performance Evaluation 70 (2013); MQSim, Flash_Block_Manager.cpp: Data_wf, GC_wf";
        /// Event that starts garbage collection in a plane with too few free blocks.
        ///
        /// `shortage`: the plane falls below the start threshold; GC runs until it has enough free
        /// blocks. `full_block`: an open block becomes full, also an open block of GC; GC collects one
        /// victim for each full block, and the next block is opened immediately.
        gc_trigger: GcTrigger = one_of::<GcTrigger>(), unit "", default "shortage",
            source "ours (shortage); MQSim, Flash_Block_Manager.cpp (full_block)";
        /// Garbage collection in idle time: share of free blocks in a plane at which it ends.
        ///
        /// The idle time begins after `gc_idle_us` without outstanding host commands. Victims are collected
        /// until this share of the plane's blocks is free, or until the plane has fewer invalid pages than a
        /// block has pages. When the host issues a command, garbage collection stops moving pages. With 0,
        /// garbage collection does not use idle time. Requires `gc_trigger = "shortage"`.
        gc_idle_free_blocks_pct: f64 = number(0.0, 50.0), unit "%", default "0",
            source "ours: none; client drives collect garbage while the host is idle";
        /// Time without outstanding host commands after which garbage collection in idle time begins.
        gc_idle_us: SimSpan = number(0.0, 1e9), unit "µs", default "100000",
            source "assumed, as for slc_idle_us";
        /// Write stop threshold: if a plane has fewer free blocks, host writes to it wait for the GC in
        /// progress.
        gc_stop_free_blocks: u32 = whole(0, 1024), unit "blocks", default "0",
            source "ours: unlimited while a plane has free blocks; MQSim, GC_and_WL_Unit_Base.cpp: 10";
        /// Preemptible GC: GC commands wait for host commands of their die while the plane has enough free
        /// blocks.
        ///
        /// A plane has enough if it is not below the hard threshold (`gc_hard_free_blocks_pct` and
        /// `gc_hard_free_blocks_min`). GC then proceeds page by page, between host commands. Moves for
        /// read reclaim and refresh always yield in this way.
        gc_yields_to_host: bool = ParameterKind::Boolean, unit "", default "true",
            source "Lee et al., TCAD 2013 (preemptible garbage collection); MQSim, Preemptible_GC_Enabled = false";
        /// Maximum number of a victim's pages that GC moves at the same time.
        ///
        /// A move lasts from the read of the page to the end of its program. The controller buffers this many
        /// pages for each plane with a running GC. With 1, pages are moved one after another.
        gc_moves_in_flight: u32 = whole(1, 65_535), unit "pages", default "2",
            source "ours: a page is read while the one before is programmed; MQSim, GC_and_WL_Unit_Page_Level.cpp: all of the victim";
        /// Hard GC threshold, as a share of a plane's blocks.
        ///
        /// With fewer free blocks, GC precedes host commands, even with `gc_yields_to_host`. Rounded down to
        /// whole blocks, but at least `gc_hard_free_blocks_min`.
        gc_hard_free_blocks_pct: f64 = number(0.0, 50.0), unit "%", default "0",
            source "ours: as for gc_start_free_blocks_pct; MQSim, GC_Hard_Threshold = 0.005";
        /// Minimum of the hard GC threshold, in free blocks per plane.
        ///
        /// With 2, GC precedes host commands when the host has no free block left.
        gc_hard_free_blocks_min: u32 = whole(2, 1024), unit "blocks", default "3",
            source "ours: one block for the host's writes, one for collection's moves, one in reserve";
        /// If true, GC moves pages by copyback: a page is read and programmed inside its plane, without
        /// crossing the fabric.
        ///
        /// A page moved by copyback is not checked for bit errors.
        gc_copyback: bool = ParameterKind::Boolean, unit "", default "false",
            source "ONFI (copyback); MQSim, Use_Copyback_for_GC = false";
        /// Read reclaim: number of reads of a block since its last erase at which its data is moved and the
        /// block is erased.
        ///
        /// Reads for the host, for partial writes, for the map and for searches count, once for each mapping
        /// unit. With 0, there is no limit, and no read reclaim.
        read_reclaim_reads: u32 = whole(0, 4_294_967_295), unit "reads", default "0",
            source "ours: none; Ha, Jeong, Kim, APSys 2013: read reclaim against read disturb";
        with refresh: RefreshParameters;
        /// Destination of the valid pages of a victim.
        ///
        /// Moves for wear levelling and moves of translation pages stay in their plane.
        gc_destination: GcDestination = one_of::<GcDestination>(), unit "", default "same_plane",
            source "MQSim, GC_and_WL_Unit_Page_Level.cpp; Kim et al., Decoupled SSD, ISCA 2023; Kim et al., Networked SSD, MICRO 2022; Stoica, Ailamaki, PVLDB 2013";
        with destination_parameters: DestinationParameters;
    }
}

declare! {
    /// Parameters of refresh.
    pub struct RefreshParameters in "ftl." {
        /// Refresh: age of a block's data at which the data is moved and the block is erased.
        ///
        /// The age is counted from the first program of the block. Data from before the run has ages that are
        /// spread evenly from 0 to this value, in addition to `ecc.retention_days`. With 0, data ages without
        /// limit. A second of simulated time is 1.16e-5 days.
        refresh_age_days: f64 = number(0.0, 36_500.0), unit "days", default "0",
            source "ours: none; Cai et al., Flash correct-and-refresh, ICCD 2012";
        /// Refresh: number of raw bit errors in a codeword at which the data of its block is moved and
        /// the block is erased. The unit is % of the number of errors at which half of all hard-decision
        /// decodings fail.
        ///
        /// All decoded pages count, except translation pages and those that garbage collection moves. With 0, the
        /// number of errors has no effect.
        refresh_errors_pct: f64 = number(0.0, 100.0), unit "%", default "0",
            source "ours: none; Cai et al., Flash correct-and-refresh, ICCD 2012";
    }
}

/// Shortest permitted age of refresh, in days: 86 µs. Even the refresh of a single block takes longer.
const SHORTEST_AGE_DAYS: f64 = 1e-9;

impl RefreshParameters {
    /// Returns the settings of refresh.
    pub fn settings(&self) -> RefreshSettings {
        RefreshSettings { age_days: self.refresh_age_days, error_share: self.refresh_errors_pct / 100.0 }
    }

    /// Returns a conflict if the refresh age is shorter than the refresh of a block takes. Also returns a
    /// conflict if refresh for bit errors is enabled on a drive without decoders (`decoders` is 0).
    pub fn conflict(&self, decoders: u32) -> Option<Conflict> {
        let age = self.refresh_age_days;
        if age > 0.0 && age < SHORTEST_AGE_DAYS {
            let message = format!("`refresh_age_days` is {age}, shorter than the refresh of a block");
            let note = format!("expected: 0, or at least {SHORTEST_AGE_DAYS:e} (86 µs)");
            return Some(Conflict { keys: &["ftl.refresh_age_days"], message, note: Some(note) });
        }
        (self.refresh_errors_pct > 0.0 && decoders == 0).then(|| Conflict {
            keys: &["ftl.refresh_errors_pct", "ecc.decoders"],
            message: "refresh for bit errors needs decoders, but `ecc.decoders` is 0".to_owned(),
            note: Some("expected: at least one decoder, or refresh_errors_pct = 0".to_owned()),
        })
    }
}

impl CollectionParameters {
    /// Returns the number of free blocks in a plane below which garbage collection starts.
    pub fn start_free_blocks(&self, blocks_per_plane: u32) -> u32 {
        whole_blocks(blocks_per_plane, self.gc_start_free_blocks_pct, self.gc_start_free_blocks_min)
    }

    /// Returns the number of free blocks in a plane below which garbage collection precedes host commands.
    pub fn hard_free_blocks(&self, blocks_per_plane: u32) -> u32 {
        whole_blocks(blocks_per_plane, self.gc_hard_free_blocks_pct, self.gc_hard_free_blocks_min)
    }

    /// Returns the settings of garbage collection in idle time; `None` if this is disabled.
    pub fn idle(&self, blocks_per_plane: u32) -> Option<IdleCollectionSettings> {
        let free_blocks = whole_blocks(blocks_per_plane, self.gc_idle_free_blocks_pct, 0);
        (free_blocks > 0).then_some(IdleCollectionSettings { wait: self.gc_idle_us, free_blocks })
    }

    /// Returns an error if garbage collection in idle time is combined with a trigger that has no threshold.
    pub fn idle_conflict(&self) -> Option<Conflict> {
        let is_refused = self.gc_idle_free_blocks_pct > 0.0 && self.gc_trigger == GcTrigger::FullBlock;
        is_refused.then(|| Conflict {
            keys: &["ftl.gc_idle_free_blocks_pct", "ftl.gc_trigger"],
            message: "garbage collection in idle time needs a threshold of free blocks".to_owned(),
            note: Some("expected: gc_trigger = \"shortage\", or gc_idle_free_blocks_pct = 0".to_owned()),
        })
    }

    /// Returns an error if copyback, which cannot leave its plane, is combined with a destination policy that
    /// chooses other planes.
    pub fn conflict(&self) -> Option<Conflict> {
        if !self.gc_copyback || !self.gc_destination.leaves() {
            return None;
        }
        let message = "`gc_copyback`, which moves pages within their plane, cannot be combined with a `gc_destination` on other planes";
        let note = "expected: gc_copyback = false, or gc_destination = \"same_plane\"".to_owned();
        Some(Conflict {
            keys: &["ftl.gc_copyback", "ftl.gc_destination"],
            message: message.to_owned(),
            note: Some(note),
        })
    }
}

/// Returns `pct` percent of a plane's blocks, rounded down, but at least `least`. Multiplies before dividing,
/// so that rounding errors do not change an exact result.
fn whole_blocks(blocks_per_plane: u32, pct: f64, least: u32) -> u32 {
    let share = f64::from(blocks_per_plane) * pct / 100.0;
    (share.floor() as u32).max(least)
}

declare! {
    /// Parameters of wear levelling.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LevellingParameters in "ftl." {
        /// Dynamic wear levelling: a plane opens its least worn free block next. If false, it opens the
        /// block that was erased first.
        dynamic_wear_levelling: bool = ParameterKind::Boolean, unit "", default "true",
            source "MQSim, Dynamic_Wearleveling_Enabled = true";
        /// Static wear levelling: if a full block is much less worn than others of its plane, its data is
        /// moved and the block is erased.
        static_wear_levelling: bool = ParameterKind::Boolean, unit "", default "true",
            source "MQSim, Static_Wearleveling_Enabled = true";
        /// Minimum difference between the erase counts of a plane's blocks at which a block is moved, for
        /// `static_wear_levelling`.
        static_wear_levelling_threshold: u32 = whole(1, 1_000_000), unit "erases", default "100",
            source "MQSim, Static_Wearleveling_Threshold = 100";
        /// Measure of wear that static wear levelling compares.
        ///
        /// `erases`: the erase counts of a plane's blocks. `block_numbers`: as in MQSim, block numbers
        /// instead of erase counts: that of the plane's first block is compared with that of its most worn
        /// block (the first one on a tie). Only the first block is moved, and only once.
        wear_measure: WearMeasure = one_of::<WearMeasure>(), unit "", default "erases",
            source "Chang, Hsieh, Kuo, DAC 2007 (erases); MQSim, Flash_Block_Manager_Base.cpp (block_numbers)";
    }
}

impl LevellingParameters {
    /// Returns the minimum difference between erase counts at which a block is moved, or `None` if static
    /// wear levelling is off.
    pub fn threshold(&self) -> Option<u32> {
        self.static_wear_levelling.then_some(self.static_wear_levelling_threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threshold_is_a_share_of_the_blocks_rounded_down_but_at_least_the_minimum() {
        assert_eq!([1, 5, 7].map(|least| whole_blocks(239, 2.5, least)), [5, 5, 7]);
        assert_eq!(whole_blocks(100, 29.0, 1), 29, "an exact share is not rounded down");
    }
}
