//! Characteristics of traces, and conversion of traces.

use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use venice_kernel::SimTime;
use venice_requests::adapters::RequestFilter;
use venice_requests::traces::{
    self, Compression, Edit, PARQUET, RateChange, TraceInput, WrapRanges, WriteError, WriteOptions,
    WrittenTrace, edited, own_format, write_trace as write_requests,
};
use venice_requests::{Op, ReadCounters, RequestSource, SECTOR_BYTES};
use venice_sim::assembly::Simulation;

use crate::drive::Drive;
use crate::error;
use crate::guard::guarded;
use crate::parquet;
use crate::requests::trace_options;

/// Size of the blocks in which output is passed to Python, in bytes.
const CHUNK_BYTES: usize = 1 << 20;

const PS_PER_US: f64 = 1e6;

/// Options of an input trace. The fields are attributes of `venice.options.engine_options.EngineOptions`.
#[derive(FromPyObject)]
pub struct TraceInputOptions {
    trace: PathBuf,
    format: Option<String>,
    columns: Option<String>,
    event: Option<String>,
    skip_bad: Option<u64>,
    devices: Option<String>,
}

/// Changes to the requests of a trace. Ranges, such as times, include their start and exclude their end.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct EditOptions {
    reads: Option<bool>,
    arrival_us: Option<(f64, f64)>,
    queues: Vec<u16>,
    sectors: Option<(u64, u64)>,
    start_sector: Option<(u64, u64)>,
    rate_scale: Option<f64>,
    mean_gap_us: Option<f64>,
    fold_into: Option<Py<Drive>>,
    requests: Option<u64>,
}

impl TraceInputOptions {
    fn input(self) -> PyResult<TraceInput> {
        let devices = self.devices.as_deref();
        let options =
            trace_options(self.format, self.columns, self.event.as_deref(), self.skip_bad, devices)?;
        Ok(TraceInput { path: self.trace, options })
    }
}

impl EditOptions {
    fn edit(self) -> Edit {
        let keep = RequestFilter {
            op: self.reads.map(|reads| if reads { Op::Read } else { Op::Write }),
            arrival: self.arrival_us.map(|(from, until)| time(from)..time(until)),
            queues: self.queues,
            sectors: self.sectors.map(range),
            start_sector: self.start_sector.map(range),
        };
        let mean_gap = self.mean_gap_us.map(RateChange::MeanGapUs);
        Edit {
            keep,
            tempo: mean_gap.or(self.rate_scale.map(RateChange::Factor)),
            fold: self.fold_into.map(|drive| fold_into(drive.get())),
            requests: self.requests,
        }
    }
}

fn time(us: f64) -> SimTime {
    SimTime::from_ps((us * PS_PER_US).round() as u64)
}

fn range((from, until): (u64, u64)) -> Range<u64> {
    from..until
}

fn fold_into(drive: &Drive) -> WrapRanges {
    let settings = drive.resolved().settings();
    let page_sectors = settings.geometry.page_bytes / SECTOR_BYTES;
    WrapRanges { ranges: Simulation::address_ranges(settings), page_sectors }
}

/// Returns the characteristics of a trace as JSON text. If a drive is given, they include the distribution of
/// the load over its channels and chips.
///
/// Raises `UsageError` for an unknown event, and `TraceError` for a file that is missing, damaged or of an
/// unknown format.
#[pyfunction]
#[pyo3(signature = (trace, drive=None))]
pub fn trace_info(
    py: Python<'_>,
    trace: TraceInputOptions,
    drive: Option<PyRef<'_, Drive>>,
) -> PyResult<String> {
    let TraceInput { path, options } = trace.input()?;
    let places = drive.map(|drive| Simulation::page_places(drive.resolved().settings()));
    let survey = || match places {
        None => traces::trace_info(&path, &options),
        Some(places) => traces::trace_info_on(&path, &options, places),
    };
    let surveyed = py.detach(|| guarded(survey));
    let info = surveyed.map_err(|crash| error::crash(&crash))?.map_err(|wrong| error::source(&wrong))?;
    Ok(serde_json::to_string(&info).expect("characteristics have only names for keys and finite numbers"))
}

/// Result of a trace conversion, with the counters of the traces that were read.
#[derive(Serialize)]
struct ConversionResult {
    #[serde(flatten)]
    written: WrittenTrace,
    folded: u64,
    #[serde(flatten)]
    read: ReadCounters,
}

/// Writes the requests of one or several traces as one trace. Returns the result as JSON text. `write` is
/// called with the bytes of the file or, for Parquet, with `Table`s of requests.
///
/// Raises `UsageError` for invalid options, `TraceError` for unreadable traces, and exceptions of `write`.
#[pyfunction]
pub fn write_trace(
    py: Python<'_>,
    inputs: Vec<TraceInputOptions>,
    edit: EditOptions,
    format: Option<String>,
    compression: &str,
    write: Py<PyAny>,
) -> PyResult<String> {
    let inputs = inputs.into_iter().map(TraceInputOptions::input).collect::<PyResult<Vec<_>>>()?;
    let (edit, compression) = (edit.edit(), compression_of(compression)?);
    let done = py.detach(|| guarded(|| written(&inputs, &edit, format, compression, write)));
    let outcome = done.map_err(|crash| error::crash(&crash))?.map_err(failed)?;
    Ok(serde_json::to_string(&outcome).expect("an outcome has only names for keys and whole numbers"))
}

fn compression_of(name: &str) -> PyResult<Compression> {
    name.parse().map_err(|wrong: String| error::usage(&wrong))
}

fn written(
    inputs: &[TraceInput],
    edit: &Edit,
    format: Option<String>,
    compression: Compression,
    write: Py<PyAny>,
) -> Result<ConversionResult, WriteError> {
    let mut source = edited(inputs, edit)?;
    let own = own_format(source.format_choice().format);
    let format = format.as_deref().unwrap_or(own);
    let written = if format == PARQUET.name {
        parquet::write(&mut *source, &write)?
    } else {
        write_text(&mut *source, &WriteOptions { format, compression }, write)?
    };
    let counters = source.counters();
    Ok(ConversionResult { written, folded: counters.folded, read: counters.read })
}

fn write_text(
    source: &mut dyn RequestSource,
    options: &WriteOptions<'_>,
    write: Py<PyAny>,
) -> Result<WrittenTrace, WriteError> {
    let mut out = BufWriter::with_capacity(CHUNK_BYTES, PythonFile { write });
    let written = write_requests(source, options, &mut out)?;
    out.flush()?;
    Ok(written)
}

fn failed(wrong: WriteError) -> PyErr {
    match wrong {
        WriteError::Source(wrong) => error::source(&wrong),
        WriteError::Io(wrong) => wrong.into(),
        WriteError::Format { .. } => error::usage(&format!("{wrong}\n{PARQUET}")),
        other => error::usage(&other.to_string()),
    }
}

/// Writer that passes its output to a Python callable.
struct PythonFile {
    write: Py<PyAny>,
}

impl Write for PythonFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| {
            py.check_signals()?;
            self.write.call1(py, (PyBytes::new(py, bytes),))
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
