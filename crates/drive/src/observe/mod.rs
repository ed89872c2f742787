//! Observers of a run, which do not influence it.
//!
//! Observers implement [`Probe`] and are fields of the catalogue [`Probes`]. The exception is [`Audit`],
//! which checks the contents of pages and is called by the flash translation layer.

mod audit;
mod cache_audit;
mod cache_shadow;
mod chips;
mod dispatch_latencies;
mod drive_record;
mod flow_steady_state;
mod intervals;
mod latencies;
mod load;
mod log;
mod power_loss_audit;
mod probe;
mod probes;
mod recorder;
mod rounds;
mod row;
mod slice;
mod slices;
mod slowest_requests;
mod space_attribution;
mod steady_state_test;
mod stop_criterion;
mod tally;
mod timeline;
mod vec_growth;
mod violation;
mod wait_attribution;
mod wait_causes;
mod write_buffer_growth;
mod zeroed_sectors;

pub use audit::{Audit, PlaneRestriction};
pub use chips::{ChipQueue, ChipQueues, ChipTime, ChipTimes};
pub use dispatch_latencies::{DispatchLatencies, DispatchRecord};
pub use drive_record::{ArrayTime, DriveRecord};
pub use flow_steady_state::{FlowSteadyState, Verdict};
pub use intervals::{CompletedRequests, FlashWork, IntervalRecord, IntervalSettings, Intervals, Sample};
pub use latencies::{Distribution, Latencies, PackedLatencies};
pub use load::{Interval, LoadRecord};
pub use log::{LogRows, RequestLog};
pub use probe::{
    CommandStart, Completion, Departure, PageCompletion, Probe, TransactionInfo, TransactionOrigins,
    TransferEnd,
};
pub use probes::{DetailedProbes, Probes};
pub use recorder::{PhaseRecord, QueueRecord, Recorder, WarmUp};
pub use rounds::{CountMark, DriveCounts, Rounds, WriteSizes};
pub use row::{REASONS, RequestRow};
pub use slice::{ResourceActivity, ResourceKind, Slice, SliceSettings};
pub use slices::Slices;
pub use slowest_requests::SlowestRequests;
pub use steady_state_test::{
    FEWEST_REQUESTS, JudgedFigures, ROUNDS, RoundFigure, SETTLED_BLOCKS, SteadyStateTest, SteadyStateVerdict,
};
pub use stop_criterion::{PreciseFigure, Precision, PrecisionGoal, StopCriterion, StopDecision, StopGoal};
pub use tally::{CauseSums, OpLatencies, OpSums, PageSums};
pub use violation::Violation;
pub use wait_attribution::{Wait, WaitAttribution};
pub use wait_causes::{CAUSES, CausedWait, DieUser, HOST_CAUSES, WaitCause};
