//! Characteristics of a trace. They are computed in one pass with bounded memory.

mod arrivals;
mod bursts;
mod gaps;
mod spread;

use std::path::Path;

use serde::Serialize;

use super::compression::Compression;
use super::devices::{DeviceExtent, Extents};
use super::footprint::FootprintCounter;
use super::options::TraceOptions;
use super::{OpenTrace, TraceError, open};
use crate::adapters::Wrapping;
use crate::request::{
    BoxedSource, FormatChoice, HostRequest, Op, ReadCounters, RequestSource, SECTOR_BYTES, SourceError,
};

use arrivals::ArrivalHistogram;
use bursts::BurstCounts;
use gaps::GapHistogram;
use spread::PageTally;

pub use arrivals::ArrivalTimeline;
pub use bursts::Dispersion;
pub use gaps::GapDistribution;
pub use spread::{DriveSpread, PagePlaces, PageSpread};

/// Number of requests read per batch.
const BATCH: usize = 4096;

/// Number of bytes per block of the footprint: 4 KiB, as is usual in the literature, regardless of the
/// drive's page size.
const FOOTPRINT_BLOCK_BYTES: u64 = 4096;

const PS_PER_US: f64 = 1e6;

/// Number of address ranges assumed for the count of pages that several devices access. Most drives have one.
const ONE_RANGE: u16 = 1;

/// Characteristics of a trace's reads, writes and searches. Trims are only counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceInfo {
    /// Number of requests.
    pub requests: u64,
    /// Share of reads in %, with searches.
    pub read_pct: f64,
    /// Number of searches, which are part of the reads.
    pub searches: u64,
    /// Mean request size in KiB.
    pub mean_size_kib: f64,
    /// Mean time between arrivals in microseconds; `None` for a single request.
    pub mean_inter_arrival_us: Option<f64>,
    /// Median time between arrivals in microseconds; `None` for a single request. It is exact to a nanosecond
    /// below 32 us, and to one part in ten thousand above.
    pub median_inter_arrival_us: Option<f64>,
    /// Time from the first to the last arrival in microseconds.
    pub duration_us: f64,
    /// Share of sequential requests in %: those that start at the end of the device's previous request.
    pub sequential_pct: f64,
    /// Size of all distinct blocks of 4 KiB that were accessed, in MiB. Blocks of different devices are
    /// distinct.
    pub footprint_mib: f64,
    /// True if the footprint is exact. If the memory limit is exceeded, the footprint is an estimate with an
    /// error of about 1 %.
    pub footprint_exact: bool,
    /// Format of the trace, and the reason for its choice.
    #[serde(flatten)]
    pub format_choice: FormatChoice,
    /// Compression of the file.
    pub compression: Compression,
    /// Counters of irregularities in the file.
    #[serde(flatten)]
    pub read: ReadCounters,
    /// Number of requests by size, in classes whose upper limits are powers of two.
    pub sizes: Vec<SizeClass>,
    /// Distribution of the gaps between arrivals; `None` for a single request.
    pub inter_arrival: Option<GapDistribution>,
    /// Index of dispersion for counts, for window lengths with at least thirty windows.
    pub dispersion: Vec<Dispersion>,
    /// Number of arrivals over time.
    pub timeline: ArrivalTimeline,
    /// Devices with requests, in the order of their numbers. Named devices are numbered in order of their
    /// first requests.
    pub devices: Vec<DeviceInfo>,
    /// Number of pages of 4 KiB at addresses that several devices access.
    pub coinciding_pages: u64,
    /// Distribution of the accessed pages over a drive, if one was given.
    pub spread: Option<DriveSpread>,
}

/// Requests of one device: their number and addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceInfo {
    /// Name of the device in the trace.
    pub name: String,
    /// Number of requests.
    pub requests: u64,
    /// Number of reads.
    pub reads: u64,
    /// First sector that the device's requests access.
    pub first_sector: u64,
    /// First sector after all sectors that the device's requests access.
    pub end_sector: u64,
}

impl DeviceInfo {
    fn of(extent: &DeviceExtent, source: &impl RequestSource) -> Self {
        let DeviceExtent { device, reads, writes, first_sector, end_sector } = *extent;
        Self { name: source.device_name(device), requests: reads + writes, reads, first_sector, end_sector }
    }
}

/// Number of requests whose size is in one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SizeClass {
    /// Upper limit of the size class in bytes.
    pub up_to_bytes: u64,
    /// Number of reads.
    pub reads: u64,
    /// Number of writes.
    pub writes: u64,
}

/// Reads a trace to its end and returns its characteristics.
///
/// Memory use grows with the footprint, which is stored as a compressed bitmap, but not with the number of
/// requests.
///
/// # Errors
/// [`SourceError`] of opening or reading the trace.
pub fn trace_info(path: &Path, options: &TraceOptions) -> Result<TraceInfo, SourceError> {
    surveyed(path, options, |survey, source| Ok((survey.all(source, |_| {})?, None)))
}

/// Returns the characteristics of a trace, including the distribution of its load over a drive's channels and
/// chips.
///
/// # Errors
/// Errors of [`trace_info`].
pub fn trace_info_on(
    path: &Path,
    options: &TraceOptions,
    drive: PagePlaces,
) -> Result<TraceInfo, SourceError> {
    surveyed(path, options, |survey, source| survey.on_drive(source, drive))
}

fn surveyed(
    path: &Path,
    options: &TraceOptions,
    survey_all: impl FnOnce(
        &mut TraceSurvey,
        BoxedSource,
    ) -> Result<(SourceEnd, Option<DriveSpread>), SourceError>,
) -> Result<TraceInfo, SourceError> {
    let OpenTrace { compression, source, .. } = open(path, options)?;
    let mut survey = TraceSurvey::new();
    let (end, spread) = survey_all(&mut survey, source)?;
    let info = survey.report(compression, end).map(|info| TraceInfo { spread, ..info });
    info.ok_or_else(|| TraceError::Empty { path: path.to_owned() }.into())
}

/// Properties of a request source that are known after its last request.
#[derive(Clone, Default)]
struct SourceEnd {
    format_choice: FormatChoice,
    read: ReadCounters,
    devices: Vec<DeviceInfo>,
}

/// Number of size classes; the last one ends at 2^32 sectors.
const SIZE_CLASSES: usize = 33;

/// Running counts and sums over the requests of a trace.
struct TraceSurvey {
    requests: u64,
    reads: u64,
    searches: u64,
    sectors: u128,
    last_ps: u64,
    sequential: u64,
    /// End sector of the latest request of each device.
    ends: Vec<u64>,
    /// Number of reads and of writes by size class. Class i contains requests of up to 2^i sectors.
    sizes: [[u64; 2]; SIZE_CLASSES],
    gaps: GapHistogram,
    bursts: BurstCounts,
    arrivals: ArrivalHistogram,
    footprint: FootprintCounter,
    extents: Extents,
}

impl TraceSurvey {
    fn new() -> Self {
        Self {
            requests: 0,
            reads: 0,
            searches: 0,
            sectors: 0,
            last_ps: 0,
            sequential: 0,
            ends: Vec::new(),
            sizes: [[0; 2]; SIZE_CLASSES],
            gaps: GapHistogram::new(),
            bursts: BurstCounts::new(),
            arrivals: ArrivalHistogram::new(),
            footprint: FootprintCounter::new(),
            extents: Extents::default(),
        }
    }

    /// Adds all requests of a source. Passes each batch to `also`.
    fn all(
        &mut self,
        mut source: impl RequestSource,
        mut also: impl FnMut(&[HostRequest]),
    ) -> Result<SourceEnd, SourceError> {
        let mut batch = Vec::with_capacity(BATCH);
        while source.fill(&mut batch, BATCH)? > 0 {
            for request in &batch {
                self.add(request);
            }
            also(&batch);
            batch.clear();
        }
        let devices = self.extents.used().map(|extent| DeviceInfo::of(extent, &source)).collect();
        Ok(SourceEnd { format_choice: source.format_choice(), read: source.counters().read, devices })
    }

    /// Adds all requests of a source, and counts their pages on a drive. Only this count uses addresses that
    /// are wrapped around the drive's capacity.
    fn on_drive(
        &mut self,
        source: impl RequestSource,
        places: PagePlaces,
    ) -> Result<(SourceEnd, Option<DriveSpread>), SourceError> {
        let (ranges, page_sectors) = (places.ranges.clone(), places.page_sectors);
        let mut folding = Wrapping::new(ranges, page_sectors);
        let mut tally = PageTally::new(places);
        let mut batch = Vec::with_capacity(BATCH);
        let end = self.all(source, |requests| {
            batch.clear();
            batch.extend_from_slice(requests);
            for request in batch.iter_mut().filter(|request| request.op.moves_data()) {
                folding.fold(request);
                tally.add(request);
            }
        })?;
        Ok((end, Some(tally.report(folding.moved()))))
    }

    /// Adds a read or write. Other operations are only counted.
    #[inline]
    fn add(&mut self, request: &HostRequest) {
        if !request.op.moves_data() {
            return;
        }
        let arrival_ps = request.arrival.as_ps();
        if self.requests > 0 {
            self.gaps.add(arrival_ps - self.last_ps);
        }
        self.bursts.add(arrival_ps);
        self.arrivals.add(arrival_ps);
        self.last_ps = arrival_ps;
        self.requests += 1;
        self.reads += u64::from(request.op.side() == Op::Read);
        self.searches += u64::from(request.op == Op::Search);
        self.sectors += u128::from(request.sectors);
        let class = u64::from(request.sectors).next_power_of_two().trailing_zeros() as usize;
        self.sizes[class][usize::from(request.op.side() == Op::Write)] += 1;
        self.follow(request);
        self.footprint.touch_request(request);
        self.extents.add(request);
    }

    /// Counts the request as sequential if it starts at the end of the device's previous request.
    #[inline]
    fn follow(&mut self, request: &HostRequest) {
        let device = usize::from(request.queue);
        if device >= self.ends.len() {
            // No request starts at this address.
            self.ends.resize(device + 1, u64::MAX);
        }
        self.sequential += u64::from(self.ends[device] == request.start_sector);
        self.ends[device] = request.end_sector();
    }

    /// Returns the characteristics of the requests; `None` if there are none.
    fn report(&self, compression: Compression, end: SourceEnd) -> Option<TraceInfo> {
        let requests = Some(self.requests).filter(|&requests| requests > 0)?;
        let gaps = Some(requests - 1).filter(|&gaps| gaps > 0);
        let duration_us = self.last_ps as f64 / PS_PER_US;
        let pct = |part: u64| 100.0 * part as f64 / requests as f64;
        Some(TraceInfo {
            requests,
            read_pct: pct(self.reads),
            searches: self.searches,
            mean_size_kib: self.sectors as f64 * f64::from(SECTOR_BYTES) / 1024.0 / requests as f64,
            mean_inter_arrival_us: gaps.map(|gaps| duration_us / gaps as f64),
            median_inter_arrival_us: self.gaps.median_us(),
            duration_us,
            sequential_pct: pct(self.sequential),
            footprint_mib: self.footprint.blocks() as f64 * FOOTPRINT_BLOCK_BYTES as f64 / 1_048_576.0,
            footprint_exact: self.footprint.is_exact(),
            format_choice: end.format_choice,
            compression,
            read: end.read,
            sizes: self.size_classes(),
            inter_arrival: self.gaps.distribution(),
            dispersion: self.bursts.dispersions(),
            timeline: self.arrivals.timeline(),
            devices: end.devices,
            coinciding_pages: self.footprint.coinciding(ONE_RANGE).pages,
            spread: None,
        })
    }

    /// Returns the size classes from the smallest to the largest one that occurs.
    fn size_classes(&self) -> Vec<SizeClass> {
        let class = |(power, [reads, writes]): (u32, [u64; 2])| SizeClass {
            up_to_bytes: u64::from(SECTOR_BYTES) << power,
            reads,
            writes,
        };
        let mut classes: Vec<_> = (0..).zip(self.sizes).map(class).collect();
        let is_empty = |class: &SizeClass| class.reads + class.writes == 0;
        classes.truncate(classes.iter().rposition(|class| !is_empty(class)).map_or(0, |last| last + 1));
        classes.drain(..classes.iter().position(|class| !is_empty(class)).unwrap_or(0));
        classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use venice_kernel::SimTime;

    fn survey_of(arrivals_ns: &[u64]) -> TraceInfo {
        let mut survey = TraceSurvey::new();
        for &ns in arrivals_ns {
            let arrival = SimTime::from_ps(ns * 1_000);
            survey.add(&HostRequest {
                arrival,
                start_sector: 7,
                sectors: 2,
                queue: 0,
                op: Op::Read,
                pattern_set: 0,
            });
        }
        survey.report(Compression::None, SourceEnd::default()).unwrap()
    }

    #[test]
    fn the_median_gap_lies_between_the_middle_two() {
        assert_eq!(survey_of(&[0, 10, 30, 60]).median_inter_arrival_us, Some(0.020));
        assert_eq!(survey_of(&[0, 10, 30]).median_inter_arrival_us, Some(0.015));
        assert_eq!(survey_of(&[0]).median_inter_arrival_us, None);
        assert_eq!(survey_of(&[0]).mean_inter_arrival_us, None);
    }

    #[test]
    fn a_request_that_goes_on_on_its_device_is_sequential() {
        let mut survey = TraceSurvey::new();
        for (queue, start_sector) in [(0, 0), (3, 0), (0, 2), (3, 2), (0, 2), (0, 4)] {
            let request = HostRequest {
                arrival: SimTime::ZERO,
                start_sector,
                sectors: 2,
                queue,
                op: Op::Write,
                pattern_set: 0,
            };
            survey.add(&request);
        }
        let sequential_pct = survey.report(Compression::None, SourceEnd::default()).unwrap().sequential_pct;
        assert!((sequential_pct - 50.0).abs() < 1e-12, "{sequential_pct}");
    }

    #[test]
    fn sizes_are_counted_by_powers_of_two() {
        let mut survey = TraceSurvey::new();
        for (sectors, op) in [(3, Op::Read), (4, Op::Write), (9, Op::Read), (u32::MAX, Op::Read)] {
            survey.add(&HostRequest {
                arrival: SimTime::ZERO,
                start_sector: 0,
                sectors,
                queue: 0,
                op,
                pattern_set: 0,
            });
        }
        let found = survey.report(Compression::None, SourceEnd::default()).unwrap().sizes;
        let classes: Vec<_> = found.iter().map(|one| (one.up_to_bytes, one.reads, one.writes)).collect();
        assert_eq!(classes[..3], [(2_048, 1, 1), (4_096, 0, 0), (8_192, 1, 0)]);
        assert_eq!(*classes.last().unwrap(), (1 << 41, 1, 0));
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
