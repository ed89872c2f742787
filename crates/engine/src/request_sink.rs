//! Sink that passes rows of the request log to a Python function during the run.

use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use venice_drive::observe::RequestRow;

use crate::arrays::RequestLogBuilder;
use crate::columns::BLOCK;
use crate::table::{SCHEMA, Table, refused};

/// Number of rows per batch. A batch takes about four megabytes for the default columns.
const BATCH_ROWS: usize = 1 << 16;

/// Sink that passes request rows to a Python function in batches of 65,536. The last batch may be shorter.
#[pyclass(frozen, module = "venice._native")]
pub struct RequestSink {
    /// State of the sink, or `None` once the sink is closed.
    state: Mutex<Option<SinkState>>,
    columns: Vec<String>,
    schema: SchemaRef,
}

struct SinkState {
    arrays: RequestLogBuilder,
    write: Py<PyAny>,
}

#[pymethods]
impl RequestSink {
    /// Creates a sink that calls `write` with each batch of the columns `columns`, as a `Table`.
    ///
    /// Raises `UsageError` for an unknown column.
    #[new]
    fn new(write: Py<PyAny>, columns: Vec<String>) -> PyResult<Self> {
        let mut arrays = RequestLogBuilder::new(&columns, BLOCK, BATCH_ROWS)?;
        let schema = arrays.finish().schema();
        Ok(Self { state: Mutex::new(Some(SinkState { arrays, write })), columns, schema })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref()).map_err(refused)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// Passes the last batch to `write` and closes the sink.
    ///
    /// Raises exceptions of `write`.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.take().map_or(Ok(()), |mut state| state.hand_over()))
    }

    /// Closes the sink without calling `write`. Buffered rows and later rows are dropped.
    fn leave(&self, py: Python<'_>) {
        drop(py.detach(|| self.take()));
    }
}

impl RequestSink {
    /// Returns the names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Appends rows, and passes completed batches to `write`.
    ///
    /// # Errors
    /// Returns exceptions of `write`.
    pub fn extend(&self, rows: &[RequestRow]) -> PyResult<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(state) = state.as_mut() else { return Ok(()) };
        let mut from = 0;
        while rows.len() - from >= state.arrays.room() {
            let to = from + state.arrays.room();
            state.arrays.extend(&rows[from..to])?;
            state.hand_over()?;
            from = to;
        }
        Ok(state.arrays.extend(&rows[from..])?)
    }

    fn take(&self) -> Option<SinkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl SinkState {
    fn hand_over(&mut self) -> PyResult<()> {
        let batch: RecordBatch = self.arrays.finish();
        Python::attach(|py| self.write.call1(py, (Table::new(batch),)).map(drop))
    }
}
