//! Circuits that are reserved at one instant, and the release of circuits.
//!
//! # What it models
//! The reservation of a whole path at one instant. The result equals a reservation link by link with
//! [`Network::step`].
//!
//! # How
//! Each controller has a list of the exit ports of its circuit, router by router. The reservation tables of
//! the routers are not needed to follow this list. Their rows are written only on demand. The links of a
//! circuit are bits of one set, and are marked as taken or free together. After a hop-by-hop search the list
//! is rebuilt from the table rows.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.

use venice_kernel::{SimSpan, SimTime};

use super::circuit_storage::CircuitStorage;
use super::moves::Moves;
use super::table::{ReservationRow, ReservationTable};
use super::{ControllerId, Network, Scout};
use crate::noc::{LinkId, PathLinks, Port, PortSet, RouterId};

impl Network {
    /// Reserves the path that a scout has found.
    pub(super) fn lay(&mut self, scout: &Scout, now: SimTime) {
        let (packet, (start, port)) = (scout.packet, self.source(scout.packet));
        self.take_local(start, port);
        let Self { free, board, way, moves, laid, .. } = self;
        let CircuitStorage { exits, links, since, is_there } = &mut laid[packet.index()];
        (*since, *is_there) = (now, true);
        exits.clear();
        exits.extend(way.trail().iter().map(|past| past.exit));
        let goal = follow(start, exits, moves, free, links);
        board.take_all(links);
        self.entered[packet.index()].become_like(links.routers());
        self.reserved_count += exits.len() as u32;
        self.take_local(goal, Port::Chip);
    }

    /// Releases the circuit of a controller over its whole length.
    ///
    /// # Panics
    /// Panics if the controller has no circuit.
    pub fn release(&mut self, packet: ControllerId, now: SimTime) {
        if !self.broken.is_empty() {
            return self.release_link_by_link(packet, now);
        }
        if !self.laid[packet.index()].is_there {
            self.take_up(packet, now);
        }
        let (start, port) = self.source(packet);
        self.free_local(start, port);
        let Self { free, board, reserved_for, moves, laid, .. } = self;
        let CircuitStorage { exits, links, since, is_there } = &mut laid[packet.index()];
        *is_there = false;
        let span = now.since(*since);
        let goal = give_back(start, exits, moves, free, reserved_for, span);
        if !exits.is_empty() {
            board.give_back_all(links);
            self.freed.add(links.routers());
        }
        self.reserved_count -= exits.len() as u32;
        self.free_local(goal, Port::Chip);
    }

    /// Converts a circuit that was reserved hop by hop: removes its rows from the tables of the routers and
    /// stores it as a list of exit ports.
    fn take_up(&mut self, packet: ControllerId, now: SimTime) {
        let (mut at, mut entry) = self.source(packet);
        let Self { tables, board, since, reserved_for, moves, laid, .. } = self;
        let laid = &mut laid[packet.index()];
        laid.exits.clear();
        laid.since = now;
        let exits = &mut laid.exits;
        laid.links.follow(std::iter::from_fn(|| {
            let exit = leave(&mut tables[at.index()], packet, entry);
            if exit == Port::Chip {
                return None;
            }
            let end = moves.through(exit).from(at);
            reserved_for[end.place.index()] += now.since(since[end.place.index()]);
            exits.push(exit);
            (at, entry) = (end.router, end.port);
            Some(end.place)
        }));
        board.find_ends(&mut laid.links);
    }

    /// Releases a circuit link by link, which is necessary if links may have failed.
    fn release_link_by_link(&mut self, packet: ControllerId, now: SimTime) {
        self.write_rows(packet);
        let (mut at, mut entry) = self.source(packet);
        self.free_local(at, entry);
        loop {
            let exit = leave(&mut self.tables[at.index()], packet, entry);
            if exit == Port::Chip {
                return self.free_local(at, Port::Chip);
            }
            (at, entry) = self.free_link(at, exit, now);
        }
    }

    /// Returns the table rows that a circuit would have if it had been reserved hop by hop, each with its
    /// router. Returns nothing if the circuit has rows in the tables.
    fn rows_of(&self, packet: ControllerId) -> impl Iterator<Item = (RouterId, ReservationRow)> {
        let CircuitStorage { exits, is_there, .. } = &self.laid[packet.index()];
        let (mut at, mut entry) = self.source(packet);
        let exits = exits.iter().copied().chain([Port::Chip]).filter(|_| *is_there);
        exits.map(move |exit| {
            let row = (at, ReservationRow { packet, entry, exit });
            let end = self.moves.through(exit).from(at);
            (at, entry) = (end.router, end.port);
            row
        })
    }

    /// Writes the rows of a circuit to the tables of its routers, as if the circuit had been reserved hop by
    /// hop.
    pub(super) fn write_rows(&mut self, packet: ControllerId) {
        let rows: Vec<_> = self.rows_of(packet).collect();
        let laid = &mut self.laid[packet.index()];
        laid.is_there = false;
        let since = laid.since;
        for (at, row) in rows {
            self.insert_row(at, row);
            if row.exit != Port::Chip {
                let place = self.behind(at, row.exit).place;
                self.since[place.index()] = since;
            }
        }
    }

    /// Returns the reservation tables of all routers, in router order.
    pub fn tables(&self) -> Vec<ReservationTable> {
        let mut tables = self.tables.clone();
        for packet in (0..self.laid.len() as u32).map(ControllerId) {
            self.rows_of(packet).for_each(|(at, row)| tables[at.index()].insert(row));
        }
        tables
    }

    /// Returns the reserved links, each with the start of its reservation.
    pub(super) fn reservations(&self) -> impl Iterator<Item = (LinkId, SimTime)> {
        let packets = (0..self.laid.len() as u32).map(ControllerId);
        packets.flat_map(move |packet| {
            let CircuitStorage { since, is_there, .. } = self.laid[packet.index()];
            self.links_of(packet).into_iter().filter_map(move |(router, port)| {
                let place = self.behind(router, port).place;
                let since = if is_there { since } else { self.since[place.index()] };
                Some((self.mesh.link(router, port)?, since))
            })
        })
    }

    /// Returns the links of a controller's circuit or scout in order, each as a router and its exit port.
    pub fn links_of(&self, packet: ControllerId) -> Vec<(RouterId, Port)> {
        let (mut at, mut entry) = self.source(packet);
        let rows = self.rows_of(packet).filter(|(_, row)| row.exit != Port::Chip);
        let mut links: Vec<_> = rows.map(|(at, row)| (at, row.exit)).collect();
        if self.laid[packet.index()].is_there || self.free_ports(at).contains(entry) {
            return links;
        }
        let next = |at: RouterId, entry| {
            self.tables[at.index()].entered(packet, entry).filter(|row| row.exit != Port::Chip)
        };
        while let Some(row) = next(at, entry) {
            links.push((at, row.exit));
            (at, entry) = self.far_end(at, row.exit);
        }
        links
    }
}

/// Marks the ports of a path as occupied, and collects its links. Returns the last router.
#[inline]
fn follow(
    start: RouterId,
    exits: &[Port],
    moves: &Moves,
    free: &mut [PortSet],
    links: &mut PathLinks,
) -> RouterId {
    let mut at = start;
    links.follow(exits.iter().map(|&exit| {
        let through = moves.through(exit);
        let place = through.place(at);
        let here = &mut free[at.index()];
        *here = here.and(through.hop.others);
        at = through.hop.from(at);
        let there = &mut free[at.index()];
        *there = there.minus(through.hop.entries);
        place
    }));
    at
}

/// Marks the ports of a path as free and adds up the reserved time of its links. Returns the last router.
///
/// # Panics
///
/// Panics if one of the ports is already free.
#[inline]
fn give_back(
    start: RouterId,
    exits: &[Port],
    moves: &Moves,
    free: &mut [PortSet],
    reserved_for: &mut [SimSpan],
    span: SimSpan,
) -> RouterId {
    let (mut at, mut twice) = (start, PortSet::EMPTY);
    for &exit in exits {
        let through = moves.through(exit);
        reserved_for[through.place(at).index()] += span;
        let here = &mut free[at.index()];
        twice = twice.and_also(here.and(through.exits));
        *here = here.and_also(through.exits);
        at = through.hop.from(at);
        let there = &mut free[at.index()];
        *there = there.and_also(through.hop.entries);
    }
    assert!(twice.is_empty(), "a port is in one path at most");
    at
}

/// Removes the row of `packet` with entry port `entry`. Returns the exit port of this row.
#[inline]
fn leave(table: &mut ReservationTable, packet: ControllerId, entry: Port) -> Port {
    let row = table.remove_entered(packet, entry);
    row.expect("a circuit has a row in each router from its controller to its chip").exit
}
