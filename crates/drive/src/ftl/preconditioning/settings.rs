//! What preconditioning is told.

use std::ops::Range;

use venice_params::{Conflict, choices, declare, number, one_of, whole};

/// How a drive is filled before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreconditionMode {
    /// Not at all: every block is erased.
    None,
    /// Pages are written once, in order.
    Fill,
    /// Pages are written, and overwritten until garbage collection has settled.
    SteadyState,
    /// As MQSim does it, with its formulas.
    Mqsim,
}

/// Which pages of a region are overwritten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WritePattern {
    /// Any, as often as another.
    Uniform,
    /// One after another.
    Sequential,
    /// The first pages of the region more often than the others.
    HotCold {
        /// Share of the region that is hot, 0 to 1.
        region: f64,
        /// Share of the writes that go there, 0 to 1.
        traffic: f64,
    },
}

/// Which pages of a region are overwritten, without the shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternKind {
    /// Any, as often as another.
    Uniform,
    /// One after another.
    Sequential,
    /// Some more often than others.
    HotCold,
}

/// Whose load garbage collection has kept pace with before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcLoad {
    /// The run's own, measured on its first requests.
    Measured,
    /// A load that leaves time for every collection.
    Light,
    /// A load that leaves none.
    Saturated,
}

/// Garbage collection beside the writes that a drive is filled with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GcPace {
    /// Still to be measured on the run's first requests. A drive that is filled without that collects at once.
    Measured {
        /// Requests to measure on, at most.
        requests: u32,
    },
    /// Every collection ends before the next write.
    AtOnce,
    /// Every collection ends before the next write, as soon as this many blocks are free: fewer than the start threshold, so that
    /// every plane is short, as the measurement needs it.
    AtOnceUpTo(u32),
    /// A plane that is short of free blocks moves this many pages for each page written to it.
    MovesPerWrite {
        /// While collection waits for the host.
        waiting: f64,
        /// While it goes before the host.
        pressed: f64,
    },
}

choices! {
    GcLoad, "load before the run": "measured" => Measured, "light" => Light, "saturated" => Saturated;
    PreconditionMode, "way of preconditioning":
        "none" => None, "fill" => Fill, "steady_state" => SteadyState, "mqsim" => Mqsim;
    PatternKind, "write pattern":
        "uniform" => Uniform, "sequential" => Sequential, "hot_cold" => HotCold;
    FilledSectors, "kind of filling": "whole_page" => WholePage, "first_of_pieces" => FirstOfPieces;
}

declare! {
    /// What the drive holds before the run.
    pub struct PreconditionParameters in "precondition." {
        /// How the drive is filled before the run.
        ///
        /// `none`: every block is erased. `fill`: pages are written once, in order. `steady_state`: pages are written,
        /// then overwritten as `pattern` says until garbage collection has settled. `mqsim`: as MQSim does it, with its
        /// formulas.
        mode: PreconditionMode = one_of::<PreconditionMode>(), unit "", default "none",
            source "SNIA, Solid State Storage Performance Test Specification (fill, steady state); MQSim, Enabled_Preconditioning";
        /// Of a page that requests touch before the run, what holds data, for `mqsim`.
        ///
        /// `whole_page`: all of it. `first_of_pieces`: the first sector of each piece of a request that lies in the page; the rest of
        /// it was never written.
        filled_sectors: FilledSectors = one_of::<FilledSectors>(), unit "", default "whole_page",
            source "ours (whole_page); MQSim, FTL.cpp (first_of_pieces)";
        /// Share of the pages between `start_pct` and `end_pct` that hold data.
        occupancy_pct: f64 = number(0.0, 100.0), unit "%", default "100",
            source "ours; MQSim, Initial_Occupancy_Percentage";
        /// Where the pages that are filled begin, as a share of what the host can address.
        start_pct: f64 = number(0.0, 100.0), unit "%", default "0", source "ours";
        /// Where they end.
        end_pct: f64 = number(0.0, 100.0), unit "%", default "100", source "ours";
        /// Which of these pages were overwritten, for `steady_state` and `mqsim`.
        ///
        /// `uniform`: any, as often as another. `sequential`: one after another. `hot_cold`: the first
        /// `hot_region_pct` of them got `hot_traffic_pct` of the writes; with 100, the rest was never overwritten.
        pattern: PatternKind = one_of::<PatternKind>(), unit "", default "uniform",
            source "ours; MQSim, Address_Distribution";
        /// Share of the pages that are hot, for `pattern = "hot_cold"`.
        hot_region_pct: f64 = number(0.0, 100.0), unit "%", default "20",
            source "Rosenblum, Ousterhout, The design and implementation of a log-structured file system, TOCS 1992, assumed value";
        /// Share of the writes that they got.
        hot_traffic_pct: f64 = number(0.0, 100.0), unit "%", default "80",
            source "Rosenblum, Ousterhout, as above, assumed value";
        /// How often the pages that hold data are overwritten on average, for `steady_state`.
        ///
        /// A block lives for about one such turn. Parts that get few of the writes are given more turns, up to 24, so that their own pages
        /// are overwritten twice.
        settling_turns: f64 = number(0.0, 1000.0), unit "turns", default "4",
            source "ours: after three turns less than a part in a hundred is left of the first fill (tests/preconditioning.rs)";
        /// The load that garbage collection kept pace with before the run, for `steady_state`: how many blocks are free at its start, and
        /// how many planes collect.
        ///
        /// `measured`: that of the run, measured on its first `gc_load_requests` requests. `light`: every collection was over before the
        /// next write. `saturated`: collection moved pages only when it had to go before the host.
        gc_load: GcLoad = one_of::<GcLoad>(), unit "", default "measured",
            source "ours: free blocks settle near the start threshold below saturation and near the hard one above it";
        /// Requests that `gc_load = "measured"` is measured on, at most. With 0, as `light`.
        gc_load_requests: u32 = whole(0, 10_000_000), unit "requests", default "50000",
            source "ours: some thousand writes, from which a share is known within a few %";
    }
}

impl PreconditionParameters {
    /// Returns the conflict if preconditioning ends before it begins.
    pub fn conflict(&self) -> Option<Conflict> {
        if self.mode == PreconditionMode::None || self.start_pct < self.end_pct {
            return None;
        }
        let message = format!(
            "preconditioning begins at {} % of the drive and ends at {} %",
            self.start_pct, self.end_pct
        );
        let note = "expected: an end after the start".to_owned();
        let keys = &["precondition.end_pct", "precondition.start_pct", "precondition.mode"];
        Some(Conflict { keys, message, note: Some(note) })
    }

    /// Garbage collection beside the writes before the run.
    pub fn gc_pace(&self) -> GcPace {
        match (self.gc_load, self.gc_load_requests) {
            (GcLoad::Light, _) | (GcLoad::Measured, 0) => GcPace::AtOnce,
            (GcLoad::Measured, requests) => GcPace::Measured { requests },
            (GcLoad::Saturated, _) => GcPace::MovesPerWrite { waiting: 0.0, pressed: f64::INFINITY },
        }
    }

    /// Which pages of a region are overwritten.
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

/// A range of logical pages that is filled.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRegion {
    /// The range.
    pub pages: Range<u32>,
    /// The part of it, from its start on, that the workload will use; MQSim keeps to it as long as it is large
    /// enough for the occupancy.
    pub working_set: u32,
    /// Share of the range's pages that hold data, 0 to 1.
    pub occupancy: f64,
    /// Which of them are overwritten.
    pub pattern: WritePattern,
    /// With MQSim's files, the requests that say which pages hold data.
    pub drawn: Option<DrawnRequests>,
    /// Share of all overwrites that go to this region, in proportion to those of others.
    pub traffic: f64,
}

/// The state of a drive before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct PreconditionSettings {
    /// How it is filled.
    pub mode: PreconditionMode,
    /// Of a page that MQSim's requests touch, what holds data.
    pub filled: FilledSectors,
    /// What is filled; ranges do not overlap.
    pub regions: Vec<PageRegion>,
    /// How often the pages that hold data are overwritten on average until collection has settled.
    pub settling_turns: f64,
    /// Garbage collection beside the writes, for `steady_state`.
    pub gc_pace: GcPace,
    /// Seed of the random choices.
    pub seed: u64,
}

/// What of a page holds data that requests of a flow of MQSim touch before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilledSectors {
    /// All of it.
    WholePage,
    /// The first sector of each piece of a request that lies in the page, as in MQSim.
    FirstOfPieces,
}

impl PreconditionSettings {
    /// No preconditioning.
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

/// How long drawn requests are, in sectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DrawnSize {
    /// All the same.
    Fixed(u64),
    /// Normally distributed, rounded up.
    Normal {
        /// On average.
        mean: f64,
        /// Standard deviation.
        deviation: f64,
    },
}

/// The requests of a flow of MQSim, from which it draws the pages that hold data before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnRequests {
    /// The flow's first sector on MQSim's device; its pages are counted from there.
    pub first_sector: u64,
    /// Sectors of the flow's space.
    pub sectors: u64,
    /// Share of it that the flow uses.
    pub working_set_ratio: f64,
    /// The flow's seed.
    pub seed: u32,
    /// Whether the flow has generators for a hot region, which take two seeds.
    pub has_hot_seeds: bool,
    /// Sectors of which each request begins at a multiple.
    pub alignment: Option<u64>,
    /// How long they are.
    pub size: DrawnSize,
}
