//! Which block garbage collection takes next.
//!
//! # The contract
//!
//! 1. A policy is shown the [`Candidates`] of one plane: blocks that are full, have no program in flight and at least
//!    one invalid page. It asks for those that it wants to see, and names one of them, or none.
//! 2. It changes nothing but its own state; chance comes from a stream of its own, [`chance`].
//! 3. A policy that names none is asked again when the next program or erase of the plane ends. Asked
//!    with `must` set (no free block is left to the host), it names one if there is one: whichever it
//!    is, its erasure gains a page at least, so a plane never comes to a halt.
//!
//! To add a policy: write its file with [`VictimSelection`] and [`VictimModel`], and add its `mod` line and its line of the catalogue below.
//! Configuration, reference and the tests of the contract find it, and the parameters that its file declares, by themselves. One from outside
//! the catalogue needs [`VictimSelection`] alone: [`OwnVictim`].

mod cost_age_times;
mod cost_benefit;
mod fifo;
mod greedy;
mod own;
mod random;
mod random_p;
mod random_pp;
mod rga;

use venice_kernel::RandomStream;

use venice_params::{Declared, catalogue, choices, gather};

pub use own::OwnVictim;

/// A block that may be collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number within the plane.
    pub index: u32,
    /// Pages that would have to be moved.
    pub valid: u32,
    /// Blocks of the drive that have become full since this one did, itself included.
    pub age: u64,
    /// How often it was erased so far.
    pub erases: u32,
}

/// The blocks of a plane that may be collected. A look at one costs the same however many there are: a policy that samples
/// looks at its sample. The emptiest and the oldest are found without a look at most.
pub trait Candidates {
    /// The block of this number, if it may be collected.
    fn get(&self, index: u32) -> Option<Candidate>;

    /// All of them, by ascending number.
    fn all(&self) -> impl Iterator<Item = Candidate>;

    /// The one with the fewest valid pages; of equals, the oldest.
    fn emptiest(&self) -> Option<Candidate> {
        greedy::emptiest(self.all())
    }

    /// The one that became full first.
    fn oldest(&self) -> Option<Candidate> {
        self.all().max_by_key(|block| block.age)
    }
}

/// Inputs of every victim policy when a drive is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneShape {
    /// Blocks of a plane.
    pub blocks: u32,
    /// Pages of a block.
    pub pages: u32,
}

/// MQSim's greedy policy where it computes a steady state, as choices of which the emptiest is taken: `FTL::Perform_precondition`.
const CHOICES_OF_GREEDY: u32 = 30;

/// A formula for how many valid pages the blocks of a plane hold in the steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeanField {
    /// The emptiest of so many blocks is collected.
    Choices(u32),
    /// Any block is.
    Random,
    /// Any block with at most as many valid pages as MQSim asks for.
    RandomUpTo,
}

/// A policy of choosing victims; see the contract in the module comment.
pub trait VictimSelection {
    /// The number of the next victim among `candidates`.
    fn choose(&mut self, candidates: &impl Candidates, must: bool) -> Option<u32>;
}

/// How a policy of the catalogue is made.
pub trait VictimModel: VictimSelection + Sized {
    /// Parameters of this policy alone; `()` if it has none.
    type Parameters: Declared;

    /// The policy for planes of this shape, in the run of this seed.
    fn new(own: &Self::Parameters, shape: PlaneShape, seed: u64) -> Self;

    /// The formula by which MQSim's preconditioning (`precondition.mode = "mqsim"`) takes the plane to have been filled. That of greedy
    /// stands for policies of which MQSim knows none; the other modes simulate the policy itself.
    fn mean_field(_own: &Self::Parameters, _shape: PlaneShape) -> MeanField {
        MeanField::Choices(CHOICES_OF_GREEDY)
    }
}

/// The random stream of a policy.
fn chance(seed: u64) -> RandomStream {
    RandomStream::new(seed, "ftl.gc")
}

catalogue! {
    /// How a garbage collection victim is chosen.
    pub enum VictimPolicy, match_kind!;

    /// Any of the policies, dispatched by `match`.
    #[derive(Clone, Debug)]
    pub enum AnyVictimPolicy, match_policy! {
        /// A policy from outside the catalogue.
        Own(OwnVictim)
    };

    greedy::Greedy: "greedy" => Greedy, "fewest valid pages";
    rga::Rga: "rga" => Rga, "greedy in a random sample (d-choices)";
    random::Random: "random" => Random, "any block, full or not, until it is worth collecting";
    random_p::RandomP: "random_p" => RandomP, "any full one";
    random_pp::RandomPp:
        "random_pp" => RandomPp, "any with no more valid pages than the average, or a share of it";
    fifo::Fifo: "fifo" => Fifo, "the one that became full first";
    cost_benefit::CostBenefit: "cost_benefit" => CostBenefit, "most age times invalid pages for its valid ones";
    cost_age_times::CostAgeTimes:
        "cost_age_times" => CostAgeTimes, "the same for its valid pages times its erases";

    => gather! {
        /// Parameters of the victim policies.
        pub struct VictimParameters of VictimModel
    }
}

choices! { kind VictimPolicy, "victim policy"; }

impl VictimPolicy {
    /// Builds the policy for planes of this shape, in the run of this seed.
    pub fn build(self, parameters: &VictimParameters, shape: PlaneShape, seed: u64) -> AnyVictimPolicy {
        match_kind!(self, Policy, own in parameters => Policy::new(own, shape, seed).into())
    }

    /// See [`VictimModel::mean_field`].
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

/// A list of candidates, for policies that are looked at alone.
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

    /// Some blocks of a plane, by ascending number, each with an invalid page.
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
