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
//! n rows (n = number of controllers) therefore never overflows, whatever n is.
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

/// Rows that can be valid at once: half of five ports.
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table([Option<Row>; ROWS]);

impl Table {
    /// Adds a row.
    ///
    /// # Panics
    /// When one of its ports is in a row already: a port that is in use is never offered to a scout.
    #[inline]
    pub fn insert(&mut self, row: Row) {
        debug_assert!(self.across(row.entry).is_none() && self.across(row.exit).is_none());
        let slot = self.0.iter_mut().find(|slot| slot.is_none());
        *slot.expect("five ports fill two rows at most") = Some(row);
    }

    /// The port that is joined to `port`, whichever of the two was the entry.
    #[inline]
    pub fn across(&self, port: Port) -> Option<Port> {
        self.rows().find_map(|row| match port {
            port if port == row.entry => Some(row.exit),
            port if port == row.exit => Some(row.entry),
            _ => None,
        })
    }

    /// The row by which `packet` came in through `entry`.
    #[inline]
    pub fn entered(&self, packet: ControllerId, entry: Port) -> Option<Row> {
        self.rows().find(|row| row.packet == packet && row.entry == entry)
    }

    /// Takes out the row by which `packet` left through `exit`.
    #[inline]
    pub fn remove(&mut self, packet: ControllerId, exit: Port) -> Option<Row> {
        let is_it = |row: &Row| row.packet == packet && row.exit == exit;
        self.0.iter_mut().find(|slot| slot.as_ref().is_some_and(is_it))?.take()
    }

    /// The valid rows.
    #[inline]
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.0.iter().flatten().copied()
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
