//! Energy of a search: of the drive's components, and of the decoders and matchers.

use venice_drive::ftl::{SearchCounters, SearchSettings};
use venice_kernel::SimSpan;
use venice_sim::power::{Component, Energy};

/// Energy of a search, in microjoules.
///
/// There are two totals: with and without the reads of the flash arrays. The `PiF` paper (Chun et al.,
/// `HotStorage` 2022) seems to exclude these reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchEnergy {
    /// Energy of the drive's components.
    pub drive: Energy,
    /// Energy of decoders and matchers in the chips.
    pub chips_uj: f64,
    /// Energy of decoders and matchers in the controller.
    pub controller_uj: f64,
    /// Energy of the host during the search.
    pub host_uj: f64,
}

impl SearchEnergy {
    /// Returns the energy of a search with given counters, and with the energy of the drive's components.
    pub(super) fn of(settings: &SearchSettings, drive: Energy, counters: &SearchCounters) -> Self {
        let uj = |mw: f64, ps: u64| mw * SimSpan::from_ps(ps).as_us() / 1e3;
        Self {
            drive,
            chips_uj: uj(settings.chip_mw, counters.chips_busy_ps),
            controller_uj: settings.controller_pj_per_byte * counters.controller_bytes as f64 / 1e6,
            host_uj: uj(settings.host_mw, counters.host_busy_ps),
        }
    }

    /// Returns the total energy of the search, in microjoules.
    pub fn total_uj(&self) -> f64 {
        self.drive.total_uj() + self.chips_uj + self.controller_uj + self.host_uj
    }

    /// Returns the total energy of the search without reads of the flash arrays, in microjoules.
    pub fn total_without_arrays_uj(&self) -> f64 {
        self.total_uj() - self.drive.component_uj(Component::FlashRead)
    }
}
