//! Looking at a run without taking part in it.

mod audit;
mod blame;
mod cache_shadow;
mod chips;
mod intervals;
mod latencies;
mod load;
mod recorder;
mod slowest;
mod steady;

pub use audit::{Audit, Home, Violation};
pub use blame::{Behind, Blame, CHORES, Chore, HOST_COMMANDS, Holder, Wait};
pub use chips::{ChipQueue, ChipQueues, ChipTime, ChipTimes};
pub use intervals::{Completed, IntervalRecord, IntervalSettings, Intervals, Sample, Work};
pub use latencies::{Distribution, Latencies, PackedLatencies};
pub use load::{Interval, LoadRecord};
pub use recorder::{
    ArrayTime, Closely, OpLatencies, OpSums, PageSums, PhaseRecord, QueueRecord, Recorder, RequestRow,
    ScheduledLatencies, ScheduledRecord, WarmUp,
};
pub use slowest::Slowest;
pub use steady::{SteadyJudge, Verdict};
