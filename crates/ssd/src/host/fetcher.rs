//! The drive's side of the queues: which commands it takes, and when.
//!
//! # What it models
//! The drive works on a limited number of commands of each queue, and of all together. A command that it may not take
//! yet stays where it is; when another is finished, one of the waiting ones is taken, and if they are of several queues,
//! the arbitration says of which.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), `Host_Interface_NVMe.cpp` (the limit of each queue); NVM Express Base
//! Specification 1.4, §4.13 (arbitration). The limit of all together is ours.
//!
//! # Parameters
//! `host.queue_depth`, `host.drive_depth`, `host.arbitration`

use crate::geometry::Priority;

use super::arbitration::{AnyArbitration, ArbitrationSettings, Contender};
use super::interface::Request;
use super::queue_pair::QueuePair;

/// What the drive takes.
#[derive(Clone, Debug)]
pub(super) struct Fetcher {
    queue_depth: u32,
    drive_depth: u32,
    in_drive: u32,
    /// Commands that wait to be taken, of all queues.
    pending: u32,
    arbitration: AnyArbitration,
    /// What the arbitration chooses from; kept for its memory.
    contenders: Vec<Contender>,
}

impl Fetcher {
    pub(super) fn new(queue_depth: u32, drive_depth: u32, arbitration: &ArbitrationSettings) -> Self {
        Self {
            queue_depth,
            drive_depth,
            in_drive: 0,
            pending: 0,
            arbitration: AnyArbitration::new(arbitration),
            contenders: Vec::new(),
        }
    }

    /// Takes a command that has come, if it may; else it has to [wait](Self::put_off).
    #[inline]
    pub(super) fn take(&mut self, queue: &mut QueuePair) -> bool {
        let may = self.may_take(queue);
        if may {
            self.start(queue);
        }
        may
    }

    /// Whether it may take a command of this queue now.
    #[inline]
    pub(super) const fn may_take(&self, queue: &QueuePair) -> bool {
        queue.in_drive < self.queue_depth && self.in_drive < self.drive_depth
    }

    /// A command waits to be taken.
    #[inline]
    pub(super) fn put_off(&mut self, queue: &mut QueuePair, request: Request) {
        self.pending += 1;
        queue.pending.push_back(request);
    }

    /// A command of this queue is finished.
    #[inline]
    pub(super) fn release(&mut self, queue: &mut QueuePair) {
        queue.in_drive -= 1;
        self.in_drive -= 1;
    }

    /// Whether any command waits to be taken.
    #[inline]
    pub(super) fn has_waiting(&self) -> bool {
        self.pending > 0
    }

    /// How many commands wait to be taken.
    #[inline]
    pub(super) const fn waiting(&self) -> u32 {
        self.pending
    }

    /// The queue of which it takes the command that has waited longest, if it may take one: that one is taken.
    pub(super) fn choose_waiting(
        &mut self,
        queues: &mut [QueuePair],
        priority: impl Fn(usize) -> Priority,
    ) -> Option<usize> {
        if self.in_drive == self.drive_depth {
            return None;
        }
        self.contenders.clear();
        for (number, queue) in queues.iter().enumerate() {
            if !queue.pending.is_empty() && queue.in_drive < self.queue_depth {
                self.contenders.push(Contender { queue: number as u16, priority: priority(number) });
            }
        }
        let chosen = match self.contenders.as_slice() {
            [] => return None,
            several => several[self.arbitration.choose(several)],
        };
        let queue = usize::from(chosen.queue);
        self.pending -= 1;
        self.start(&mut queues[queue]);
        Some(queue)
    }

    fn start(&mut self, queue: &mut QueuePair) {
        queue.in_drive += 1;
        self.in_drive += 1;
    }
}
