//! Random source of a router: a 2-bit linear feedback shift register (LFSR).
//!
//! # What it models
//! The LFSR of Venice's router, which breaks ties between output ports.
//!
//! # How
//! The polynomial is x² + x + 1. The non-zero states follow each other in the cycle 1 → 3 → 2 → 1. The LFSR
//! advances once in each cycle of a link, like a shift register without enable. Its state is therefore a
//! function of time. Failed scouts that are counted instead of simulated thus have no effect on the LFSRs.
//!
//! With two candidate ports the low bit of the state selects one. It selects the first port if it is set,
//! which it is in two of three states. With three candidates the state itself selects one. If both an X and a
//! Y port are minimal, X is thus selected twice as often as Y. This reduces the load of column 0, where all
//! controllers are attached. The unbiased selection inverts the bit in every other period of three states.
//! Each port is thus selected in three of six cycles. This selection requires one more flip-flop and causes
//! more conflicts.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.3: a 2-bit LFSR per router. The paper does not define the mapping
//! from state to port, nor the clocking.
//!
//! # Parameters
//! `seed`: the initial state of each router is drawn from (seed, router number). `port_choice`: the selection
//! between two ports.

use venice_kernel::RandomStream;

use crate::PortChoice;
use crate::noc::{Port, PortSet, RouterId};

/// Number of link cycles since the start of the run, modulo [`LfsrCycle::ROUND`]. The states of the LFSR and
/// of the flip-flop repeat after this number of cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LfsrCycle(u32);

impl LfsrCycle {
    /// Number of link cycles after which the states of the LFSR and of its flip-flop repeat.
    pub const ROUND: u64 = 6;

    /// Returns the cycle number at `cycles` link cycles after the start of the run.
    #[inline]
    pub const fn after(cycles: u64) -> Self {
        Self((cycles % Self::ROUND) as u32)
    }

    /// Returns the cycle number after `later` further cycles.
    #[inline]
    #[must_use]
    pub const fn plus(self, later: Self) -> Self {
        let sum = self.0 + later.0;
        Self(if sum < Self::ROUND as u32 { sum } else { sum - Self::ROUND as u32 })
    }
}

/// Rule by which the LFSR selects one of two ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PortSelection {
    /// The low bit selects: the first port in two of three states.
    LowBit,
    /// Each of the two ports is selected in three of six cycles.
    Unbiased,
}

/// LFSR of a router, represented by its non-zero 2-bit state in the first cycle of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lfsr {
    /// Index of the state in [`Lfsr::STATES`].
    place: u8,
}

impl Lfsr {
    /// Non-zero states in the order in which they follow each other.
    pub const STATES: [Self; 3] = [Self { place: 0 }, Self { place: 1 }, Self { place: 2 }];
    /// The two bits of each state, in the order in which the states follow each other. The sequence is
    /// repeated, so that the sum of a state's index and a cycle number can be used as an index.
    const BITS: [u8; 8] = [1, 3, 2, 1, 3, 2, 1, 3];

    /// Returns the LFSR of a router, with an initial state that is drawn from `seed`.
    pub fn seeded(seed: u64, router: RouterId) -> Self {
        let mut stream = RandomStream::new(seed, &format!("fabric/venice/router/{}", router.0));
        Self::STATES[stream.below(3) as usize]
    }

    /// Returns the two bits of the LFSR's state in the given cycle.
    #[inline]
    pub const fn bits(self, turn: LfsrCycle) -> u8 {
        Self::BITS[(self.place as u32 + turn.0) as usize % 8]
    }

    /// Selects one of `ports`. These are at most three, because a router has no more candidates. A single
    /// port is selected regardless of the LFSR.
    #[inline]
    pub const fn pick(self, ports: PortSet, turn: LfsrCycle, picks: &PortSelections) -> Option<Port> {
        picks.of_bits(self.state(turn), ports.links_bits())
    }

    /// Returns the index in [`PortSelections`] of the LFSR's state in the given cycle: the sum of the initial
    /// state's index and the cycle number.
    #[inline]
    pub(super) const fn state(self, turn: LfsrCycle) -> usize {
        (self.place as u32 + turn.0) as usize % PortSelections::STATES
    }
}

/// Precomputed port selections, indexed by LFSR state and by the bits of the candidate ports. If a link is
/// doubled and both of its ports are candidates, only the first port counts.
#[derive(Debug)]
pub struct PortSelections([[Option<Port>; 256]; Self::STATES]);

impl PortSelections {
    /// Number of indices of LFSR states, rounded up to a power of two. An index is the sum of an initial
    /// state's index and a cycle number.
    pub(super) const STATES: usize = 8;

    /// Returns the selected port, given the index of an LFSR state and the bits of the candidate ports.
    #[inline]
    pub(super) const fn of_bits(&self, state: usize, bits: u8) -> Option<Port> {
        self.0[state][bits as usize]
    }

    /// Returns the table of port selections for the configured choice.
    pub const fn of(choice: PortChoice) -> &'static Self {
        static FIXED: PortSelections = PortSelections::found(None);
        static LOW_BIT: PortSelections = PortSelections::found(Some(PortSelection::LowBit));
        static UNBIASED: PortSelections = PortSelections::found(Some(PortSelection::Unbiased));
        match choice {
            PortChoice::Fixed => &FIXED,
            PortChoice::Random => &LOW_BIT,
            PortChoice::Unbiased => &UNBIASED,
        }
    }

    /// Computes the table for a selection rule. With `None`, the first candidate is always selected.
    const fn found(reading: Option<PortSelection>) -> Self {
        let mut picks = [[None; 256]; Self::STATES];
        let mut state = 0;
        while state < Self::STATES {
            let mut bits = 0;
            while bits < 256 {
                let ports = PortSet::of_links_bits(bits as u8).one_each_way();
                picks[state][bits] = match reading {
                    None => ports.nth(0),
                    Some(reading) => pick_in(state as u8, ports, reading),
                };
                bits += 1;
            }
            state += 1;
        }
        Self(picks)
    }
}

const fn pick_in(state: u8, ports: PortSet, reading: PortSelection) -> Option<Port> {
    let bits = Lfsr::BITS[state as usize];
    let before = match (ports.len(), bits) {
        (2, _) => {
            let is_turned_over = matches!(reading, PortSelection::Unbiased) && state / 3 % 2 == 1;
            ((bits & 1 == 0) != is_turned_over) as u32
        }
        (0 | 1, _) | (_, 1) => 0,
        (_, 2) => 1,
        _ => 2,
    };
    ports.nth(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(ports: &[Port], choice: PortChoice) -> Vec<Port> {
        let ports: PortSet = ports.iter().copied().collect();
        (0..6)
            .filter_map(|cycle| {
                Lfsr::STATES[0].pick(ports, LfsrCycle::after(cycle), PortSelections::of(choice))
            })
            .collect()
    }

    #[test]
    fn three_states_follow_each_other_and_none_is_zero() {
        for (place, bits) in [1, 3, 2].into_iter().enumerate() {
            let next = (bits << 1 | (bits >> 1 ^ bits & 1)) & 0b11;
            let state = Lfsr::STATES[place];
            assert_eq!((state.bits(LfsrCycle::default()), state.bits(LfsrCycle::after(1))), (bits, next));
            assert_eq!(state.bits(LfsrCycle::after(3)), bits);
        }
    }

    #[test]
    fn turns_add_up_as_cycles_do() {
        for (some, more) in (0..20).flat_map(|some| (0..20).map(move |more| (some, more))) {
            assert_eq!(LfsrCycle::after(some).plus(LfsrCycle::after(more)), LfsrCycle::after(some + more));
        }
    }

    #[test]
    fn three_ports_are_picked_in_equal_shares() {
        use Port::{Down, Left, Up};
        for choice in [PortChoice::Random, PortChoice::Unbiased] {
            assert_eq!(picks(&[Left, Up, Down], choice), [Left, Down, Up, Left, Down, Up]);
        }
    }

    #[test]
    fn of_two_ports_the_low_bit_picks_the_first_in_two_cycles_of_three() {
        use Port::{Right, Up};
        assert_eq!(picks(&[Right, Up], PortChoice::Random), [Right, Right, Up, Right, Right, Up]);
    }

    #[test]
    fn read_without_bias_each_of_two_ports_is_picked_in_three_cycles_of_six() {
        use Port::{Right, Up};
        for state in Lfsr::STATES {
            let ports = [Right, Up].into_iter().collect();
            let pick =
                |cycle| state.pick(ports, LfsrCycle::after(cycle), PortSelections::of(PortChoice::Unbiased));
            assert_eq!((0..6).filter(|&cycle| pick(cycle) == Some(Right)).count(), 3);
        }
    }

    #[test]
    fn a_single_port_is_taken_in_every_turn() {
        assert_eq!(picks(&[Port::Down], PortChoice::Random), [Port::Down; 6]);
        assert_eq!(picks(&[], PortChoice::Unbiased), []);
    }

    #[test]
    fn routers_of_one_seed_start_in_different_states() {
        let first = |seed| (0..64).map(|r| Lfsr::seeded(seed, RouterId(r))).collect::<Vec<_>>();
        let states = first(7);
        for state in Lfsr::STATES {
            let routers = states.iter().filter(|&&other| other == state).count();
            assert!(routers > 10, "{routers} of 64 start in {state:?}: {states:?}");
        }
        assert_eq!(states, first(7));
    }
}
