//! When flows issue their requests.
//!
//! # How
//! - Open loop: at their arrivals. With a bound on what is outstanding, an arrival that meets it is put off
//!   until the flow has a completion; those behind it come as soon as they are due and there is room, so that
//!   the flow catches up, as fio does with a rate.
//! - Closed loop: as many as its depth at its start, and one for each completion, at once or after thinking. Who
//!   thinks after several requests issues no more than these, and thinks when all of them are complete.

use venice_kernel::{EventQueue, SimTime};

use crate::fabric::Fabric;
use crate::ftl::FORESEEN;
use crate::host::FlowId;
use venice_requests::{HostRequest, LoopMode, Pace};

use super::{Device, Event};

/// Where a flow is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rhythm {
    /// Open loop: the request that is issued at the next arrival.
    next: Option<HostRequest>,
    /// Requests of a bounded open loop that are outstanding, or of a round that are not complete.
    outstanding: u32,
    /// Whether the next arrival was put off.
    put_off: bool,
    /// Closed loop that thinks after several requests: those of the present round that are not issued yet.
    left: u32,
}

impl<F: Fabric + ?Sized> Device<F> {
    /// Issues the first requests of every flow.
    pub(super) fn issue_first(&mut self, future: &mut EventQueue<Event>) {
        self.schedule_faults(future);
        for flow in (0..self.host.flows().len() as u32).map(FlowId) {
            match self.mode(flow) {
                LoopMode::Open => self.schedule_next_arrival(flow, future),
                LoopMode::Closed { depth } => self.start_closed(flow, depth, future),
            }
        }
    }

    fn start_closed(&mut self, flow: FlowId, depth: u32, future: &mut EventQueue<Event>) {
        let Pace { start, .. } = self.pace(flow);
        for _ in 0..self.begin_round(flow, depth) {
            if start > future.now() {
                future.schedule(start, Event::Issue(flow));
            } else {
                self.submit_next(flow, future.now(), future);
            }
        }
    }

    /// How many requests a closed loop issues at once when it begins, or has thought.
    fn begin_round(&mut self, flow: FlowId, depth: u32) -> u32 {
        let Pace { think_requests, .. } = self.pace(flow);
        if think_requests <= 1 {
            return depth;
        }
        let at_once = depth.min(think_requests);
        let rhythm = &mut self.rhythms[flow.0 as usize];
        (rhythm.left, rhythm.outstanding) = (think_requests - at_once, at_once);
        at_once
    }

    /// A request of a loop that thinks after several is complete.
    fn goes_on_in_round(&mut self, flow: FlowId, depth: u32, now: SimTime, future: &mut EventQueue<Event>) {
        let rhythm = &mut self.rhythms[flow.0 as usize];
        if rhythm.left > 0 {
            rhythm.left -= 1;
            self.submit_next(flow, now, future);
            return;
        }
        rhythm.outstanding -= 1;
        if rhythm.outstanding == 0 {
            let again = now + self.pace(flow).think;
            for _ in 0..self.begin_round(flow, depth) {
                future.schedule(again, Event::Issue(flow));
            }
        }
    }

    fn mode(&self, flow: FlowId) -> LoopMode {
        self.host.flows()[flow.0 as usize].mode()
    }

    fn pace(&self, flow: FlowId) -> Pace {
        self.host.flows()[flow.0 as usize].pace()
    }

    fn schedule_next_arrival(&mut self, flow: FlowId, future: &mut EventQueue<Event>) {
        let next = self.next_request(flow, future.now());
        self.rhythms[flow.0 as usize].next = next;
        if let Some(request) = next {
            future.schedule(request.arrival.max(future.now()), Event::Arrival(flow));
        }
    }

    /// A closed loop's next request.
    pub(super) fn submit_next(&mut self, flow: FlowId, now: SimTime, future: &mut EventQueue<Event>) {
        if let Some(request) = self.next_request(flow, now) {
            self.submit(flow, request, now, future);
        }
    }

    #[inline]
    fn next_request(&mut self, flow: FlowId, now: SimTime) -> Option<HostRequest> {
        let next = self.host.flow_mut(flow).next_request(now);
        if let Some(near) = self.host.come_near::<FORESEEN>(flow) {
            self.ftl.foresee(near.into_iter());
        }
        next
    }

    fn submit(&mut self, flow: FlowId, request: HostRequest, now: SimTime, future: &mut EventQueue<Event>) {
        self.note_issue(now);
        self.host.submit(flow, request, now, future);
    }

    /// An open loop's next request is due.
    pub(super) fn arrival(&mut self, flow: FlowId, now: SimTime, future: &mut EventQueue<Event>) {
        let most = self.pace(flow).most_outstanding;
        let rhythm = &mut self.rhythms[flow.0 as usize];
        if most.is_some_and(|most| rhythm.outstanding >= most) {
            rhythm.put_off = true;
            return;
        }
        if self.host.flows()[flow.0 as usize].is_over(now) {
            return;
        }
        rhythm.outstanding += u32::from(most.is_some());
        if let Some(request) = rhythm.next.take() {
            self.submit(flow, request, now, future);
        }
        self.schedule_next_arrival(flow, future);
    }

    /// A request of the flow is complete: what follows from that.
    pub(super) fn issue_next(&mut self, flow: FlowId, now: SimTime, future: &mut EventQueue<Event>) {
        let Pace { think, think_requests, most_outstanding, .. } = self.pace(flow);
        match self.mode(flow) {
            LoopMode::Closed { .. } if think.is_zero() => self.submit_next(flow, now, future),
            LoopMode::Closed { depth } if think_requests > 1 => {
                self.goes_on_in_round(flow, depth, now, future);
            }
            LoopMode::Closed { .. } => future.schedule(now + think, Event::Issue(flow)),
            LoopMode::Open if most_outstanding.is_none() => {}
            LoopMode::Open => {
                let rhythm = &mut self.rhythms[flow.0 as usize];
                rhythm.outstanding -= 1;
                if std::mem::take(&mut rhythm.put_off) {
                    self.arrival(flow, now, future);
                }
            }
        }
    }
}
