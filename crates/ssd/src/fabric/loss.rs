//! Channels, buses and links of rings that fail, and chips that nobody reaches any more.
//!
//! # What it models
//! A part that carries nothing any more, from one instant on. What has begun by then ends as if nothing had happened. Controllers
//! know some time later, when what they wait for has not come: until then whatever needs the part waits, from then on it goes by
//! another part if there is one. A chip to which no way is left is lost.
//!
//! # How
//! A fabric keeps a [`PathFaults`] and is told by its caller when something is due ([`Fabric::faults_due`](super::Fabric::faults_due)).
//! A mesh has its own ([`noc::Faults`](super::noc::Faults)), since which chips are lost depends on its routing.
//!
//! # What is left out
//! Errors on parts that work, repair, and transfers that are lost in the middle.
//!
//! # Source
//! Ours: the papers speak of no failures.
//!
//! # Parameters
//! `fabric.faults`

use venice_kernel::SimTime;

use super::{FabricError, FaultSettings};
use crate::geometry::{Array, ChipId};

/// Chips that nobody reaches once everything has failed that will.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Which.
    pub chips: Vec<ChipId>,
    /// By what they would be reached.
    pub ways: &'static str,
}

impl Loss {
    /// Those chips of an array that are `lost`.
    pub fn of(array: Array, ways: &'static str, lost: impl Fn(ChipId) -> bool) -> Self {
        let chips = (0..array.chips()).map(ChipId);
        Self { chips: chips.filter(|&chip| lost(chip)).collect(), ways }
    }

    /// Whether a drive can do without them: they hold no data, or it goes on in degraded mode with some chips left.
    ///
    /// # Errors
    /// [`FabricError::Unreachable`] with the chips that are missed.
    pub fn check(&self, array: Array, faults: &FaultSettings) -> Result<(), FabricError> {
        let FaultSettings { unused, degraded_mode, .. } = faults;
        let missed: Vec<ChipId> = self.chips.iter().copied().filter(|chip| !unused.contains(chip)).collect();
        let used = array.chips() as usize - unused.len();
        if missed.is_empty() || (*degraded_mode && missed.len() < used) {
            return Ok(());
        }
        let lost = missed.into_iter().map(|chip| (array.row(chip), array.col(chip))).collect();
        Err(FabricError::Unreachable { routing: self.ways, chips: array.chips(), lost })
    }
}

/// Which of a fabric's paths fail, and how far that has gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFaults {
    /// By path.
    fails: Vec<bool>,
    at: SimTime,
    known_at: SimTime,
    has_happened: bool,
    is_known: bool,
}

impl PathFaults {
    /// What fails of so many paths; what fails at the start has done so and is known.
    pub fn new(paths: u32, settings: &FaultSettings) -> Option<Self> {
        if settings.paths.is_empty() {
            return None;
        }
        let mut fails = vec![false; paths as usize];
        for &path in &settings.paths {
            fails[path as usize] = true;
        }
        let mut faults = Self {
            fails,
            at: settings.at,
            known_at: settings.known_at(),
            has_happened: false,
            is_known: false,
        };
        faults.keep_up(SimTime::ZERO);
        Some(faults)
    }

    /// Lets happen what is due.
    pub fn keep_up(&mut self, now: SimTime) {
        self.has_happened |= self.at <= now;
        self.is_known |= self.known_at <= now;
    }

    /// Whether a path fails at some time.
    #[inline]
    pub fn fails(&self, path: u32) -> bool {
        self.fails[path as usize]
    }

    /// Whether a path has failed.
    #[inline]
    pub fn has_failed(&self, path: u32) -> bool {
        self.has_happened && self.fails[path as usize]
    }

    /// Whether a path is known to have failed.
    #[inline]
    pub fn is_given_up(&self, path: u32) -> bool {
        self.is_known && self.fails[path as usize]
    }

    /// How many paths fail.
    pub fn count(&self) -> u32 {
        self.fails.iter().map(|&fails| u32::from(fails)).sum()
    }
}
