//! Moved pages stay in their plane; pages of cold victims fill separate blocks.
//!
//! # What it models
//! Separation of hot and cold data into different blocks. A page that GC moves is either about to be
//! overwritten or hardly ever written. On one block, the hot pages leave holes among the cold ones, which are
//! moved over and over.
//!
//! # How
//! A victim is cold if it became full before more blocks than a share of the drive's, since its hot pages are
//! invalid by then. Its pages go to the open block of cold data, the most worn free one, which static wear
//! levelling fills too. Pages of other victims go to the GC block, and host writes to the host's block: three
//! frontiers.
//!
//! # What is left out
//! The write frequency of each page. The source groups pages by an estimate of it, in as many groups as pay;
//! here are two groups, distinguished by the age of the block.
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
    /// Parameters of `cold_apart`.
    pub struct ColdApartParameters in "ftl." {
        /// Age of a victim from which its pages count as cold, for `cold_apart`. The age is the number of
        /// blocks that became full after the victim, as a share of the drive's blocks.
        cold_apart_age_pct: f64 = number(0.0, 100_000.0), unit "%", default "100",
            source "assumed: one revolution of an evenly overwritten log; Stoica, Ailamaki, PVLDB 2013";
    }
}

/// Policy that separates cold pages from hot ones.
#[derive(Clone, Copy, Debug)]
pub struct ColdApart {
    /// Age from which a victim is cold, as a share of the drive's blocks.
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
