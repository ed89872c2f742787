//! A router's source of chance: a 2-bit linear feedback shift register.
//!
//! # What it models
//! The register of Venice's router, which breaks ties between output ports.
//!
//! # How
//! Polynomial x² + x + 1: the three non-zero states follow each other 1 → 3 → 2 → 1. The register
//! moves on once for each choice it is asked for, and not otherwise. Of two ports the low bit of the
//! state picks one: set, as it is in two states of three, the first. Of three ports the state itself
//! picks one. Where both an X and a Y port lead closer, X is thus taken twice as often as Y, which
//! keeps column 0, through which every controller must pass, clear for others: the other reading of
//! the bit nearly doubles the share of transfers that meet a conflict at middle load.
//!
//! # What is left out
//! Free running: a register clocked every cycle would make the choice depend on the clock's phase.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4: a 2-bit LFSR per router. How its state maps to ports, and
//! when it moves on, is our decision.
//!
//! # Parameters
//! `seed`: each router's first state is drawn from (seed, router number).

use venice_kernel::RandomStream;

use crate::fabric::noc::{Port, PortSet, RouterId};

/// A 2-bit register that is never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lfsr(u8);

impl Lfsr {
    /// The three states, in the order in which they follow each other.
    pub const STATES: [Self; 3] = [Self(1), Self(3), Self(2)];

    /// The first state of a router's register in the run of this seed.
    pub fn seeded(seed: u64, router: RouterId) -> Self {
        let mut stream = RandomStream::new(seed, &format!("fabric/venice/router/{}", router.0));
        Self::STATES[stream.below(3) as usize]
    }

    /// The two bits.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The state that follows: shift left, the sum of both bits comes in below.
    #[inline]
    #[must_use]
    pub const fn next(self) -> Self {
        Self(((self.0 << 1) | ((self.0 >> 1) ^ (self.0 & 1))) & 0b11)
    }

    /// Picks one of `ports`, which a router's geometry bounds to three.
    ///
    /// One port is taken without asking the register.
    #[inline]
    pub fn pick(&mut self, ports: PortSet) -> Option<Port> {
        let index = match ports.len() {
            0 | 1 => 0,
            2 => usize::from(self.draw() & 1 == 0),
            _ => usize::from(self.draw() - 1),
        };
        ports.iter().nth(index)
    }

    fn draw(&mut self) -> u8 {
        let drawn = self.0;
        *self = self.next();
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_states_follow_each_other_and_none_is_zero() {
        for (index, state) in Lfsr::STATES.into_iter().enumerate() {
            assert_ne!(state.bits(), 0);
            assert_eq!(state.next(), Lfsr::STATES[(index + 1) % 3]);
        }
    }

    #[test]
    fn three_ports_are_picked_in_equal_shares() {
        let ports: PortSet = [Port::Left, Port::Up, Port::Down].into_iter().collect();
        let mut lfsr = Lfsr::STATES[0];
        let picked: Vec<Port> = std::iter::from_fn(|| lfsr.pick(ports)).take(6).collect();
        assert_eq!(picked, [Port::Left, Port::Down, Port::Up, Port::Left, Port::Down, Port::Up]);
    }

    #[test]
    fn two_ports_are_picked_by_the_low_bit() {
        let ports: PortSet = [Port::Right, Port::Up].into_iter().collect();
        let mut lfsr = Lfsr::STATES[0];
        let picked: Vec<Port> = std::iter::from_fn(|| lfsr.pick(ports)).take(3).collect();
        assert_eq!(picked, [Port::Right, Port::Right, Port::Up]);
    }

    #[test]
    fn a_single_port_is_taken_without_a_draw() {
        let mut lfsr = Lfsr::STATES[1];
        assert_eq!(lfsr.pick(PortSet::EMPTY.with(Port::Down)), Some(Port::Down));
        assert_eq!(lfsr.pick(PortSet::EMPTY), None);
        assert_eq!(lfsr, Lfsr::STATES[1]);
    }

    #[test]
    fn routers_of_one_seed_start_in_different_states() {
        let states: Vec<u8> = (0..64).map(|r| Lfsr::seeded(7, RouterId(r)).bits()).collect();
        for state in Lfsr::STATES.map(Lfsr::bits) {
            let routers = (0..64).filter(|&r| states[r] == state).count();
            assert!(routers > 10, "{routers} of 64 start in {state}: {states:?}");
        }
        assert_eq!(states, (0..64).map(|r| Lfsr::seeded(7, RouterId(r)).bits()).collect::<Vec<_>>());
    }
}
