//! What an idle die does next, and what changes when it starts.

use std::ops::Range;

use arrayvec::ArrayVec;
use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{Stage, StageClock};
use crate::chip::{ArrayWork, DataFor, DieWork, Operation};
use crate::geometry::{DieId, Lpn, MAX_PLANES, PlaneId, Ppn, TransactionId, remainder};

use super::blocks::Stream;
use super::host_queues::QueuesOf;
use super::partners::Kinship;
use super::scheduling::{Kind, LANES, Rank, joining_class, service_order};
use super::transaction::{Class, Purpose, Transaction};
use super::{Ftl, PageAllocation};

/// Queues of moves, and of reads of the map.
const MOVES_OR_MAP: u16 =
    Class::GcRead.queues() | Class::GcWrite.queues() | Class::GcErase.queues() | Class::MappingRead.queues();

/// A flash command for one die: one transaction for each plane it uses.
#[derive(Clone, Debug)]
pub struct Command {
    /// What the array will do.
    pub operation: Operation,
    /// The transactions, in the order in which their data crosses the fabric.
    pub batch: ArrayVec<TransactionId, MAX_PLANES>,
    /// Wire time of the command cycles.
    pub command: SimSpan,
    /// Bytes that travel with the command: the data to be programmed.
    pub bytes: u32,
    /// Whether nobody but collection waits for it.
    pub of_collection: bool,
}

/// A page that moves from one chip to another: of collection, or an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedPage {
    /// How many bytes of it.
    pub bytes: u32,
    /// The die that it lies on, or lay on.
    pub from: DieId,
}

impl Ftl {
    /// The command that one of these idle dies should do next, if any has work that can be done now:
    /// of the first class that has any, the transaction that has waited longest.
    /// Nothing changes but that moves which became needless are dropped.
    pub fn next_command(&mut self, dies: Range<u32>, now: SimTime) -> Option<(DieId, Command)> {
        self.next_readable(dies, |_, _| true, now)
    }

    /// The same beside transactions that are suspended, or about to be: the pages that they program cannot
    /// be read.
    pub fn next_command_beside(
        &mut self,
        dies: Range<u32>,
        beside: &[TransactionId],
        now: SimTime,
    ) -> Option<(DieId, Command)> {
        self.next_readable(dies, |ftl, read| !ftl.is_in_the_making(read, beside), now)
    }

    /// A function of its own for each of the two, so that the question costs nothing when nothing is suspended.
    fn next_readable<R>(&mut self, dies: Range<u32>, is_readable: R, now: SimTime) -> Option<(DieId, Command)>
    where
        R: Fn(&Self, TransactionId) -> bool + Copy,
    {
        if self.scheduling.looks_everywhere() {
            return self.look(dies, is_readable, now);
        }
        let waiting = self.waiting(dies.clone());
        if waiting == 0 {
            return None;
        }
        // It matters only to moves, and to reads of the map, which moves may join.
        let urgent =
            waiting & MOVES_OR_MAP != 0 && dies.clone().any(|die| self.collection_is_urgent(DieId(die)));
        let order = if let Some(only) = Class::of_only(waiting) {
            std::slice::from_ref(only)
        } else {
            let collection_first = urgent || !self.settings.gc_yields_to_host;
            service_order(collection_first, self.scheduling.host_order())
        };
        for &Rank { class, queues } in order {
            if waiting & queues == 0 {
                continue;
            }
            let next = match class.kind() {
                Some(kind) if !self.scheduling.is_by_arrival() => {
                    self.chosen_of_host(dies.clone(), kind, is_readable)
                }
                _ => {
                    self.longest_waiting(dies.clone(), (class, 0), is_readable, now).map(|next| (class, next))
                }
            };
            if let Some((class, (die, lead))) = next {
                let classes = (class, self.joining_class(class, urgent));
                return Some((die, self.command_from(die, classes, lead, is_readable)));
            }
        }
        None
    }

    /// The transaction of the host that the policy chooses for these dies, and its class.
    #[inline(never)]
    fn chosen_of_host<R>(
        &mut self,
        dies: Range<u32>,
        kind: Kind,
        is_readable: R,
    ) -> Option<(Class, (DieId, TransactionId))>
    where
        R: Fn(&Self, TransactionId) -> bool + Copy,
    {
        let server = self.server_of(DieId(dies.start));
        let mut policy = self.scheduling.take();
        let chosen = policy.choose(server, kind, &QueuesOf { ftl: self, dies, is_readable });
        self.scheduling = policy;
        chosen.map(|(die, lead)| (self.transactions.get(lead).purpose.class(), (die, lead)))
    }

    /// The policy learns what starts.
    #[inline(never)]
    fn tell_policy(&mut self, die: DieId, batch: &[TransactionId]) {
        let kind = self.transactions.get(batch[0]).purpose.class().kind();
        let server = self.server_of(die);
        let mut policy = self.scheduling.take();
        let queues = QueuesOf { ftl: self, dies: die.0..die.0 + 1, is_readable: |_: &Self, _| true };
        policy.started(server, kind, (die, batch), &queues);
        self.scheduling = policy;
    }

    /// Whether something waits for a die.
    #[inline]
    pub fn waits_for(&self, die: DieId) -> bool {
        self.transactions.waiting(die) != 0
    }

    /// The queues of these dies in which something waits.
    #[inline]
    pub(super) fn waiting(&self, dies: Range<u32>) -> u16 {
        dies.fold(0, |set, die| set | self.transactions.waiting(DieId(die)))
    }

    /// The class that fills up multi-plane commands of another. A copyback is no program like others.
    pub(super) fn joining_class(&self, class: Class, urgent: bool) -> Option<Class> {
        let writes = matches!(class, Class::HostWrite | Class::GcWrite);
        joining_class(class, urgent).filter(|_| !(writes && self.settings.gc_copyback))
    }

    /// The die, or the first one of a chip whose dies take turns.
    pub(super) fn server_of(&self, die: DieId) -> u32 {
        match self.flash.die_work {
            DieWork::Independent => die.0,
            DieWork::OneAtATime => die.0 - remainder(die.0, self.geometry.dies_per_chip),
        }
    }

    /// The lanes that a class may have work in.
    fn lanes(&self, class: Class) -> Range<u8> {
        let several = class.kind().is_some() && !self.scheduling.has_one_lane();
        0..if several { LANES as u8 } else { 1 }
    }

    pub(super) fn longest_waiting(
        &mut self,
        dies: Range<u32>,
        class: (Class, u8),
        is_readable: impl Fn(&Self, TransactionId) -> bool + Copy,
        now: SimTime,
    ) -> Option<(DieId, TransactionId)> {
        let mut longest: Option<(DieId, TransactionId)> = None;
        for die in dies.map(DieId) {
            let Some(id) = self.first_ready(die, class, is_readable, now) else { continue };
            let queued = |id| self.transactions.get(id).queued;
            if longest.is_none_or(|(_, before)| queued(id) < queued(before)) {
                longest = Some((die, id));
            }
        }
        longest
    }

    /// The command was accepted by the fabric: its transactions leave their queue, pages to be
    /// programmed are given out. Returns how long the array will work.
    pub fn start(&mut self, die: DieId, command: &Command, now: SimTime) -> ArrayWork {
        let several = u64::from(command.batch.len() > 1);
        match command.operation {
            Operation::Read => {
                self.counters.read_commands += 1;
                self.counters.multiplane_reads += several;
            }
            Operation::Program => {
                self.counters.program_commands += 1;
                self.counters.multiplane_programs += several;
            }
            Operation::Copyback => {
                self.counters.read_commands += 1;
                self.counters.program_commands += 1;
                self.counters.multiplane_reads += several;
                self.counters.multiplane_programs += several;
            }
            Operation::Erase => {
                self.counters.erase_commands += 1;
                self.counters.multiplane_erases += several;
            }
            Operation::Combine => self.counters.read_commands += u64::from(command.bytes == 0),
        }
        if !self.scheduling.is_by_arrival() {
            self.tell_policy(die, &command.batch);
        }
        let mut work = ArrayWork::default();
        for &id in &command.batch {
            self.leave_queue(die, id, now);
            work = work.max(self.start_one(id, now));
        }
        work
    }

    /// Since when a transaction has been waiting for its die.
    #[inline]
    pub fn waits_since(&self, id: TransactionId) -> SimTime {
        self.transactions.get(id).clock.mark
    }

    /// The bytes that this transaction's data out moves.
    #[inline]
    pub fn bytes_out(&self, id: TransactionId) -> u32 {
        self.transactions.get(id).bytes
    }

    /// What a transaction moves, if it is a page of collection or an operand.
    #[inline]
    pub fn moved_page(&self, id: TransactionId) -> Option<MovedPage> {
        let transaction = self.transactions.get(id);
        let is_move = matches!(
            transaction.purpose,
            Purpose::GcRead | Purpose::GcWrite | Purpose::OperandRead(_) | Purpose::OperandLoad(_)
        );
        let from = self.geometry.die_of(transaction.collected);
        is_move.then_some(MovedPage { bytes: transaction.bytes, from })
    }

    /// Who waits for what a transaction reads.
    #[inline]
    pub fn data_for(&self, id: TransactionId) -> DataFor {
        match self.transactions.get(id).purpose.class() {
            Class::MappingRead => DataFor::Map,
            Class::GcRead => DataFor::Collection,
            _ => DataFor::Host,
        }
    }

    /// A transaction's stage clock, for charging.
    #[inline]
    pub fn clock_mut(&mut self, id: TransactionId) -> &mut StageClock {
        &mut self.transactions.get_mut(id).clock
    }

    /// Splits a transaction's wait for its transfer, which starts now: up to `ready` its chip was
    /// not ready, after that no path was. A write is not ready before its plane has room.
    /// Says whether the transfer met a path conflict.
    #[inline]
    pub fn charge_wait(&mut self, id: TransactionId, ready: SimTime, now: SimTime) -> bool {
        let transaction = self.transactions.get(id);
        let mut ready = ready;
        if let (Purpose::HostWrite(_), false) = (transaction.purpose, transaction.placed) {
            ready = ready.max(self.blocks.plane(transaction.plane).writable_since);
        }
        self.charge_wait_since(id, ready, now)
    }

    /// The same for a transaction that has its page.
    #[inline]
    pub fn charge_wait_since(&mut self, id: TransactionId, ready: SimTime, now: SimTime) -> bool {
        let transaction = self.transactions.get_mut(id);
        transaction.clock.charge_until(Stage::ChipWait, ready.min(now));
        let conflict = now > transaction.clock.mark;
        transaction.clock.charge(Stage::PathWait, now);
        transaction.conflicted |= conflict;
        conflict
    }

    /// Gives a transfer's time, which ends now: to the path wait inside the fabric, and the rest to
    /// the transfer.
    #[inline]
    pub fn charge_transfer(&mut self, id: TransactionId, path_wait: SimSpan, now: SimTime) {
        let transaction = self.transactions.get_mut(id);
        let waited_until = transaction.clock.mark + path_wait;
        transaction.clock.charge_until(Stage::PathWait, waited_until);
        transaction.clock.charge(Stage::Transfer, now);
        transaction.conflicted |= !path_wait.is_zero();
    }

    /// Since when a transaction has been asked for.
    pub fn asked_since(&self, id: TransactionId) -> SimTime {
        let clock = &self.transactions.get(id).clock;
        SimTime::from_ps(clock.mark.as_ps() - clock.total().as_ps())
    }

    /// A transaction whose search for a path failed: all time up to now was path wait.
    pub fn charge_path_wait(&mut self, id: TransactionId, now: SimTime) {
        let transaction = self.transactions.get_mut(id);
        transaction.clock.charge(Stage::PathWait, now);
        transaction.conflicted = true;
    }

    pub(super) fn collection_is_urgent(&self, die: DieId) -> bool {
        let planes = self.geometry.planes_per_die;
        (die.0 * planes..(die.0 + 1) * planes).map(PlaneId).any(|plane| {
            self.blocks.plane(plane).collection.is_some()
                && self.blocks.free(plane) < self.settings.gc_hard_free_blocks
        }) || (self.moves_leave() && self.has_urgent_guest(die))
    }

    fn first_ready(
        &mut self,
        die: DieId,
        (class, lane): (Class, u8),
        is_readable: impl Fn(&Self, TransactionId) -> bool,
        now: SimTime,
    ) -> Option<TransactionId> {
        match class {
            Class::GcRead | Class::GcWrite => self.first_needed_move(die, class, now),
            Class::HostWrite | Class::MappingWrite => self.first_ready_write(die, (class, lane)),
            Class::MappingRead | Class::HostRead | Class::Operand => {
                self.first_readable(die, (class, lane), is_readable)
            }
            Class::GcErase => self.transactions.first(die, class, lane),
        }
    }

    pub(super) fn first_readable(
        &self,
        die: DieId,
        (class, lane): (Class, u8),
        is_readable: impl Fn(&Self, TransactionId) -> bool,
    ) -> Option<TransactionId> {
        let mut place = self.transactions.first(die, class, lane)?;
        while !is_readable(self, place) {
            place = self.transactions.after(place)?;
        }
        Some(place)
    }

    /// Whether a read is of a page that one of these transactions programs.
    fn is_in_the_making(&self, read: TransactionId, beside: &[TransactionId]) -> bool {
        let read = self.transactions.get(read);
        read.pins_block && beside.iter().any(|&id| self.transactions.get(id).ppn == read.ppn)
    }

    /// The first write of a queue that can start.
    pub(super) fn first_ready_write(&self, die: DieId, (class, lane): (Class, u8)) -> Option<TransactionId> {
        let mut place = self.transactions.first(die, class, lane)?;
        if !self.settings.page_allocation.is_early() && !self.has_room(die) {
            return None;
        }
        while !self.may_program(place) || self.is_needless(place) {
            place = self.transactions.after(place)?;
        }
        Some(place)
    }

    /// Whether the host or the map can write to any plane of a die.
    fn has_room(&self, die: DieId) -> bool {
        let planes = self.geometry.planes_per_die;
        let has_room = |plane| self.blocks.next_offset(PlaneId(plane), Stream::Mapping(0)).is_some();
        (die.0 * planes..(die.0 + 1) * planes).any(has_room)
    }

    /// Whether a write can start: one that has its page when it is its turn and its data are at hand,
    /// others when there is room.
    #[inline]
    pub(super) fn may_program(&self, id: TransactionId) -> bool {
        let write = self.transactions.get(id);
        match write.ppn {
            Some(ppn) if write.placed => !write.waits_for_read && self.is_its_turn(write.turn, ppn),
            _ => self.may_take_page(write.plane, self.stream_of(id)) && self.may_be_guest(id),
        }
    }

    /// Whether the plane of a move that leaves its own takes it now; of others there is no question.
    #[inline]
    fn may_be_guest(&self, id: TransactionId) -> bool {
        if !self.moves_leave() || !self.is_guest(id) {
            return true;
        }
        let write = self.transactions.get(id);
        write.lpn.is_some_and(|lpn| !self.is_full_of_guests(write.plane, lpn))
    }

    /// Whether a program can start with the next page of a stream.
    #[inline]
    pub(super) fn may_take_page(&self, plane: PlaneId, stream: Stream) -> bool {
        let has_room = self.blocks.next_offset(plane, stream).is_some();
        let asks_for_turn = self.settings.page_allocation == PageAllocation::AtArrival;
        has_room && (!asks_for_turn || self.blocks.is_next_program_due(plane, stream))
    }

    #[inline]
    fn is_its_turn(&self, turn: u32, ppn: Ppn) -> bool {
        self.settings.page_allocation == PageAllocation::AtArrivalAnyOrder
            || self.blocks.block(self.geometry.block_of(ppn)).started_programs == turn
    }

    /// Whose pages a write takes.
    #[inline]
    pub(super) fn stream_of(&self, id: TransactionId) -> Stream {
        let write = self.transactions.get(id);
        match write.purpose {
            Purpose::MappingWrite => Stream::Mapping(0),
            Purpose::GcWrite if write.plane != write.collected => Stream::Guest,
            Purpose::GcWrite => self.blocks.stream_of_moves(write.plane),
            _ => Stream::Host(write.stream),
        }
    }

    /// The page offsets that must agree among the planes of a command: of the page it reads or programs, and,
    /// of a copyback, of the page it comes from. Erases have none.
    pub(super) fn offsets(&self, id: TransactionId) -> (Option<u32>, Option<u32>) {
        let transaction = self.transactions.get(id);
        let of_page = transaction.ppn.map(|ppn| self.geometry.page_offset(ppn));
        match transaction.purpose.class() {
            Class::GcErase => (None, None),
            class if class.is_write() && !transaction.placed => {
                let next = self.blocks.next_offset(transaction.plane, self.stream_of(id));
                (next, of_page.filter(|_| self.settings.gc_copyback))
            }
            _ => (of_page, None),
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "twice called, it would be a call in the way of every command")]
    pub(super) fn command_from(
        &self,
        die: DieId,
        classes: (Class, Option<Class>),
        lead: TransactionId,
        is_readable: impl Fn(&Self, TransactionId) -> bool,
    ) -> Command {
        let class = classes.0;
        let batch = if self.goes_alone(die, class, lead) {
            std::iter::once(lead).collect()
        } else {
            self.join_planes(die, classes, lead, is_readable)
        };
        let index = batch.len() - 1;
        let commands = &self.flash.commands;
        let bytes = batch.iter().map(|&id| self.transactions.get(id).bytes).sum();
        let (operation, command, bytes) = match class {
            Class::GcWrite if self.settings.gc_copyback => (Operation::Copyback, commands.read[index], 0),
            Class::MappingRead | Class::HostRead | Class::GcRead => {
                (Operation::Read, commands.read[index], 0)
            }
            Class::MappingWrite | Class::HostWrite | Class::GcWrite => {
                (Operation::Program, commands.program[index], bytes)
            }
            Class::GcErase => (Operation::Erase, commands.erase[index], 0),
            Class::Operand if self.is_sensed_in_place(lead) => (Operation::Combine, commands.read[index], 0),
            Class::Operand => (Operation::Combine, commands.program[index], bytes),
        };
        let of_collection = matches!(class, Class::GcRead | Class::GcWrite | Class::GcErase);
        Command { operation, batch, command, bytes, of_collection }
    }

    /// Whether no other transaction can be of a command.
    #[inline]
    fn goes_alone(&self, die: DieId, class: Class, lead: TransactionId) -> bool {
        let takes_one =
            !self.flash.multiplane || self.geometry.planes_per_die == 1 || class == Class::Operand;
        takes_one || self.transactions.is_alone(die, lead)
    }

    /// The lead and, for each other plane of the die, the first of its class, or else of the second,
    /// that can join it.
    fn join_planes(
        &self,
        die: DieId,
        (class, second): (Class, Option<Class>),
        lead: TransactionId,
        is_readable: impl Fn(&Self, TransactionId) -> bool,
    ) -> ArrayVec<TransactionId, MAX_PLANES> {
        let mut batch = ArrayVec::new();
        batch.push(lead);
        let most = self.geometry.planes_per_die as usize;
        let offsets = self.offsets(lead);
        let own = (class, self.transactions.get(lead).lane);
        let others = second.into_iter().flat_map(|class| self.lanes(class).map(move |lane| (class, lane)));
        let joins = |ftl: &Self, batch: &[TransactionId], id| {
            ftl.may_join(id, offsets) && !ftl.has_page_of(batch, id) && is_readable(ftl, id)
        };
        for (class, lane) in std::iter::once(own).chain(others) {
            if batch.len() == most || !self.may_have_partners(die, class, lead) {
                continue;
            }
            if self.transactions.has_chains(die, class, lane) {
                self.join_from_chains((die, class, lane), offsets.0, &mut batch, joins);
            } else {
                let out_of_step = self.planes_out_of_step(die, class, offsets.0);
                self.join_from_queue((die, class, lane), out_of_step, &mut batch, joins);
            }
        }
        batch
    }

    /// Planes of a die, one bit each, on which no transaction of this class is at a page offset. It is known of writes of one stream
    /// that have no page yet: they all get the next one of their plane.
    #[inline]
    fn planes_out_of_step(&self, die: DieId, class: Class, offset: Option<u32>) -> u32 {
        let share_next_page = class == Class::HostWrite
            && self.settings.page_allocation == PageAllocation::AtStart
            && self.settings.write_streams == 1;
        if !share_next_page || !self.flash.multiplane_same_offset {
            return 0;
        }
        let planes = self.geometry.planes_per_die;
        let next = |plane| self.blocks.next_offset(PlaneId(die.0 * planes + plane), Stream::Host(0));
        (0..planes).filter(|&plane| next(plane) != offset).fold(0, |set, plane| set | 1 << plane)
    }

    /// Joins what fits from a queue, for each plane that is free the first; none of planes that are left `out`.
    fn join_from_queue(
        &self,
        (die, class, lane): (DieId, Class, u8),
        out: u32,
        batch: &mut ArrayVec<TransactionId, MAX_PLANES>,
        joins: impl Fn(&Self, &[TransactionId], TransactionId) -> bool,
    ) {
        let most = self.geometry.planes_per_die as usize;
        let mut used = self.planes_of(batch) | out;
        if used.count_ones() as usize == most {
            return;
        }
        let mut place = self.transactions.first(die, class, lane);
        while let Some(id) = place.filter(|_| batch.len() < most) {
            let plane = 1 << self.plane_in_die(id);
            if used & plane == 0 && joins(self, batch, id) {
                used |= plane;
                batch.push(id);
            }
            place = self.transactions.after(id);
        }
    }

    /// The same from the chains of a long queue.
    fn join_from_chains(
        &self,
        queue: (DieId, Class, u8),
        offset: Option<u32>,
        batch: &mut ArrayVec<TransactionId, MAX_PLANES>,
        joins: impl Fn(&Self, &[TransactionId], TransactionId) -> bool,
    ) {
        let used = self.planes_of(batch);
        let free = (0..self.geometry.planes_per_die).filter(|plane| used >> plane & 1 == 0);
        let first = |plane: u32, batch: &[TransactionId]| {
            let id = self.first_of_kin(queue, plane, offset, |id| joins(self, batch, id))?;
            Some((self.transactions.get(id).queued, plane, id))
        };
        let mut firsts: ArrayVec<_, MAX_PLANES> = free.filter_map(|plane| first(plane, batch)).collect();
        while let Some((place, &(_, plane, id))) = firsts.iter().enumerate().min_by_key(|(_, first)| first.0)
        {
            firsts.swap_remove(place);
            // Only what joined before it can be in its way now.
            if joins(self, batch, id) {
                batch.push(id);
            } else {
                firsts.extend(first(plane, batch));
            }
        }
    }

    /// Of a plane's transactions in a long queue that are, or will be, at a page offset, the longest waiting that fits.
    fn first_of_kin(
        &self,
        queue: (DieId, Class, u8),
        plane_in_die: u32,
        offset: Option<u32>,
        fits: impl Fn(TransactionId) -> bool,
    ) -> Option<TransactionId> {
        let first = |kinship| self.transactions.kin(queue, plane_in_die, kinship).find(|&id| fits(id));
        let (die, class, _) = queue;
        let plane = PlaneId(die.0 * self.geometry.planes_per_die + plane_in_die);
        let is_due = |&stream: &u16| {
            let next = match class {
                Class::GcErase => return true,
                Class::HostWrite => Stream::Host(stream),
                Class::MappingWrite => Stream::Mapping(0),
                _ if stream == 0 => self.blocks.stream_of_moves(plane),
                _ => Stream::Guest,
            };
            self.blocks.next_offset(plane, next).is_some_and(|next| self.can_be_at(offset, next))
        };
        let streams = match class {
            Class::HostWrite => self.settings.write_streams,
            Class::GcWrite => 2,
            class => u16::from(class.is_write() || class == Class::GcErase),
        };
        let placed = offset.and_then(|offset| first(Kinship::Page(offset)));
        let unplaced = (0..streams).filter(is_due).filter_map(|stream| first(Kinship::Stream(stream)));
        placed.into_iter().chain(unplaced).min_by_key(|&id| self.transactions.get(id).queued)
    }

    fn can_be_at(&self, offset: Option<u32>, next: u32) -> bool {
        !self.flash.multiplane_same_offset || offset == Some(next)
    }

    /// The planes of these transactions, one bit each.
    fn planes_of(&self, batch: &[TransactionId]) -> u32 {
        batch.iter().fold(0, |set, &id| set | 1 << self.plane_in_die(id))
    }

    /// Whether a queue can have transactions of other planes than the lead's. A plane's moves are of its own collection,
    /// unless they leave.
    fn may_have_partners(&self, die: DieId, class: Class, lead: TransactionId) -> bool {
        if !matches!(class, Class::GcRead | Class::GcWrite | Class::GcErase) || self.moves_leave() {
            return true;
        }
        let planes = self.geometry.planes_per_die;
        let own = self.transactions.get(lead).plane;
        let mut others = (die.0 * planes..(die.0 + 1) * planes).map(PlaneId).filter(|&plane| plane != own);
        others.any(|plane| self.blocks.plane(plane).collection.is_some())
    }

    /// Whether a command already works on the logical page of this transaction: a move must not start
    /// together with a write that makes it needless.
    fn has_page_of(&self, batch: &[TransactionId], id: TransactionId) -> bool {
        let lpn = self.transactions.get(id).lpn;
        lpn.is_some() && batch.iter().any(|&other| self.transactions.get(other).lpn == lpn)
    }

    fn may_join(&self, id: TransactionId, offsets: (Option<u32>, Option<u32>)) -> bool {
        let ready = !self.transactions.get(id).purpose.class().is_write() || self.may_program(id);
        let same = !self.flash.multiplane_same_offset || self.offsets(id) == offsets;
        ready && same && !self.is_needless(id)
    }

    #[inline]
    pub(super) fn plane_in_die(&self, id: TransactionId) -> u32 {
        remainder(self.transactions.get(id).plane.0, self.geometry.planes_per_die)
    }

    pub(super) fn start_one(&mut self, id: TransactionId, now: SimTime) -> ArrayWork {
        let Transaction { purpose, lpn, ppn, placed, .. } = *self.transactions.get(id);
        let first = match (purpose, lpn, ppn) {
            (Purpose::HostWrite(_), _, Some(ppn)) if placed => {
                self.counters.host_programs += 1;
                self.program_started(ppn)
            }
            (Purpose::HostWrite(_), Some(lpn), _) => {
                self.counters.host_programs += 1;
                let ppn = self.give_host_page(id, lpn, now);
                self.program_started(ppn)
            }
            (Purpose::MappingWrite, Some(page), ppn) => {
                let given = ppn.unwrap_or_else(|| self.give_mapping_page(id, page, now));
                self.mapping_program_started(page);
                self.program_started(given)
            }
            (Purpose::GcWrite, Some(lpn), Some(from)) if self.settings.gc_copyback => {
                self.counters.copybacks += 1;
                let first = self.read_time(from);
                let to = self.give_move_page(id, lpn, from, now);
                return ArrayWork { first, program: self.program_started(to) };
            }
            (Purpose::GcWrite, Some(lpn), Some(ppn)) => {
                let given = if placed { ppn } else { self.give_move_page(id, lpn, ppn, now) };
                self.program_started(given)
            }
            (Purpose::OperandLoad(gather), _, _) => self.combination_begins(gather),
            (Purpose::OperandSense(gather), _, Some(ppn)) => {
                self.audit_read_begins(id, ppn);
                self.read_time(ppn) + self.combination_begins(gather)
            }
            (Purpose::GcErase, _, _) => {
                self.audit_erase(ppn);
                self.flash.array.erase
            }
            (_, _, Some(ppn)) => {
                self.audit_read_begins(id, ppn);
                self.read_time(ppn)
            }
            _ => unreachable!("a transaction lacks its page: {:?}", self.transactions.get(id)),
        };
        ArrayWork { first, program: SimSpan::ZERO }
    }

    #[inline]
    fn audit_read_begins(&mut self, id: TransactionId, ppn: Ppn) {
        let Some(audit) = &mut self.audit else { return };
        let read = self.transactions.get(id);
        if read.pins_block || read.purpose == Purpose::GcRead {
            audit.read_begins(ppn);
        }
    }

    fn audit_erase(&mut self, page: Option<Ppn>) {
        if let (Some(audit), Some(ppn)) = (&mut self.audit, page) {
            audit.erase_begins(self.geometry.block_of(ppn));
        }
    }

    fn read_time(&mut self, ppn: Ppn) -> SimSpan {
        self.counters.reads += 1;
        self.flash.array.read_of(self.geometry.page_offset(ppn))
    }

    pub(super) fn remap(&mut self, lpn: Lpn, to: Ppn, now: SimTime) {
        let old = self.map.remap(lpn, to);
        self.moved(lpn, old, to, now);
    }

    /// A logical page that was at `old`, if anywhere, is at `to` now.
    #[inline]
    pub(super) fn moved(&mut self, lpn: Lpn, old: Option<Ppn>, to: Ppn, now: SimTime) {
        let Some(old) = old else {
            if self.has_lost_chips() {
                self.count_new_guest(lpn, to);
            }
            return;
        };
        self.blocks.invalidate(old);
        let plane = self.plane_of(old);
        // Room for translation pages is set aside once and for all.
        if !self.is_translation_page(lpn) {
            self.count_guest(lpn, old, to);
            self.commit(lpn, plane, -1);
            if !self.settings.page_allocation.is_early() {
                self.place_waiting_write(lpn, now);
            }
        }
        if plane != self.plane_of(to) {
            // A plane that had nothing worth collecting may have now.
            self.collect_if_short(plane, now);
        }
    }

    /// The program of a page starts. Says how long it takes.
    fn program_started(&mut self, ppn: Ppn) -> SimSpan {
        self.counters.programs += 1;
        self.blocks.block_mut(self.geometry.block_of(ppn)).started_programs += 1;
        if let Some(audit) = &mut self.audit {
            audit.program_started(ppn);
        }
        self.flash.array.program_of(self.geometry.page_offset(ppn))
    }
}
