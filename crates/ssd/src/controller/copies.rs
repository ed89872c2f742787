//! Pages that move from chip to chip, without a controller: those of collection, and operands of gathers.
//!
//! # How
//! A page of collection waits in the register of its die for a path to a controller, as any data does. Whenever it is served, and
//! the fabric joins its chip to others, it is first offered to a chip: the destination policy chooses among the planes of dies
//! that are idle, have nothing waiting, and whose pins are free. If the fabric takes it, the read is over when the page has left its
//! register, and the program begins when it is there. Otherwise it goes by a controller, and its destination is chosen when it has
//! arrived there.
//!
//! So no die ever waits for another: data in a register always has the way by a controller, on which nothing but links and
//! controllers can be in use, and these are given back in time that is known. Two dies that hold a page for each other would wait
//! for ever; here each sends its page out. The cost is that a page goes by a controller when no die is idle at its instant.
//!
//! An operand of a gather has one target, which is busy as a rule: it combines the operands that came before. So an operand may wait in its
//! register while its target is at something that ends by itself, and goes by a controller where the target holds
//! an operand for another chip, or as soon as something else waits for its own die. Whoever waits thus waits for somebody who does not: chains have one link, and there is nothing to
//! deadlock here either. A page that waits goes before its target's next command.

use venice_kernel::SimTime;

use crate::chip::{DataFor, Issue, Sent, WireWork};
use crate::fabric::{Fabric, Offer};
use crate::geometry::{ChipId, DieId, PlaneId, TransactionId};
use crate::observe::{Departure, Probe};

use super::between_chips::has_operand;
use super::departures::{begin, charge_wait, command_transfer};
use super::dies::Dies;
use super::{Above, Moving, Orders, data_for};

/// Which pages are offered to other chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copied {
    /// Operands of gathers.
    Operands,
    /// Pages of collection.
    Collection,
}

/// Offers the page that waits in a die's register to another chip, if its own chip's pins are free. Whether it is on its way now.
pub(super) fn offer_copy<F: Fabric + ?Sized, A: Above>(
    dies: &mut Dies<F>,
    from: DieId,
    copied: Copied,
    above: &mut A,
    now: SimTime,
) -> bool {
    let (source, read) = (dies.paths.chip_of(from), dies.chips.die(from).batch()[0]);
    if dies.chips.package(source).pins_are_busy() || dies.paths.losses().is_lost(source) {
        return false;
    }
    let plane = match copied {
        Copied::Operands => operand_destination(dies, source, read, above.orders()),
        Copied::Collection => collection_destination(dies, source, read, above.orders_mut()),
    };
    let Some(plane) = plane else { return false };
    let die = dies.paths.geometry().die_of(plane);
    let bytes = above.orders().transactions().get(read).bytes;
    let wires = WireWork { command: dies.chips.settings().commands.program[0], bytes };
    let transfer = command_transfer(die, dies.paths.chip_of(die), wires, false, None);
    if dies.paths.offer_copy(&transfer, source, now) != Offer::Accepted {
        return false;
    }
    let ready = dies.chips.at(from).waits_since();
    let conflicted = charge_wait(Departure { die: from, id: read, ready, for_pins: true }, above, now);
    let Moving { operation, id, work } = above.orders_mut().start_moving(read, plane, now);
    if copied == Copied::Operands {
        above.observed().0.on_passing_on(read, id, now);
    }
    let fed_by = Some(from);
    let issue = Issue { operation, batch: &[id], wires, work, fed_by, conflicted };
    begin(&mut dies.chips.at(die), die, &issue, above, now);
    dies.sends(from, Sent::Data, false, above, now);
    true
}

/// Where a page of collection may go at once.
fn collection_destination<F: Fabric + ?Sized>(
    dies: &Dies<F>,
    source: ChipId,
    read: TransactionId,
    orders: &mut impl Orders,
) -> Option<PlaneId> {
    if data_for(orders.transactions().get(read)) != DataFor::Collection {
        return None;
    }
    orders.copy_destination(read, |die| {
        dies.chips.takes_page(die) && dies.paths.fabric().joins(source, dies.paths.chip_of(die))
    })
}

/// The target of an operand, if it can take it at once.
fn operand_destination<F: Fabric + ?Sized>(
    dies: &Dies<F>,
    source: ChipId,
    read: TransactionId,
    orders: &impl Orders,
) -> Option<PlaneId> {
    let plane = orders.operand_target(read)?;
    let die = dies.paths.geometry().die_of(plane);
    let is_joined = dies.paths.fabric().joins(source, dies.paths.chip_of(die));
    (is_joined && dies.chips.takes_page(die)).then_some(plane)
}

/// Whether the page that waits in a die's register is an operand that goes to its target as soon as that can take it.
#[inline]
pub(super) fn waits_for_target<F: Fabric + ?Sized>(
    dies: &Dies<F>,
    from: DieId,
    orders: &impl Orders,
) -> bool {
    dies.paths.fabric().features().copies && orders.gathers() && waits_for_busy_target(dies, from, orders)
}

fn waits_for_busy_target<F: Fabric + ?Sized>(dies: &Dies<F>, from: DieId, orders: &impl Orders) -> bool {
    let Some(plane) = orders.operand_target(dies.chips.die(from).batch()[0]) else { return false };
    if !orders.operand_waits(from) {
        return false;
    }
    let die = dies.paths.geometry().die_of(plane);
    let (source, chip) = (dies.paths.chip_of(from), dies.paths.chip_of(die));
    let holds_operand =
        || dies.chips.states_of(chip).iter().any(|die| die.has_data() && has_operand(die.batch(), orders));
    dies.paths.fabric().joins(source, chip) && !dies.chips.takes_page(die) && !holds_operand()
}

/// Whether a die has an operand in its register that may wait there for its target.
pub(super) fn holds_operand<F: Fabric + ?Sized>(dies: &Dies<F>, die: DieId, orders: &impl Orders) -> bool {
    let state = dies.chips.die(die);
    let copies = dies.paths.fabric().features().copies;
    state.has_data() && copies && orders.operand_target(state.batch()[0]).is_some()
}
