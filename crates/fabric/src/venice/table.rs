//! Reservation table of a router.
//!
//! # What it models
//! Rows of (valid, packet id, entry port, exit port). A row connects two ports in both directions, so a
//! circuit can carry data either way.
//!
//! # How
//! The tables are the only record of a path that was reserved hop by hop, as in hardware: a circuit is found
//! by following its rows from the controller, and a scout returns by its own rows. A circuit that was
//! reserved at one instant is recorded in [`CircuitStorage`](super::circuit_storage::CircuitStorage) instead.
//! Its rows are written to the tables only when they are needed.
//!
//! A router of the paper needs at most two rows, since it has five ports and a port is in at most one row. In
//! column 0 the controller's port replaces that of the left neighbour. With a single controller the mesh is a
//! line, whose routers need one row. The paper's table with one row per controller therefore never overflows.
//! With doubled links and second controller ports a router of column 0 has up to eight ports, and up to four
//! rows.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.

use super::ControllerId;
use crate::noc::Port;

/// Maximum number of valid rows in a router of the Venice paper. It has five ports, and each row uses two.
pub const ROWS: usize = 2;

/// Valid row of a reservation table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservationRow {
    /// Packet id, which equals the number of the controller that owns the circuit or scout.
    pub packet: ControllerId,
    /// Entry port of the scout.
    pub entry: Port,
    /// Exit port of the scout.
    pub exit: Port,
}

/// Rows of one router's reservation table. Rows are indexed by port, since a port is in at most one row.
#[derive(Clone, Debug)]
pub struct ReservationTable {
    /// For each port that is in a row, the other port of that row.
    across: [Port; Port::ALL.len()],
    /// For each entry port, the packet id of its row.
    packets: [ControllerId; Port::ALL.len()],
}

/// Packet id that marks the absence of a row.
const UNRESERVED: ControllerId = ControllerId(u32::MAX);

impl Default for ReservationTable {
    fn default() -> Self {
        Self { across: Port::ALL, packets: [UNRESERVED; Port::ALL.len()] }
    }
}

impl ReservationTable {
    /// Adds a row.
    ///
    /// # Panics
    /// Panics in debug builds if one of the ports is already in a row. Free ports never are.
    #[inline]
    pub fn insert(&mut self, row: ReservationRow) {
        let ReservationRow { packet, entry, exit } = row;
        debug_assert!(self.across(entry).is_none() && self.across(exit).is_none());
        self.across[entry.index()] = exit;
        self.across[exit.index()] = entry;
        self.packets[entry.index()] = packet;
    }

    /// Returns the port that a row connects to `port`, in either direction.
    #[inline]
    pub fn across(&self, port: Port) -> Option<Port> {
        let other = self.across[port.index()];
        let is_joined = self.across[other.index()] == port && (self.is_entry(port) || self.is_entry(other));
        is_joined.then_some(other)
    }

    #[inline]
    fn is_entry(&self, port: Port) -> bool {
        self.packets[port.index()] != UNRESERVED
    }

    /// Returns the row of `packet` with entry port `entry`.
    #[inline]
    pub fn entered(&self, packet: ControllerId, entry: Port) -> Option<ReservationRow> {
        let row = ReservationRow { packet, entry, exit: self.across[entry.index()] };
        (self.packets[entry.index()] == packet).then_some(row)
    }

    /// Removes the row of `packet` with entry port `entry`.
    #[inline]
    pub fn remove_entered(&mut self, packet: ControllerId, entry: Port) -> Option<ReservationRow> {
        let row = self.entered(packet, entry)?;
        self.packets[entry.index()] = UNRESERVED;
        Some(row)
    }

    /// Removes the row of `packet` with exit port `exit`.
    #[inline]
    pub fn remove(&mut self, packet: ControllerId, exit: Port) -> Option<ReservationRow> {
        let entry = self.across(exit)?;
        self.remove_entered(packet, entry)
    }

    /// Iterates over the valid rows in the order of their entry ports.
    pub fn rows(&self) -> impl Iterator<Item = ReservationRow> {
        let entries = Port::ALL.into_iter().filter(|&entry| self.is_entry(entry));
        entries.filter_map(|entry| self.entered(self.packets[entry.index()], entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACROSS: ReservationRow =
        ReservationRow { packet: ControllerId(3), entry: Port::Left, exit: Port::Right };
    const ALONG: ReservationRow =
        ReservationRow { packet: ControllerId(3), entry: Port::Down, exit: Port::Up };

    #[test]
    fn a_row_joins_its_ports_in_both_directions() {
        let mut table = ReservationTable::default();
        table.insert(ACROSS);
        assert_eq!(table.across(Port::Left), Some(Port::Right));
        assert_eq!(table.across(Port::Right), Some(Port::Left));
        assert_eq!(table.across(Port::Up), None);
    }

    #[test]
    fn one_packet_may_cross_a_router_twice() {
        let mut table = ReservationTable::default();
        table.insert(ACROSS);
        table.insert(ALONG);
        assert_eq!(table.entered(ControllerId(3), Port::Down), Some(ALONG));
        assert_eq!(table.remove(ControllerId(3), Port::Right), Some(ACROSS));
        assert_eq!(table.rows().collect::<Vec<_>>(), [ALONG]);
    }

    #[test]
    fn a_row_answers_to_its_own_packet_only() {
        let mut table = ReservationTable::default();
        table.insert(ACROSS);
        assert_eq!(table.entered(ControllerId(2), Port::Left), None);
        assert_eq!(table.remove(ControllerId(2), Port::Right), None);
        assert_eq!(table.rows().count(), 1);
    }
}
