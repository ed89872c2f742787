//! Formats whose rows are records of bytes, one file each; `super::registry` names them.

pub(super) mod blktrace;
pub(super) mod oracle_general;
mod records;
pub(super) mod vscsi;

pub(super) use records::{RecordFormat, RecordRows};
