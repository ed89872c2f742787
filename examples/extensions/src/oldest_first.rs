//! Windowed greedy victim selection.
//!
//! # What it models
//! The victim is the block with the fewest valid pages among the `window` blocks that became full first.
//!
//! # Source
//! Hu, Eleftheriou, Haas, Iliadis, Pletka, "Write amplification analysis in flash-based solid state drives",
//! SYSTOR 2009 (windowed greedy).

use std::cmp::Reverse;

use venice_drive::ftl::{Candidate, Candidates, VictimSelection};

/// Windowed greedy victim policy.
#[derive(Clone, Debug)]
pub struct OldestFirst {
    window: usize,
    by_age: Vec<Candidate>,
}

impl OldestFirst {
    /// Returns the policy with a window of `window` blocks.
    pub const fn new(window: usize) -> Self {
        Self { window, by_age: Vec::new() }
    }
}

impl VictimSelection for OldestFirst {
    fn choose(&mut self, candidates: &impl Candidates, _must: bool) -> Option<u32> {
        self.by_age.clear();
        self.by_age.extend(candidates.all());
        self.by_age.sort_unstable_by_key(|block| Reverse(block.age));
        let window = self.by_age.iter().take(self.window);
        window.min_by_key(|block| block.valid).map(|block| block.index)
    }
}
