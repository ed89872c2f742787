//! What can start now: room, turns, needless moves. The controller asks it when it chooses what a die does next.

use std::ops::Range;

use venice_kernel::SimTime;

use crate::controller::queues::{Command, Found, Lead, Legality, Offsets, Search};
use crate::geometry::{DieId, PlaneId, TransactionId};
use crate::work::{Class, PageState, Purpose, Transaction, Transactions};

use super::Ftl;
use super::moving::take_back_move;
use super::space::Stream;

impl Legality for Ftl {
    #[inline]
    fn collection_is_urgent(&self, die: DieId) -> bool {
        self.collector.is_urgent(&self.space, die)
    }

    #[inline]
    fn is_urgent(&self, moved: &Transaction) -> bool {
        self.collector.is_pressed(&self.space, moved.collected)
    }

    #[inline]
    fn is_collected(&self, plane: PlaneId) -> bool {
        self.space.blocks.planes[plane].collection.is_some()
    }

    #[inline]
    fn has_room(&self, die: DieId) -> bool {
        self.space.has_room(die)
    }

    fn can_program(&self, write: &Transaction) -> bool {
        match write.page {
            PageState::Given { ppn, turn, waits_for_read } => {
                !waits_for_read && self.space.is_its_turn(turn, ppn)
            }
            _ => may_take_page(self, write),
        }
    }

    #[inline]
    fn is_needless(&self, transaction: &Transaction) -> bool {
        match transaction.page {
            PageState::From(ppn) => self.translation.map.logical(ppn) != transaction.lpn,
            _ => false,
        }
    }

    #[inline]
    fn is_obsolete(&self, moved: &Transaction) -> bool {
        self.is_needless(moved)
            || self.collector.destinations.has_no_room(&self.space, &self.translation, moved)
    }

    #[inline]
    fn offsets(&self, transaction: &Transaction) -> Offsets {
        let at = |ppn| Some(self.geometry.page_offset(ppn));
        match transaction.page {
            PageState::At { .. } if transaction.purpose == Purpose::GcErase => Offsets::default(),
            PageState::At { ppn, .. } | PageState::Given { ppn, .. } => {
                Offsets { page: at(ppn), source: None }
            }
            PageState::From(ppn) if transaction.purpose == Purpose::GcRead => {
                Offsets { page: at(ppn), source: None }
            }
            PageState::From(ppn) => Offsets {
                page: next_of(self, transaction),
                source: at(ppn).filter(|_| self.collector.is_copyback()),
            },
            PageState::Unknown if transaction.purpose.class().is_write() => {
                Offsets { page: next_of(self, transaction), source: None }
            }
            PageState::Unknown => Offsets::default(),
        }
    }

    #[inline]
    fn next_offset(&self, plane: PlaneId, class: Class, stream: u16) -> Option<u32> {
        let next = match class {
            Class::HostWrite => Stream::Host(stream),
            Class::MappingWrite => Stream::Mapping(0),
            _ if stream == 0 => self.space.blocks.stream_of_moves(plane),
            _ => Stream::Guest,
        };
        self.space.blocks.next_offset(plane, next)
    }
}

impl Ftl {
    /// Forms the command that one of these idle dies should do next, if any has work that can be done now.
    /// Nothing changes but that moves are taken back which became needless.
    pub(super) fn next_readable(
        &mut self,
        dies: Range<u32>,
        is_readable: impl Fn(&Transactions, &Transaction) -> bool + Copy,
        command: &mut Command,
        now: SimTime,
    ) -> Option<DieId> {
        let mut search = self.queues.search(dies, &self.transactions, self)?;
        let lead = match self.queues.find(&mut search, &self.transactions, self, is_readable) {
            Found::Nothing => return None,
            Found::Lead(lead) => lead,
            Found::Obsolete(die, id) => search_on(self, search, die, id, is_readable, now)?,
        };
        self.queues.form(&lead, &self.transactions, self, is_readable, command);
        Some(lead.die)
    }
}

/// Goes on with a search that has found an obsolete move, which is taken back.
fn search_on(
    ftl: &mut Ftl,
    mut search: Search,
    mut die: DieId,
    mut id: TransactionId,
    is_readable: impl Fn(&Transactions, &Transaction) -> bool + Copy,
    now: SimTime,
) -> Option<Lead> {
    loop {
        take_back_move(ftl, die, id, now);
        match ftl.queues.find(&mut search, &ftl.transactions, ftl, is_readable) {
            Found::Nothing => return None,
            Found::Lead(lead) => return Some(lead),
            Found::Obsolete(next, of_it) => (die, id) = (next, of_it),
        }
    }
}

/// The offset of the page that a write gets which has none yet.
fn next_of(ftl: &Ftl, write: &Transaction) -> Option<u32> {
    ftl.space.blocks.next_offset(write.plane, ftl.space.stream_of(write))
}

/// Whether a write that has no page yet may take one.
fn may_take_page(ftl: &Ftl, write: &Transaction) -> bool {
    let Ftl { space, translation, collector, .. } = ftl;
    space.may_take_page(write.plane, space.stream_of(write))
        && collector.destinations.may_program(space, &translation.addresses, write)
}
