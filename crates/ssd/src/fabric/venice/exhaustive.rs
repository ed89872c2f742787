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

use super::Network;
use crate::fabric::noc::{Port, PortSet, RouterId};

/// The routers of a shortest free path between two routers, both included; `None` if there is none.
///
/// `allowed` narrows the ports that may be taken at a router: all of them for an upper bound of any
/// routing, minimal ones for an upper bound of minimal routing.
pub fn shortest_free_path(
    network: &Network,
    from: RouterId,
    to: RouterId,
    allowed: impl Fn(RouterId) -> PortSet,
) -> Option<Vec<RouterId>> {
    let mut came_from = vec![None; network.mesh().routers() as usize];
    let mut frontier = VecDeque::from([from]);
    while let Some(at) = frontier.pop_front() {
        if at == to {
            return Some(walk_back(&came_from, from, to));
        }
        for port in network.free_ports(at).and(PortSet::MESH).and(allowed(at)).iter() {
            let next = neighbour(network, at, port);
            if next != from && came_from[next.index()].is_none() {
                came_from[next.index()] = Some(at);
                frontier.push_back(next);
            }
        }
    }
    None
}

fn neighbour(network: &Network, at: RouterId, port: Port) -> RouterId {
    network.mesh().neighbour(at, port).expect("a free mesh port leads to a router")
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
