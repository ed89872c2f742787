//! The shortest free path, found by looking everywhere.
//!
//! # What it models
//! Nothing that a router could do: it knows every link's state. It tells which paths exist, so that
//! a scout's search can be judged, and bounds what any routing could reach.
//!
//! # How
//! Breadth-first search over the links that are in no path.
//!
//! # What is left out
//! Time: the search takes none.
//!
//! # Source
//! Ours.
//!
//! # Parameters
//! None.

use std::collections::VecDeque;

use crate::fabric::noc::{Mesh, PortSet, RouterId};

/// The routers of a shortest free path between two routers, both included; `None` if there is none.
///
/// `open` are the ports that may be taken at a router: all that are free for an upper bound of any routing, minimal ones of them
/// for an upper bound of minimal routing.
///
/// # Panics
/// When a port of the mesh is open that leads nowhere.
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
