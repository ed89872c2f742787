//! Parquet traces, decoded and encoded by pyarrow. The Python module `venice.trace.parquet` handles the
//! column types; this module handles the values.
//!
//! # How
//!
//! Columns are read through Python's buffer protocol, in batches of some thousand rows, and written as a
//! [`Table`]. Reading a batch acquires Python's global interpreter lock (GIL). To avoid a deadlock, a caller
//! must not hold the GIL while it waits for a lock of the engine.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array};
use arrow_schema::{Field, Schema};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use venice_kernel::SimSpan;
use venice_requests::request::BoxedError;
use venice_requests::traces::{PARQUET, ParquetColumns, ParquetRow, WriteError, WrittenTrace};
use venice_requests::{HostRequest, Op, RequestSource, SourceError};

use crate::table::Table;

/// Python module with the decoder.
const DECODER: &str = "venice.trace.parquet";
/// Number of requests per row group of a Parquet file. A group takes six megabytes of memory.
const GROUP_REQUESTS: usize = 1 << 18;

/// Opens a Parquet file.
///
/// # Errors
/// Returns exceptions of the decoder unchanged.
pub fn open(path: &Path) -> Result<ParquetColumns, BoxedError> {
    Ok(Python::attach(|py| {
        let opened = py.import(DECODER)?.call_method1("open_columns", (path,))?;
        let (tick_ps, batches): (u64, Bound<'_, PyAny>) = opened.extract()?;
        let batches = Box::new(DecodedBatches(batches.try_iter()?.unbind()));
        PyResult::Ok(ParquetColumns { tick: SimSpan::from_ps(tick_ps), batches })
    })?)
}

/// Iterator of decoded batches, backed by a Python iterator.
struct DecodedBatches(Py<PyIterator>);

impl Iterator for DecodedBatches {
    type Item = Result<Vec<ParquetRow>, BoxedError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = Python::attach(|py| {
            py.check_signals()?;
            let batch = self.0.bind(py).clone().next().transpose()?;
            batch.map(|batch| batch.extract::<Columns>()?.rows(py)).transpose()
        });
        rows.map_err(BoxedError::from).transpose()
    }
}

/// Columns of a batch in the order of the decoder. In the column of operations, 0 is a read and 1 a write.
#[derive(FromPyObject)]
struct Columns(BufferColumn, BufferColumn, BufferColumn, BufferColumn, BufferColumn, BufferColumn);

/// Values of a column, with one validity byte per value.
#[derive(FromPyObject)]
struct BufferColumn(PyBuffer<u64>, PyBuffer<u8>);

impl Columns {
    fn rows(&self, py: Python<'_>) -> PyResult<Vec<ParquetRow>> {
        let Self(arrival, op, start_sector, sectors, queue, pattern_set) = self;
        let columns = [arrival, op, start_sector, sectors, queue, pattern_set];
        let [arrival, op, start_sector, sectors, queue, pattern_set] =
            columns.map(|column| column.values(py));
        let (start_sector, sectors) = (start_sector?, sectors?);
        let (op, queue, pattern_set) = (op?, queue?, pattern_set?);
        let row = |(index, arrival): (usize, Option<u64>)| ParquetRow {
            arrival,
            op: op[index].and_then(|number| ParquetRow::OPERATIONS.get(number as usize).copied()),
            start_sector: start_sector[index],
            sectors: sectors[index],
            queue: queue[index],
            pattern_set: pattern_set[index],
        };
        Ok(arrival?.into_iter().enumerate().map(row).collect())
    }
}

impl BufferColumn {
    fn values(&self, py: Python<'_>) -> PyResult<Vec<Option<u64>>> {
        let Self(values, valid) = self;
        let pairs = values.to_vec(py)?.into_iter().zip(valid.to_vec(py)?);
        Ok(pairs.map(|(value, is_valid)| (is_valid != 0).then_some(value)).collect())
    }
}

/// Returns an empty table with the columns of a Parquet trace to be written.
#[pyfunction]
pub fn trace_columns() -> Table {
    table_of(&[])
}

/// Calls `write` with a table for each row group of requests.
///
/// # Errors
/// Returns a [`WriteError`] if a request cannot be read or written. The output is then incomplete.
pub fn write(source: &mut dyn RequestSource, write: &Py<PyAny>) -> Result<WrittenTrace, WriteError> {
    let mut written =
        WrittenTrace { format: PARQUET.name, needs_name: false, requests: 0, times_cut: 0, left_out: 0 };
    let mut group = Vec::with_capacity(GROUP_REQUESTS);
    while fill_group(source, &mut group)? > 0 {
        written.requests += group.len() as u64;
        hand_over(&group, write).map_err(std::io::Error::from)?;
        group.clear();
    }
    if written.requests == 0 {
        return Err(WriteError::Nothing { label: source.label().to_owned() });
    }
    Ok(written)
}

/// Fills a row group with requests from the source, and returns their number.
fn fill_group(source: &mut dyn RequestSource, group: &mut Vec<HostRequest>) -> Result<usize, SourceError> {
    loop {
        let at_most = GROUP_REQUESTS - group.len();
        if at_most == 0 || source.fill(group, at_most)? == 0 {
            return Ok(group.len());
        }
    }
}

fn hand_over(requests: &[HostRequest], write: &Py<PyAny>) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        write.call1(py, (table_of(requests),)).map(drop)
    })
}

fn table_of(requests: &[HostRequest]) -> Table {
    let op = |request: &HostRequest| match request.op {
        Op::Read | Op::Gather => "read",
        other => other.name(),
    };
    let longs = |value: fn(&HostRequest) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(requests.iter().map(value)))
    };
    let columns: [(&str, ArrayRef); 6] = [
        ("arrival_ps", longs(|request| request.arrival.as_ps())),
        ("op", Arc::new(StringArray::from_iter_values(requests.iter().map(op)))),
        ("start_sector", longs(|request| request.start_sector)),
        ("sectors", Arc::new(UInt32Array::from_iter_values(requests.iter().map(|request| request.sectors)))),
        ("queue", Arc::new(UInt16Array::from_iter_values(requests.iter().map(|request| request.queue)))),
        (
            "pattern_set",
            Arc::new(UInt8Array::from_iter_values(requests.iter().map(|request| request.pattern_set))),
        ),
    ];
    let field = |(name, values): &(&str, ArrayRef)| Field::new(*name, values.data_type().clone(), false);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let columns = columns.map(|(_, values)| values).to_vec();
    Table::new(RecordBatch::try_new(Arc::new(schema), columns).expect("all columns are of the same length"))
}
