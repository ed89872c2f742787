//! Parameters and settings of the pSLC cache.

use venice_kernel::SimSpan;
use venice_nand::geometry::Geometry;
use venice_params::{choices, declare, number, one_of, whole};

/// Destination of host writes while the pSLC cache is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// Host writes go to superblocks with all bits per cell.
    Direct,
    /// Host writes wait until a superblock of the cache has been folded (moved to blocks with all bits per
    /// cell).
    Wait,
}

choices! {
    WhenFull, "use of a full pSLC cache": "direct" => Direct, "wait" => Wait;
}

declare! {
    /// Parameters of the pSLC cache: lines (superblocks) that host writes fill with one bit per cell.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SlcCacheParameters in "ftl." {
        /// Static pSLC cache: share of the flash blocks that are always in SLC mode.
        ///
        /// These blocks are taken from the over-provisioning, and rounded down to whole superblocks. Requires
        /// `placement = "superblock"`.
        static_pct as slc_static_pct: f64 = number(0.0, 50.0), unit "%", default "0",
            source "ours: no cache; Samsung 870 QVO 4 TB: 6 GB of data in static blocks (KitGuru)";
        /// Dynamic pSLC cache: share of the free capacity that host writes may use in SLC mode.
        ///
        /// The free capacity is the host's capacity less the data outside the pSLC cache, so the cache
        /// shrinks as the drive fills. Requires `placement = "superblock"`.
        dynamic_pct as slc_dynamic_pct: f64 = number(0.0, 100.0), unit "%", default "0",
            source "ours: no cache; WD SN580 1 TB: 100 % (TechPowerUp, 341 GB of an erased drive)";
        /// Bits per cell of blocks that are not in SLC mode. In SLC mode, a block has 1 / `slc_bits_per_cell`
        /// of its pages.
        bits_per_cell as slc_bits_per_cell: u32 = whole(2, 5), unit "bits", default "3", source "TLC; 4 for QLC";
        /// Destination of host writes while the pSLC cache is full.
        ///
        /// `direct`: blocks with all bits per cell. `wait`: the cache, after one of its superblocks has been
        /// folded.
        when_full as slc_when_full: WhenFull = one_of::<WhenFull>(), unit "", default "direct",
            source "ours (direct); TechPowerUp's fills of TLC drives have such a phase";
        /// Time without outstanding host commands after which the pSLC cache is folded: its data is moved to
        /// blocks with all bits per cell.
        idle as slc_idle_us: SimSpan = number(0.0, 1e9), unit "µs", default "100000", source "assumed";
        /// Amount of data that is moved out of the pSLC cache (folded) while the host writes, as a share of
        /// the host's writes.
        ///
        /// Such moves precede host commands, and start when the host opens a superblock while the cache
        /// contains a full one. With 0, the cache is folded only when the drive is idle, or to free space.
        fold_pct as slc_fold_pct: f64 = number(0.0, 1000.0), unit "%", default "0", source "ours: folding when idle";
        /// Rated program/erase cycles of a block in SLC mode, for the wear in reports.
        endurance as slc_endurance_cycles: u32 = whole(1, 10_000_000), unit "cycles", default "30000",
            source "assumed: ten times that of TLC";
    }
}

/// Settings of the pSLC cache, for a drive that has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlcCacheSettings {
    /// Number of lines that are always in SLC mode.
    pub static_lines: u32,
    /// Share of the free capacity that may be in SLC mode, from 0 to 1.
    pub dynamic_share: f64,
    /// Bits per cell of lines that are not in SLC mode.
    pub bits_per_cell: u32,
    /// Destination of host writes while the cache is full.
    pub when_full: WhenFull,
    /// Time without outstanding host commands after which the drive starts to fold the cache.
    pub idle: SimSpan,
    /// Number of mapping units that may be folded for each mapping unit that the host writes.
    pub fold_share: f64,
    /// Rated program/erase cycles of a block in SLC mode.
    pub endurance: u32,
}

impl SlcCacheParameters {
    /// Returns the number of lines that are always in SLC mode.
    pub fn static_lines(&self, blocks_per_plane: u32) -> u32 {
        (f64::from(blocks_per_plane) * self.static_pct / 100.0).floor() as u32
    }

    /// Returns true if the drive has a pSLC cache.
    pub const fn is_enabled(&self) -> bool {
        self.static_pct > 0.0 || self.dynamic_pct > 0.0
    }

    /// Returns the settings of the cache; `None` for a drive without one.
    pub fn settings(&self, geometry: &Geometry) -> Option<SlcCacheSettings> {
        self.is_enabled().then(|| SlcCacheSettings {
            static_lines: self.static_lines(geometry.blocks_per_plane),
            dynamic_share: self.dynamic_pct / 100.0,
            bits_per_cell: self.bits_per_cell,
            when_full: self.when_full,
            idle: self.idle,
            fold_share: self.fold_pct / 100.0,
            endurance: self.endurance,
        })
    }
}
