//! Binary trace formats, with one module per format. `super::registry` lists them.

pub(super) mod blktrace;
pub(super) mod oracle_general;
mod records;
pub(super) mod vscsi;

pub(super) use records::{RecordFormat, RecordRows};
