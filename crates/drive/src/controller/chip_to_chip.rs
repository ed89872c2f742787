//! Conditions for copying pages directly from chip to chip.

use venice_nand::chip::DataConsumer;
use venice_nand::geometry::TransactionId;

use super::{CommandSource, data_for};

/// Returns true if the batch reads an operand of a gather (in-flash combination of pages) whose target is
/// another chip.
pub(super) fn has_operand(batch: &[TransactionId], command_source: &impl CommandSource) -> bool {
    batch.iter().any(|&id| command_source.operand_target(id).is_some())
}

/// Returns true if the pages that the batch reads may be copied directly to another chip: pages moved by
/// garbage collection, and operands of gathers for another chip.
pub(super) fn may_be_copied(batch: &[TransactionId], command_source: &impl CommandSource) -> bool {
    let is_moved = |id| data_for(command_source.transactions().get(id)) == DataConsumer::Collection;
    batch.first().is_some_and(|&lead| is_moved(lead)) || has_operand(batch, command_source)
}
