//! Energy of a search: of the drive's components, and of the decoders and matchers.

use venice_drive::observe::ArrayTime;
use venice_fabric::Fabric;
use venice_kernel::{SimSpan, SimTime};
use venice_sim::power::{Component, Energy, RunActivity};

use super::{PifSettings, SearchCounters};

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
    /// Returns the energy of a search with a given duration and given counters.
    pub(super) fn of(
        settings: &PifSettings,
        fabric: &dyn Fabric,
        time: SimSpan,
        counters: &SearchCounters,
    ) -> Self {
        let end = SimTime::ZERO + time;
        let path_busy = fabric.path_busy(end).into_iter().sum();
        let used = fabric.counters(end);
        let wiring = fabric.wiring();
        let crossed = if wiring.reserved { used.links_crossed } else { path_busy };
        let through_routers = if wiring.routers > 0 { crossed + used.paths_used } else { used.paths_used };
        let activity = RunActivity {
            time,
            until_drained: time,
            chips: settings.array.chips(),
            arrays: ArrayTime { read: settings.sense * counters.senses, ..ArrayTime::default() },
            wiring,
            path_bytes: wiring.path_rate.bytes_in(crossed + used.port_wires_crossed),
            router_bytes: wiring.router_rate.bytes_in(through_routers),
            scout_bytes: wiring.path_rate.bytes_in(wiring.scout_hop * used.scout_hops),
            transfer_time: SimSpan::ZERO,
            core_time: SimSpan::ZERO,
            dram_bytes: counters.memory_bytes(settings.page_bytes),
            host_link_bytes: counters.link_bytes,
        };
        let parts = &settings.parts;
        let uj = |mw: f64, time: SimSpan| mw * time.as_us() / 1e3;
        Self {
            drive: Energy::of(&activity, &settings.power),
            chips_uj: uj(parts.decoder_mw + parts.matcher_mw, counters.matcher_busy),
            controller_uj: parts.controller_pj_per_byte * counters.controller_bytes as f64 / 1e6,
            host_uj: uj(parts.host_mw, counters.host_busy),
        }
    }

    /// Returns the total energy.
    pub fn total_uj(&self) -> f64 {
        self.drive.total_uj() + self.chips_uj + self.controller_uj + self.host_uj
    }

    /// Returns the total energy without reads of the flash array.
    pub fn total_without_arrays_uj(&self) -> f64 {
        self.total_uj() - self.drive.component_uj(Component::FlashRead)
    }
}
