//! A queue of the host: its rings in memory, and what waits in front of and behind them.
//!
//! # What it models
//! A submission ring and a completion ring of the same size. One entry of a ring stays empty, so that a full ring can
//! be told from an empty one. The host learns from completions how far the drive has fetched, and only then uses the
//! entries again; what finds no entry waits in the host's software. A completion that finds no entry waits in the
//! drive until the host's doorbell says how far it has read.
//!
//! # Source
//! NVM Express Base Specification 1.4, §4.1; MQSim (Tavakkol et al., FAST 2018), `IO_Flow_Base.cpp`,
//! `Host_Interface_NVMe.cpp`.
//!
//! # Parameters
//! `host.queue_entries`

use std::collections::VecDeque;

use venice_kernel::SimTime;

use crate::geometry::RequestId;

use super::doorbells::Doorbells;
use super::request::Request;

/// Positions in a ring are counts of entries since the start; their differences say how many there are.
#[derive(Clone, Debug)]
pub(super) struct QueuePair {
    /// Entries of each ring.
    entries: u32,
    /// Requests that found the submission ring full. Here and where the drive has them wait they lie themselves, one behind the
    /// other, so that ten thousand are met in the order in which they are in memory, and those on their way stay few and near.
    waiting: VecDeque<Request>,
    /// Finished requests that found the completion ring full.
    held: VecDeque<RequestId>,
    submitted: u32,
    fetched: u32,
    fetched_as_host_knows: u32,
    completions: u32,
    /// When doorbells arrive at the drive that give completion entries back.
    doorbells: Doorbells,
}

impl QueuePair {
    /// Two empty rings of so many entries.
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

    /// Whether the submission ring, as far as the host knows, has no entry left.
    #[inline]
    const fn is_full(&self) -> bool {
        self.submitted.wrapping_sub(self.fetched_as_host_knows) >= self.entries - 1
    }

    /// A request waits for an entry of the submission ring.
    pub(super) fn put_off(&mut self, request: Request) {
        self.waiting.push_back(request);
    }

    /// Whether a request waits for an entry of the submission ring.
    #[inline]
    pub(super) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The request that has waited longest for an entry, if there is one for it.
    pub(super) fn next_waiting(&mut self) -> Option<Request> {
        if self.is_full() { None } else { self.waiting.pop_front() }
    }

    /// Takes an entry of the submission ring, if one is left.
    #[inline]
    pub(super) const fn take_submission_entry(&mut self) -> bool {
        let has_room = !self.is_full();
        if has_room {
            self.submit();
        }
        has_room
    }

    /// The host has filled an entry of the submission ring.
    #[inline]
    const fn submit(&mut self) {
        self.submitted = self.submitted.wrapping_add(1);
    }

    /// An entry of the submission ring has arrived in the drive.
    #[inline]
    pub(super) const fn entry_arrived(&mut self) {
        self.fetched = self.fetched.wrapping_add(1);
    }

    /// What a completion sent now says of the submission ring.
    #[inline]
    pub(super) const fn submission_head(&self) -> u32 {
        self.fetched
    }

    /// The host has read a completion that says this of the submission ring.
    #[inline]
    pub(super) const fn learn_head(&mut self, head: u32) {
        self.fetched_as_host_knows = head;
    }

    /// Takes an entry of the completion ring for a request that is finished now; says whether there was one, and nobody before it
    /// waits for one. Else it has to be [held back](Self::hold_back).
    #[inline]
    pub(super) fn take_completion_entry(&mut self, now: SimTime) -> bool {
        self.held.is_empty() && self.take_entry(now)
    }

    /// Which doorbells have arrived is only looked up where it matters.
    #[inline]
    fn take_entry(&mut self, now: SimTime) -> bool {
        if self.completions >= self.entries - 1 {
            self.count_doorbells(now);
        }
        let has_room = self.completions < self.entries - 1;
        self.completions += u32::from(has_room);
        has_room
    }

    /// Entries for whose doorbells it was time are free.
    fn count_doorbells(&mut self, now: SimTime) {
        self.completions -= self.doorbells.count(now);
    }

    /// A completion waits for an entry. If nobody waited before it, and a doorbell is on its way, says when that arrives; else who
    /// waited before has asked, or the doorbell that is sent next will say it.
    pub(super) fn hold_back(&mut self, id: RequestId) -> Option<SimTime> {
        self.held.push_back(id);
        if self.held.len() == 1 { self.doorbells.first() } else { None }
    }

    /// The completion that has waited longest, if there is an entry for it now: it has it.
    pub(super) fn release_held(&mut self, now: SimTime) -> Option<RequestId> {
        if self.held.is_empty() || !self.take_entry(now) {
            return None;
        }
        self.held.pop_front()
    }

    /// When the next doorbell arrives for which a completion waits.
    pub(super) fn next_room(&self) -> Option<SimTime> {
        if self.held.is_empty() { None } else { self.doorbells.first() }
    }

    /// The host has read a completion now; its doorbell arrives in the drive at `at`. Says whether a completion waits for this very one.
    #[inline]
    pub(super) fn give_completion_entry_back(&mut self, now: SimTime, at: SimTime) -> bool {
        let is_awaited = !self.held.is_empty() && self.doorbells.is_empty();
        if self.doorbells.is_full() {
            self.make_room_for_doorbell(now);
        }
        self.doorbells.send(at);
        is_awaited
    }

    /// Before more memory is taken for doorbells, those that have arrived are counted, unless completions wait for them, which are told.
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
    fn completions_that_are_held_back_take_entries_in_order_and_nobody_passes_them() {
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
