//! Shortest free path by global knowledge.
//!
//! # What it models
//! No real router, since it knows the state of every link. It finds the existing paths, against which scouts
//! are compared, and is an upper bound for routing.
//!
//! # How
//! Breadth-first search over links without reservation.
//!
//! # What is left out
//! Time: the search takes none.
//!
//! # Source
//! Ours.

use std::collections::VecDeque;

use crate::noc::{Mesh, PortSet, RouterId};

/// Returns the routers of a shortest free path, both ends included, or `None` if there is none.
///
/// `open` returns the ports that may be used at a router: all free ones as an upper bound for any routing,
/// the minimal ones as an upper bound for minimal routing.
///
/// # Panics
/// Panics if an open port has no neighbour.
pub fn shortest_free_path(
    mesh: Mesh,
    open: impl Fn(RouterId) -> PortSet,
    from: RouterId,
    to: RouterId,
) -> Option<Vec<RouterId>> {
    let mut came_from = vec![None; mesh.routers() as usize];
    let mut frontier = VecDeque::from([from]);
    while let Some(at) = frontier.pop_front() {
        if at == to {
            return Some(walk_back(&came_from, from, to));
        }
        for port in open(at).and(PortSet::MESH).iter() {
            let next = mesh.neighbour(at, port).expect("a free mesh port leads to a router");
            if next != from && came_from[next.index()].is_none() {
                came_from[next.index()] = Some(at);
                frontier.push_back(next);
            }
        }
    }
    None
}

fn walk_back(came_from: &[Option<RouterId>], from: RouterId, to: RouterId) -> Vec<RouterId> {
    let mut path = vec![to];
    let mut at = to;
    while at != from {
        at = came_from[at.index()].expect("every router reached has a predecessor");
        path.push(at);
    }
    path.reverse();
    path
}
