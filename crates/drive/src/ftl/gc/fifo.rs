//! FIFO victim selection.
//!
//! # What it models
//! Chooses the block that became full first, as in a log that is cleaned from its tail. All blocks are erased
//! equally often.
//!
//! # How
//! One pass over the plane's candidates for the greatest age.
//!
//! # What is left out
//! Two behaviours of MQSim. MQSim orders blocks by the time at which they were opened; here they are ordered
//! by the time at which they became full. If the oldest block cannot be collected, MQSim collects nothing and
//! never considers the block again; here, blocks without an invalid page are skipped. In MQSim, the second
//! and the third block of a plane can never be collected, since they are the open blocks for translation
//! pages and for garbage collection (see `docs/models/mqsim-defects.md`).
//!
//! # Source
//! Desnoyers, "Analytic models of SSD write performance", ACM Transactions on Storage 2014 (LRU cleaning).
//! MQSim: `FIFO`.
//!
//! # Parameters
//! none

use super::{Candidates, PlaneShape, VictimModel, VictimSelection};

/// Policy that chooses the block that became full first.
#[derive(Clone, Copy, Debug)]
pub struct Fifo;

impl VictimModel for Fifo {
    type Parameters = ();

    fn new(_own: &(), _shape: PlaneShape, _seed: u64) -> Self {
        Self
    }
}

impl VictimSelection for Fifo {
    #[inline]
    fn choose(&mut self, candidates: &impl Candidates, _must: bool) -> Option<u32> {
        candidates.oldest().map(|block| block.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::gc::Candidate;

    #[test]
    fn the_oldest_block_goes_however_full_it_is() {
        let block = |index, valid, age| Candidate { index, valid, age, erases: 0 };
        let blocks = [block(0, 0, 8), block(1, 7, 11), block(2, 1, 5)];
        assert_eq!(Fifo.choose(&blocks, false), Some(1));
        assert_eq!(Fifo.choose(&[] as &[Candidate; 0], true), None);
    }
}
