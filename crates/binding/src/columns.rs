//! The request log in columns: one buffer for each, which Python hands on without looking inside.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use venice_requests::Op;
use venice_ssd::accounting::STAGES;
use venice_ssd::observe::{CHORES, HOST_COMMANDS, RequestRow};

/// Rows as a dictionary from column name to little-endian numbers, in the order of the columns.
///
/// `number`, `start_sector` and `batch` have 8 bytes, as has every time (`…_ps`); `sectors` and `chip` (-1 for none) have 4, `queue` 2, `op`
/// (0 for a read, 1 for a write), `owes_most_to` (a place among [`reasons`]), `met_read`, `met_write` and `conflicted` (0 or 1) have 1.
pub fn columns<'py>(py: Python<'py>, rows: &[RequestRow]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let put = |name: &str, bytes: Vec<u8>| columns.set_item(name, PyBytes::new(py, &bytes));
    put("number", wide(rows, |row| row.number))?;
    put("queue", rows.iter().flat_map(|row| row.queue.to_le_bytes()).collect())?;
    put("op", rows.iter().map(|row| u8::from(row.op == Op::Write)).collect())?;
    put("start_sector", wide(rows, |row| row.start_sector))?;
    put("sectors", rows.iter().flat_map(|row| row.sectors.to_le_bytes()).collect())?;
    put("arrival_ps", wide(rows, |row| row.arrival.as_ps()))?;
    put("handed_over_ps", wide(rows, |row| row.handed_over.as_ps()))?;
    put("met_read", rows.iter().map(|row| u8::from(row.met.read)).collect())?;
    put("met_write", rows.iter().map(|row| u8::from(row.met.write)).collect())?;
    put("batch", wide(rows, |row| row.batch))?;
    put("fetched_ps", wide(rows, |row| row.fetched.as_ps()))?;
    put("completed_ps", wide(rows, |row| row.completed.as_ps()))?;
    put("conflicted", rows.iter().map(|row| u8::from(row.conflicted)).collect())?;
    let behind = |row: &RequestRow| row.behind.total().as_ps();
    put("chip_wait_behind_ps", wide(rows, behind))?;
    let reasons = reasons();
    let reason = |row: &RequestRow| reasons.iter().position(|&one| one == row.owes_most_to());
    put("owes_most_to", rows.iter().map(|row| reason(row).map_or(0, |place| place as u8)).collect())?;
    put("chip", rows.iter().flat_map(|row| chip(row).to_le_bytes()).collect())?;
    for (stage, name) in STAGES {
        put(&format!("{name}_ps"), wide(rows, |row| row.stages[stage as usize].as_ps()))?;
    }
    Ok(columns)
}

/// What a request can owe most of its latency to, by the numbers in its column.
pub fn reasons() -> Vec<&'static str> {
    let stages = STAGES.iter().map(|&(_, name)| name);
    stages.chain([HOST_COMMANDS]).chain(CHORES.iter().map(|&(_, name)| name)).collect()
}

/// The chip of the page that ended last, or -1.
fn chip(row: &RequestRow) -> i32 {
    row.behind.chip.map_or(-1, |chip| chip.0.cast_signed())
}

fn wide(rows: &[RequestRow], value: impl Fn(&RequestRow) -> u64) -> Vec<u8> {
    rows.iter().flat_map(|row| value(row).to_le_bytes()).collect()
}
