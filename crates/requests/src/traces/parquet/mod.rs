//! `parquet`: requests in columns.
//!
//! # What it models
//!
//! A Parquet file with a column of times, `op` (`read` or `write`), `start_sector` and `sectors` of 512 bytes, and
//! `queue`, which may be missing. Further columns are not read, so the request log of a run is a trace, too.
//!
//! The times are called `arrival`, `time` or `timestamp`, with a unit behind the name (`arrival_us`) or one in the column's
//! type; where both say one they must be the same.
//!
//! # How
//!
//! The columns are read side by side, a batch at a time; memory is a page of each. Whole numbers of 32 or 64 bits are
//! taken, with or without sign; times besides as fractions, time stamps and lengths of time.
//!
//! # What is left out
//!
//! Nested columns and encryption.
//!
//! # Source
//!
//! The Apache Parquet format, 2.x.

mod arrow;
mod columns;
mod kind;
mod rows;
mod time;
mod unit;

use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, SerializedFileReader};
use venice_kernel::SimSpan;

use super::OpenTrace;
use super::compression::Compression;
use super::error::TraceError;
use super::format_info::FormatInfo;
use super::options::TraceOptions;
use super::reader::TraceReader;
use crate::request::FormatChoice;
use columns::Columns;
use rows::ParquetRows;

/// The format's name.
pub(super) const NAME: &str = "parquet";

/// The format.
pub(super) const INFO: FormatInfo = FormatInfo {
    name: NAME,
    columns: "columns arrival_ps|ns|us|ms|s, op (read, write), start_sector, sectors[, queue]",
};

/// What is written.
pub(super) const SCHEMA: &str = "
    message trace {
        required int64 arrival_ps (INTEGER(64, false));
        required binary op (STRING);
        required int64 start_sector (INTEGER(64, false));
        required int32 sectors (INTEGER(32, false));
        required int32 queue (INTEGER(16, false));
    }";

/// The column of times that is written.
pub(super) const ARRIVAL_PS: &str = "arrival_ps";
/// How a read and a write are called.
pub(super) const OP: (&str, &str) = ("read", "write");
pub(super) const START_SECTOR: &str = "start_sector";
pub(super) const SECTORS: &str = "sectors";
pub(super) const QUEUE: &str = "queue";

/// A Parquet file begins and ends with these.
const MAGIC: &[u8] = b"PAR1";

/// Whether a file that begins so is one.
pub(super) fn begins(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Opens a file.
pub(super) fn opened<F: ChunkReader + 'static>(
    file: F,
    path: &Path,
    options: &TraceOptions,
) -> Result<OpenTrace, TraceError> {
    let named = options.format.as_deref().unwrap_or(NAME);
    if named != NAME || options.columns.is_some() {
        return Err(TraceError::ParquetAlone { path: path.to_owned() });
    }
    let file = decoded(|| SerializedFileReader::new(file)).map_err(|error| damaged(path, &error))?;
    let columns = Columns::of(&file, path)?;
    let tick = SimSpan::from_ps(columns.time.tick().ps());
    let rows = ParquetRows::new(file, columns, path);
    let format_choice = FormatChoice { format: Some(NAME), format_note: None };
    let source = Box::new(TraceReader::new(rows, path, tick, options, format_choice));
    Ok(OpenTrace { format: NAME, compression: Compression::None, source })
}

/// A file by its path; it has to be one that can be read from its end.
pub(super) fn open(path: &Path, options: &TraceOptions) -> Result<OpenTrace, TraceError> {
    let file = File::open(path).map_err(|source| TraceError::Unreadable { path: path.to_owned(), source })?;
    opened(file, path, options)
}

/// What the decoder makes of the file. It panics where a damaged file leads it astray: that is the file's fault.
fn decoded<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    let astray = |_| Err(ParquetError::General("its numbers do not fit together".to_owned()));
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(astray)
}

fn damaged(path: &Path, error: &ParquetError) -> TraceError {
    let said = error.to_string().replace(char::is_control, " ");
    TraceError::Parquet { path: path.to_owned(), said: said.chars().take(SAID_CHARS).collect() }
}

/// Characters of the decoder's words that a message shows.
const SAID_CHARS: usize = 200;
