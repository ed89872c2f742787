//! Bit layout of a row in a router's reservation table.
//!
//! # What it models
//! A row consists of a valid bit, packet id, entry port and exit port. In the paper a port has two bits,
//! which distinguish only four ports. A router has five ports, since the last router of a circuit has the
//! chip port as exit. Ports therefore have three bits here. In column 0 the controller takes the place and
//! the number of the left neighbour.
//!
//! # How
//! From the most significant bit: valid, id (⌈log2 controllers⌉ bits), entry, exit.
//!
//! # What is left out
//! Decoding of rows of routers with second ports.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, Figure 7; the port numbers are ours.
//!
//! # Parameters
//! `array`.

use venice_nand::geometry::Array;

use super::ControllerId;
use super::packet::bits_for;
use super::table::ReservationRow;
use crate::noc::Port;

const PORT_BITS: u32 = 3;
const PORT_MASK: u32 = 0b111;

/// Returns the number of a port in a table row: right 0, left or controller 1, up 2, down 3, chip 4. The
/// second ports, which the Venice paper does not have, also fit into three bits.
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

/// Bit layout of reservation table rows, for the number of controllers of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowFormat {
    id_bits: u32,
}

impl RowFormat {
    /// Computes the bit layout for an array.
    pub const fn new(array: Array) -> Self {
        Self { id_bits: bits_for(array.rows) }
    }

    /// Returns the number of bits per row.
    pub const fn bits(self) -> u32 {
        1 + self.id_bits + 2 * PORT_BITS
    }

    /// Encodes a row; an empty row is zero.
    pub fn encode(self, row: Option<ReservationRow>) -> u32 {
        row.map_or(0, |row| {
            let ports = port_number(row.entry) << PORT_BITS | port_number(row.exit);
            ((1 << self.id_bits | row.packet.0) << (2 * PORT_BITS)) | ports
        })
    }

    /// Decodes a table row of a router in column `col`; `None` for an empty row or a port that does not
    /// exist.
    pub fn decode(self, bits: u32, col: u32) -> Option<ReservationRow> {
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
        is_valid.then_some(ReservationRow { packet, entry, exit })
    }
}
