//! Generation of start addresses.
//!
//! # What it models
//!
//! Start addresses are drawn from a grid of *places*: multiples of the alignment plus an offset, limited so
//! that the longest request fits into the footprint. If reads and writes have different alignments, each have their
//! own grid for uniform starts. Starts of all other patterns are drawn from the finer grid, and rounded down to
//! the own one unless they continue a run.
//!
//! # How
//!
//! - Uniform: all places have equal probability.
//! - Sequential: a request starts at the end of the previous one, rounded up to a place, or at the first
//!   place if it would leave the footprint.
//! - Zipf: a rank is drawn from Zipf's distribution and mapped to a place by a fixed permutation.
//! - Hot and cold: the first places are hot. A request is hot with a given probability, and its place is
//!   uniform within the hot or the cold region.
//! - Pareto: the rank n·u^(log h / log(1 - h)) of n, for a uniform u and a hot share h, is mapped to a place
//!   by a fixed permutation.
//! - Permutation: every place is used once in random order, then all places again in another order.
//! - Normal: places are normally distributed about the middle of the footprint; values outside are redrawn.
//!
//! With sequential runs, a request continues the previous one with a given probability, so that run lengths
//! have a geometric distribution. The first request of a run follows the pattern. With `runs_by_operation`,
//! reads continue reads and writes continue writes.
//!
//! # What is left out
//!
//! Several concurrent sequential streams, and popularity that changes over time, are not modelled.
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
use super::zipf::ZipfSampler;
use crate::request::Op;

/// Generator of start addresses.
#[derive(Clone, Debug)]
pub(super) struct AddressGenerator {
    grid: Grid,
    law: AddressSampler,
    stream: RandomStream,
    runs: Option<SequentialRuns>,
    /// True if reads continue only reads, and writes only writes.
    by_operation: bool,
    /// Grids of reads and of writes, if their alignments differ; `grid` has the smaller alignment.
    grids: Option<[Grid; 2]>,
    /// End sector of the previous request. With `by_operation`, index 0 is for reads and 1 for writes.
    ended_sector: [u64; 2],
}

/// Equally spaced start addresses that requests can have.
#[derive(Clone, Copy, Debug)]
struct Grid {
    footprint_sectors: u64,
    align_sectors: u64,
    offset_sectors: u64,
    places: u64,
}

/// Probabilities that a read or a write continues the previous request.
#[derive(Clone, Debug)]
struct SequentialRuns {
    going_on: [f64; 2],
    stream: RandomStream,
}

/// Address pattern and the state of its generator.
#[derive(Clone, Debug)]
enum AddressSampler {
    Uniform,
    Sequential,
    Zipf { ranks: ZipfSampler, scramble: Scramble },
    HotCold { hot_places: u64, hot_access_ratio: f64 },
    Pareto { power: f64, scramble: Scramble },
    Normal { deviation_places: f64 },
    Permutation { scramble: Scramble, given: u64 },
}

impl AddressGenerator {
    /// Creates a generator for a footprint that holds the longest request.
    pub(super) fn new(
        spec: &WorkloadSpec,
        footprint_sectors: u64,
        mut stream: RandomStream,
        runs: RandomStream,
    ) -> Self {
        let [of_reads, of_writes] = alignments(spec);
        let grid_of = |align_sectors| Grid::new(spec, footprint_sectors, align_sectors);
        let grid = grid_of(of_reads.min(of_writes));
        let grids = (of_reads != of_writes).then(|| [of_reads, of_writes].map(grid_of));
        let law = AddressSampler::new(spec.places.pattern, grid.places, &mut stream);
        let of_reads = spec.places.run_requests;
        let of_writes = spec.places.write_run_requests.unwrap_or(of_reads);
        let going_on = [of_reads, of_writes].map(|run_requests| 1.0 - 1.0 / run_requests);
        let runs =
            going_on.iter().any(|&chance| chance > 0.0).then_some(SequentialRuns { going_on, stream: runs });
        // Initial state, as if the previous request had ended at the first possible start address.
        let ended_sector = [grid.offset_sectors; 2];
        let by_operation = spec.places.runs_by_operation;
        Self { grid, law, stream, runs, by_operation, grids, ended_sector }
    }

    /// Returns the start sector of the next request, which has `sectors` sectors.
    #[inline]
    pub(super) fn next(&mut self, op: Op, sectors: u32) -> u64 {
        let written = usize::from(op.side() == Op::Write);
        let track = if self.by_operation { written } else { 0 };
        let goes_on = self.runs.as_mut().is_some_and(|runs| runs.stream.chance(runs.going_on[written]));
        let start = if goes_on || matches!(self.law, AddressSampler::Sequential) {
            self.grid.following(self.ended_sector[track], sectors)
        } else {
            self.drawn(written)
        };
        self.ended_sector[track] = start + u64::from(sectors);
        start
    }

    /// Returns a start sector from the address pattern, for a read (`written` is 0) or a write (1).
    #[inline]
    fn drawn(&mut self, written: usize) -> u64 {
        let own = self.grids.map(|grids| grids[written]);
        if let (Some(own), AddressSampler::Uniform) = (own, &self.law) {
            return own.sector_of(self.stream.below(own.places));
        }
        let start = self.grid.sector_of(self.law.place(self.grid.places, &mut self.stream));
        own.map_or(start, |own| own.at_or_before(start))
    }
}

/// Returns the alignments of reads and of writes in sectors.
fn alignments(spec: &WorkloadSpec) -> [u64; 2] {
    let of_reads = spec.places.align_sectors;
    [of_reads, spec.places.write_align_sectors.unwrap_or(of_reads)].map(u64::from)
}

impl Grid {
    fn new(spec: &WorkloadSpec, footprint_sectors: u64, align_sectors: u64) -> Self {
        let offset_sectors = u64::from(spec.places.offset_sectors);
        let taken_sectors = u64::from(spec.longest_sectors()) + offset_sectors;
        let places = (footprint_sectors - taken_sectors) / align_sectors + 1;
        Self { footprint_sectors, align_sectors, offset_sectors, places }
    }

    #[inline]
    fn sector_of(&self, place: u64) -> u64 {
        place * self.align_sectors + self.offset_sectors
    }

    /// Returns the last possible start address up to `sector`.
    #[inline]
    fn at_or_before(&self, sector: u64) -> u64 {
        self.sector_of((sector - self.offset_sectors) / self.align_sectors)
    }

    /// Returns the first possible start address at or after `sector`. If the request does not fit there,
    /// returns the first one of the footprint.
    #[inline]
    fn following(&self, sector: u64, sectors: u32) -> u64 {
        let start = (sector - self.offset_sectors).next_multiple_of(self.align_sectors) + self.offset_sectors;
        if start + u64::from(sectors) <= self.footprint_sectors { start } else { self.offset_sectors }
    }
}

impl AddressSampler {
    fn new(pattern: AddressPattern, places: u64, stream: &mut RandomStream) -> Self {
        match pattern {
            AddressPattern::Uniform => Self::Uniform,
            AddressPattern::Sequential => Self::Sequential,
            AddressPattern::Zipf { theta } => {
                Self::Zipf { ranks: ZipfSampler::new(places, theta), scramble: Scramble::new(places, stream) }
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

/// Returns a random number with normal distribution, of mean 0 and standard deviation 1.
fn normal_deviate(stream: &mut RandomStream) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - stream.unit())).sqrt();
    radius * libm::cos(std::f64::consts::TAU * stream.unit())
}
