//! Observation of a run without side effects on it.
//!
//! Each observer is a [`Probe`] and a field of the catalogue [`Probes`]. [`Audit`] checks the page contents
//! and is called by the translation layer.

mod audit;
mod cache_audit;
mod cache_shadow;
mod chips;
mod drive_record;
mod growing;
mod intervals;
mod latencies;
mod load;
mod log;
mod probe;
mod probes;
mod recorder;
mod rounds;
mod row;
mod scheduled;
mod slice;
mod slices;
mod slowest;
mod space_attribution;
mod steadiness;
mod steady;
mod tally;
mod timeline;
mod until;
mod violation;
mod wait_attribution;
mod wait_causes;

pub use audit::{Audit, PlaneRestriction};
pub use chips::{ChipQueue, ChipQueues, ChipTime, ChipTimes};
pub use drive_record::{ArrayTime, DriveRecord};
pub use intervals::{CompletedRequests, FlashWork, IntervalRecord, IntervalSettings, Intervals, Sample};
pub use latencies::{Distribution, Latencies, PackedLatencies};
pub use load::{Interval, LoadRecord};
pub use log::{LogRows, RequestLog};
pub use probe::{
    CommandStart, Completion, Departure, PageCompletion, Probe, Reasons, TransactionInfo, TransferEnd,
};
pub use probes::{DetailedProbes, Probes};
pub use recorder::{PhaseRecord, QueueRecord, Recorder, WarmUp};
pub use rounds::{CountMark, DriveCounts, Rounds, WriteSizes};
pub use row::{REASONS, RequestRow};
pub use scheduled::{ScheduledLatencies, ScheduledRecord};
pub use slice::{ResourceActivity, ResourceKind, Slice, SliceSettings};
pub use slices::Slices;
pub use slowest::Slowest;
pub use steadiness::{
    FEWEST_REQUESTS, JudgedFigures, ROUNDS, RoundFigure, SETTLED_BLOCKS, Steadiness, SteadyVerdict,
};
pub use steady::{SteadyJudge, Verdict};
pub use tally::{CauseSums, OpLatencies, OpSums, PageSums};
pub use until::{PreciseFigure, Precision, PrecisionGoal, StopDecision, Until, UntilGoal};
pub use violation::Violation;
pub use wait_attribution::{Wait, WaitAttribution};
pub use wait_causes::{CAUSES, CausedWait, DieUser, HOST_CAUSES, WaitCause};
