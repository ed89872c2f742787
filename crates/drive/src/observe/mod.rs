//! Observation of a run without side effects on it.
//!
//! Each observer is a [`Probe`] and a field of the catalogue [`Probes`]. [`Audit`] checks the page contents
//! and is called by the translation layer.

mod audit;
mod blame;
mod cache_audit;
mod cache_shadow;
mod chips;
mod drive_record;
mod growing;
mod holder;
mod intervals;
mod latencies;
mod load;
mod log;
mod probe;
mod probes;
mod recorder;
mod room;
mod rounds;
mod row;
mod scheduled;
mod slice;
mod slices;
mod slowest;
mod steadiness;
mod steady;
mod tally;
mod timeline;
mod until;
mod violation;

pub use audit::{Audit, Home};
pub use blame::{Blame, Wait};
pub use chips::{ChipQueue, ChipQueues, ChipTime, ChipTimes};
pub use drive_record::{ArrayTime, DriveRecord};
pub use holder::{Behind, CAUSES, HOST_CAUSES, Holder, WaitCause};
pub use intervals::{Completed, IntervalRecord, IntervalSettings, Intervals, Sample, Work};
pub use latencies::{Distribution, Latencies, PackedLatencies};
pub use load::{Interval, LoadRecord};
pub use log::{LogRows, RequestLog};
pub use probe::{About, CommandStart, Completion, Departure, PageEnd, Probe, Reasons, TransferEnd};
pub use probes::{Closely, Probes};
pub use recorder::{PhaseRecord, QueueRecord, Recorder, WarmUp};
pub use rounds::{DriveCounts, Mark, Rounds, WriteSizes};
pub use row::{REASONS, RequestRow};
pub use scheduled::{ScheduledLatencies, ScheduledRecord};
pub use slice::{Row, Slice, SliceSettings, What};
pub use slices::Slices;
pub use slowest::Slowest;
pub use steadiness::{
    FEWEST_REQUESTS, Judged, ROUNDS, RoundFigure, SETTLED_BLOCKS, Steadiness, SteadyVerdict,
};
pub use steady::{SteadyJudge, Verdict};
pub use tally::{CauseSums, OpLatencies, OpSums, PageSums};
pub use until::{Decision, PreciseFigure, Precision, PrecisionGoal, Until, UntilGoal};
pub use violation::Violation;
