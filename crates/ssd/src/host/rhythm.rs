//! When flows issue their requests.
//!
//! # How
//! - Open loop: at their arrivals. With a bound on what is outstanding, an arrival that meets it is put off
//!   until the flow has a completion; those behind it come as soon as they are due and there is room, so that
//!   the flow catches up, as fio does with a rate.
//! - Closed loop: as many as its depth at its start, and one for each completion, at once or after thinking. Who
//!   thinks after several requests issues no more than these, and thinks when all of them are complete.
//!
//! Nothing is issued or scheduled here: each call says what follows, and whoever calls does it.

use venice_kernel::SimTime;
use venice_requests::{Flow, HostRequest, LoopMode, Pace};

use super::FlowId;

/// What follows from the completion of a request for its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Following {
    /// Nothing.
    Nothing,
    /// A request is issued at once.
    Issue,
    /// So many requests are issued after thinking.
    Think(u32),
    /// The arrival that was put off is due.
    Arrival,
}

/// Where a flow is.
#[derive(Clone, Copy, Debug, Default)]
struct Rhythm {
    /// Open loop: the request that is issued at the next arrival.
    next: Option<HostRequest>,
    /// Requests of a bounded open loop that are outstanding, or of a round that are not complete.
    outstanding: u32,
    /// Whether the next arrival was put off.
    put_off: bool,
    /// Closed loop that thinks after several requests: those of the present round that are not issued yet.
    left: u32,
}

/// Where each flow is.
#[derive(Clone, Debug)]
pub struct Rhythms(Vec<Rhythm>);

impl Rhythms {
    /// So many flows that have not begun.
    pub fn new(flows: usize) -> Self {
        Self(vec![Rhythm::default(); flows])
    }

    #[inline]
    fn of(&mut self, id: FlowId) -> &mut Rhythm {
        &mut self.0[id.0 as usize]
    }

    /// A closed loop of this depth begins, or has thought: how many requests it issues at once.
    pub fn begin_round(&mut self, id: FlowId, depth: u32, pace: &Pace) -> u32 {
        if pace.think_requests <= 1 {
            return depth;
        }
        let at_once = depth.min(pace.think_requests);
        let rhythm = self.of(id);
        (rhythm.left, rhythm.outstanding) = (pace.think_requests - at_once, at_once);
        at_once
    }

    /// An open loop issues this request at its next arrival; none if it has no more.
    #[inline]
    pub fn arrives_next(&mut self, id: FlowId, request: Option<HostRequest>) {
        self.of(id).next = request;
    }

    /// An arrival is due: the request that is issued, unless the arrival is put off or the flow has ended.
    #[inline]
    pub fn arrives(&mut self, id: FlowId, flow: &Flow, now: SimTime) -> Option<HostRequest> {
        let most = flow.pace().most_outstanding;
        let rhythm = self.of(id);
        if most.is_some_and(|most| rhythm.outstanding >= most) {
            rhythm.put_off = true;
            return None;
        }
        if flow.is_over(now) {
            return None;
        }
        rhythm.outstanding += u32::from(most.is_some());
        rhythm.next.take()
    }

    /// A request of the flow is complete.
    #[inline]
    pub fn completed(&mut self, id: FlowId, flow: &Flow) -> Following {
        let pace = flow.pace();
        match flow.mode() {
            LoopMode::Closed { .. } if pace.think.is_zero() => Following::Issue,
            LoopMode::Closed { depth } if pace.think_requests > 1 => {
                self.completed_in_round(id, depth, &pace)
            }
            LoopMode::Closed { .. } => Following::Think(1),
            LoopMode::Open if pace.most_outstanding.is_none() => Following::Nothing,
            LoopMode::Open => {
                let rhythm = self.of(id);
                rhythm.outstanding -= 1;
                if std::mem::take(&mut rhythm.put_off) { Following::Arrival } else { Following::Nothing }
            }
        }
    }

    /// The same of a loop that thinks after several.
    fn completed_in_round(&mut self, id: FlowId, depth: u32, pace: &Pace) -> Following {
        let rhythm = self.of(id);
        if rhythm.left > 0 {
            rhythm.left -= 1;
            return Following::Issue;
        }
        rhythm.outstanding -= 1;
        if rhythm.outstanding > 0 {
            return Following::Nothing;
        }
        Following::Think(self.begin_round(id, depth, pace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use venice_kernel::SimSpan;

    use crate::testkit::drive::{Script, pages};
    use venice_requests::Op;

    const FLOW: FlowId = FlowId(0);

    fn flow(mode: LoopMode, pace: Pace) -> Flow {
        Flow::new(Box::new(Script::new(Vec::new())), mode).at_pace(pace)
    }

    fn request() -> HostRequest {
        pages(Op::Read, 0, 1, SimTime::ZERO)
    }

    #[test]
    fn a_closed_loop_issues_one_request_for_each_completion() {
        let mut rhythms = Rhythms::new(1);
        let closed = flow(LoopMode::Closed { depth: 4 }, Pace::default());
        assert_eq!(rhythms.begin_round(FLOW, 4, &closed.pace()), 4);
        assert_eq!(rhythms.completed(FLOW, &closed), Following::Issue);
        let thinking = flow(closed.mode(), Pace { think: SimSpan::from_us(1), ..Pace::default() });
        assert_eq!(rhythms.completed(FLOW, &thinking), Following::Think(1));
    }

    #[test]
    fn who_thinks_after_several_requests_issues_no_more_and_thinks_when_all_are_complete() {
        let mut rhythms = Rhythms::new(1);
        let pace = Pace { think: SimSpan::from_us(1), think_requests: 5, ..Pace::default() };
        let closed = flow(LoopMode::Closed { depth: 2 }, pace);
        for round in 0..2 {
            let at_once = if round == 0 { rhythms.begin_round(FLOW, 2, &pace) } else { 2 };
            assert_eq!(at_once, 2);
            let following: Vec<_> = (0..5).map(|_| rhythms.completed(FLOW, &closed)).collect();
            let [issue, nothing] = [Following::Issue, Following::Nothing];
            assert_eq!(following, [issue, issue, issue, nothing, Following::Think(2)]);
        }
    }

    #[test]
    fn an_arrival_that_meets_the_bound_is_put_off_until_a_completion_and_no_longer() {
        let mut rhythms = Rhythms::new(1);
        let open = flow(LoopMode::Open, Pace { most_outstanding: Some(1), ..Pace::default() });
        rhythms.arrives_next(FLOW, Some(request()));
        assert!(rhythms.arrives(FLOW, &open, SimTime::ZERO).is_some());
        rhythms.arrives_next(FLOW, Some(request()));
        assert!(rhythms.arrives(FLOW, &open, SimTime::ZERO).is_none());
        assert_eq!(rhythms.completed(FLOW, &open), Following::Arrival);
        assert!(rhythms.arrives(FLOW, &open, SimTime::ZERO).is_some());
        assert_eq!(rhythms.completed(FLOW, &open), Following::Nothing, "nothing was put off since");
        let unbounded = flow(LoopMode::Open, Pace::default());
        assert_eq!(rhythms.completed(FLOW, &unbounded), Following::Nothing);
    }
}
