//! Reads-first scheduling: host reads precede urgent garbage collection.
//!
//! # What it models
//! A drive that stalls host writes while garbage collection frees space, but serves host reads in the
//! meantime. Otherwise the order of classes is that of `out_of_order`.
//!
//! # How
//! Host reads need no free pages, so they may precede the urgent garbage collection for which host writes
//! wait. They may also suspend its operations (`flash.suspend.operations`).
//!
//! # What is left out
//! A bound for the delay of garbage collection: if reads occupy a die completely, its planes free no space.
//!
//! # Source
//! Measurements of a Samsung 980 PRO: 99.9 % of reads beside saturating writes take less than 3.5 ms, while
//! writes wait for up to 14 ms.
//!
//! # Parameters
//! `ftl.scheduling`

use super::{HostOrder, SchedulingPolicy, SchedulingSettings};

/// Reads-first policy, with one lane for each kind of transactions.
#[derive(Clone, Copy, Debug)]
pub struct ReadsFirst;

impl SchedulingPolicy for ReadsFirst {
    type Parameters = ();

    const IS_FIFO: bool = true;
    const HOST_ORDER: HostOrder = HostOrder::ReadsBeforeCollection;

    fn new(_own: &(), _settings: &SchedulingSettings, _dies: u32) -> Self {
        Self
    }
}
