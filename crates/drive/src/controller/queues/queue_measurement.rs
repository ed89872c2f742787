//! Optional measurement of the queue lengths and waiting times of each chip.

use venice_kernel::SimTime;
use venice_nand::geometry::{ChipId, DieId, Geometry, PlaneId, Priority, TransactionId};
use venice_nand::transactions::{TransactionClass, Transactions};

use crate::observe::{ChipQueue, ChipQueues};

use super::lanes::{DieLane, QUEUES};

/// Name of each transaction class in reports, in service order while garbage collection is not urgent.
const NAMES: [(TransactionClass, &str); 10] = [
    (TransactionClass::MappingRead, "mapping_reads"),
    (TransactionClass::HostRead, "host_reads"),
    (TransactionClass::MappingWrite, "mapping_writes"),
    (TransactionClass::HostWrite, "host_writes"),
    (TransactionClass::GcRead, "gc_reads"),
    (TransactionClass::GcWrite, "gc_writes"),
    (TransactionClass::GcErase, "erases"),
    (TransactionClass::Operand, "operands"),
    (TransactionClass::Search, "searches"),
    (TransactionClass::Scrub, "scrub_reads"),
];

/// Named queue of a chip, with its measurement.
#[derive(Clone, Copy, Debug)]
pub struct NamedQueue {
    /// Name of the class of transactions in the queue.
    pub work: &'static str,
    /// Priority class of the queue, if host transactions have separate queues for each priority class.
    pub priority: Option<&'static str>,
    /// Measured lengths and waiting times of the queue.
    pub queue: ChipQueue,
}

/// Queues of each chip, measured from [`QueueMeasurement::begin`] on.
#[derive(Clone, Debug)]
pub struct QueueMeasurement {
    geometry: Geometry,
    /// True if host transactions have separate queues for each priority class.
    by_priority: bool,
    queues: Option<Box<ChipQueues>>,
}

impl QueueMeasurement {
    pub(super) const fn new(geometry: Geometry, by_priority: bool) -> Self {
        Self { geometry, by_priority, queues: None }
    }

    /// Starts the measurement at the beginning of a run.
    pub fn begin(&mut self) {
        let (chips, planes) = (self.geometry.array.chips(), self.geometry.planes());
        self.queues = Some(Box::new(ChipQueues::new(chips, QUEUES, planes)));
    }

    /// Returns the measured queues up to `now`.
    #[must_use]
    pub fn at(&self, now: SimTime) -> Self {
        Self { queues: self.queues.as_ref().map(|queues| Box::new(queues.at(now))), ..*self }
    }

    /// Discards the queue measurements before `now`.
    pub fn restart(&mut self, now: SimTime) {
        if let Some(queues) = &mut self.queues {
            queues.restart(now);
        }
    }

    /// Records that a transaction enters the queue of a die.
    #[inline]
    pub(super) fn joins(&mut self, die: DieId, lane: DieLane, id: TransactionId, now: SimTime) {
        if let Some(queues) = &mut self.queues {
            queues.joins(self.geometry.chip_of(die), lane.place(), id, now);
        }
    }

    /// Records that a transaction leaves the queue of a die.
    #[inline]
    pub(super) fn leaves(&mut self, all: &Transactions, die: DieId, id: TransactionId, now: SimTime) {
        if let Some(queues) = &mut self.queues {
            let place = DieLane::of(all.get(id)).place();
            queues.leaves(self.geometry.chip_of(die), place, id, now);
        }
    }

    /// Records a planned erase. The erase counts as waiting from the start of its garbage collection, as in
    /// the queues of MQSim (Tavakkol et al., FAST 2018).
    pub fn plan_erase(&mut self, plane: PlaneId, now: SimTime) {
        if let Some(queues) = &mut self.queues {
            let chip = self.geometry.chip_of(self.geometry.die_of(plane));
            queues.erase_is_planned(chip, DieLane::first_of(TransactionClass::GcErase).place(), plane, now);
        }
    }

    /// Records that a planned erase is cancelled.
    pub fn cancel_erase(&mut self, plane: PlaneId, now: SimTime) {
        if let Some(queues) = &mut self.queues {
            let chip = self.geometry.chip_of(self.geometry.die_of(plane));
            queues.erase_is_cancelled(chip, DieLane::first_of(TransactionClass::GcErase).place(), plane, now);
        }
    }

    /// Records that a planned erase has entered the queue of its die.
    pub(super) fn order_erase(&mut self, plane: PlaneId, id: TransactionId) {
        if let Some(queues) = &mut self.queues {
            queues.erase_is_ordered(plane, id);
        }
    }

    /// Returns the measured queues of a chip, or `None` without measurement. There is one queue for each
    /// class of transactions. If host transactions have separate queues for each priority class, there is one
    /// for each of them. The queues of searches and scrub are included only if they have been used.
    pub fn of_chip(&self, chip: ChipId) -> Option<impl Iterator<Item = NamedQueue>> {
        let (queues, by_priority) = (self.queues.as_ref()?.of(chip), self.by_priority);
        let of_class = move |(class, work): (TransactionClass, &'static str)| {
            let is_split = by_priority && class.kind().is_some();
            DieLane::all_of(class, !by_priority).map(move |lane| NamedQueue {
                work,
                priority: is_split.then(|| Priority::ALL[usize::from(lane.number())].name()),
                queue: queues[lane.place()],
            })
        };
        let is_listed = move |&(class, _): &(TransactionClass, _)| {
            !matches!(class, TransactionClass::Search | TransactionClass::Scrub)
                || queues[DieLane::first_of(class).place()].enqueued > 0
        };
        Some(NAMES.into_iter().filter(is_listed).flat_map(of_class))
    }
}
