//! Rules that determine which transactions the controller may start: free pages, program order, obsolete
//! moves.

use std::ops::Range;

use venice_kernel::SimTime;
use venice_nand::geometry::{DieId, PlaneId, TransactionId};
use venice_nand::transactions::{PageState, Purpose, Transaction, TransactionClass, Transactions};

use crate::controller::queues::{
    Command, CommandSearch, FoundCommand, LeadTransaction, Legality, OffsetRule,
};

use crate::ftl::Pump;
use crate::ftl::shared::Shared;
use crate::ftl::space::WriteStream;

impl Legality for Pump {
    #[inline]
    fn collection_is_urgent(&self, die: DieId) -> bool {
        self.collector.is_urgent(&self.shared.space, die)
    }

    #[inline]
    fn collects_only_due_data(&self, die: DieId) -> bool {
        self.collector.collects_only_due_data(&self.shared.space, die)
    }

    #[inline]
    fn is_urgent(&self, moved: &Transaction) -> bool {
        self.collector.is_pressed(&self.shared.space, moved.collected)
    }

    #[inline]
    fn is_collected(&self, plane: PlaneId) -> bool {
        self.shared.space.blocks.planes[plane].collection.is_some()
    }

    #[inline]
    fn has_room(&self, die: DieId) -> bool {
        self.shared.space.has_room(die)
    }

    fn can_program(&self, write: &Transaction) -> bool {
        match write.page {
            PageState::Given { ppn, turn, waits_for_read } => {
                !waits_for_read && self.shared.space.is_its_turn(turn, ppn)
            }
            _ => self.collector.may_take_page(&self.shared, write),
        }
    }

    #[inline]
    fn is_needless(&self, transaction: &Transaction) -> bool {
        self.shared.is_outdated(transaction)
    }

    #[inline]
    fn is_obsolete(&self, moved: &Transaction) -> bool {
        self.is_needless(moved)
            || self.collector.destinations.has_no_room(&self.shared.space, &self.shared.translation, moved)
    }

    #[inline]
    fn offsets(&self, transaction: &Transaction) -> OffsetRule {
        let at = |ppn| Some(self.shared.page_offset(ppn));
        match transaction.page {
            PageState::At { .. } if transaction.purpose == Purpose::GcErase => OffsetRule::default(),
            PageState::At { ppn, .. } | PageState::Given { ppn, .. } => {
                OffsetRule { page: at(ppn), source: None }
            }
            PageState::From(ppn) if transaction.purpose == Purpose::GcRead => {
                OffsetRule { page: at(ppn), source: None }
            }
            PageState::From(ppn) => OffsetRule {
                page: next_offset_of(&self.shared, transaction),
                source: at(ppn).filter(|_| self.collector.is_copyback()),
            },
            PageState::Unknown if transaction.purpose.class().is_write() => {
                OffsetRule { page: next_offset_of(&self.shared, transaction), source: None }
            }
            PageState::Unknown => OffsetRule::default(),
        }
    }

    #[inline]
    fn next_offset(&self, plane: PlaneId, class: TransactionClass, stream: u16) -> Option<u32> {
        let next = match class {
            TransactionClass::HostWrite => WriteStream::Host(stream),
            TransactionClass::MappingWrite => WriteStream::Mapping(0),
            _ if stream == 0 => self.shared.space.blocks.stream_of_moves(plane),
            _ => WriteStream::Guest,
        };
        self.shared.next_page_offset(plane, next)
    }
}

impl Pump {
    /// Forms the next command for one of the idle `dies`, if one can be started. The state does not change,
    /// except that obsolete moves are removed.
    pub(in crate::ftl) fn next_readable(
        &mut self,
        dies: Range<u32>,
        is_readable: impl Fn(&Transactions, &Transaction) -> bool + Copy,
        command: &mut Command,
        now: SimTime,
    ) -> Option<DieId> {
        let Shared { queues, transactions, .. } = &self.shared;
        let mut search = queues.search(dies, transactions, self)?;
        let lead = match queues.find(&mut search, transactions, self, is_readable) {
            FoundCommand::Nothing => return None,
            FoundCommand::Lead(lead) => lead,
            FoundCommand::Obsolete(die, id) => self.search_on(search, die, id, is_readable, now)?,
        };
        self.shared.queues.form(&lead, &self.shared.transactions, self, is_readable, command);
        Some(lead.die)
    }

    /// Cancels or redirects the obsolete move that the search has found, and continues the search.
    fn search_on(
        &mut self,
        mut search: CommandSearch,
        mut die: DieId,
        mut id: TransactionId,
        is_readable: impl Fn(&Transactions, &Transaction) -> bool + Copy,
        now: SimTime,
    ) -> Option<LeadTransaction> {
        loop {
            self.collector.take_back(&mut self.shared, die, id, now);
            self.run_tasks(now);
            match self.shared.queues.find(&mut search, &self.shared.transactions, self, is_readable) {
                FoundCommand::Nothing => return None,
                FoundCommand::Lead(lead) => return Some(lead),
                FoundCommand::Obsolete(next, of_it) => (die, id) = (next, of_it),
            }
        }
    }
}

/// Returns the offset within its block of the page that a write would get if it were started now.
#[inline]
fn next_offset_of(shared: &Shared, write: &Transaction) -> Option<u32> {
    shared.next_page_offset(write.plane, shared.space.stream_of(write))
}
