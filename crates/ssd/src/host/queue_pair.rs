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

use super::interface::Request;

/// Positions in a ring are counts of entries since the start; their differences say how many there are.
#[derive(Clone, Debug, Default)]
pub(super) struct QueuePair {
    /// Requests that found the submission ring full. Here and in `pending` they lie themselves, one behind the other, so that ten
    /// thousand are met in the order in which they are in memory, and those on their way stay few and near.
    pub(super) waiting: VecDeque<Request>,
    /// Requests that the drive knows of and has not taken.
    pub(super) pending: VecDeque<Request>,
    /// How many of these, from the first on, have come near.
    near: usize,
    /// Commands that the drive works on.
    pub(super) in_drive: u32,
    /// Finished requests that found the completion ring full.
    pub(super) held: VecDeque<RequestId>,
    submitted: u32,
    fetched: u32,
    fetched_as_host_knows: u32,
    completions: u32,
    /// When doorbells arrive at the drive that give completion entries back.
    doorbells: VecDeque<SimTime>,
}

impl QueuePair {
    /// Whether the submission ring, as far as the host knows, has no entry left.
    #[inline]
    pub(super) fn is_full(&self, entries: u32) -> bool {
        self.submitted.wrapping_sub(self.fetched_as_host_knows) >= entries - 1
    }

    /// The host has filled an entry of the submission ring.
    #[inline]
    pub(super) fn submit(&mut self) {
        self.submitted = self.submitted.wrapping_add(1);
    }

    /// An entry of the submission ring has arrived in the drive.
    #[inline]
    pub(super) fn entry_arrived(&mut self) {
        self.fetched = self.fetched.wrapping_add(1);
    }

    /// What a completion sent now says of the submission ring.
    #[inline]
    pub(super) fn submission_head(&self) -> u32 {
        self.fetched
    }

    /// The host has read a completion that says this of the submission ring.
    #[inline]
    pub(super) fn learn_head(&mut self, head: u32) {
        self.fetched_as_host_knows = head;
    }

    /// Takes an entry of the completion ring; says whether there was one.
    #[inline]
    pub(super) fn take_completion_entry(&mut self, entries: u32, now: SimTime) -> bool {
        while self.doorbells.front().is_some_and(|&at| at <= now) {
            self.doorbells.pop_front();
            self.completions -= 1;
        }
        let has_room = self.completions < entries - 1;
        self.completions += u32::from(has_room);
        has_room
    }

    /// The host has read a completion; its doorbell arrives in the drive at `at`.
    #[inline]
    pub(super) fn give_completion_entry_back(&mut self, at: SimTime) {
        self.doorbells.push_back(at);
    }

    /// Takes the first of those that the drive knows of.
    #[inline]
    pub(super) fn take_pending(&mut self) -> Option<Request> {
        self.near = self.near.saturating_sub(1);
        self.pending.pop_front()
    }

    /// Whether the next one that the drive takes has not come near.
    #[inline]
    pub(super) const fn is_far(&self) -> bool {
        self.near == 0
    }

    /// The next ones that the drive takes, at most so many: they come near.
    pub(super) fn come_near(&mut self, most: usize) -> impl Iterator<Item = &Request> {
        self.near = self.pending.len().min(most);
        self.pending.range(..self.near)
    }

    /// When the next doorbell arrives that gives a completion entry back, if one is on its way.
    pub(super) fn next_doorbell(&self) -> Option<SimTime> {
        self.doorbells.front().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_entry_of_the_submission_ring_stays_empty_and_the_host_learns_late() {
        let mut queue = QueuePair::default();
        assert!(!queue.is_full(3));
        queue.submit();
        queue.submit();
        assert!(queue.is_full(3));
        queue.entry_arrived();
        assert!(queue.is_full(3), "the host does not know yet");
        queue.learn_head(queue.submission_head());
        assert!(!queue.is_full(3));
    }

    #[test]
    fn a_completion_entry_is_free_again_when_the_doorbell_has_arrived() {
        let at = SimTime::from_ps;
        let mut queue = QueuePair::default();
        assert!(queue.take_completion_entry(2, at(5)));
        queue.give_completion_entry_back(at(9));
        assert!(!queue.take_completion_entry(2, at(8)));
        assert_eq!(queue.next_doorbell(), Some(at(9)));
        assert!(queue.take_completion_entry(2, at(9)));
    }
}
