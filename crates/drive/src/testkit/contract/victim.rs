//! Checks that a victim policy obeys the rules in [`crate::ftl::VictimSelection`].

use venice_kernel::RandomStream;

use crate::ftl::{Candidate, PlaneShape, VictimSelection};

/// Shape of the tested planes.
pub const SHAPE: PlaneShape = PlaneShape { blocks: 64, pages: 32 };

/// Number of planes that [`check`] generates.
const PLANES: u64 = 200;

/// Checks all rules of victim policies. `make` creates the policy from the shape of a plane and the seed of a
/// run.
///
/// # Panics
/// Panics if the policy violates a rule.
pub fn check<V: VictimSelection>(name: &str, make: impl Fn(PlaneShape, u64) -> V) {
    for seed in 0..PLANES {
        names_a_candidate_or_none(name, &mut make(SHAPE, seed), &drawn(seed));
        let twice = [0, 1].map(|_| chosen(&mut make(SHAPE, seed)));
        assert_eq!(twice[0], twice[1], "{name} chooses otherwise with the same seed");
    }
}

/// Generates the candidate blocks of a plane in ascending order of their index. The list may be empty.
fn drawn(seed: u64) -> Vec<Candidate> {
    let mut random = RandomStream::new(seed, "testkit.candidates");
    let share = random.unit() * random.unit();
    let mut blocks = Vec::new();
    for index in 0..SHAPE.blocks {
        if random.chance(share) {
            let valid = random.below(u64::from(SHAPE.pages)) as u32;
            let (age, erases) = (1 + random.below(1000), random.below(9) as u32);
            blocks.push(Candidate { index, valid, age, erases });
        }
    }
    blocks
}

/// Checks rules 1 and 3 of victim policies: a selected block is a candidate, and a required selection is
/// made.
///
/// # Panics
///
/// Panics if the policy selects a block that is not a candidate, or selects no block although it must.
pub fn names_a_candidate_or_none(name: &str, policy: &mut impl VictimSelection, candidates: &[Candidate]) {
    let is_candidate = |index| candidates.iter().any(|block| block.index == index);
    for _ in 0..20 {
        let found = policy.choose(&candidates, false);
        assert!(found.is_none_or(is_candidate), "{name} named {found:?}, which is no candidate");
        let found = policy.choose(&candidates, true);
        let is_right = found.is_some_and(is_candidate) || candidates.is_empty();
        assert!(is_right, "{name} named {found:?} when it had to name a candidate");
    }
}

/// Returns 50 successive selections among the candidates of one plane.
pub fn chosen(policy: &mut impl VictimSelection) -> Vec<Option<u32>> {
    let block = |index| Candidate { index, valid: index % 7, age: u64::from(64 - index), erases: 0 };
    let blocks: Vec<Candidate> = (0..SHAPE.blocks).map(block).collect();
    (0..50).map(|_| policy.choose(&blocks, false)).collect()
}
