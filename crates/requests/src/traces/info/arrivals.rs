//! Number of arrivals over the time of a trace, for a plot.

use serde::Serialize;

/// Maximum number of bins. If a trace needs more, neighbouring bins are merged.
const BINS: usize = 512;

/// Exponent of the initial width of a bin, which is a power of two of picoseconds: about a microsecond.
const FIRST_SHIFT: u32 = 20;

/// Number of arrivals in bins of equal width over the time of a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArrivalTimeline {
    /// Width of a bin in microseconds.
    pub bin_us: f64,
    /// Number of requests in each bin, from the bin of the first arrival to that of the last.
    pub requests: Vec<u64>,
}

/// Histogram of arrival times with a bounded number of bins.
pub(super) struct ArrivalHistogram {
    shift: u32,
    bins: Vec<u64>,
}

impl ArrivalHistogram {
    pub(super) fn new() -> Self {
        Self { shift: FIRST_SHIFT, bins: Vec::with_capacity(BINS) }
    }

    #[inline]
    pub(super) fn add(&mut self, arrival_ps: u64) {
        while arrival_ps >> self.shift >= BINS as u64 {
            self.coarsen();
        }
        let bin = (arrival_ps >> self.shift) as usize;
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += 1;
    }

    #[cold]
    fn coarsen(&mut self) {
        self.bins = self.bins.chunks(2).map(|pair| pair.iter().sum()).collect();
        self.shift += 1;
    }

    pub(super) fn timeline(&self) -> ArrivalTimeline {
        ArrivalTimeline { bin_us: (1_u64 << self.shift) as f64 / 1e6, requests: self.bins.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_grow_with_time_and_lose_nothing() {
        let mut arrivals = ArrivalHistogram::new();
        let end_ps = 1 << 50;
        (0..1_000).for_each(|n| arrivals.add(end_ps / 1_000 * n));
        let found = arrivals.timeline();
        assert!(found.requests.len() > BINS / 2 && found.requests.len() <= BINS);
        assert_eq!(found.requests.iter().sum::<u64>(), 1_000);
        assert!(found.requests.iter().all(|&count| (1..=4).contains(&count)), "{:?}", found.requests);
        arrivals.add(u64::MAX);
        assert_eq!(arrivals.timeline().requests.iter().sum::<u64>(), 1_001);
    }
}
