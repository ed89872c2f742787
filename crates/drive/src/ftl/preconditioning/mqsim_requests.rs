//! Draws the requests of a flow as MQSim does, to find the pages that its preconditioning fills.
//!
//! # What it models
//! A synthetic flow of MQSim draws the requests of the run and the pages of its preconditioning from
//! generators with the same seeds. As long as both use the same range of addresses, the requests of the run
//! access exactly the pages that were filled before, at any occupancy. The draws are therefore bit-identical
//! to those of MQSim.
//!
//! # How
//! The generator is [`MqsimRandom`]. A sequential flow draws its first sector before its range is extended to
//! the whole address space.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `IO_Flow_Synthetic.cpp`, `FTL.cpp`.

use super::mqsim_random::MqsimRandom;
use super::settings::{DrawnRequests, DrawnSize, WritePattern};

/// State of the random draws of request addresses within a range of sectors.
#[derive(Clone, Debug)]
pub(super) struct AddressDraws {
    flow: DrawnRequests,
    /// First and last sector of the range.
    range: (u64, u64),
    hot_end: u64,
    /// Next sector of the hot region, if its sectors are drawn in ascending order before all others;
    /// otherwise `None`.
    hot_next: Option<u64>,
    next: Option<u64>,
    address: MqsimRandom,
    hot_address: MqsimRandom,
    hot_or_cold: MqsimRandom,
    size: MqsimRandom,
}

/// Request that was drawn. Sectors are counted from the flow's first sector; `is_hot` is true if they are in
/// the hot region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DrawnRequest {
    pub(super) start: u64,
    pub(super) sectors: u64,
    pub(super) is_hot: bool,
}

impl AddressDraws {
    /// Creates the draws for a range of sectors, both ends included. With `hot_first`, the sectors of the hot
    /// region are drawn in ascending order before all others.
    pub(super) fn new(flow: &DrawnRequests, range: (u64, u64), hot_end: u64, hot_first: bool) -> Self {
        let mut seed = flow.seed;
        let mut generator = || {
            seed += 1;
            MqsimRandom::new(seed)
        };
        // The first generator of the flow is used for the choice between reads and writes.
        let address = generator();
        let no_hot = || MqsimRandom::new(0);
        let (hot_address, hot_or_cold) =
            if flow.has_hot_seeds { (generator(), generator()) } else { (no_hot(), no_hot()) };
        let size = generator();
        let hot_next = hot_first.then_some(range.0);
        Self {
            flow: flow.clone(),
            range,
            hot_end,
            hot_next,
            next: None,
            address,
            hot_address,
            hot_or_cold,
            size,
        }
    }

    /// Draws the start sector of a sequential flow, which is at most `last`. The flow may continue beyond
    /// this sector.
    pub(super) fn begin_stream(&mut self, last: u64) {
        self.next = Some(self.address.within(self.range.0, last));
    }

    pub(super) fn draw(&mut self, pattern: WritePattern) -> DrawnRequest {
        let sectors = self.sectors();
        let (start, is_hot) = match pattern {
            WritePattern::Uniform => (self.anywhere(sectors), false),
            WritePattern::Sequential => (self.following(sectors), false),
            WritePattern::HotCold { region, .. } => self.hot_or_cold(sectors, region),
        };
        let start = start - self.flow.alignment.map_or(0, |alignment| start % alignment);
        DrawnRequest { start: start.saturating_sub(self.range.0), sectors, is_hot }
    }

    fn sectors(&mut self) -> u64 {
        match self.flow.size {
            DrawnSize::Fixed(sectors) => sectors,
            DrawnSize::Normal { mean, deviation } => (self.size.normal(mean, deviation).ceil() as u64).max(1),
        }
    }

    fn anywhere(&mut self, sectors: u64) -> u64 {
        let (first, last) = self.range;
        let start = self.address.within(first, last);
        if start + sectors > last { first } else { start }
    }

    fn following(&mut self, sectors: u64) -> u64 {
        let (first, last) = self.range;
        let next = self.next.unwrap_or_else(|| self.address.within(first, last));
        let start = if next + sectors > last { first } else { next };
        let after = if next + sectors > last { first } else { next + sectors };
        self.next = Some(self.flow.alignment.map_or(after, |alignment| after.next_multiple_of(alignment)));
        start
    }

    fn hot_or_cold(&mut self, sectors: u64, region: f64) -> (u64, bool) {
        if let Some(next) = self.hot_next.filter(|&next| next <= self.hot_end) {
            self.hot_next = Some(next + sectors);
            return (next, true);
        }
        if self.hot_next.is_some() || self.hot_or_cold.unit() < region {
            let (first, last) = (self.hot_end + 1, self.range.1);
            let start = self.hot_address.within(first, last);
            return (if start + sectors > last { first } else { start }, false);
        }
        (self.hot_address.within(self.range.0, self.hot_end), true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow() -> DrawnRequests {
        DrawnRequests {
            first_sector: 0,
            sectors: 31_205_600,
            working_set_ratio: 0.8,
            seed: 798,
            has_hot_seeds: false,
            alignment: Some(16),
            size: DrawnSize::Fixed(16),
        }
    }

    #[test]
    fn a_flow_draws_the_same_requests_as_in_mqsim() {
        // The first requests in a run of MQSim that fills 80 % of a space of 31,205,600 sectors, with the
        // seed 798.
        let mut draws = AddressDraws::new(&flow(), (0, 24_964_479), 0, false);
        let pages: Vec<u64> = (0..4).map(|_| draws.draw(WritePattern::Uniform).start / 16).collect();
        assert_eq!(pages, [784_426, 1_286_928, 979_469, 334_162]);
    }

    #[test]
    fn a_stream_goes_on_where_it_was_and_begins_anew_at_the_end() {
        let mut draws = AddressDraws::new(&flow(), (0, 1_000), 0, false);
        let starts: Vec<u64> = (0..200).map(|_| draws.draw(WritePattern::Sequential).start).collect();
        // The first sector is aligned; the following sectors are counted from the unaligned start. At the end
        // of the range, MQSim returns the first sector twice.
        let is_next = |pair: &[u64]| {
            pair[1] == pair[0] + 16 || (pair[1] == 0 && (pair[0] + 32 > 1_000 || pair[0] == 0))
        };
        let starts = &starts[1..];
        assert!(starts.windows(2).all(is_next), "{starts:?}");
    }
}
