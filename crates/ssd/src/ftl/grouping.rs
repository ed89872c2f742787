//! The host's reads and writes of a die as one queue, from which a command takes what uses most planes.
//!
//! For policies that ask for it ([`SchedulingPolicy::most_passes`](super::scheduling::SchedulingPolicy::most_passes)); what is
//! modelled, and after whom, says [`paq`](super::scheduling::paq).

use std::ops::Range;

use arrayvec::ArrayVec;
use venice_kernel::SimTime;

use crate::geometry::{DieId, TransactionId};

use super::transaction::Class;
use super::{Command, Ftl};

/// Transactions that a choice of a group looks at, at most; with `ftl.paq_most_passes` above 31 it sets no wider bound. Assumed: a
/// hardware queue of this depth.
const MOST_LOOKED_AT: usize = 64;

/// Whether it is a write, and the place of its page in the block where those of a command must agree.
type Key = (bool, Option<u32>);

/// Transactions that could be one command.
#[derive(Clone, Copy, Debug)]
struct Group {
    key: Key,
    lead: TransactionId,
    /// One bit each.
    planes: u32,
}

/// The oldest lead first.
type Groups = ArrayVec<Group, MOST_LOOKED_AT>;

/// A transaction joins its group, or leads one if it may.
fn add_to_groups(groups: &mut Groups, key: Key, plane: u32, may_lead: Option<TransactionId>) {
    if let Some(group) = groups.iter_mut().find(|group| group.key == key) {
        group.planes |= plane;
    } else if let Some(lead) = may_lead {
        groups.push(Group { key, lead, planes: plane });
    }
}

/// The host's reads stand for its writes, too.
const HOST: Class = Class::HostRead;
const HOST_FIRST: [Class; 7] = [
    Class::MappingRead,
    Class::Operand,
    Class::MappingWrite,
    HOST,
    Class::GcRead,
    Class::GcWrite,
    Class::GcErase,
];
const COLLECTION_FIRST: [Class; 7] = [
    Class::MappingRead,
    Class::GcRead,
    Class::GcWrite,
    Class::GcErase,
    Class::Operand,
    Class::MappingWrite,
    HOST,
];

/// The queues of what stands at a place of the order.
#[inline]
const fn queues_of(class: Class) -> u16 {
    match class {
        HOST => Class::HostRead.queues() | Class::HostWrite.queues(),
        _ => class.queues(),
    }
}

impl Ftl {
    /// The command that one of these idle dies should do next. Apart from the other policies' way, which is shorter.
    #[inline(never)]
    pub(super) fn next_group<R>(
        &mut self,
        dies: Range<u32>,
        (waiting, urgent): (u16, bool),
        is_readable: R,
        now: SimTime,
    ) -> Option<(DieId, Command)>
    where
        R: Fn(&Self, TransactionId) -> bool + Copy,
    {
        let order = if urgent || !self.settings.gc_yields_to_host { &COLLECTION_FIRST } else { &HOST_FIRST };
        let (die, lead) = order.iter().find_map(|&class| match class {
            _ if waiting & queues_of(class) == 0 => None,
            HOST => {
                let (die, oldest) = self.oldest_of_host(dies.clone(), is_readable)?;
                Some((die, self.lead_of_group(die, oldest, is_readable)))
            }
            _ => self.next_of_class(dies.clone(), (class, waiting), is_readable, now),
        })?;
        let class = self.transactions.get(lead).purpose.class();
        let classes = (class, self.joining_class(class, urgent));
        Some((die, self.command_from(die, classes, lead, is_readable)))
    }

    /// The group that starts leaves the oldest transaction behind, or takes it with it.
    pub(super) fn group_starts(&mut self, die: DieId, group: &[TransactionId]) {
        let is_of_host = |&id: &TransactionId| self.transactions.get(id).purpose.class().kind().is_some();
        if self.scheduling.most_passes().is_none() || !group.iter().any(is_of_host) {
            return;
        }
        if let Some((_, oldest)) = self.oldest_of_host(die.0..die.0 + 1, |_, _| true)
            && !group.contains(&oldest)
        {
            self.transactions.get_mut(oldest).passes += 1;
        }
    }

    /// The transaction of the host that has waited longest for one of these dies and can be done now.
    fn oldest_of_host(
        &self,
        dies: Range<u32>,
        is_readable: impl Fn(&Self, TransactionId) -> bool + Copy,
    ) -> Option<(DieId, TransactionId)> {
        let firsts = dies.map(DieId).flat_map(|die| {
            let read = self.first_readable(die, (Class::HostRead, 0), is_readable);
            let write = self.first_ready_write(die, (Class::HostWrite, 0));
            [read, write].into_iter().flatten().map(move |id| (die, id))
        });
        firsts.min_by_key(|&(_, id)| self.transactions.get(id).queued)
    }

    /// Of the oldest transactions, the one in whose group most planes have something to do.
    fn lead_of_group(
        &self,
        die: DieId,
        oldest: TransactionId,
        is_readable: impl Fn(&Self, TransactionId) -> bool,
    ) -> TransactionId {
        let most_passes = self.scheduling.most_passes().unwrap_or(0);
        let is_bound = self.transactions.get(oldest).passes >= most_passes;
        let has_choice = self.flash.multiplane && self.geometry.planes_per_die > 1;
        if is_bound || !has_choice || self.transactions.is_alone(die, oldest) {
            return oldest;
        }
        let groups = self.groups(die, most_passes, is_readable);
        let most = groups.iter().map(|group| group.planes.count_ones()).max();
        let best = groups.iter().find(|group| Some(group.planes.count_ones()) == most);
        best.map_or(oldest, |group| group.lead)
    }

    /// The groups that one of the oldest transactions of a die would lead; only the first if it uses every plane.
    fn groups(
        &self,
        die: DieId,
        most_passes: u32,
        is_readable: impl Fn(&Self, TransactionId) -> bool,
    ) -> Groups {
        let all = u32::MAX >> (32 - self.geometry.planes_per_die);
        let mut groups = Groups::new();
        let mut next =
            [Class::HostRead, Class::HostWrite].map(|class| self.transactions.first(die, class, 0));
        let mut found = 0;
        for _ in 0..(2 * most_passes as usize + 2).min(MOST_LOOKED_AT) {
            let Some(id) = self.take_older(&mut next) else { break };
            let is_write = self.transactions.get(id).purpose.class().is_write();
            let can_start = if is_write { self.may_program(id) } else { is_readable(self, id) };
            if can_start {
                let may_lead = (found <= most_passes).then_some(id);
                add_to_groups(&mut groups, self.packs_with(id), 1 << self.plane_in_die(id), may_lead);
                found += 1;
            }
            if groups.first().is_some_and(|oldest| oldest.planes == all) {
                break;
            }
        }
        groups
    }

    /// What transactions of one command have in common.
    fn packs_with(&self, id: TransactionId) -> Key {
        let is_write = self.transactions.get(id).purpose.class().is_write();
        let offset = if self.flash.multiplane_same_offset { self.offsets(id).0 } else { None };
        (is_write, offset)
    }

    /// Takes the older of the next read and the next write, whose place its successor takes.
    fn take_older(&self, next: &mut [Option<TransactionId>; 2]) -> Option<TransactionId> {
        let queued = |id: TransactionId| self.transactions.get(id).queued;
        let place = match *next {
            [Some(read), Some(write)] => usize::from(queued(write) < queued(read)),
            [read, _] => usize::from(read.is_none()),
        };
        let id = next[place]?;
        next[place] = self.transactions.after(id);
        Some(id)
    }
}
