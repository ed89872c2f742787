//! Garbage collection during the writes of a plane, without simulated time.
//!
//! # How
//!
//! A plane that is short of free blocks earns a credit of moves with each page written to it, which it spends
//! on its victim. Below the hard threshold, where garbage collection takes precedence over the host, it earns
//! credit at another rate. The plane thus reaches the same number of free blocks, and the same share of time
//! with a victim in progress, as under a load that leaves time for as many moves.

use super::settings::GcPace;
use crate::ftl::settings::FtlSettings;

/// Minimum number of moves made together, because looking up single moves is slower.
const MOVES_TOGETHER: f64 = 16.0;

/// Garbage collection of a plane during its writes.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct Background {
    /// Moves per write; infinite if every GC ends before the next write.
    waiting: f64,
    /// Moves per write below the hard threshold.
    pressed: f64,
    earned_moves: f64,
    done: WritesAndMoves,
}

/// Pages written to planes and pages moved by GC.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WritesAndMoves {
    pub(super) writes: u64,
    pub(super) moves: u64,
}

impl WritesAndMoves {
    /// Returns the moves per write since an earlier count.
    pub(super) fn ratio_since(self, earlier: Self) -> f64 {
        (self.moves - earlier.moves) as f64 / (self.writes - earlier.writes).max(1) as f64
    }
}

impl Background {
    /// Returns GC at the pace `pace`, on a drive with `settings`.
    pub(in crate::ftl) fn new(pace: GcPace, settings: &FtlSettings) -> Self {
        let (waiting, pressed) = match pace {
            GcPace::MovesPerWrite { waiting, pressed } if settings.gc_yields_to_host => (waiting, pressed),
            GcPace::MovesPerWrite { waiting, .. } => (waiting, waiting),
            GcPace::AtOnce | GcPace::AtOnceUpTo(_) | GcPace::Measured { .. } => {
                (f64::INFINITY, f64::INFINITY)
            }
        };
        Self { waiting, pressed, earned_moves: 0.0, done: WritesAndMoves::default() }
    }

    /// Returns the garbage collection at shutdown: necessary collections, and all due collections if they do
    /// not yield to the host.
    pub(in crate::ftl) fn at_shutdown(settings: &FtlSettings) -> Self {
        let waiting = if settings.gc_yields_to_host { 0.0 } else { f64::INFINITY };
        Self::new(GcPace::MovesPerWrite { waiting, pressed: f64::INFINITY }, settings)
    }

    /// True if every GC below the hard threshold ends before the next write.
    pub(super) const fn goes_first(&self) -> bool {
        self.pressed == f64::INFINITY && self.waiting < f64::INFINITY
    }

    /// Earns the moves of one written page.
    pub(super) fn earn(&mut self, is_pressed: bool) {
        self.done.writes += 1;
        if !(is_pressed && self.goes_first()) {
            self.earned_moves += if is_pressed { self.pressed } else { self.waiting };
        }
    }

    /// Returns true if the GC credit covers one step.
    pub(super) fn has_earned_a_step(&self) -> bool {
        self.earned_moves >= MOVES_TOGETHER
    }

    /// Returns the number of moves of a step, up to `most`.
    pub(super) fn step(&self, most: usize) -> usize {
        (self.earned_moves as usize).min(most)
    }

    /// Returns all writes and moves so far.
    pub(super) const fn done(&self) -> WritesAndMoves {
        self.done
    }

    /// Counts moves that were made.
    pub(super) fn count(&mut self, moves: usize) {
        self.done.moves += moves as u64;
    }

    /// Subtracts completed moves from the credit of garbage collection.
    pub(super) fn spend(&mut self, moves: usize) {
        self.earned_moves -= moves as f64;
    }

    /// Clears the GC credit, since the plane has enough free blocks.
    pub(super) fn rest(&mut self) {
        self.earned_moves = 0.0;
    }
}
