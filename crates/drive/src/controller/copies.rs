//! Copies of pages from chip to chip that bypass the flash controllers: pages of garbage collection, and
//! operands of gathers.
//!
//! # How
//! A page read by garbage collection waits in its die's register for a path, like any read data. If the
//! fabric connects its chip to other chips, the page is first offered for a copy to another chip. The
//! destination policy chooses among planes whose die is idle and has no waiting transaction, and whose chip
//! has free pins. If the fabric accepts the copy, the read ends when the page has left its register, and the
//! program begins when the page arrives. Otherwise the page is sent to a controller, and its destination is
//! chosen when it arrives there.
//!
//! This rule excludes deadlock: no die waits for another one, so two dies cannot hold pages for each other.
//! Data in a register can always be sent to a controller. This needs only links and controllers, which are
//! released in bounded time. The price is that a page goes through a controller if no die is idle at that
//! instant.
//!
//! A gather combines pages (its operands) on one target die, which is usually busy with earlier operands. An
//! operand may therefore wait in its register until the target's current operation ends. It is sent through a
//! controller if the target holds an operand for another chip, or as soon as another transaction waits for
//! the operand's die. A die thus only waits for a die that does not wait itself, so there is no deadlock. A
//! waiting operand is sent before the target's next command.

use venice_fabric::{Fabric, Offer};
use venice_kernel::SimTime;
use venice_nand::chip::{DataConsumer, DieTransfer, IssuedCommand, WireWork};
use venice_nand::geometry::{ChipId, DieId, PlaneId, TransactionId};

use crate::observe::{Departure, Probe};

use super::chip_to_chip::has_operand;
use super::dies::Dies;
use super::transfers::{begin, charge_wait, command_transfer};
use super::{CommandSource, CopyDestination, UpperLayer, data_for};

/// Pages that are offered to other chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CopyKind {
    /// Operands of gathers (in-flash combinations of pages).
    Operands,
    /// Pages relocated by garbage collection.
    Collection,
}

/// Offers a copy of the page in a die's register to another chip, if the pins of the die's own chip are free.
/// Returns true if the fabric accepted the copy.
pub(super) fn offer_copy<F: Fabric + ?Sized, A: UpperLayer>(
    dies: &mut Dies<F>,
    from: DieId,
    copied: CopyKind,
    upper_layer: &mut A,
    now: SimTime,
) -> bool {
    let (source, read) = (dies.paths.chip_of(from), dies.chips.die(from).batch()[0]);
    if dies.chips.package(source).pins_are_busy() || dies.paths.losses().is_lost(source) {
        return false;
    }
    let plane = match copied {
        CopyKind::Operands => operand_destination(dies, source, read, upper_layer.command_source()),
        CopyKind::Collection => collection_destination(dies, source, read, upper_layer.command_source_mut()),
    };
    let Some(plane) = plane else { return false };
    let die = dies.paths.geometry().die_of(plane);
    let bytes = upper_layer.command_source().transactions().get(read).bytes;
    let wires = WireWork { command: dies.chips.settings().commands.program[0], bytes };
    let transfer = command_transfer(die, dies.paths.chip_of(die), wires);
    if dies.paths.offer_copy(&transfer, source, now) != Offer::Accepted {
        return false;
    }
    let ready = dies.chips.at(from).waits_since();
    let conflicted = charge_wait(Departure { die: from, id: read, ready, for_pins: true }, upper_layer, now);
    let CopyDestination { operation, id, work } =
        upper_layer.command_source_mut().start_moving(read, plane, now);
    if copied == CopyKind::Operands {
        upper_layer.observed().0.on_passing_on(read, id, now);
    }
    let (fed_by, work) = (Some(from), dies.chips.settings().array.work(work));
    let issue = IssuedCommand { operation, batch: &[id], wires, work, fed_by, conflicted };
    begin(&mut dies.chips.at(die), die, &issue, upper_layer, now);
    dies.sends(from, DieTransfer::Data, false, upper_layer, now);
    true
}

/// Returns a plane that can immediately accept a page relocated by garbage collection.
fn collection_destination<F: Fabric + ?Sized>(
    dies: &Dies<F>,
    source: ChipId,
    read: TransactionId,
    command_source: &mut impl CommandSource,
) -> Option<PlaneId> {
    if data_for(command_source.transactions().get(read)) != DataConsumer::Collection {
        return None;
    }
    command_source.copy_destination(read, |die| {
        dies.chips.takes_page(die)
            && dies.paths.fabric().capabilities().joins(source, dies.paths.chip_of(die))
    })
}

/// Returns the plane on which an operand of a gather is combined, if the plane can accept it immediately.
fn operand_destination<F: Fabric + ?Sized>(
    dies: &Dies<F>,
    source: ChipId,
    read: TransactionId,
    command_source: &impl CommandSource,
) -> Option<PlaneId> {
    let plane = command_source.operand_target(read)?;
    let die = dies.paths.geometry().die_of(plane);
    let is_joined = dies.paths.fabric().capabilities().joins(source, dies.paths.chip_of(die));
    (is_joined && dies.chips.takes_page(die)).then_some(plane)
}

/// Returns true if a die's register holds an operand of a gather that waits for its busy target die.
#[inline]
pub(super) fn waits_for_target<F: Fabric + ?Sized>(
    dies: &Dies<F>,
    from: DieId,
    command_source: &impl CommandSource,
) -> bool {
    dies.paths.carry_copies() && command_source.gathers() && waits_for_busy_target(dies, from, command_source)
}

fn waits_for_busy_target<F: Fabric + ?Sized>(
    dies: &Dies<F>,
    from: DieId,
    command_source: &impl CommandSource,
) -> bool {
    let Some(plane) = command_source.operand_target(dies.chips.die(from).batch()[0]) else { return false };
    if !command_source.operand_waits(from) {
        return false;
    }
    let die = dies.paths.geometry().die_of(plane);
    let (source, chip) = (dies.paths.chip_of(from), dies.paths.chip_of(die));
    let holds_operand = || {
        dies.chips
            .states_of(chip)
            .iter()
            .any(|die| die.has_data() && has_operand(die.batch(), command_source))
    };
    dies.paths.fabric().capabilities().joins(source, chip) && !dies.chips.takes_page(die) && !holds_operand()
}

/// Returns true if a die's register holds an operand of a gather that is combined on another chip.
pub(super) fn holds_operand<F: Fabric + ?Sized>(
    dies: &Dies<F>,
    die: DieId,
    command_source: &impl CommandSource,
) -> bool {
    let state = dies.chips.die(die);
    let copies = dies.paths.carry_copies();
    state.has_data() && copies && command_source.operand_target(state.batch()[0]).is_some()
}
