//! The reservation table of a router.
//!
//! # What it models
//! Rows of (valid, packet id, entry port, exit port). A row joins two ports in both directions: what
//! a scout reserved on its way out carries the circuit's bytes either way.
//!
//! # How
//! The table is the only record of a path: a circuit is found again by following its rows from its
//! controller, and a scout goes back by the row it left behind, as it would in hardware.
//!
//! Two rows are held, not one per controller: a router has five ports (in column 0 the controller
//! sits where the left neighbour would be), a port is in one row at most, so a third row could never
//! be filled. With a single controller the mesh is a line, whose routers need one row. A table of
//! n rows (n = number of controllers) therefore never overflows, whatever n is. With doubled links and second ports of controllers
//! a router of column 0 has up to eight ports, and up to four rows.
//!
//! # What is left out
//! Nothing.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.
//!
//! # Parameters
//! None.

use super::ControllerId;
use crate::fabric::noc::{Port, PortSet};

/// Rows that can be valid at once in the paper's router: half of five ports.
pub const ROWS: usize = 2;

/// A valid row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The packet's id: its controller's number.
    pub packet: ControllerId,
    /// The port by which the scout came in.
    pub entry: Port,
    /// The port by which it left.
    pub exit: Port,
}

/// The rows of one router.
///
/// A port is in one row at most, so the rows are kept by port: each step of a scout and of a release asks for one.
#[derive(Clone, Debug)]
pub struct Table {
    /// The ports by which the rows come in, and by which they go out.
    entries: PortSet,
    exits: PortSet,
    /// By port: the other one of its row, if it is in any.
    across: [Port; Port::ALL.len()],
    /// By entry: whose row it is.
    packets: [ControllerId; Port::ALL.len()],
}

impl Default for Table {
    fn default() -> Self {
        Self {
            entries: PortSet::EMPTY,
            exits: PortSet::EMPTY,
            across: Port::ALL,
            packets: [ControllerId::default(); Port::ALL.len()],
        }
    }
}

impl Table {
    /// Adds a row.
    ///
    /// # Panics
    /// In a debug build, when one of its ports is in a row already, which a port that is offered to a scout is not, or
    /// when there are more rows than half of all ports.
    #[inline]
    pub fn insert(&mut self, row: Row) {
        let Row { packet, entry, exit } = row;
        debug_assert!(self.across(entry).is_none() && self.across(exit).is_none());
        debug_assert!(self.entries.len() < Port::ALL.len() as u32 / 2, "a port is in one row at most");
        (self.entries, self.exits) = (self.entries.with(entry), self.exits.with(exit));
        self.across[entry.index()] = exit;
        self.across[exit.index()] = entry;
        self.packets[entry.index()] = packet;
    }

    /// The port that is joined to `port`, whichever of the two was the entry.
    #[inline]
    pub const fn across(&self, port: Port) -> Option<Port> {
        let is_in_row = self.entries.contains(port) || self.exits.contains(port);
        if is_in_row { Some(self.across[port.index()]) } else { None }
    }

    /// The row by which `packet` came in through `entry`.
    #[inline]
    pub fn entered(&self, packet: ControllerId, entry: Port) -> Option<Row> {
        let row = self.row(entry)?;
        (row.packet == packet).then_some(row)
    }

    /// Takes out the row by which `packet` came in through `entry`.
    #[inline]
    pub fn remove_entered(&mut self, packet: ControllerId, entry: Port) -> Option<Row> {
        let row = self.entered(packet, entry)?;
        (self.entries, self.exits) = (self.entries.without(entry), self.exits.without(row.exit));
        Some(row)
    }

    /// Takes out the row by which `packet` left through `exit`.
    #[inline]
    pub fn remove(&mut self, packet: ControllerId, exit: Port) -> Option<Row> {
        if !self.exits.contains(exit) {
            return None;
        }
        self.remove_entered(packet, self.across[exit.index()])
    }

    /// The valid rows, in the order of their entries.
    #[inline]
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.entries.iter().filter_map(|entry| self.row(entry))
    }

    #[inline]
    fn row(&self, entry: Port) -> Option<Row> {
        let (packet, exit) = (self.packets[entry.index()], self.across[entry.index()]);
        self.entries.contains(entry).then_some(Row { packet, entry, exit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACROSS: Row = Row { packet: ControllerId(3), entry: Port::Left, exit: Port::Right };
    const ALONG: Row = Row { packet: ControllerId(3), entry: Port::Down, exit: Port::Up };

    #[test]
    fn a_row_joins_its_ports_in_both_directions() {
        let mut table = Table::default();
        table.insert(ACROSS);
        assert_eq!(table.across(Port::Left), Some(Port::Right));
        assert_eq!(table.across(Port::Right), Some(Port::Left));
        assert_eq!(table.across(Port::Up), None);
    }

    #[test]
    fn one_packet_may_cross_a_router_twice() {
        let mut table = Table::default();
        table.insert(ACROSS);
        table.insert(ALONG);
        assert_eq!(table.entered(ControllerId(3), Port::Down), Some(ALONG));
        assert_eq!(table.remove(ControllerId(3), Port::Right), Some(ACROSS));
        assert_eq!(table.rows().collect::<Vec<_>>(), [ALONG]);
    }

    #[test]
    fn a_row_answers_to_its_own_packet_only() {
        let mut table = Table::default();
        table.insert(ACROSS);
        assert_eq!(table.entered(ControllerId(2), Port::Left), None);
        assert_eq!(table.remove(ControllerId(2), Port::Right), None);
        assert_eq!(table.rows().count(), 1);
    }
}
