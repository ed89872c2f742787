//! Numbers of a fabric's wires and routers.

use venice_kernel::{Rate, SimSpan};

/// Hardware that a fabric requires in the flash dies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DieRequirement {
    /// Commodity dies, as with the baseline channels.
    #[default]
    AsBaseline,
    /// A packet interface in each die.
    Packetised,
    /// A buffered router in each chip.
    WithRouters,
}

/// Numbers and properties of a fabric's wires and routers, from which energy and area are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wiring {
    /// Number of channels and buses, whether they are shared or lead to a single chip.
    pub channels: u32,
    /// Number of wires of one channel (data and control), relative to the baseline channel.
    pub channel_pins: f64,
    /// Number of links between routers; both directions count as one link.
    pub links: u32,
    /// Data bits per lane of a link.
    pub link_bits: u32,
    /// Number of wires to second controller ports, as a multiple of the wires of one link.
    pub port_wires: u32,
    /// Number of router ports beyond five per router, summed over routers.
    pub more_ports: u32,
    /// Lanes per link: 1 if one lane serves both directions, 2 if each direction has its own.
    pub link_lanes: u32,
    /// Number of routers.
    pub routers: u32,
    /// True if routers buffer packets.
    pub buffered: bool,
    /// True if links stay reserved for longer than they carry data. The time for which they carry data is
    /// then counted separately.
    pub reserved: bool,
    /// Hardware that the fabric requires in the dies.
    pub dies: DieRequirement,
    /// Data rate of a channel or of a lane of a link.
    pub path_rate: Rate,
    /// Rate at which a router forwards data.
    pub router_rate: Rate,
    /// Time for which one hop of a scout occupies a link; zero on fabrics without scouts.
    pub scout_hop: SimSpan,
    /// True if pages that are relocated between chips go from controller to controller without entering the
    /// drive's memory.
    pub relocation_bypasses_memory: bool,
}

impl Default for Wiring {
    fn default() -> Self {
        Self {
            channels: 0,
            channel_pins: 1.0,
            links: 0,
            port_wires: 0,
            more_ports: 0,
            link_bits: u8::BITS,
            link_lanes: 1,
            routers: 0,
            buffered: false,
            reserved: false,
            dies: DieRequirement::AsBaseline,
            path_rate: Rate::UNLIMITED,
            router_rate: Rate::UNLIMITED,
            scout_hop: SimSpan::ZERO,
            relocation_bypasses_memory: false,
        }
    }
}

impl Wiring {
    /// Returns the number of baseline channels that would have as many wires as all channels of the fabric.
    pub fn channels_of_baseline(&self) -> f64 {
        f64::from(self.channels) * self.channel_pins
    }

    /// Returns the number of 8-bit links that would have as many wires as all links of the fabric.
    pub fn links_of_eight_bits(&self) -> f64 {
        f64::from((self.links + self.port_wires) * self.link_lanes) * self.router_width()
    }

    /// Returns the number of 5-port routers that would have as many ports as all routers of the fabric.
    pub fn routers_of_five_ports(&self) -> f64 {
        f64::from(self.routers) + f64::from(self.more_ports) / 5.0
    }

    /// Returns the width of a router port in units of 8 bits.
    pub fn router_width(&self) -> f64 {
        f64::from(self.link_bits) / f64::from(u8::BITS)
    }
}
