//! Writer of traces.
//!
//! # What it models
//!
//! The writer converts any request source to a trace file, which the readers in `super` can read.
//!
//! # How
//!
//! Requests are written one after another, in constant memory. Times start at zero and are written in ticks
//! of the format. Truncated fractions of a tick are counted. A format without a device column accepts only
//! requests of queue 0. Operations that a format does not have are left out and counted.
//!
//! # What is left out
//!
//! Columns that are not part of a request (host names, response times, processes) contain zeros or the word
//! `venice`. Formats are not written if they cannot represent times (whole seconds in `tencent-cbs`) or
//! consist mainly of other columns (measured latencies in `tencent-replay`, digests in `fiu-blkparse`).
//!
//! # Source
//!
//! See the modules of the formats.

mod encoder;

use std::io::{self, Write};

use serde::Serialize;
use thiserror::Error;

use super::TraceError;
use super::compression::Compression;
use super::format_info::{FormatInfo, listed};
use super::line::{LineBuffer, NumberedRequest};
use super::registry::{TextFormat, text_writers, trace_formats};
use crate::request::{HostRequest, Op, RequestSource, SourceError};

/// Number of requests read per batch.
const BATCH: usize = 4096;

/// Options for writing a trace.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions<'a> {
    /// Name of the trace format to be written.
    pub format: &'a str,
    /// Compression of the output.
    pub compression: Compression,
}

/// Statistics of a trace that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WrittenTrace {
    /// Name of the format.
    pub format: &'static str,
    /// True if another format has equal columns, so that reading needs `--format`.
    pub needs_name: bool,
    /// Number of requests written.
    pub requests: u64,
    /// Number of requests whose time was truncated to a tick.
    pub times_cut: u64,
    /// Number of requests left out because the format has no such operation.
    pub left_out: u64,
}

impl WrittenTrace {
    /// Creates the statistics of an empty trace.
    const fn new(format: &'static str, needs_name: bool) -> Self {
        Self { format, needs_name, requests: 0, times_cut: 0, left_out: 0 }
    }
}

/// Error of writing a trace.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Error of the request source.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// I/O error of the output.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The format is unknown or cannot be written.
    #[error("cannot write traces in the format `{name}`\n   = expected: one of{}", known())]
    Format {
        /// Requested name.
        name: String,
    },
    /// A request has a device other than 0, but the format has no device column.
    #[error(
        "request {number} belongs to device {queue}, but {format} has no column for devices; \
         expected: a format with devices, or one device (--devices NAME)"
    )]
    Devices {
        /// Number of the request, from 1.
        number: u64,
        /// Queue number of the request.
        queue: u16,
        /// Name of the format.
        format: &'static str,
    },
    /// The source has no requests.
    #[error("no requests to write\n  --> {label}\n   = expected: at least one request")]
    Nothing {
        /// Label of the source.
        label: String,
    },
}

impl From<TraceError> for WriteError {
    fn from(error: TraceError) -> Self {
        Self::Source(error.into())
    }
}

/// Returns the formats that can be written.
pub fn written_formats() -> impl Iterator<Item = FormatInfo> {
    let is_written = |name| text_writers().iter().any(|text| text.name == name);
    trace_formats().iter().copied().filter(move |format| is_written(format.name))
}

fn known() -> String {
    listed(written_formats())
}

/// Returns the default output format for a trace read in `format`. This is `format` itself if it can be
/// written, otherwise [`USUAL`].
pub fn own_format(format: Option<&str>) -> &'static str {
    let same = text_writers().iter().find(|text| Some(text.name) == format);
    same.map_or(USUAL, |text| text.name)
}

/// Default format for writing.
const USUAL: &str = "mqsim-ascii";

/// Writes all requests of a source as a trace file.
///
/// # Errors
/// [`WriteError`]; the output is then incomplete.
pub fn write_trace(
    source: &mut dyn RequestSource,
    options: &WriteOptions<'_>,
    out: impl Write + Send,
) -> Result<WrittenTrace, WriteError> {
    let written = write_text(source, text_of(options.format)?, options.compression, out)?;
    if written.requests == 0 {
        return Err(WriteError::Nothing { label: source.label().to_owned() });
    }
    Ok(written)
}

fn text_of(name: &str) -> Result<&'static TextFormat, WriteError> {
    let found = text_writers().iter().find(|text| text.name == name);
    found.ok_or_else(|| WriteError::Format { name: name.to_owned() })
}

fn write_text(
    source: &mut dyn RequestSource,
    format: &TextFormat,
    compression: Compression,
    out: impl Write,
) -> Result<WrittenTrace, WriteError> {
    let (mut written, mut lines) = (WrittenTrace::new(format.name, format.needs_name), LineBuffer::default());
    let mut out = encoder::packed(out, compression)?;
    lines.text(format.header);
    for_each_batch(source, |batch| {
        for request in batch {
            append(format, *request, &mut written, &mut lines)?;
        }
        out.write_all(lines.as_bytes())?;
        lines.clear();
        Ok(())
    })?;
    out.finish()?;
    Ok(written)
}

#[inline]
fn append(
    format: &TextFormat,
    request: HostRequest,
    written: &mut WrittenTrace,
    lines: &mut LineBuffer,
) -> Result<(), WriteError> {
    let is_read_or_write = request.op.moves_data() && request.op != Op::Search;
    if !is_read_or_write && !format.other_ops.contains(&request.op) {
        written.left_out += 1;
        return Ok(());
    }
    let (ps, tick_ps) = (request.arrival.as_ps(), format.tick.as_ps());
    written.requests += 1;
    written.times_cut += u64::from(ps % tick_ps != 0);
    let number = written.requests;
    if request.queue != 0 && !format.has_devices {
        return Err(WriteError::Devices { number, queue: request.queue, format: format.name });
    }
    (format.write)(&NumberedRequest { number, ticks: ps / tick_ps, request }, lines);
    lines.text("\n");
    Ok(())
}

/// Calls `take` with each batch of a source's requests.
fn for_each_batch(
    source: &mut dyn RequestSource,
    mut take: impl FnMut(&[HostRequest]) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let mut batch = Vec::with_capacity(BATCH);
    while source.fill(&mut batch, BATCH)? > 0 {
        take(&batch)?;
        batch.clear();
    }
    Ok(())
}
