//! What transactions are for, to who asks behind whom requests wait.

use venice_kernel::SimTime;

use crate::geometry::{PlaneId, TransactionId};
use crate::observe::{Chore, Holder};

use super::Ftl;
use super::blocks::Cause;
use super::transaction::Purpose;

impl Ftl {
    /// For whom a die works on this transaction.
    pub fn holder(&self, id: TransactionId) -> Holder {
        let transaction = self.transactions.get(id);
        let chore = match transaction.purpose {
            Purpose::MappingRead { .. } | Purpose::MappingWrite => Chore::Mapping,
            Purpose::GcRead => self.chore_in(transaction.collected, Chore::CollectionRead),
            Purpose::GcWrite => self.chore_in(transaction.collected, Chore::CollectionProgram),
            Purpose::GcErase => self.chore_in(transaction.plane, Chore::Erase),
            _ => return Holder::Host,
        };
        Holder::Drive(chore)
    }

    /// What a plane's collection does, by the cause that it has.
    fn chore_in(&self, plane: PlaneId, step: Chore) -> Chore {
        let cause = self.blocks.plane(plane).collection.map(|collection| collection.cause);
        if cause == Some(Cause::Wear) { Chore::WearLevelling } else { step }
    }

    /// Whether a request of the host, or the data cache, waits for this transaction.
    pub fn is_waited_for(&self, id: TransactionId) -> bool {
        self.holder(id) == Holder::Host
    }

    /// Until when a write had no page to go to, as far as is known; the beginning of time for what has one, or needs none.
    pub fn no_room_until(&self, id: TransactionId) -> SimTime {
        let write = self.transactions.get(id);
        match write.purpose {
            Purpose::HostWrite(_) if !write.placed => self.blocks.plane(write.plane).writable_since,
            _ => SimTime::ZERO,
        }
    }

    /// The write that goes on when this transaction is over, if it reads what that does not cover.
    pub fn follower(&self, id: TransactionId) -> Option<TransactionId> {
        match self.transactions.get(id).purpose {
            Purpose::UpdateRead(write) => Some(write),
            _ => None,
        }
    }

    /// Since when a transaction waits or works that has done so longest since it was last looked at.
    pub fn oldest_wait(&self) -> Option<SimTime> {
        self.transactions.oldest_mark()
    }
}
