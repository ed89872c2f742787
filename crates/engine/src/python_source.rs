//! Requests from a Python iterable of `venice.Request`.
//!
//! # How
//!
//! The engine reads requests in advance, in batches, and acquires Python's global interpreter lock once per
//! batch. A request takes the time to create it in Python, plus about a microsecond to read its fields.

use std::fmt;

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyIterator, PyTuple};
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{HostRequest, Op, RequestSource, SECTOR_BYTES, SourceError};

/// End of the simulated time range (2^64 ps), in microseconds.
const CLOCK_ENDS_US: f64 = u64::MAX as f64 / 1e6;

/// Description of valid addresses and lengths in bytes, for error messages.
const SIZES_BYTES: &str = "a multiple of 512, 0 or more";

/// Request source backed by a Python iterable.
pub struct PythonSource {
    requests: Py<PyIterator>,
    label: String,
    given: u64,
    latest: SimTime,
    is_spent: bool,
}

/// Invalid request from Python. Requests are numbered from 1.
#[derive(Debug)]
struct InvalidRequest {
    label: String,
    number: u64,
    wrong: String,
}

impl fmt::Display for InvalidRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: request {}: {}", self.label, self.number, self.wrong)
    }
}

impl std::error::Error for InvalidRequest {}

impl PythonSource {
    /// Creates a request source from a Python iterable, or from a function that returns an iterable.
    ///
    /// # Errors
    ///
    /// Returns exceptions of the function, and `TypeError` for an object that is not iterable.
    pub fn new(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let label = label(source);
        let requests = if source.is_callable() { source.call0()? } else { source.clone() };
        let requests = requests.try_iter()?.unbind();
        Ok(Self { requests, label, given: 0, latest: SimTime::ZERO, is_spent: false })
    }

    /// Returns the next request, or `None` at the end.
    fn next(&mut self, requests: &mut Bound<'_, PyIterator>) -> Result<Option<HostRequest>, SourceError> {
        let Some(item) = requests.next() else { return Ok(None) };
        // Exceptions from Python code of the user are passed on unchanged.
        let item = item.map_err(|raised| SourceError::Workload(Box::new(raised)))?;
        self.given += 1;
        let request = request(&item).map_err(|wrong| self.refused(wrong))?;
        if request.arrival < self.latest {
            let wrong = "it arrives before the previous request; expected: requests in order of `arrival_us`";
            return Err(self.refused(wrong.to_owned()));
        }
        self.latest = request.arrival;
        Ok(Some(request))
    }

    fn refused(&self, wrong: String) -> SourceError {
        let (label, number) = (self.label.clone(), self.given);
        SourceError::Workload(Box::new(InvalidRequest { label, number, wrong }))
    }
}

impl RequestSource for PythonSource {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        Python::attach(|py| {
            let mut requests = self.requests.bind(py).clone();
            while !self.is_spent && into.len() < before + at_most {
                let next = self.next(&mut requests);
                self.is_spent = !matches!(next, Ok(Some(_)));
                into.extend(next?);
            }
            Ok(into.len() - before)
        })
    }

    fn label(&self) -> &str {
        &self.label
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}

/// Returns the name of a Python object for reports. This is the name of a function or class, or the type name
/// of any other object.
pub fn label(source: &Bound<'_, PyAny>) -> String {
    let named = source.getattr("__name__").and_then(|name| name.extract());
    named.or_else(|_| source.get_type().name()?.extract()).unwrap_or_else(|_| "requests".to_owned())
}

/// Converts a tuple of six fields to a request.
fn request(item: &Bound<'_, PyAny>) -> Result<HostRequest, String> {
    let fields: Result<(String, u64, u64, f64, u16, u8), PyErr> =
        item.cast::<PyTuple>().map_err(PyErr::from).and_then(|fields| fields.extract());
    let (op, offset_bytes, size_bytes, arrival_us, queue, pattern_set) = fields.map_err(|wrong| {
        number_out_of_range(item)
            .unwrap_or_else(|| format!("{item} is not a request; expected: `venice.Request` ({wrong})"))
    })?;
    let op = operation(&op)?;
    let sectors = length(op, size_bytes)?;
    if !(0.0..CLOCK_ENDS_US).contains(&arrival_us) {
        return Err(format!("`arrival_us` is {arrival_us}; expected: from 0 to {CLOCK_ENDS_US:.0}"));
    }
    let arrival = SimTime::ZERO + SimSpan::from_us_f64(arrival_us);
    Ok(HostRequest {
        arrival,
        start_sector: whole_sectors("offset_bytes", offset_bytes)?,
        sectors,
        queue,
        op,
        pattern_set: if op == Op::Search { pattern_set } else { 0 },
    })
}

/// Returns an error message for the first integer of a request that is out of range for its field, or `None`
/// if all are valid.
fn number_out_of_range(item: &Bound<'_, PyAny>) -> Option<String> {
    let fields = [
        (1, "offset_bytes", SIZES_BYTES, u64::MAX),
        (2, "size_bytes", SIZES_BYTES, u64::MAX),
        (4, "queue", "from 0 to 65535", u64::from(u16::MAX)),
        (5, "pattern_set", "from 0 to 255", u64::from(u8::MAX)),
    ];
    fields.into_iter().find_map(|(index, name, expected, most)| {
        let number = item.get_item(index).ok()?.cast_into::<PyInt>().ok()?;
        let is_valid = number.extract::<u64>().is_ok_and(|number| number <= most);
        (!is_valid).then(|| format!("`{name}` is {number}; expected: {expected}"))
    })
}

/// Returns the length in sectors, which is 0 for a flush and at least 1 for other operations.
fn length(op: Op, size_bytes: u64) -> Result<u32, String> {
    let sectors = u32::try_from(whole_sectors("size_bytes", size_bytes)?).ok();
    let expected = if op == Op::Flush { "0 for a flush" } else { "from 512 to 2 TiB" };
    let sectors = sectors.filter(|&sectors| (sectors == 0) == (op == Op::Flush));
    sectors.ok_or_else(|| format!("`size_bytes` is {size_bytes}; expected: {expected}"))
}

/// Returns the operation called `name`. Gathers are rejected, since requests from Python have no operands.
fn operation(name: &str) -> Result<Op, String> {
    let expected =
        || Op::ALL.iter().filter(|(op, _)| *op != Op::Gather).map(|(_, known)| format!("{known:?}"));
    Op::by_name(name).filter(|&op| op != Op::Gather).ok_or_else(|| {
        format!("`op` is {name:?}; expected one of: {}", expected().collect::<Vec<_>>().join(", "))
    })
}

/// Converts bytes to sectors.
///
/// # Errors
///
/// Returns an error message if `bytes` is not a multiple of the sector size.
fn whole_sectors(field: &str, bytes: u64) -> Result<u64, String> {
    if bytes.is_multiple_of(u64::from(SECTOR_BYTES)) {
        return Ok(bytes / u64::from(SECTOR_BYTES));
    }
    Err(format!("`{field}` is {bytes}; expected: a multiple of {SECTOR_BYTES}"))
}
