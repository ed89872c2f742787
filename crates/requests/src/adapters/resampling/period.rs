//! Period of a trace that is repeated cyclically.

use venice_kernel::SimTime;

use crate::request::{HostRequest, RequestSource, SourceError};

use super::BATCH;

/// Number of requests of a trace and arrival of the last one. They determine the period: the duration plus
/// the mean gap. An empty trace, or one with all arrivals at zero, has a period of 1 ps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TraceExtent {
    requests: u64,
    last_ps: u64,
}

impl TraceExtent {
    /// Measures the extent of a trace. Reads the source to its end, and calls `each` with each batch of
    /// requests.
    pub(super) fn of(
        source: &mut impl RequestSource,
        mut each: impl FnMut(&[HostRequest]),
    ) -> Result<Self, SourceError> {
        let (mut extent, mut batch) = (Self::default(), Vec::with_capacity(BATCH));
        while source.fill(&mut batch, BATCH)? > 0 {
            extent.requests += batch.len() as u64;
            extent.last_ps = batch.last().map_or(extent.last_ps, |last| last.arrival.as_ps());
            each(&batch);
            batch.clear();
        }
        Ok(extent)
    }

    /// Returns the period in picoseconds, limited to the simulated time range.
    pub(super) fn period_ps(&self) -> u64 {
        let gap_ps = self.last_ps / self.requests.saturating_sub(1).max(1);
        self.last_ps.saturating_add(gap_ps).max(1)
    }
}

/// Returns the time `ps` picoseconds after the start of the run.
///
/// # Errors
/// [`SourceError::BeyondClock`] for request `number` if `ps` is `None`, which stands for a time beyond the
/// simulated time range.
pub(super) fn instant(ps: Option<u64>, label: &str, number: u64) -> Result<SimTime, SourceError> {
    ps.map(SimTime::from_ps).ok_or_else(|| SourceError::BeyondClock { label: label.to_owned(), number })
}
