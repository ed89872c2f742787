//! Flow control: flows of a group issue requests in proportion to their weights, like fio jobs with the
//! option `flow`.
//!
//! # What it models
//! Before each request, a flow compares its share of the group's requests with its share of the group's
//! weights. A flow beyond its share issues nothing until other flows of the group have issued more. If it
//! has a pause, it first waits for all of its outstanding requests, so that it issues requests in bursts.
//! A request counts when it is issued. A flow issues its next request when the previous one has left its
//! core of the host. A flow without further requests leaves its group.
//!
//! # What is left out
//! A job of fio that waits without a pause notices completions only afterwards, which lengthens the latencies that
//! it measures.
//!
//! # Source
//! fio 3.32: `HOWTO.rst`, options `flow`, `flow_id` and `flow_sleep`; `flow.c`, `backend.c`.

use venice_kernel::{SimSpan, SimTime};
use venice_requests::{Flow, LoopMode};

use super::event_sink::{HostEvent, HostEventSink};
use super::flows::FlowReaction;
use super::request::FlowId;

/// Reason why a flow issues nothing at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FlowWait {
    /// The flow attempts to issue a request at this time.
    Attempt(SimTime),
    /// As many requests as the depth allows are outstanding.
    Depth,
    /// The flow is beyond its share, and waits for its outstanding requests.
    Drain,
    /// The flow is beyond its share since this time.
    Share(SimTime),
}

/// State of a flow that belongs to a group.
#[derive(Clone, Debug)]
struct Member {
    /// Index of the group.
    group: usize,
    weight: u64,
    depth: u32,
    pause: Option<SimSpan>,
    issued: u64,
    outstanding: u32,
    /// Time at which the last request has left its core.
    free_at: SimTime,
    wait: FlowWait,
}

impl Member {
    /// Returns the first time from `now` on at which a flow, which has been beyond its share since
    /// `since`, compares its share again.
    fn next_comparison(&self, since: SimTime, now: SimTime) -> SimTime {
        let pause = self.pause.unwrap_or(SimSpan::ZERO);
        if pause.is_zero() {
            return now;
        }
        let pauses = now.since(since).as_ps().div_ceil(pause.as_ps()).max(1);
        since.saturating_add(SimSpan::from_ps(pause.as_ps().saturating_mul(pauses)))
    }
}

/// Flows that share their requests in proportion to their weights.
#[derive(Clone, Debug)]
struct Group {
    number: u32,
    /// Number of requests issued by all flows of the group, plus 1.
    issued: u64,
    weight: u64,
    members: Vec<FlowId>,
}

impl Group {
    /// Returns true if the flow `member` has issued more than its share.
    fn is_exceeded_by(&self, member: &Member) -> bool {
        u128::from(member.issued) * u128::from(self.weight)
            > u128::from(member.weight) * u128::from(self.issued)
    }
}

/// Groups of flows with weights.
#[derive(Clone, Debug)]
pub(super) struct FlowShares {
    /// State of each flow, by flow id; `None` for flows without a group.
    members: Vec<Option<Member>>,
    groups: Vec<Group>,
}

impl FlowShares {
    /// Creates the groups of closed-loop flows with weights. Returns `None` if there are none.
    pub(super) fn new(flows: &[Flow]) -> Option<Self> {
        let mut groups = Vec::new();
        let members: Vec<_> =
            flows.iter().zip(0..).map(|(flow, id)| join(flow, FlowId(id), &mut groups)).collect();
        (!groups.is_empty()).then_some(Self { members, groups })
    }

    /// Returns true if a flow belongs to a group.
    pub(super) fn contains(&self, id: FlowId) -> bool {
        self.members[id.0 as usize].is_some()
    }

    /// Returns the time at which a flow of a group issues its next request if no request is outstanding; `None`
    /// if it is beyond its share.
    pub(super) fn next_issue(&self, id: FlowId) -> Option<SimTime> {
        let member = self.members[id.0 as usize].as_ref()?;
        let FlowWait::Attempt(at) = member.wait else { return None };
        (!self.groups[member.group].is_exceeded_by(member)).then_some(at)
    }

    /// Counts a request of a flow and returns true if the flow may issue it. Flows without a group always may.
    pub(super) fn admits(&mut self, id: FlowId, now: SimTime) -> bool {
        let Some(member) = &mut self.members[id.0 as usize] else { return true };
        let group = &mut self.groups[member.group];
        if group.is_exceeded_by(member) {
            let is_draining = member.pause.is_some() && member.outstanding > 0;
            member.wait = if is_draining { FlowWait::Drain } else { FlowWait::Share(now) };
            return false;
        }
        group.issued += 1;
        member.issued += 1;
        member.outstanding += 1;
        true
    }

    /// Processes the submission of an admitted request, which leaves its core at `free_at`. Schedules the next
    /// attempts of flows of the group.
    pub(super) fn submitted(
        &mut self,
        id: FlowId,
        now: SimTime,
        free_at: SimTime,
        event_sink: &mut impl HostEventSink,
    ) {
        let Some(member) = &mut self.members[id.0 as usize] else { return };
        member.free_at = free_at;
        if member.outstanding < member.depth {
            member.wait = FlowWait::Attempt(free_at);
            event_sink.post(free_at, HostEvent::Issue(id));
        } else {
            member.wait = FlowWait::Depth;
        }
        let group = member.group;
        self.wake(group, now, event_sink);
    }

    /// Processes the completion of a request. Returns `None` for flows without a group.
    pub(super) fn completed(
        &mut self,
        id: FlowId,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) -> Option<FlowReaction> {
        let member = self.members[id.0 as usize].as_mut()?;
        member.outstanding -= 1;
        let at = match member.wait {
            FlowWait::Depth => member.free_at.max(now),
            FlowWait::Drain if member.outstanding == 0 => {
                now.saturating_add(member.pause.unwrap_or(SimSpan::ZERO))
            }
            FlowWait::Attempt(_) | FlowWait::Drain | FlowWait::Share(_) => {
                return Some(FlowReaction::Nothing);
            }
        };
        member.wait = FlowWait::Attempt(at);
        if at > now {
            event_sink.post(at, HostEvent::Issue(id));
            return Some(FlowReaction::Nothing);
        }
        Some(FlowReaction::Issue)
    }

    /// Removes a flow that has ended from its group, with its requests and its weight.
    pub(super) fn leave(&mut self, id: FlowId, now: SimTime, event_sink: &mut impl HostEventSink) {
        let Some(member) = self.members[id.0 as usize].take() else { return };
        let group = &mut self.groups[member.group];
        group.issued -= member.issued;
        group.weight -= member.weight;
        group.members.retain(|other| *other != id);
        self.wake(member.group, now, event_sink);
    }

    /// Schedules attempts of the flows of a group that are no longer beyond their shares.
    fn wake(&mut self, group: usize, now: SimTime, event_sink: &mut impl HostEventSink) {
        let group = &self.groups[group];
        for &id in &group.members {
            let Some(member) = &mut self.members[id.0 as usize] else { continue };
            let FlowWait::Share(since) = member.wait else { continue };
            if !group.is_exceeded_by(member) {
                let at = member.next_comparison(since, now);
                member.wait = FlowWait::Attempt(at);
                event_sink.post(at, HostEvent::Issue(id));
            }
        }
    }
}

/// Adds a flow with a weight to its group. Returns `None` for a flow without a weight.
fn join(flow: &Flow, id: FlowId, groups: &mut Vec<Group>) -> Option<Member> {
    let (LoopMode::Closed { depth }, Some(share)) = (flow.mode(), flow.pace().share) else { return None };
    let found = groups.iter().position(|group| group.number == share.group);
    let index = found.unwrap_or_else(|| {
        groups.push(Group { number: share.group, issued: 1, weight: 0, members: Vec::new() });
        groups.len() - 1
    });
    let weight = u64::from(share.weight);
    groups[index].weight += weight;
    groups[index].members.push(id);
    Some(Member {
        group: index,
        weight,
        depth,
        pause: share.pause,
        issued: 0,
        outstanding: 0,
        free_at: SimTime::ZERO,
        wait: FlowWait::Attempt(flow.pace().start),
    })
}

#[cfg(test)]
mod tests {
    use venice_requests::{FlowShare, Op, Pace};

    use super::*;
    use crate::testkit::{Script, pages};

    const READS: FlowId = FlowId(0);
    const WRITES: FlowId = FlowId(1);

    /// Log of scheduled attempts.
    #[derive(Default)]
    struct EventLog(Vec<(u64, FlowId)>);

    impl HostEventSink for EventLog {
        fn post(&mut self, at: SimTime, event: HostEvent) {
            let HostEvent::Issue(flow) = event else { panic!("only attempts are scheduled") };
            self.0.push((at.as_ps(), flow));
        }
    }

    fn flow(depth: u32, share: Option<FlowShare>) -> Flow {
        let requests = vec![pages(Op::Read, 0, 1, SimTime::ZERO)];
        let pace = Pace { share, ..Pace::default() };
        Flow::new(Box::new(Script::new(requests)), LoopMode::Closed { depth }).at_pace(pace)
    }

    /// Creates two flows of a group with these weights and a depth of 100.
    fn shares(weights: [u32; 2], pause_ps: Option<u64>) -> FlowShares {
        let pause = pause_ps.map(SimSpan::from_ps);
        let share = |weight| Some(FlowShare { group: 7, weight, pause });
        FlowShares::new(&weights.map(|weight| flow(100, share(weight)))).expect("a group")
    }

    impl FlowShares {
        fn is_full(&self, id: FlowId) -> bool {
            self.members[id.0 as usize].as_ref().is_some_and(|member| member.wait == FlowWait::Depth)
        }
    }

    /// Issues requests of a flow at `now` until it waits. Returns their number.
    fn burst(shares: &mut FlowShares, id: FlowId, now: u64, log: &mut EventLog) -> u32 {
        let now = SimTime::from_ps(now);
        let mut count = 0;
        while !shares.is_full(id) && shares.admits(id, now) {
            shares.submitted(id, now, now, log);
            count += 1;
        }
        count
    }

    #[test]
    fn a_flow_issues_its_share_of_the_requests_so_far_and_one_more() {
        for ratio in [1, 3, 9, 19] {
            let (mut shares, mut log) = (shares([ratio, 1], None), EventLog::default());
            // By `issued > weight x (1 + all issued)`: the reads wait at ratio x (writes + 1) + 1.
            assert_eq!(burst(&mut shares, READS, 0, &mut log), ratio + 1);
            assert_eq!(burst(&mut shares, WRITES, 0, &mut log), if ratio == 1 { 4 } else { 2 });
            let more = if ratio == 1 { 4 } else { 2 * ratio };
            assert_eq!(burst(&mut shares, READS, 0, &mut log), more);
        }
    }

    #[test]
    fn a_flow_with_a_pause_first_waits_for_its_outstanding_requests() {
        let (mut shares, mut log) = (shares([1, 1], Some(10)), EventLog::default());
        assert_eq!(burst(&mut shares, READS, 0, &mut log), 2);
        assert_eq!(burst(&mut shares, WRITES, 0, &mut log), 4);
        log.0.clear();
        let at = SimTime::from_ps;
        assert_eq!(shares.completed(READS, at(30), &mut log), Some(FlowReaction::Nothing));
        assert_eq!(log.0, []);
        assert_eq!(shares.completed(READS, at(50), &mut log), Some(FlowReaction::Nothing));
        assert_eq!(log.0, [(60, READS)], "the pause begins when no request is outstanding");
    }

    #[test]
    fn a_flow_compares_again_at_multiples_of_its_pause_or_at_once() {
        for (pause_ps, compares_at) in [(Some(10), 40), (Some(0), 33), (None, 33)] {
            let (mut shares, mut log) = (shares([1, 1], pause_ps), EventLog::default());
            let at = SimTime::from_ps;
            assert_eq!(burst(&mut shares, READS, 0, &mut log), 2);
            shares.completed(READS, at(5), &mut log);
            shares.completed(READS, at(10), &mut log);
            assert!(!shares.admits(READS, at(20)));
            log.0.clear();
            assert!(shares.admits(WRITES, at(33)));
            shares.submitted(WRITES, at(33), at(35), &mut log);
            assert_eq!(log.0, [(35, WRITES), (compares_at, READS)], "{pause_ps:?}");
        }
    }

    #[test]
    fn the_depth_bounds_a_flow_within_its_share() {
        let share = |weight| Some(FlowShare { group: 0, weight, pause: None });
        let mut shares = FlowShares::new(&[flow(3, share(9)), flow(1, share(1))]).expect("a group");
        let mut log = EventLog::default();
        for _ in 0..3 {
            assert!(shares.admits(READS, SimTime::ZERO));
            shares.submitted(READS, SimTime::ZERO, SimTime::from_ps(4), &mut log);
        }
        assert_eq!(log.0, [(4, READS); 2], "the third request fills the depth");
        assert_eq!(shares.completed(READS, SimTime::from_ps(9), &mut log), Some(FlowReaction::Issue));
    }

    #[test]
    fn a_flow_that_ends_takes_its_weight_and_requests_with_it() {
        let (mut shares, mut log) = (shares([1, 1], None), EventLog::default());
        assert_eq!(burst(&mut shares, READS, 0, &mut log), 2);
        log.0.clear();
        shares.leave(WRITES, SimTime::from_ps(8), &mut log);
        assert_eq!(log.0, [(8, READS)]);
        assert_eq!(burst(&mut shares, READS, 8, &mut log), 98, "alone, it reaches its depth");
    }

    #[test]
    fn flows_without_a_weight_are_not_limited() {
        assert!(FlowShares::new(&[flow(1, None)]).is_none());
        let share = Some(FlowShare { group: 0, weight: 1, pause: None });
        let mut shares = FlowShares::new(&[flow(1, None), flow(1, share)]).expect("a group");
        assert!(!shares.contains(READS) && shares.contains(WRITES));
        assert!((0..9).all(|_| shares.admits(READS, SimTime::ZERO)));
        assert_eq!(shares.completed(READS, SimTime::ZERO, &mut EventLog::default()), None);
    }
}
