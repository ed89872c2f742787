//! What waits for each chip, where somebody asks.

use venice_kernel::SimTime;

use crate::geometry::{ChipId, DieId, Geometry, PlaneId, Priority, TransactionId};
use crate::observe::{ChipQueue, ChipQueues};
use crate::work::{Class, Transactions};

use super::lanes::{Lane, QUEUES};

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

/// What waits for each chip, from when on somebody asks; before that, nothing is noted.
#[derive(Clone, Debug)]
pub struct Measured {
    geometry: Geometry,
    /// Whether the host's priority classes wait apart.
    by_priority: bool,
    queues: Option<Box<ChipQueues>>,
}

impl Measured {
    pub(super) const fn new(geometry: Geometry, by_priority: bool) -> Self {
        Self { geometry, by_priority, queues: None }
    }

    /// From now on, which is the beginning of a run, it is measured.
    pub fn begin(&mut self) {
        let (chips, planes) = (self.geometry.array.chips(), self.geometry.planes());
        self.queues = Some(Box::new(ChipQueues::new(chips, QUEUES, planes)));
    }

    /// Returns the queues as they are at `now`, with all time up to then.
    #[must_use]
    pub fn at(&self, now: SimTime) -> Self {
        Self { queues: self.queues.as_ref().map(|queues| Box::new(queues.at(now))), ..*self }
    }

    /// What was measured before now is forgotten.
    pub fn restart(&mut self, now: SimTime) {
        if let Some(queues) = &mut self.queues {
            queues.restart(now);
        }
    }

    /// A transaction joins the queue of a die.
    #[inline]
    pub(super) fn joins(&mut self, all: &Transactions, die: DieId, id: TransactionId, now: SimTime) {
        if let Some(queues) = &mut self.queues {
            let place = Lane::of(all.get(id)).place();
            queues.joins(self.geometry.chip_of(die), place, id, now);
        }
    }

    /// A transaction leaves the queue of a die.
    #[inline]
    pub(super) fn leaves(&mut self, all: &Transactions, die: DieId, id: TransactionId, now: SimTime) {
        if let Some(queues) = &mut self.queues {
            let place = Lane::of(all.get(id)).place();
            queues.leaves(self.geometry.chip_of(die), place, id, now);
        }
    }

    /// An erase of this plane will come. It counts as waiting all the while, as in MQSim (Tavakkol et al., FAST 2018), where it stands in
    /// its queue from the beginning of its collection.
    pub fn plan_erase(&mut self, plane: PlaneId, now: SimTime) {
        if let Some(queues) = &mut self.queues {
            let chip = self.geometry.chip_of(self.geometry.die_of(plane));
            queues.erase_is_planned(chip, Lane::first_of(Class::GcErase).place(), plane, now);
        }
    }

    /// The erase that was planned waits for its die.
    pub(super) fn order_erase(&mut self, plane: PlaneId, id: TransactionId) {
        if let Some(queues) = &mut self.queues {
            queues.erase_is_ordered(plane, id);
        }
    }

    /// The queues of a chip, if they are measured: each class of work that a chip may have, and each priority class of the host's if these
    /// wait apart.
    pub fn of_chip(&self, chip: ChipId) -> Option<impl Iterator<Item = NamedQueue>> {
        let (queues, by_priority) = (self.queues.as_ref()?.of(chip), self.by_priority);
        let of_class = move |(class, work): (Class, &'static str)| {
            let is_split = by_priority && class.kind().is_some();
            Lane::all_of(class, !by_priority).map(move |lane| NamedQueue {
                work,
                priority: is_split.then(|| Priority::ALL[usize::from(lane.number())].name()),
                queue: queues[lane.place()],
            })
        };
        Some(NAMES.into_iter().flat_map(of_class))
    }
}
