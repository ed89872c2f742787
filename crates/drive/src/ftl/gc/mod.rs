//! Victim policies: choice of the next block for garbage collection, by [`VictimSelection::choose`].
//!
//! `collector/victims.rs` decides when a plane needs a victim, and calls the policy; `collector/moves.rs`
//! moves the victim's pages. Blocks for static wear levelling are chosen in `collector` instead.
//!
//! # Rules
//!
//! 1. A policy receives the [`Candidates`] of one plane: blocks that are full, have no program in flight and
//!    at least one invalid page. The policy queries the blocks that it needs, and returns one of them, or
//!    none.
//! 2. A policy changes only its own state; random numbers come from a separate stream, [`chance`].
//! 3. A policy that returns none is called again when the next program or erase of the plane ends. If `must`
//!    is true (the host has no free block left), the policy must return a candidate if there is one. The
//!    collection of any candidate gains at least one page, so a plane never stalls.
//!
//! To add a policy: write its file with [`VictimSelection`] and [`VictimModel`], and add its `mod` line and
//! its line of the catalogue below. Configuration, reference documentation and tests of the rules then
//! include the policy and the parameters that its file declares. A user-defined policy outside the catalogue
//! needs only [`VictimSelection`]; see [`ExternalVictim`].

mod cost_age_times;
mod cost_benefit;
mod external;
mod fifo;
mod greedy;
mod random;
mod random_p;
mod random_pp;
mod rga;

use venice_kernel::RandomStream;

use venice_params::{ParameterSet, catalogue, choices, gather};

pub use external::ExternalVictim;

/// Block that is eligible for garbage collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Index of the block in its plane.
    pub index: u32,
    /// Number of valid pages, which garbage collection would have to move.
    pub valid: u32,
    /// Number of blocks of the drive that have become full since this block became full, counting the block
    /// itself.
    pub age: u64,
    /// Number of times the block has been erased.
    pub erases: u32,
}

/// Blocks of a plane that are eligible for garbage collection. A look-up of one block takes constant time,
/// which suits policies that sample blocks. The oldest candidate and the one with the fewest valid pages are
/// found without examining most blocks.
pub trait Candidates {
    /// Returns the block `index` as a candidate; `None` if the block is not eligible.
    fn get(&self, index: u32) -> Option<Candidate>;

    /// Iterates over all candidates in ascending order of their index.
    fn all(&self) -> impl Iterator<Item = Candidate>;

    /// Returns the candidate with the fewest valid pages; the oldest one on a tie.
    fn emptiest(&self) -> Option<Candidate> {
        greedy::emptiest(self.all())
    }

    /// Returns the candidate that became full first.
    fn oldest(&self) -> Option<Candidate> {
        self.all().max_by_key(|block| block.age)
    }
}

/// Numbers of blocks and pages of a plane, for the construction of a victim policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneShape {
    /// Number of blocks in a plane.
    pub blocks: u32,
    /// Number of pages in a block.
    pub pages: u32,
}

/// Value of d in the d-choices formula with which MQSim computes a steady state for its greedy policy
/// (`FTL::Perform_precondition`).
const CHOICES_OF_GREEDY: u32 = 30;

/// Formula for the distribution of valid pages over the blocks of a plane in steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeanField {
    /// Garbage collection takes the block with the fewest valid pages of this many random blocks.
    Choices(u32),
    /// Garbage collection takes each block of the plane with equal probability.
    Random,
    /// Garbage collection takes a random block among those whose number of valid pages does not exceed
    /// MQSim's limit for `RANDOM_PP`.
    RandomUpTo,
}

/// Victim policy of garbage collection; the module documentation states the rules.
pub trait VictimSelection {
    /// Returns the index of the next victim among `candidates`, or `None` to collect no block. If `must` is
    /// true, a block must be returned if there is a candidate.
    fn choose(&mut self, candidates: &impl Candidates, must: bool) -> Option<u32>;
}

/// Construction of a built-in victim policy.
pub trait VictimModel: VictimSelection + Sized {
    /// Policy-specific parameters; `()` if there are none.
    type Parameters: ParameterSet;

    /// Creates the policy for planes of the shape `shape`. `own` contains the policy-specific parameters, and
    /// `seed` is the seed of the run.
    fn new(own: &Self::Parameters, shape: PlaneShape, seed: u64) -> Self;

    /// Returns the formula that MQSim's preconditioning (`precondition.mode = "mqsim"`) uses for the valid
    /// pages in a plane's blocks. Policies that MQSim does not have use the formula of the greedy policy.
    /// Other preconditioning modes simulate the policy itself.
    fn mean_field(_own: &Self::Parameters, _shape: PlaneShape) -> MeanField {
        MeanField::Choices(CHOICES_OF_GREEDY)
    }
}

/// Returns the random stream from which victim policies take their random numbers.
fn chance(seed: u64) -> RandomStream {
    RandomStream::new(seed, "ftl.gc")
}

catalogue! {
    /// Victim policy of garbage collection.
    pub enum VictimPolicy, match_kind!;

    /// Enum with a variant for each victim policy, for static dispatch.
    #[derive(Clone, Debug)]
    pub enum AnyVictimPolicy, match_policy! {
        /// User-defined policy, which is not built in.
        External(ExternalVictim)
    };

    greedy::Greedy: "greedy" => Greedy, "the fewest valid pages";
    rga::Rga: "rga" => Rga, "greedy in a random sample (d-choices)";
    random::Random:
        "random" => Random, "uniform draw among all blocks, full or not, until an eligible one is drawn";
    random_p::RandomP: "random_p" => RandomP, "uniform draw among full blocks";
    random_pp::RandomPp:
        "random_pp" => RandomPp, "uniform draw among full blocks up to a share of the average valid pages";
    fifo::Fifo: "fifo" => Fifo, "the block that became full first";
    cost_benefit::CostBenefit: "cost_benefit" => CostBenefit, "the largest age × invalid / valid pages";
    cost_age_times::CostAgeTimes:
        "cost_age_times" => CostAgeTimes, "the largest age × invalid / (valid pages × cleanings)";

    => gather! {
        /// Parameters of all victim policies.
        pub struct VictimParameters of VictimModel
    }
}

choices! { kind VictimPolicy, "victim policy"; }

impl VictimPolicy {
    /// Creates the policy for planes of the shape `shape`. `seed` is the seed of the run.
    pub fn build(self, parameters: &VictimParameters, shape: PlaneShape, seed: u64) -> AnyVictimPolicy {
        match_kind!(self, Policy, own in parameters => Policy::new(own, shape, seed).into())
    }

    /// Calls [`VictimModel::mean_field`] of the policy.
    pub fn mean_field(self, parameters: &VictimParameters, shape: PlaneShape) -> MeanField {
        match_kind!(self, Policy, own in parameters => Policy::mean_field(own, shape))
    }
}

impl VictimSelection for AnyVictimPolicy {
    #[inline]
    fn choose(&mut self, candidates: &impl Candidates, must: bool) -> Option<u32> {
        match_policy!(self, policy => policy.choose(candidates, must))
    }
}

/// Candidates as a list, for tests of a policy.
impl<List: AsRef<[Candidate]>> Candidates for List {
    fn get(&self, index: u32) -> Option<Candidate> {
        self.as_ref().iter().find(|block| block.index == index).copied()
    }

    fn all(&self) -> impl Iterator<Item = Candidate> {
        self.as_ref().iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testkit::contract::victim::{SHAPE, chosen, names_a_candidate_or_none};

    /// Returns a proptest strategy for the candidates of a plane, in ascending order of their index.
    fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
        let blocks =
            prop::collection::btree_map(0..SHAPE.blocks, (0..SHAPE.pages, 1_u64..1000, 0..9_u32), 0..20);
        blocks.prop_map(|blocks| {
            let candidate = |(index, (valid, age, erases))| Candidate { index, valid, age, erases };
            blocks.into_iter().map(candidate).collect()
        })
    }

    proptest! {
        #[test]
        fn every_policy_names_a_candidate_or_none_and_one_when_it_must(
            candidates in candidates(),
            seed in any::<u64>(),
        ) {
            for &kind in VictimPolicy::ALL {
                let mut policy = kind.build(&VictimParameters::default(), SHAPE, seed);
                names_a_candidate_or_none(kind.name(), &mut policy, &candidates);
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_victims_and_another_seed_others() {
        let victims =
            |kind: VictimPolicy, seed| chosen(&mut kind.build(&VictimParameters::default(), SHAPE, seed));
        let draws = [VictimPolicy::Rga, VictimPolicy::Random, VictimPolicy::RandomP, VictimPolicy::RandomPp];
        for &kind in VictimPolicy::ALL {
            assert_eq!(victims(kind, 5), victims(kind, 5), "{kind:?}");
            assert_eq!(victims(kind, 5) != victims(kind, 6), draws.contains(&kind), "{kind:?}");
        }
    }
}
