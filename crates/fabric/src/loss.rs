//! Failing channels, buses and ring links, and the chips that become unreachable.
//!
//! # What it models
//! At a configured instant, some parts fail and accept no further transfers. Transfers in progress complete.
//! The controllers detect a failure after a timeout. Until then transfers that need the failed part wait.
//! Afterwards they use another path if there is one. A chip without a remaining path is lost.
//!
//! # How
//! A fabric contains a [`PathFaults`], and its caller calls [`Fabric::faults_due`](super::Fabric::faults_due)
//! at each instant of a failure or detection. Meshes have their own fault model
//! ([`noc::Faults`](super::noc::Faults)), since reachability depends on routing.
//!
//! # What is left out
//! Transmission errors, repair, and the loss of transfers in progress.
//!
//! # Source
//! None: the papers do not model failures.
//!
//! # Parameters
//! `fabric.faults`

use venice_kernel::SimTime;
use venice_nand::geometry::{Array, ChipId};

use super::{FabricError, FaultSettings};

/// Chips that no controller reaches after all configured faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachableChips {
    /// Chips that no controller reaches.
    pub chips: Vec<ChipId>,
    /// Routing of a mesh, or kind of the failed parts of another fabric, as named in messages.
    pub ways: &'static str,
}

impl UnreachableChips {
    /// Collects the chips of `array` for which `lost` is true.
    pub fn of(array: Array, ways: &'static str, lost: impl Fn(ChipId) -> bool) -> Self {
        let chips = (0..array.chips()).map(ChipId);
        Self { chips: chips.filter(|&chip| lost(chip)).collect(), ways }
    }

    /// Checks that no unreachable chip holds data. In degraded mode, checks only that some chips with data
    /// remain reachable.
    ///
    /// # Errors
    /// Returns [`FabricError::Unreachable`] with the unreachable chips that hold data.
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

/// Fault state of a fabric's paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFaults {
    /// True for each failing path, indexed by path.
    fails: Vec<bool>,
    at: SimTime,
    known_at: SimTime,
    has_happened: bool,
    is_known: bool,
}

impl PathFaults {
    /// Creates the fault state of `paths` paths, or `None` if none fails. Failures at the start of the run
    /// are detected immediately.
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

    /// Applies the faults that are due at `now`.
    pub fn keep_up(&mut self, now: SimTime) {
        self.has_happened |= self.at <= now;
        self.is_known |= self.known_at <= now;
    }

    /// True if `path` fails at some time.
    #[inline]
    pub fn fails(&self, path: u32) -> bool {
        self.fails[path as usize]
    }

    /// True if `path` has failed.
    #[inline]
    pub fn has_failed(&self, path: u32) -> bool {
        self.has_happened && self.fails[path as usize]
    }

    /// True if the controllers have detected the failure of `path` and use it no longer.
    #[inline]
    pub fn is_given_up(&self, path: u32) -> bool {
        self.is_known && self.fails[path as usize]
    }

    /// Returns the number of paths that have failed or will fail.
    pub fn count(&self) -> u32 {
        self.fails.iter().map(|&fails| u32::from(fails)).sum()
    }
}
