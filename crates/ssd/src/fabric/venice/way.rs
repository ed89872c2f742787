//! The way of a scout that runs to its end at one instant.

use super::Picks;
use super::moves::{Hops, Moves, Towards};
use crate::fabric::PortChoice;
use crate::fabric::noc::{Mesh, Port, PortSet, RouterId, RouterSet};

/// A hop that a scout has made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    /// The port by which it began.
    pub(super) exit: Port,
    /// The port by which it ended, if that was open to the scout before.
    pub(super) opens: PortSet,
}

/// The way of a scout under way.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The hops that it has made and not taken back; the first `hops` are of use.
    pub(super) trail: Vec<Past>,
    pub(super) hops: usize,
    /// By router: the ports that are free, and that the scout has not reserved there before.
    pub(super) open: Vec<PortSet>,
    pub(super) towards: Towards,
    pub(super) hop_by: Box<Hops>,
}

impl Way {
    /// The most hops that a scout makes forward.
    pub(super) const fn longest(mesh: Mesh) -> u32 {
        2 * mesh.links()
    }

    /// None yet, in a mesh whose registers pick so.
    pub(super) fn new(mesh: Mesh, moves: &Moves, choice: PortChoice) -> Self {
        let nowhere = Past { exit: Port::Chip, opens: PortSet::EMPTY };
        Self {
            trail: vec![nowhere; Self::longest(mesh) as usize],
            hops: 0,
            open: vec![PortSet::EMPTY; mesh.routers() as usize],
            towards: Towards::new(mesh),
            hop_by: Hops::new(moves, Picks::of(choice)),
        }
    }

    /// The hops that a scout has made and not taken back.
    pub(super) fn trail(&self) -> &[Past] {
        &self.trail[..self.hops]
    }

    /// Takes the loops out of a way that has been found, as a scout does that goes back over it: where it meets its own way it
    /// leaves by the entry of the first visit. So many links are saved.
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

    /// After how many hops it came first to a router that it left.
    fn first_visit(&self, router: RouterId, start: RouterId, moves: &Moves) -> usize {
        let (mut at, mut hops) = (start, 0);
        while at != router {
            at = moves.through(self.trail[hops].exit).hop.from(at);
            hops += 1;
        }
        hops
    }
}
