//! Request source of one workload. Operation, length, address and arrival of each request are drawn from four
//! separate random streams.
//!
//! Because streams are separate, a change to one part of a definition does not affect the others. With the
//! same seed and another share of reads, for example, the addresses and times are the same.

use venice_kernel::{RandomStream, SimTime};

use super::addresses::AddressGenerator;
use super::arrivals::ArrivalGenerator;
use super::draws::UniformDraws;
#[cfg(doc)]
use super::error::WorkloadError;
use super::recent_writes::RecentWrites;
use super::sizes::SizeGenerator;
use super::spec::{Trims, WorkloadSpec};
use super::write_kinds::WriteKindGenerator;
use crate::request::{HostRequest, Op, RequestSource, SourceError, WriteLaw};

/// Request source of a workload.
#[derive(Clone, Debug)]
pub(super) struct WorkloadFlow {
    label: String,
    /// Expected number of requests.
    expected: u64,
    /// Number of requests after which the flow ends. In a fio job, each flush increases it by one.
    end: u64,
    has_extra_flushes: bool,
    given: u64,
    read_ratio: f64,
    operations: UniformDraws,
    /// Probability of a gather, and its random stream.
    gathers: Option<(f64, RandomStream)>,
    /// Probability of a search, and its random stream.
    searches: Option<(f64, RandomStream)>,
    /// Pattern set of searches.
    pattern_set: u8,
    /// Probability of a trim, and its random stream.
    trims: Option<(f64, RandomStream)>,
    /// Number of ranges of each random trim.
    trim_ranges: u32,
    /// Trim whose further ranges are being returned, and the number of these.
    next_ranges: Option<(HostRequest, u32)>,
    trims_before_writes: bool,
    /// Write that follows the trim of the same sectors.
    next_write: Option<HostRequest>,
    write_kinds: WriteKindGenerator,
    /// Request that follows the flush which was returned last.
    after_flush: Option<HostRequest>,
    sizes: SizeGenerator,
    write_sizes: Option<SizeGenerator>,
    addresses: AddressGenerator,
    arrivals: ArrivalGenerator,
    recent_writes: Option<RecentWrites>,
    write_law: WriteLaw,
    spent: bool,
}

impl WorkloadSpec {
    /// Returns a source of the workload's requests for a drive of this capacity. Equal specifications,
    /// capacities and seeds give equal requests.
    ///
    /// # Errors
    /// [`WorkloadError`] if the footprint does not fit the drive, or a request does not fit the footprint.
    pub fn source(
        &self,
        capacity_sectors: u64,
        seed: u64,
    ) -> Result<Box<dyn RequestSource + Send>, SourceError> {
        let footprint_sectors = self.footprint_sectors(capacity_sectors)?;
        Ok(Box::new(WorkloadFlow::new(self, footprint_sectors, seed)))
    }
}

impl WorkloadFlow {
    /// Creates the request source of a specification for a validated footprint.
    pub(super) fn new(spec: &WorkloadSpec, footprint_sectors: u64, seed: u64) -> Self {
        let stream = |purpose: &str| RandomStream::new(seed, &format!("workload.{purpose}"));
        let end = spec.requests_in(footprint_sectors);
        let draws = |purpose: &str| UniformDraws::new(stream(purpose), spec.strata);
        Self {
            label: spec.label.clone(),
            expected: spec.with_flushes(end),
            end,
            has_extra_flushes: spec.has_extra_flushes,
            given: 0,
            read_ratio: spec.read_ratio,
            operations: draws("operations"),
            gathers: (spec.gather_ratio > 0.0).then(|| (spec.gather_ratio, stream("gathers"))),
            searches: (spec.search_ratio > 0.0).then(|| (spec.search_ratio, stream("searches"))),
            pattern_set: spec.pattern_set,
            trims: match spec.trims {
                Trims::Share(ratio) if ratio > 0.0 => Some((ratio, stream("trims"))),
                Trims::Share(_) | Trims::BeforeWrites => None,
            },
            trim_ranges: spec.trim_ranges,
            next_ranges: None,
            trims_before_writes: spec.trims == Trims::BeforeWrites,
            next_write: None,
            write_kinds: WriteKindGenerator::new(spec.writes, stream("forced writes"), stream("zeroes")),
            after_flush: None,
            sizes: SizeGenerator::new(&spec.sizes, draws("sizes")),
            write_sizes: spec.write_sizes.as_ref().map(|mix| SizeGenerator::new(mix, draws("write sizes"))),
            addresses: AddressGenerator::new(spec, footprint_sectors, stream("addresses"), stream("runs")),
            arrivals: ArrivalGenerator::new(spec.pacing, spec.start, draws("gaps"), stream("bursts")),
            recent_writes: spec
                .read_after_write
                .map(|law| RecentWrites::new(law, stream("read after write"))),
            write_law: spec.write_law(footprint_sectors),
            spent: false,
        }
    }

    #[inline]
    fn operation(&mut self) -> Op {
        if let Some((ratio, stream)) = &mut self.gathers
            && stream.chance(*ratio)
        {
            return Op::Gather;
        }
        if let Some((ratio, stream)) = &mut self.searches
            && stream.chance(*ratio)
        {
            return Op::Search;
        }
        if let Some((ratio, stream)) = &mut self.trims
            && stream.chance(*ratio)
        {
            return Op::Trim;
        }
        if self.operations.chance(self.read_ratio) { Op::Read } else { self.write_kinds.write() }
    }

    /// Returns the next request, or a flush if one is due before it.
    #[inline]
    fn request_or_flush(&mut self, arrival: SimTime) -> HostRequest {
        let request = self.request(arrival);
        if !self.write_kinds.flush_is_due(request.op) {
            return request;
        }
        self.after_flush = Some(request);
        self.end = self.end.saturating_add(self.has_extra_flushes.into());
        HostRequest { op: Op::Flush, start_sector: 0, sectors: 0, ..request }
    }

    #[inline]
    fn request(&mut self, arrival: SimTime) -> HostRequest {
        if let Some(write) = self.next_write.take() {
            return HostRequest { arrival, ..write };
        }
        let request = self.drawn(arrival);
        if self.trims_before_writes && request.op.sends_data() {
            self.next_write = Some(request);
            return HostRequest { op: Op::Trim, ..request };
        }
        if self.trim_ranges > 1 && request.op == Op::Trim {
            self.next_ranges = Some((request, self.trim_ranges - 1));
            return HostRequest { op: Op::TrimRange, ..request };
        }
        request
    }

    /// Returns the next range of a trim with several ranges, if it has another one.
    fn next_range(&mut self) -> Option<HostRequest> {
        let (trim, left) = self.next_ranges.take()?;
        if left > 1 {
            self.next_ranges = Some((trim, left - 1));
        }
        let op = if left > 1 { Op::TrimRange } else { Op::Trim };
        Some(HostRequest { op, ..self.drawn_for(Op::Trim, trim.arrival) })
    }

    #[inline]
    fn drawn(&mut self, arrival: SimTime) -> HostRequest {
        let op = self.operation();
        self.drawn_for(op, arrival)
    }

    #[inline]
    fn drawn_for(&mut self, op: Op, arrival: SimTime) -> HostRequest {
        let sectors = match &mut self.write_sizes {
            Some(write_sizes) if op.side() == Op::Write => write_sizes.next(),
            _ => self.sizes.next(),
        };
        let start_sector = self.addresses.next(op, sectors);
        let (start_sector, sectors) = match &mut self.recent_writes {
            None => (start_sector, sectors),
            Some(recent) => recent.instead_of(op, start_sector, sectors),
        };
        let pattern_set = if op == Op::Search { self.pattern_set } else { 0 };
        HostRequest { arrival, start_sector, sectors, queue: 0, op, pattern_set }
    }

    #[cold]
    fn beyond_clock(&mut self) -> SourceError {
        self.spent = true;
        SourceError::BeyondClock { label: self.label.clone(), number: self.given + 1 }
    }
}

impl RequestSource for WorkloadFlow {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let mut batch = 0;
        while batch < at_most && self.given < self.end && !self.spent {
            let request = if let Some(request) = self.after_flush.take() {
                request
            } else if let Some(range) = self.next_range() {
                range
            } else {
                let Some(arrival) = self.arrivals.next() else { return Err(self.beyond_clock()) };
                self.request_or_flush(arrival)
            };
            into.push(request);
            self.given += u64::from(request.op != Op::TrimRange);
            batch += 1;
        }
        Ok(batch)
    }

    fn label(&self) -> &str {
        &self.label
    }

    fn is_synthetic(&self) -> bool {
        true
    }

    fn total(&self) -> Option<u64> {
        Some(self.expected)
    }

    fn write_law(&self) -> WriteLaw {
        self.write_law
    }
}
