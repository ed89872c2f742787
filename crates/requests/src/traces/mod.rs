//! Requests from trace files.
//!
//! # Contract of a format
//!
//! A format converts one line to a `Record`. The reader is responsible for files, compression, line numbers,
//! order, times and errors. `tests/traces.rs` checks the following rules for every format in the registry:
//!
//! 1. `TraceFormat::parse` receives lines in the order of the file, without blanks at both ends, blank lines,
//!    and lines that begin with `#`. It parses each line separately, except that it may keep information from
//!    a header.
//! 2. It returns a row, or a `LineFault` with the name of the invalid column. It never guesses and never
//!    panics.
//! 3. Time stamps are integers in units of `TraceFormat::TICK`, as in the file. The reader subtracts the
//!    first one as an integer, so absolute stamps of 18 digits lose no precision.
//! 4. Addresses and sizes in bytes are rounded outwards to sectors. The kind of a line is determined before
//!    its address: flushes and requests without data may have any address.
//! 5. The files in `conformance/traces/` contain the same workload in every format. All must give equal
//!    requests.
//!
//! To add a format, add a file in `formats/`, a row in the registry, and a function that writes the format in
//! `tests/traces_conformance.rs`. A binary format is a file in `binary/` that implements `RecordFormat`, or
//! `RowReader` for records of variable length.
//!
//! # Contract of the reader
//!
//! - A file is read once, in chunks. Memory is independent of its size, unless several runs share the trace
//!   ([`SharedTraces`]).
//! - Compressions are detected by their first bytes, formats by their first lines. File names are ignored.
//! - Windows line ends, a byte-order mark and a missing last newline are accepted.
//! - The first request arrives at zero. Requests are sorted by time within a window of 65,536. Requests that
//!   are too late for the window arrive at the time of the latest request before them. Both cases are
//!   counted.
//! - Requests without data, and operations other than reads and writes, are skipped and counted.

mod binary;
mod columns;
mod compression;
mod detect;
mod devices;
mod edit;
mod error;
mod fields;
mod footprint;
mod format_info;
mod formats;
mod info;
mod line;
mod lines;
mod options;
mod parquet;
mod parquet_decoder;
mod pull;
mod reader;
mod registry;
mod replay;
mod rounding;
mod rows;
mod shared_traces;
mod window;
mod write;

use std::io::Read;
use std::path::Path;

use venice_kernel::SimSpan;

use super::adapters::{ConcatenatedDevices, FirstSectors};
use super::request::{Op, RequestSource, SourceError};

pub use columns::{SuggestedColumns, UndeterminedColumn};
pub use compression::Compression;
pub use devices::{DeviceCheck, DeviceLayout, ReopenTrace};
pub use edit::{Edit, RateChange, TraceInput, WrapRanges, edited};
pub use error::{PresentEvents, RowUnit, TraceError};
pub use footprint::CoincidingPages;
pub use format_info::FormatInfo;
pub use info::{
    ArrivalTimeline, DeviceInfo, Dispersion, DriveSpread, GapDistribution, PagePlaces, PageSpread, SizeClass,
    TraceInfo, trace_info, trace_info_on,
};
pub use options::{BlockLayerEvent, TraceOptions};
pub use parquet::PARQUET;
pub use parquet_decoder::{ParquetBatches, ParquetColumns, ParquetDecoder, ParquetRow};
pub use registry::trace_formats;
pub use replay::{LIST_COLUMNS, Replay, RequestList, replay_trace};
pub use shared_traces::SharedTraces;
pub use write::{WriteError, WriteOptions, WrittenTrace, own_format, write_trace, written_formats};

/// Request that one line describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Time stamp in ticks of the format.
    pub(crate) ticks: u64,
    /// Operation of the request.
    pub(crate) op: Op,
    /// First sector of the request.
    pub(crate) start_sector: u64,
    /// Length in sectors. The reader skips requests of length 0 that are not flushes.
    pub(crate) sectors: u32,
    /// Value of the device column; 0 for formats without one.
    pub(crate) queue: u16,
    /// Number of the pattern set of a search; 0 for formats without one.
    pub(crate) pattern_set: u8,
}

/// Result of parsing a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParsedLine {
    /// Line that describes a request.
    Request(Record),
    /// Line that describes a request with a flush before it (preflush).
    AfterFlush(Record),
    /// Operation that does not result in a request.
    OtherOp,
    /// Trim (discard, unmap) without an address range.
    Trim,
    /// Flush of the drive's write cache without a time. The caller supplies the time, or skips the flush.
    Flush,
    /// Line that describes a request with an implausible time.
    GarbledTime,
    /// Line without a request: a header, or an event that was not requested.
    Nothing,
}

impl ParsedLine {
    /// Creates the result for a request.
    #[inline]
    pub(crate) fn request(ticks: u64, op: Op, (start_sector, sectors): (u64, u32), queue: u16) -> Self {
        Self::Request(Record { ticks, op, start_sector, sectors, queue, pattern_set: 0 })
    }

    /// Creates the result for a flush.
    #[cold]
    pub(crate) fn flush(ticks: u64, queue: u16) -> Self {
        Self::request(ticks, Op::Flush, (0, 0), queue)
    }
}

/// Error of a line: the invalid column and the values that it accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineFault {
    /// Column name, or `line` for the whole line.
    pub(crate) field: &'static str,
    /// Values that the column accepts.
    pub(crate) expected: &'static str,
}

/// Text format of traces. The module documentation states the contract.
pub(crate) trait TraceFormat {
    /// Unit of the format's time stamps.
    const TICK: SimSpan;
    /// Reason why this format was chosen among formats with equal columns, for reports.
    const RULE: Option<&'static str> = None;

    /// Creates a parser for a new file.
    fn new(options: &TraceOptions) -> Self;

    /// Parses a line of a file.
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault>;

    /// Returns true if the first lines of a file belong to this format, although other formats could parse
    /// them too.
    fn claims(_lines: &[&[u8]]) -> bool {
        true
    }

    /// Returns a remark for files that other programs may interpret differently, judged by the first lines.
    fn remark(_lines: &[&[u8]]) -> Option<&'static str> {
        None
    }

    /// Returns the events in the file (queued or dispatched) if the file has none of the requested
    /// events.
    fn instead(&self) -> Option<PresentEvents> {
        None
    }

    /// Returns the name of a device as written in the file. Formats that number the devices themselves
    /// override this method.
    fn device_name(&self, number: u16) -> String {
        number.to_string()
    }
}

/// Trace that was opened in a known format.
pub struct OpenTrace {
    /// Name of the format.
    pub format: &'static str,
    /// Compression of the file.
    pub compression: Compression,
    /// Requests of the trace.
    pub source: Box<dyn RequestSource + Send>,
}

/// Opens a trace in the format or with the columns that `options` states. Otherwise detects the format.
///
/// # Errors
/// [`TraceError`] for a file that is missing, unreadable, empty, damaged or of an unknown format, and for
/// invalid options.
pub fn open(path: &Path, options: &TraceOptions) -> Result<OpenTrace, TraceError> {
    let lines = lines::Lines::open(path)?;
    match (parquet::decoder(lines.head(), options), lines.compression()) {
        (None, _) => detect::opened(lines, options),
        (Some(decoder), Compression::None) => parquet::opened(decoder, path, options),
        (Some(_), compression) => Err(TraceError::PackedParquet { path: path.to_owned(), compression }),
    }
}

/// Opens a trace that is not a file: bytes in memory or the output of a program, plain or compressed.
/// Messages show `path` as its name. Parquet is not supported, since its metadata are at the end of a file.
///
/// # Errors
/// Errors of [`open`].
pub fn open_reader(
    bytes: impl Read + Send + 'static,
    path: &Path,
    options: &TraceOptions,
) -> Result<OpenTrace, TraceError> {
    detect::opened(lines::Lines::decode(bytes, path)?, options)
}

/// Opens a trace and returns its requests, with devices placed as `options` states.
///
/// A side-by-side layout needs an additional pass over the trace before the first request.
///
/// # Errors
/// Errors of [`open`].
pub fn open_trace(path: &Path, options: &TraceOptions) -> Result<Box<dyn RequestSource + Send>, SourceError> {
    if options.devices != Some(DeviceLayout::SideBySide) {
        return Ok(open(path, options)?.source);
    }
    if path.exists() && !path.is_file() {
        return Err(TraceError::OnceOnly { path: path.to_owned(), option: "--devices side-by-side" }.into());
    }
    let source = open(path, options)?.source;
    let (path, options) = (path.to_owned(), options.clone());
    let layout = move || FirstSectors::of(open(&path, &options)?.source);
    Ok(Box::new(ConcatenatedDevices::new(source, layout)))
}
