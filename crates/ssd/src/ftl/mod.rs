//! The flash translation layer.

mod settings;

pub use settings::{Allocation, FtlSettings, Level, UnwrittenData, VictimPolicy};
