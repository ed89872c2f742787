//! Out-of-order scheduling: reads before writes before garbage collection.
//!
//! # What it models
//! A die serves its transactions in this order: mapping reads (other transactions wait for them), operands of
//! gathers (in-flash combinations of pages), host reads, write-backs of the mapping, host writes, garbage
//! collection, searches, scrub. Urgent garbage collection, for which host writes wait, precedes host transactions.
//!
//! # How
//! There are two fixed orders of classes, with and without urgent garbage collection. Each class is served
//! first come, first served. Exceptions are transactions that cannot be started, such as a write without a
//! free page, and transactions that join a multi-plane command. For planes on which the command's class has
//! no transaction, transactions of a second class of the same operation are added.
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

use venice_nand::transactions::TransactionClass;

use crate::controller::queues::lanes::{CLASSES, QueueSet};

use super::{HostOrder, SchedulingPolicy, SchedulingSettings, ServiceRank};

/// Out-of-order policy, with one lane for each kind of transactions.
#[derive(Clone, Copy, Debug)]
pub struct OutOfOrder;

impl SchedulingPolicy for OutOfOrder {
    type Parameters = ();

    const IS_FIFO: bool = true;

    fn new(_own: &(), _settings: &SchedulingSettings, _dies: u32) -> Self {
        Self
    }
}

/// Service rank that covers host reads and host writes together.
const HOST: ServiceRank = ServiceRank {
    class: TransactionClass::HostRead,
    queues: QueueSet::of(TransactionClass::HostRead).and(QueueSet::of(TransactionClass::HostWrite)),
};

const HOST_FIRST: [ServiceRank; CLASSES] = [
    ServiceRank::of(TransactionClass::MappingRead),
    ServiceRank::of(TransactionClass::Operand),
    ServiceRank::of(TransactionClass::HostRead),
    ServiceRank::of(TransactionClass::MappingWrite),
    ServiceRank::of(TransactionClass::HostWrite),
    ServiceRank::of(TransactionClass::GcRead),
    ServiceRank::of(TransactionClass::GcWrite),
    ServiceRank::of(TransactionClass::GcErase),
    ServiceRank::of(TransactionClass::Search),
    ServiceRank::of(TransactionClass::Scrub),
];
const COLLECTION_FIRST: [ServiceRank; CLASSES] = [
    ServiceRank::of(TransactionClass::MappingRead),
    ServiceRank::of(TransactionClass::GcRead),
    ServiceRank::of(TransactionClass::GcWrite),
    ServiceRank::of(TransactionClass::GcErase),
    ServiceRank::of(TransactionClass::Operand),
    ServiceRank::of(TransactionClass::HostRead),
    ServiceRank::of(TransactionClass::MappingWrite),
    ServiceRank::of(TransactionClass::HostWrite),
    ServiceRank::of(TransactionClass::Search),
    ServiceRank::of(TransactionClass::Scrub),
];
const READS_BEFORE_COLLECTION: [ServiceRank; CLASSES] = [
    ServiceRank::of(TransactionClass::MappingRead),
    ServiceRank::of(TransactionClass::Operand),
    ServiceRank::of(TransactionClass::HostRead),
    ServiceRank::of(TransactionClass::GcRead),
    ServiceRank::of(TransactionClass::GcWrite),
    ServiceRank::of(TransactionClass::GcErase),
    ServiceRank::of(TransactionClass::MappingWrite),
    ServiceRank::of(TransactionClass::HostWrite),
    ServiceRank::of(TransactionClass::Search),
    ServiceRank::of(TransactionClass::Scrub),
];
const HOST_TOGETHER_FIRST: [ServiceRank; CLASSES - 1] = [
    ServiceRank::of(TransactionClass::MappingRead),
    ServiceRank::of(TransactionClass::Operand),
    ServiceRank::of(TransactionClass::MappingWrite),
    HOST,
    ServiceRank::of(TransactionClass::GcRead),
    ServiceRank::of(TransactionClass::GcWrite),
    ServiceRank::of(TransactionClass::GcErase),
    ServiceRank::of(TransactionClass::Search),
    ServiceRank::of(TransactionClass::Scrub),
];
const COLLECTION_FIRST_HOST_TOGETHER: [ServiceRank; CLASSES - 1] = [
    ServiceRank::of(TransactionClass::MappingRead),
    ServiceRank::of(TransactionClass::GcRead),
    ServiceRank::of(TransactionClass::GcWrite),
    ServiceRank::of(TransactionClass::GcErase),
    ServiceRank::of(TransactionClass::Operand),
    ServiceRank::of(TransactionClass::MappingWrite),
    HOST,
    ServiceRank::of(TransactionClass::Search),
    ServiceRank::of(TransactionClass::Scrub),
];

/// Returns the second class whose transactions may join a multi-plane command of `class`, on planes without a
/// transaction of `class`.
#[inline]
pub fn joining_class(class: TransactionClass, collection_is_urgent: bool) -> Option<TransactionClass> {
    match class {
        TransactionClass::MappingRead if collection_is_urgent => Some(TransactionClass::GcRead),
        TransactionClass::MappingRead | TransactionClass::GcRead => Some(TransactionClass::HostRead),
        TransactionClass::HostRead => Some(TransactionClass::GcRead),
        TransactionClass::HostWrite => Some(TransactionClass::GcWrite),
        TransactionClass::GcWrite => Some(TransactionClass::HostWrite),
        TransactionClass::MappingWrite
        | TransactionClass::GcErase
        | TransactionClass::Operand
        | TransactionClass::Search
        | TransactionClass::Scrub => None,
    }
}

/// Returns the order in which the classes of a die's transactions are served.
#[inline]
pub const fn service_order(collection_first: bool, host: HostOrder) -> &'static [ServiceRank] {
    match (collection_first, host) {
        (true, HostOrder::ReadsFirst) => &COLLECTION_FIRST,
        (true, HostOrder::ReadsBeforeCollection) => &READS_BEFORE_COLLECTION,
        (false, HostOrder::ReadsFirst | HostOrder::ReadsBeforeCollection) => &HOST_FIRST,
        (true, HostOrder::Together) => &COLLECTION_FIRST_HOST_TOGETHER,
        (false, HostOrder::Together) => &HOST_TOGETHER_FIRST,
    }
}
