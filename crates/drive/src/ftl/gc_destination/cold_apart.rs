//! Destination policy that keeps moved pages in their plane and stores cold data in separate blocks.
//!
//! # What it models
//! Separation of hot and cold data into different blocks. A page moved by garbage collection (GC) may be hot
//! (overwritten soon) or cold (rarely written). If both kinds share a block, the hot pages become invalid,
//! and the cold ones are moved again and again.
//!
//! # How
//! The age of a victim is the number of blocks that became full after it. A victim counts as cold if its age
//! exceeds a given share of the drive's blocks, since its hot pages have become invalid by then. Its valid
//! pages go to the open block for cold data, which static wear levelling also uses. When this block is full,
//! the most worn free block is opened as the next one. Pages of other victims go to the open block of GC, and
//! host writes to that of the host. A plane thus has three open blocks.
//!
//! # What is left out
//! The write frequency of each page. The source groups pages by an estimate of it, into an optimal number of
//! groups. Here there are two groups, distinguished by the age of the victim.
//!
//! # Source
//! Stoica, Ailamaki, "Improving flash write performance by using update frequency", PVLDB 6(9), 2013 (pages
//! of like update frequency share blocks); Chiang, Chang, "Cleaning policies in mobile computers using flash
//! memory", Journal of Systems and Software 48(3), 1999 (cleaning moves cold data to separate blocks).
//!
//! # Parameters
//! `ftl.cold_apart_age_pct`

use venice_params::{declare, number};

use super::{Destination, Frontier, Victim};

declare! {
    /// Parameters of the destination policy `cold_apart`.
    pub struct ColdApartParameters in "ftl." {
        /// Minimum age of a victim whose pages count as cold, for `cold_apart`.
        ///
        /// The age is the number of blocks that became full after the victim, as a share of the drive's
        /// blocks.
        cold_apart_age_pct: f64 = number(0.0, 100_000.0), unit "%", default "100",
            source "assumed: one revolution of an evenly overwritten log; Stoica, Ailamaki, PVLDB 2013";
    }
}

/// Policy that separates cold pages from hot ones.
#[derive(Clone, Copy, Debug)]
pub struct ColdApart {
    /// Minimum age of a victim that counts as cold, as a share of the number of blocks in the drive.
    cold_from: f64,
}

impl Destination for ColdApart {
    type Parameters = ColdApartParameters;

    fn new(own: &ColdApartParameters) -> Self {
        Self { cold_from: own.cold_apart_age_pct / 100.0 }
    }

    fn frontier(&mut self, victim: &Victim) -> Frontier {
        let is_cold = victim.age as f64 >= self.cold_from * f64::from(victim.blocks);
        if is_cold { Frontier::Resting } else { Frontier::Collection }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_victim_rests_from_the_age_on_that_is_its_share_of_the_drive() {
        let mut policy = ColdApart::new(&ColdApartParameters { cold_apart_age_pct: 50.0 });
        let mut frontier = |age| policy.frontier(&Victim { age, valid: 3, blocks: 200 });
        assert_eq!([frontier(99), frontier(100)], [Frontier::Collection, Frontier::Resting]);
    }
}
