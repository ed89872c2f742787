//! Physical energy of a run: dynamic energy of the components' operations, and static energy.

use venice_fabric::Wiring;
use venice_kernel::SimSpan;

use super::{PowerSettings, RunActivity};

/// Component whose energy is computed separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// Array operations that read pages.
    FlashRead,
    /// Array operations that program pages.
    FlashProgram,
    /// Erases of blocks in the flash arrays.
    FlashErase,
    /// Static power of the flash chips.
    FlashStatic,
    /// Shared or direct channels between controllers and chips.
    Channels,
    /// Links between routers, for data and commands.
    Links,
    /// Routers: energy of the bytes that pass them, and static power.
    Routers,
    /// Scout packets, which search paths, on links.
    Scouts,
    /// Controller of the drive.
    Controller,
    /// Memory (DRAM) of the drive.
    Dram,
    /// Link to the host.
    HostLink,
}

impl Component {
    /// All components, in the order of reports.
    pub const ALL: [Self; 11] = [
        Self::FlashRead,
        Self::FlashProgram,
        Self::FlashErase,
        Self::FlashStatic,
        Self::Channels,
        Self::Links,
        Self::Routers,
        Self::Scouts,
        Self::Controller,
        Self::Dram,
        Self::HostLink,
    ];

    /// Returns the name of the component in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FlashRead => "flash_read",
            Self::FlashProgram => "flash_program",
            Self::FlashErase => "flash_erase",
            Self::FlashStatic => "flash_static",
            Self::Channels => "channels",
            Self::Links => "links",
            Self::Routers => "routers",
            Self::Scouts => "scouts",
            Self::Controller => "controller",
            Self::Dram => "dram",
            Self::HostLink => "host_link",
        }
    }
}

/// Energy by component, in microjoules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    by_component_uj: [f64; Component::ALL.len()],
}

impl Energy {
    /// Computes the energy of a run with this activity.
    pub fn of(activity: &RunActivity, power: &PowerSettings) -> Self {
        Self { by_component_uj: Component::ALL.map(|component| component_uj(component, activity, power)) }
    }

    /// Returns the energy of one component.
    pub fn component_uj(&self, component: Component) -> f64 {
        self.by_component_uj[component as usize]
    }

    /// Returns the mean power in milliwatts until the end of all operations, or `None` if this time is zero.
    pub fn mean_power_mw(&self, activity: &RunActivity) -> Option<f64> {
        let time = activity.until_drained;
        (!time.is_zero()).then(|| self.total_uj() * 1e3 / time.as_us())
    }

    /// Returns the sum of the energies of all components.
    pub fn total_uj(&self) -> f64 {
        self.by_component_uj.iter().sum()
    }
}

fn component_uj(component: Component, activity: &RunActivity, power: &PowerSettings) -> f64 {
    let always = |mw| uj(mw, activity.until_drained);
    let of_bytes = |pj_per_byte: f64, bytes: f64| pj_per_byte * bytes / 1e6;
    let wiring = &activity.wiring;
    let has_links = wiring.links > 0;
    match component {
        Component::FlashRead => uj(power.array_read_mw, activity.arrays.read),
        Component::FlashProgram => uj(power.array_program_mw, activity.arrays.program),
        Component::FlashErase => uj(power.array_erase_mw, activity.arrays.erase),
        Component::FlashStatic => always(power.chip_static_mw) * f64::from(activity.chips),
        Component::Channels if has_links => 0.0,
        Component::Channels => {
            of_bytes(power.channel_pj_per_byte, activity.path_bytes)
                + always(power.channel_static_mw) * wiring.channels_of_baseline()
        }
        Component::Links if has_links => {
            of_bytes(power.link_pj_per_byte, activity.path_bytes)
                + always(power.link_static_mw) * wiring.links_of_eight_bits()
        }
        Component::Links => 0.0,
        Component::Routers => {
            of_bytes(router_pj_per_byte(wiring, power), activity.router_bytes)
                + always(power.router_static_mw) * f64::from(wiring.routers)
        }
        Component::Scouts => of_bytes(power.link_pj_per_byte, activity.scout_bytes),
        Component::Controller => {
            always(power.controller_mw) + uj(power.controller_core_mw, activity.core_time)
        }
        Component::Dram => {
            always(power.dram_static_mw) + of_bytes(power.dram_pj_per_byte, activity.dram_bytes as f64)
        }
        Component::HostLink => {
            always(power.host_link_static_mw)
                + of_bytes(power.host_link_pj_per_byte, activity.host_link_bytes as f64)
        }
    }
}

/// Returns the energy of a constant power over a time, in microjoules. A milliwatt over a microsecond is a
/// nanojoule.
pub(super) fn uj(power_mw: f64, time: SimSpan) -> f64 {
    power_mw * time.as_us() / 1e3
}

/// Returns the energy of a byte that passes a router, including the router's buffers, in picojoules.
pub(super) fn router_pj_per_byte(wiring: &Wiring, power: &PowerSettings) -> f64 {
    power.router_pj_per_byte + if wiring.buffered { power.buffer_pj_per_byte } else { 0.0 }
}
