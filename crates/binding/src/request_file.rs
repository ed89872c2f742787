//! Rows of the request log in a Parquet file, which is written while the run goes on.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use arrow_schema::DataType;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use venice_ssd::observe::RequestRows;

use crate::arrays::Arrays;
use crate::columns::BLOCK;
use crate::error;

/// Rows of a row group: some four megabytes of the usual columns, so that little is left when a run is over.
const GROUP: usize = 1 << 16;

/// The ways in which pages may be compressed, by name.
fn codecs() -> [(&'static str, Compression); 4] {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let [lz4, snappy, none] = [Compression::LZ4_RAW, Compression::SNAPPY, Compression::UNCOMPRESSED];
    [("zstd", zstd), ("lz4", lz4), ("snappy", snappy), ("none", none)]
}

/// A file that is going to have a row for every request.
#[pyclass(frozen, module = "venice._native")]
pub struct RequestFile {
    /// Until the end was written, or nobody wants it any more.
    state: Mutex<Option<State>>,
    columns: Vec<String>,
}

struct State {
    arrays: Arrays,
    writer: ArrowWriter<Bytes>,
}

/// Takes further bytes of the file, in Python.
struct Bytes(Py<PyAny>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| self.0.call1(py, (PyBytes::new(py, bytes),)))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[pymethods]
impl RequestFile {
    /// A file of these columns, whose bytes `write` takes, compressed so.
    ///
    /// Raises `UsageError` if there is no such column or compression, and whatever `write` raises.
    #[new]
    fn new(write: Py<PyAny>, columns: Vec<String>, compression: &str) -> PyResult<Self> {
        let codec = codecs().into_iter().find(|(name, _)| *name == compression);
        let (_, codec) = codec.ok_or_else(|| no_codec(compression))?;
        let mut arrays = Arrays::new(&columns, BLOCK, usize::MAX)?;
        let schema = arrays.finish().schema();
        let told = schema.fields().iter().fold(properties(codec), |told, field| {
            encoded(told, ColumnPath::from(field.name().as_str()), field.data_type())
        });
        let writer = ArrowWriter::try_new(Bytes(write), schema, Some(told.build())).map_err(failed)?;
        Ok(Self { state: Mutex::new(Some(State { arrays, writer })), columns })
    }

    /// Writes what is left, and the file's end. After that, rows go nowhere.
    ///
    /// Raises whatever `write` raises.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.take().map_or(Ok(()), |state| state.writer.close().map(drop).map_err(failed)))
    }

    /// From now on, rows go nowhere, and the file stays without its end.
    fn leave(&self, py: Python<'_>) {
        drop(py.detach(|| self.take()));
    }
}

impl RequestFile {
    /// The names of its columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Further rows.
    ///
    /// # Errors
    /// Whatever `write` raises.
    pub fn extend(&self, rows: &RequestRows) -> PyResult<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(State { arrays, writer }) = state.as_mut() else { return Ok(()) };
        arrays.extend(rows, 0..rows.len())?;
        writer.write(&arrays.finish()).map_err(failed)
    }

    fn take(&self) -> Option<State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What holds for all columns. Neither statistics nor an index: least and largest values take the writer more than they spare a reader.
fn properties(codec: Compression) -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by(format!("venice {}", env!("CARGO_PKG_VERSION")))
        .set_max_row_group_row_count(Some(GROUP))
        .set_compression(codec)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_dictionary_enabled(false)
}

/// How a column's values are written: words by their places, numbers by their differences.
fn encoded(told: WriterPropertiesBuilder, column: ColumnPath, kind: &DataType) -> WriterPropertiesBuilder {
    match kind {
        DataType::Dictionary(..) => told.set_column_dictionary_enabled(column, true),
        DataType::Boolean => told,
        _ => told.set_column_encoding(column, Encoding::DELTA_BINARY_PACKED),
    }
}

/// What `write` has raised, if it was that.
fn failed(wrong: ParquetError) -> PyErr {
    match wrong {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(raised) => (*raised).into(),
            Err(other) => io::Error::other(other).into(),
        },
        other => io::Error::other(other).into(),
    }
}

fn no_codec(name: &str) -> PyErr {
    let names = codecs().map(|(name, _)| name).join(", ");
    error::usage(&format!("there is no compression `{name}` of a request log; there are: {names}"))
}
