//! Where the next request starts.
//!
//! # What it models
//!
//! Starts are drawn among places: multiples of the alignment, plus an offset, from which the longest request
//! still fits the footprint. So no request leaves the footprint, whatever its length.
//!
//! # How
//!
//! - Uniform: any place, evenly.
//! - Sequential: where the request before ended, up to the next place; back at the first one when the request
//!   would leave the footprint.
//! - Zipf: a rank by Zipf's law, put in its place by a fixed disorder.
//! - Hot and cold: the first places are hot; a coin decides between hot and cold, evenly inside each.
//! - Pareto: rank n·u^(log h / log(1 - h)) of n, put in its place by a fixed disorder.
//! - Permutation: every place once, in a fixed disorder; then again in another one.
//! - Normal: about the middle; what lies outside is drawn again.
//!
//! With runs, a coin decides whether a request goes on from the one before, as under *sequential*; the length
//! of a run is geometric. The first request of a run starts where the pattern says. By operation, a read goes
//! on from the read before and a write from the write before.
//!
//! # What is left out
//!
//! Several sequential streams at once, and popularity that drifts.
//!
//! # Source
//!
//! Hot and cold: Rosenblum and Ousterhout, "The Design and Implementation of a Log-Structured File System",
//! SOSP 1991. Zipf over scattered items: Cooper et al., "Benchmarking Cloud Serving Systems with YCSB",
//! `SoCC` 2010. Pareto, there called self-similar: Gray et al., "Quickly Generating Billion-Record Synthetic
//! Databases", SIGMOD 1994. Normal deviates: Box and Muller, Annals of Mathematical Statistics 1958.
//!
//! # Parameters
//!
//! `address.pattern`, `address.footprint`, `address.align_bytes`, `address.align_offset_bytes`,
//! `address.run_requests`, `address.runs_by_operation`.

use venice_kernel::RandomStream;

use super::scramble::Scramble;
use super::spec::{AddressPattern, WorkloadSpec};
use super::zipf::Zipf;
use crate::request::Op;

/// Draws starts.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    grid: Grid,
    law: Law,
    stream: RandomStream,
    runs: Option<Runs>,
    /// Whether reads go on from reads and writes from writes.
    by_operation: bool,
    /// Where the request before ended; by operation, the read before and the write before.
    ended_sector: [u64; 2],
}

/// The places.
#[derive(Clone, Copy, Debug)]
struct Grid {
    footprint_sectors: u64,
    align_sectors: u64,
    offset_sectors: u64,
    places: u64,
}

/// The chances that a read and a write go on from the one before.
#[derive(Clone, Debug)]
struct Runs {
    going_on: [f64; 2],
    stream: RandomStream,
}

/// The pattern, with what it must know.
#[derive(Clone, Debug)]
enum Law {
    Uniform,
    Sequential,
    Zipf { ranks: Zipf, scramble: Scramble },
    HotCold { hot_places: u64, hot_access_ratio: f64 },
    Pareto { power: f64, scramble: Scramble },
    Normal { deviation_places: f64 },
    Permutation { scramble: Scramble, given: u64 },
}

impl Addresses {
    /// Starts in a footprint that holds the longest request.
    pub(super) fn new(
        spec: &WorkloadSpec,
        footprint_sectors: u64,
        mut stream: RandomStream,
        runs: RandomStream,
    ) -> Self {
        let grid = Grid::new(spec, footprint_sectors);
        let law = Law::new(spec.places.pattern, grid.places, &mut stream);
        let of_reads = spec.places.run_requests;
        let of_writes = spec.places.write_run_requests.unwrap_or(of_reads);
        let going_on = [of_reads, of_writes].map(|run_requests| 1.0 - 1.0 / run_requests);
        let runs = going_on.iter().any(|&chance| chance > 0.0).then_some(Runs { going_on, stream: runs });
        // As if a request before had ended at the first place.
        let ended_sector = [grid.offset_sectors; 2];
        Self { grid, law, stream, runs, by_operation: spec.places.runs_by_operation, ended_sector }
    }

    /// The first sector of a request of this length.
    #[inline]
    pub(super) fn next(&mut self, op: Op, sectors: u32) -> u64 {
        let track = usize::from(self.by_operation && op == Op::Write);
        let written = usize::from(op == Op::Write);
        let goes_on = self.runs.as_mut().is_some_and(|runs| runs.stream.chance(runs.going_on[written]));
        let start = if goes_on || matches!(self.law, Law::Sequential) {
            self.grid.following(self.ended_sector[track], sectors)
        } else {
            self.grid.sector_of(self.law.place(self.grid.places, &mut self.stream))
        };
        self.ended_sector[track] = start + u64::from(sectors);
        start
    }
}

impl Grid {
    fn new(spec: &WorkloadSpec, footprint_sectors: u64) -> Self {
        let align_sectors = u64::from(spec.places.align_sectors);
        let offset_sectors = u64::from(spec.places.offset_sectors);
        let taken_sectors = u64::from(spec.longest_sectors()) + offset_sectors;
        let places = (footprint_sectors - taken_sectors) / align_sectors + 1;
        Self { footprint_sectors, align_sectors, offset_sectors, places }
    }

    #[inline]
    fn sector_of(&self, place: u64) -> u64 {
        place * self.align_sectors + self.offset_sectors
    }

    /// The first place at or after `sector` if the request fits there, or else the first of all.
    #[inline]
    fn following(&self, sector: u64, sectors: u32) -> u64 {
        let start = (sector - self.offset_sectors).next_multiple_of(self.align_sectors) + self.offset_sectors;
        if start + u64::from(sectors) <= self.footprint_sectors { start } else { self.offset_sectors }
    }
}

impl Law {
    fn new(pattern: AddressPattern, places: u64, stream: &mut RandomStream) -> Self {
        match pattern {
            AddressPattern::Uniform => Self::Uniform,
            AddressPattern::Sequential => Self::Sequential,
            AddressPattern::Zipf { theta } => {
                Self::Zipf { ranks: Zipf::new(places, theta), scramble: Scramble::new(places, stream) }
            }
            AddressPattern::HotCold { hot_access_ratio, hot_space_ratio } => {
                let hot_places = ((places as f64 * hot_space_ratio).round() as u64).clamp(1, places);
                Self::HotCold { hot_places, hot_access_ratio }
            }
            AddressPattern::Pareto { h } => Self::Pareto {
                power: libm::log(h) / libm::log1p(-h),
                scramble: Scramble::new(places, stream),
            },
            AddressPattern::Permutation => {
                Self::Permutation { scramble: Scramble::new(places, stream), given: 0 }
            }
            AddressPattern::Normal { deviation_ratio } => {
                Self::Normal { deviation_places: deviation_ratio * places as f64 }
            }
        }
    }

    #[inline]
    fn place(&mut self, places: u64, stream: &mut RandomStream) -> u64 {
        match self {
            Self::Uniform => stream.below(places),
            Self::Sequential => 0,
            Self::Zipf { ranks, scramble } => scramble.place(ranks.draw(stream) - 1),
            Self::HotCold { hot_places, hot_access_ratio } => {
                let (hot, cold) = (*hot_places, places - *hot_places);
                let is_hot = stream.chance(*hot_access_ratio) || cold == 0;
                if is_hot { stream.below(hot) } else { hot + stream.below(cold) }
            }
            Self::Pareto { power, scramble } => {
                let rank = places as f64 * libm::pow(stream.unit(), *power);
                scramble.place((rank as u64).min(places - 1))
            }
            Self::Permutation { scramble, given } => {
                if *given == places {
                    (*scramble, *given) = (Scramble::new(places, stream), 0);
                }
                *given += 1;
                scramble.place(*given - 1)
            }
            Self::Normal { deviation_places } => loop {
                let place = places as f64 / 2.0 + *deviation_places * normal_deviate(stream);
                if (0.0..places as f64).contains(&place) {
                    break place as u64;
                }
            },
        }
    }
}

/// A deviate of mean 0 and standard deviation 1.
fn normal_deviate(stream: &mut RandomStream) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - stream.unit())).sqrt();
    radius * libm::cos(std::f64::consts::TAU * stream.unit())
}
