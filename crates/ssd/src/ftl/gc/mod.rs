//! Which block garbage collection takes next.
//!
//! # The contract
//!
//! 1. A policy is offered the candidates of one plane: blocks that are full, have no program in
//!    flight and at least one invalid page. It names one of them, or none.
//! 2. It changes nothing but its own state; chance comes from a stream it was given.
//! 3. Refusing all candidates for ever would stop writes to the plane: a policy that waits must
//!    accept when asked with `must` set.

mod greedy;

pub use greedy::Greedy;

use super::VictimPolicy;

/// A block that may be collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number within the plane.
    pub index: u32,
    /// Pages that would have to be moved.
    pub valid: u32,
    /// When it became full, as a count of blocks that became full before.
    pub closed: u64,
}

/// A victim policy; the registry of this seam.
#[derive(Clone, Debug)]
pub enum Policy {
    /// See [`Greedy`].
    Greedy(Greedy),
}

impl Policy {
    /// The policy that settings ask for.
    pub fn new(policy: VictimPolicy) -> Self {
        match policy {
            VictimPolicy::Greedy => Self::Greedy(Greedy),
        }
    }

    /// Names the next victim among `candidates`.
    #[inline]
    pub fn choose(&mut self, candidates: impl Iterator<Item = Candidate>, must: bool) -> Option<u32> {
        match self {
            Self::Greedy(policy) => policy.choose(candidates, must),
        }
    }
}
