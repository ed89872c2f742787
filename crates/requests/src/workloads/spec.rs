//! A workload after all checks: numbers in range, no strings to interpret.

use venice_kernel::{SimSpan, SimTime};

use super::error::WorkloadError;
use crate::SteadyGoal;
use crate::request::SECTOR_BYTES;

/// A checked workload, ready to give requests.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadSpec {
    pub(super) label: String,
    pub(super) description: String,
    pub(super) source: String,
    pub(super) requests: u64,
    pub(super) read_ratio: f64,
    pub(super) gather_ratio: f64,
    pub(super) sizes: SizeMix,
    pub(super) write_sizes: Option<SizeMix>,
    pub(super) strata: Option<u32>,
    pub(super) places: Places,
    pub(super) read_after_write: Option<ReadAfterWrite>,
    pub(super) pacing: Pacing,
    pub(super) start: SimTime,
    pub(super) stop: Option<SimTime>,
    /// So long from its start nothing need be measured, as the definition has it.
    pub(super) ramp: SimSpan,
    /// It ends, too, when it is steady, if anything says what that is.
    pub(super) steady: Option<SteadyGoal>,
    /// It ends, too, when as many bytes are asked for as its footprint has, so many times.
    pub(super) most_passes: Option<u64>,
}

/// Where requests may start and where they do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Places {
    /// Starts are multiples of this,
    pub align_sectors: u32,
    /// and this much further on; less than the alignment.
    pub offset_sectors: u32,
    /// How much of the drive is touched.
    pub footprint: Footprint,
    /// Where requests start that do not go on from the one before.
    pub pattern: AddressPattern,
    /// Mean number of requests in a run, each of which starts where the one before ended; 1 is no runs.
    pub run_requests: f64,
    /// That of writes, if it differs; `run_requests` is then of reads.
    pub write_run_requests: Option<f64>,
    /// Whether, in a run or under the sequential pattern, reads go on from reads and writes from writes.
    pub runs_by_operation: bool,
}

/// Reads of what was written a moment ago.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadAfterWrite {
    /// Share of reads that repeat the place and length of a write.
    pub ratio: f64,
    /// Of this many last writes, evenly.
    pub within_writes: u32,
}

/// How long requests are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SizeMix {
    /// All of one length, in sectors.
    Fixed(u32),
    /// Each length as often as its weight says.
    Choices(Vec<SizeChoice>),
    /// Normally distributed about a mean, in sectors, rounded up; at least one sector, and at most six
    /// deviations above the mean.
    Normal {
        /// The mean.
        mean_sectors: u32,
        /// The standard deviation.
        deviation_sectors: u32,
    },
}

/// Where the tails of a normal distribution are cut off, in standard deviations.
const TAIL_DEVIATIONS: u32 = 6;

/// One of several lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeChoice {
    /// Length in sectors.
    pub sectors: u32,
    /// Share among the weights of all choices.
    pub weight: u32,
}

/// How much of the drive is touched, from its first sector on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Footprint {
    /// This many sectors.
    Sectors(u64),
    /// This many sectors, or the whole drive if that is smaller.
    AtMost(u64),
    /// This share of the drive, above 0 and up to 1.
    DriveRatio(f64),
}

/// Where requests start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AddressPattern {
    /// Anywhere, evenly.
    Uniform,
    /// Each where the one before ended, and from the start again at the end.
    Sequential,
    /// The place of rank k with a frequency in proportion to k^-theta; ranks are scattered over the
    /// footprint.
    Zipf {
        /// Skew: 0.99 is that of the YCSB benchmark.
        theta: f64,
    },
    /// Two regions: the first part of the footprint is hot.
    HotCold {
        /// Share of requests that start in the hot part.
        hot_access_ratio: f64,
        /// Share of places that are hot.
        hot_space_ratio: f64,
    },
    /// The first share `h` of the ranks gets the share 1 - `h` of requests, and the first share `h` of these
    /// again as large a part, and so on; ranks are scattered over the footprint.
    Pareto {
        /// Between 0 and 1: 0.2 is the rule of 80 and 20.
        h: f64,
    },
    /// Every place once before any comes again, in an order drawn for each round.
    Permutation,
    /// Normally distributed about the middle of the footprint, cut off at its ends.
    Normal {
        /// Standard deviation, as a share of the footprint.
        deviation_ratio: f64,
    },
}

/// What makes the next request come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pacing {
    /// A completion: this many requests are outstanding at any time. Arrivals are all zero.
    ClosedLoop {
        /// Requests outstanding.
        depth: u32,
        /// From a completion to the next request in its place.
        think: SimSpan,
        /// Think after so many requests, when all of them are complete; 1 or more.
        think_requests: u32,
    },
    /// The clock.
    OpenLoop(OpenLoop),
}

/// Arrivals by the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenLoop {
    /// Mean time from one arrival to the next over the whole run, pauses included.
    pub mean_gap: SimSpan,
    /// How gaps vary.
    pub gaps: Gaps,
    /// Pauses between bursts of arrivals, if there are any.
    pub bursts: Option<Bursts>,
    /// Arrivals are put off while so many requests of the flow are outstanding, if there is a bound.
    pub most_outstanding: Option<u32>,
}

/// How gaps vary about their mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gaps {
    /// Not at all.
    Constant,
    /// Exponentially: arrivals are a Poisson process.
    Exponential,
    /// Exponentially about one of two means.
    Hyperexponential {
        /// Share of gaps that are long; one over it is the mean number of requests in a burst.
        long_ratio: f64,
        /// Mean of the short gaps, in units of the mean of all.
        short_mean: f64,
    },
    /// The gap exceeds x with a probability in proportion to x^-shape.
    Pareto {
        /// Above 1, that there be a mean.
        shape: f64,
    },
}

/// Bursts and pauses in turn. Inside a burst the gaps are shorter by on / (on + off), so that the mean
/// over the whole run is the stated one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// Mean length of a burst.
    pub on: SimSpan,
    /// Mean length of a pause.
    pub off: SimSpan,
    /// How both vary.
    pub lengths: Spacing,
}

/// How spans of time vary about their mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Not at all.
    Constant,
    /// Exponentially: arrivals are a Poisson process.
    Exponential,
}

impl WorkloadSpec {
    /// The preset's name, or the file's.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// What the workload is, in a sentence.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Where its numbers come from.
    pub fn provenance(&self) -> &str {
        &self.source
    }

    /// How many requests it gives.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Share of requests that gather operands, from 0 to 1.
    pub fn gather_ratio(&self) -> f64 {
        self.gather_ratio
    }

    /// Share of the other requests that read, from 0 to 1.
    pub fn read_ratio(&self) -> f64 {
        self.read_ratio
    }

    /// How long requests are; only reads, if writes have lengths of their own.
    pub fn sizes(&self) -> &SizeMix {
        &self.sizes
    }

    /// How long writes are, if that differs.
    pub fn write_sizes(&self) -> Option<&SizeMix> {
        self.write_sizes.as_ref()
    }

    /// The longest request there is, in sectors.
    pub fn longest_sectors(&self) -> u32 {
        self.sizes.longest().max(self.write_sizes.as_ref().map_or(0, SizeMix::longest))
    }

    /// Where requests start.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// What makes the next request come, unless the run says otherwise.
    pub fn pacing(&self) -> Pacing {
        self.pacing
    }

    /// The same workload with another number of requests.
    #[must_use]
    pub fn with_requests(self, requests: u64) -> Self {
        Self { requests, ..self }
    }

    /// When it begins.
    pub fn start(&self) -> SimTime {
        self.start
    }

    /// When its definition says that what is to be measured begins.
    pub fn measured_from(&self) -> SimTime {
        if self.ramp.is_zero() { SimTime::ZERO } else { self.start + self.ramp }
    }

    /// When it ends, though there be further requests.
    pub fn stop(&self) -> Option<SimTime> {
        self.stop
    }

    /// When it counts as steady and ends, if it does.
    pub fn steady(&self) -> Option<SteadyGoal> {
        self.steady
    }

    /// How many requests it gives in a footprint.
    pub(super) fn requests_in(&self, footprint_sectors: u64) -> u64 {
        let bytes = footprint_sectors as f64 * f64::from(SECTOR_BYTES);
        let mean_bytes = mean_bytes(&self.sizes, self.write_sizes.as_ref(), self.read_ratio);
        let pass = (bytes / mean_bytes).ceil() as u64;
        let most = self.most_passes.map_or(u64::MAX, |passes| pass.max(1).saturating_mul(passes));
        self.requests.min(most)
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

/// The mean length of reads and writes, in bytes, where writes may have lengths of their own.
pub(super) fn mean_bytes(sizes: &SizeMix, write_sizes: Option<&SizeMix>, read_ratio: f64) -> f64 {
    let of_writes = write_sizes.unwrap_or(sizes).mean_bytes();
    sizes.mean_bytes() * read_ratio + of_writes * (1.0 - read_ratio)
}

impl SizeMix {
    /// The longest there is, in sectors.
    pub fn longest(&self) -> u32 {
        match self {
            Self::Fixed(sectors) => *sectors,
            Self::Choices(choices) => choices.iter().map(|choice| choice.sectors).max().unwrap_or(0),
            Self::Normal { mean_sectors, deviation_sectors } => {
                mean_sectors + TAIL_DEVIATIONS * deviation_sectors
            }
        }
    }

    /// The mean, in bytes; of a normal distribution, before lengths are rounded to sectors.
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
