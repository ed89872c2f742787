//! Tables that Python reads without copying, through the Arrow C data interface and `NumPy`'s array
//! interface.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int8Type, Int32Type, Int64Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, Int64Array, ListArray, RecordBatch, RecordBatchIterator,
    StructArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};

use crate::columns::MEANING;

// Capsule names of the Arrow C data interface ("PyCapsule interface").
const STREAM: &CStr = c"arrow_array_stream";
/// Name of a Python capsule that contains an Arrow schema.
pub const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// Python capsules of an Arrow schema and of an Arrow array.
type Capsules<'py> = (Bound<'py, PyCapsule>, Bound<'py, PyCapsule>);

/// Table whose memory is shared with its readers in Python.
#[pyclass(frozen, module = "venice._native")]
pub struct Table(RecordBatch);

impl Table {
    /// Creates a table of the record batch `rows`.
    pub fn new(rows: RecordBatch) -> Self {
        Self(rows)
    }
}

#[pymethods]
impl Table {
    /// Creates a table of numbers from a mapping of names to values. A column contains integers if all of its
    /// values are integers, otherwise floats. `None` stands for a missing value.
    #[new]
    fn of(columns: Bound<'_, PyDict>) -> PyResult<Self> {
        let columns = columns.iter().map(|(name, values)| numbers(&name.extract::<String>()?, &values));
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) =
            columns.collect::<PyResult<Vec<_>>>()?.into_iter().unzip();
        Ok(Self(RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(refused)?))
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// Returns name, Arrow type and description of each column.
    fn schema(&self) -> Vec<(String, String, String)> {
        let meaning =
            |field: &Field| field.metadata().get(MEANING).map(ToString::to_string).unwrap_or_default();
        let schema = self.0.schema();
        let text_of =
            |field: &Arc<Field>| (field.name().clone(), field.data_type().to_string(), meaning(field));
        schema.fields().iter().map(text_of).collect()
    }

    /// Returns the column called `name`.
    ///
    /// Raises `KeyError` for an unknown column.
    fn column(&self, name: &str) -> PyResult<Column> {
        let found = self.0.column_by_name(name).cloned();
        found.map(Column).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    /// Returns the table as an Arrow stream with one batch. A requested schema is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
    }

    /// Returns the table as an Arrow struct array. A requested schema is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsules<'py>> {
        let _ = requested_schema;
        let schema = FFI_ArrowSchema::try_from(self.0.schema().as_ref()).map_err(refused)?;
        capsules(py, schema, &StructArray::from(self.0.clone()))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema().as_ref()).map_err(refused)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }
}

/// Column of a table.
#[pyclass(frozen, module = "venice._native")]
pub struct Column(ArrayRef);

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Returns the words of a dictionary column, or `None` for other columns.
    fn words(&self) -> Option<Vec<String>> {
        let few = self.0.as_dictionary_opt::<Int8Type>().map(DictionaryArray::values);
        let words = few.or_else(|| self.0.as_dictionary_opt::<Int32Type>().map(DictionaryArray::values))?;
        Some(words.as_string::<i32>().iter().flatten().map(str::to_owned).collect())
    }

    /// Array interface of `NumPy`, version 3, to the numbers of the column. For a dictionary column, these
    /// are the indices of its words.
    ///
    /// Raises `AttributeError` for booleans and for columns with missing values.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let data = self.data().to_data();
        let kind = typestr(data.data_type()).filter(|_| data.null_count() == 0);
        let kind = kind.ok_or_else(|| pyo3::exceptions::PyAttributeError::new_err("__array_interface__"))?;
        let interface = PyDict::new(py);
        // Address of the data. The array that `NumPy` creates keeps this object, and therefore the memory,
        // alive.
        let address = data.buffers()[0].as_ptr() as usize;
        interface.set_item("version", 3)?;
        interface.set_item("shape", (data.len(),))?;
        interface.set_item("typestr", kind)?;
        interface.set_item("data", (address, true))?;
        Ok(interface)
    }

    /// True if some values are missing.
    #[getter]
    fn has_gaps(&self) -> bool {
        self.0.null_count() > 0
    }

    /// Returns the values, which are numbers or lists of numbers, with `None` for missing values.
    ///
    /// Raises `TypeError` for types that cannot have missing values.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.0.data_type() {
            DataType::Int64 => {
                self.0.as_primitive::<Int64Type>().iter().collect::<Vec<_>>().into_bound_py_any(py)
            }
            DataType::Float64 => {
                self.0.as_primitive::<Float64Type>().iter().collect::<Vec<_>>().into_bound_py_any(py)
            }
            DataType::List(_) => lists(self.0.as_list()).into_bound_py_any(py),
            other => Err(PyTypeError::new_err(format!("a column of {other} has no gaps"))),
        }
    }

    /// Returns a copy of the numbers as little-endian bytes. For a dictionary column, these are the indices
    /// of its words. Booleans take one byte each.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        match self.0.as_boolean_opt() {
            Some(bits) => {
                let bytes: Vec<u8> = bits.values().iter().map(u8::from).collect();
                PyBytes::new(py, &bytes)
            }
            None => PyBytes::new(py, self.data().to_data().buffers()[0].as_slice()),
        }
    }

    /// Returns the column as an Arrow array. A requested schema is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsules<'py>> {
        let _ = requested_schema;
        let schema = FFI_ArrowSchema::try_from(self.0.data_type()).map_err(refused)?;
        capsules(py, schema, self.0.as_ref())
    }
}

impl Column {
    /// Returns the numbers of the column, or the indices of a dictionary column.
    fn data(&self) -> &dyn Array {
        let few = self.0.as_dictionary_opt::<Int8Type>().map(|words| words.keys() as &dyn Array);
        let many = || self.0.as_dictionary_opt::<Int32Type>().map(|words| words.keys() as &dyn Array);
        few.or_else(many).unwrap_or(self.0.as_ref())
    }
}

fn lists(column: &ListArray) -> Vec<Option<Vec<u32>>> {
    column.iter().map(|list| list.map(|list| list.as_primitive::<UInt32Type>().values().to_vec())).collect()
}

fn capsules<'py>(py: Python<'py>, schema: FFI_ArrowSchema, array: &dyn Array) -> PyResult<Capsules<'py>> {
    let array = FFI_ArrowArray::new(&array.to_data());
    Ok((PyCapsule::new_with_value(py, schema, SCHEMA)?, PyCapsule::new_with_value(py, array, ARRAY)?))
}

/// Returns `NumPy`'s type string, which consists of byte order, kind, and size in bytes.
fn typestr(kind: &DataType) -> Option<&'static str> {
    match kind {
        DataType::Int8 => Some("|i1"),
        DataType::Int32 => Some("<i4"),
        DataType::Int64 => Some("<i8"),
        DataType::UInt16 => Some("<u2"),
        DataType::UInt32 => Some("<u4"),
        DataType::UInt64 => Some("<u8"),
        DataType::Float64 => Some("<f8"),
        _ => None,
    }
}

fn numbers(name: &str, values: &Bound<'_, PyAny>) -> PyResult<(Field, ArrayRef)> {
    let whole = values.extract::<Vec<Option<i64>>>().ok().filter(|all| all.iter().any(Option::is_some));
    let array: ArrayRef = match whole {
        Some(whole) => Arc::new(Int64Array::from(whole)),
        None => Arc::new(Float64Array::from(values.extract::<Vec<Option<f64>>>()?)),
    };
    Ok((Field::new(name, array.data_type().clone(), true), array))
}

/// Converts an error of Arrow to a `TypeError`.
pub fn refused(error: ArrowError) -> PyErr {
    PyTypeError::new_err(error.to_string())
}
