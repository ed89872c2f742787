//! Joining the queue of a die and leaving it, and what is known of all queues where somebody asks.

use venice_kernel::SimTime;

use crate::geometry::{ChipId, DieId, PlaneId, Priority, TransactionId};
use crate::observe::{ChipQueue, ChipQueues};

use super::Ftl;
use crate::controller::lanes::{LANES, Lane, QUEUES};
use crate::work::Class;

/// Names of the classes of work in reports, in the order in which a die that collection does not press serves them.
const NAMES: [(Class, &str); 8] = [
    (Class::MappingRead, "mapping_reads"),
    (Class::HostRead, "host_reads"),
    (Class::MappingWrite, "mapping_writes"),
    (Class::HostWrite, "host_writes"),
    (Class::GcRead, "gc_reads"),
    (Class::GcWrite, "gc_writes"),
    (Class::GcErase, "erases"),
    (Class::Operand, "operands"),
];

/// A queue of a chip, and what it was like.
#[derive(Clone, Copy, Debug)]
pub struct NamedQueue {
    /// What waits in it.
    pub work: &'static str,
    /// Of which class, where the host's work waits by class.
    pub priority: Option<&'static str>,
    /// What was measured.
    pub queue: ChipQueue,
}

impl Ftl {
    /// From now on, which is the beginning of a run, what waits for each chip is measured.
    pub fn measure_queues(&mut self) {
        let (chips, planes) = (self.geometry.array.chips(), self.geometry.planes());
        self.chip_queues = Some(Box::new(ChipQueues::new(chips, QUEUES, planes)));
    }

    /// What was measured before now is forgotten.
    pub fn begin_measuring(&mut self, now: SimTime) {
        if let Some(queues) = &mut self.chip_queues {
            queues.restart(now);
        }
    }

    /// The queues of a chip, if they are measured: each class of work that a chip may have, and each priority class of the host's if
    /// these wait apart.
    pub fn queues_of(&self, chip: ChipId) -> Option<impl Iterator<Item = NamedQueue>> {
        let queues = self.chip_queues.as_ref()?.of(chip);
        let lanes = |class: Class| match class.kind() {
            Some(_) if !self.scheduling.has_one_lane() => LANES as u8,
            _ => 1,
        };
        let of_lane = move |(class, work): (Class, &'static str), number: u8, several: bool| NamedQueue {
            work,
            priority: several.then(|| Priority::ALL[usize::from(number)].name()),
            queue: queues[Lane { class, number }.place()],
        };
        Some(NAMES.into_iter().flat_map(move |named| {
            let lanes = lanes(named.0);
            (0..lanes).map(move |lane| of_lane(named, lane, lanes > 1))
        }))
    }

    /// A transaction waits for its die from now on.
    pub(super) fn wait_for_die(&mut self, id: TransactionId, now: SimTime) {
        let die = self.geometry.die_of(self.transactions.get(id).plane);
        if self.chip_queues.is_some() {
            self.note_joining(die, id, now);
        }
        self.join_queue(die, id);
    }

    #[cold]
    fn note_joining(&mut self, die: DieId, id: TransactionId, now: SimTime) {
        let place = (self.geometry.chip_of(die), Lane::of(self.transactions.get(id)).place());
        if let Some(queues) = &mut self.chip_queues {
            queues.joins(place, id, now);
        }
    }

    #[inline]
    fn join_queue(&mut self, die: DieId, id: TransactionId) {
        self.queues.push(&mut self.transactions, die, id);
        self.transactions_came = true;
        self.kick(die);
    }

    /// A transaction waits no longer.
    #[inline]
    pub(super) fn leave_queue(&mut self, die: DieId, id: TransactionId, now: SimTime) {
        if self.chip_queues.is_some() {
            self.note_leaving(die, id, now);
        }
        self.queues.remove(&mut self.transactions, die, id);
    }

    #[cold]
    fn note_leaving(&mut self, die: DieId, id: TransactionId, now: SimTime) {
        let place = (self.geometry.chip_of(die), Lane::of(self.transactions.get(id)).place());
        if let Some(queues) = &mut self.chip_queues {
            queues.leaves(place, id, now);
        }
    }

    /// A plane's collection begins. Its erase counts as waiting all the while, as in MQSim (Tavakkol et al., FAST 2018), where it
    /// stands in its queue from the beginning.
    pub(super) fn plan_erase(&mut self, plane: PlaneId, now: SimTime) {
        if let Some(queues) = &mut self.chip_queues {
            let chip = self.geometry.chip_of(self.geometry.die_of(plane));
            queues.erase_is_planned((chip, Lane::first_of(Class::GcErase).place()), plane, now);
        }
    }

    /// The erase at the end of a plane's collection waits for its die.
    pub(super) fn order_erase(&mut self, id: TransactionId) {
        let plane = self.transactions.get(id).plane;
        if let Some(queues) = &mut self.chip_queues {
            queues.erase_is_ordered(plane, id);
        }
        self.join_queue(self.geometry.die_of(plane), id);
    }
}
