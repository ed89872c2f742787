//! Several sources at once, each on a queue of its own.
//!
//! # What it models
//!
//! Applications that share a drive, each with what it was recorded to do.
//!
//! # How
//!
//! Requests of all sources in order of arrival; of those that arrive together, the earlier source's first. All start at
//! zero. The requests of source *i*, counted from 0, have queue *i*.
//!
//! # What is left out
//!
//! The devices of one source are not told apart any more: see [`SideBySide`](super::SideBySide) for a way to keep their
//! addresses apart.
//!
//! # Source
//!
//! Nadig et al., "Venice", ISCA 2023, Table 3: its mixes run two or three workloads together.
//!
//! # Parameters
//!
//! The sources.

use venice_kernel::SimTime;

use crate::request::{HostRequest, RequestSource, SourceCounters, SourceError};

/// Requests taken from a source at a time.
const BATCH: usize = 1024;

/// Gives the requests of several sources in order of arrival.
pub struct Merged<S> {
    inputs: Vec<Input<S>>,
    label: String,
}

struct Input<S> {
    source: S,
    queue: u16,
    batch: Vec<HostRequest>,
    place: usize,
}

impl<S: RequestSource> Merged<S> {
    /// The requests of all of them; no more sources than there are queue numbers.
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

impl<S: RequestSource> RequestSource for Merged<S> {
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
