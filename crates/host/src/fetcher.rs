//! Command fetch in the drive: limits of concurrent commands, and arbitration.
//!
//! # What it models
//! The drive processes a limited number of commands of each queue, and of all queues together. A command
//! beyond a limit stays in its queue. When a command finishes, one of the waiting commands is fetched; if
//! several queues have waiting commands, the arbitration chooses one.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), `Host_Interface_NVMe.cpp` (the limit of each queue); NVM Express Base
//! Specification 1.4, §4.13 (arbitration). The limit for all queues together has no published source.
//!
//! # Parameters
//! `host.queue_depth`, `host.drive_depth`, `host.arbitration`

use std::collections::VecDeque;

use arrayvec::ArrayVec;
use venice_nand::geometry::Priority;

use super::HostSettings;
use super::arbitration::{AnyArbitration, Contender};
use super::request::Request;

/// Drive-side state of a queue.
#[derive(Clone, Debug)]
struct FetchQueue {
    /// Commands whose doorbell has reached the drive and which are not yet fetched.
    pending: VecDeque<Request>,
    /// Number of commands at the head of `pending` whose mapping entries have been prefetched.
    near: usize,
    /// Number of further commands of this queue that may be fetched.
    left: u32,
}

/// Drive-side state of all queues.
#[derive(Clone, Debug)]
pub(super) struct Fetcher {
    queues: Vec<FetchQueue>,
    /// Priority class of each queue; unlisted queues have the class `high`.
    priorities: Vec<Priority>,
    /// Limit of concurrent commands per queue.
    queue_depth: u32,
    /// Number of further commands, over all queues, that may be fetched.
    left: u32,
    /// Number of waiting commands of all queues.
    waiting: u32,
    arbitration: AnyArbitration,
    /// Scratch list of queues with commands, kept to reuse the allocation.
    contenders: Vec<Contender>,
}

impl Fetcher {
    /// Creates the fetcher without queues.
    pub(super) fn new(settings: &HostSettings) -> Self {
        Self {
            queues: Vec::new(),
            priorities: settings.priorities.clone(),
            queue_depth: settings.queue_depth,
            left: settings.drive_depth,
            waiting: 0,
            arbitration: AnyArbitration::new(&settings.arbitration),
            contenders: Vec::new(),
        }
    }

    /// Sets the number of host queues.
    pub(super) fn open(&mut self, queues: usize) {
        let left = self.queue_depth;
        self.queues.resize_with(queues, || FetchQueue { pending: VecDeque::new(), near: 0, left });
    }

    /// Returns the priority class of a queue.
    #[inline]
    pub(super) fn priority(&self, queue: usize) -> Priority {
        self.priorities.get(queue).copied().unwrap_or_default()
    }

    /// Fetches an announced command if the limits permit. Returns false if they do not; the command must then
    /// [wait](Self::put_off).
    #[inline]
    pub(super) fn take(&mut self, queue: usize) -> bool {
        let queue = &mut self.queues[queue];
        let may = queue.left > 0 && self.left > 0;
        if may {
            queue.left -= 1;
            self.left -= 1;
        }
        may
    }

    /// Appends a command to the waiting commands of `queue`.
    #[inline]
    pub(super) fn put_off(&mut self, queue: usize, request: Request) {
        self.waiting += 1;
        self.queues[queue].pending.push_back(request);
    }

    /// Frees the command slot of a finished command of `queue`.
    #[inline]
    pub(super) fn end(&mut self, queue: usize) {
        self.queues[queue].left += 1;
        self.left += 1;
    }

    /// Returns the number of waiting commands.
    #[inline]
    pub(super) const fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Fetches the oldest waiting command of the queue chosen by arbitration, if the limits allow.
    pub(super) fn take_waiting(&mut self) -> Option<Request> {
        let number = self.choose()?;
        self.waiting -= 1;
        self.left -= 1;
        let queue = &mut self.queues[number];
        queue.left -= 1;
        queue.near = queue.near.saturating_sub(1);
        queue.pending.pop_front()
    }

    /// Returns the queue that arbitration chooses among those with a waiting command and a free command slot.
    fn choose(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        self.contenders.clear();
        for (number, queue) in self.queues.iter().enumerate() {
            if !queue.pending.is_empty() && queue.left > 0 {
                self.contenders.push(Contender { queue: number as u16, priority: self.priority(number) });
            }
        }
        match self.contenders.as_slice() {
            [] => None,
            several => Some(usize::from(several[self.arbitration.choose(several)].queue)),
        }
    }

    /// Returns the start sectors of the next commands of one queue, at most `MOST`, for prefetching. Returns
    /// `None` if they have already been returned.
    pub(super) fn prefetch_next<const MOST: usize>(&mut self) -> Option<ArrayVec<u64, MOST>> {
        let queue = self.queues.iter_mut().find(|queue| queue.near == 0 && !queue.pending.is_empty())?;
        queue.near = queue.pending.len().min(MOST);
        Some(queue.pending.range(..queue.near).map(|request| request.host.start_sector).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use venice_kernel::SimTime;
    use venice_requests::Op;

    use crate::testkit::{free_host, pages};

    use super::super::FlowId;
    use super::super::request::IssuedRequest;

    /// Creates a fetcher with two queues and these limits.
    fn fetcher(queue_depth: u32, drive_depth: u32) -> Fetcher {
        let host = free_host();
        let mut fetcher = Fetcher::new(&HostSettings { queue_depth, drive_depth, ..host });
        fetcher.open(2);
        fetcher
    }

    fn request(number: u64) -> Request {
        let host = pages(Op::Read, number, 1, SimTime::ZERO);
        Request::new(IssuedRequest { host, flow: FlowId(0), number, pair: 0 }, SimTime::ZERO)
    }

    fn taken(fetcher: &mut Fetcher) -> Option<u64> {
        fetcher.take_waiting().map(|request| request.number)
    }

    #[test]
    fn a_queue_at_its_limit_waits_while_another_is_served() {
        let mut fetcher = fetcher(1, 3);
        assert!(fetcher.take(0));
        assert!(!fetcher.take(0));
        fetcher.put_off(0, request(7));
        assert_eq!(taken(&mut fetcher), None);
        assert!(fetcher.take(1));
        fetcher.end(0);
        assert_eq!((taken(&mut fetcher), fetcher.waiting()), (Some(7), 0));
    }

    #[test]
    fn at_the_drives_limit_queues_wait_that_are_below_theirs() {
        let mut fetcher = fetcher(3, 2);
        assert!(fetcher.take(0) && fetcher.take(1));
        assert!(!fetcher.take(0));
        fetcher.put_off(0, request(7));
        assert_eq!(taken(&mut fetcher), None);
        fetcher.end(1);
        assert_eq!(taken(&mut fetcher), Some(7));
    }

    #[test]
    fn commands_that_wait_are_taken_by_turns_of_their_queues_and_in_order() {
        let mut fetcher = fetcher(u32::MAX, 1);
        assert!(fetcher.take(0));
        for number in 0..4 {
            fetcher.put_off(usize::from(number >= 2), request(number));
        }
        let mut busy = 0;
        for expected in [0, 2, 1, 3] {
            fetcher.end(busy);
            assert_eq!(taken(&mut fetcher), Some(expected));
            busy = usize::from(expected >= 2);
        }
    }

    #[test]
    fn commands_come_near_together_and_again_when_all_of_them_were_taken() {
        let mut fetcher = fetcher(u32::MAX, u32::MAX);
        for number in 0..5 {
            fetcher.put_off(0, request(number));
        }
        let near = |fetcher: &mut Fetcher| fetcher.prefetch_next::<2>().map(|near| near.len());
        assert_eq!(near(&mut fetcher), Some(2));
        assert_eq!(taken(&mut fetcher), Some(0));
        assert_eq!(near(&mut fetcher), None);
        assert_eq!(taken(&mut fetcher), Some(1));
        assert_eq!(near(&mut fetcher), Some(2));
    }
}
