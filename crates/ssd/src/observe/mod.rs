//! Looking at a run without taking part in it.

mod audit;
mod cache_shadow;
mod load;
mod recorder;

pub use audit::{Audit, Home, Violation};
pub use load::{Interval, LoadRecord};
pub use recorder::{
    ArrayTime, Latencies, OpLatencies, OpSums, PageSums, PhaseRecord, QueueRecord, Recorder, RequestRow,
    ScheduledLatencies, ScheduledRecord, WarmUp,
};
