//! What waits for each chip, where somebody asks.

use crate::geometry::{ChipId, Priority};
use crate::observe::{ChipQueue, ChipQueues};
use crate::work::Class;

use super::lanes::Lane;

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

/// The queues of a chip: each class of work that a chip may have, and each priority class of the host's if these wait apart.
pub(super) fn named(
    measured: &ChipQueues,
    chip: ChipId,
    by_priority: bool,
) -> impl Iterator<Item = NamedQueue> {
    let queues = measured.of(chip);
    let of_class = move |(class, work): (Class, &'static str)| {
        let is_split = by_priority && class.kind().is_some();
        Lane::all_of(class, !by_priority).map(move |lane| NamedQueue {
            work,
            priority: is_split.then(|| Priority::ALL[usize::from(lane.number)].name()),
            queue: queues[lane.place()],
        })
    };
    NAMES.into_iter().flat_map(of_class)
}
