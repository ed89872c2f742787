//! Rows of the request log in a Parquet file, which is written while the run goes on.

use std::io;
use std::sync::{Mutex, PoisonError};

use arrow_array::types::ArrowPrimitiveType;
use arrow_schema::{DataType, Schema};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use venice_pages::{Chunk, Codec, Compressor, Differences, Encoding, File, Flags, Places};
use venice_ssd::observe::RequestRow;

use crate::columns::{Kind, Named, TOGETHER, named};
use crate::error;
use crate::number::Number;

/// Rows of a row group: some four megabytes of the usual columns.
const GROUP: usize = 1 << 16;

/// A file that is going to have a row for every request.
#[pyclass(frozen, module = "venice._native")]
pub struct RequestFile {
    /// Until the end was written, or nobody wants it any more.
    state: Mutex<Option<State>>,
    columns: Vec<String>,
}

struct State {
    columns: Vec<Box<dyn Pages>>,
    file: File,
    compressor: Compressor,
    /// Rows of the row group that is not full.
    rows: usize,
    /// Takes further bytes of the file.
    write: Py<PyAny>,
}

/// A column's pages. One virtual call for some hundred rows.
trait Pages: Send {
    fn kind(&self) -> DataType;

    /// Further rows of the page.
    fn extend(&mut self, rows: &[RequestRow]);

    /// The page is complete.
    ///
    /// # Errors
    /// If the system has no more memory.
    fn turn(&mut self, page: &mut Vec<u8>, compressor: &mut Compressor) -> io::Result<()>;

    fn chunk(&mut self) -> &mut Chunk;
}

#[pymethods]
impl RequestFile {
    /// A file of these columns, whose bytes `write` takes, compressed so where that pays.
    ///
    /// Raises `UsageError` if there is no such column or compression, and whatever `write` raises.
    #[new]
    fn new(
        py: Python<'_>,
        write: Bound<'_, PyAny>,
        columns: Vec<String>,
        compression: &str,
    ) -> PyResult<Self> {
        let codec = Codec::ALL.into_iter().find(|(name, _)| *name == compression);
        let (_, codec) = codec.ok_or_else(|| no_codec(compression))?;
        let made = named::<InFile>(&columns)?;
        let (fields, made): (Vec<_>, Vec<_>) = made
            .into_iter()
            .map(|Named { name, meaning, column }| {
                let pages = column(codec);
                (Named { name, meaning, column: () }.field(pages.kind()), pages)
            })
            .unzip();
        let mut file = File::new(&Schema::new(fields))?;
        write.call1((PyBytes::new(py, file.begin()),))?;
        let state =
            State { columns: made, file, compressor: Compressor::new()?, rows: 0, write: write.unbind() };
        Ok(Self { state: Mutex::new(Some(state)), columns })
    }

    /// Writes what is left, and the file's end. After that, rows go nowhere.
    ///
    /// Raises whatever `write` raises.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.take()).map_or(Ok(()), State::end)
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

    /// Further rows, which make a page.
    ///
    /// # Errors
    /// Whatever `write` raises.
    pub fn extend(&self, rows: &[RequestRow]) -> PyResult<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.as_mut().map_or(Ok(()), |state| state.extend(rows))
    }

    fn take(&self) -> Option<State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl State {
    fn extend(&mut self, rows: &[RequestRow]) -> PyResult<()> {
        for some in rows.chunks(TOGETHER) {
            self.columns.iter_mut().for_each(|column| column.extend(some));
        }
        let mut page = Vec::new();
        for column in &mut self.columns {
            page.clear();
            column.turn(&mut page, &mut self.compressor)?;
        }
        self.rows += rows.len();
        if self.rows < GROUP { Ok(()) } else { self.write_group() }
    }

    fn write_group(&mut self) -> PyResult<()> {
        let rows = std::mem::take(&mut self.rows);
        let chunks = self.file.group(rows, self.columns.iter_mut().map(|column| column.chunk()))?;
        chunks.iter().try_for_each(|chunk| self.write(chunk))
    }

    fn write(&self, bytes: &[u8]) -> PyResult<()> {
        Python::attach(|py| self.write.call1(py, (PyBytes::new(py, bytes),)).map(drop))
    }

    fn end(mut self) -> PyResult<()> {
        if self.rows > 0 {
            self.write_group()?;
        }
        let Self { file, write, .. } = self;
        let end = file.end()?;
        Python::attach(|py| write.call1(py, (PyBytes::new(py, &end),)).map(drop))
    }
}

fn no_codec(name: &str) -> PyErr {
    let names = Codec::ALL.map(|(name, _)| name).join(", ");
    error::usage(&format!("there is no compression `{name}` of a request log; there are: {names}"))
}

/// Columns of a file, once it is known how they may be compressed.
enum InFile {}

type Made = Box<dyn FnOnce(Codec) -> Box<dyn Pages>>;

impl Kind for InFile {
    type Column = Made;

    fn numbers<T: Number>(of: impl Fn(&RequestRow) -> T::Native + Send + 'static) -> Made {
        Box::new(|codec| {
            let chunk = Chunk::new(Encoding::DELTA_BINARY_PACKED, &[], codec);
            let pages = Differences::<T::Wide>::default();
            let extend = move |pages: &mut Differences<_>, rows: &[RequestRow]| {
                pages.extend(rows, |row| T::wide(of(row)));
            };
            Box::new(Column {
                pages,
                extend,
                finish: Differences::finish,
                chunk,
                kind: <T as ArrowPrimitiveType>::DATA_TYPE,
            })
        })
    }

    fn flags(of: impl Fn(&RequestRow) -> bool + Send + 'static) -> Made {
        Box::new(|codec| {
            let chunk = Chunk::new(Encoding::PLAIN, &[], codec);
            let extend = move |pages: &mut Flags, rows: &[RequestRow]| pages.extend(rows, &of);
            Box::new(Column {
                pages: Flags::default(),
                extend,
                finish: Flags::finish,
                chunk,
                kind: DataType::Boolean,
            })
        })
    }

    fn words(all: &'static [&'static str], of: impl Fn(&RequestRow) -> i8 + Send + 'static) -> Made {
        Box::new(move |codec| {
            let chunk = Chunk::new(Encoding::RLE_DICTIONARY, all, codec);
            let extend = move |pages: &mut Places, rows: &[RequestRow]| {
                pages.extend(rows, |row| of(row).cast_unsigned());
            };
            let kind = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
            Box::new(Column { pages: Places::among(all.len()), extend, finish: Places::finish, chunk, kind })
        })
    }
}

/// A column of any kind.
struct Column<P, E> {
    pages: P,
    extend: E,
    finish: fn(&mut P, &mut Vec<u8>) -> usize,
    chunk: Chunk,
    kind: DataType,
}

impl<P: Send, E: Fn(&mut P, &[RequestRow]) + Send> Pages for Column<P, E> {
    fn kind(&self) -> DataType {
        self.kind.clone()
    }

    fn extend(&mut self, rows: &[RequestRow]) {
        (self.extend)(&mut self.pages, rows);
    }

    fn turn(&mut self, page: &mut Vec<u8>, compressor: &mut Compressor) -> io::Result<()> {
        let values = (self.finish)(&mut self.pages, page);
        self.chunk.add(page, values, compressor)
    }

    fn chunk(&mut self) -> &mut Chunk {
        &mut self.chunk
    }
}
