//! Victim policy `NAME`: greedy among the blocks that became full first.
//!
//! Contract: the documentation of the module `venice_drive::ftl::gc`.

use std::cmp::Reverse;

use venice_engine::crates::drive::ftl::{Candidate, Candidates, PlaneShape, VictimSelection};
use venice_engine::crates::params::{declare, whole};

declare! {
    /// Parameters of the victim policy `NAME`.
    pub struct VictimParameters in "ftl.NAME." {
        /// Number of blocks that are compared.
        window: u32 = whole(1, 1_000_000), unit "blocks", default "8", source "ours";
    }
}

/// Victim policy `NAME`.
#[derive(Clone, Debug)]
pub struct Victim {
    window: usize,
    by_age: Vec<Candidate>,
}

impl Victim {
    /// Returns the policy for a drive; `_seed` is for random choices.
    pub fn new(own: &VictimParameters, _shape: PlaneShape, _seed: u64) -> Self {
        Self { window: own.window as usize, by_age: Vec::new() }
    }
}

impl VictimSelection for Victim {
    /// Returns the block to collect, or `None` to collect none now, which is allowed unless `_must` is set.
    fn choose(&mut self, candidates: &impl Candidates, _must: bool) -> Option<u32> {
        self.by_age.clear();
        self.by_age.extend(candidates.all());
        self.by_age.sort_unstable_by_key(|block| Reverse(block.age));
        let window = self.by_age.iter().take(self.window);
        window.min_by_key(|block| block.valid).map(|block| block.index)
    }
}
