//! Catalogue of probes: a struct with a field for each probe.

use super::load::LoadRecord;
use super::probe::{CommandStart, Completion, Departure, PageCompletion, TransactionOrigins, TransferEnd};
use super::probe::{probes, with_events};
use super::{
    CausedWait, ChipTimes, DispatchRecord, Recorder, RequestLog, Rounds, Slices, StopCriterion, Violation,
    WaitAttribution,
};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{ArrayWork, DieTransfer, Operation};
use venice_nand::geometry::{ChipId, DieId, PlaneId, RequestId, TransactionId};
use venice_nand::latency::StageClock;

with_events! { probes
    /// All probes of a run.
    Probes {
        /// Latencies with their stages, path conflicts and busy times.
        recorder: Recorder,
        /// Arrivals and completions over time.
        load: LoadRecord,
        /// Cumulative counts at several instants, from which the rounds of the steady-state test are formed.
        rounds: Rounds,
        /// Criterion that ends the run early, if there is one.
        until: Option<Box<StopCriterion>>,
        /// Measurements of runs with a host scheduler.
        scheduled: Option<Box<DispatchRecord>>,
        /// Detailed probes, which exist only on request. Without them, each event costs only one check.
        detailed: Option<Box<DetailedProbes>>,
        /// Request log, which is notified only of completions.
        log: Option<Box<RequestLog>>,
    }
}

with_events! { probes
    /// Detailed probes, which slow down the simulation.
    DetailedProbes {
        /// Activity of chips over time.
        chip_times: Option<ChipTimes>,
        /// Attribution of waits to their causes.
        attribution: Option<WaitAttribution>,
        /// Trace of the activity of each resource, as slices.
        slices: Option<Box<Slices>>,
    }
}

impl Probes {
    /// Removes and returns the causes of a completed request's waits, if they are recorded.
    #[inline]
    pub fn take_caused_wait(&mut self, id: RequestId) -> Option<CausedWait> {
        self.detailed.as_mut().and_then(|detailed| detailed.take_caused_wait(id))
    }

    /// Returns true if the causes of waits are recorded.
    pub fn attributes_waits(&self) -> bool {
        self.detailed.as_ref().is_some_and(|detailed| detailed.attribution.is_some())
    }

    /// Returns the request log, if there is one.
    pub fn log(&self) -> Option<&RequestLog> {
        self.log.as_deref()
    }

    /// Returns mutable access to the request log, to drain its rows.
    pub fn log_mut(&mut self) -> Option<&mut RequestLog> {
        self.log.as_deref_mut()
    }

    /// Returns the slices of the trace, if there is one.
    pub fn slices(&self) -> Option<&Slices> {
        self.detailed.as_ref().and_then(|detailed| detailed.slices.as_deref())
    }

    /// Returns mutable access to the slices of the trace, to complete them.
    pub fn slices_mut(&mut self) -> Option<&mut Slices> {
        self.detailed.as_mut().and_then(|detailed| detailed.slices.as_deref_mut())
    }

    /// Returns the first latency whose stages or causes do not add up, if there was one.
    pub fn violation(&self) -> Option<&Violation> {
        self.recorder.violation.as_ref()
    }
}

impl DetailedProbes {
    #[cold]
    fn take_caused_wait(&mut self, id: RequestId) -> Option<CausedWait> {
        self.attribution.as_mut().map(|attribution| attribution.take(id))
    }
}
