//! What the flash translation layer is told.

use super::gc::VictimPolicy;
use super::partition::Resources;
use super::scheduling::SchedulingSettings;

/// A level of the hierarchy over which consecutive logical pages are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// C: the channel, which is a row of the array.
    Channel,
    /// W: the way, the chip's place in its row.
    Way,
    /// D: the die.
    Die,
    /// P: the plane.
    Plane,
}

/// Which plane a logical page is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// By its number alone; the first level varies fastest. There are 24 orders.
    Static([Level; 4]),
    /// The least busy plane when the page is written, looked for in the given order of levels.
    Dynamic([Level; 4]),
}

/// What a page holds that the host never wrote in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnwrittenData {
    /// Data from before the run, at the place static allocation gives: reads go to flash, partial
    /// writes read it first. It occupies no block of the simulated drive.
    Present,
    /// Nothing: reads still go to flash, partial writes need not read first.
    Absent,
}

/// What becomes of changed entries of the map that leave the cached table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingWriteBack {
    /// Their translation page is read and programmed anew.
    Flash,
    /// Their translation page is read and then stays in memory, as in MQSim.
    ReadOnly,
}

/// Whose entries compete for room in the cached table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableSharing {
    /// Those of all address ranges.
    Shared,
    /// Those of one address range, which has an equal part of the table.
    Equal,
    /// Those of one address range, which has a table of the full size.
    Whole,
}

/// A map of which only a part is in the controller's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedMapping {
    /// Entries in memory, at least one.
    pub table_entries: u32,
    /// Entries of a translation page, at least one.
    pub entries_per_page: u32,
    /// What becomes of changed entries.
    pub write_back: MappingWriteBack,
    /// Whose entries compete.
    pub sharing: TableSharing,
}

impl CachedMapping {
    /// Translation pages for so many logical pages.
    pub const fn translation_pages(&self, logical_pages: u32) -> u32 {
        logical_pages.div_ceil(self.entries_per_page)
    }
}

/// What it costs to look up a logical page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// Nothing: the whole map is in memory.
    Ideal,
    /// A read of flash, if the entry is not in memory.
    Cached(CachedMapping),
}

impl Mapping {
    /// Translation pages for so many logical pages; an ideal map has none.
    pub const fn translation_pages(&self, logical_pages: u32) -> u32 {
        match self {
            Self::Ideal => 0,
            Self::Cached(cached) => cached.translation_pages(logical_pages),
        }
    }
}

/// The flash translation layer.
#[derive(Clone, Debug, PartialEq)]
pub struct FtlSettings {
    /// Share of the raw pages that the host cannot address, 0 to 1.
    pub over_provisioning_ratio: f64,
    /// What a look-up costs.
    pub mapping: Mapping,
    /// Where pages are written.
    pub allocation: Allocation,
    /// How transactions are ordered.
    pub scheduling: SchedulingSettings,
    /// What each address range lives on; one range over everything if there is none.
    pub partitions: Vec<Resources>,
    /// What was there before the run.
    pub unwritten_data: UnwrittenData,
    /// Which block is collected.
    pub victim: VictimPolicy,
    /// Collection starts in a plane that has fewer free blocks than this.
    pub gc_start_free_blocks: u32,
    /// Whether erases and moves wait for host commands of the same die, as long as the plane has at least as
    /// many free blocks as the hard threshold.
    pub gc_yields_to_host: bool,
    /// The hard threshold: in a plane that has fewer free blocks, collection goes before the host.
    pub gc_hard_free_blocks: u32,
    /// Whether moved pages stay inside their plane.
    pub gc_copyback: bool,
    /// Whether the least worn free block is opened next, rather than the one erased first.
    pub dynamic_wear_levelling: bool,
    /// The difference of erase counts in a plane from which a cold block is moved; none: never.
    pub static_wear_levelling: Option<u32>,
    /// Seed of the layer's random choices.
    pub seed: u64,
}
