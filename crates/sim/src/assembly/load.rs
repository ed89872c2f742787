//! Measurement of garbage-collection speed under the load of a run, before the drive is preconditioned.
//!
//! # What it models
//! Below saturation, the number of free blocks of a plane stays near the start threshold of garbage
//! collection, and the plane collects garbage for a part of the time. Above saturation, the number decreases
//! to the hard threshold. Fabric, chips and load together determine whether the drive is saturated, and the
//! part of the time in which a plane collects. Both are therefore measured by simulation.
//!
//! # How
//! The first requests of the run are served by a drive with few free blocks in all planes, so that all planes
//! collect garbage whenever host requests permit. The *pace* of garbage collection is the ratio of relocated
//! pages to host-programmed pages, without the first part of the measurement. If the pace is lower than the
//! steady state requires, the load saturates the drive. A second measurement then starts below the hard
//! threshold, where garbage collection has priority. It shows whether the number of free blocks stays that
//! low. In a closed loop it does: requests accumulate at the planes without free pages, and the other planes
//! recover.
//!
//! Below saturation only some planes collect garbage at the same time. Each of them is therefore faster than
//! in the first measurement, and a closed loop writes more. The measurement is repeated on a drive that is
//! preconditioned for the measured pace, until the pace converges ([`GcPace::MovesPerWrite`]). The pace is
//! rounded, so that runs with almost equal loads share a preconditioned drive.
//!
//! # What is left out
//! Changes of the load after the first requests have no effect. User-defined policies are not used: the
//! measurement has the built-in policies of the settings.

use venice_drive::ftl::{Ftl, GcPace, PreconditionMode};
use venice_kernel::Progress;
use venice_requests::{Flow, LoopMode};

use super::{DriveSettings, RunOptions, Simulation, SimulationError};

/// Maximum number of pages written per plane during a measurement, as a share of a block. The small share
/// keeps the number of free blocks almost constant.
const SHARE_OF_A_BLOCK: f64 = 1.0 / 8.0;
/// Number of writes after which a measurement is long enough, or `ENOUGH_WRITES_OF_A_PLANE` writes per plane
/// if this number is larger.
const ENOUGH_WRITES: u64 = 4096;
const ENOUGH_WRITES_OF_A_PLANE: u64 = 2;
/// Number of relocations per plane after which a measurement ends even if there were few writes.
const ENOUGH_MOVES_OF_A_PLANE: u64 = 128;
/// Minimum number of planes that collect garbage on a drive that is preconditioned for a measurement.
const FEWEST_COLLECTING: f64 = 16.0;
/// Share of a plane's missing free blocks that garbage collection may free before a measurement ends. Missing
/// are the free blocks between the plane's initial number and the start threshold.
const SHARE_OF_MISSING: f64 = 0.5;
/// Number of relocations per write above which garbage collection counts as instantaneous. No practical run
/// needs more.
const MAX_MOVES_PER_WRITE: f64 = 128.0;
/// Number of events between two checks of the page counts.
const EVENTS_BETWEEN_LOOKS: u64 = 256;
/// Number of steps per factor of two to which the pace of garbage collection is rounded.
const STEPS_PER_OCTAVE: f64 = 8.0;
/// Maximum number of measurements of the pace of garbage collection.
const MAX_ROUNDS: u32 = 4;

/// Returns the settings with the pace of garbage collection measured under the load of `flows`. Settings that
/// request no measurement are returned unchanged.
pub(super) fn with_measured_pace(
    settings: &DriveSettings,
    flows: &mut [Flow],
    prepare: impl Fn(&DriveSettings) -> Ftl,
) -> DriveSettings {
    let mut settings = settings.clone();
    let precondition = &settings.precondition;
    let (PreconditionMode::SteadyState, GcPace::Measured { requests }) =
        (precondition.mode, precondition.gc_pace)
    else {
        return settings;
    };
    let Some(free_blocks) = short(&settings) else {
        settings.precondition.gc_pace = GcPace::AtOnce;
        return settings;
    };
    let planes = settings.geometry.planes();
    let is_closed = flows.iter().all(|flow| matches!(flow.mode(), LoopMode::Closed { .. }));
    let mut measure = |pace: GcPace| {
        settings.precondition.gc_pace = pace;
        measured(&settings, previews(flows, requests), prepare(&settings))
    };
    let alone = measure(GcPace::AtOnceUpTo(free_blocks));
    let pace = if alone.is_saturated() {
        let below = GcPace::AtOnceUpTo(free_blocks.saturating_sub(2).max(2));
        saturated(alone, (!is_closed).then(|| measure(below)))
    } else {
        settled(alone.first_pace(planes), |pace| measure(pace).next_pace(pace))
    };
    settings.precondition.gc_pace = pace;
    settings
}

/// Returns the pace of garbage collection on a saturated drive. `waiting` is the pace measured with priority
/// for the host, and `pressed` the pace below the hard threshold. If `pressed` is `None` or not saturated,
/// the number of free blocks stays at the hard threshold.
fn saturated(waiting: CollectionPace, pressed: Option<CollectionPace>) -> GcPace {
    let slower = pressed.filter(|pressed| pressed.is_saturated());
    let pressed = slower.map_or(f64::INFINITY, |pressed| pressed.moves_per_write);
    GcPace::MovesPerWrite { waiting: waiting.moves_per_write, pressed }
}

/// Repeats the measurement until the pace of garbage collection converges. Each measurement uses a drive that
/// is preconditioned for the pace of the previous measurement.
fn settled(mut pace: GcPace, mut measure: impl FnMut(GcPace) -> GcPace) -> GcPace {
    for _ in 1..MAX_ROUNDS {
        let before = pace;
        if before == GcPace::AtOnce {
            break;
        }
        pace = measure(before);
        if pace == before {
            break;
        }
    }
    pace
}

/// Returns the number of free blocks per plane with which a measurement starts. With this number, a plane
/// collects garbage but gives priority to host requests. Returns `None` if there is no such number.
fn short(settings: &DriveSettings) -> Option<u32> {
    let ftl = &settings.ftl;
    let start = ftl.gc_start_free_blocks;
    let (waits_from, level) = if ftl.gc_yields_to_host {
        (ftl.gc_hard_free_blocks, (ftl.gc_hard_free_blocks + 1).min(start - 1))
    } else {
        (2, start - 1)
    };
    (start > waits_from).then_some(level)
}

/// Returns copies of the flows that are limited to their first requests, `requests` in all.
fn previews(flows: &mut [Flow], requests: u32) -> Vec<Flow> {
    let of_each = (requests as usize).div_ceil(flows.len().max(1));
    flows.iter_mut().map(|flow| flow.preview(of_each)).collect()
}

/// Measured pace of garbage collection in planes with few free blocks: relocated pages per page written to
/// the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
struct CollectionPace {
    moves_per_write: f64,
    /// Relocated pages per written page that the steady state requires.
    steady: f64,
}

impl CollectionPace {
    /// Returns true if garbage collection cannot keep up even if it is always in progress.
    fn is_saturated(self) -> bool {
        self.moves_per_write < self.steady
    }

    /// Returns the pace for which the first drive is preconditioned. In the first measurement, all planes
    /// collect garbage, so a closed loop writes less than later. Even a pace that counts as instantaneous is
    /// therefore measured again, with only some of the `planes` collecting.
    fn first_pace(self, planes: u32) -> GcPace {
        if self.steady == 0.0 || self.moves_per_write == f64::INFINITY {
            return GcPace::AtOnce;
        }
        let most = self.steady * (f64::from(planes) / FEWEST_COLLECTING).max(1.0);
        let moves_per_write = self.moves_per_write.min(most).min(MAX_MOVES_PER_WRITE * 0.99);
        Self { moves_per_write, ..self }.pace()
    }

    /// Returns the pace for which the next drive is preconditioned. `before` is the pace of the previous
    /// drive. Near saturation, a closed loop writes less if more planes collect, so the next pace lies
    /// between the measured pace and `before`.
    fn next_pace(self, before: GcPace) -> GcPace {
        match before {
            GcPace::MovesPerWrite { waiting, .. } if self.is_saturated() => {
                let between = (waiting * self.moves_per_write).sqrt();
                let least = self.steady * (1.0 / STEPS_PER_OCTAVE).exp2();
                Self { moves_per_write: between.max(least), ..self }.pace()
            }
            _ => self.pace(),
        }
    }

    /// Returns the pace of garbage collection: the measured number of relocations per write, rounded to a
    /// step.
    fn pace(self) -> GcPace {
        if self.moves_per_write >= MAX_MOVES_PER_WRITE {
            return GcPace::AtOnce;
        }
        let step = (self.moves_per_write.log2() * STEPS_PER_OCTAVE).round();
        GcPace::MovesPerWrite { waiting: (step / STEPS_PER_OCTAVE).exp2(), pressed: f64::INFINITY }
    }
}

/// Measures the pace of garbage collection under these flows. If a run fails, the measurement ends early, and
/// the main run reports the error.
fn measured(settings: &DriveSettings, flows: Vec<Flow>, ftl: Ftl) -> CollectionPace {
    let steady = ftl.space().steady_moves_per_write.unwrap_or_default();
    let run = || -> Result<PageCounts, SimulationError> {
        let external = super::ExternalPolicies::default().build(settings)?;
        let requests = flows.iter().filter_map(|flow| flow.source().total()).sum();
        let simulation = Simulation::assembled(settings, flows, RunOptions::default(), ftl, external)?;
        Measurement { simulation, requests, most: PageCounts::enough(settings, steady) }.over_last_part()
    };
    let moves_per_write = run().map_or(f64::INFINITY, PageCounts::moves_per_write);
    CollectionPace { moves_per_write: moves_per_write / share_collecting(settings, steady), steady }
}

/// Returns the share of planes that collect garbage at the start of the run, on a drive preconditioned with
/// these settings.
fn share_collecting(settings: &DriveSettings, steady_moves_per_write: f64) -> f64 {
    match settings.precondition.gc_pace {
        GcPace::MovesPerWrite { waiting, .. } => (steady_moves_per_write / waiting).min(1.0),
        _ => 1.0,
    }
}

/// Run in which the pace of garbage collection is measured.
struct Measurement {
    simulation: Simulation,
    /// Total number of requests. Garbage collection after the last request is not measured, because no load
    /// remains.
    requests: u64,
    /// Numbers of pages written and moved, each of which ends the measurement.
    most: PageCounts,
}

impl Measurement {
    /// Runs the measurement. Returns the page counts without the first quarter, in which the queues fill.
    fn over_last_part(&mut self) -> Result<PageCounts, SimulationError> {
        let most = self.most;
        let first = self.after(PageCounts { writes: most.writes / 4, moves: most.moves / 4 })?;
        let all = self.after(most)?;
        let rest = PageCounts { writes: all.writes - first.writes, moves: all.moves - first.moves };
        Ok(if rest.writes > 0 { rest } else { all })
    }

    /// Runs until one of the page counts in `most` is reached, or all requests are served.
    fn after(&mut self, most: PageCounts) -> Result<PageCounts, SimulationError> {
        loop {
            let counts = self.counts();
            let is_enough = counts.writes >= most.writes || counts.moves >= most.moves;
            let is_served = self.simulation.device().host().completed() >= self.requests;
            if is_enough || is_served || self.simulation.step(EVENTS_BETWEEN_LOOKS)? == Progress::QueueEmpty {
                return Ok(counts);
            }
        }
    }

    fn counts(&self) -> PageCounts {
        let counters = self.simulation.device().ftl().stats().counters();
        PageCounts { writes: counters.host_programs, moves: counters.gc_moves }
    }
}

/// Pages programmed by the host and by garbage collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PageCounts {
    writes: u64,
    moves: u64,
}

impl PageCounts {
    /// Returns the page counts that suffice for a measurement. In steady state, the drive relocates `steady`
    /// pages per written page.
    fn enough(settings: &DriveSettings, steady: f64) -> Self {
        let planes = u64::from(settings.geometry.planes());
        let pages = f64::from(settings.geometry.pages_per_block) * planes as f64;
        let missing = settings.ftl.gc_start_free_blocks - short(settings).unwrap_or_default();
        Self {
            writes: ENOUGH_WRITES
                .max(planes * ENOUGH_WRITES_OF_A_PLANE)
                .min((pages * SHARE_OF_A_BLOCK).ceil() as u64),
            moves: ENOUGH_WRITES
                .max(planes * ENOUGH_MOVES_OF_A_PLANE)
                .min((pages * f64::from(missing) * steady * SHARE_OF_MISSING).ceil() as u64),
        }
    }

    /// Returns the number of relocations per write, which is infinite without writes.
    fn moves_per_write(self) -> f64 {
        if self.writes == 0 { f64::INFINITY } else { self.moves as f64 / self.writes as f64 }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the figures are exact in binary")]
mod tests {
    use super::*;

    fn measured(moves_per_write: f64) -> CollectionPace {
        CollectionPace { moves_per_write, steady: 2.0 }
    }

    #[test]
    fn a_pace_is_rounded_to_a_twentieth() {
        for moves in [3.0, 7.0, 60.0] {
            let GcPace::MovesPerWrite { waiting, .. } = measured(moves).pace() else {
                panic!("{moves} moves for each write are a pace");
            };
            assert!((waiting / moves - 1.0).abs() < 0.05, "{moves} moves for each write are {waiting}");
        }
    }

    #[test]
    fn collection_counts_as_immediate_if_few_pages_are_written() {
        assert_eq!(measured(1000.0).pace(), GcPace::AtOnce);
        assert_eq!(measured(PageCounts { writes: 0, moves: 5 }.moves_per_write()).pace(), GcPace::AtOnce);
    }

    #[test]
    fn the_first_pace_has_some_planes_collect_however_fast_collection_is_while_all_do() {
        let waiting = |moves, planes| match measured(moves).first_pace(planes) {
            GcPace::MovesPerWrite { waiting, .. } => waiting,
            pace => panic!("{pace:?}"),
        };
        assert_eq!(waiting(1000.0, 512), 64.0, "16 of 512 planes collect");
        assert_eq!(waiting(4.0, 512), 4.0);
        assert_eq!(waiting(1000.0, 8), 2.0, "all of a few planes do");
        assert!(waiting(1000.0, 1 << 20) <= MAX_MOVES_PER_WRITE);
        assert_eq!(CollectionPace { moves_per_write: 5.0, steady: 0.0 }.first_pace(512), GcPace::AtOnce);
    }

    #[test]
    fn a_pace_below_the_steady_state_s_is_approached_from_above() {
        let waiting = |before, moves| {
            let before = GcPace::MovesPerWrite { waiting: before, pressed: f64::INFINITY };
            match measured(moves).next_pace(before) {
                GcPace::MovesPerWrite { waiting, .. } => waiting,
                pace => panic!("{pace:?}"),
            }
        };
        assert!((waiting(32.0, 1.0) - 32.0_f64.sqrt()).abs() < 1e-9, "the geometric mean");
        assert!(waiting(3.0, 0.1) > 2.0, "not all planes collect all the time");
        assert_eq!(waiting(32.0, 4.0), 4.0);
    }

    #[test]
    fn a_saturated_drive_is_held_at_the_hard_threshold_if_collection_keeps_up_there() {
        let pressed = |moves| match saturated(measured(1.0), Some(measured(moves))) {
            GcPace::MovesPerWrite { pressed, .. } => pressed,
            pace => panic!("{pace:?}"),
        };
        assert_eq!([pressed(1.5), pressed(2.5)], [1.5, f64::INFINITY]);
    }

    #[test]
    fn a_pace_is_measured_until_it_stays() {
        let found = |pace: GcPace| match pace {
            GcPace::MovesPerWrite { waiting, .. } => measured((waiting * 8.0).sqrt()).pace(),
            pace => pace,
        };
        assert_eq!(settled(measured(8.0).pace(), found), measured(8.0).pace());
        let GcPace::MovesPerWrite { waiting, .. } = settled(measured(2.0).pace(), found) else {
            panic!("it stays finite");
        };
        assert!((6.0..8.5).contains(&waiting), "{waiting}");
    }
}
