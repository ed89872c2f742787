//! Search for a shortest free path with knowledge of the whole mesh.
//!
//! # What it models
//! An ideal routing that knows the state of every link, unlike any real router. It finds a path whenever one
//! exists. Its results are therefore an upper bound for scouts.
//!
//! # How
//! Breadth-first search over links without reservation.
//!
//! # What is left out
//! The duration of the search.
//!
//! # Source
//! None; the method is breadth-first search.

use std::collections::VecDeque;

use crate::noc::{Mesh, PortSet, RouterId};

/// Returns the routers of a shortest free path including both ends, or `None` if there is no free path.
///
/// `open` returns the ports through which a path may leave a router. If it returns all free ports, the result
/// is an upper bound for any routing. If it returns the free ports on shortest paths, it is an upper bound
/// for minimal routing.
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
