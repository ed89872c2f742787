//! Conditions under which pages may be copied from chip to chip.

use venice_nand::chip::DataConsumer;
use venice_nand::geometry::TransactionId;

use super::{CommandSource, data_for};

/// True if a transaction of the batch is a gather operand for another chip.
pub(super) fn has_operand(batch: &[TransactionId], command_source: &impl CommandSource) -> bool {
    batch.iter().any(|&id| command_source.operand_target(id).is_some())
}

/// True if the pages that the batch reads may be copied to another chip.
pub(super) fn may_be_copied(batch: &[TransactionId], command_source: &impl CommandSource) -> bool {
    let is_moved = |id| data_for(command_source.transactions().get(id)) == DataConsumer::Collection;
    batch.first().is_some_and(|&lead| is_moved(lead)) || has_operand(batch, command_source)
}
