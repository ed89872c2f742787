//! Path of a scout while it searches, for searches that are completed at one instant.
//!
//! # Where the path of a scout is stored
//!
//! | reservation | during the search | as a circuit |
//! | --- | --- | --- |
//! | `atomic` | [`ScoutPath`]; `walk` executes the search | `circuit_storage`, one entry per controller |
//! | `cycle_level` | rows of the routers' `table`, written by [`Network`](super::Network) | the same rows |

use super::PortSelections;
use super::moves::{Hops, MinimalPorts, Moves};
use crate::PortChoice;
use crate::noc::{Mesh, Port, PortSet, RouterId, RouterSet};

/// Completed hop of a scout.
#[derive(Clone, Copy, Debug)]
pub(super) struct HopRecord {
    pub(super) exit: Port,
    /// Set with the port through which the hop enters the next router. It is empty if the scout could not use
    /// this port as an exit before the hop.
    pub(super) opens: PortSet,
}

/// Path of a scout while it searches.
#[derive(Clone, Debug)]
pub(super) struct ScoutPath {
    /// Hops of the current path. Only the first `hops` elements are valid.
    pub(super) trail: Vec<HopRecord>,
    pub(super) hops: usize,
    /// For each router, the free ports that the scout has not tried.
    pub(super) open: Vec<PortSet>,
    pub(super) towards: MinimalPorts,
    pub(super) hop_by: Box<Hops>,
}

impl ScoutPath {
    /// Returns an upper bound of the number of forward hops of a scout.
    pub(super) const fn longest(mesh: Mesh) -> u32 {
        2 * mesh.links()
    }

    /// Creates an empty path.
    pub(super) fn new(mesh: Mesh, moves: &Moves, choice: PortChoice) -> Self {
        let nowhere = HopRecord { exit: Port::Chip, opens: PortSet::EMPTY };
        Self {
            trail: vec![nowhere; Self::longest(mesh) as usize],
            hops: 0,
            open: vec![PortSet::EMPTY; mesh.routers() as usize],
            towards: MinimalPorts::new(mesh),
            hop_by: Hops::new(moves, PortSelections::of(choice)),
        }
    }

    /// Returns the hops of the current path.
    pub(super) fn trail(&self) -> &[HopRecord] {
        &self.trail[..self.hops]
    }

    /// Removes the loops of a complete path, and returns the number of removed links. At a router that the
    /// path visits more than once, only the entry port of the first visit and the exit port of the last visit
    /// remain in the path.
    pub(super) fn cut_loops(&mut self, start: RouterId, moves: &Moves, routers: u32) -> u32 {
        let (mut once, mut again) = (RouterSet::none(routers), RouterSet::none(routers));
        let mut at = start;
        for past in self.trail() {
            if once.contains(at) {
                again.insert(at);
            }
            once.insert(at);
            at = moves.through(past.exit).hop.from(at);
        }
        if again.is_empty() {
            return 0;
        }
        let (all, mut later) = (self.hops, self.hops);
        while later > 0 {
            later -= 1;
            at = moves.through(self.trail[later].exit).hop.origin(at);
            if again.contains(at) {
                let first = self.first_visit(at, start, moves);
                self.trail.copy_within(later..self.hops, first);
                self.hops -= later - first;
                later = first;
            }
        }
        (all - self.hops) as u32
    }

    /// Returns the number of hops from `start` to the path's first visit of `router`. The path must visit
    /// this router.
    fn first_visit(&self, router: RouterId, start: RouterId, moves: &Moves) -> usize {
        let (mut at, mut hops) = (start, 0);
        while at != router {
            at = moves.through(self.trail[hops].exit).hop.from(at);
            hops += 1;
        }
        hops
    }
}
