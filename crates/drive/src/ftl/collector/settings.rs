//! What collection is told, as it is stated.
//!
//! # Parameters
//! `ftl.victim`, `ftl.gc_*`, `ftl.write_frontiers`, and what the policies declare

use venice_params::{Conflict, ParameterKind, choices, declare, number, one_of, whole};

use crate::ftl::gc::{VictimParameters, VictimPolicy};
use crate::ftl::gc_destination::{DestinationParameters, GcDestination};

/// What makes a plane that is short of free blocks collect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcTrigger {
    /// That it is short: it collects until it is not.
    Shortage,
    /// That a block became full: it collects one for each.
    FullBlock,
}

/// Whether the host and collection fill blocks of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFrontiers {
    /// They do, in a plane with three blocks to spare: the kept one, the host's and collection's.
    Separate,
    /// When no block is free for it, the host fills what collection's block can spare.
    Shared,
}

/// What static wear levelling compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WearMeasure {
    /// The erase counts of the blocks of a plane.
    Erases,
    /// The number of the first of the most worn blocks with that of the first block of the plane, as MQSim; only the latter is
    /// moved, and once.
    BlockNumbers,
}

choices! {
    WearMeasure, "measure of wear": "erases" => Erases, "block_numbers" => BlockNumbers;
    GcTrigger, "trigger of collection": "shortage" => Shortage, "full_block" => FullBlock;
    WriteFrontiers, "set of write frontiers": "separate" => Separate, "shared" => Shared;
}

declare! {
    /// Garbage collection.
    pub struct CollectionParameters in "ftl." {
        /// How a garbage collection victim is chosen.
        ///
        /// Among a plane's full blocks with an invalid page.
        victim: VictimPolicy = one_of::<VictimPolicy>(), unit "", default "greedy",
            source "Gao et al., PIQ, TCAD 2017, §V-A; MQSim, GC_Block_Selection_Policy; each policy's own file";
        with victim_parameters: VictimParameters;
        /// Share of a plane's blocks; with fewer free ones, garbage collection starts.
        ///
        /// Rounded down to whole blocks, but never below `gc_start_free_blocks_min`. Blocks that are kept free hold no data, so a
        /// share of 5 % leaves 2 of 7 % over-provisioning in use. While the host has room, a plane waits whose invalid pages
        /// cannot make up the missing blocks.
        gc_start_free_blocks_pct: f64 = number(0.0, 50.0), unit "%", default "0",
            source "ours: the reserve covers bursts, which do not grow with the drive; MQSim, GC_Exec_Threshold = 0.05";
        /// Fewest free blocks of a plane below which garbage collection starts.
        ///
        /// With 2, it starts when the host has no room left.
        gc_start_free_blocks_min: u32 = whole(2, 1024), unit "blocks", default "6",
            source "ours: the hard threshold and three blocks, which host writes may take before collection goes first; a Samsung PM9A3's reads beside random writes are met with it";
        /// Whether the host's writes and the moves of collection fill blocks of their own.
        ///
        /// `separate`: they do, as long as a plane has three blocks to spare: when the host has no block left, it waits until
        /// collection has made it one. `shared`: it fills what collection's open block can spare, so that data that was just
        /// written and data that has rested share blocks. It is so wherever `gc_destination` lets moves leave their plane.
        write_frontiers: WriteFrontiers = one_of::<WriteFrontiers>(), unit "", default "separate",
            source "Van Houdt, Performance Evaluation 70 (2013); MQSim, Flash_Block_Manager.cpp: Data_wf, GC_wf";
        /// What makes a plane collect that has too few free blocks.
        ///
        /// `shortage`: that it has; it collects until it does not. `full_block`: that a block became full, which happens to
        /// collection's own too; it collects one for each, and opens the next block at once.
        gc_trigger: GcTrigger = one_of::<GcTrigger>(), unit "", default "shortage",
            source "ours (shortage); MQSim, Flash_Block_Manager.cpp (full_block)";
        /// With fewer free blocks than this, the host's writes to a plane wait for a collection that is on its way.
        gc_stop_free_blocks: u32 = whole(0, 1024), unit "blocks", default "0",
            source "ours: as long as there is room; MQSim, GC_and_WL_Unit_Base.cpp: 10";
        /// Whether collection waits for host commands of its die while the plane has enough free blocks.
        ///
        /// Enough is `gc_hard_free_blocks_pct` and `gc_hard_free_blocks_min`. Collection then goes on page by page, between commands of
        /// the host.
        gc_yields_to_host: bool = ParameterKind::Boolean, unit "", default "true",
            source "Lee et al., TCAD 2013 (preemptible garbage collection); MQSim, Preemptible_GC_Enabled = false";
        /// Moves of a collection that are in flight at a time, from the read of a page to the end of its program.
        ///
        /// The controller holds as many pages for each plane that collects. With 1, pages are moved one after another.
        gc_moves_in_flight: u32 = whole(1, 65_535), unit "pages", default "2",
            source "ours: a page is read while the one before is programmed; MQSim, GC_and_WL_Unit_Page_Level.cpp: all of the victim";
        /// Share of a plane's blocks; with fewer free ones, its collection goes before the host, for `gc_yields_to_host`.
        ///
        /// Rounded down to whole blocks, but never below `gc_hard_free_blocks_min`.
        gc_hard_free_blocks_pct: f64 = number(0.0, 50.0), unit "%", default "0",
            source "ours: as for gc_start_free_blocks_pct; MQSim, GC_Hard_Threshold = 0.005";
        /// Fewest free blocks of a plane below which its collection goes before the host.
        ///
        /// With 2, it does when the host has no free block left.
        gc_hard_free_blocks_min: u32 = whole(2, 1024), unit "blocks", default "3",
            source "ours: one block for the host's writes, one for collection's moves, one in reserve";
        /// Whether collection moves pages inside their plane, without crossing the fabric (copyback).
        ///
        /// Such a page is not checked for errors on its way.
        gc_copyback: bool = ParameterKind::Boolean, unit "", default "false",
            source "ONFI (copyback); MQSim, Use_Copyback_for_GC = false";
        /// Where collection moves the pages of a victim.
        ///
        /// Moves for wear and of pages of the map stay.
        gc_destination: GcDestination = one_of::<GcDestination>(), unit "", default "same_plane",
            source "MQSim, GC_and_WL_Unit_Page_Level.cpp; Kim et al., Decoupled SSD, ISCA 2023; Kim et al., Networked SSD, MICRO 2022; Stoica, Ailamaki, PVLDB 2013";
        with destination_parameters: DestinationParameters;
    }
}

impl CollectionParameters {
    /// In a plane with fewer free blocks than this, collection starts.
    pub fn start_free_blocks(&self, blocks_per_plane: u32) -> u32 {
        whole_blocks(blocks_per_plane, self.gc_start_free_blocks_pct, self.gc_start_free_blocks_min)
    }

    /// In a plane with fewer free blocks than this, collection goes before the host.
    pub fn hard_free_blocks(&self, blocks_per_plane: u32) -> u32 {
        whole_blocks(blocks_per_plane, self.gc_hard_free_blocks_pct, self.gc_hard_free_blocks_min)
    }

    /// Returns the conflict between copyback, which stays in its plane, and a destination in other planes.
    pub fn conflict(&self) -> Option<Conflict> {
        if !self.gc_copyback || !self.gc_destination.leaves() {
            return None;
        }
        let message =
            "`gc_copyback` moves pages inside their plane, and `gc_destination` moves them to others";
        let note = "expected: gc_copyback = false, or gc_destination = \"same_plane\"".to_owned();
        Some(Conflict {
            keys: &["ftl.gc_copyback", "ftl.gc_destination"],
            message: message.to_owned(),
            note: Some(note),
        })
    }
}

/// The share of a plane's blocks, rounded down, but never below the stated minimum. Multiplied first,
/// so that a share which is a whole number of blocks is not rounded below it.
fn whole_blocks(blocks_per_plane: u32, pct: f64, least: u32) -> u32 {
    let share = f64::from(blocks_per_plane) * pct / 100.0;
    (share.floor() as u32).max(least)
}

declare! {
    /// How blocks are kept from wearing unevenly.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LevellingParameters in "ftl." {
        /// Whether a plane opens its least worn free block next, rather than the one erased first.
        dynamic_wear_levelling: bool = ParameterKind::Boolean, unit "", default "true",
            source "MQSim, Dynamic_Wearleveling_Enabled = true";
        /// Whether a full block that has worn much less than others of its plane is moved and erased.
        static_wear_levelling: bool = ParameterKind::Boolean, unit "", default "true",
            source "MQSim, Static_Wearleveling_Enabled = true";
        /// Difference of erase counts in a plane from which a block is moved, for `static_wear_levelling`.
        static_wear_levelling_threshold: u32 = whole(1, 1_000_000), unit "erases", default "100",
            source "MQSim, Static_Wearleveling_Threshold = 100";
        /// What static wear levelling compares.
        ///
        /// `erases`: the erase counts of a plane's blocks. `block_numbers`: the numbers of its first and its first most worn
        /// block, and moves only the former, once.
        wear_measure: WearMeasure = one_of::<WearMeasure>(), unit "", default "erases",
            source "Chang, Hsieh, Kuo, DAC 2007 (erases); MQSim, Flash_Block_Manager_Base.cpp (block_numbers)";
    }
}

impl LevellingParameters {
    /// The difference of erase counts from which a block is moved, if any is.
    pub fn threshold(&self) -> Option<u32> {
        self.static_wear_levelling.then_some(self.static_wear_levelling_threshold)
    }
}
