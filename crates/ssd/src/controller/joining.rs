//! Which transactions share a multi-plane command.

use arrayvec::ArrayVec;

use crate::chip::Operation;
use crate::geometry::{DieId, MAX_PLANES, PlaneId, TransactionId, remainder};

use super::blocks::Stream;
use super::{Command, Ftl, PageAllocation};
use crate::controller::lanes::Lane;
use crate::controller::partners::Kinship;
use crate::work::Class;

impl Ftl {
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
        takes_one || self.queues.is_alone(&self.transactions, die, lead)
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
        let own = Lane { class, number: self.transactions.get(lead).lane };
        let others = second.into_iter().flat_map(|class| self.lanes(class));
        let joins = |ftl: &Self, batch: &[TransactionId], id| {
            ftl.may_join(id, offsets) && !ftl.has_page_of(batch, id) && is_readable(ftl, id)
        };
        for lane in std::iter::once(own).chain(others) {
            if batch.len() == most || !self.may_have_partners(die, lane.class, lead) {
                continue;
            }
            if self.queues.has_chains(die, lane) {
                self.join_from_chains((die, lane), offsets.0, &mut batch, joins);
            } else {
                let out_of_step = self.planes_out_of_step(die, lane.class, offsets.0);
                self.join_from_queue((die, lane), out_of_step, &mut batch, joins);
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
        (die, lane): (DieId, Lane),
        out: u32,
        batch: &mut ArrayVec<TransactionId, MAX_PLANES>,
        joins: impl Fn(&Self, &[TransactionId], TransactionId) -> bool,
    ) {
        let most = self.geometry.planes_per_die as usize;
        let mut used = self.planes_of(batch) | out;
        if used.count_ones() as usize == most {
            return;
        }
        let mut place = self.queues.first(die, lane);
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
        (die, lane): (DieId, Lane),
        offset: Option<u32>,
        batch: &mut ArrayVec<TransactionId, MAX_PLANES>,
        joins: impl Fn(&Self, &[TransactionId], TransactionId) -> bool,
    ) {
        let used = self.planes_of(batch);
        let free = (0..self.geometry.planes_per_die).filter(|plane| used >> plane & 1 == 0);
        let first = |plane: u32, batch: &[TransactionId]| {
            let id = self.first_of_kin((die, lane), plane, offset, |id| joins(self, batch, id))?;
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
        (die, lane): (DieId, Lane),
        plane_in_die: u32,
        offset: Option<u32>,
        fits: impl Fn(TransactionId) -> bool,
    ) -> Option<TransactionId> {
        let first = |kinship| self.queues.kin(die, lane, plane_in_die, kinship).find(|&id| fits(id));
        let plane = PlaneId(die.0 * self.geometry.planes_per_die + plane_in_die);
        let is_due = |&stream: &u16| {
            let next = match lane.class {
                Class::GcErase => return true,
                Class::HostWrite => Stream::Host(stream),
                Class::MappingWrite => Stream::Mapping(0),
                _ if stream == 0 => self.blocks.stream_of_moves(plane),
                _ => Stream::Guest,
            };
            self.blocks.next_offset(plane, next).is_some_and(|next| self.can_be_at(offset, next))
        };
        let streams = match lane.class {
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
}
