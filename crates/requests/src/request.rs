//! What a host request is, and the contract of whatever gives requests: traces and synthetic workloads.
//!
//! # The contract
//!
//! 1. Requests come in order of arrival: no arrival is earlier than the one before it.
//! 2. Arrivals count from the start of the run. A trace's first request arrives at zero; a synthetic
//!    source chooses. A closed-loop source leaves all arrivals at zero, since its run ignores them.
//! 3. [`RequestSource::fill`] appends at most as many requests as asked. It appends none only when the
//!    source is exhausted (or none were asked for), and goes on appending none.
//! 4. After an error the source is spent: what it had appended before is valid, nothing follows.
//! 5. Memory does not grow with the number of requests given.
//! 6. Same file or definition, same seed: same requests.

use std::borrow::Cow;
use std::error::Error;
use std::ops::Add;

use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;
use venice_kernel::SimTime;

/// Bytes of a sector, the unit in which hosts address a drive.
pub const SECTOR_BYTES: u32 = 512;

/// What the host wants done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Data from the drive.
    Read,
    /// Data to the drive.
    Write,
    /// Pages from all over the drive brought together on one chip, which combines them: as the settings of the drive say.
    /// The request's place and length are those of the first operand, and of the result.
    Gather,
}

impl Op {
    /// What it is to whoever knows only reads and writes: a gather asks for data, as a read does.
    #[inline]
    #[must_use]
    pub const fn side(self) -> Self {
        match self {
            Self::Read | Self::Gather => Self::Read,
            Self::Write => Self::Write,
        }
    }
}

/// A host request as its source gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostRequest {
    /// When the host issues it, counted from the start of the run.
    pub arrival: SimTime,
    /// First sector.
    pub start_sector: u64,
    /// Length in sectors, at least 1.
    pub sectors: u32,
    /// The address space it belongs to, as the source numbers them: a trace's device column.
    pub queue: u16,
    /// Read, write or gather.
    pub op: Op,
}

impl HostRequest {
    /// The first sector after the request.
    #[inline]
    pub const fn end_sector(&self) -> u64 {
        self.start_sector + self.sectors as u64
    }
}

/// What was met when requests were read from a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(extend("unit" = "records"))]
pub struct ReadCounters {
    /// Requests whose time stamp was earlier than one before them in the file.
    pub out_of_order: u64,
    /// Those of them that came too late to be put in their place; they arrive with the latest one before.
    pub moved_up: u64,
    /// Rows that were not what the format says, and were passed over because that was allowed.
    pub skipped_bad: u64,
    /// Operations that are neither reads nor writes (trims, flushes, barriers), which were passed over.
    pub other_ops: u64,
    /// Trims among them (discard, unmap); the format has to distinguish them.
    pub trims: u64,
    /// Flushes among them (cache flush, sync); the format has to distinguish them.
    pub flushes: u64,
    /// Requests for no data, which were passed over.
    pub zero_size: u64,
    /// Records with a time that cannot be, as blktrace now and then writes them, which were passed over.
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
            flushes: self.flushes + other.flushes,
            zero_size: self.zero_size + other.zero_size,
            garbled_times: self.garbled_times + other.garbled_times,
        }
    }
}

/// The devices of a trace whose requests were given, and their placement on the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct DeviceUse {
    /// Devices of the trace that have requests; 0 for requests that are made up.
    #[schemars(extend("unit" = "devices"))]
    pub devices: u32,
    /// Placement of the trace's devices on the drive: `side-by-side`, `overlay` or `single`; nothing where there is one device
    /// and none was chosen.
    pub device_layout: Option<&'static str>,
}

impl Add for DeviceUse {
    type Output = Self;

    /// The devices of both, and the placement of the first that has one.
    fn add(self, other: Self) -> Self {
        Self {
            devices: self.devices + other.devices,
            device_layout: self.device_layout.or(other.device_layout),
        }
    }
}

/// What a source had to change in its requests so far; reported with the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounters {
    /// What reading them met.
    pub read: ReadCounters,
    /// Devices of the trace.
    pub devices: DeviceUse,
    /// Requests moved because they lay, in whole or in part, beyond the drive's capacity.
    pub folded: u64,
}

/// How a file was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct FormatChoice {
    /// The format's name; nothing for requests that are made up.
    pub format: Option<&'static str>,
    /// The rule that chose the format, and readings of the file that could have been others.
    pub format_note: Option<Cow<'static, str>>,
}

/// The law by which a source chooses what it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteLaw {
    /// Nothing is written.
    NoWrites,
    /// Each write starts at one of the starts of a range, all of which are equally likely.
    Uniform(UniformWrites),
    /// Any other, or one that is not known.
    Other,
}

/// Writes of one length at starts that are equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniformWrites {
    /// The first sector of the range.
    pub start_sector: u64,
    /// The length of the range.
    pub range_sectors: u64,
    /// The distance between starts.
    pub align_sectors: u32,
    /// The length of a write.
    pub length_sectors: u32,
}

impl UniformWrites {
    /// Returns the number of pages that are overwritten, all equally often; `None` if a write touches several pages.
    pub fn pages(&self, page_sectors: u32) -> Option<u64> {
        let starts_fit = self.align_sectors.is_multiple_of(page_sectors)
            || page_sectors.is_multiple_of(self.align_sectors);
        let is_within_page = starts_fit && self.length_sectors <= self.align_sectors.min(page_sectors);
        let begins_at_page = self.start_sector.is_multiple_of(u64::from(page_sectors));
        let page_distance = u64::from(self.align_sectors.max(page_sectors));
        (is_within_page && begins_at_page).then(|| self.range_sectors / page_distance)
    }
}

/// Gives requests in batches: one dynamic call per batch, none per request. See the module's contract.
pub trait RequestSource {
    /// Appends up to `at_most` requests to `into` and says how many; 0 means exhausted.
    ///
    /// # Errors
    /// [`SourceError`], when the trace is damaged or a request does not fit the simulator's clock.
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError>;

    /// A name for reports: the trace's file name or the workload's name.
    fn label(&self) -> &str;

    /// Whether the requests were made up rather than recorded.
    fn is_synthetic(&self) -> bool;

    /// How many requests it gives in all, where that is known beforehand.
    fn total(&self) -> Option<u64> {
        None
    }

    /// How its file was understood, if it has one.
    fn format_choice(&self) -> FormatChoice {
        FormatChoice::default()
    }

    /// What was changed so far.
    fn counters(&self) -> SourceCounters {
        SourceCounters::default()
    }

    /// Name in the file of the device that requests of this queue belong to.
    fn device_name(&self, queue: u16) -> String {
        queue.to_string()
    }

    /// Returns the law by which it chooses what it writes.
    fn write_law(&self) -> WriteLaw {
        WriteLaw::Other
    }
}

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

/// What a source says itself: each has words of its own, and none is known here.
pub type Cause = Box<dyn Error + Send + Sync>;

/// Why a source could not be opened or could not go on. All are faults of what the user asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The file with the requests could not be opened or read, or is not what it should be.
    #[error(transparent)]
    Trace(Cause),

    /// What was asked of the reader cannot be.
    #[error(transparent)]
    Options(Cause),

    /// The definition of the requests could not be had, or does not fit the drive.
    #[error(transparent)]
    Workload(Cause),

    /// A rate scale that no run could mean.
    #[error("the rate scale is {factor}; it should be from 0.000001 to 1000000")]
    RateScale {
        /// What was asked for.
        factor: f64,
    },

    /// Blocks of a trace that are longer than the trace, or empty.
    #[error(
        "a block of {length} does not fit the trace\n  --> {label}\n   = expected: --trace-block from 1 request, or 1us, up to the whole \
         trace ({whole})"
    )]
    BlockLength {
        /// The source's label.
        label: String,
        /// Length of a block.
        length: String,
        /// Length of the trace.
        whole: String,
    },

    /// A request for more than the whole drive.
    #[error(
        "{label}: request {number} asks for {sectors} sectors of 512 bytes at once, but the drive has {drive_sectors}; \
         correct or remove it, or take a larger drive"
    )]
    LongerThanDrive {
        /// The source's label.
        label: String,
        /// The request, counted from 1.
        number: u64,
        /// How long it is.
        sectors: u32,
        /// The drive, or the part of it that the request's queue has.
        drive_sectors: u64,
    },

    /// More requests beyond the drive than are folded into it without a word.
    #[error(
        "{label}: {folded} of {requests} requests ({share_pct:.1} %) lie beyond the drive, which has {drive_gib:.3} GiB where \
         they need {end_gib:.3}: take a larger drive, or insist with --fold, which folds them into this one, where they meet \
         requests that they never met; up to {most_pct} % are folded unasked (--most-folded-pct)"
    )]
    BeyondDrive {
        /// The source's label.
        label: String,
        /// Requests beyond the drive.
        folded: u64,
        /// All requests.
        requests: u64,
        /// Their share, in %.
        share_pct: f64,
        /// The largest share that is allowed.
        most_pct: f64,
        /// Where the last of them ends.
        end_gib: f64,
        /// Capacity of the drive, or of the smallest of its address ranges.
        drive_gib: f64,
    },

    /// A request would arrive later than the simulator's clock reaches.
    #[error(
        "{label}: request {number} arrives more than 213 days after the first, \
         which is beyond the simulator's clock; raise the rate or limit the number of requests"
    )]
    BeyondClock {
        /// The source's label.
        label: String,
        /// The request, counted from 1.
        number: u64,
    },
}
