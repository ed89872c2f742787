//! Garbage collection during preconditioning writes to a plane, without simulated time.
//!
//! # How
//!
//! Each write to a plane with too few free blocks permits garbage collection to move a certain number of
//! pages. This number is the rate of garbage collection. Below the hard threshold, where garbage collection
//! precedes host commands, another rate applies. The plane thus has as many free blocks, and collects garbage
//! for as much of the time, as under a load that permits this rate.

use super::settings::GcPace;
use crate::ftl::settings::FtlSettings;

/// Minimum number of pages that garbage collection moves in one step. Single moves would be slower to
/// simulate.
const MOVES_TOGETHER: f64 = 16.0;

/// Garbage collection (GC) of a plane during preconditioning. Each page write adds to a credit of GC moves.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct Background {
    /// Pages moved per page written while GC yields to the host; infinite if every GC ends before the next
    /// write.
    waiting: f64,
    /// Pages moved per page written under pressure: below the hard threshold, where GC precedes host
    /// commands.
    pressed: f64,
    earned_moves: f64,
    done: WritesAndMoves,
}

/// Number of pages written, and number of pages moved by garbage collection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WritesAndMoves {
    pub(super) writes: u64,
    pub(super) moves: u64,
}

impl WritesAndMoves {
    /// Returns the number of pages moved per page written since an earlier count.
    pub(super) fn ratio_since(self, earlier: Self) -> f64 {
        (self.moves - earlier.moves) as f64 / (self.writes - earlier.writes).max(1) as f64
    }
}

impl Background {
    /// Creates the garbage collection of a plane, with the rates of moves that `pace` determines.
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

    /// Creates the garbage collection of a plane for a shutdown. If garbage collection yields to the host
    /// during the run, it runs only below the hard threshold of free blocks. Otherwise, it runs below the
    /// start threshold.
    pub(in crate::ftl) fn at_shutdown(settings: &FtlSettings) -> Self {
        let waiting = if settings.gc_yields_to_host { 0.0 } else { f64::INFINITY };
        Self::new(GcPace::MovesPerWrite { waiting, pressed: f64::INFINITY }, settings)
    }

    /// Returns true if garbage collection ends before the next page write when the plane has fewer free
    /// blocks than the hard threshold, but not when the plane has more.
    pub(super) const fn goes_first(&self) -> bool {
        self.pressed == f64::INFINITY && self.waiting < f64::INFINITY
    }

    /// Adds the GC moves that one page write permits to the credit. `is_pressed` is true if the plane has
    /// fewer free blocks than the hard threshold.
    pub(super) fn earn(&mut self, is_pressed: bool) {
        self.done.writes += 1;
        if !(is_pressed && self.goes_first()) {
            self.earned_moves += if is_pressed { self.pressed } else { self.waiting };
        }
    }

    /// Returns true if the credit of GC moves suffices for a step.
    pub(super) fn has_earned_a_step(&self) -> bool {
        self.earned_moves >= MOVES_TOGETHER
    }

    /// Returns the number of GC moves in the next step: the credit of moves, but at most `most`.
    pub(super) fn step(&self, most: usize) -> usize {
        (self.earned_moves as usize).min(most)
    }

    /// Returns the total number of page writes and of GC moves so far.
    pub(super) const fn done(&self) -> WritesAndMoves {
        self.done
    }

    /// Counts `moves` pages moved by garbage collection.
    pub(super) fn count(&mut self, moves: usize) {
        self.done.moves += moves as u64;
    }

    /// Subtracts completed GC moves from the credit.
    pub(super) fn spend(&mut self, moves: usize) {
        self.earned_moves -= moves as f64;
    }

    /// Discards the credit of GC moves, since the plane has enough free blocks.
    pub(super) fn rest(&mut self) {
        self.earned_moves = 0.0;
    }
}
