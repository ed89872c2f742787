//! Parameters of the energy and area model. Powers are in milliwatts, energies in picojoules.

use venice_params::{declare, number};

/// Upper limit of a component's power in milliwatts, and of the energy per byte in picojoules.
pub const MAX_MW: f64 = 1e6;

declare! {
    /// Power and energy of the drive's components: power while active, static power, and energy of each byte.
    pub struct PowerSettings in "power." {
        /// Power of a plane's array during a read.
        array_read_mw: f64 = number(0.0, MAX_MW), unit "mW", default "160",
            source "Chun et al., PiF, HotStorage 2022, §3.3: a chip that reads; assumed of one plane";
        /// Power of a plane's array during a program.
        array_program_mw: f64 = number(0.0, MAX_MW), unit "mW", default "180",
            source "Chun et al., PiF, HotStorage 2022, §3.3: a chip that programs; assumed of one plane";
        /// Power of a plane's array during an erase.
        array_erase_mw: f64 = number(0.0, MAX_MW), unit "mW", default "180", source "assumed: as much as programming";
        /// Static power of a chip.
        chip_static_mw: f64 = number(0.0, MAX_MW), unit "mW", default "0.165",
            source "assumed: a standby current of 50 µA at 3.3 V";
        /// Energy of a shared channel for each transferred byte, at any rate and width.
        channel_pj_per_byte: f64 = number(0.0, MAX_MW), unit "pJ/B", default "9",
            source "Nadig et al., Venice, ISCA 2023, §6.6: ten times a link's power, 10.8 mW, at Table 1's 1.2 GB/s";
        /// Static power of a shared channel with the pin count of the baseline drive's channels.
        channel_static_mw: f64 = number(0.0, MAX_MW), unit "mW", default "0",
            source "assumed: Table 4's figure is that of a transfer, and no other is published";
        /// Energy of a link between routers for each transferred byte, at any rate and width.
        link_pj_per_byte: f64 = number(0.0, MAX_MW), unit "pJ/B", default "1.08",
            source "Nadig et al., Venice, ISCA 2023, Table 4: 1.08 mW during a 4-KB transfer, at Table 1's 1 GB/s";
        /// Static power of an eight-bit link between routers.
        link_static_mw: f64 = number(0.0, MAX_MW), unit "mW", default "0",
            source "assumed: Table 4's figure is that of a transfer, and no other is published";
        /// Energy of a router for each forwarded byte.
        router_pj_per_byte: f64 = number(0.0, MAX_MW), unit "pJ/B", default "0.241",
            source "Nadig et al., Venice, ISCA 2023, Table 4: 0.241 mW, at Table 1's 1 GB/s";
        /// Energy of a router's buffers for each byte that passes through them, in fabrics with buffered
        /// routers.
        buffer_pj_per_byte: f64 = number(0.0, MAX_MW), unit "pJ/B", default "2.5",
            source "Horowitz, ISSCC 2014: 10 pJ for eight bytes of an 8-KB SRAM, once in and once out; assumed of NoSSD's 16 KB";
        /// Static power of a router.
        router_static_mw: f64 = number(0.0, MAX_MW), unit "mW", default "0",
            source "assumed: Table 4's figure is taken to be that of a router in use";
        /// Static power of the drive's controller.
        controller_mw: f64 = number(0.0, MAX_MW), unit "mW", default "2000",
            source "assumed: the papers give none; a few watts are common for PCIe drives";
        /// Power of a core of the controller while it is busy, in addition to the static power.
        controller_core_mw: f64 = number(0.0, MAX_MW), unit "mW", default "0",
            source "assumed: part of the controller's static power";
        /// Static power of the drive's memory.
        dram_static_mw: f64 = number(0.0, MAX_MW), unit "mW", default "150",
            source "assumed: the papers give none; self refresh and standby of a gigabyte";
        /// Energy of the drive's memory for each byte written or read.
        dram_pj_per_byte: f64 = number(0.0, MAX_MW), unit "pJ/B", default "160",
            source "assumed: the papers give none; 20 pJ for each bit of DDR4";
        /// Static power of the host link.
        host_link_static_mw: f64 = number(0.0, MAX_MW), unit "mW", default "200",
            source "assumed: the papers give none; four lanes in L0";
        /// Energy of the host link for each transferred byte.
        host_link_pj_per_byte: f64 = number(0.0, MAX_MW), unit "pJ/B", default "40",
            source "assumed: the papers give none; 5 pJ for each bit";
    }
}

declare! {
    /// Areas of the components on the drive's board.
    pub struct AreaSettings in "area." {
        /// Area of a flash chip.
        chip_mm2: f64 = number(0.01, 1e6), unit "mm²", default "100",
            source "Nadig et al., Venice, ISCA 2023, §6.6: a router's 8 mm² are 8 %";
        /// Area of a router with eight-bit links, a separate chip next to each flash chip. The area is
        /// proportional to the link width, since pads dominate.
        router_mm2: f64 = number(0.0, 1e6), unit "mm²", default "8", source "Nadig et al., Venice, ISCA 2023, §6.6: for 40 pins";
        /// Additional area of a flash die with a packetised interface.
        packetised_die_pct: f64 = number(0.0, 1e6), unit "%", default "20",
            source "Nadig et al., Venice, ISCA 2023, §1: 20 % of each die, citing Kim et al., Networked SSD, MICRO 2022";
        /// Additional area of a flash die with a buffered router.
        buffered_router_die_pct: f64 = number(0.0, 1e6), unit "%", default "8",
            source "assumed: the pads of a router beside a chip (Nadig et al., Venice, ISCA 2023, §6.6), without its buffers";
        /// Area of an eight-bit link between routers, relative to that of a shared channel; proportional to
        /// the link width.
        link_per_channel: f64 = number(0.0, 1000.0), unit "channels", default "0.04",
            source "Nadig et al., Venice, ISCA 2023, §6.6";
    }
}
