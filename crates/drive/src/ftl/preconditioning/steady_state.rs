//! Preconditioning by overwrites until garbage collection (GC) is in steady state.
//!
//! # What it models
//! The state of blocks that a long run of writes with the given pattern would leave. It includes the valid
//! pages of each block, the order in which blocks became full, their wear, the number of free blocks, and the
//! number of pages written to each open block.
//!
//! # How
//! With static allocation, every plane has the same share of the pages, and planes collect independently. The
//! planes of a drive are therefore similar to one plane at different moments. One sample plane is brought to
//! steady state by the drive's allocation and victim policy, without time, commands or requests
//! (`sample_plane`). GC moves as many pages per write as the load of the run permits (`background`).
//!
//! The state of the sample plane is recorded at several points of its simulation, called moments. Each plane
//! of the drive gets a different recorded state (`plane_moments`). The moments form a few series. During each
//! series, the plane fills several blocks, so that the recorded states differ in the progress of GC.
//!
//! This method simulates the writes of one plane only, and needs no formula for the victim policy.
//! Thresholds, partial occupancy, cold data, a map on flash and small blocks have the same effect as in a
//! run.
//!
//! # What is left out
//! The order of commands in queues. Differences in the load of planes, as under a skewed workload: all planes
//! get the mean load.
//!
//! # Source
//! Closed forms for comparison: Van Houdt, "A mean field model for a class of garbage collection algorithms
//! in flash-based solid state drives", SIGMETRICS 2013; Desnoyers, "Analytic modeling of SSD write
//! performance", SYSTOR 2012.
//!
//! # Parameters
//! `[precondition]`

use super::ErasedDrive;
use super::all_planes;
use super::overwrites::{OverwritePlan, has_like_planes};
use super::plane_moments::{PlaneSeries, install};
use super::sample_plane::SamplePlane;
use super::settings::PreconditionSettings;

/// Maximum number of series. A series consists of successive states of the sample plane; each plane of the
/// drive starts from one of them. With more series, the result depends less on random numbers, but their
/// changes of the map need more memory.
const MAX_SERIES: u32 = 8;
/// Minimum number of overwrites between two series of recorded states, as a share of the pages with data in
/// the plane.
const BETWEEN_SERIES: f64 = 1.0 / 16.0;
/// Minimum number of blocks that the plane fills while a series of states is recorded. With only one block,
/// all states could have the same victim.
const FEWEST_TURNS_OF_A_SERIES: u64 = 4;

/// Fills the drive so that its planes are in steady state.
pub(super) fn fill(drive: &mut ErasedDrive<'_>, settings: &PreconditionSettings) {
    let plan = OverwritePlan::at_random(drive, settings);
    if !has_like_planes(drive) {
        let moves_per_write = all_planes::fill(drive, &plan, settings);
        drive.shared.space.steady_moves_per_write = Some(moves_per_write);
        return;
    }
    let mut plane = SamplePlane::new(drive, settings.gc_pace, settings.seed);
    plane.write_first(&plan);
    plane.overwrite(&plan, plan.settling_writes());
    let before = plane.done();
    // With lines (superblocks), the blocks of one index are full, open or free together in all planes.
    let is_in_step = plan.is_in_step() || drive.settings.allocation.is_striped();
    let series = if is_in_step { vec![one_moment(&mut plane)] } else { series(drive, &plan, &mut plane) };
    drive.shared.space.steady_moves_per_write = Some(plane.done().ratio_since(before));
    install(drive, series, &plan.alike(), settings.seed);
}

/// Returns a series with a single recorded state of the sample plane. Used for drives whose planes are all in
/// the same state.
fn one_moment(plane: &mut SamplePlane) -> PlaneSeries {
    plane.take_moment();
    plane.end_series()
}

/// Returns several series of recorded states of the sample plane. Together, the series contain at least one
/// state for each plane of the drive.
fn series(drive: &ErasedDrive<'_>, plan: &OverwritePlan, plane: &mut SamplePlane) -> Vec<PlaneSeries> {
    let planes = drive.shared.geometry.planes();
    let count = u64::from(planes.min(MAX_SERIES));
    let turn = u64::from(drive.shared.geometry.pages_per_block);
    let spread = MomentSchedule::new(turn, count, u64::from(planes).div_ceil(count));
    let between_series = spread.between_series((BETWEEN_SERIES * plan.pages() as f64).ceil() as u64);
    (0..count)
        .map(|_| {
            plane.overwrite(plan, between_series);
            for moment in 0..spread.moments {
                plane.take_moment();
                plane.overwrite(plan, spread.writes_before(moment + 1) - spread.writes_before(moment));
            }
            plane.end_series()
        })
        .collect()
}

/// Schedule of the moments at which the state of the sample plane is recorded. The moments are spread evenly
/// over the writes that fill one block. The share of planes that collect garbage at the start of the run is
/// therefore the same as at any later time.
struct MomentSchedule {
    /// Number of page writes that fill a block, called a turn.
    turn: u64,
    series: u64,
    /// Number of recorded states in a series.
    moments: u64,
    /// Number of blocks (turns) that are filled during a series. It has no common factor with `moments`, so
    /// that the recorded states of a series differ in the progress of the open block.
    turns: u64,
}

impl MomentSchedule {
    fn new(turn: u64, series: u64, moments: u64) -> Self {
        let divides_both = |n: u64, turns: u64| turns.is_multiple_of(n) && moments.is_multiple_of(n);
        let is_coprime = |turns: &u64| !(2..=moments).any(|n| divides_both(n, *turns));
        // One of the candidates is 1 modulo `moments`, and therefore coprime to it.
        let mut candidates = FEWEST_TURNS_OF_A_SERIES..=FEWEST_TURNS_OF_A_SERIES + moments;
        let turns = candidates.find(is_coprime).unwrap_or(FEWEST_TURNS_OF_A_SERIES);
        Self { turn, series, moments, turns }
    }

    /// Returns the number of writes from the start of a series to the recording of the state number `moment`.
    const fn writes_before(&self, moment: u64) -> u64 {
        self.turns * self.turn * moment / self.moments
    }

    /// Returns the number of writes between two series: `least`, rounded up to a multiple of the writes that
    /// fill a block, plus a small step. The step lets each series begin at a different offset in the open
    /// block.
    fn between_series(&self, least: u64) -> u64 {
        least.next_multiple_of(self.turn) + self.turn / (self.series * self.moments)
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::ftl::Ftl;
    use crate::ftl::{PageRegion, PreconditionMode, VictimPolicy, WritePattern};
    use crate::testkit::settings::SmallDrive;

    const PAGES: u32 = 64;
    const BLOCKS: u32 = 1024;

    #[test]
    fn moments_are_spread_evenly_over_a_turn() {
        for (series, moments) in [(8, 16), (8, 64), (8, 5), (3, 1), (1, 1)] {
            let spread = MomentSchedule::new(1 << 16, series, moments);
            let mut at = 0;
            let mut parts = Vec::new();
            for _ in 0..series {
                at += spread.between_series(100_000);
                parts.extend((0..moments).map(|moment| (at + spread.writes_before(moment)) % spread.turn));
                at += spread.writes_before(moments);
            }
            parts.sort_unstable();
            let gap = spread.turn / (series * moments);
            let gaps = parts.windows(2).map(|pair| pair[1] - pair[0]);
            assert!(
                gaps.into_iter().all(|found| found.abs_diff(gap) <= 2 * series),
                "{series} of {moments}: {parts:?}"
            );
        }
    }

    /// Returns the number of full blocks with 0, 1, … N valid pages, on a drive of eight planes.
    fn valid_pages(victim: VictimPolicy, alpha: f64) -> Vec<f64> {
        let mut drive = SmallDrive::new(4, 1);
        drive.geometry.blocks_per_plane = BLOCKS;
        drive.geometry.pages_per_block = PAGES;
        // GC waits until only the reserved block is free, so data is spread over all other blocks.
        let logical = f64::from((BLOCKS - 1) * PAGES) / alpha;
        drive.ftl.over_provisioning_ratio = 1.0 - (logical.floor() + 0.5) / f64::from(BLOCKS * PAGES);
        drive.ftl.gc_start_free_blocks = 2;
        drive.ftl.gc_yields_to_host = false;
        drive.ftl.victim = victim;
        let mut ftl = Ftl::new(drive.geometry, drive.ftl, &drive.flash, false);
        let all = ftl.translation().host_pages();
        let pattern = WritePattern::Uniform;
        let region = PageRegion {
            pages: 0..all,
            working_set: all,
            occupancy: 1.0,
            pattern,
            drawn: None,
            traffic: 1.0,
        };
        let mode = PreconditionMode::SteadyState;
        ftl.precondition(&PreconditionSettings {
            mode,
            filled: crate::ftl::FilledSectors::WholePage,
            regions: vec![region],
            settling_turns: 4.0,
            gc_pace: crate::ftl::GcPace::AtOnce,
            seed: 1,
        });
        let mut found = vec![0.0; PAGES as usize + 1];
        for plane in (0..ftl.geometry.planes()).map(venice_nand::geometry::PlaneId) {
            for block in
                ftl.space().blocks.table.of_plane(plane).iter().filter(|block| block.written == PAGES)
            {
                found[block.valid as usize] += 1.0;
            }
        }
        found
    }

    /// Returns the largest difference between two cumulative distributions of valid pages.
    fn distance(one: &[f64], other: &[f64]) -> f64 {
        let at_most = |shares: &[f64]| {
            let total: f64 = shares.iter().sum();
            let sums = shares.iter().scan(0.0, move |sum, share| {
                *sum += share / total;
                Some(*sum)
            });
            sums.collect::<Vec<f64>>()
        };
        at_most(one).iter().zip(at_most(other)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// Returns the member of the family of distributions `shape` whose mean is `mean`. The mean must increase
    /// with the parameter of the family.
    fn with_mean(mean: f64, shape: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
        let mean_of = |shares: &[f64]| {
            let total: f64 = shares.iter().sum();
            shares.iter().zip(0..).map(|(share, valid)| share * f64::from(valid)).sum::<f64>() / total
        };
        let (mut low, mut high) = (1e-4, 1e4);
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if mean_of(&shape(middle)) < mean { low = middle } else { high = middle }
        }
        shape(low)
    }

    #[test]
    fn random_victims_leave_the_mean_field_of_van_houdt() {
        // Blocks with i valid pages lose a page at a rate proportional to i, and are collected at the rate x.
        // The number of blocks with i valid pages is therefore (i + 1) / (i + x) times that with i + 1.
        let field = |x: f64| {
            let mut shares = vec![0.0; PAGES as usize + 1];
            shares[PAGES as usize] = 1.0;
            let mut above = 1.0;
            for i in (0..PAGES).rev() {
                above *= f64::from(i + 1) / (f64::from(i) + x);
                shares[i as usize] = above;
            }
            shares
        };
        let alpha = 1.25;
        let expected = with_mean(f64::from(PAGES) / alpha, field);
        let distance = distance(&valid_pages(VictimPolicy::RandomP, alpha), &expected);
        assert!(distance < 0.02, "{distance}");
    }

    #[test]
    fn greedy_victims_leave_the_distribution_of_desnoyers() {
        // Blocks lose valid pages, from N down to X, at rates proportional to their number of valid pages.
        let alpha = 1.25;
        let expected = with_mean(f64::from(PAGES) / alpha, |least| {
            let share = |i: u32| if f64::from(i) + 0.5 >= least { 1.0 / f64::from(i.max(1)) } else { 0.0 };
            (0..=PAGES).map(share).collect()
        });
        let distance = distance(&valid_pages(VictimPolicy::Greedy, alpha), &expected);
        assert!(distance < 0.05, "{distance}");
    }
}
