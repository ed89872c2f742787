//! Adapter that wraps addresses around the drive's capacity.
//!
//! # What it models
//!
//! A trace may come from a volume larger than the simulated drive. Its requests are mapped to the drive by a
//! fixed rule: requests with equal addresses keep equal addresses and, except at the end of the drive,
//! adjacent addresses remain adjacent.
//!
//! # How
//!
//! The start address is taken modulo the drive's capacity in whole pages, which preserves the offset within a
//! page. A request that would cross the end of the drive is moved down by whole pages until it fits. It thus
//! stays one request of equal length: splitting would change the number of requests, and wrapping would need
//! two extents. A request longer than the drive is an error.
//!
//! Wrapped requests access the addresses of unrelated requests, so their share can be limited; a share above
//! the limit is an error. The share is known only at the end of the source, so a check before the run reads
//! the source twice.
//!
//! # What is left out
//!
//! On a drive with one address range, the devices of a trace are wrapped onto the same addresses. With
//! several ranges, a device uses the range of its number modulo the number of ranges, and its addresses are
//! relative to the start of that range.
//!
//! # Source
//!
//! None: published simulators differ or do not document their rule.
//!
//! # Parameters
//!
//! Address ranges and page size, in sectors; maximum share of wrapped requests, in %.

use std::ops::Range;

use crate::request::SECTOR_BYTES;
use crate::request::{HostRequest, Op, RequestSource, SourceCounters, SourceError, WriteLaw};

/// Source with the addresses of another source wrapped around the drive's capacity.
pub struct WrappedSource<S> {
    inner: S,
    folding: Wrapping,
    /// Number of requests returned so far.
    given: u64,
    /// Maximum share of wrapped requests in %; `None` for no limit.
    most_pct: Option<f64>,
    /// Largest end address of all requests before wrapping, in sectors from the start of their address range.
    end_sector: u64,
}

/// Rule that wraps single requests.
pub struct Wrapping {
    /// First sector and number of sectors of each address range.
    ranges: Vec<(u64, u64)>,
    page_sectors: u64,
    moved: u64,
}

impl<S: RequestSource> WrappedSource<S> {
    /// Returns a source of the requests of `inner`, wrapped around `capacity_sectors` rounded down to whole
    /// pages.
    ///
    /// # Panics
    /// Panics if the drive is smaller than a page; parameter ranges exclude that.
    pub fn new(inner: S, capacity_sectors: u64, page_sectors: u32) -> Self {
        Self::into_ranges(inner, std::iter::once(0..capacity_sectors), page_sectors)
    }

    /// Returns a source of the requests of `inner`, wrapped around several address ranges. A request uses the
    /// range whose index is its queue number modulo the number of ranges.
    ///
    /// # Panics
    /// Panics if there is no range, or if one is smaller than a page; parameter ranges exclude that.
    pub fn into_ranges(inner: S, ranges: impl IntoIterator<Item = Range<u64>>, page_sectors: u32) -> Self {
        let folding = Wrapping::new(ranges, page_sectors);
        Self { inner, folding, given: 0, most_pct: None, end_sector: 0 }
    }

    /// Sets the maximum share of wrapped requests in %. The source ends with an error if that share is
    /// exceeded.
    #[must_use]
    pub fn at_most(self, most_pct: Option<f64>) -> Self {
        Self { most_pct, ..self }
    }
}

impl Wrapping {
    /// Returns the rule for these address ranges. A request uses the range whose index is its queue number
    /// modulo the number of ranges.
    ///
    /// # Panics
    /// Panics if there is no range, or if one is smaller than a page; parameter ranges exclude that.
    pub fn new(ranges: impl IntoIterator<Item = Range<u64>>, page_sectors: u32) -> Self {
        let page_sectors = u64::from(page_sectors);
        let whole_pages = |range: Range<u64>| {
            let sectors = range.end - range.start;
            (range.start, sectors - sectors % page_sectors)
        };
        let ranges: Vec<_> = ranges.into_iter().map(whole_pages).collect();
        let has_room = !ranges.is_empty() && ranges.iter().all(|&(_, sectors)| sectors > 0);
        assert!(has_room, "the drive has no page to fold into");
        Self { ranges, page_sectors, moved: 0 }
    }

    /// Returns the number of wrapped requests so far.
    pub fn moved(&self) -> u64 {
        self.moved
    }

    /// Returns the first sector and the number of sectors of the address range that a request uses.
    #[inline]
    fn range(&self, request: &HostRequest) -> (u64, u64) {
        match self.ranges.as_slice() {
            [only] => *only,
            several => several[usize::from(request.queue) % several.len()],
        }
    }

    /// Wraps a request into its address range. A request longer than the range is shortened to the whole
    /// range.
    #[inline]
    pub fn fold(&mut self, request: &mut HostRequest) {
        let (start, sectors) = self.range(request);
        if request.end_sector() > sectors {
            self.moved += 1;
            request.sectors = u64::from(request.sectors).min(sectors) as u32;
            request.start_sector %= sectors;
            let overrun = request.end_sector().saturating_sub(sectors);
            let slide = overrun.next_multiple_of(self.page_sectors);
            request.start_sector = request.start_sector.saturating_sub(slide);
        }
        request.start_sector += start;
    }
}

impl<S: RequestSource> WrappedSource<S> {
    /// Wraps requests, up to the first one that is longer than its address range. Returns the number of
    /// wrapped requests.
    #[inline]
    fn fold(&mut self, requests: &mut [HostRequest]) -> usize {
        for (place, request) in requests.iter_mut().enumerate() {
            let (start, sectors) = self.folding.range(request);
            if request.op == Op::Flush {
                continue;
            }
            // A trim that is longer than the drive deallocates the whole drive.
            if u64::from(request.sectors) > sectors && request.op.moves_data() {
                return place;
            }
            let end = request.end_sector();
            self.end_sector = self.end_sector.max(end);
            if end > sectors {
                self.folding.fold(request);
            } else {
                request.start_sector += start;
            }
        }
        requests.len()
    }

    /// Returns an error if the share of wrapped requests exceeds the limit. Called at the end of the source.
    #[cold]
    fn judge(&self) -> Result<(), SourceError> {
        let share_pct = self.folding.moved as f64 / self.given.max(1) as f64 * 100.0;
        match self.most_pct {
            Some(most_pct) if share_pct > most_pct => Err(SourceError::BeyondDrive {
                label: self.inner.label().to_owned(),
                folded: self.folding.moved,
                requests: self.given,
                share_pct,
                most_pct,
                end_gib: gib(self.end_sector),
                drive_gib: gib(self.folding.ranges.iter().map(|range| range.1).min().unwrap_or(0)),
            }),
            _ => Ok(()),
        }
    }

    /// Returns the error for a request longer than the drive.
    #[cold]
    fn too_long(&self, request: &HostRequest) -> SourceError {
        SourceError::LongerThanDrive {
            label: self.inner.label().to_owned(),
            number: self.given + 1,
            sectors: request.sectors,
            drive_sectors: self.folding.range(request).1,
        }
    }
}

impl<S: RequestSource> RequestSource for WrappedSource<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        let given = self.inner.fill(into, at_most);
        // Requests before an error are valid and are wrapped as well.
        let fit = self.fold(&mut into[before..]);
        self.given += fit as u64;
        if let Some(request) = into.get(before + fit) {
            let wrong = self.too_long(request);
            into.truncate(before + fit);
            return Err(wrong);
        }
        if matches!(given, Ok(0)) && at_most > 0 {
            self.judge()?;
        }
        given
    }

    passes_on!(label, is_synthetic, total, format_choice, device_name);

    /// Returns the distribution of write addresses after wrapping. A uniform distribution of `inner` remains
    /// valid only if no request was wrapped and the single range starts at sector zero.
    fn write_law(&self) -> WriteLaw {
        match (self.inner.write_law(), self.folding.ranges.as_slice()) {
            (WriteLaw::Uniform(writes), [_]) if self.folding.moved == 0 => WriteLaw::Uniform(writes),
            (WriteLaw::Uniform(_), _) => WriteLaw::Other,
            (law, _) => law,
        }
    }

    fn counters(&self) -> SourceCounters {
        let inner = self.inner.counters();
        SourceCounters { folded: inner.folded + self.folding.moved, ..inner }
    }
}

fn gib(sectors: u64) -> f64 {
    sectors as f64 * f64::from(SECTOR_BYTES) / f64::from(1 << 30)
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;

    use super::*;

    /// Test source with one request beyond the drive's capacity, followed by an error.
    struct DamagedSource;

    impl RequestSource for DamagedSource {
        fn fill(&mut self, into: &mut Vec<HostRequest>, _: usize) -> Result<usize, SourceError> {
            into.push(HostRequest {
                arrival: SimTime::ZERO,
                start_sector: 1008,
                sectors: 8,
                queue: 0,
                op: Op::Read,
                pattern_set: 0,
            });
            Err(SourceError::BeyondClock { label: "damaged".into(), number: 2 })
        }

        fn label(&self) -> &'static str {
            "damaged"
        }

        fn is_synthetic(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_request_longer_than_the_drive_is_refused_behind_those_before_it() {
        let mut batch = Vec::new();
        let mut folded = WrappedSource::new(DamagedSource, 7 * 8, 4);
        assert!(folded.fill(&mut batch, 9).is_err());
        let mut short = WrappedSource::new(DamagedSource, 4, 4);
        let wrong = short.fill(&mut batch, 9).unwrap_err().to_string();
        assert!(wrong.starts_with("request 1 has 8 sectors of 512 bytes"), "{wrong}");
        assert!(wrong.contains("the drive has 4"), "{wrong}");
        assert_eq!(batch.len(), 1);
    }

    /// Test source of one hundred sequential requests of one sector each.
    struct SequentialRequests(u64);

    impl RequestSource for SequentialRequests {
        fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
            let count = (100 - self.0).min(at_most as u64);
            into.extend((self.0..self.0 + count).map(|start_sector| HostRequest {
                arrival: SimTime::ZERO,
                start_sector,
                sectors: 1,
                queue: 0,
                op: Op::Read,
                pattern_set: 0,
            }));
            self.0 += count;
            Ok(count as usize)
        }

        fn label(&self) -> &'static str {
            "sequence"
        }

        fn is_synthetic(&self) -> bool {
            false
        }
    }

    #[test]
    fn more_requests_beyond_the_drive_than_allowed_are_refused_at_the_end_and_no_fewer() {
        let end_of = |capacity: u64, most_pct: Option<f64>| {
            let mut source = WrappedSource::new(SequentialRequests(0), capacity, 4).at_most(most_pct);
            let mut batch = Vec::new();
            while source.fill(&mut batch, 7)? > 0 {}
            Ok::<usize, SourceError>(batch.len())
        };
        assert_eq!(end_of(96, Some(4.0)).unwrap(), 100);
        assert_eq!(end_of(92, None).unwrap(), 100);
        assert_eq!(end_of(100, Some(0.0)).unwrap(), 100);
        let refused = end_of(96, Some(3.9)).unwrap_err().to_string();
        assert!(refused.starts_with("4 of 100 requests (4.0 %) lie beyond the drive"), "{refused}");
        assert!(refused.contains("--fold"), "{refused}");
    }

    #[test]
    fn requests_that_come_with_an_error_are_folded_too() {
        let mut batch = Vec::new();
        assert!(WrappedSource::new(DamagedSource, 100, 8).fill(&mut batch, 9).is_err());
        assert_eq!(batch[0].start_sector, 1008 % 96);
    }
}
