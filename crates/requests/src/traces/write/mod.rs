//! Requests written as a trace.
//!
//! # What it models
//!
//! Nothing: any source of requests becomes a file that the readers of `super` give back.
//!
//! # How
//!
//! One request after the other, in constant memory. Times count from zero, in the format's ticks; what is finer than
//! a tick is cut off and counted. A format without a column for the device takes requests of queue 0 alone.
//!
//! # What is left out
//!
//! Whatever a format says beyond a request (host names, response times, processes): zeros or the word `venice` stand
//! there. Formats that cannot hold what a request is, or are mostly made of the rest, are not written:
//! whole seconds (`tencent-cbs`), measured latencies (`tencent-replay`), digests (`fiu-blkparse`).
//!
//! # Source
//!
//! The formats' own pages.

mod packed;

use std::io::{self, Write};

use serde::Serialize;
use thiserror::Error;

use super::TraceError;
use super::compression::Compression;
use super::format_info::{FormatInfo, listed};
use super::line::{Line, Numbered};
use super::registry::{Text, text_writers, trace_formats};
use crate::request::{HostRequest, RequestSource, SourceError};

/// Requests asked of the source at a time.
const BATCH: usize = 4096;

/// How a trace is to be written.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions<'a> {
    /// A format's name.
    pub format: &'a str,
    /// What is done with the text.
    pub compression: Compression,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Written {
    /// The format.
    pub format: &'static str,
    /// Whether another format has the same columns, so that it is best read by its name.
    pub needs_name: bool,
    /// Requests.
    pub requests: u64,
    /// Those of them whose time was cut to a whole tick.
    pub times_cut: u64,
}

impl Written {
    /// Nothing yet.
    const fn new(format: &'static str, needs_name: bool) -> Self {
        Self { format, needs_name, requests: 0, times_cut: 0 }
    }
}

/// Why a trace could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Where the requests come from failed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No such format, or none that is written.
    #[error("`{name}` is no format that traces are written in\nformats written:\n{}", known())]
    Format {
        /// What was asked for.
        name: String,
    },
    /// A device that the format has no column for.
    #[error(
        "request {number} is of device {queue}, and {format} has no column for devices; \
         choose a format that has, or keep one device with --devices NAME"
    )]
    Devices {
        /// The request, from 1.
        number: u64,
        /// Its device.
        queue: u16,
        /// The format.
        format: &'static str,
    },
    /// Nothing to write.
    #[error("{label}: no request is left to write; a trace has at least one")]
    Nothing {
        /// The source's name.
        label: String,
    },
}

impl From<TraceError> for WriteError {
    fn from(error: TraceError) -> Self {
        Self::Source(error.into())
    }
}

/// The formats that traces are written in.
pub fn written_formats() -> impl Iterator<Item = FormatInfo> {
    let is_written = |name| text_writers().iter().any(|text| text.name == name);
    trace_formats().iter().copied().filter(move |format| is_written(format.name))
}

fn known() -> String {
    listed(written_formats())
}

/// The format that a trace read in `format` is written in when none is asked for: the same, if it is text that is
/// written.
pub fn own_format(format: Option<&str>) -> &'static str {
    let same = text_writers().iter().find(|text| Some(text.name) == format);
    same.map_or(USUAL, |text| text.name)
}

/// The format for whatever has none of its own.
const USUAL: &str = "mqsim-ascii";

/// Writes all requests of a source.
///
/// # Errors
/// [`WriteError`]; what was written before is no whole trace.
pub fn write_trace(
    source: &mut dyn RequestSource,
    options: &WriteOptions<'_>,
    out: impl Write + Send,
) -> Result<Written, WriteError> {
    let written = write_text(source, text_of(options.format)?, options.compression, out)?;
    if written.requests == 0 {
        return Err(WriteError::Nothing { label: source.label().to_owned() });
    }
    Ok(written)
}

fn text_of(name: &str) -> Result<&'static Text, WriteError> {
    let found = text_writers().iter().find(|text| text.name == name);
    found.ok_or_else(|| WriteError::Format { name: name.to_owned() })
}

fn write_text(
    source: &mut dyn RequestSource,
    format: &Text,
    compression: Compression,
    out: impl Write,
) -> Result<Written, WriteError> {
    let (mut written, mut lines) = (Written::new(format.name, format.needs_name), Line::default());
    let mut out = packed::packed(out, compression)?;
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
    format: &Text,
    request: HostRequest,
    written: &mut Written,
    lines: &mut Line,
) -> Result<(), WriteError> {
    let (ps, tick_ps) = (request.arrival.as_ps(), format.tick.as_ps());
    written.requests += 1;
    written.times_cut += u64::from(ps % tick_ps != 0);
    let number = written.requests;
    if request.queue != 0 && !format.has_devices {
        return Err(WriteError::Devices { number, queue: request.queue, format: format.name });
    }
    (format.write)(&Numbered { number, ticks: ps / tick_ps, request }, lines);
    lines.text("\n");
    Ok(())
}

/// Hands on the requests of a source until it has none.
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
