//! The circle that a trace is wrapped into.

use venice_kernel::SimTime;

use crate::request::{HostRequest, RequestSource, SourceError};

use super::BATCH;

/// Picoseconds from the first request of a trace to the same one of the next round: its duration and a mean gap. The requests
/// of no trace, and those that all arrive at once, have a period of one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    requests: u64,
    last_ps: u64,
}

impl Extent {
    /// Reads a source to its end; `each` is called with its batches.
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

    /// The period, which ends with the clock at the latest.
    pub(super) fn period_ps(&self) -> u64 {
        let gap_ps = self.last_ps / self.requests.saturating_sub(1).max(1);
        self.last_ps.saturating_add(gap_ps).max(1)
    }
}

/// The instant `ps` after zero, of the request with this number.
pub(super) fn instant(ps: Option<u64>, label: &str, number: u64) -> Result<SimTime, SourceError> {
    ps.map(SimTime::from_ps).ok_or_else(|| SourceError::BeyondClock { label: label.to_owned(), number })
}
