//! Parameters and settings of preconditioning.

use std::ops::Range;

use venice_params::{Conflict, choices, declare, number, one_of, whole};

/// Method of filling a drive before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreconditionMode {
    /// No preconditioning: every block is erased.
    None,
    /// All pages with data are written once, in the order of page numbers.
    Fill,
    /// Pages are written, and then overwritten until garbage collection is in steady state.
    SteadyState,
    /// The state is computed by MQSim's method, with its formulas.
    Mqsim,
}

/// Order and frequency of overwrites within a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WritePattern {
    /// Overwrites that hit all pages equally often.
    Uniform,
    /// Overwrites in the order of page numbers.
    Sequential,
    /// Overwrites that hit the first pages of the region more often than the rest.
    HotCold {
        /// Share of the region that is hot, from 0 to 1.
        region: f64,
        /// Share of the writes that go to the hot pages, from 0 to 1.
        traffic: f64,
    },
}

/// Overwrite pattern within a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternKind {
    /// Overwrites that hit all pages equally often.
    Uniform,
    /// Overwrites in the order of page numbers.
    Sequential,
    /// Overwrites that hit hot pages more often than the rest.
    HotCold,
}

/// Write load assumed for preconditioning. The load determines how far garbage collection (GC) has advanced
/// at the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcLoad {
    /// Load measured on the first requests of the run.
    Measured,
    /// Low load: every GC ends before the next write.
    Light,
    /// High load: GC moves pages only while it has priority over host commands.
    Saturated,
}

/// Rate at which garbage collection (GC) moves pages during preconditioning, per page written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GcPace {
    /// Rate measured on the first requests of the run. Without a measurement, every GC ends before the next
    /// write, as with [`Self::AtOnce`].
    Measured {
        /// Maximum number of requests used for the measurement.
        requests: u32,
    },
    /// Every GC ends before the next write.
    AtOnce,
    /// Every GC ends before the next write, but GC starts only when fewer than this number of blocks are
    /// free. The number is below the start threshold. The planes therefore have too few free blocks at the
    /// start of the run, so that GC runs while its rate is measured.
    AtOnceUpTo(u32),
    /// A plane with too few free blocks moves pages in proportion to the pages written to it.
    MovesPerWrite {
        /// Pages moved per page written while GC yields to the host.
        waiting: f64,
        /// Pages moved per page written under pressure: while GC precedes the host.
        pressed: f64,
    },
}

choices! {
    GcLoad, "load for preconditioning": "measured" => Measured, "light" => Light, "saturated" => Saturated;
    PreconditionMode, "way of preconditioning":
        "none" => None, "fill" => Fill, "steady_state" => SteadyState, "mqsim" => Mqsim;
    PatternKind, "write pattern":
        "uniform" => Uniform, "sequential" => Sequential, "hot_cold" => HotCold;
    FilledSectors, "kind of filling": "whole_page" => WholePage, "first_of_pieces" => FirstOfPieces;
}

declare! {
    /// Parameters of preconditioning, the state of the drive before the run.
    pub struct PreconditionParameters in "precondition." {
        /// Method of filling the drive before the run.
        ///
        /// `none`: every block is erased. `fill`: pages are written once, in order. `steady_state`: pages are
        /// written, then overwritten in the order of `pattern` until garbage collection is in steady state.
        /// `mqsim`: MQSim's method, with its formulas.
        mode: PreconditionMode = one_of::<PreconditionMode>(), unit "", default "none",
            source "SNIA, Solid State Storage Performance Test Specification (fill, steady state); MQSim, Enabled_Preconditioning";
        /// Sectors that are filled before the run in each page that a request of the run covers, for
        /// `mode = "mqsim"`.
        ///
        /// `whole_page`: all sectors. `first_of_pieces`: as in MQSim, only the first of the sectors that the
        /// request covers in the page; the others count as never written.
        filled_sectors: FilledSectors = one_of::<FilledSectors>(), unit "", default "whole_page",
            source "ours (whole_page); MQSim, FTL.cpp (first_of_pieces)";
        /// Share of the pages between `start_pct` and `end_pct` that hold data.
        occupancy_pct: f64 = number(0.0, 100.0), unit "%", default "100",
            source "ours; MQSim, Initial_Occupancy_Percentage";
        /// Start of the filled range of pages, as a share of the host's capacity.
        start_pct: f64 = number(0.0, 100.0), unit "%", default "0", source "ours";
        /// End of the filled range of pages, as a share of the host's capacity.
        end_pct: f64 = number(0.0, 100.0), unit "%", default "100", source "ours";
        /// Pattern of the overwrites of the filled pages, for `steady_state` and `mqsim`.
        ///
        /// `uniform`: all pages equally often. `sequential`: one page after another. `hot_cold`: the first
        /// `hot_region_pct` of the pages get `hot_traffic_pct` of the writes; with 100, the other pages are
        /// never overwritten.
        pattern: PatternKind = one_of::<PatternKind>(), unit "", default "uniform",
            source "ours; MQSim, Address_Distribution";
        /// Share of the filled pages that are hot, for `pattern = "hot_cold"`.
        hot_region_pct: f64 = number(0.0, 100.0), unit "%", default "20",
            source "Rosenblum, Ousterhout, The design and implementation of a log-structured file system, TOCS 1992, assumed value";
        /// Share of the writes that go to the hot pages, for `pattern = "hot_cold"`.
        hot_traffic_pct: f64 = number(0.0, 100.0), unit "%", default "80",
            source "Rosenblum, Ousterhout, as above, assumed value";
        /// Amount of overwrites before the run, in turns, for `mode = "steady_state"`. A turn is as many
        /// overwrites as there are pages with data.
        ///
        /// A block is erased about once per turn. If a region would be overwritten less than twice on
        /// average, there are more turns, up to 24.
        settling_turns: f64 = number(0.0, 1000.0), unit "turns", default "4",
            source "ours: after three turns less than one per cent is left of the first fill (tests/preconditioning.rs)";
        /// Write load assumed before the run, for `steady_state`.
        ///
        /// The load determines the number of free blocks and of planes with a running GC at the start of the
        /// run. `measured`: the load of the run, measured on its first `gc_load_requests` requests. `light`:
        /// every GC ends before the next write. `saturated`: GC moves pages only when it has priority over
        /// the host.
        gc_load: GcLoad = one_of::<GcLoad>(), unit "", default "measured",
            source "ours: free blocks settle near the start threshold below saturation and near the hard one above it";
        /// Maximum number of requests on which `gc_load = "measured"` measures the load.
        ///
        /// With 0, the load counts as `light`.
        gc_load_requests: u32 = whole(0, 10_000_000), unit "requests", default "50000",
            source "ours: some thousand writes, which determine a share within a few %";
    }
}

impl PreconditionParameters {
    /// Returns an error if the end of the filled range is before its start.
    pub fn conflict(&self) -> Option<Conflict> {
        if self.mode == PreconditionMode::None || self.start_pct < self.end_pct {
            return None;
        }
        let message = format!(
            "preconditioning covers an empty range: from {} % to {} % of the drive",
            self.start_pct, self.end_pct
        );
        let note = "expected: an end after the start".to_owned();
        let keys = &["precondition.end_pct", "precondition.start_pct", "precondition.mode"];
        Some(Conflict { keys, message, note: Some(note) })
    }

    /// Returns the rate at which garbage collection moves pages before the run, per page written.
    pub fn gc_pace(&self) -> GcPace {
        match (self.gc_load, self.gc_load_requests) {
            (GcLoad::Light, _) | (GcLoad::Measured, 0) => GcPace::AtOnce,
            (GcLoad::Measured, requests) => GcPace::Measured { requests },
            (GcLoad::Saturated, _) => GcPace::MovesPerWrite { waiting: 0.0, pressed: f64::INFINITY },
        }
    }

    /// Returns the pattern of overwrites within a region.
    pub fn write_pattern(&self) -> WritePattern {
        match self.pattern {
            PatternKind::Uniform => WritePattern::Uniform,
            PatternKind::Sequential => WritePattern::Sequential,
            PatternKind::HotCold => WritePattern::HotCold {
                region: self.hot_region_pct / 100.0,
                traffic: self.hot_traffic_pct / 100.0,
            },
        }
    }
}

/// Range of logical pages that is filled before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRegion {
    /// Range of logical pages of the region.
    pub pages: Range<u32>,
    /// Number of pages, counted from the start of the range, that the workload accesses. MQSim's method fills
    /// only these pages if they suffice for the occupancy.
    pub working_set: u32,
    /// Share of the pages that hold data, from 0 to 1.
    pub occupancy: f64,
    /// Pattern of overwrites within the region.
    pub pattern: WritePattern,
    /// Request parameters of the MQSim flow whose pages are filled; used with MQSim's files.
    pub drawn: Option<DrawnRequests>,
    /// Relative weight of this region in the distribution of overwrites over all regions.
    pub traffic: f64,
}

/// Settings of preconditioning, the state of a drive before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct PreconditionSettings {
    /// Method by which the drive is filled.
    pub mode: PreconditionMode,
    /// Sectors that are filled in each page of an MQSim flow.
    pub filled: FilledSectors,
    /// Filled regions of logical pages, which do not overlap.
    pub regions: Vec<PageRegion>,
    /// Average number of overwrites of each page with data, called turns, before the run.
    pub settling_turns: f64,
    /// Rate at which garbage collection moves pages, per page written; for `steady_state`.
    pub gc_pace: GcPace,
    /// Seed of all random choices in preconditioning.
    pub seed: u64,
}

/// Sectors that are filled before the run in each page that a request of an MQSim flow covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilledSectors {
    /// All sectors of the page.
    WholePage,
    /// As in MQSim, only the first of the sectors that a request covers in the page.
    FirstOfPieces,
}

impl PreconditionSettings {
    /// Returns the settings for a drive whose blocks are all erased.
    pub const fn none() -> Self {
        Self {
            mode: PreconditionMode::None,
            filled: FilledSectors::WholePage,
            regions: Vec::new(),
            settling_turns: 0.0,
            gc_pace: GcPace::AtOnce,
            seed: 0,
        }
    }
}

/// Distribution of the lengths of drawn requests, in sectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DrawnSize {
    /// Equal number of sectors for all requests.
    Fixed(u64),
    /// Normally distributed number of sectors, rounded up.
    Normal {
        /// Mean number of sectors.
        mean: f64,
        /// Standard deviation of the number of sectors.
        deviation: f64,
    },
}

/// Parameters of the requests of an MQSim flow. Preconditioning draws such requests to find the pages to be
/// filled.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnRequests {
    /// First sector of the flow on MQSim's device. The flow's pages are counted from this sector.
    pub first_sector: u64,
    /// Number of sectors in the flow's address space.
    pub sectors: u64,
    /// Share of the address space that the flow uses.
    pub working_set_ratio: f64,
    /// Seed of the flow's random numbers.
    pub seed: u32,
    /// True if the flow has separate random number generators for requests to a hot region. They use two
    /// additional seeds.
    pub has_hot_seeds: bool,
    /// Alignment, in sectors, of the start of each request; `None` without alignment.
    pub alignment: Option<u64>,
    /// Distribution of the lengths of requests.
    pub size: DrawnSize,
}
