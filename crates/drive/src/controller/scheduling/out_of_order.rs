//! Out-of-order scheduling: reads before writes before garbage collection.
//!
//! # What it models
//! A die serves operands of gathers whose combination has begun, then the host's reads, then its writes, then
//! garbage collection. If the host's writes wait for garbage collection, that comes first. Mapping reads, for
//! which other transactions wait, precede everything; mapping write-backs precede the host's writes.
//!
//! # How
//! A fixed order of classes for each of the two cases; within a class, first come, first served, except for
//! transactions that must wait (a write without a free page) and those that join a multi-plane command.
//! Planes for which a command's own class has no transaction are offered to a second class of the same
//! operation.
//!
//! # What is left out
//! Priority classes, which [`priority_out_of_order`](super::priority_out_of_order) adds; fairness between
//! flows.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018, §4 (out-of-order transaction scheduling).
//!
//! # Parameters
//! `ftl.scheduling`, `ftl.gc_yields_to_host`

use venice_nand::work::Class;

use crate::controller::queues::lanes::{CLASSES, QueueSet};

use super::{HostOrder, Rank, SchedulingPolicy, SchedulingSettings};

/// Out-of-order policy with one lane.
#[derive(Clone, Copy, Debug)]
pub struct OutOfOrder;

impl SchedulingPolicy for OutOfOrder {
    type Parameters = ();

    const IS_BY_ARRIVAL: bool = true;

    fn new(_own: &(), _settings: &SchedulingSettings, _dies: u32) -> Self {
        Self
    }
}

/// Position of the host's reads and writes together.
const HOST: Rank = Rank {
    class: Class::HostRead,
    queues: QueueSet::of(Class::HostRead).and(QueueSet::of(Class::HostWrite)),
};

const HOST_FIRST: [Rank; CLASSES] = [
    Rank::of(Class::MappingRead),
    Rank::of(Class::Operand),
    Rank::of(Class::HostRead),
    Rank::of(Class::MappingWrite),
    Rank::of(Class::HostWrite),
    Rank::of(Class::GcRead),
    Rank::of(Class::GcWrite),
    Rank::of(Class::GcErase),
];
const COLLECTION_FIRST: [Rank; CLASSES] = [
    Rank::of(Class::MappingRead),
    Rank::of(Class::GcRead),
    Rank::of(Class::GcWrite),
    Rank::of(Class::GcErase),
    Rank::of(Class::Operand),
    Rank::of(Class::HostRead),
    Rank::of(Class::MappingWrite),
    Rank::of(Class::HostWrite),
];
const HOST_TOGETHER_FIRST: [Rank; CLASSES - 1] = [
    Rank::of(Class::MappingRead),
    Rank::of(Class::Operand),
    Rank::of(Class::MappingWrite),
    HOST,
    Rank::of(Class::GcRead),
    Rank::of(Class::GcWrite),
    Rank::of(Class::GcErase),
];
const COLLECTION_FIRST_HOST_TOGETHER: [Rank; CLASSES - 1] = [
    Rank::of(Class::MappingRead),
    Rank::of(Class::GcRead),
    Rank::of(Class::GcWrite),
    Rank::of(Class::GcErase),
    Rank::of(Class::Operand),
    Rank::of(Class::MappingWrite),
    HOST,
];

/// Returns the class whose transactions join a multi-plane command of `class` on planes without a transaction
/// of its own.
#[inline]
pub fn joining_class(class: Class, collection_is_urgent: bool) -> Option<Class> {
    match class {
        Class::MappingRead if collection_is_urgent => Some(Class::GcRead),
        Class::MappingRead | Class::GcRead => Some(Class::HostRead),
        Class::HostRead => Some(Class::GcRead),
        Class::HostWrite => Some(Class::GcWrite),
        Class::GcWrite => Some(Class::HostWrite),
        Class::MappingWrite | Class::GcErase | Class::Operand => None,
    }
}

/// Returns the service order of a die's queues.
#[inline]
pub const fn service_order(collection_first: bool, host: HostOrder) -> &'static [Rank] {
    match (collection_first, host) {
        (true, HostOrder::ReadsFirst) => &COLLECTION_FIRST,
        (false, HostOrder::ReadsFirst) => &HOST_FIRST,
        (true, HostOrder::Together) => &COLLECTION_FIRST_HOST_TOGETHER,
        (false, HostOrder::Together) => &HOST_TOGETHER_FIRST,
    }
}
