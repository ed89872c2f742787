//! Flows of the host, which determine when the requests of each source are issued.
//!
//! # What it models
//! - Open loop: requests are issued at their arrival times. With a limit of outstanding requests, an arrival
//!   beyond the limit is deferred until the next completion of the flow. Later arrivals are issued as soon as
//!   they are due and the limit allows, so the flow catches up, as with fio's `rate_iops`.
//! - Closed loop: a flow first issues as many requests as its depth, then one request for each completion, at
//!   once or after a think time. If the think time follows a *round* of several requests, the flow issues
//!   these requests and waits for the think time after the last of them has completed.
//! - Closed loop with a weight: see `flow_shares`.
//!
//! Arrivals and ends of think times are scheduled as events. This module issues no requests itself: each call
//! returns the requests for the caller to issue.
//!
//! # Source
//! fio's documentation: `rate_iops` and `iodepth`, `thinktime` and `thinktime_blocks`.
//!
//! # Parameters
//! Each flow has its loop mode, depth and think time ([`venice_requests::Flow`]), from `--closed-loop`, a
//! workload or a fio job.

use arrayvec::ArrayVec;
use venice_kernel::SimTime;
use venice_requests::{Flow, HostRequest, LoopMode, Pace, SectorRange, SourceError};

use super::event_sink::{HostEvent, HostEventSink};
use super::flow_shares::FlowShares;
use super::request::FlowId;

/// Action that a flow requires after a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowReaction {
    /// No request is to be issued.
    Nothing,
    /// Another request of the flow is to be issued.
    Issue,
    /// The deferred arrival of the flow can now be processed.
    Arrival,
}

/// State of a flow during a run.
#[derive(Clone, Copy, Debug, Default)]
struct FlowProgress {
    /// Request of the next arrival, in an open loop.
    next: Option<HostRequest>,
    /// Number of outstanding requests, in an open loop with a limit; number of incomplete requests of the
    /// current round, in a closed loop with rounds.
    outstanding: u32,
    /// True if the next arrival is deferred because of the limit of outstanding requests.
    put_off: bool,
    /// Number of requests of the current round that have not been issued, in a closed loop with rounds.
    left: u32,
}

impl FlowProgress {
    /// Begins a round of a closed loop. Returns the number of requests to issue at once.
    const fn begin_round(&mut self, depth: u32, pace: &Pace) -> u32 {
        if pace.think_requests <= 1 {
            return depth;
        }
        let at_once = if depth < pace.think_requests { depth } else { pace.think_requests };
        (self.left, self.outstanding) = (pace.think_requests - at_once, at_once);
        at_once
    }

    /// Records a completion in the current round. Returns true if another request of the round must be
    /// issued.
    const fn completed_in_round(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return true;
        }
        self.outstanding -= 1;
        false
    }
}

/// Flows of a host.
pub struct Flows {
    all: Vec<Flow>,
    rhythms: Vec<FlowProgress>,
    /// Groups of flows with weights, if there are any.
    shares: Option<Box<FlowShares>>,
    /// True if [`Flows::end`] may end a flow early.
    may_be_ended: bool,
}

impl Flows {
    /// Creates the flows, which have not started yet.
    pub(super) fn new(flows: Vec<Flow>) -> Self {
        let may_be_ended = flows.iter().any(|flow| flow.steady().is_some());
        let shares = FlowShares::new(&flows).map(Box::new);
        Self { rhythms: vec![FlowProgress::default(); flows.len()], all: flows, shares, may_be_ended }
    }

    /// Declares that [`Flows::end`] may be called for any flow at any time.
    pub const fn expect_end(&mut self) {
        self.may_be_ended = true;
    }

    /// Returns all flows in order.
    pub fn all(&self) -> &[Flow] {
        &self.all
    }

    /// Returns the total number of requests; `None` if some source does not know its number in advance.
    pub fn total(&self) -> Option<u64> {
        self.all.iter().map(|flow| flow.source().total()).sum()
    }

    /// Iterates over the flow ids.
    pub fn ids(&self) -> impl Iterator<Item = FlowId> + use<> {
        (0..self.all.len() as u32).map(FlowId)
    }

    fn of(&mut self, id: FlowId) -> (&mut Flow, &mut FlowProgress) {
        let place = id.0 as usize;
        (&mut self.all[place], &mut self.rhythms[place])
    }

    /// Ends a flow, which issues no further requests. [`Flows::expect_end`] must have been called before,
    /// unless the flow's steady-state rule ends it.
    pub fn end(&mut self, id: FlowId, now: SimTime) {
        debug_assert!(self.may_be_ended, "the end of a flow is announced");
        self.of(id).0.end(now);
    }

    /// Ends all flows.
    pub fn end_all(&mut self, now: SimTime) {
        self.all.iter_mut().for_each(|flow| flow.end(now));
    }

    /// True if a request was not issued because its time exceeds the range of the simulator's clock.
    pub fn are_cut_by_clock(&self) -> bool {
        self.all.iter().any(Flow::is_cut_by_clock)
    }

    /// Returns the error that ended a source early, if there is one.
    pub fn take_error(&mut self) -> Option<SourceError> {
        self.all.iter_mut().find_map(Flow::take_error)
    }

    /// Starts a flow. Returns the number of requests to issue at once; later ones are scheduled.
    pub fn start(&mut self, id: FlowId, now: SimTime, event_sink: &mut impl HostEventSink) -> u32 {
        let has_share = self.shares.as_ref().is_some_and(|shares| shares.contains(id));
        let (flow, progress) = self.of(id);
        let LoopMode::Closed { depth } = flow.mode() else {
            self.schedule_arrival(id, now, event_sink);
            return 0;
        };
        let pace = flow.pace();
        let requests = if has_share { 1 } else { progress.begin_round(depth, &pace) };
        if pace.start <= now {
            return requests;
        }
        post_issues(id, requests, pace.start, event_sink);
        0
    }

    /// True if a flow will issue another request although no request is outstanding. False negatives are possible:
    /// for flows with steady-state criteria, and for flows that go on only after others of their group have ended.
    pub fn go_on(&mut self, now: SimTime) -> bool {
        !self.may_be_ended && self.ids().any(|id| self.goes_on(id, now))
    }

    fn goes_on(&mut self, id: FlowId, now: SimTime) -> bool {
        if let Some(shares) = &self.shares
            && shares.contains(id)
        {
            let at = shares.next_issue(id);
            return at.is_some_and(|at| self.of(id).0.has_more(at));
        }
        let (flow, progress) = self.of(id);
        let pace = flow.pace();
        match flow.mode() {
            LoopMode::Open => progress.next.is_some_and(|request| !flow.is_over(request.arrival.max(now))),
            LoopMode::Closed { .. } => flow.has_more(now.saturating_add(pace.think).max(pace.start)),
        }
    }

    /// Returns the next request of a closed loop; `None` at its end, or if the flow is beyond its share.
    #[inline]
    pub fn next_request(
        &mut self,
        id: FlowId,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) -> Option<HostRequest> {
        let flow = &mut self.all[id.0 as usize];
        let Some(shares) = self.shares.as_mut().filter(|shares| shares.contains(id)) else {
            return flow.next_request(now);
        };
        // As in fio, a flow that is beyond its share and has no further request does not wait.
        if !flow.has_more(now) {
            shares.leave(id, now, event_sink);
            return None;
        }
        if shares.admits(id, now) { flow.next_request(now) } else { None }
    }

    /// Processes the submission of a request, which leaves its core of the host at `free_at`.
    #[inline]
    pub(super) fn submitted(
        &mut self,
        id: FlowId,
        now: SimTime,
        free_at: SimTime,
        event_sink: &mut impl HostEventSink,
    ) {
        if let Some(shares) = &mut self.shares {
            shares.submitted(id, now, free_at, event_sink);
        }
    }

    /// Returns true if the request of the flow that was returned last is a trim with several ranges.
    #[inline]
    pub(super) fn has_further_ranges(&self, id: FlowId) -> bool {
        self.all.get(id.0 as usize).is_some_and(Flow::has_further_ranges)
    }

    /// Removes and returns the ranges of the trim that was returned last, after its first range.
    pub(super) fn take_further_ranges(&mut self, id: FlowId) -> impl Iterator<Item = SectorRange> {
        self.all[id.0 as usize].take_further_ranges()
    }

    /// True if some requests of the flow have been prefetched and not yet issued.
    #[inline]
    pub(super) fn has_near(&self, id: FlowId) -> bool {
        self.all[id.0 as usize].has_near()
    }

    /// Returns the start sectors of a flow's next requests, at most `MOST`, for prefetching. Returns `None`
    /// if they have already been returned.
    #[inline]
    pub(super) fn prefetch_next<const MOST: usize>(&mut self, id: FlowId) -> Option<ArrayVec<u64, MOST>> {
        let near = self.of(id).0.prefetch_next(MOST)?;
        Some(near.iter().map(|request| request.start_sector).collect())
    }

    /// Schedules the next arrival of an open loop, if there is one.
    pub fn schedule_arrival(&mut self, id: FlowId, now: SimTime, event_sink: &mut impl HostEventSink) {
        let (flow, progress) = self.of(id);
        progress.next = flow.next_request(now);
        if let Some(request) = &progress.next {
            event_sink.post(request.arrival.max(now), HostEvent::Arrival(id));
        }
    }

    /// Processes a due arrival. Returns the request to issue, or `None` if the arrival is deferred or the
    /// flow has ended. The caller issues the request and then [schedules](Self::schedule_arrival) the next
    /// arrival.
    #[inline]
    pub fn arrival(&mut self, id: FlowId, now: SimTime) -> Option<HostRequest> {
        let (flow, progress) = self.of(id);
        let most = flow.pace().most_outstanding;
        if most.is_some_and(|most| progress.outstanding >= most) {
            progress.put_off = true;
            return None;
        }
        if flow.refuses(now) {
            return None;
        }
        progress.outstanding += u32::from(most.is_some());
        progress.next.take()
    }

    /// Processes the completion of a request. Returns the action that its flow requires; issues after a think
    /// time are scheduled.
    #[inline]
    pub fn completed(
        &mut self,
        id: FlowId,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) -> FlowReaction {
        if let Some(shares) = &mut self.shares
            && let Some(reaction) = shares.completed(id, now, event_sink)
        {
            return reaction;
        }
        let flow = &self.all[id.0 as usize];
        let pace = flow.pace();
        match flow.mode() {
            LoopMode::Closed { .. } if pace.think.is_zero() => FlowReaction::Issue,
            LoopMode::Closed { depth } => self.think(id, depth, now, event_sink),
            LoopMode::Open if pace.most_outstanding.is_none() => FlowReaction::Nothing,
            LoopMode::Open => {
                let (_, progress) = self.of(id);
                progress.outstanding -= 1;
                if std::mem::take(&mut progress.put_off) {
                    FlowReaction::Arrival
                } else {
                    FlowReaction::Nothing
                }
            }
        }
    }

    /// Processes the completion of a request in a closed loop with think time.
    fn think(
        &mut self,
        id: FlowId,
        depth: u32,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) -> FlowReaction {
        let (flow, progress) = self.of(id);
        let pace = flow.pace();
        let mut requests = 1;
        if pace.think_requests > 1 {
            if progress.completed_in_round() {
                return FlowReaction::Issue;
            }
            if progress.outstanding > 0 {
                return FlowReaction::Nothing;
            }
            requests = progress.begin_round(depth, &pace);
        }
        let at = now.saturating_add(pace.think);
        if !self.of(id).0.refuses(at) {
            post_issues(id, requests, at, event_sink);
        }
        FlowReaction::Nothing
    }
}

/// Schedules the issue of `requests` requests of a closed loop at `at`.
fn post_issues(id: FlowId, requests: u32, at: SimTime, event_sink: &mut impl HostEventSink) {
    for _ in 0..requests {
        event_sink.post(at, HostEvent::Issue(id));
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimSpan;
    use venice_requests::Op;

    use super::*;

    use crate::testkit::{Script, pages};

    const FLOW: FlowId = FlowId(0);
    const THINK: SimSpan = SimSpan::from_us(1);

    /// Log of scheduled events.
    #[derive(Default)]
    struct EventLog(Vec<(SimTime, HostEvent)>);

    impl HostEventSink for EventLog {
        fn post(&mut self, at: SimTime, event: HostEvent) {
            self.0.push((at, event));
        }
    }

    /// Creates one flow of `requests` requests, with arrivals one microsecond apart.
    fn flows(mode: LoopMode, pace: Pace, requests: u64) -> Flows {
        let arrivals = (0..requests).map(|page| SimTime::ZERO + SimSpan::from_us(page));
        let requests = arrivals.zip(0..).map(|(at, page)| pages(Op::Read, page, 1, at)).collect();
        Flows::new(vec![Flow::new(Box::new(Script::new(requests)), mode).at_pace(pace)])
    }

    fn think(think_requests: u32) -> Pace {
        Pace { think: THINK, think_requests, ..Pace::default() }
    }

    #[test]
    fn a_closed_loop_issues_one_request_for_each_completion_at_once_or_after_thinking() {
        let mut posted = EventLog::default();
        let closed = LoopMode::Closed { depth: 4 };
        let mut busy = flows(closed, Pace::default(), 9);
        assert_eq!(busy.start(FLOW, SimTime::ZERO, &mut posted), 4);
        assert_eq!(busy.completed(FLOW, SimTime::ZERO, &mut posted), FlowReaction::Issue);
        assert_eq!(posted.0, []);
        let mut thinking = flows(closed, think(0), 9);
        assert_eq!(thinking.completed(FLOW, SimTime::ZERO, &mut posted), FlowReaction::Nothing);
        assert_eq!(posted.0, [(SimTime::ZERO + THINK, HostEvent::Issue(FLOW))]);
    }

    #[test]
    fn a_think_time_beyond_the_clock_ends_the_loop_with_a_report() {
        let mut posted = EventLog::default();
        let think = SimSpan::from_ps(u64::MAX - 5);
        let mut flows = flows(LoopMode::Closed { depth: 1 }, Pace { think, ..Pace::default() }, 9);
        assert_eq!(flows.start(FLOW, SimTime::ZERO, &mut posted), 1);
        assert!(!flows.are_cut_by_clock());
        assert_eq!(flows.completed(FLOW, SimTime::from_ps(7), &mut posted), FlowReaction::Nothing);
        assert_eq!((posted.0.len(), flows.are_cut_by_clock()), (0, true));
    }

    #[test]
    fn a_closed_loop_that_starts_later_issues_nothing_now() {
        let (mut posted, start) = (EventLog::default(), SimTime::from_ps(7));
        let mut later = flows(LoopMode::Closed { depth: 2 }, Pace { start, ..Pace::default() }, 9);
        assert_eq!(later.start(FLOW, SimTime::ZERO, &mut posted), 0);
        assert_eq!(posted.0, [(start, HostEvent::Issue(FLOW)); 2]);
        assert_eq!(later.start(FLOW, start, &mut posted), 2, "it is time");
    }

    #[test]
    fn who_thinks_after_several_requests_issues_no_more_and_thinks_when_all_are_complete() {
        let mut posted = EventLog::default();
        let mut flows = flows(LoopMode::Closed { depth: 2 }, think(5), 99);
        assert_eq!(flows.start(FLOW, SimTime::ZERO, &mut posted), 2);
        for round in 1..3 {
            let following: Vec<_> =
                (0..5).map(|_| flows.completed(FLOW, SimTime::ZERO, &mut posted)).collect();
            let [issue, nothing] = [FlowReaction::Issue, FlowReaction::Nothing];
            assert_eq!(following, [issue, issue, issue, nothing, nothing]);
            assert_eq!(posted.0, vec![(SimTime::ZERO + THINK, HostEvent::Issue(FLOW)); 2 * round]);
        }
    }

    #[test]
    fn an_open_loop_issues_at_its_arrivals_or_at_once_when_these_have_passed() {
        let mut posted = EventLog::default();
        let mut open = flows(LoopMode::Open, Pace::default(), 3);
        let us = |us| SimTime::ZERO + SimSpan::from_us(us);
        assert_eq!(open.start(FLOW, SimTime::ZERO, &mut posted), 0);
        for now in [0, 5, 5] {
            assert!(open.arrival(FLOW, us(now)).is_some());
            open.schedule_arrival(FLOW, us(now), &mut posted);
        }
        assert_eq!(posted.0, [us(0), us(1), us(5)].map(|at| (at, HostEvent::Arrival(FLOW))));
    }

    #[test]
    fn an_arrival_that_meets_the_bound_is_put_off_until_a_completion_and_no_longer() {
        let (mut posted, now) = (EventLog::default(), SimTime::ZERO + SimSpan::from_us(9));
        let pace = Pace { most_outstanding: Some(1), ..Pace::default() };
        let mut open = flows(LoopMode::Open, pace, 9);
        open.start(FLOW, SimTime::ZERO, &mut posted);
        assert!(open.arrival(FLOW, now).is_some());
        open.schedule_arrival(FLOW, now, &mut posted);
        assert!(open.arrival(FLOW, now).is_none());
        assert_eq!(open.completed(FLOW, now, &mut posted), FlowReaction::Arrival);
        assert!(open.arrival(FLOW, now).is_some());
        assert_eq!(
            open.completed(FLOW, now, &mut posted),
            FlowReaction::Nothing,
            "nothing was put off since"
        );
        let mut unbounded = flows(LoopMode::Open, Pace::default(), 9);
        assert_eq!(unbounded.completed(FLOW, now, &mut posted), FlowReaction::Nothing);
    }
}
