//! Attribution of waits for space in the data cache to causes.
//!
//! # How
//! A write waits for space because too many sectors are being destaged (written to flash), and a destage
//! frees its space when it ends. The time of each destage that ends during the wait is itself divided by
//! cause. The wait is divided in the same proportions, with each destage weighted by its number of sectors.
//! The parts add up exactly to the wait.
//!
//! # What is left out
//! The time in which a destage reads the cache's DRAM is not attributed.

use venice_kernel::SimSpan;

use super::timeline::ByCause;
use super::wait_causes::CAUSES;

/// Occupancy of the cache by destages, for each cause of their duration, in sectors × picoseconds.
pub(super) type SpaceOccupancy = [u128; CAUSES.len()];

/// Adds the cache space that a completed destage occupied to the occupancy sums. `spent` is the duration of
/// the destage by cause, and `sectors` its number of sectors.
pub(super) fn add(sums: &mut SpaceOccupancy, spent: &ByCause, sectors: u32) {
    for (sum, ps) in sums.iter_mut().zip(spent) {
        *sum += u128::from(*ps) * u128::from(sectors);
    }
}

/// Divides a wait among the causes in proportion to the growth of the occupancy sums from `before` to
/// `after`.
pub(super) fn split(wait: SimSpan, before: &SpaceOccupancy, after: &SpaceOccupancy) -> ByCause {
    let grown: SpaceOccupancy = std::array::from_fn(|cause| after[cause] - before[cause]);
    let total: u128 = grown.iter().sum();
    // The sums are scaled so that the products below do not overflow.
    let shift = (u128::BITS - total.leading_zeros()).saturating_sub(u64::BITS);
    let scaled = (total >> shift).max(1);
    let mut parts = grown.map(|sum| (u128::from(wait.as_ps()) * (sum >> shift) / scaled) as u64);
    let rest = wait.as_ps() - parts.iter().sum::<u64>();
    let largest = (0..CAUSES.len()).rev().max_by_key(|&cause| grown[cause]).unwrap_or(0);
    parts[largest] += rest;
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    #[test]
    fn a_wait_is_split_as_the_destages_spent_their_time_weighted_by_their_sectors() {
        let mut sums = [0; CAUSES.len()];
        let before = sums;
        let (mut one, mut other) = ([0; CAUSES.len()], [0; CAUSES.len()]);
        (one[0], one[4], other[4]) = (100, 300, 1000);
        add(&mut sums, &one, 32);
        add(&mut sums, &other, 8);
        let parts = split(SimSpan::from_ps(52), &before, &sums);
        assert_eq!((parts[0], parts[4]), (8, 44), "3,200 and 17,600 of 20,800");
    }

    proptest! {
        #[test]
        fn the_parts_add_up_to_the_wait(
            wait in any::<u64>(),
            spent in prop::collection::vec((any::<[u64; CAUSES.len()]>(), 0..=64_u32), 0..5),
        ) {
            let mut sums = [0; CAUSES.len()];
            for (spent, sectors) in &spent {
                add(&mut sums, spent, *sectors);
            }
            let parts = split(SimSpan::from_ps(wait), &[0; CAUSES.len()], &sums);
            prop_assert_eq!(parts.iter().map(|&ps| u128::from(ps)).sum::<u128>(), u128::from(wait));
        }
    }
}
