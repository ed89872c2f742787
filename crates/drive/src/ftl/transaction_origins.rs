//! Purposes and initiators of transactions, from which the causes of waiting times are determined.

use venice_kernel::SimTime;
use venice_nand::geometry::{PlaneId, RequestId, TransactionId};
use venice_nand::transactions::{Origin, ParityCause, Purpose, Transactions};

use crate::observe::{DieUser, TransactionInfo, TransactionOrigins, WaitCause};

use super::Ftl;
use super::space::{CollectionCause, Space};

impl TransactionOrigins for Ftl {
    fn about(&self, id: TransactionId) -> TransactionInfo {
        let transaction = self.pump.shared.transactions.get(id);
        let collects = match transaction.purpose {
            Purpose::GcRead | Purpose::GcWrite | Purpose::ParityWrite(ParityCause::Move) => {
                Some(transaction.collected)
            }
            Purpose::GcErase => Some(transaction.plane),
            _ => None,
        };
        TransactionInfo {
            plane: transaction.plane,
            request: request_of(&self.pump.shared.transactions, id),
            collects,
        }
    }

    fn holder(&self, id: TransactionId) -> DieUser {
        let transaction = self.pump.shared.transactions.get(id);
        let work = match transaction.purpose {
            Purpose::MappingRead { .. }
            | Purpose::MappingWrite
            | Purpose::ParityWrite(ParityCause::MappingWrite) => WaitCause::Mapping,
            Purpose::GcRead => {
                work_in(&self.pump.shared.space, transaction.collected, WaitCause::CollectionRead)
            }
            Purpose::GcWrite | Purpose::ParityWrite(ParityCause::Move) => {
                work_in(&self.pump.shared.space, transaction.collected, WaitCause::CollectionProgram)
            }
            Purpose::GcErase => work_in(&self.pump.shared.space, transaction.plane, WaitCause::Erase),
            Purpose::ScrubRead | Purpose::RebuildRead { is_of_scrub: true, .. } => WaitCause::Scrub,
            Purpose::HostRead(_)
            | Purpose::RebuildRead { .. }
            | Purpose::ParityWrite(ParityCause::HostWrite)
            | Purpose::SecondPass
            | Purpose::Trim(_)
            | Purpose::HostWrite(_)
            | Purpose::UpdateRead(_)
            | Purpose::OperandRead(_)
            | Purpose::OperandLoad(_)
            | Purpose::OperandSense(_)
            | Purpose::Search(_) => return DieUser::Host,
        };
        DieUser::Drive(work)
    }

    fn is_waited_for(&self, id: TransactionId) -> bool {
        is_of_host(self.pump.shared.transactions.get(id).purpose)
    }

    fn waits_since(&self, id: TransactionId) -> SimTime {
        self.pump.shared.transactions.get(id).waits_since()
    }

    #[inline]
    fn no_room_until(&self, id: TransactionId) -> SimTime {
        let write = self.pump.shared.transactions.get(id);
        match write.purpose {
            Purpose::HostWrite(_) if !write.is_placed() => {
                self.pump.shared.space.blocks.planes[write.plane].writable_since
            }
            _ => SimTime::ZERO,
        }
    }

    fn follower(&self, id: TransactionId) -> Option<TransactionId> {
        match self.pump.shared.transactions.get(id).purpose {
            Purpose::UpdateRead(write) => Some(write),
            _ => None,
        }
    }

    /// Returns the earliest instant up to which the time of a host's transaction has been assigned to latency
    /// stages. Internal transactions, such as those of garbage collection, are not considered, since they may
    /// wait as long as the host is busy.
    fn oldest_wait(&self) -> Option<SimTime> {
        let waited_for =
            self.pump.shared.transactions.iter().filter(|transaction| is_of_host(transaction.purpose));
        waited_for.map(|transaction| transaction.clock.mark).min()
    }
}

/// Returns the request to which a transaction belongs, if it belongs to exactly one.
fn request_of(all: &Transactions, id: TransactionId) -> Option<RequestId> {
    match all.get(id).purpose {
        Purpose::HostRead(Origin::Request(request))
        | Purpose::Search(request)
        | Purpose::HostWrite(Origin::Request(request)) => Some(request),
        Purpose::UpdateRead(write) => request_of(all, write),
        _ => None,
    }
}

/// Returns the cause to which a wait for the garbage collection of a plane is attributed. It is wear
/// levelling, read reclaim or refresh if the block is collected for one of them, otherwise `step`.
fn work_in(space: &Space, plane: PlaneId, step: WaitCause) -> WaitCause {
    let cause = space.blocks.planes[plane].collection.map(|collection| collection.cause);
    match cause {
        Some(CollectionCause::Wear) => WaitCause::WearLevelling,
        Some(CollectionCause::Reclaim) => WaitCause::ReadReclaim,
        Some(CollectionCause::Refresh) => WaitCause::Refresh,
        _ => step,
    }
}

const fn is_of_host(purpose: Purpose) -> bool {
    !matches!(
        purpose,
        Purpose::MappingRead { .. }
            | Purpose::MappingWrite
            | Purpose::SecondPass
            | Purpose::GcRead
            | Purpose::GcWrite
            | Purpose::GcErase
            | Purpose::ParityWrite(_)
            | Purpose::RebuildRead { .. }
            | Purpose::ScrubRead
    )
}
