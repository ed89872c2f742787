//! Adapter that draws random variants of a trace (resampling).
//!
//! # What it models
//!
//! A trace is one sample of a load. Replays do not depend on the seed, so they do not show how much a figure
//! would vary if the recording had begun at another time. With resampling, each seed gives a different trace
//! of the same load.
//!
//! # How
//!
//! The trace is circular in time: its first request follows the last one after the mean gap. The period is
//! the duration of the trace plus the mean gap.
//!
//! - [`ResamplingMethod::Offset`] starts at a uniformly drawn instant of the period and returns every request
//!   once.
//! - [`ResamplingMethod::Blocks`] is the circular block bootstrap: blocks with uniformly drawn start, with
//!   replacement, are concatenated up to the length of the trace. Within a block, requests and gaps are those
//!   of the trace. If the block length is a number of requests, the result has as many requests as the trace,
//!   each with its own preceding gap. If the block length is a duration, the result lasts as long as the
//!   trace and its number of requests varies.
//!
//! The first request arrives at zero.
//!
//! # What is left out
//!
//! Resampling by blocks loses dependence between requests beyond the length of a block, which should
//! therefore exceed that of bursts and scans. The footprint of resampled blocks is smaller than that of the
//! trace, since some parts are drawn several times and others never.
//!
//! Resampling by an offset reads the trace three times and needs no memory. Resampling by blocks keeps the
//! trace in memory, with 24 bytes per request.
//!
//! # Source
//!
//! Blocks of fixed length: Künsch, "The Jackknife and the Bootstrap for General Stationary Observations",
//! Annals of Statistics 17, 1989. Circular sample: Politis and Romano, "A Circular Block-Resampling Procedure
//! for Stationary Data", in Exploring the Limits of Bootstrap, 1992. The default length, the square root of
//! the number of requests, has the order that Hall, Jing and Lahiri, "On the Sampling Window Method for
//! Long-Range Dependent Data", Statistica Sinica 8, 1998, use under long-range dependence, which file-system
//! traffic has (Gribble et al., SIGMETRICS 1998). The factor of one in this length has no published source.
//!
//! # Parameters
//!
//! [`Resampling`]: method, block length and seed.

mod blocks;
mod offset;
mod period;

use std::sync::Arc;

use venice_kernel::{RandomStream, SimSpan};

use crate::request::{BoxedSource, HostRequest, RequestSource, SourceError};

use blocks::BlockResampler;
use offset::OffsetResampler;

/// Number of requests read per batch.
const BATCH: usize = 4096;

/// Name of the random stream.
const STREAM: &str = "trace-resample";

/// Function that opens a trace from its beginning.
pub type Reopen = Arc<dyn Fn() -> Result<BoxedSource, SourceError> + Send + Sync>;

/// Length of a block of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockLength {
    /// Duration of a block, above zero.
    Time(SimSpan),
    /// Number of requests, at least 1.
    Requests(u64),
}

/// Method of resampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResamplingMethod {
    /// The trace starts at a random time, and the requests before that time follow at the end.
    Offset,
    /// Random blocks of the trace are concatenated. The default length of a block is the square root of the
    /// number of requests.
    Blocks(Option<BlockLength>),
}

/// Parameters of resampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// Method of resampling.
    pub method: ResamplingMethod,
    /// Seed of the random draws.
    pub seed: u64,
}

/// Source that returns the resampled requests of another source.
pub struct ResampledSource {
    /// Source without resampling, for properties that can be queried without reading requests.
    inner: BoxedSource,
    plan: ResamplingState,
}

enum ResamplingState {
    Unread { reopen: Reopen, resampling: Resampling },
    Offset(OffsetResampler),
    Blocks(BlockResampler),
    Spent,
}

impl ResampledSource {
    /// Returns a source of resampled requests. Each call of `reopen` opens the trace from its beginning.
    ///
    /// # Errors
    /// Errors of `reopen`.
    pub fn new(reopen: Reopen, resampling: Resampling) -> Result<Self, SourceError> {
        Ok(Self { inner: reopen()?, plan: ResamplingState::Unread { reopen, resampling } })
    }

    /// Reads the trace once and draws the random parameters, before the first request is returned.
    fn read(&mut self, reopen: &Reopen, resampling: Resampling) -> Result<ResamplingState, SourceError> {
        let stream = RandomStream::new(resampling.seed, STREAM);
        match resampling.method {
            ResamplingMethod::Offset => Ok(ResamplingState::Offset(OffsetResampler::new(
                &mut self.inner,
                Arc::clone(reopen),
                stream,
            )?)),
            ResamplingMethod::Blocks(length) => {
                Ok(ResamplingState::Blocks(BlockResampler::new(&mut self.inner, length, stream)?))
            }
        }
    }

    fn fill_by_plan(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        if let ResamplingState::Unread { reopen, resampling } = &self.plan {
            let (reopen, resampling) = (Arc::clone(reopen), *resampling);
            self.plan = self.read(&reopen, resampling)?;
        }
        match &mut self.plan {
            ResamplingState::Offset(offset) => offset.fill(into, at_most),
            ResamplingState::Blocks(blocks) => blocks.fill(into, at_most),
            ResamplingState::Unread { .. } | ResamplingState::Spent => Ok(0),
        }
    }
}

impl RequestSource for ResampledSource {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let given = self.fill_by_plan(into, at_most);
        if given.is_err() {
            self.plan = ResamplingState::Spent;
        }
        given
    }

    passes_on!(label, is_synthetic, format_choice, counters, device_name);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use venice_kernel::SimTime;

    use super::*;
    use crate::adapters::LimitedSource;
    use crate::request::Op;

    /// Test source of requests that arrive at the times in the first field, at distinct sectors.
    #[derive(Clone)]
    struct TimedRequests(Vec<u64>, usize);

    impl RequestSource for TimedRequests {
        fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
            let end = self.0.len().min(self.1 + at_most);
            let request = |number: usize| HostRequest {
                arrival: SimTime::from_ps(self.0[number]),
                start_sector: number as u64,
                sectors: 1,
                queue: 0,
                op: Op::Read,
                pattern_set: 0,
            };
            into.extend((self.1..end).map(request));
            let given = end - self.1;
            self.1 = end;
            Ok(given)
        }

        fn label(&self) -> &'static str {
            "at"
        }

        fn is_synthetic(&self) -> bool {
            false
        }
    }

    /// Returns one thousand bursty arrival times, with gaps of 1 to 7, and a gap of 0 to 1,998 after every
    /// tenth arrival.
    fn bursty() -> Vec<u64> {
        let gap = |number: u64| {
            if number.is_multiple_of(10) { number * 7_919 % 1_999 } else { number * number % 7 + 1 }
        };
        let mut now = 0;
        let arrivals = (0..999).map(|number| {
            now += if number == 0 { 0 } else { gap(number) };
            now
        });
        arrivals.collect()
    }

    fn source(arrivals: &[u64], method: ResamplingMethod, seed: u64) -> ResampledSource {
        let all = TimedRequests(arrivals.to_vec(), 0);
        let reopen: Reopen = Arc::new(move || Ok(Box::new(all.clone())));
        ResampledSource::new(reopen, Resampling { method, seed }).unwrap()
    }

    fn drained(mut source: impl RequestSource, batch: usize) -> Vec<(u64, u64)> {
        let mut all = Vec::new();
        while source.fill(&mut all, batch).unwrap() > 0 {}
        assert_eq!(source.fill(&mut all, batch).unwrap(), 0);
        all.iter().map(|request| (request.arrival.as_ps(), request.start_sector)).collect()
    }

    fn resampled(arrivals: &[u64], method: ResamplingMethod, seed: u64) -> Vec<(u64, u64)> {
        drained(source(arrivals, method, seed), 7)
    }

    fn gaps(requests: &[(u64, u64)]) -> Vec<u64> {
        requests.windows(2).map(|pair| pair[1].0.checked_sub(pair[0].0).expect("in order")).collect()
    }

    const BY_COUNT: ResamplingMethod = ResamplingMethod::Blocks(Some(BlockLength::Requests(40)));
    const BY_TIME: ResamplingMethod =
        ResamplingMethod::Blocks(Some(BlockLength::Time(SimSpan::from_ps(2_000))));

    #[test]
    fn an_offset_gives_every_request_once_in_the_same_circle() {
        let arrivals = [0, 10, 10, 40, 60];
        // The mean gap is 15, so the period is 75.
        for seed in 0..50 {
            let found = resampled(&arrivals, ResamplingMethod::Offset, seed);
            assert_eq!(found[0].0, 0);
            let first = found[0].1 as usize;
            let expected: Vec<_> = (first..first + 5)
                .map(|number| {
                    let (round, place) = ((number / 5) as u64, number % 5);
                    (arrivals[place] + 75 * round - arrivals[first], place as u64)
                })
                .collect();
            assert_eq!(found, expected, "seed {seed}");
        }
    }

    #[test]
    fn seeds_determine_the_requests() {
        let arrivals = bursty();
        for method in [ResamplingMethod::Offset, BY_COUNT, BY_TIME, ResamplingMethod::Blocks(None)] {
            let distinct: BTreeSet<_> = (0..20).map(|seed| resampled(&arrivals, method, seed)).collect();
            // All offsets within a long gap start with the same request, so fewer traces differ.
            let least = if method == ResamplingMethod::Offset { 15 } else { 20 };
            assert!(distinct.len() >= least, "{method:?}: {}", distinct.len());
            assert_eq!(resampled(&arrivals, method, 3), drained(source(&arrivals, method, 3), 1_000));
        }
    }

    #[test]
    fn blocks_keep_requests_together_with_their_gaps() {
        let arrivals = bursty();
        let period = arrivals[998] + arrivals[998] / 998;
        let gap_before = |number: usize| match number {
            0 => period - arrivals[998],
            _ => arrivals[number] - arrivals[number - 1],
        };
        let found = resampled(&arrivals, BY_COUNT, 5);
        assert_eq!((found.len(), found[0].0), (999, 0));
        let numbers: Vec<_> = found.iter().map(|&(_, number)| number as usize).collect();
        assert_eq!(gaps(&found), numbers[1..].iter().map(|&one| gap_before(one)).collect::<Vec<_>>());
        let goes_on = |pair: &[usize]| (pair[0] + 1) % 999 == pair[1];
        let joins = numbers.windows(2).filter(|pair| !goes_on(pair)).count();
        assert!((20..=24).contains(&joins), "999 requests in blocks of 40 have 24 joins: {joins}");
    }

    #[test]
    fn blocks_of_time_keep_gaps_and_the_length_of_the_trace() {
        let arrivals = bursty();
        let period = arrivals[998] + arrivals[998] / 998;
        let found = resampled(&arrivals, BY_TIME, 1);
        assert!(found.last().unwrap().0 < period);
        assert!(found.last().unwrap().0 > period - 2 * 2_000);
        let joins = found.windows(2).filter(|pair| {
            let (from, to) = (pair[0].1 as usize, pair[1].1 as usize);
            let gap = if to == 0 { period - arrivals[998] } else { arrivals[to] - arrivals[to - 1] };
            (from + 1) % 999 != to || pair[1].0 - pair[0].0 != gap
        });
        let blocks = period.div_ceil(2_000) as usize;
        assert!(joins.count() < blocks, "gaps differ at joins alone");
    }

    #[test]
    fn blocks_keep_the_mean_rate_and_the_burstiness() {
        let arrivals = bursty();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let index = |requests: &[(u64, u64)]| {
            let windows = requests.last().unwrap().0 / 1_000;
            let count = |window| requests.iter().filter(|one| one.0 / 1_000 == window).count() as f64;
            let counts: Vec<_> = (0..windows).map(count).collect();
            let expected = mean(&counts);
            let variance = mean(&counts.iter().map(|one| (one - expected).powi(2)).collect::<Vec<_>>());
            (expected, variance / expected)
        };
        let trace: Vec<_> = arrivals.iter().map(|&at| (at, 0)).collect();
        let (rate, dispersion) = index(&trace);
        for method in [BY_COUNT, BY_TIME] {
            let found: Vec<_> = (0..40).map(|seed| index(&resampled(&arrivals, method, seed))).collect();
            let rates = mean(&found.iter().map(|one| one.0).collect::<Vec<_>>());
            let dispersions = mean(&found.iter().map(|one| one.1).collect::<Vec<_>>());
            assert!((rates / rate - 1.0).abs() < 0.03, "{method:?}: rate {rates} for {rate}");
            assert!(
                (dispersions / dispersion - 1.0).abs() < 0.35,
                "{method:?}: {dispersions} for {dispersion}"
            );
        }
    }

    #[test]
    fn every_request_is_drawn_equally_often_by_blocks() {
        let arrivals: Vec<u64> = (0..100).map(|number| number * 10).collect();
        for method in [
            ResamplingMethod::Blocks(Some(BlockLength::Requests(10))),
            ResamplingMethod::Blocks(Some(BlockLength::Time(SimSpan::from_ps(100)))),
        ] {
            let mut drawn = [0_u32; 100];
            for seed in 0..2_000 {
                for (_, number) in resampled(&arrivals, method, seed) {
                    drawn[number as usize] += 1;
                }
            }
            // The expected number of draws is 2,000; blocks increase the standard deviation to about 140.
            assert!(drawn.iter().all(|count| (1_400..2_600).contains(count)), "{method:?}: {drawn:?}");
        }
    }

    #[test]
    fn blocks_longer_than_the_trace_are_refused() {
        for (length, said) in
            [(BlockLength::Requests(6), "6 requests"), (BlockLength::Time(SimSpan::from_us(76)), "76 µs")]
        {
            let arrivals = [0, 10, 10, 40, 60].map(|us| us * 1_000_000);
            let mut source = source(&arrivals, ResamplingMethod::Blocks(Some(length)), 1);
            let wrong = source.fill(&mut Vec::new(), 9).unwrap_err().to_string();
            assert!(wrong.contains(said), "{wrong}");
            assert_eq!(source.fill(&mut Vec::new(), 9).unwrap(), 0, "spent");
        }
    }

    #[test]
    fn a_single_request_and_a_limit_are_no_trouble() {
        for method in [ResamplingMethod::Offset, ResamplingMethod::Blocks(None)] {
            assert_eq!(resampled(&[0], method, 9), [(0, 0)]);
            assert_eq!(resampled(&[0, 0, 0], method, 9).len(), 3);
            let limited = LimitedSource::new(source(&bursty(), method, 9), 10);
            assert_eq!(drained(limited, 7), resampled(&bursty(), method, 9)[..10]);
        }
    }
}
