//! Queue pair: submission and completion ring in host memory, and the requests that wait for their entries.
//!
//! # What it models
//! A submission ring and a completion ring of equal size. One entry of a ring stays empty, to distinguish a
//! full ring from an empty one. The host learns the submission queue head only from completions, so it reuses
//! entries only then; requests without an entry wait in the host's software. A completion without an entry
//! waits in the drive until a doorbell reports the completion queue head.
//!
//! # Source
//! NVM Express Base Specification 1.4, §4.1; MQSim (Tavakkol et al., FAST 2018), `IO_Flow_Base.cpp`,
//! `Host_Interface_NVMe.cpp`.
//!
//! # Parameters
//! `host.queue_entries`

use std::collections::VecDeque;

use venice_kernel::SimTime;
use venice_nand::geometry::RequestId;

use super::doorbells::Doorbells;
use super::request::Request;

/// State of a queue pair. Ring positions count entries since the start of the run, so the difference of two
/// positions is a number of entries.
#[derive(Clone, Debug)]
pub(super) struct QueuePair {
    /// Number of entries of each ring.
    entries: u32,
    /// Requests that wait for a submission entry. They are stored by value, without a slot in
    /// [`InFlight`](super::request::InFlight), so that thousands of waiting requests are accessed in memory
    /// order.
    waiting: VecDeque<Request>,
    /// Finished requests whose completion waits for a completion entry.
    held: VecDeque<RequestId>,
    submitted: u32,
    fetched: u32,
    fetched_as_host_knows: u32,
    completions: u32,
    /// Completion queue doorbells on their way to the drive.
    doorbells: Doorbells,
}

impl QueuePair {
    /// Creates two empty rings of `entries` entries.
    pub(super) fn new(entries: u32) -> Self {
        Self {
            entries,
            waiting: VecDeque::new(),
            held: VecDeque::new(),
            submitted: 0,
            fetched: 0,
            fetched_as_host_knows: 0,
            completions: 0,
            doorbells: Doorbells::new(),
        }
    }

    /// True if, according to the completions that the host has received, no submission entry is free.
    #[inline]
    const fn is_full(&self) -> bool {
        self.submitted.wrapping_sub(self.fetched_as_host_knows) >= self.entries - 1
    }

    /// Queues a request until a submission entry is free.
    pub(super) fn put_off(&mut self, request: Request) {
        self.waiting.push_back(request);
    }

    /// True if a request waits for a submission entry.
    #[inline]
    pub(super) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Removes and returns the oldest waiting request if a submission entry is free.
    pub(super) fn next_waiting(&mut self) -> Option<Request> {
        if self.is_full() { None } else { self.waiting.pop_front() }
    }

    /// Occupies a submission entry. Returns false if none is free.
    #[inline]
    pub(super) const fn take_submission_entry(&mut self) -> bool {
        let has_room = !self.is_full();
        if has_room {
            self.submit();
        }
        has_room
    }

    /// Advances the submission queue tail.
    #[inline]
    const fn submit(&mut self) {
        self.submitted = self.submitted.wrapping_add(1);
    }

    /// Records the arrival of a submission entry in the drive.
    #[inline]
    pub(super) const fn entry_arrived(&mut self) {
        self.fetched = self.fetched.wrapping_add(1);
    }

    /// Returns the submission queue head, which a completion reports to the host.
    #[inline]
    pub(super) const fn submission_head(&self) -> u32 {
        self.fetched
    }

    /// Records the submission queue head reported by a completion.
    #[inline]
    pub(super) const fn learn_head(&mut self, head: u32) {
        self.fetched_as_host_knows = head;
    }

    /// Occupies a completion entry for a finished request. Returns false if none is free or older completions
    /// wait; the completion must then be [held back](Self::hold_back).
    #[inline]
    pub(super) fn take_completion_entry(&mut self, now: SimTime) -> bool {
        self.held.is_empty() && self.take_entry(now)
    }

    /// Occupies a completion entry. To save time, arrived doorbells are counted only if the ring seems full.
    #[inline]
    fn take_entry(&mut self, now: SimTime) -> bool {
        if self.completions >= self.entries - 1 {
            self.count_doorbells(now);
        }
        let has_room = self.completions < self.entries - 1;
        self.completions += u32::from(has_room);
        has_room
    }

    /// Frees the entries of arrived doorbells.
    fn count_doorbells(&mut self, now: SimTime) {
        self.completions -= self.doorbells.count(now);
    }

    /// Adds a completion that waits for an entry. If it is the only one, returns the arrival time of the next
    /// doorbell in flight, if there is any. In other cases an older completion or the next doorbell sent
    /// causes the wake-up.
    pub(super) fn hold_back(&mut self, id: RequestId) -> Option<SimTime> {
        self.held.push_back(id);
        if self.held.len() == 1 { self.doorbells.first() } else { None }
    }

    /// Takes a free completion entry for the oldest waiting completion, and removes and returns this
    /// completion. Returns `None` if no entry is free or no completion waits.
    pub(super) fn release_held(&mut self, now: SimTime) -> Option<RequestId> {
        if self.held.is_empty() || !self.take_entry(now) {
            return None;
        }
        self.held.pop_front()
    }

    /// Returns the arrival time of the next doorbell, if a completion waits for it.
    pub(super) fn next_room(&self) -> Option<SimTime> {
        if self.held.is_empty() { None } else { self.doorbells.first() }
    }

    /// Sends the doorbell for a completion that the host reads at `now`; it arrives in the drive at `at`.
    /// Returns true if a completion waits for exactly this doorbell.
    #[inline]
    pub(super) fn give_completion_entry_back(&mut self, now: SimTime, at: SimTime) -> bool {
        let is_awaited = !self.held.is_empty() && self.doorbells.is_empty();
        if self.doorbells.is_full() {
            self.make_room_for_doorbell(now);
        }
        self.doorbells.send(at);
        is_awaited
    }

    /// Makes room for another doorbell: processes the doorbells that have arrived, and enlarges the ring buffer
    /// if it is still full. While completions wait for doorbells, the event of each arrival processes it instead.
    #[cold]
    fn make_room_for_doorbell(&mut self, now: SimTime) {
        if self.held.is_empty() {
            self.count_doorbells(now);
        }
        if self.doorbells.is_full() {
            self.doorbells.grow();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_entry_of_the_submission_ring_stays_empty_and_the_host_learns_late() {
        let mut queue = QueuePair::new(3);
        assert!(!queue.is_full());
        queue.submit();
        queue.submit();
        assert!(queue.is_full());
        queue.entry_arrived();
        assert!(queue.is_full(), "the host does not know yet");
        queue.learn_head(queue.submission_head());
        assert!(!queue.is_full());
    }

    #[test]
    fn a_completion_entry_is_free_again_when_the_doorbell_has_arrived() {
        let at = SimTime::from_ps;
        let mut queue = QueuePair::new(2);
        assert!(queue.take_completion_entry(at(5)));
        assert!(!queue.give_completion_entry_back(at(0), at(9)));
        assert!(!queue.take_completion_entry(at(8)));
        assert!(queue.take_completion_entry(at(9)));
    }

    #[test]
    fn held_back_completions_take_entries_in_order() {
        let at = SimTime::from_ps;
        let mut queue = QueuePair::new(2);
        assert!(queue.take_completion_entry(at(0)));
        assert_eq!(queue.hold_back(RequestId(1)), None, "no doorbell is on its way");
        assert!(queue.give_completion_entry_back(at(0), at(5)), "the one that is waited for");
        assert_eq!(queue.hold_back(RequestId(2)), None, "who waited before has asked");
        assert_eq!(queue.next_room(), Some(at(5)));
        assert_eq!(queue.release_held(at(4)), None);
        assert!(!queue.take_completion_entry(at(5)), "two wait for it");
        assert_eq!(queue.release_held(at(5)), Some(RequestId(1)));
        assert_eq!(queue.release_held(at(5)), None);
        assert!(queue.give_completion_entry_back(at(0), at(7)));
        assert_eq!(queue.release_held(at(7)), Some(RequestId(2)));
        assert_eq!(queue.next_room(), None, "nobody waits");
    }
}
