//! What the flash translation layer is told.

use super::gc::VictimPolicy;

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

/// The flash translation layer.
#[derive(Clone, Debug, PartialEq)]
pub struct FtlSettings {
    /// Share of the raw pages that the host cannot address, 0 to 1.
    pub over_provisioning_ratio: f64,
    /// Where pages are written.
    pub allocation: Allocation,
    /// What was there before the run.
    pub unwritten_data: UnwrittenData,
    /// Which block is collected.
    pub victim: VictimPolicy,
    /// Collection starts in a plane that has fewer free blocks than this.
    pub gc_start_free_blocks: u32,
    /// Whether erases and moves wait for host commands of the same die as long as the plane still
    /// has free blocks for the host.
    pub gc_yields_to_host: bool,
    /// Whether the least worn free block is opened next, rather than the one erased first.
    pub dynamic_wear_levelling: bool,
    /// The difference of erase counts in a plane from which a cold block is moved; none: never.
    pub static_wear_levelling: Option<u32>,
    /// Seed of the layer's random choices.
    pub seed: u64,
}
