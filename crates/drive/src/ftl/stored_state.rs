//! Conversion of the state of the flash translation layer to a state file and back.
//!
//! # What it models
//! A clean shutdown of the drive: nothing is in flight, and the contents of the data cache have been written
//! to flash. Time, counters and random streams start from their initial values in the next run.
//!
//! # How
//! The state contains the map, the blocks and planes, and the cached part of the map in LRU order. After
//! preconditioning to steady state, the state also records that planes collect garbage at the start of a run.
//! `StateIdentity` contains the settings on which the state depends.

use serde::{Deserialize, Serialize};
use venice_nand::geometry::{Geometry, Lpn};

use super::bad_blocks::FactoryBadBlocks;
use super::mapper::{DemandPaging, StoredTable};
use super::preconditioning::{Background, PlaneLocations};
use super::settings::{FtlSettings, Mapping};
use super::space::{StoredBlocks, WriteStream};
use super::translation::PageMap;
use super::{Ftl, Resources};

/// Settings of the drive to which a stored state belongs: configuration keys and their values as text.
pub type StateIdentity = Vec<(String, String)>;

/// State of the flash translation layer as written to a state file.
#[derive(Serialize)]
pub struct StateToStore<'a> {
    map: &'a PageMap,
    blocks: StoredBlocks,
    table: Option<StoredTable>,
    next_position: Vec<u32>,
    steady_moves_per_write: Option<f64>,
}

/// State of the flash translation layer as read from a state file.
#[derive(Deserialize)]
pub struct StoredState {
    map: PageMap,
    blocks: StoredBlocks,
    table: Option<StoredTable>,
    next_position: Vec<u32>,
    steady_moves_per_write: Option<f64>,
}

impl FtlSettings {
    /// Returns the settings on which the state of the drive depends. A state can be restored only on a drive
    /// with the same settings.
    pub fn identity(&self, geometry: &Geometry) -> StateIdentity {
        let settings = self;
        let order = settings.allocation.order();
        let mut of = vec![
            ("array.rows", geometry.array.rows.to_string()),
            ("array.cols", geometry.array.cols.to_string()),
            ("flash.dies_per_chip", geometry.dies_per_chip.to_string()),
            ("flash.planes_per_die", geometry.planes_per_die.to_string()),
            ("flash.blocks_per_plane", geometry.blocks_per_plane.to_string()),
            ("flash.pages_per_block", geometry.pages_per_block.to_string()),
            ("flash.page_bytes", geometry.page_bytes.to_string()),
            ("ftl.over_provisioning_pct", percent(settings.over_provisioning_ratio)),
            ("ftl.allocation", order.map(|level| format!("{level:?}")).join(", ")),
            ("ftl.dynamic_wear_levelling", settings.dynamic_wear_levelling.to_string()),
            ("ftl.write_streams", settings.write_streams.to_string()),
            ("partition.count", settings.partitions.len().max(1).to_string()),
        ];
        let unit_bytes = settings.units.slots(geometry).page_bytes;
        if !settings.units.are_pages() {
            of.push(("ftl.mapping_unit_bytes", unit_bytes.to_string()));
        }
        if settings.units.pages() == 1 && settings.units.pages_of_program() > 1 {
            of.push(("flash.program_pages", settings.units.pages_of_program().to_string()));
        }
        if settings.allocation.is_striped() {
            of.push(("ftl.placement", "superblock".to_owned()));
        }
        if let Some(slc) = settings.slc.filter(|slc| slc.static_lines > 0) {
            of.push(("ftl.slc_static_pct", format!("{} lines", slc.static_lines)));
        }
        if let FactoryBadBlocks::Drawn(share) = settings.bad_blocks {
            let value = format!("{} with run.seed {}", percent(share), settings.seed);
            of.push(("flash.bad_block_pct", value));
        }
        let resources = settings.partitions.iter().filter(|resources| **resources != Resources::default());
        of.extend(resources.map(|resources| ("partition", resources.to_string())));
        match settings.mapping {
            Mapping::Ideal => of.push(("ftl.mapping", "ideal".to_owned())),
            Mapping::Cached(cached) => of.extend([
                ("ftl.mapping", "cached".to_owned()),
                ("ftl.mapping_page_entry_bytes", (unit_bytes / cached.entries_per_page).to_string()),
                ("ftl.mapping_table_bytes", format!("{} entries", cached.table_entries)),
                ("ftl.mapping_table_sharing", format!("{:?}", cached.sharing).to_lowercase()),
            ]),
        }
        of.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }
}

impl Ftl {
    /// Returns the current state of the flash translation layer. No transaction may be in flight.
    pub fn store(&self) -> StateToStore<'_> {
        StateToStore {
            map: &self.pump.shared.translation.map,
            blocks: self.pump.shared.space.blocks.store(),
            table: self.pump.mapper.paging.as_ref().map(DemandPaging::store),
            next_position: self.pump.shared.space.writes.positions().to_vec(),
            steady_moves_per_write: self.pump.shared.space.steady_moves_per_write,
        }
    }

    /// Restores a state on an erased drive. Returns false if the state was saved for a drive with different
    /// settings.
    pub fn restore(&mut self, state: StoredState) -> bool {
        let table_fits = match (&mut self.pump.mapper.paging, &state.table) {
            (Some(paging), Some(table)) => paging.restore(table),
            (None, None) => true,
            _ => false,
        };
        if !table_fits
            || !state.map.is_as_large_as(&self.pump.shared.translation.map)
            || !self.pump.shared.space.blocks.restore(state.blocks)
            || !self.pump.shared.space.writes.restore(&state.next_position)
        {
            return false;
        }
        self.pump.shared.translation.map = state.map;
        self.pump.shared.finish_pages();
        self.pump.shared.space.steady_moves_per_write = state.steady_moves_per_write;
        self.pump.shared.space.count_commitments(&self.pump.shared.translation);
        self.pump.shared.space.count_foreign_pages(&self.pump.shared.translation);
        self.pump.shared.begin_audit();
        true
    }

    /// Writes some sectors of a page in zero simulated time, as at a shutdown.
    pub fn write_at_once(&mut self, lpn: Lpn, sectors: u64) {
        let allocation = self.settings.allocation;
        let Some(plane) = self.pump.shared.plane_to_write(lpn, allocation) else { return };
        let present = self.pump.shared.translation.present_sectors(lpn);
        let is_new = self.pump.shared.translation.map.physical(lpn).is_none();
        let mut background = Background::at_shutdown(&self.settings);
        PlaneLocations::of(&mut self.pump.collector, &mut self.pump.shared).program(
            plane,
            lpn,
            WriteStream::Host(0),
            &mut background,
        );
        if self.pump.shared.translation.sectors.are_recorded() {
            self.pump.shared.translation.map.set_written_sectors(
                lpn,
                present | sectors,
                self.pump.shared.translation.sectors.bits(),
            );
        }
        if is_new {
            self.pump.shared.space.commit(&self.pump.shared.translation.addresses, lpn, plane, 1);
        }
    }
}

/// Returns a share in percent as text, rounded to nine decimals. This removes binary rounding errors: 0.07
/// gives 7 instead of 7.000000000000001.
fn percent(ratio: f64) -> String {
    ((ratio * 1e11).round() / 1e9).to_string()
}
