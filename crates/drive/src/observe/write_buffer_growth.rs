//! Growth of the data in the write buffer that flash does not have.
//!
//! # What it models
//! While a write buffer fills, the host sees the buffer only. In steady state, the data in the buffer is
//! constant: as much leaves it for flash, or is overwritten in place, as the host writes.
//!
//! # How
//! The least-squares line through the buffered units at the ends of the five rounds gives their rise over the
//! last four rounds. The rise is compared with the units that the host wrote to the buffer in these rounds.
//! The first round may thus fill the buffer up to its usual level. A buffer that absorbs a rewritten working
//! set is in steady state once it has the whole set.
//!
//! # Source
//! The limit is that of the slope in SNIA's specification: within it, flash programs at least 90 % of what
//! the host's load asks of it in the long run. The application of this limit to the write buffer is a choice
//! of this project.

use super::{CountMark, FEWEST_REQUESTS, ROUNDS, RoundFigure};

/// Maximum rise of the unprogrammed data in the write buffer, in % of the data that the host writes to the
/// buffer in the same time. The value is SNIA's limit for the slope of a figure.
pub const MAX_UNPROGRAMMED_RISE_PCT: f64 = 10.0;

/// Returns the rise, over the last four rounds, of the mapping units in the write buffer whose data is not on
/// flash, in % of the mapping units that the host wrote to the buffer in this time. Returns `None` if the
/// host wrote fewer than [`FEWEST_REQUESTS`].
pub fn unprogrammed_rise_pct(bounds: &[CountMark; ROUNDS + 1]) -> Option<f64> {
    let written = bounds[ROUNDS].drive.buffer_writes - bounds[1].drive.buffer_writes;
    let rounds = std::array::from_fn(|round| bounds[round + 1].drive.buffered_units as f64);
    (written >= FEWEST_REQUESTS).then(|| RoundFigure { rounds }.rise() / written as f64 * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::DriveCounts;

    /// Creates the ends of rounds of `writes` units each, with these numbers of buffered units.
    fn bounds(writes: u64, buffered: [u64; ROUNDS + 1]) -> [CountMark; ROUNDS + 1] {
        std::array::from_fn(|end| {
            let (buffer_writes, buffered_units) = (end as u64 * writes, buffered[end]);
            let drive = DriveCounts { buffer_writes, buffered_units, ..DriveCounts::default() };
            CountMark { drive, ..CountMark::default() }
        })
    }

    #[test]
    fn a_buffer_that_takes_all_writes_rises_by_all_of_them() {
        let filling = bounds(1000, [0, 1000, 2000, 3000, 4000, 5000]);
        assert_eq!(unprogrammed_rise_pct(&filling), Some(100.0));
    }

    #[test]
    fn a_buffer_filled_in_the_first_round_does_not_rise() {
        assert_eq!(unprogrammed_rise_pct(&bounds(1000, [0, 700, 700, 700, 700, 700])), Some(0.0));
        let varying = unprogrammed_rise_pct(&bounds(1000, [0, 700, 690, 710, 690, 700])).unwrap();
        assert!(varying.abs() < MAX_UNPROGRAMMED_RISE_PCT, "{varying}");
    }

    #[test]
    fn too_few_writes_are_not_judged() {
        assert_eq!(unprogrammed_rise_pct(&bounds(24, [0, 24, 48, 72, 96, 120])), None);
        assert!(unprogrammed_rise_pct(&bounds(25, [0, 25, 50, 75, 100, 125])).is_some());
    }
}
