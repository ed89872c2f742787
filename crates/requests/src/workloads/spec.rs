//! Specifications of workloads: validated definitions, with all values in range.

use venice_kernel::{SimSpan, SimTime};

use super::error::WorkloadError;
use crate::request::SECTOR_BYTES;
use crate::{FlowShare, SteadyStateCriterion};

/// Specification of one flow: a validated workload definition.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadSpec {
    pub(super) label: String,
    pub(super) description: String,
    pub(super) source: String,
    /// Number of requests after which the flow ends.
    pub(super) requests: u64,
    /// True if flushes are not counted in `requests`, as in fio jobs.
    pub(super) has_extra_flushes: bool,
    pub(super) read_ratio: f64,
    pub(super) gather_ratio: f64,
    /// Share of searches among the requests that are not gathers, from 0 to 1.
    pub(super) search_ratio: f64,
    /// Number of the drive's pattern set for which searches search.
    pub(super) pattern_set: u8,
    pub(super) trims: Trims,
    /// Number of ranges of each random trim, from 1 to [`MOST_RANGES`](crate::MOST_RANGES).
    pub(super) trim_ranges: u32,
    pub(super) writes: WriteKinds,
    pub(super) sizes: SizeMix,
    pub(super) write_sizes: Option<SizeMix>,
    pub(super) strata: Option<u32>,
    pub(super) places: AddressSpec,
    pub(super) read_after_write: Option<ReadAfterWrite>,
    pub(super) pacing: Pacing,
    /// Share in the requests of a group of flows, if the flow has a weight.
    pub(super) share: Option<FlowShare>,
    pub(super) start: SimTime,
    pub(super) stop: Option<SimTime>,
    /// Time from the start of the flow to the start of its measurement.
    pub(super) ramp: SimSpan,
    /// Steady-state criterion at which the flow ends, if there is one.
    pub(super) steady: Option<SteadyStateCriterion>,
    /// Maximum number of passes over the footprint, computed from the bytes accessed; `None` for no limit.
    pub(super) most_passes: Option<u64>,
}

/// Specification of the start addresses of requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AddressSpec {
    /// Alignment of start addresses in sectors.
    pub align_sectors: u32,
    /// Alignment of the start addresses of writes in sectors; `None` if it is `align_sectors`.
    pub write_align_sectors: Option<u32>,
    /// Distance of start addresses from multiples of the alignment in sectors; less than `align_sectors`.
    pub offset_sectors: u32,
    /// Part of the drive that the workload uses.
    pub footprint: Footprint,
    /// Distribution of the start addresses of requests that do not continue a sequential run.
    pub pattern: AddressPattern,
    /// Mean number of requests in a sequential run; 1 disables runs.
    pub run_requests: f64,
    /// Mean number of requests in a sequential run of writes; `None` if it is `run_requests`.
    pub write_run_requests: Option<f64>,
    /// True if reads continue only runs of reads, and writes only runs of writes, also with the sequential
    /// pattern.
    pub runs_by_operation: bool,
}

/// Trims that a workload issues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trims {
    /// Random trims; the value is their share of the requests that are not gathers, from 0 to 1.
    Share(f64),
    /// A trim of the same sectors before each write.
    BeforeWrites,
}

impl Trims {
    /// Workload without trims.
    pub const NONE: Self = Self::Share(0.0);
}

/// Kinds of writes that a workload issues, and its flushes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WriteKinds {
    /// Number of writes before each flush; 0 for no flushes.
    pub flush_every: u32,
    /// Share of writes with forced unit access (FUA), among the writes that are not writes of zeroes, from 0
    /// to 1.
    pub fua_ratio: f64,
    /// Share of writes of zeroes among the writes, from 0 to 1.
    pub zeroes_ratio: f64,
    /// True if the drive may deallocate the sectors of a write of zeroes.
    pub zeroes_deallocate: bool,
}

/// Reads that repeat recent writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadAfterWrite {
    /// Share of reads that repeat a write, from 0 to 1.
    pub ratio: f64,
    /// Number of latest writes, one of which is chosen with equal probability.
    pub within_writes: u32,
}

/// Length distribution of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SizeMix {
    /// Constant length in sectors.
    Fixed(u32),
    /// Discrete distribution with weights.
    Choices(Vec<SizeChoice>),
    /// Normal distribution in sectors. A length is rounded up, is at least one sector, and exceeds the mean
    /// by at most six standard deviations.
    Normal {
        /// Mean length in sectors.
        mean_sectors: u32,
        /// Standard deviation of the length in sectors.
        deviation_sectors: u32,
    },
}

/// Maximum excess of a normally distributed length over its mean, in standard deviations.
const TAIL_DEVIATIONS: u32 = 6;

/// Request length with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeChoice {
    /// Length of the request in sectors.
    pub sectors: u32,
    /// Weight of the length, relative to the sum of all weights.
    pub weight: u32,
}

/// Size of the part of the drive that the workload uses, from the drive's first sector on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Footprint {
    /// Size in sectors.
    Sectors(u64),
    /// Size in sectors, reduced to the drive's capacity if that is smaller.
    AtMost(u64),
    /// Share of the drive's capacity, above 0 and up to 1.
    DriveRatio(f64),
}

/// Distribution of start addresses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AddressPattern {
    /// Uniform distribution over the footprint.
    Uniform,
    /// Sequential addresses, which restart at the end of the footprint.
    Sequential,
    /// Zipf distribution: the probability of rank k is proportional to k^-theta. Ranks are scattered over the
    /// footprint.
    Zipf {
        /// Exponent of the distribution; 0.99 in the YCSB benchmark.
        theta: f64,
    },
    /// Division of the footprint into a hot region at its start and a cold region.
    HotCold {
        /// Share of requests that start in the hot region, from 0 to 1.
        hot_access_ratio: f64,
        /// Size of the hot region relative to the footprint, from 0 to 1.
        hot_space_ratio: f64,
    },
    /// Self-similar (Pareto) distribution: the first share `h` of the ranks receives a share 1 - `h` of the
    /// requests, recursively. Ranks are scattered over the footprint.
    Pareto {
        /// Share h of the ranks, between 0 and 1; 0.2 corresponds to the 80/20 rule.
        h: f64,
    },
    /// Random permutation: every possible start address occurs once before any occurs again. Each round has a
    /// new order.
    Permutation,
    /// Normal distribution about the middle of the footprint, truncated at its ends.
    Normal {
        /// Standard deviation of start addresses, relative to the footprint.
        deviation_ratio: f64,
    },
}

/// Rule that determines when requests are issued: closed loop or open loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pacing {
    /// Closed loop with a fixed number of outstanding requests. All arrival times are zero.
    ClosedLoop {
        /// Number of outstanding requests.
        depth: u32,
        /// Think time from a completion to the issue of the next request.
        think: SimSpan,
        /// Number of requests that complete between two think times; at least 1.
        think_requests: u32,
    },
    /// Open loop, in which requests arrive independently of completions.
    OpenLoop(OpenLoop),
}

/// Arrival times in an open loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenLoop {
    /// Mean time between arrivals over the whole run, including pauses.
    pub mean_gap: SimSpan,
    /// Distribution of the gaps between arrivals.
    pub gaps: Gaps,
    /// Pauses between bursts of arrivals, if there are any.
    pub bursts: Option<Bursts>,
    /// Maximum number of outstanding requests of the flow; `None` for no limit. Further arrivals are delayed.
    pub most_outstanding: Option<u32>,
}

/// Distribution of gaps between arrivals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gaps {
    /// Constant gaps.
    Constant,
    /// Exponentially distributed gaps, as in a Poisson process.
    Exponential,
    /// Hyperexponential distribution: exponential gaps with one of two means.
    Hyperexponential {
        /// Share of long gaps, from 0 to 1. Its reciprocal is the mean number of requests in a burst.
        long_ratio: f64,
        /// Mean of the short gaps relative to the mean of all gaps.
        short_mean: f64,
    },
    /// Pareto distribution: the probability of a gap above x is proportional to x^-shape.
    Pareto {
        /// Exponent of the Pareto distribution, above 1 so that the mean exists.
        shape: f64,
    },
}

/// Alternating bursts and pauses. Gaps inside a burst are multiplied by on / (on + off), so that the mean
/// over the whole run is the configured one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// Mean length of a burst.
    pub on: SimSpan,
    /// Mean length of a pause.
    pub off: SimSpan,
    /// Distribution of the lengths of bursts and of pauses.
    pub lengths: Spacing,
}

/// Distribution of the lengths of bursts or pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// All durations are equal.
    Constant,
    /// Exponentially distributed durations.
    Exponential,
}

impl WorkloadSpec {
    /// Returns the workload's name in reports.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the description of the workload, a sentence.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the source of the workload's figures.
    pub fn provenance(&self) -> &str {
        &self.source
    }

    /// Returns the number of requests. If flushes are not included in the definition's number, returns the
    /// expected number with flushes.
    pub fn requests(&self) -> u64 {
        self.with_flushes(self.requests)
    }

    /// Returns the share of gathers among the requests, from 0 to 1.
    pub fn gather_ratio(&self) -> f64 {
        self.gather_ratio
    }

    /// Returns the share of searches among the requests that are not gathers, from 0 to 1.
    pub fn search_ratio(&self) -> f64 {
        self.search_ratio
    }

    /// Returns the number of the drive's pattern set for which searches search.
    pub fn pattern_set(&self) -> u8 {
        self.pattern_set
    }

    /// Returns the trims that the workload issues.
    pub fn trims(&self) -> Trims {
        self.trims
    }

    /// Returns the number of ranges of each random trim.
    pub fn trim_ranges(&self) -> u32 {
        self.trim_ranges
    }

    /// Returns the kinds of writes and the flushes of the workload.
    pub fn writes(&self) -> WriteKinds {
        self.writes
    }

    /// Returns the share of reads among the requests that are neither gathers nor trims, from 0 to 1.
    pub fn read_ratio(&self) -> f64 {
        self.read_ratio
    }

    /// Returns the length distribution of requests; only of reads if writes have a separate one.
    pub fn sizes(&self) -> &SizeMix {
        &self.sizes
    }

    /// Returns the length distribution of writes, if they have a separate one.
    pub fn write_sizes(&self) -> Option<&SizeMix> {
        self.write_sizes.as_ref()
    }

    /// Returns the maximum length of a request in sectors.
    pub fn longest_sectors(&self) -> u32 {
        self.sizes.longest().max(self.write_sizes.as_ref().map_or(0, SizeMix::longest))
    }

    /// Returns the specification of start addresses.
    pub fn places(&self) -> &AddressSpec {
        &self.places
    }

    /// Returns the pacing that the definition states. Options of a run may override it.
    pub fn pacing(&self) -> Pacing {
        self.pacing
    }

    /// Returns the share in the requests of a group of flows, if the flow has a weight.
    pub fn share(&self) -> Option<FlowShare> {
        self.share
    }

    /// Returns a copy of the workload with another number of requests.
    #[must_use]
    pub fn with_requests(self, requests: u64) -> Self {
        Self { requests, has_extra_flushes: false, ..self }
    }

    /// Returns the time at which the flow starts.
    pub fn start(&self) -> SimTime {
        self.start
    }

    /// Returns the time at which measurement starts, as the definition states.
    pub fn measured_from(&self) -> SimTime {
        if self.ramp.is_zero() { SimTime::ZERO } else { self.start + self.ramp }
    }

    /// Returns the time at which the flow ends at the latest, if one is set.
    pub fn stop(&self) -> Option<SimTime> {
        self.stop
    }

    /// Returns the steady-state criterion at which the flow ends, if there is one.
    pub fn steady(&self) -> Option<SteadyStateCriterion> {
        self.steady
    }

    /// Returns the number of requests for a footprint of this size. It does not include flushes if these are
    /// counted separately.
    pub(super) fn requests_in(&self, footprint_sectors: u64) -> u64 {
        let bytes = footprint_sectors as f64 * f64::from(SECTOR_BYTES);
        let mean_bytes = mean_bytes(&self.sizes, self.write_sizes.as_ref(), self.read_ratio)
            * f64::from(if self.trims == Trims::Share(1.0) { self.trim_ranges } else { 1 });
        let pass = (bytes / mean_bytes).ceil() as u64;
        let per_block = if self.trims == Trims::BeforeWrites { 2 } else { 1 };
        let most = self.most_passes.map_or(u64::MAX, |passes| {
            let blocks = pass.max(1).saturating_mul(passes * per_block);
            if self.has_extra_flushes { blocks } else { blocks.saturating_add(self.flushes_behind(blocks)) }
        });
        self.requests.min(most)
    }

    /// Returns the expected number of requests, including flushes, of a flow that ends after `requests`
    /// requests without flushes.
    pub(super) fn with_flushes(&self, requests: u64) -> u64 {
        if self.has_extra_flushes { requests.saturating_add(self.flushes_behind(requests)) } else { requests }
    }

    /// Returns the expected number of flushes among `requests` other requests.
    fn flushes_behind(&self, requests: u64) -> u64 {
        let writes = match self.trims {
            Trims::BeforeWrites => requests / 2,
            Trims::Share(_) => (requests as f64 * (1.0 - self.read_ratio)).round() as u64,
        };
        writes.saturating_sub(1).checked_div(self.writes.flush_every.into()).unwrap_or(0)
    }

    pub(super) fn footprint_sectors(&self, capacity_sectors: u64) -> Result<u64, WorkloadError> {
        let wanted_sectors = match self.places.footprint {
            Footprint::Sectors(sectors) => sectors,
            Footprint::AtMost(sectors) => sectors.min(capacity_sectors),
            Footprint::DriveRatio(ratio) => (capacity_sectors as f64 * ratio) as u64,
        };
        let footprint_sectors = wanted_sectors.min(capacity_sectors);
        if wanted_sectors > capacity_sectors {
            let (label, needed_sectors) = (self.label.clone(), wanted_sectors);
            return Err(WorkloadError::FootprintBeyondDrive { label, needed_sectors, capacity_sectors });
        }
        let request_sectors = self.longest_sectors() + self.places.offset_sectors;
        if u64::from(request_sectors) > footprint_sectors {
            let label = self.label.clone();
            return Err(WorkloadError::RequestBeyondFootprint { label, request_sectors, footprint_sectors });
        }
        Ok(footprint_sectors)
    }
}

/// Returns the mean length of reads and writes together, in bytes. `write_sizes` is the distribution of
/// writes, if they have a separate one.
pub(super) fn mean_bytes(sizes: &SizeMix, write_sizes: Option<&SizeMix>, read_ratio: f64) -> f64 {
    let of_writes = write_sizes.unwrap_or(sizes).mean_bytes();
    sizes.mean_bytes() * read_ratio + of_writes * (1.0 - read_ratio)
}

impl SizeMix {
    /// Returns the maximum length in sectors.
    pub fn longest(&self) -> u32 {
        match self {
            Self::Fixed(sectors) => *sectors,
            Self::Choices(choices) => choices.iter().map(|choice| choice.sectors).max().unwrap_or(0),
            Self::Normal { mean_sectors, deviation_sectors } => {
                mean_sectors + TAIL_DEVIATIONS * deviation_sectors
            }
        }
    }

    /// Returns the mean length in bytes. For a normal distribution, this is the mean before rounding to
    /// sectors.
    pub fn mean_bytes(&self) -> f64 {
        match self {
            Self::Fixed(sectors) | Self::Normal { mean_sectors: sectors, .. } => {
                f64::from(*sectors) * f64::from(SECTOR_BYTES)
            }
            Self::Choices(choices) => {
                let weights: f64 = choices.iter().map(|choice| f64::from(choice.weight)).sum();
                let sectors =
                    choices.iter().map(|choice| f64::from(choice.sectors) * f64::from(choice.weight));
                sectors.sum::<f64>() * f64::from(SECTOR_BYTES) / weights
            }
        }
    }
}
