//! A row of a reservation table as the router's flip-flops hold it.
//!
//! # What it models
//! Valid bit, packet id, entry port, exit port. Two bits, as in the paper, name four ports; a router has five, and a
//! row of a circuit's last router leaves by the chip's: ports have three bits. In column 0 the controller sits where the
//! left neighbour would be, and has its number.
//!
//! # How
//! From the most significant bit: valid, id (⌈log2 controllers⌉ bits), entry, exit.
//!
//! # What is left out
//! Reading rows of routers with second ports, which nobody builds yet.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, Figure 7; the numbers of ports are ours.
//!
//! # Parameters
//! `array`.

use super::ControllerId;
use super::packet::bits_for;
use super::table::Row;
use crate::fabric::noc::Port;
use crate::geometry::Array;

const PORT_BITS: u32 = 3;
const PORT_MASK: u32 = 0b111;

/// The number of a port in rows: right 0, left or controller 1, up 2, down 3, chip 4. Three bits have room for the second ports as
/// well; the paper's router has none.
pub const fn port_number(port: Port) -> u32 {
    match port {
        Port::Right => 0,
        Port::Left | Port::Controller => 1,
        Port::Up => 2,
        Port::Down => 3,
        Port::Chip => 4,
        Port::SecondController => 5,
        Port::SecondUp => 6,
        Port::SecondDown => 7,
    }
}

/// The layout of rows on one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowFormat {
    id_bits: u32,
}

impl RowFormat {
    /// The layout for this array.
    pub const fn new(array: Array) -> Self {
        Self { id_bits: bits_for(array.rows) }
    }

    /// Bits of a row.
    pub const fn bits(self) -> u32 {
        1 + self.id_bits + 2 * PORT_BITS
    }

    /// A row as bits; an empty one is zero.
    pub fn encode(self, row: Option<Row>) -> u32 {
        row.map_or(0, |row| {
            let ports = port_number(row.entry) << PORT_BITS | port_number(row.exit);
            ((1 << self.id_bits | row.packet.0) << (2 * PORT_BITS)) | ports
        })
    }

    /// What the bits say in a router of this column; `None` is an empty row, or a port that does not exist.
    pub fn decode(self, bits: u32, col: u32) -> Option<Row> {
        let is_valid = bits >> (self.bits() - 1) & 1 == 1;
        let port = |number: u32| match number & PORT_MASK {
            0 => Some(Port::Right),
            1 if col == 0 => Some(Port::Controller),
            1 => Some(Port::Left),
            2 => Some(Port::Up),
            3 => Some(Port::Down),
            4 => Some(Port::Chip),
            _ => None,
        };
        let packet = ControllerId(bits >> (2 * PORT_BITS) & ((1 << self.id_bits) - 1));
        let (entry, exit) = (port(bits >> PORT_BITS)?, port(bits)?);
        is_valid.then_some(Row { packet, entry, exit })
    }
}
