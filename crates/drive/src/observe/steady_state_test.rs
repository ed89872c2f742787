//! Test for steady state of the measured phase.
//!
//! # How
//! The measured phase is divided into five rounds of equal simulated time, and a figure is computed for each
//! round. A figure is steady if its values differ by at most 20 % of their average, and the least-squares
//! line through them rises or falls by at most 10 % of the average. Four figures are tested: mean latency,
//! requests per second, number of free blocks and, for a drive with garbage collection, write amplification.
//! With garbage collection, steady state also requires that the host has written at least [`SETTLED_BLOCKS`]
//! blocks per plane, and that at least [`SETTLED_ERASES`] of the written blocks have been erased. A drive that
//! still uses up its free blocks is thus not in steady state. Neither is a drive whose write buffer fills
//! ([`unprogrammed_rise_pct`]).
//!
//! # Source
//! SNIA, Solid State Storage Performance Test Specification 2.0.2 (2020), definition of steady state: a
//! measurement window of five rounds, a range of 20 % and a slope of 10 % of the average. Here, rounds are
//! parts of the measured phase, whereas SNIA's rounds are separate tests. The values of [`FEWEST_REQUESTS`],
//! [`SETTLED_BLOCKS`] and [`SETTLED_ERASES`] are assumptions; SNIA states none.

use venice_kernel::SimSpan;

use super::write_buffer_growth::{MAX_UNPROGRAMMED_RISE_PCT, unprogrammed_rise_pct};
use super::{CountMark, Rounds, WriteSizes};

/// Number of rounds in the measured phase.
pub const ROUNDS: usize = 5;
/// Maximum difference between the values of a steady figure in two rounds, in % of the average.
const MAX_RANGE_PCT: f64 = 20.0;
/// Maximum rise or fall of the least-squares line through the rounds of a steady figure, in % of their
/// average.
const MAX_SLOPE_PCT: f64 = 10.0;
/// Minimum number of requests in a round.
pub const FEWEST_REQUESTS: u64 = 100;
/// Number of blocks that the host must have written per plane before write amplification can be steady.
/// Garbage collection has then filled its open block about once.
pub const SETTLED_BLOCKS: f64 = 1.0;
/// Minimum number of erased blocks per written block before write amplification can be steady. In steady state
/// the ratio is 1.
pub const SETTLED_ERASES: f64 = 0.5;
/// Factor by which the report advises to lengthen a run that is not in steady state.
const ADVISED_FACTOR: f64 = 4.0;

/// Result of the test for steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyStateVerdict {
    /// Every tested figure is steady.
    Settled,
    /// A tested figure is not steady, or the host has written too little.
    NotSettled,
    /// The run is too short for five rounds with enough requests.
    Undecided,
}

/// Values of a figure in each of the five rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundFigure {
    /// Value of the figure in each round.
    pub rounds: [f64; ROUNDS],
}

impl RoundFigure {
    /// Returns the average of the figure over the rounds.
    pub fn average(&self) -> f64 {
        self.rounds.iter().sum::<f64>() / ROUNDS as f64
    }

    /// Returns the difference between the figure's largest and smallest value in a round, in % of the
    /// average.
    pub fn range_pct(&self) -> f64 {
        let most = self.rounds.iter().copied().fold(f64::MIN, f64::max);
        let least = self.rounds.iter().copied().fold(f64::MAX, f64::min);
        self.share_pct(most - least)
    }

    /// Returns the rise of the figure's least-squares line from the first round to the last, in % of the
    /// average.
    pub fn slope_pct(&self) -> f64 {
        self.share_pct(self.rise())
    }

    /// Returns the rise of the figure's least-squares line from the first round to the last, in units of the
    /// figure.
    pub fn rise(&self) -> f64 {
        let middle = (ROUNDS as f64 - 1.0) / 2.0;
        let places = || (0..ROUNDS).map(|place| place as f64 - middle);
        let squares: f64 = places().map(|place| place * place).sum();
        let rise: f64 = places().zip(self.rounds).map(|(place, one)| place * one).sum();
        rise / squares * (ROUNDS as f64 - 1.0)
    }

    /// Returns true if the differences and the rise of the figure are within the limits of SNIA's
    /// specification.
    pub fn is_steady(&self) -> bool {
        self.range_pct() <= MAX_RANGE_PCT && self.slope_pct().abs() <= MAX_SLOPE_PCT
    }

    fn share_pct(&self, amount: f64) -> f64 {
        if amount == 0.0 { 0.0 } else { amount / self.average() * 100.0 }
    }
}

/// Figures of the measured phase that are tested for steady state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedFigures {
    /// Length of a round in simulated time.
    pub round: SimSpan,
    /// Mean latency in microseconds.
    pub latency_us: RoundFigure,
    /// Completed requests per second.
    pub iops: RoundFigure,
    /// Bytes programmed per byte written. `None` without garbage collection, or if a round has no completed
    /// write.
    pub write_amplification: Option<RoundFigure>,
    /// Number of free blocks at the end of each round.
    pub free_blocks: RoundFigure,
    /// Rise, over the last four rounds, of the data in the write buffer that is not on flash, in % of the
    /// data written to the buffer in the same time. `None` without a write buffer, or if the host wrote
    /// little.
    pub unprogrammed_rise_pct: Option<f64>,
}

/// Test of the measured phase for steady state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyStateTest {
    /// Figures by which the phase is steady or not, or `None` if the run is too short for the test.
    pub judged: Option<JudgedFigures>,
    /// Number of blocks of host data written per plane.
    pub blocks_per_plane: f64,
    /// Number of erased blocks per written block; 0 if no page was programmed.
    pub erases_per_written: f64,
    collects: bool,
    completed: u64,
}

impl SteadyStateTest {
    /// Tests the measured phase, up to the last completion, for steady state.
    pub fn of(rounds: &Rounds) -> Self {
        let sizes = rounds.sizes();
        let last = rounds.marks().last().copied().unwrap_or_default();
        let writes = last.drive.host_programs > 0;
        let collects = writes && (sizes.is_prepared || last.drive.gc_moves > 0);
        Self {
            judged: JudgedFigures::of(rounds.marks(), sizes, collects),
            blocks_per_plane: last.drive.host_programs as f64 / sizes.stripe_units.max(1) as f64,
            erases_per_written: (last.drive.erases * sizes.block_pages) as f64
                / last.drive.programs.max(1) as f64,
            collects,
            completed: rounds.completed(),
        }
    }

    /// Returns true if the host has written enough, and the drive has erased enough, for write amplification
    /// to be steady. Always true without garbage collection.
    pub fn has_settled_writes(&self) -> bool {
        let has_written = self.blocks_per_plane >= SETTLED_BLOCKS;
        !self.collects || (has_written && self.erases_per_written >= SETTLED_ERASES)
    }

    /// Returns the overall result of the test.
    pub fn verdict(&self) -> SteadyStateVerdict {
        match &self.judged {
            None => SteadyStateVerdict::Undecided,
            Some(judged) if judged.is_steady() && self.has_settled_writes() => SteadyStateVerdict::Settled,
            Some(_) => SteadyStateVerdict::NotSettled,
        }
    }

    /// Returns the approximate number of requests that a run needs to reach steady state, with two
    /// significant digits. Returns `None` if this run is in steady state.
    pub fn requests_needed(&self) -> Option<u64> {
        let completed = self.completed as f64;
        let for_rounds = match &self.judged {
            None => (completed * ADVISED_FACTOR).max((ROUNDS as u64 * FEWEST_REQUESTS) as f64),
            Some(judged) if judged.is_steady() => 0.0,
            Some(_) => completed * ADVISED_FACTOR,
        };
        let short = !self.has_settled_writes() && self.blocks_per_plane > 0.0;
        let for_writes = if short { completed * self.writes_needed() } else { 0.0 };
        let needed = for_rounds.max(for_writes);
        (needed > 0.0).then(|| two_digits(needed))
    }

    /// Returns the factor by which the writes or erases of a run are too few for a verdict on write
    /// amplification.
    fn writes_needed(&self) -> f64 {
        let for_erases = if self.erases_per_written < SETTLED_ERASES { ADVISED_FACTOR } else { 1.0 };
        (SETTLED_BLOCKS / self.blocks_per_plane).max(for_erases)
    }
}

/// Rounds a number up to two significant digits.
fn two_digits(amount: f64) -> u64 {
    let unit = 10_f64.powf(amount.log10().floor() - 1.0).max(1.0);
    ((amount / unit).ceil() * unit) as u64
}

impl JudgedFigures {
    fn of(marks: &[CountMark], sizes: WriteSizes, collects: bool) -> Option<Self> {
        let bounds = bounds(marks)?;
        let each = |of: &dyn Fn(&CountMark, &CountMark) -> f64| RoundFigure {
            rounds: std::array::from_fn(|round| of(&bounds[round], &bounds[round + 1])),
        };
        let completed = |from: &CountMark, to: &CountMark| to.completed - from.completed;
        if (0..ROUNDS).any(|round| completed(&bounds[round], &bounds[round + 1]) < FEWEST_REQUESTS) {
            return None;
        }
        let written = |from: &CountMark, to: &CountMark| (to.written_bytes - from.written_bytes) as f64;
        let write_amplification = each(&|from, to| {
            (to.drive.programs - from.drive.programs) as f64 * sizes.page_bytes as f64 / written(from, to)
        });
        let is_finite = write_amplification.rounds.iter().all(|round| round.is_finite());
        Some(Self {
            round: SimSpan::from_ps(bounds[ROUNDS].at.since(bounds[0].at).as_ps() / ROUNDS as u64),
            latency_us: each(&|from, to| {
                (to.latency_ps - from.latency_ps) as f64 / completed(from, to) as f64 / 1e6
            }),
            iops: each(&|from, to| completed(from, to) as f64 / to.at.since(from.at).as_us() * 1e6),
            write_amplification: (collects && is_finite).then_some(write_amplification),
            free_blocks: each(&|_, to| to.drive.free_blocks as f64),
            unprogrammed_rise_pct: unprogrammed_rise_pct(&bounds),
        })
    }

    /// Returns true if all figures are steady.
    pub fn is_steady(&self) -> bool {
        let figures =
            [Some(self.latency_us), Some(self.iops), self.write_amplification, Some(self.free_blocks)];
        figures.iter().flatten().all(RoundFigure::is_steady) && !self.fills_buffer()
    }

    /// Returns true if the write buffer fills: it takes more data than flash programs.
    pub fn fills_buffer(&self) -> bool {
        self.unprogrammed_rise_pct.is_some_and(|rise| rise > MAX_UNPROGRAMMED_RISE_PCT)
    }
}

/// Returns the recorded counts that are closest to the ends of the rounds. Returns `None` if a record is the
/// closest one to two ends.
fn bounds(marks: &[CountMark]) -> Option<[CountMark; ROUNDS + 1]> {
    let (first, last) = (marks.first()?, marks.last()?);
    let whole = last.at.since(first.at).as_ps();
    let bounds = std::array::from_fn(|round| {
        let at = first.at + SimSpan::from_ps((u128::from(whole) * round as u128 / ROUNDS as u128) as u64);
        marks[marks.partition_point(|mark| mark.at < at).min(marks.len() - 1)]
    });
    bounds.windows(2).all(|pair| pair[0].at < pair[1].at).then_some(bounds)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the figures are exact in binary")]
mod tests {
    use venice_kernel::SimTime;

    use super::*;
    use crate::observe::DriveCounts;

    const SIZES: WriteSizes =
        WriteSizes { page_bytes: 4096, stripe_units: 1000, block_pages: 100, is_prepared: false };

    fn figure(rounds: [f64; ROUNDS]) -> RoundFigure {
        RoundFigure { rounds }
    }

    #[test]
    fn range_and_slope_are_bounded() {
        for (rounds, range_pct, slope_pct, steady) in [
            ([100.0; ROUNDS], 0.0, 0.0, true),
            ([90.0, 110.0, 100.0, 110.0, 90.0], 20.0, 0.0, true),
            ([89.0, 110.0, 100.0, 111.0, 90.0], 22.0, 1.2, false),
            ([95.0, 97.5, 100.0, 102.5, 105.0], 10.0, 10.0, true),
            ([106.0, 103.0, 100.0, 97.0, 94.0], 12.0, -12.0, false),
            ([0.0; ROUNDS], 0.0, 0.0, true),
        ] {
            let found = figure(rounds);
            assert!((found.range_pct() - range_pct).abs() < 1e-9, "{rounds:?}");
            assert!((found.slope_pct() - slope_pct).abs() < 1e-9, "{rounds:?}");
            assert_eq!(found.is_steady(), steady, "{rounds:?}");
        }
    }

    /// Creates completions in intervals of one microsecond, with latencies of `latency_us(n)`. Each request
    /// writes one page and causes `programs` page programs.
    fn marks(requests: u64, programs: u64, latency_us: impl Fn(u64) -> u64) -> Vec<CountMark> {
        let mut now = CountMark::default();
        let one = |n: u64| {
            now.at = SimTime::ZERO + SimSpan::from_us(n);
            now.completed = n;
            now.latency_ps += u128::from(latency_us(n)) * 1_000_000;
            now.written_bytes += 4096;
            now.drive = DriveCounts {
                programs: n * programs,
                host_programs: n,
                gc_moves: n * (programs - 1),
                erases: n * programs / 100,
                free_blocks: 9,
                ..DriveCounts::default()
            };
            now
        };
        (0..=requests).map(one).collect()
    }

    #[test]
    fn the_rounds_of_a_level_load_are_its_rate_latency_and_write_amplification() {
        let judged = JudgedFigures::of(&marks(1000, 3, |_| 7), SIZES, true).unwrap();
        assert_eq!(judged.round, SimSpan::from_us(200));
        assert_eq!(judged.latency_us.rounds, [7.0; ROUNDS]);
        assert_eq!(judged.write_amplification.unwrap().rounds, [3.0; ROUNDS]);
        assert!(judged.iops.rounds.iter().all(|iops| (iops - 1e6).abs() < 1e-3), "{:?}", judged.iops);
        assert!(judged.is_steady());
    }

    #[test]
    fn a_latency_that_rises_is_not_steady() {
        let judged = JudgedFigures::of(&marks(1000, 1, |n| 1000 + n), SIZES, true).unwrap();
        assert!(!judged.latency_us.is_steady() && judged.iops.is_steady());
    }

    #[test]
    fn fewer_than_a_hundred_requests_a_round_decide_nothing() {
        assert!(JudgedFigures::of(&marks(495, 1, |_| 7), SIZES, true).is_none());
        assert!(JudgedFigures::of(&marks(505, 1, |_| 7), SIZES, true).is_some());
        assert!(JudgedFigures::of(&[], SIZES, true).is_none());
    }

    #[test]
    fn a_drive_that_collects_is_settled_from_one_block_per_plane_on() {
        let found = |blocks_per_plane, collects, erases_per_written| SteadyStateTest {
            judged: JudgedFigures::of(&marks(1000, 1, |_| 7), SIZES, collects),
            blocks_per_plane,
            erases_per_written,
            collects,
            completed: 1000,
        };
        let (short, long, idle) = (found(0.3, true, 1.0), found(1.0, true, 0.5), found(0.3, false, 0.0));
        assert_eq!(short.verdict(), SteadyStateVerdict::NotSettled);
        assert_eq!(short.requests_needed(), Some(3400), "1,000 / 0.3 is 3,333");
        assert_eq!((long.verdict(), long.requests_needed()), (SteadyStateVerdict::Settled, None));
        assert_eq!(idle.verdict(), SteadyStateVerdict::Settled);
        let filling = found(2.0, true, 0.4);
        assert_eq!(filling.verdict(), SteadyStateVerdict::NotSettled);
        assert_eq!(filling.requests_needed(), Some(4000));
    }

    #[test]
    fn erased_blocks_are_counted_per_written_block() {
        let mut rounds = Rounds::new(WriteSizes { is_prepared: true, ..SIZES });
        for mark in marks(1000, 2, |_| 7) {
            rounds.mark(mark.drive);
        }
        assert_eq!(SteadyStateTest::of(&rounds).erases_per_written, 1.0);
    }

    #[test]
    fn the_write_amplification_of_a_drive_that_does_not_collect_is_not_judged() {
        let judged = |collects| JudgedFigures::of(&marks(1000, 1, |_| 7), SIZES, collects).unwrap();
        assert!(judged(true).write_amplification.is_some());
        assert!(judged(false).write_amplification.is_none());
    }
}
