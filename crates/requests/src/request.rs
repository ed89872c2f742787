//! Host requests, and the contract of request sources (traces and synthetic workloads).
//!
//! # Contract
//!
//! 1. Requests are in order of arrival.
//! 2. Arrivals are relative to the start of the run. A trace's first request arrives at zero; that of a
//!    synthetic source may arrive later. A source for closed loops sets all arrivals to zero, since closed
//!    loops ignore them.
//! 3. [`RequestSource::fill`] appends at most the given number of requests. It appends none only if the
//!    source is exhausted (or if the number is zero), and then appends none in all later calls.
//! 4. After an error the source is exhausted. Requests appended before the error are valid.
//! 5. Memory use is independent of the number of requests.
//! 6. Equal files or definitions with equal seeds give equal requests.
//! 7. A trim with several ranges is a request of [`Op::TrimRange`] for each range but the last, and then one
//!    of [`Op::Trim`]. These requests follow each other, with equal arrival and queue. [`Flow`](crate::Flow)
//!    joins them into one command.

use std::borrow::Cow;
use std::error::Error;
use std::ops::{Add, Range};

use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;
use venice_kernel::SimTime;

/// Number of bytes per sector, the unit of host addresses.
pub const SECTOR_BYTES: u32 = 512;

/// Maximum number of ranges of a trim (NVMe dataset management).
pub const MOST_RANGES: u32 = 256;

/// Maximum number of pattern sets of a drive.
pub const MOST_PATTERN_SETS: u32 = 16;

/// Range of sectors of a trim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectorRange {
    /// First sector of the range.
    pub start_sector: u64,
    /// Length of the range in sectors.
    pub sectors: u32,
}

impl SectorRange {
    /// Returns the sectors of the range.
    #[inline]
    pub const fn all(self) -> Range<u64> {
        self.start_sector..self.start_sector + self.sectors as u64
    }
}

/// Operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Transfer of data from the drive to the host.
    Read,
    /// Transfer of data from the host to the drive.
    Write,
    /// Combination of several pages on one chip, as configured in the drive's `gather` settings. Address and
    /// length are those of the first operand, and also of the result.
    Gather,
    /// Deallocation (NVMe dataset management, TRIM, UNMAP): the host no longer needs the data.
    Trim,
    /// Flush of the drive's volatile write cache. Its address and length are 0.
    Flush,
    /// Write with forced unit access (FUA), which completes when its data is on flash.
    FuaWrite,
    /// Write of zeroes, whose data does not cross the link.
    WriteZeroes,
    /// Write of zeroes for which the drive may deallocate (NVMe Write Zeroes with DEAC).
    DeallocateZeroes,
    /// Search of a range of pages for a set of patterns. Pages with a match are sent to the host.
    Search,
    /// Range of a trim with several ranges, other than its last one. The next request continues the trim.
    TrimRange,
}

impl Op {
    /// All operations, in the order of their numbers, each with its name.
    pub const ALL: [(Self, &'static str); 10] = [
        (Self::Read, "read"),
        (Self::Write, "write"),
        (Self::Gather, "gather"),
        (Self::Trim, "trim"),
        (Self::Flush, "flush"),
        (Self::FuaWrite, "write_fua"),
        (Self::WriteZeroes, "write_zeroes"),
        (Self::DeallocateZeroes, "write_zeroes_deac"),
        (Self::Search, "search"),
        (Self::TrimRange, "trim_range"),
    ];

    /// Returns the operation called `name`; `None` for an unknown name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(op, _)| *op)
    }

    /// Returns the name of the operation in files and reports.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Returns the operation for components that distinguish only reads and writes: gathers and searches
    /// count as reads, all others as writes, as in Linux's block layer.
    #[inline]
    #[must_use]
    pub const fn side(self) -> Self {
        match self {
            Self::Read | Self::Gather | Self::Search => Self::Read,
            _ => Self::Write,
        }
    }

    /// True if the request changes data of the drive.
    #[inline]
    pub const fn changes_data(self) -> bool {
        matches!(self.side(), Self::Write) && !matches!(self, Self::Flush)
    }

    /// True if the data of the request crosses the link to the drive.
    #[inline]
    pub const fn sends_data(self) -> bool {
        matches!(self, Self::Write | Self::FuaWrite)
    }

    /// True if the request reads or writes host data, over the link or not.
    #[inline]
    pub const fn moves_data(self) -> bool {
        matches!(self, Self::Read | Self::Gather | Self::Search) || self.sends_data()
    }
}

/// Request of the host to the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostRequest {
    /// Time at which the request is issued, since the start of the run.
    pub arrival: SimTime,
    /// First sector of the request.
    pub start_sector: u64,
    /// Length in sectors: 0 for a flush, otherwise at least 1.
    pub sectors: u32,
    /// Number of the request's queue, which also identifies its address space. For a trace, this is the
    /// device number.
    pub queue: u16,
    /// Operation of the request.
    pub op: Op,
    /// Number of the drive's pattern set for which a search searches; 0 for all other operations.
    pub pattern_set: u8,
}

/// Requests are stored by the million, so a field must not enlarge them unnoticed.
const _: () = assert!(size_of::<HostRequest>() == 24, "a request has 24 bytes");

impl HostRequest {
    /// Returns the first sector after those of the request.
    #[inline]
    pub const fn end_sector(&self) -> u64 {
        self.start_sector + self.sectors as u64
    }

    /// Returns the sectors of the request as a range of a trim.
    #[inline]
    pub const fn range(&self) -> SectorRange {
        SectorRange { start_sector: self.start_sector, sectors: self.sectors }
    }
}

/// Counters of irregularities in a trace file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(extend("unit" = "records"))]
pub struct ReadCounters {
    /// Number of requests whose time stamp is before that of an earlier request in the file.
    pub out_of_order: u64,
    /// Number of out-of-order requests that are too late for the sorting window. They arrive at the time of
    /// the latest request before them.
    pub moved_up: u64,
    /// Number of invalid rows that were skipped, as permitted by `--skip-bad`.
    pub skipped_bad: u64,
    /// Number of skipped operations: barriers, and trims without an address range.
    pub other_ops: u64,
    /// Number of trims (discard, unmap); only for formats that distinguish them.
    pub trims: u64,
    /// Number of trims without an address range, which are among the skipped operations.
    pub trims_skipped: u64,
    /// Number of flushes (cache flush, sync); only for formats that distinguish them.
    pub flushes: u64,
    /// Number of skipped requests of zero length.
    pub zero_size: u64,
    /// Number of skipped records with an implausible time, which blktrace occasionally writes.
    pub garbled_times: u64,
}

impl Add for ReadCounters {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            out_of_order: self.out_of_order + other.out_of_order,
            moved_up: self.moved_up + other.moved_up,
            skipped_bad: self.skipped_bad + other.skipped_bad,
            other_ops: self.other_ops + other.other_ops,
            trims: self.trims + other.trims,
            trims_skipped: self.trims_skipped + other.trims_skipped,
            flushes: self.flushes + other.flushes,
            zero_size: self.zero_size + other.zero_size,
            garbled_times: self.garbled_times + other.garbled_times,
        }
    }
}

/// Devices of a trace that occur in requests, and their placement on the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct DeviceUse {
    /// Number of devices of the trace that occur in requests; 0 for synthetic requests.
    #[schemars(extend("unit" = "devices"))]
    pub devices: u32,
    /// Placement of the trace's devices on the drive: `side-by-side`, `overlay` or `single`; `null` for a
    /// single device, if no placement was chosen.
    pub device_layout: Option<&'static str>,
}

impl Add for DeviceUse {
    type Output = Self;

    /// Adds the numbers of devices. The placement is that of the first summand that has one.
    fn add(self, other: Self) -> Self {
        Self {
            devices: self.devices + other.devices,
            device_layout: self.device_layout.or(other.device_layout),
        }
    }
}

/// Counters of a source for the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounters {
    /// Counters of irregularities in the trace file.
    pub read: ReadCounters,
    /// Devices of the trace.
    pub devices: DeviceUse,
    /// Number of requests wrapped around the drive's capacity because they exceeded it, at least in part.
    pub folded: u64,
}

/// Format of a trace, and the reason for its choice.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct FormatChoice {
    /// Name of the format; `null` for synthetic requests.
    pub format: Option<&'static str>,
    /// Note on the rule that selected the format, and on alternative interpretations of the file.
    pub format_note: Option<Cow<'static, str>>,
}

/// Distribution of the start addresses of a source's writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteLaw {
    /// The source has no writes.
    NoWrites,
    /// Start addresses are uniformly distributed over aligned sectors of a range.
    Uniform(UniformWrites),
    /// The distribution has another form or is unknown.
    Other,
}

/// Writes of constant length with uniformly distributed start addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniformWrites {
    /// First sector of the range.
    pub start_sector: u64,
    /// Length of the range in sectors.
    pub range_sectors: u64,
    /// Distance between possible start addresses, in sectors.
    pub align_sectors: u32,
    /// Length of each write, in sectors.
    pub length_sectors: u32,
}

impl UniformWrites {
    /// Returns the number of pages that the writes overwrite with equal probability; `None` if a write
    /// accesses several pages.
    pub fn pages(&self, page_sectors: u32) -> Option<u64> {
        let starts_fit = self.align_sectors.is_multiple_of(page_sectors)
            || page_sectors.is_multiple_of(self.align_sectors);
        let is_within_page = starts_fit && self.length_sectors <= self.align_sectors.min(page_sectors);
        let begins_at_page = self.start_sector.is_multiple_of(u64::from(page_sectors));
        let page_distance = u64::from(self.align_sectors.max(page_sectors));
        (is_within_page && begins_at_page).then(|| self.range_sectors / page_distance)
    }
}

/// Source of requests. Requests are returned in batches, so that dynamic dispatch occurs once per batch. The
/// module documentation states the contract.
pub trait RequestSource {
    /// Appends up to `at_most` requests to `into` and returns their number. A result of 0 means that the
    /// source is exhausted.
    ///
    /// # Errors
    /// [`SourceError`] for a damaged trace or a request beyond the simulated time range.
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError>;

    /// Returns the name of the source for reports: the trace's file name or the workload's name.
    fn label(&self) -> &str;

    /// Returns true if the requests are synthetic rather than recorded.
    fn is_synthetic(&self) -> bool;

    /// Returns the total number of requests, if known in advance.
    fn total(&self) -> Option<u64> {
        None
    }

    /// Returns the format of the trace file. Sources without a file return default values.
    fn format_choice(&self) -> FormatChoice {
        FormatChoice::default()
    }

    /// Returns the counters of the source so far.
    fn counters(&self) -> SourceCounters {
        SourceCounters::default()
    }

    /// Returns the name of the device with this queue number, as written in the trace file.
    fn device_name(&self, queue: u16) -> String {
        queue.to_string()
    }

    /// Returns the distribution of the start addresses of writes.
    fn write_law(&self) -> WriteLaw {
        WriteLaw::Other
    }
}

/// Boxed request source that can be sent to another thread.
pub type BoxedSource = Box<dyn RequestSource + Send>;

impl<S: RequestSource + ?Sized> RequestSource for Box<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        (**self).fill(into, at_most)
    }

    fn label(&self) -> &str {
        (**self).label()
    }

    fn is_synthetic(&self) -> bool {
        (**self).is_synthetic()
    }

    fn total(&self) -> Option<u64> {
        (**self).total()
    }

    fn format_choice(&self) -> FormatChoice {
        (**self).format_choice()
    }

    fn counters(&self) -> SourceCounters {
        (**self).counters()
    }

    fn device_name(&self, queue: u16) -> String {
        (**self).device_name(queue)
    }

    fn write_law(&self) -> WriteLaw {
        (**self).write_law()
    }
}

/// Error that caused a [`SourceError`]; its type is private to the source.
pub type BoxedError = Box<dyn Error + Send + Sync>;

/// Error of a request source, caused by the user's input.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The trace file cannot be opened or read, or is invalid.
    #[error(transparent)]
    Trace(BoxedError),

    /// The reading options are invalid.
    #[error(transparent)]
    Options(BoxedError),

    /// The workload definition is missing, invalid or unsuitable for the drive.
    #[error(transparent)]
    Workload(BoxedError),

    /// The factor of the arrival rate is out of range.
    #[error("the rate scale is {factor}; expected: from 0.000001 to 1000000")]
    RateScale {
        /// Factor that was requested.
        factor: f64,
    },

    /// The length of blocks for resampling is zero or exceeds that of the trace.
    #[error(
        "a block of {length} does not fit the trace\n  --> {label}\n   = expected: a --trace-block from 1 request or 1us \
         up to the whole trace ({whole})"
    )]
    BlockLength {
        /// Label of the request source.
        label: String,
        /// Length of a block.
        length: String,
        /// Length of the whole trace.
        whole: String,
    },

    /// A request is longer than the drive.
    #[error(
        "request {number} has {sectors} sectors of 512 bytes, but the drive has {drive_sectors}\n  --> {label}\n   = expected: a \
         shorter request, or a larger drive"
    )]
    LongerThanDrive {
        /// Label of the request source.
        label: String,
        /// Number of the request, from 1.
        number: u64,
        /// Length of the request in sectors.
        sectors: u32,
        /// Capacity in sectors of the drive, or of the address range of the request's queue.
        drive_sectors: u64,
    },

    /// A search names a pattern set that the drive does not have.
    #[error(
        "request {number} searches for pattern set {pattern_set}, but the last set of the drive is {last}\n  --> {label}\n   = \
         expected: at most {last}, or a drive with more sets in `search.match_pct`"
    )]
    UnknownPatternSet {
        /// Label of the request source.
        label: String,
        /// Number of the request, from 1.
        number: u64,
        /// Number of the pattern set.
        pattern_set: u8,
        /// Number of the last pattern set of the drive.
        last: usize,
    },

    /// The share of wrapped requests exceeds the limit.
    #[error(
        "{folded} of {requests} requests ({share_pct:.1} %) lie beyond the drive of {drive_gib:.3} GiB: the last one ends at \
         {end_gib:.3} GiB\n  --> {label}\n   = expected: at most {most_pct} % of the requests (--most-folded-pct), or a larger \
         drive\n   = --fold wraps these requests around the drive's capacity, where they share addresses with other requests"
    )]
    BeyondDrive {
        /// Label of the request source.
        label: String,
        /// Number of requests beyond the drive's capacity.
        folded: u64,
        /// Total number of requests.
        requests: u64,
        /// Share of requests beyond the drive's capacity in %.
        share_pct: f64,
        /// Maximum share of wrapped requests in %.
        most_pct: f64,
        /// Highest end address of a request in GiB.
        end_gib: f64,
        /// Capacity in GiB of the drive, or of its smallest address range.
        drive_gib: f64,
    },

    /// A request is a search, but the drive has a write cache. Chips would search outdated pages.
    #[error(
        "request {number} is a search, which cannot be combined with a write cache: chips would process outdated pages\n  --> \
         {label}\n   = expected: `cache.mode` and `cache.modes` with \"off\" or \"read\", or requests without searches"
    )]
    SearchBesideWriteCache {
        /// Label of the request source.
        label: String,
        /// Number of the request, from 1.
        number: u64,
    },

    /// A request is a search, but the chips of the drive cannot have the unit that searches need.
    #[error("{message}")]
    ChipsCannotSearch {
        /// Message of the configuration error.
        message: String,
    },

    /// A trim has too many ranges.
    #[error(
        "a trim has more than {MOST_RANGES} ranges\n  --> {label}\n   = expected: at most {MOST_RANGES} consecutive ranges \
         (trim_range), of which the last one is a trim"
    )]
    TooManyRanges {
        /// Label of the request source.
        label: String,
    },

    /// The ranges of a trim are longer than a request can be.
    #[error(
        "the ranges of a trim cover {sectors} sectors of 512 bytes\n  --> {label}\n   = expected: at most {} sectors (2 TiB)",
        u32::MAX
    )]
    LongTrim {
        /// Label of the request source.
        label: String,
        /// Sum of the lengths in sectors.
        sectors: u64,
    },

    /// A request arrives beyond the simulated time range.
    #[error(
        "request {number} arrives more than 213 days after the first, beyond the range of the simulator's clock\n  --> \
         {label}\n   = expected: an earlier arrival; raise the rate or limit the number of requests"
    )]
    BeyondClock {
        /// Label of the request source.
        label: String,
        /// Number of the request, from 1.
        number: u64,
    },
}
