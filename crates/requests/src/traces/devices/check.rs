//! Check that no address is accessed by several devices of a trace. If `--devices` chooses a layout, the
//! check is omitted.
//!
//! # How
//!
//! The address range of each device is known after the last request and needs little memory. If two ranges
//! overlap, the requests are read a second time, to count the pages of 4 KiB that several devices access. The
//! count uses a compressed bitmap of at most 64 MiB; for larger traces it is an estimate
//! ([`FootprintCounter`]).
//!
//! If the requests can be read only once (from a pipe), the error is reported as soon as two ranges overlap.

use super::super::error::TraceError;
use super::super::footprint::{CoincidingPages, FootprintCounter};
use super::extents::Extents;
use crate::request::{BoxedSource, FormatChoice, HostRequest, RequestSource, SourceCounters, SourceError};

/// Number of requests read per batch.
const BATCH: usize = 4096;

/// Function that opens a trace a second time.
pub type ReopenTrace = Box<dyn FnOnce() -> Result<BoxedSource, SourceError> + Send>;

/// Source that ends with an error if several devices access the same addresses.
pub struct DeviceCheck<S> {
    inner: S,
    extents: Extents,
    /// Number of address ranges of the drive.
    ranges: u16,
    reopen: Option<ReopenTrace>,
}

impl<S: RequestSource> DeviceCheck<S> {
    /// Returns a source of the requests of `inner` that checks them for a drive with `ranges` address ranges.
    /// `reopen` opens the requests a second time; `None` if they can be read only once.
    pub fn new(inner: S, ranges: usize, reopen: Option<ReopenTrace>) -> Self {
        let ranges = u16::try_from(ranges.max(1)).unwrap_or(u16::MAX);
        Self { inner, extents: Extents::default(), ranges, reopen }
    }

    /// Returns an error if several devices access the same pages. Called at the end of the source.
    #[cold]
    fn judge(&mut self) -> Result<(), SourceError> {
        if !self.extents.overlap(self.ranges) {
            return Ok(());
        }
        let Some(reopen) = self.reopen.take() else { return Ok(()) };
        let mut source = reopen()?;
        match coinciding_pages(&mut source, self.ranges)? {
            CoincidingPages { pages: 0, .. } => Ok(()),
            pages => Err(self.refusal(&source, Some(pages))),
        }
    }

    /// Returns the error that lists the devices, with their names from `named`.
    fn refusal(&self, named: &impl RequestSource, pages: Option<CoincidingPages>) -> SourceError {
        let devices = self.extents.used().map(|extent| named.device_name(extent.device)).collect();
        TraceError::DevicesCoincide { label: self.inner.label().to_owned(), devices, pages }.into()
    }
}

fn coinciding_pages(source: &mut BoxedSource, ranges: u16) -> Result<CoincidingPages, SourceError> {
    let (mut footprint, mut batch) = (FootprintCounter::new(), Vec::with_capacity(BATCH));
    while source.fill(&mut batch, BATCH)? > 0 {
        for request in batch.drain(..) {
            footprint.touch_request(&request);
        }
    }
    Ok(footprint.coinciding(ranges))
}

impl<S: RequestSource> RequestSource for DeviceCheck<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        let given = self.inner.fill(into, at_most)?;
        for request in &into[before..] {
            self.extents.add(request);
        }
        if given == 0 && at_most > 0 {
            self.judge()?;
        } else if self.reopen.is_none() && self.extents.overlap(self.ranges) {
            into.truncate(before);
            return Err(self.refusal(&self.inner, None));
        }
        Ok(given)
    }

    fn label(&self) -> &str {
        self.inner.label()
    }

    fn is_synthetic(&self) -> bool {
        self.inner.is_synthetic()
    }

    fn total(&self) -> Option<u64> {
        self.inner.total()
    }

    fn format_choice(&self) -> FormatChoice {
        self.inner.format_choice()
    }

    fn counters(&self) -> SourceCounters {
        self.inner.counters()
    }

    fn device_name(&self, queue: u16) -> String {
        self.inner.device_name(queue)
    }
}
