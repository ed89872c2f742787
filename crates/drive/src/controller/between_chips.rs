//! Pages that are eligible for chip-to-chip copies.

use venice_nand::chip::DataFor;
use venice_nand::geometry::TransactionId;

use super::{Orders, data_for};

/// True if a transaction of the batch is a gather operand for another chip.
pub(super) fn has_operand(batch: &[TransactionId], orders: &impl Orders) -> bool {
    batch.iter().any(|&id| orders.operand_target(id).is_some())
}

/// True if the pages read by the batch may be copied to another chip.
pub(super) fn may_be_copied(batch: &[TransactionId], orders: &impl Orders) -> bool {
    let is_moved = |id| data_for(orders.transactions().get(id)) == DataFor::Collection;
    batch.first().is_some_and(|&lead| is_moved(lead)) || has_operand(batch, orders)
}
