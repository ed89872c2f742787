//! Pages stay in their plane, and those of victims that have rested fill blocks of their own.
//!
//! # What it models
//! Data that is written often and data that rests, kept on different blocks: what a collection moves is either what was about
//! to be overwritten, or what is hardly ever. On one block, the first leaves holes among the second, which is moved over and over.
//!
//! # How
//! A victim that became full before more blocks than a share of the drive's holds cold data, for whatever was written often among it
//! is invalid by then; its pages go to the block of data that rests, which static wear levelling fills, too, the most worn
//! free one. Pages of other victims go to collection's block, and what the host writes to its own: three frontiers.
//!
//! # What is left out
//! How often each page is written. The source groups pages by an estimate of it, in as many groups as pay; here are two, told apart by how
//! long a block has rested.
//!
//! # Source
//! Stoica, Ailamaki, "Improving flash write performance by using update frequency", PVLDB 6(9), 2013 (pages of like update
//! frequency share blocks); Chiang, Chang, "Cleaning policies in mobile computers using flash memory", Journal of Systems and
//! Software 48(3), 1999 (cleaning moves cold data to blocks of its own).
//!
//! # Parameters
//! `ftl.cold_apart_age_pct`

use venice_params::{declare, number};

use super::{Destination, Frontier, Victim};

declare! {
    /// What `cold_apart` is told.
    pub struct ColdApartParameters in "ftl." {
        /// Blocks that became full since a victim did, as a share of the drive's, from which on its pages are cold, for `cold_apart`.
        cold_apart_age_pct: f64 = number(0.0, 100_000.0), unit "%", default "100",
            source "assumed: a log that is overwritten evenly has come around once; Stoica, Ailamaki, PVLDB 2013";
    }
}

/// Cold pages apart from the others.
#[derive(Clone, Copy, Debug)]
pub struct ColdApart {
    /// Of the drive's blocks.
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
