//! What the energy model is told. Powers in milliwatts, energies in picojoules.

/// Powers and energies of a drive's components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerSettings {
    /// A plane's array while it reads.
    pub array_read_mw: f64,
    /// A plane's array while it programs.
    pub array_program_mw: f64,
    /// A plane's array while it erases.
    pub array_erase_mw: f64,
    /// A chip at any time.
    pub chip_static_mw: f64,
    /// A shared channel, for each byte that crosses it.
    pub channel_pj_per_byte: f64,
    /// A shared channel with the baseline's pins, at any time.
    pub channel_static_mw: f64,
    /// A link between routers, for each byte that crosses it.
    pub link_pj_per_byte: f64,
    /// A link of eight bits between routers, at any time.
    pub link_static_mw: f64,
    /// A router, for each byte that crosses it.
    pub router_pj_per_byte: f64,
    /// The buffers of a router that has some, for each byte that is written to them and read.
    pub buffer_pj_per_byte: f64,
    /// A router at any time.
    pub router_static_mw: f64,
    /// The drive's controller at any time.
    pub controller_mw: f64,
    /// The drive's memory at any time.
    pub dram_static_mw: f64,
    /// The drive's memory, for each byte to or from it.
    pub dram_pj_per_byte: f64,
    /// The host link at any time.
    pub host_link_static_mw: f64,
    /// The host link, for each byte on it.
    pub host_link_pj_per_byte: f64,
    /// Areas.
    pub area: AreaSettings,
}

/// Areas on the drive's board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AreaSettings {
    /// A flash chip, in square millimetres.
    pub chip_mm2: f64,
    /// A router with links of eight bits, in square millimetres.
    pub router_mm2: f64,
    /// The wires of a link of eight bits between routers, as a share of those of a shared channel.
    pub link_per_channel: f64,
    /// What a die is larger by whose interface is packetised, in %.
    pub packetised_die_pct: f64,
    /// What a die is larger by that holds a router with buffers, in %.
    pub buffered_router_die_pct: f64,
}
