//! Requests read from trace files.
//!
//! # The contract of a format
//!
//! A format says how one line becomes one `Record`, and nothing else; files, compression, line
//! numbers, order, time and errors are the reader's business. `tests/traces.rs` checks for every format in the
//! registry:
//!
//! 1. `TraceFormat::parse` is given lines in the order of the file: blanks at both ends, blank lines and lines that
//!    begin with `#` never reach it. It looks at one line alone, but may remember what a header said.
//! 2. It returns a row, or a `Fault` that names the column; it never guesses and never panics.
//! 3. Time stamps are whole numbers of `TraceFormat::TICK`, as the file counts them. The reader
//!    subtracts the first one as an integer, so an absolute stamp of 18 digits loses nothing.
//! 4. Addresses and sizes in bytes are rounded outwards to sectors. What a line is comes before its address: a flush, or
//!    a request without data, may have any address.
//! 5. The workload of `conformance/traces/` in this format gives the requests that it gives in every other.
//!
//! A new format is its file in `formats/`, its line in the registry and its rendering in
//! `tests/traces_conformance.rs`. A binary format is a file in `binary/` and implements `RecordFormat`, or `Rows` where
//! its records differ in length.
//!
//! # The contract of the reader
//!
//! - A file is read once, in chunks; memory does not grow with its size, unless several runs share it ([`SharedTraces`]).
//! - Compressions are recognised by their first bytes, a format by its first lines. File names decide nothing.
//! - Windows line ends, a byte-order mark and a missing last newline are tolerated.
//! - The first request arrives at zero. Requests are put in order of time within a window of 65,536; one that comes
//!   later still arrives with the latest one before it. Both are counted.
//! - Requests for no data, and operations that are neither read nor write, are passed over and counted.

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
mod pull;
mod reader;
mod registry;
mod replay;
mod rounding;
mod rows;
mod shared;
mod window;
mod write;

use std::io::Read;
use std::path::Path;

use venice_kernel::SimSpan;

use super::adapters::{Layout, SideBySide};
use super::request::{Op, RequestSource, SourceError};

pub use columns::OpenColumn;
pub use compression::Compression;
pub use devices::{DeviceCheck, DeviceLayout, ReadAgain};
pub use edit::{Edit, FoldInto, Tempo, TraceInput, edited};
pub use error::{Instead, RowUnit, TraceError};
pub use footprint::CoincidingPages;
pub use format_info::FormatInfo;
pub use info::{
    DeviceInfo, Dispersion, DriveSpread, GapDistribution, PagePlaces, SizeClass, Spread, Timeline, TraceInfo,
    trace_info, trace_info_on,
};
pub use options::{Event, TraceOptions};
pub use parquet::{PARQUET, ParquetBatches, ParquetColumns, ParquetDecoder, ParquetRow};
pub use registry::trace_formats;
pub use replay::{LIST_COLUMNS, Replay, RequestList, replay_trace};
pub use shared::SharedTraces;
pub use write::{WriteError, WriteOptions, Written, own_format, write_trace, written_formats};

/// One request as a line gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The time stamp, in ticks of the format.
    pub(crate) ticks: u64,
    /// Read or write.
    pub(crate) op: Op,
    /// First sector.
    pub(crate) start_sector: u64,
    /// Length; 0 is passed over by the reader.
    pub(crate) sectors: u32,
    /// The device column, or 0 where there is none.
    pub(crate) queue: u16,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// A request.
    Request(Record),
    /// An operation that is neither read nor write, nor one of the two below.
    OtherOp,
    /// A trim: discard, unmap.
    Trim,
    /// A flush of the drive's write cache.
    Flush,
    /// A request whose time cannot be.
    GarbledTime,
    /// A header, or an event that is not asked for.
    Nothing,
}

impl Row {
    /// A request from its parts.
    #[inline]
    pub(crate) fn request(ticks: u64, op: Op, (start_sector, sectors): (u64, u32), queue: u16) -> Self {
        Self::Request(Record { ticks, op, start_sector, sectors, queue })
    }
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The column, or `line` for the line as a whole.
    pub(crate) field: &'static str,
    /// What should be there.
    pub(crate) expected: &'static str,
}

/// The seam: see the module's contract.
pub(crate) trait TraceFormat {
    /// Length of one unit of the time stamps.
    const TICK: SimSpan;
    /// By which rule this format is chosen among those that read the same lines.
    const RULE: Option<&'static str> = None;

    /// A reader at the start of a file.
    fn new(options: &TraceOptions) -> Self;

    /// Reads a line.
    fn parse(&mut self, line: &[u8]) -> Result<Row, Fault>;

    /// Whether the first lines of a file, all of which `parse` may well read, are of this format and not of another
    /// that reads them too.
    fn claims(_lines: &[&[u8]]) -> bool {
        true
    }

    /// Returns a remark on how a file is read that begins with these lines, where other programs read it otherwise.
    fn remark(_lines: &[&[u8]]) -> Option<&'static str> {
        None
    }

    /// The events there were, if there were none of those asked for.
    fn instead(&self) -> Option<Instead> {
        None
    }

    /// Name in the file of a device by its number; formats that number devices themselves override it.
    fn device_name(&self, number: u16) -> String {
        number.to_string()
    }
}

/// A trace that has been opened and recognised.
pub struct OpenTrace {
    /// The format's name.
    pub format: &'static str,
    /// How the file is compressed.
    pub compression: Compression,
    /// Its requests.
    pub source: Box<dyn RequestSource + Send>,
}

/// Opens a trace: in the format named, by the columns described, or else in the format its first lines look like.
///
/// # Errors
/// [`TraceError`], for a file that is missing, unreadable, empty, damaged or of no known format, and for options that
/// cannot be understood.
pub fn open(path: &Path, options: &TraceOptions) -> Result<OpenTrace, TraceError> {
    let lines = lines::Lines::open(path)?;
    match (parquet::decoder(lines.head(), options), lines.compression()) {
        (None, _) => detect::opened(lines, options),
        (Some(decoder), Compression::None) => parquet::opened(decoder, path, options),
        (Some(_), compression) => Err(TraceError::PackedParquet { path: path.to_owned(), compression }),
    }
}

/// As [`open`], for a trace that is not a file: bytes in memory or another program's output, plain or
/// compressed. Messages call it `path`. It is not read as Parquet, which is found from the end of a file.
///
/// # Errors
/// As [`open`].
pub fn open_reader(
    bytes: impl Read + Send + 'static,
    path: &Path,
    options: &TraceOptions,
) -> Result<OpenTrace, TraceError> {
    detect::opened(lines::Lines::decode(bytes, path)?, options)
}

/// The requests of a trace, its devices placed as the options say: [`open`] for those who need nothing else of it.
///
/// Devices side by side take reading the trace once before its first request.
///
/// # Errors
/// As [`open`].
pub fn open_trace(path: &Path, options: &TraceOptions) -> Result<Box<dyn RequestSource + Send>, SourceError> {
    if options.devices != Some(DeviceLayout::SideBySide) {
        return Ok(open(path, options)?.source);
    }
    if path.exists() && !path.is_file() {
        return Err(TraceError::OnceOnly { path: path.to_owned(), option: "--devices side-by-side" }.into());
    }
    let source = open(path, options)?.source;
    let (path, options) = (path.to_owned(), options.clone());
    let layout = move || Layout::of(open(&path, &options)?.source);
    Ok(Box::new(SideBySide::new(source, layout)))
}
