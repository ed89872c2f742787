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
use crate::fabric::noc::Port;

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
    /// By port: the other one of its row, if it is in any.
    across: [Port; Port::ALL.len()],
    /// By port: whose row comes in by it.
    packets: [ControllerId; Port::ALL.len()],
}

/// Nobody's packets have this id.
const NOBODY: ControllerId = ControllerId(u32::MAX);

impl Default for Table {
    fn default() -> Self {
        Self { across: Port::ALL, packets: [NOBODY; Port::ALL.len()] }
    }
}

impl Table {
    /// Adds a row.
    ///
    /// # Panics
    /// In a debug build, when one of its ports is in a row already, which a port that is offered to a scout is not.
    #[inline]
    pub fn insert(&mut self, row: Row) {
        let Row { packet, entry, exit } = row;
        debug_assert!(self.across(entry).is_none() && self.across(exit).is_none());
        self.across[entry.index()] = exit;
        self.across[exit.index()] = entry;
        self.packets[entry.index()] = packet;
    }

    /// The port that is joined to `port`, whichever of the two was the entry.
    #[inline]
    pub fn across(&self, port: Port) -> Option<Port> {
        let other = self.across[port.index()];
        let is_joined = self.across[other.index()] == port && (self.is_entry(port) || self.is_entry(other));
        is_joined.then_some(other)
    }

    #[inline]
    fn is_entry(&self, port: Port) -> bool {
        self.packets[port.index()] != NOBODY
    }

    /// The row by which `packet` came in through `entry`.
    #[inline]
    pub fn entered(&self, packet: ControllerId, entry: Port) -> Option<Row> {
        let row = Row { packet, entry, exit: self.across[entry.index()] };
        (self.packets[entry.index()] == packet).then_some(row)
    }

    /// Takes out the row by which `packet` came in through `entry`.
    #[inline]
    pub fn remove_entered(&mut self, packet: ControllerId, entry: Port) -> Option<Row> {
        let row = self.entered(packet, entry)?;
        self.packets[entry.index()] = NOBODY;
        Some(row)
    }

    /// Takes out the row by which `packet` left through `exit`.
    #[inline]
    pub fn remove(&mut self, packet: ControllerId, exit: Port) -> Option<Row> {
        let entry = self.across(exit)?;
        self.remove_entered(packet, entry)
    }

    /// The valid rows, in the order of their entries.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        let entries = Port::ALL.into_iter().filter(|&entry| self.is_entry(entry));
        entries.filter_map(|entry| self.entered(self.packets[entry.index()], entry))
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
