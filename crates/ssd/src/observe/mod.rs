//! Looking at a run without taking part in it.

mod audit;
mod cache_shadow;
mod chips;
mod latencies;
mod load;
mod recorder;

pub use audit::{Audit, Home, Violation};
pub use chips::{ChipQueue, ChipQueues, ChipTime, ChipTimes};
pub use latencies::{Distribution, Latencies};
pub use load::{Interval, LoadRecord};
pub use recorder::{
    ArrayTime, OpLatencies, OpSums, PageSums, PhaseRecord, QueueRecord, Recorder, RequestRow,
    ScheduledLatencies, ScheduledRecord, WarmUp,
};
