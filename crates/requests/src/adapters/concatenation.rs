//! Adapter that places the devices of a trace one after another.
//!
//! # What it models
//!
//! The volumes of a trace, or the files of a recording, are placed on one drive so that their addresses do
//! not overlap.
//!
//! # How
//!
//! Each device receives an address range that ends at the highest address of its requests, rounded up to 1
//! MiB. The ranges follow each other in the order of device numbers. All requests belong to queue 0.
//!
//! # What is left out
//!
//! The actual sizes of the devices, which traces do not contain.
//!
//! # Source
//!
//! None. 1 MiB is the alignment of partitioning tools.
//!
//! # Parameters
//!
//! [`FirstSectors`], which are computed by reading all requests once.

use std::collections::BTreeMap;

use crate::request::{DeviceUse, HostRequest, RequestSource, SourceCounters, SourceError};

/// Alignment of the devices' address ranges in sectors: 1 MiB.
const ALIGN_SECTORS: u64 = 2048;

/// Number of requests read per batch.
const BATCH: usize = 4096;

/// First sector of each device in the combined address space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstSectors {
    begins: BTreeMap<u16, u64>,
}

impl FirstSectors {
    /// Computes the first sectors of the devices in `source`, which is read to its end.
    ///
    /// # Errors
    /// Errors of the source.
    pub fn of(mut source: impl RequestSource) -> Result<Self, SourceError> {
        let (mut ends, mut batch) = (BTreeMap::new(), Vec::with_capacity(BATCH));
        while source.fill(&mut batch, BATCH)? > 0 {
            for request in batch.drain(..) {
                let end = ends.entry(request.queue).or_insert(0);
                *end = request.end_sector().max(*end);
            }
        }
        let mut next = 0;
        let place = |(queue, end): (u16, u64)| {
            let begin = next;
            next += end.next_multiple_of(ALIGN_SECTORS);
            (queue, begin)
        };
        Ok(Self { begins: ends.into_iter().map(place).collect() })
    }
}

/// Function that computes the first sectors of the devices. It is called before the first request is read.
type FindLayout = Box<dyn FnOnce() -> Result<FirstSectors, SourceError> + Send>;

/// Source that moves each device of another source to its own address range.
pub struct ConcatenatedDevices<S> {
    inner: S,
    layout: FirstSectors,
    find: Option<FindLayout>,
}

impl<S: RequestSource> ConcatenatedDevices<S> {
    /// Returns a source of the requests of `inner`, moved to the address ranges that `find` computes. `find`
    /// is called before the first request is read.
    pub fn new(inner: S, find: impl FnOnce() -> Result<FirstSectors, SourceError> + Send + 'static) -> Self {
        Self { inner, layout: FirstSectors::default(), find: Some(Box::new(find)) }
    }
}

impl<S: RequestSource> RequestSource for ConcatenatedDevices<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        if let Some(find) = self.find.take() {
            self.layout = find()?;
        }
        let before = into.len();
        let given = self.inner.fill(into, at_most);
        for request in &mut into[before..] {
            request.start_sector += self.layout.begins.get(&request.queue).copied().unwrap_or_default();
            request.queue = 0;
        }
        given
    }

    passes_on!(label, is_synthetic, total, format_choice, device_name);

    fn counters(&self) -> SourceCounters {
        let inner = self.inner.counters();
        let devices = DeviceUse { device_layout: Some("side-by-side"), ..inner.devices };
        SourceCounters { devices, ..inner }
    }
}
