//! Where the next request starts.
//!
//! # What it models
//!
//! Starts are drawn among places: multiples of the alignment from which the longest request still fits
//! the footprint. So no request leaves the footprint, whatever its length.
//!
//! # How
//!
//! - Uniform: any place, evenly.
//! - Sequential: where the request before ended, up to the next multiple of the alignment; back at zero
//!   when the request would leave the footprint.
//! - Zipf: a rank by Zipf's law, put in its place by a fixed disorder.
//! - Hot and cold: the first places are hot; a coin decides between hot and cold, evenly inside each.
//!
//! # What is left out
//!
//! Several sequential streams at once, and popularity that drifts.
//!
//! # Source
//!
//! Hot and cold: Rosenblum and Ousterhout, "The Design and Implementation of a Log-Structured File System",
//! SOSP 1991. Zipf over scattered items: Cooper et al., "Benchmarking Cloud Serving Systems with YCSB",
//! `SoCC` 2010.
//!
//! # Parameters
//!
//! `address.pattern`, `address.footprint`, `address.align_bytes`.

use venice_kernel::RandomStream;

use super::scramble::Scramble;
use super::spec::{AddressPattern, WorkloadSpec};
use super::zipf::Zipf;

/// Draws starts.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    footprint_sectors: u64,
    align_sectors: u64,
    places: u64,
    law: Law,
    stream: RandomStream,
}

/// The pattern, with what it must know.
#[derive(Clone, Debug)]
enum Law {
    Uniform,
    Sequential { next_sector: u64 },
    Zipf { ranks: Zipf, scramble: Scramble },
    HotCold { hot_places: u64, hot_access_ratio: f64 },
}

impl Addresses {
    /// Starts in a footprint that holds the longest request.
    pub(super) fn new(spec: &WorkloadSpec, footprint_sectors: u64, mut stream: RandomStream) -> Self {
        let align_sectors = u64::from(spec.align_sectors);
        let places = (footprint_sectors - u64::from(spec.sizes.longest())) / align_sectors + 1;
        let law = match spec.pattern {
            AddressPattern::Uniform => Law::Uniform,
            AddressPattern::Sequential => Law::Sequential { next_sector: 0 },
            AddressPattern::Zipf { theta } => {
                Law::Zipf { ranks: Zipf::new(places, theta), scramble: Scramble::new(places, &mut stream) }
            }
            AddressPattern::HotCold { hot_access_ratio, hot_space_ratio } => {
                let hot_places = ((places as f64 * hot_space_ratio).round() as u64).clamp(1, places);
                Law::HotCold { hot_places, hot_access_ratio }
            }
        };
        Self { footprint_sectors, align_sectors, places, law, stream }
    }

    /// The first sector of a request of this length.
    #[inline]
    pub(super) fn next(&mut self, sectors: u32) -> u64 {
        let place = match &mut self.law {
            Law::Uniform => self.stream.below(self.places),
            Law::Sequential { next_sector } => {
                let end_sector = *next_sector + u64::from(sectors);
                let start = if end_sector <= self.footprint_sectors { *next_sector } else { 0 };
                *next_sector = (start + u64::from(sectors)).next_multiple_of(self.align_sectors);
                return start;
            }
            Law::Zipf { ranks, scramble } => scramble.place(ranks.draw(&mut self.stream) - 1),
            Law::HotCold { hot_places, hot_access_ratio } => {
                let (hot, cold) = (*hot_places, self.places - *hot_places);
                let is_hot = self.stream.chance(*hot_access_ratio) || cold == 0;
                if is_hot { self.stream.below(hot) } else { hot + self.stream.below(cold) }
            }
        };
        place * self.align_sectors
    }
}
