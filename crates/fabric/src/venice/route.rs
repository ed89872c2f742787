//! Routing decision for a scout: Algorithm 1 of the Venice paper, and variants for comparison.
//!
//! # What it models
//! The decision of one router about the next hop of a scout, as a pure function.
//!
//! # How
//! `NonMinimalAdaptive` (Algorithm 1): the candidates are the free output ports closer to the destination
//! (minimal ports). If there are two, the router's LFSR selects one. If no minimal port is free, the LFSR
//! selects any other free port (misrouting). If no port is free, the scout goes back through its input port.
//!
//! `MinimalAdaptive`: Algorithm 1 without misrouting. `DimensionOrder`: the port of the X-then-Y path, or
//! back. `Exhaustive`: the next port of a shortest free path, found by [`super::Network`].
//!
//! Under every routing, a port that this scout has used at this router counts as taken. This rule prevents
//! livelock. A scout reserves each output port of a router at most once, so it enters a router at most four
//! times, once from each neighbour.
//!
//! If a link is doubled, only the first free link of the pair is a candidate, so that the LFSR selects among
//! directions. A scout that entered over one link of a pair does not leave over the other.
//!
//! At the destination the scout leaves towards the chip. If the chip's port is in another circuit, the
//! scout goes back, since no other path leads to the chip.
//!
//! # What is left out
//! The state of links at other routers, which a router does not know.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, Algorithm 1 and §4 (livelock). The ablations have no published source.
//!
//! # Parameters
//! `routing`, `port_choice`.

use super::lfsr::{Lfsr, LfsrCycle, PortSelections};
use crate::noc::{Port, PortSet, RouterOffset};
use crate::{PortChoice, Routing};

/// Routing rules, common to all routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutingRules {
    /// Routing algorithm: ports that a scout may use, and their order of preference.
    pub routing: Routing,
    /// Rule for the selection among equally preferred ports.
    pub port_choice: PortChoice,
}

/// State that a router knows when it decides about a scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutingInput {
    /// Offset from this router to the destination.
    pub offset: RouterOffset,
    /// Ports that belong to no circuit and to no incomplete path.
    pub free: PortSet,
    /// Input port of the scout.
    pub input: Port,
    /// Output ports that this scout has reserved at this router before.
    pub tried: PortSet,
}

/// Decision of a router about the next hop of a scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutingDecision {
    /// Leave the mesh through the port of the destination chip.
    Eject,
    /// Reserve this port and continue through it.
    Forward(Port),
    /// Go back through the input port in cancel mode.
    Back,
}

/// Returns the decision of a router. `seen` contains the router's knowledge of its ports and of the scout,
/// `lfsr` is the router's LFSR, and `turn` the current LFSR cycle.
pub fn decide(rules: RoutingRules, seen: &RoutingInput, lfsr: Lfsr, turn: LfsrCycle) -> RoutingDecision {
    if seen.offset == RouterOffset::NONE {
        return if seen.free.contains(Port::Chip) { RoutingDecision::Eject } else { RoutingDecision::Back };
    }
    let open = seen.free.and(PortSet::MESH).minus(seen.tried).minus(PortSet::beside(seen.input));
    let closer = minimal(seen.offset).with_seconds();
    let port =
        lfsr.pick(candidates(rules.routing, open, closer), turn, PortSelections::of(rules.port_choice));
    port.map_or(RoutingDecision::Back, RoutingDecision::Forward)
}

/// Returns the candidate ports of a scout that has not reached its destination. These are the `open` ports
/// that the routing allows. `closer` contains the minimal ports.
pub(super) fn candidates(routing: Routing, open: PortSet, closer: PortSet) -> PortSet {
    let best = open.and(closer);
    match routing {
        Routing::NonMinimalAdaptive => {
            if best.is_empty() {
                open
            } else {
                best
            }
        }
        Routing::MinimalAdaptive => best,
        Routing::DimensionOrder => {
            closer.nth(0).map_or(PortSet::EMPTY, |first| open.and(PortSet::beside(first)))
        }
        // This decision needs the state of all links, which only the network knows.
        Routing::Exhaustive => PortSet::EMPTY,
    }
}

/// Returns the minimal ports for an offset to the destination: at most one in X and one in Y.
#[inline]
pub fn minimal(offset: RouterOffset) -> PortSet {
    let x = match offset.dx {
        1.. => PortSet::EMPTY.with(Port::Right),
        0 => PortSet::EMPTY,
        _ => PortSet::EMPTY.with(Port::Left),
    };
    match offset.dy {
        1.. => x.with(Port::Up),
        0 => x,
        _ => x.with(Port::Down),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALGORITHM_1: RoutingRules =
        RoutingRules { routing: Routing::NonMinimalAdaptive, port_choice: PortChoice::Random };

    fn set(ports: &[Port]) -> PortSet {
        ports.iter().copied().collect()
    }

    fn seen((dx, dy): (i32, i32), free: &[Port]) -> RoutingInput {
        let offset = RouterOffset { dx, dy };
        RoutingInput { offset, free: set(free), input: Port::Left, tried: PortSet::EMPTY }
    }

    /// Returns the decisions for the three states of the LFSR.
    fn decisions(rules: RoutingRules, seen: &RoutingInput) -> Vec<RoutingDecision> {
        Lfsr::STATES.into_iter().map(|lfsr| decide(rules, seen, lfsr, LfsrCycle::default())).collect()
    }

    #[test]
    fn minimal_ports_follow_the_signs_of_dx_and_dy() {
        let cases = [
            ((2, 0), vec![Port::Right]),
            ((-2, 0), vec![Port::Left]),
            ((0, 1), vec![Port::Up]),
            ((0, -1), vec![Port::Down]),
            ((3, 2), vec![Port::Right, Port::Up]),
            ((-1, -4), vec![Port::Left, Port::Down]),
            ((0, 0), vec![]),
        ];
        for ((dx, dy), ports) in cases {
            assert_eq!(minimal(RouterOffset { dx, dy }), set(&ports), "dx {dx} dy {dy}");
        }
    }

    #[test]
    fn of_two_minimal_ports_the_register_picks() {
        use RoutingDecision::Forward;
        let both = seen((1, 1), &[Port::Right, Port::Up, Port::Down]);
        assert_eq!(
            decisions(ALGORITHM_1, &both),
            [Forward(Port::Right), Forward(Port::Right), Forward(Port::Up)]
        );
    }

    #[test]
    fn a_single_minimal_port_is_taken_whatever_the_register_says() {
        let one = seen((1, 1), &[Port::Up, Port::Down]);
        assert_eq!(decisions(ALGORITHM_1, &one), [RoutingDecision::Forward(Port::Up); 3]);
    }

    #[test]
    fn without_a_minimal_port_the_scout_is_misrouted_but_never_to_its_input() {
        let blocked = seen((1, 0), &[Port::Left, Port::Up, Port::Down]);
        let found = decisions(ALGORITHM_1, &blocked);
        for port in [Port::Up, Port::Down] {
            assert!(found.contains(&RoutingDecision::Forward(port)), "{found:?}");
        }
        assert!(!found.contains(&RoutingDecision::Forward(Port::Left)), "{found:?}");
    }

    #[test]
    fn three_ways_to_misroute_are_all_taken_in_turn() {
        let mut blocked = seen((1, 0), &[Port::Left, Port::Up, Port::Down]);
        blocked.input = Port::Controller;
        let mut found = decisions(ALGORITHM_1, &blocked);
        found.sort_by_key(|d| if let RoutingDecision::Forward(port) = d { port.index() } else { 9 });
        assert_eq!(found, [Port::Left, Port::Up, Port::Down].map(RoutingDecision::Forward));
    }

    #[test]
    fn a_tried_port_counts_as_taken() {
        let mut again = seen((1, 1), &[Port::Right, Port::Up]);
        again.tried = set(&[Port::Right]);
        assert_eq!(decisions(ALGORITHM_1, &again), [RoutingDecision::Forward(Port::Up); 3]);
        again.tried = set(&[Port::Right, Port::Up]);
        assert_eq!(decisions(ALGORITHM_1, &again), [RoutingDecision::Back; 3]);
    }

    #[test]
    fn local_ports_are_never_on_the_way() {
        let local = seen((1, 0), &[Port::Chip, Port::Controller]);
        assert_eq!(decisions(ALGORITHM_1, &local), [RoutingDecision::Back; 3]);
    }

    #[test]
    fn at_the_destination_the_scout_leaves_to_the_chip_or_goes_back() {
        assert_eq!(
            decisions(ALGORITHM_1, &seen((0, 0), &[Port::Up, Port::Chip])),
            [RoutingDecision::Eject; 3]
        );
        assert_eq!(decisions(ALGORITHM_1, &seen((0, 0), &[Port::Up])), [RoutingDecision::Back; 3]);
    }

    #[test]
    fn a_minimal_router_never_misroutes() {
        let rules = RoutingRules { routing: Routing::MinimalAdaptive, ..ALGORITHM_1 };
        assert_eq!(decisions(rules, &seen((1, 0), &[Port::Up, Port::Down])), [RoutingDecision::Back; 3]);
        assert_eq!(
            decisions(rules, &seen((1, -1), &[Port::Down])),
            [RoutingDecision::Forward(Port::Down); 3]
        );
    }

    #[test]
    fn dimension_order_knows_one_port_only() {
        let rules = RoutingRules { routing: Routing::DimensionOrder, ..ALGORITHM_1 };
        let x_first = seen((1, 1), &[Port::Right, Port::Up]);
        assert_eq!(decisions(rules, &x_first), [RoutingDecision::Forward(Port::Right); 3]);
        assert_eq!(decisions(rules, &seen((1, 1), &[Port::Up])), [RoutingDecision::Back; 3]);
        assert_eq!(decisions(rules, &seen((0, 1), &[Port::Up])), [RoutingDecision::Forward(Port::Up); 3]);
    }

    #[test]
    fn a_fixed_choice_takes_the_first_port_in_their_order() {
        let rules = RoutingRules { port_choice: PortChoice::Fixed, ..ALGORITHM_1 };
        let both = seen((1, 1), &[Port::Right, Port::Up]);
        assert_eq!(decisions(rules, &both), [RoutingDecision::Forward(Port::Right); 3]);
        let misroute = seen((1, 0), &[Port::Up, Port::Down]);
        assert_eq!(decisions(rules, &misroute), [RoutingDecision::Forward(Port::Up); 3]);
    }
}
