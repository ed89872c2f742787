//! What a scheduling policy sees of the queues: the host's transactions of some dies, and which of them can be done now.

use std::ops::Range;

use crate::geometry::{DieId, TransactionId};

use super::Ftl;
use crate::controller::lanes::Lane;
use crate::controller::scheduling::{HostQueues, Kind, Packing};

/// The queues of some dies; `is_readable` says of which reads the pages can be read now.
#[derive(Clone, Debug)]
pub(super) struct QueuesOf<'a, R> {
    pub(super) ftl: &'a Ftl,
    pub(super) dies: Range<u32>,
    pub(super) is_readable: R,
}

const fn lane_of(kind: Kind, number: u8) -> Lane {
    Lane { class: kind.class(), number }
}

impl<R: Fn(&Ftl, TransactionId) -> bool + Copy> HostQueues for QueuesOf<'_, R> {
    #[inline]
    fn dies(&self) -> impl Iterator<Item = DieId> {
        self.dies.clone().map(DieId)
    }

    #[inline]
    fn first(&self, die: DieId, kind: Kind, lane: u8) -> Option<TransactionId> {
        self.ftl.queues.first(die, lane_of(kind, lane))
    }

    #[inline]
    fn after(&self, id: TransactionId) -> Option<TransactionId> {
        self.ftl.transactions.after(id)
    }

    #[inline]
    fn can_start(&self, id: TransactionId) -> bool {
        match self.kind(id) {
            Some(Kind::Write) => self.ftl.may_program(id),
            _ => (self.is_readable)(self.ftl, id),
        }
    }

    #[inline]
    fn first_ready(&self, die: DieId, kind: Kind, lane: u8) -> Option<TransactionId> {
        match kind {
            Kind::Read => self.ftl.first_readable(die, lane_of(kind, lane), self.is_readable),
            Kind::Write => self.ftl.first_ready_write(die, lane_of(kind, lane)),
        }
    }

    #[inline]
    fn arrival(&self, id: TransactionId) -> u64 {
        self.ftl.transactions.get(id).queued
    }

    #[inline]
    fn kind(&self, id: TransactionId) -> Option<Kind> {
        self.ftl.transactions.get(id).purpose.class().kind()
    }

    #[inline]
    fn plane(&self, id: TransactionId) -> u32 {
        1 << self.ftl.plane_in_die(id)
    }

    fn packing(&self, id: TransactionId) -> Packing {
        let offset = if self.ftl.flash.multiplane_same_offset { self.ftl.offsets(id).0 } else { None };
        (self.kind(id) == Some(Kind::Write), offset)
    }

    fn planes_of_a_command(&self) -> u32 {
        if self.ftl.flash.multiplane { self.ftl.geometry.planes_per_die } else { 1 }
    }

    fn is_alone(&self, die: DieId, id: TransactionId) -> bool {
        self.ftl.queues.is_alone(&self.ftl.transactions, die, id)
    }
}
