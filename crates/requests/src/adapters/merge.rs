//! Adapter that merges several sources. Each source has its own queue.
//!
//! # What it models
//!
//! Applications that share a drive, each with its recorded load.
//!
//! # How
//!
//! The adapter returns the requests of all sources in order of arrival. At equal arrival times, earlier
//! sources come first. All sources start at zero. Requests of source *i*, counted from 0, belong to queue
//! *i*.
//!
//! # What is left out
//!
//! Separate queues for the devices of one source. [`ConcatenatedDevices`](super::ConcatenatedDevices) can
//! separate their addresses before the merge.
//!
//! # Source
//!
//! Nadig et al., "Venice", ISCA 2023, Table 3: mixes of two or three workloads.
//!
//! # Parameters
//!
//! The merged sources.

use venice_kernel::SimTime;

use crate::request::{HostRequest, RequestSource, SourceCounters, SourceError};

/// Number of requests read from a source per batch.
const BATCH: usize = 1024;

/// Source of the requests of several sources, in order of arrival.
pub struct MergedSource<S> {
    inputs: Vec<Input<S>>,
    label: String,
}

struct Input<S> {
    source: S,
    queue: u16,
    batch: Vec<HostRequest>,
    place: usize,
}

impl<S: RequestSource> MergedSource<S> {
    /// Returns a source of the requests of all given sources, at most 65,536.
    pub fn new(sources: impl IntoIterator<Item = S>) -> Self {
        let input = |(queue, source)| Input { source, queue, batch: Vec::new(), place: 0 };
        let inputs: Vec<_> = (0..=u16::MAX).zip(sources).map(input).collect();
        let labels: Vec<&str> = inputs.iter().map(|input| input.source.label()).collect();
        Self { label: labels.join(" + "), inputs }
    }

    fn next(&mut self) -> Result<Option<HostRequest>, SourceError> {
        for input in &mut self.inputs {
            input.refill()?;
        }
        let first =
            self.inputs.iter_mut().filter(|input| input.head().is_some()).min_by_key(|input| input.head());
        Ok(first.map(Input::take))
    }
}

impl<S: RequestSource> Input<S> {
    #[inline]
    fn refill(&mut self) -> Result<(), SourceError> {
        if self.place == self.batch.len() {
            self.batch.clear();
            self.place = 0;
            self.source.fill(&mut self.batch, BATCH)?;
        }
        Ok(())
    }

    #[inline]
    fn head(&self) -> Option<SimTime> {
        self.batch.get(self.place).map(|request| request.arrival)
    }

    fn take(&mut self) -> HostRequest {
        self.place += 1;
        HostRequest { queue: self.queue, ..self.batch[self.place - 1] }
    }
}

impl<S: RequestSource> RequestSource for MergedSource<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        while into.len() - before < at_most
            && let Some(request) = self.next()?
        {
            into.push(request);
        }
        Ok(into.len() - before)
    }

    fn label(&self) -> &str {
        &self.label
    }

    fn is_synthetic(&self) -> bool {
        self.inputs.iter().any(|input| input.source.is_synthetic())
    }

    fn total(&self) -> Option<u64> {
        self.inputs.iter().map(|input| input.source.total()).sum()
    }

    fn counters(&self) -> SourceCounters {
        let each = self.inputs.iter().map(|input| input.source.counters());
        each.fold(SourceCounters::default(), |sum, one| SourceCounters {
            read: sum.read + one.read,
            devices: sum.devices + one.devices,
            folded: sum.folded + one.folded,
        })
    }
}
