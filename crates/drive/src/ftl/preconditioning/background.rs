//! Garbage collection that goes on beside the writes of a plane, without time.
//!
//! # How
//! A plane that is short of free blocks earns moves with each page written to it and spends them on its victim. Below the hard threshold,
//! where a collection that yields goes before the host, it earns others. So the plane comes to the free blocks, and to
//! the share of a collection turn with a victim in progress, that it has under a load which lets collection make as many moves.

use super::settings::GcPace;
use crate::ftl::settings::FtlSettings;

/// Moves that are made together, at least: fewer would be looked up one by one.
const MOVES_TOGETHER: f64 = 16.0;

/// The collection of a plane beside its writes.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct Background {
    /// Moves for each write; infinite where every collection ends before the next write.
    waiting: f64,
    /// Moves for each write below the hard threshold.
    pressed: f64,
    earned_moves: f64,
    done: WritesAndMoves,
}

/// Pages written to planes and pages moved by their collection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WritesAndMoves {
    pub(super) writes: u64,
    pub(super) moves: u64,
}

impl WritesAndMoves {
    /// Moves for each write since an earlier count.
    pub(super) fn ratio_since(self, earlier: Self) -> f64 {
        (self.moves - earlier.moves) as f64 / (self.writes - earlier.writes).max(1) as f64
    }
}

impl Background {
    /// Collection at a pace, by a layer with these settings.
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

    /// Collection when the drive is switched off: what must be, and where collection does not yield, all that is due.
    pub(in crate::ftl) fn at_shutdown(settings: &FtlSettings) -> Self {
        let waiting = if settings.gc_yields_to_host { 0.0 } else { f64::INFINITY };
        Self::new(GcPace::MovesPerWrite { waiting, pressed: f64::INFINITY }, settings)
    }

    /// Whether every collection below the hard threshold ends before the next write.
    pub(super) const fn goes_first(&self) -> bool {
        self.pressed == f64::INFINITY && self.waiting < f64::INFINITY
    }

    /// A page was written.
    pub(super) fn earn(&mut self, is_pressed: bool) {
        self.done.writes += 1;
        if !(is_pressed && self.goes_first()) {
            self.earned_moves += if is_pressed { self.pressed } else { self.waiting };
        }
    }

    /// Whether it has earned a step.
    pub(super) fn has_earned_a_step(&self) -> bool {
        self.earned_moves >= MOVES_TOGETHER
    }

    /// The moves of a step, up to `most`.
    pub(super) fn step(&self, most: usize) -> usize {
        (self.earned_moves as usize).min(most)
    }

    /// All writes and moves so far.
    pub(super) const fn done(&self) -> WritesAndMoves {
        self.done
    }

    /// Moves were made.
    pub(super) fn count(&mut self, moves: usize) {
        self.done.moves += moves as u64;
    }

    /// Moves that were made had been earned.
    pub(super) fn spend(&mut self, moves: usize) {
        self.earned_moves -= moves as f64;
    }

    /// The plane has blocks enough: what was earned is void.
    pub(super) fn rest(&mut self) {
        self.earned_moves = 0.0;
    }
}
