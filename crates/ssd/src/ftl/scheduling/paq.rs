//! By arrival, in groups that use as many planes as may be: a queue of physical addresses.
//!
//! # What it models
//! Physically addressed queueing: what waits in the drive has been translated already, so the controller knows the page of each
//! read and the plane of each write, and chooses groups that can be executed at once without a conflict (a *clump*):
//! no two use the same plane, and those of one die are packed into one multi-plane command, whichever requests they
//! belong to. Work for busy dies is passed over. Reads and writes of the host have no precedence over each other.
//!
//! # How
//! Dies have nothing in common but their paths, which are the fabric's, so a clump is chosen die by die: a die
//! that is idle gets its next group at once (ours: to wait for all of a clump would leave dies idle). Of the transactions of the host that
//! have waited longest for the die and can be done now, one leads the group: the one in whose command most planes have something to
//! do, the oldest of several. One more than `most_passes` may lead, and twice as many are looked at; the oldest of all does when groups
//! have passed it over so many times (ours), so nothing starves. Reads and writes of the map go before the host, collection
//! when it is urgent.
//!
//! # What is left out
//! Conflicts on channels: a command that finds no path is offered again, and meanwhile others are.
//!
//! # Source
//! Jung, Wilson, Kandemir: "Physically Addressed Queueing (PAQ): Improving Parallelism in Solid State Disks", ISCA 2012:
//! physical addresses, clumping, packing.
//!
//! # Parameters
//! `ftl.scheduling`, `ftl.paq_most_passes`

use super::{SchedulingPolicy, SchedulingSettings};

/// How often the oldest transaction of a die may be passed over.
#[derive(Clone, Copy, Debug)]
pub struct Paq {
    most_passes: u32,
}

impl SchedulingPolicy for Paq {
    fn new(settings: &SchedulingSettings, _dies: u32) -> Self {
        Self { most_passes: settings.most_passes }
    }

    #[inline]
    fn most_passes(&self) -> Option<u32> {
        Some(self.most_passes)
    }
}
