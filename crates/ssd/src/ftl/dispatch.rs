//! What an idle die does next, and what changes when it starts.

use std::ops::Range;

use arrayvec::ArrayVec;
use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{Stage, StageClock};
use crate::flash::Operation;
use crate::geometry::{DieId, Lpn, MAX_PLANES, PlaneId, Ppn, TransactionId};

use super::blocks::{Cause, KEPT_FOR_COLLECTION, Stream};
use super::scheduling::service_order;
use super::transaction::{Class, Origin, Purpose};
use super::{Ftl, UnwrittenData};

/// How far into a queue the controller looks for transactions that can join a multi-plane command:
/// bounds the work per command when thousands wait. Assumed; MQSim looks through the whole queue.
const MULTIPLANE_WINDOW: usize = 64;

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
}

impl Ftl {
    /// The command that one of these idle dies should do next, if any has work that can be done now:
    /// of the first class that has any, the transaction that has waited longest.
    /// Nothing changes but that moves which became needless are dropped.
    pub fn next_command(&mut self, dies: Range<u32>, now: SimTime) -> Option<(DieId, Command)> {
        let urgent = dies.clone().any(|die| self.collection_is_urgent(DieId(die)));
        let order = service_order(urgent, self.settings.gc_yields_to_host);
        for &class in order {
            if let Some((die, lead)) = self.longest_waiting(dies.clone(), class, now) {
                return Some((die, self.command_from(die, class, lead)));
            }
        }
        None
    }

    fn longest_waiting(
        &mut self,
        dies: Range<u32>,
        class: Class,
        now: SimTime,
    ) -> Option<(DieId, TransactionId)> {
        let mut longest: Option<(u64, DieId, TransactionId)> = None;
        for die in dies.map(DieId) {
            let Some(id) = self.first_ready(die, class, now) else { continue };
            let queued = self.transactions.get(id).queued;
            if longest.is_none_or(|(before, _, _)| queued < before) {
                longest = Some((queued, die, id));
            }
        }
        longest.map(|(_, die, id)| (die, id))
    }

    /// The command was accepted by the fabric: its transactions leave their queue, pages to be
    /// programmed are given out. Returns how long the array will work.
    pub fn start(&mut self, die: DieId, command: &Command, now: SimTime) -> SimSpan {
        let several = u64::from(command.batch.len() > 1);
        match command.operation {
            Operation::Read => self.counters.multiplane_reads += several,
            Operation::Program => self.counters.multiplane_programs += several,
            Operation::Erase => {}
        }
        let mut array_time = SimSpan::ZERO;
        for &id in &command.batch {
            self.transactions.dequeue(die, id);
            array_time = array_time.max(self.start_one(id, now));
        }
        array_time
    }

    /// The bytes that this transaction's data out moves.
    #[inline]
    pub fn bytes_out(&self, id: TransactionId) -> u32 {
        self.transactions.get(id).bytes
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
        let transaction = self.transactions.get_mut(id);
        let mut ready = ready;
        if let Purpose::HostWrite(_) = transaction.purpose {
            ready = ready.max(self.blocks.plane(transaction.plane).writable_since);
        }
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

    /// A transaction whose search for a path failed: all time up to now was path wait.
    pub fn charge_path_wait(&mut self, id: TransactionId, now: SimTime) {
        let transaction = self.transactions.get_mut(id);
        transaction.clock.charge(Stage::PathWait, now);
        transaction.conflicted = true;
    }

    fn collection_is_urgent(&self, die: DieId) -> bool {
        let planes = self.geometry.planes_per_die;
        (die.0 * planes..(die.0 + 1) * planes).map(PlaneId).any(|plane| {
            self.blocks.plane(plane).collection.is_some() && self.blocks.free(plane) <= KEPT_FOR_COLLECTION
        })
    }

    fn first_ready(&mut self, die: DieId, class: Class, now: SimTime) -> Option<TransactionId> {
        match class {
            Class::GcRead | Class::GcWrite => self.first_needed_move(die, class, now),
            Class::HostWrite => self.first_write_with_room(die, class, Stream::Host),
            Class::MappingWrite => self.first_write_with_room(die, class, Stream::Mapping),
            Class::MappingRead | Class::HostRead | Class::GcErase => self.transactions.first(die, class),
        }
    }

    fn first_write_with_room(&self, die: DieId, class: Class, stream: Stream) -> Option<TransactionId> {
        let mut place = self.transactions.first(die, class)?;
        let planes = self.geometry.planes_per_die;
        let has_room = |plane| self.blocks.next_offset(plane, stream).is_some();
        if !(die.0 * planes..(die.0 + 1) * planes).map(PlaneId).any(has_room) {
            return None;
        }
        while !has_room(self.transactions.get(place).plane) {
            place = self.transactions.after(place)?;
        }
        Some(place)
    }

    fn stream_of(&self, id: TransactionId) -> Option<(PlaneId, Stream)> {
        let transaction = self.transactions.get(id);
        match transaction.purpose {
            Purpose::HostWrite(_) => Some((transaction.plane, Stream::Host)),
            Purpose::MappingWrite => Some((transaction.plane, Stream::Mapping)),
            Purpose::GcWrite => Some((transaction.plane, Stream::Collection)),
            _ => None,
        }
    }

    /// The page offset that must agree among the planes of a command; erases have none.
    fn offset(&self, id: TransactionId) -> Option<u32> {
        let transaction = self.transactions.get(id);
        match (self.stream_of(id), transaction.purpose, transaction.ppn) {
            (Some((plane, stream)), _, _) => self.blocks.next_offset(plane, stream),
            (None, Purpose::GcErase, _) | (None, _, None) => None,
            (None, _, Some(ppn)) => Some(self.geometry.page_offset(ppn)),
        }
    }

    fn command_from(&self, die: DieId, class: Class, lead: TransactionId) -> Command {
        let batch = self.join_planes(die, class, lead);
        let index = batch.len() - 1;
        let commands = &self.flash.commands;
        let bytes = batch.iter().map(|&id| self.transactions.get(id).bytes).sum();
        let (operation, command, bytes) = match class {
            Class::MappingRead | Class::HostRead | Class::GcRead => {
                (Operation::Read, commands.read[index], 0)
            }
            Class::MappingWrite | Class::HostWrite | Class::GcWrite => {
                (Operation::Program, commands.program[index], bytes)
            }
            Class::GcErase => (Operation::Erase, commands.erase[index], 0),
        };
        Command { operation, batch, command, bytes }
    }

    /// The lead and, for each other plane of the die, the first that can join it.
    fn join_planes(
        &self,
        die: DieId,
        class: Class,
        lead: TransactionId,
    ) -> ArrayVec<TransactionId, MAX_PLANES> {
        let mut batch = ArrayVec::new();
        batch.push(lead);
        let most = self.geometry.planes_per_die as usize;
        if !self.flash.multiplane || most == 1 {
            return batch;
        }
        let mut used = 1_u32 << self.plane_in_die(lead);
        let offset = self.offset(lead);
        let mut place = self.transactions.first(die, class);
        for _ in 0..MULTIPLANE_WINDOW {
            let (Some(id), true) = (place, batch.len() < most) else { break };
            let plane = 1 << self.plane_in_die(id);
            if used & plane == 0 && self.may_join(id, offset) {
                used |= plane;
                batch.push(id);
            }
            place = self.transactions.after(id);
        }
        batch
    }

    fn may_join(&self, id: TransactionId, offset: Option<u32>) -> bool {
        let ready = match self.stream_of(id) {
            Some((plane, stream)) => self.blocks.next_offset(plane, stream).is_some(),
            None => true,
        };
        let same = !self.flash.multiplane_same_offset || self.offset(id) == offset;
        ready && same && !self.is_needless(id)
    }

    #[inline]
    fn plane_in_die(&self, id: TransactionId) -> u32 {
        self.transactions.get(id).plane.0 % self.geometry.planes_per_die
    }

    fn start_one(&mut self, id: TransactionId, now: SimTime) -> SimSpan {
        let transaction = *self.transactions.get(id);
        match (transaction.purpose, transaction.lpn, transaction.ppn) {
            (Purpose::HostWrite(origin), Some(lpn), _) => self.start_host_program(id, origin, lpn, now),
            (Purpose::MappingWrite, Some(lpn), _) => {
                let ppn = self.start_mapping_program(id, lpn, now);
                self.program_time(ppn)
            }
            (Purpose::GcWrite, Some(lpn), Some(from)) => self.start_move(id, lpn, from, now),
            (Purpose::GcErase, _, _) => self.flash.array.erase,
            (_, _, Some(ppn)) => {
                self.counters.reads += 1;
                page_time(&self.flash.array.read, self.geometry.page_offset(ppn))
            }
            _ => unreachable!("a transaction lacks its page: {transaction:?}"),
        }
    }

    fn start_host_program(&mut self, id: TransactionId, origin: Origin, lpn: Lpn, now: SimTime) -> SimSpan {
        let plane = self.transactions.get(id).plane;
        let ppn = self.blocks.allocate(plane, Stream::Host).expect("a ready write has room");
        let transaction = self.transactions.get_mut(id);
        transaction.ppn = Some(ppn);
        if self.settings.unwritten_data == UnwrittenData::Absent {
            let (sectors, whole) = (transaction.sectors, self.whole_page());
            self.map.set_written_sectors(lpn, sectors, whole);
        }
        self.counters.host_programs += 1;
        if let Some(audit) = &mut self.audit {
            match origin {
                Origin::Request(_) => audit.host_programs(lpn, ppn),
                Origin::Cache(destage) => audit.destage_programs(destage, lpn, ppn),
            }
        }
        self.remap(lpn, ppn, now);
        self.mapping_changed(lpn, now);
        self.program_time(ppn)
    }

    fn start_move(&mut self, id: TransactionId, lpn: Lpn, from: Ppn, now: SimTime) -> SimSpan {
        let plane = self.plane_of(from);
        let to = self.blocks.allocate(plane, Stream::Collection).expect("room is kept for moves");
        if let Some(collection) = &mut self.blocks.plane_mut(plane).collection {
            collection.unplaced -= 1;
            match collection.cause {
                Cause::Space => self.counters.gc_moves += 1,
                Cause::Wear => self.counters.wear_moves += 1,
            }
        }
        self.transactions.get_mut(id).ppn = Some(to);
        if let Some(audit) = &mut self.audit {
            audit.collection_programs(from, to);
        }
        // `remap` takes the page out of its old plane's count, but it stays in the same plane.
        if !self.is_translation_page(lpn) {
            self.commit(lpn, plane, 1);
        }
        self.remap(lpn, to, now);
        self.mapping_moved(lpn);
        self.program_time(to)
    }

    pub(super) fn remap(&mut self, lpn: Lpn, to: Ppn, now: SimTime) {
        let Some(old) = self.map.remap(lpn, to) else { return };
        self.blocks.invalidate(old);
        let plane = self.plane_of(old);
        // Room for translation pages is set aside once and for all.
        if !self.is_translation_page(lpn) {
            self.commit(lpn, plane, -1);
            self.place_waiting_write(lpn, now);
        }
        if plane != self.plane_of(to) {
            // A plane that had nothing worth collecting may have now.
            self.collect_if_short(plane, now);
        }
    }

    fn program_time(&mut self, ppn: Ppn) -> SimSpan {
        self.counters.programs += 1;
        page_time(&self.flash.array.program, self.geometry.page_offset(ppn))
    }
}

/// The time of a page type: pages of a block cycle through the bits of a cell.
#[inline]
fn page_time(times: &[SimSpan], offset: u32) -> SimSpan {
    times[offset as usize % times.len()]
}
