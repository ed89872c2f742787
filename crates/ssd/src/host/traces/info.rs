//! What a trace is like, in one pass and little memory.

use std::path::Path;

use hdrhistogram::Histogram;
use serde::Serialize;

use super::compression::Compression;
use super::footprint::Footprint;
use super::options::TraceOptions;
use super::{TraceError, open};
use crate::host::request::{FormatChoice, HostRequest, Op, ReadCounters, SECTOR_BYTES, SourceError};

/// Requests looked at per call of the source.
const BATCH: usize = 4096;

/// Blocks of the footprint: 4 KiB, as in the literature, whatever the drive's page.
const FOOTPRINT_BLOCK_BYTES: u64 = 4096;

/// Decimal digits of the histogram of gaps; it takes 5 MB.
const GAP_DIGITS: u8 = 4;

/// The end of the simulator's clock.
const LONGEST_GAP_NS: u64 = u64::MAX / 1_000;

/// The characteristics by which traces are known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceInfo {
    /// Requests.
    pub requests: u64,
    /// Reads among them, in per cent.
    pub read_pct: f64,
    /// Mean request size, in units of 1,024 bytes.
    pub mean_size_kib: f64,
    /// Mean gap between one arrival and the next; nothing for a single request.
    pub mean_inter_arrival_us: Option<f64>,
    /// Median gap, half-way between the middle two where their number is even. Exact to the nanosecond
    /// below 32 us, and to one part in ten thousand above; nothing for a single request.
    pub median_inter_arrival_us: Option<f64>,
    /// From the first arrival to the last.
    pub duration_us: f64,
    /// Distinct 4-KiB blocks touched, in units of 1,048,576 bytes. The same block of two devices is two.
    pub footprint_mib: f64,
    /// Whether the footprint is exact; beyond the memory kept for it, it is estimated to about one part in a hundred.
    pub footprint_exact: bool,
    /// The format and how it was chosen.
    #[serde(flatten)]
    pub format_choice: FormatChoice,
    /// How the file is compressed.
    pub compression: Compression,
    /// What reading it met.
    #[serde(flatten)]
    pub read: ReadCounters,
}

/// Reads a trace to its end and measures it.
///
/// Memory grows with the footprint, as a compressed bitmap, and not with the number of requests.
///
/// # Errors
/// [`SourceError`], as for opening the trace and for reading it.
pub fn trace_info(path: &Path, options: &TraceOptions) -> Result<TraceInfo, SourceError> {
    let mut trace = open(path, options)?;
    let mut survey = Survey::new();
    let mut batch = Vec::with_capacity(BATCH);
    while trace.source.fill(&mut batch, BATCH)? > 0 {
        batch.drain(..).for_each(|request| survey.add(&request));
    }
    let (format_choice, read) = (trace.source.format_choice(), trace.source.counters().read);
    survey.report(format_choice, trace.compression, read).ok_or_else(|| {
        let path = path.to_owned();
        TraceError::Empty { path }.into()
    })
}

/// Running sums over the requests.
struct Survey {
    requests: u64,
    reads: u64,
    sectors: u128,
    last_ps: u64,
    gaps_ns: Histogram<u64>,
    footprint: Footprint,
}

impl Survey {
    fn new() -> Self {
        let gaps_ns =
            Histogram::new_with_max(LONGEST_GAP_NS, GAP_DIGITS).expect("both bounds are constants in range");
        Self { requests: 0, reads: 0, sectors: 0, last_ps: 0, gaps_ns, footprint: Footprint::new() }
    }

    fn add(&mut self, request: &HostRequest) {
        let arrival_ps = request.arrival.as_ps();
        if self.requests > 0 {
            self.gaps_ns.saturating_record((arrival_ps - self.last_ps) / 1_000);
        }
        self.last_ps = arrival_ps;
        self.requests += 1;
        self.reads += u64::from(request.op == Op::Read);
        self.sectors += u128::from(request.sectors);
        let sectors_per_block = FOOTPRINT_BLOCK_BYTES / u64::from(SECTOR_BYTES);
        let first = request.start_sector / sectors_per_block;
        let last = (request.end_sector() - 1) / sectors_per_block;
        self.footprint.touch(request.queue, first, last);
    }

    /// `None` when there was no request.
    fn report(
        &self,
        format_choice: FormatChoice,
        compression: Compression,
        read: ReadCounters,
    ) -> Option<TraceInfo> {
        let requests = Some(self.requests).filter(|&requests| requests > 0)?;
        let gaps = Some(requests - 1).filter(|&gaps| gaps > 0);
        let duration_us = self.last_ps as f64 / 1e6;
        Some(TraceInfo {
            requests,
            read_pct: 100.0 * self.reads as f64 / requests as f64,
            mean_size_kib: self.sectors as f64 * f64::from(SECTOR_BYTES) / 1024.0 / requests as f64,
            mean_inter_arrival_us: gaps.map(|gaps| duration_us / gaps as f64),
            median_inter_arrival_us: gaps.map(|gaps| self.median_gap_us(gaps)),
            duration_us,
            footprint_mib: self.footprint.blocks() as f64 * FOOTPRINT_BLOCK_BYTES as f64 / 1_048_576.0,
            footprint_exact: self.footprint.is_exact(),
            format_choice,
            compression,
            read,
        })
    }

    /// The mean of the two middle gaps, which are one and the same where their number is odd.
    fn median_gap_us(&self, gaps: u64) -> f64 {
        let lower = self.gap_ns_of_rank(gaps.div_ceil(2));
        let upper = self.gap_ns_of_rank(gaps / 2 + 1);
        (lower + upper) as f64 / 2.0 / 1e3
    }

    /// The gap of this rank, counted from 1 upwards from the shortest.
    fn gap_ns_of_rank(&self, rank: u64) -> u64 {
        let reached = self.gaps_ns.iter_recorded().scan(0, |below, step| {
            *below += step.count_since_last_iteration();
            Some((*below, step.value_iterated_to()))
        });
        let mut at_rank = reached.skip_while(|&(count, _)| count < rank);
        at_rank.next().map_or(0, |(_, gap)| self.gaps_ns.median_equivalent(gap))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use venice_kernel::SimTime;

    fn survey_of(arrivals_ns: &[u64]) -> TraceInfo {
        let mut survey = Survey::new();
        for &ns in arrivals_ns {
            let arrival = SimTime::from_ps(ns * 1_000);
            survey.add(&HostRequest { arrival, start_sector: 7, sectors: 2, queue: 0, op: Op::Read });
        }
        survey.report(FormatChoice::default(), Compression::None, ReadCounters::default()).unwrap()
    }

    #[test]
    fn the_median_gap_lies_between_the_middle_two() {
        assert_eq!(survey_of(&[0, 10, 30, 60]).median_inter_arrival_us, Some(0.020));
        assert_eq!(survey_of(&[0, 10, 30]).median_inter_arrival_us, Some(0.015));
        assert_eq!(survey_of(&[0]).median_inter_arrival_us, None);
        assert_eq!(survey_of(&[0]).mean_inter_arrival_us, None);
    }

    #[test]
    fn a_request_across_a_block_border_touches_both() {
        assert_eq!((survey_of(&[0, 1]).footprint_mib * 256.0) as u64, 2);
    }

    #[test]
    fn a_week_long_gap_is_right_to_a_ten_thousandth() {
        let week_ns = 604_800_000_000_000;
        let median_us = survey_of(&[0, week_ns]).median_inter_arrival_us.unwrap();
        assert!((median_us / 604_800e6 - 1.0).abs() < 1e-4, "{median_us}");
    }
}
