//! Search for transactions on other planes that can join a multi-plane command.

use arrayvec::ArrayVec;
use venice_nand::chip::Operation;
use venice_nand::geometry::{MAX_PLANES, PlaneId, TransactionId};
use venice_nand::transactions::{Purpose, Transaction, TransactionClass, Transactions};

use super::command::{Command, LeadTransaction, TransactionBatch};
use super::lanes::{DieLane, QueueSet};
use super::legality::{Legality, OffsetRule};
use super::partners::PartnerKey;
use super::ready_queues::ReadyQueues;

impl<L: Legality, R: Fn(&Transactions, &Transaction) -> bool> ReadyQueues<'_, L, R> {
    /// Sets operation, times and number of bytes of a command from its transactions. `class` is the class of
    /// the lead transaction, which was selected first.
    pub(super) fn describe(&self, command: &mut Command, class: TransactionClass) {
        let (lead, index) = (command.batch[0], command.batch.len() - 1);
        let times = &self.rules.commands;
        let bytes = || command.batch.iter().map(|&id| self.get(id).bytes).sum();
        let is_sensed = || matches!(self.get(lead).purpose, Purpose::OperandSense(_));
        let (operation, time, bytes) = match class {
            TransactionClass::GcWrite if self.rules.settings.copyback => {
                (Operation::Copyback, times.read[index], 0)
            }
            TransactionClass::MappingRead
            | TransactionClass::HostRead
            | TransactionClass::GcRead
            | TransactionClass::Scrub => (Operation::Read, times.read[index], 0),
            TransactionClass::MappingWrite | TransactionClass::HostWrite | TransactionClass::GcWrite => {
                (Operation::Program, times.program[index], bytes())
            }
            TransactionClass::GcErase => (Operation::Erase, times.erase[index], 0),
            TransactionClass::Operand if is_sensed() => (Operation::Combine, times.read[index], 0),
            TransactionClass::Operand => (Operation::Combine, times.program[index], bytes()),
            TransactionClass::Search => (Operation::Search, times.read[index], bytes()),
        };
        (command.operation, command.command, command.bytes) = (operation, time, bytes);
        command.is_background = matches!(
            class,
            TransactionClass::GcRead
                | TransactionClass::GcWrite
                | TransactionClass::GcErase
                | TransactionClass::Scrub
        );
    }

    /// Returns true if no other transaction can share the command of `lead`.
    #[inline]
    pub(super) fn goes_alone(&self, &LeadTransaction { die, id, class, .. }: &LeadTransaction) -> bool {
        let takes_one = self.rules.planes_of_a_command == 1
            || matches!(
                class,
                TransactionClass::Operand | TransactionClass::Search | TransactionClass::Scrub
            );
        takes_one || self.queues.is_alone(self.all, die, id) || self.rules.is_partial_read(self.get(id))
    }

    /// Adds transactions of other planes to the command of `lead`. `has_one_lane` is true if all transactions
    /// of a class wait in its first lane.
    pub(super) fn fill_up(&self, lead: &LeadTransaction, has_one_lane: bool, batch: &mut TransactionBatch) {
        let offsets = self.legality.offsets(self.get(lead.id));
        PartnerSearch { ready: self, lead, offsets }.fill(batch, has_one_lane);
    }
}

/// State of a search for transactions that can join the command of a lead transaction.
struct PartnerSearch<'a, 'b, L, R> {
    ready: &'a ReadyQueues<'b, L, R>,
    lead: &'a LeadTransaction,
    /// Page offsets that all transactions of the command must have.
    offsets: OffsetRule,
}

impl<L: Legality, R: Fn(&Transactions, &Transaction) -> bool> PartnerSearch<'_, '_, L, R> {
    /// Adds the first suitable transaction for each other plane of the die. Transactions of the lead's class
    /// are preferred to those of the second class that may share the command.
    fn fill(&self, batch: &mut TransactionBatch, has_one_lane: bool) {
        let &LeadTransaction { id, class, urgent, .. } = self.lead;
        self.fill_from(DieLane::new(class, self.ready.get(id).lane), batch);
        let waiting = self.ready.queues.waiting(self.lead.die);
        if let Some(second) = self.ready.rules.joining_class(class, urgent)
            && waiting.meets(QueueSet::of(second))
        {
            for lane in DieLane::all_of(second, has_one_lane).filter(|&lane| waiting.has(lane)) {
                self.fill_from(lane, batch);
            }
        }
    }

    /// Adds the first suitable transaction of a queue for each other plane of the die that is still unused.
    fn fill_from(&self, lane: DieLane, batch: &mut TransactionBatch) {
        if batch.len() == self.most() || !self.may_have_partners(lane.class()) {
            return;
        }
        if self.ready.queues.has_chains(self.lead.die, lane) {
            self.join_from_chains(lane, batch);
        } else {
            self.join_from_queue(lane, self.planes_out_of_step(lane.class()), batch);
        }
    }

    const fn most(&self) -> usize {
        self.ready.rules.planes_of_a_command as usize
    }

    /// Returns a bit set of the planes of the die on which no transaction of `class` can have the lead's page
    /// offset. The set is known in advance only if all host writes belong to one stream and are allocated
    /// when they start, because each then gets the next page of its plane.
    #[inline]
    fn planes_out_of_step(&self, class: TransactionClass) -> u32 {
        let rules = self.ready.rules;
        if class != TransactionClass::HostWrite || !rules.host_shares_next_page || !rules.offsets_agree {
            return 0;
        }
        let next = |plane| self.ready.legality.next_offset(PlaneId(plane), class, 0);
        let planes = (0_u32..).zip(rules.planes(self.lead.die));
        let out = planes.filter(|&(_, plane)| next(plane) != self.offsets.page);
        out.fold(0, |set, (place, _)| set | 1 << place)
    }

    /// Adds the first suitable transaction of a queue for each unused plane. Skips the planes in the bit set
    /// `out`.
    fn join_from_queue(&self, lane: DieLane, out: u32, batch: &mut TransactionBatch) {
        let mut used = self.planes_of(batch) | out;
        if used == u32::MAX >> (u32::BITS - self.ready.rules.planes_of_a_command) {
            return;
        }
        let mut place = self.ready.queues.first(self.lead.die, lane);
        while let Some(id) = place.filter(|_| batch.len() < self.most()) {
            let transaction = self.ready.get(id);
            let plane = 1 << self.ready.rules.place_of(transaction.plane);
            if used & plane == 0 && self.joins(batch, transaction) {
                used |= plane;
                batch.push(id);
            }
            place = self.ready.all.after(id);
        }
    }

    /// Adds the first suitable transaction of a long queue for each unused plane. The transactions are found
    /// by chains (lists by plane and page offset).
    fn join_from_chains(&self, lane: DieLane, batch: &mut TransactionBatch) {
        let used = self.planes_of(batch);
        let free = (0..self.ready.rules.planes_per_die).filter(|plane| used >> plane & 1 == 0);
        let first = |plane: u32, batch: &[TransactionId]| {
            let id = self.first_of_kin(lane, plane, |id| self.joins(batch, self.ready.get(id)))?;
            Some((self.ready.get(id).queued, plane, id))
        };
        let mut firsts: ArrayVec<_, MAX_PLANES> = free.filter_map(|plane| first(plane, batch)).collect();
        while let Some((place, &(_, plane, id))) = firsts.iter().enumerate().min_by_key(|(_, first)| first.0)
        {
            firsts.swap_remove(place);
            // A transaction added in the meantime may exclude this one.
            if self.joins(batch, self.ready.get(id)) {
                batch.push(id);
            } else {
                firsts.extend(first(plane, batch));
            }
        }
    }

    /// Returns the oldest suitable transaction of a plane in a long queue. The offset of the transaction's
    /// page, known or expected, must equal the offset of the lead's page.
    fn first_of_kin(
        &self,
        lane: DieLane,
        plane_in_die: u32,
        fits: impl Fn(TransactionId) -> bool,
    ) -> Option<TransactionId> {
        let LeadTransaction { die, .. } = *self.lead;
        let settings = &self.ready.rules.settings;
        let first =
            |partner_key| self.ready.queues.kin(die, lane, plane_in_die, partner_key).find(|&id| fits(id));
        let plane = PlaneId(die.0 * self.ready.rules.planes_per_die + plane_in_die);
        let is_due = |&stream: &u16| {
            lane.class() == TransactionClass::GcErase
                || self
                    .ready
                    .legality
                    .next_offset(plane, lane.class(), stream)
                    .is_some_and(|next| self.can_be_at(next))
        };
        let streams = match lane.class() {
            TransactionClass::HostWrite => settings.streams,
            TransactionClass::GcWrite => 2,
            class => u16::from(class.is_write() || class == TransactionClass::GcErase),
        };
        let placed = self.offsets.page.and_then(|offset| first(PartnerKey::Page(offset)));
        let unplaced = (0..streams).filter(is_due).filter_map(|stream| first(PartnerKey::Stream(stream)));
        placed.into_iter().chain(unplaced).min_by_key(|&id| self.ready.get(id).queued)
    }

    fn can_be_at(&self, next: u32) -> bool {
        !self.ready.rules.offsets_agree || self.offsets.page == Some(next)
    }

    /// Returns the planes of the batch's transactions as a bit set of the planes of the die.
    fn planes_of(&self, batch: &[TransactionId]) -> u32 {
        batch.iter().fold(0, |set, &id| set | 1 << self.ready.rules.place_of(self.ready.get(id).plane))
    }

    /// Returns true if the queue of a class can contain transactions of other planes than the lead's.
    /// Relocations of a plane serve its own garbage collection, unless pages may move to other planes.
    fn may_have_partners(&self, class: TransactionClass) -> bool {
        let of_collection =
            matches!(class, TransactionClass::GcRead | TransactionClass::GcWrite | TransactionClass::GcErase);
        if !of_collection || self.ready.rules.settings.moves_leave {
            return true;
        }
        let own = self.ready.get(self.lead.id).plane;
        let mut others = self.ready.rules.planes(self.lead.die).map(PlaneId).filter(|&plane| plane != own);
        others.any(|plane| self.ready.legality.is_collected(plane))
    }

    /// Returns true if the streams of two transactions permit a common command. Reads and erases have no
    /// streams. Writes must have the stream of the transaction that starts the command.
    fn is_of_stream(&self, joining: &Transaction) -> bool {
        let lead = self.ready.get(self.lead.id);
        let class = lead.purpose.class();
        !class.is_write() || (class == joining.purpose.class() && lead.stream == joining.stream)
    }

    /// Returns true if a transaction can be added to the command of the lead and `batch`.
    fn joins(&self, batch: &[TransactionId], joining: &Transaction) -> bool {
        self.is_legal(joining)
            && (!self.ready.rules.settings.by_line || self.is_of_stream(joining))
            && !self.has_page_of(batch, joining)
            && (self.ready.is_readable)(self.ready.all, joining)
    }

    fn is_legal(&self, joining: &Transaction) -> bool {
        let legality = self.ready.legality;
        let can_start = !joining.purpose.class().is_write() || legality.can_program(joining);
        let agrees = !self.ready.rules.offsets_agree || legality.offsets(joining) == self.offsets;
        let is_partial = self.ready.rules.is_partial_read(joining);
        can_start && agrees && !is_partial && !legality.is_needless(joining)
    }

    /// Returns true if the batch contains a transaction for the same logical page. A relocation must not
    /// start together with a write that makes it unnecessary.
    fn has_page_of(&self, batch: &[TransactionId], joining: &Transaction) -> bool {
        let lpn = joining.lpn;
        lpn.is_some() && batch.iter().any(|&other| self.ready.get(other).lpn == lpn)
    }
}
