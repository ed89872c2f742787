//! Which pages may go from chip to chip.

use crate::chip::DataFor;
use crate::geometry::TransactionId;

use super::{Orders, data_for};

/// Whether one of these is an operand that is to be brought to another chip.
pub(super) fn has_operand(batch: &[TransactionId], orders: &impl Orders) -> bool {
    batch.iter().any(|&id| orders.operand_target(id).is_some())
}

/// Whether what these read may go from chip to chip.
pub(super) fn may_be_copied(batch: &[TransactionId], orders: &impl Orders) -> bool {
    let is_moved = |id| data_for(orders.transactions().get(id)) == DataFor::Collection;
    batch.first().is_some_and(|&lead| is_moved(lead)) || has_operand(batch, orders)
}
