//! User-defined victim policies, checked against the rules of [`super`].
//!
//! # How
//! A user-defined policy sees a plane's blocks through trait objects, so that the engine need not be compiled
//! for it. Each block that the policy returns is checked. If it is not a candidate, the violation is
//! recorded, and the run reports it at its next check. Until then, the first candidate is collected if `must`
//! is true, and no block otherwise.

use std::fmt;

use super::{Candidate, Candidates, PlaneShape, VictimSelection};

/// [`Candidates`] as a trait object.
trait CandidateView {
    fn get(&self, index: u32) -> Option<Candidate>;
    fn all(&self) -> Box<dyn Iterator<Item = Candidate> + '_>;
    fn emptiest(&self) -> Option<Candidate>;
    fn oldest(&self) -> Option<Candidate>;
}

impl<Blocks: Candidates> CandidateView for Blocks {
    fn get(&self, index: u32) -> Option<Candidate> {
        Candidates::get(self, index)
    }

    fn all(&self) -> Box<dyn Iterator<Item = Candidate> + '_> {
        Box::new(Candidates::all(self))
    }

    fn emptiest(&self) -> Option<Candidate> {
        Candidates::emptiest(self)
    }

    fn oldest(&self) -> Option<Candidate> {
        Candidates::oldest(self)
    }
}

/// Adapter from a [`CandidateView`] back to [`Candidates`].
struct CandidateAdapter<'a>(&'a dyn CandidateView);

impl Candidates for CandidateAdapter<'_> {
    fn get(&self, index: u32) -> Option<Candidate> {
        self.0.get(index)
    }

    fn all(&self) -> impl Iterator<Item = Candidate> {
        self.0.all()
    }

    fn emptiest(&self) -> Option<Candidate> {
        self.0.emptiest()
    }

    fn oldest(&self) -> Option<Candidate> {
        self.0.oldest()
    }
}

/// [`VictimSelection`] as a trait object.
trait DynamicVictimSelection: Send {
    fn choose_of(&mut self, shown: &dyn CandidateView, must: bool) -> Option<u32>;
    fn copied(&self) -> Box<dyn DynamicVictimSelection>;
}

impl<Policy: VictimSelection + Clone + Send + 'static> DynamicVictimSelection for Policy {
    fn choose_of(&mut self, shown: &dyn CandidateView, must: bool) -> Option<u32> {
        self.choose(&CandidateAdapter(shown), must)
    }

    fn copied(&self) -> Box<dyn DynamicVictimSelection> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn DynamicVictimSelection> {
    fn clone(&self) -> Self {
        self.as_ref().copied()
    }
}

/// User-defined victim policy, which replaces the built-in ones.
#[derive(Clone)]
pub struct ExternalVictim {
    policy: Box<dyn DynamicVictimSelection>,
    shape: PlaneShape,
    broken: Option<String>,
}

impl ExternalVictim {
    /// Wraps a user-defined policy with the checks, for planes of the shape `shape`.
    pub fn new(policy: impl VictimSelection + Clone + Send + 'static, shape: PlaneShape) -> Self {
        Self { policy: Box::new(policy), shape, broken: None }
    }

    /// Returns the first violation of the rules by the user-defined policy, if there was one.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }
}

impl VictimSelection for ExternalVictim {
    /// Returns the policy's choice if it is a candidate. Otherwise records the violation, and returns a
    /// candidate only if `must` is true.
    fn choose(&mut self, candidates: &impl Candidates, must: bool) -> Option<u32> {
        let named = self.policy.choose_of(candidates, must);
        if named.is_some_and(|index| index < self.shape.blocks && candidates.get(index).is_some()) {
            return named;
        }
        let first = candidates.all().next().map(|block| block.index);
        let wrong = match named {
            Some(index) => Some(format!("it selected block {index} of a plane, which is not a candidate")),
            None if must && first.is_some() => {
                Some("it selected no block although a candidate was required and existed".to_owned())
            }
            None => None,
        };
        self.broken = self.broken.take().or(wrong);
        first.filter(|_| must)
    }
}

impl fmt::Debug for ExternalVictim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalVictim").field("broken", &self.broken).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test policy that always returns the same block, or none, regardless of the candidates.
    #[derive(Clone)]
    struct FixedChoice(Option<u32>);

    impl VictimSelection for FixedChoice {
        fn choose(&mut self, _candidates: &impl Candidates, _must: bool) -> Option<u32> {
            self.0
        }
    }

    /// Returns the victim of an optional and of a forced garbage collection. The flag is true if the policy
    /// violated the rules.
    fn outcomes(names: Option<u32>, blocks: &[u32]) -> [(Option<u32>, bool); 2] {
        let block = |&index: &u32| Candidate { index, valid: 1, age: 1, erases: 0 };
        let blocks: Vec<Candidate> = blocks.iter().map(block).collect();
        [false, true].map(|must| {
            let mut external = ExternalVictim::new(FixedChoice(names), PlaneShape { blocks: 8, pages: 8 });
            (external.choose(&blocks, must), external.broken().is_some())
        })
    }

    #[test]
    fn what_is_no_candidate_is_not_taken_and_noted() {
        assert_eq!(outcomes(Some(4), &[2, 4]), [(Some(4), false), (Some(4), false)]);
        assert_eq!(outcomes(Some(3), &[2, 4]), [(None, true), (Some(2), true)]);
        assert_eq!(outcomes(Some(99), &[2, 4]), [(None, true), (Some(2), true)]);
        assert_eq!(outcomes(None, &[2, 4]), [(None, false), (Some(2), true)]);
        assert_eq!(outcomes(None, &[]), [(None, false), (None, false)]);
        assert_eq!(outcomes(Some(3), &[]), [(None, true), (None, true)]);
    }
}
