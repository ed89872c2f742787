//! Choice of a chip's next command: a formed command that waits, the next command of its dies, or a suspend
//! or resume command.
//!
//! # How
//! With suspension, the next command that the die would execute if it were free is determined. If that is a
//! read (or, during an erase, a write) with a waiting requester, and enough array time is left, a suspend
//! command is offered to the fabric. On its arrival the array stops, and the operation is saved. Further
//! commands are then executed while they are of a kind that may pass and the suspension limits allow;
//! afterwards a resume command is offered.

use std::ops::Range;

use venice_fabric::{Fabric, Offer};
use venice_kernel::SimTime;
use venice_nand::chip::{Accepts, FlashSettings, Sent, WireWork};
use venice_nand::geometry::{ChipId, DieId};

use crate::observe::{Departure, Probe};

use super::departures::{charge_wait, command_transfer};
use super::dies::Dies;
use super::{Above, Command, Orders};

/// Filter of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// All commands.
    All,
    /// Commands without data.
    WithoutData,
}

/// Result of a search for a chip's command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    /// A command was found and offered.
    Offered(Offer),
    /// A command was found and skipped, because it carries data.
    PassedOver,
    /// There is no command.
    HasNone,
}

impl From<Option<Offer>> for Tried {
    fn from(offer: Option<Offer>) -> Self {
        offer.map_or(Self::HasNone, Self::Offered)
    }
}

/// Command selection of all chips.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commands {
    /// Wire time of a suspend or resume command; `None` without suspension.
    suspension: Option<WireWork>,
}

impl Commands {
    /// Creates the command selection for these flash chips.
    pub(super) fn new(flash: &FlashSettings) -> Self {
        let wires = WireWork { command: flash.commands.suspend, bytes: 0 };
        Self { suspension: flash.suspension.as_ref().map(|_| wires) }
    }

    /// Offers a command of one of the chip's dies.
    pub(super) fn offer<F: Fabric + ?Sized, A: Above>(
        &self,
        dies: &mut Dies<F>,
        chip: ChipId,
        which: Which,
        above: &mut A,
        now: SimTime,
    ) -> Tried {
        let of_chip = dies.chips.dies_of(chip);
        let package = dies.chips.package(chip);
        if package.pins_are_busy() {
            above.orders_mut().look_past(of_chip);
            return Tried::HasNone;
        }
        if package.has_formed_command() {
            return offer_formed(dies, of_chip, which, above, now);
        }
        if package.works_one_at_a_time() {
            return self.offer_for_chip(dies, chip, of_chip, which, above, now);
        }
        of_chip
            .map(|die| self.offer_for_die(dies, chip, DieId(die), which, above, now))
            .find(|tried| *tried != Tried::HasNone)
            .unwrap_or(Tried::HasNone)
    }

    fn offer_for_die<F: Fabric + ?Sized, A: Above>(
        &self,
        dies: &mut Dies<F>,
        chip: ChipId,
        die: DieId,
        which: Which,
        above: &mut A,
        now: SimTime,
    ) -> Tried {
        let only = die.0..die.0 + 1;
        match dies.chips.die(die).accepts() {
            Accepts::Command => offer_next(dies, chip, only, which, above, now),
            Accepts::Suspend | Accepts::PassingOrResume if self.suspension.is_some() => {
                self.offer_beside(dies, die, only, above, now).into()
            }
            _ => {
                above.orders_mut().look_past(only);
                Tried::HasNone
            }
        }
    }

    /// Offers a command of a chip whose dies work one at a time; a die with a suspended operation does not
    /// count as working.
    fn offer_for_chip<F: Fabric + ?Sized, A: Above>(
        &self,
        dies: &mut Dies<F>,
        chip: ChipId,
        of_chip: Range<u32>,
        which: Which,
        above: &mut A,
        now: SimTime,
    ) -> Tried {
        if dies.chips.package(chip).is_at_rest() {
            return offer_next(dies, chip, of_chip, which, above, now);
        }
        if self.suspension.is_none() {
            above.orders_mut().look_past(of_chip);
            return Tried::HasNone;
        }
        let mut active = of_chip.clone().map(DieId).filter(|&die| !dies.chips.die(die).is_idle());
        let (Some(die), None) = (active.next(), active.next()) else { return Tried::HasNone };
        drop(active);
        self.offer_beside(dies, die, of_chip, above, now).into()
    }

    /// Offers a command related to the suspension of `die`: suspend, resume, or a command that passes the
    /// suspended operation, for one of the dies in `beside` (this die, or all dies of its chip).
    fn offer_beside<F: Fabric + ?Sized, A: Above>(
        &self,
        dies: &mut Dies<F>,
        die: DieId,
        beside: Range<u32>,
        above: &mut A,
        now: SimTime,
    ) -> Option<Offer> {
        let wires = self.suspension?;
        match dies.chips.die(die).accepts() {
            Accepts::Suspend => offer_suspend(dies, die, beside, wires, above, now),
            Accepts::PassingOrResume => {
                let mut command = Command::unformed();
                let orders = above.orders_mut();
                if let Some(other) = next_to_pass(dies, die, beside, orders, &mut command, now) {
                    let chip = dies.chips.die(other).chip();
                    return Some(dies.offer_new(other, chip, &command, Some(die), above, now));
                }
                Some(offer_resume(dies, die, wires, above, now))
            }
            _ => None,
        }
    }
}

/// Offers the formed command of the first die in `of` that has one.
fn offer_formed<F: Fabric + ?Sized, A: Above>(
    dies: &mut Dies<F>,
    of: Range<u32>,
    which: Which,
    above: &mut A,
    now: SimTime,
) -> Tried {
    let has_formed = |&die: &DieId| dies.chips.die(die).accepts() == Accepts::ItsCommand;
    let Some(die) = of.map(DieId).find(has_formed) else { return Tried::HasNone };
    if which == Which::WithoutData && dies.chips.die(die).wires().bytes > 0 {
        return Tried::PassedOver;
    }
    Tried::Offered(dies.offer_formed(die, above, now))
}

/// Offers the next command of the idle dies in `of`.
fn offer_next<F: Fabric + ?Sized, A: Above>(
    dies: &mut Dies<F>,
    chip: ChipId,
    of: Range<u32>,
    which: Which,
    above: &mut A,
    now: SimTime,
) -> Tried {
    let mut command = Command::unformed();
    let Some(die) = above.orders_mut().next_command(of, &mut command, now) else { return Tried::HasNone };
    if which == Which::WithoutData && command.bytes > 0 {
        return Tried::PassedOver;
    }
    Tried::Offered(dies.offer_new(die, chip, &command, None, above, now))
}

fn offer_suspend<F: Fabric + ?Sized, A: Above>(
    dies: &mut Dies<F>,
    die: DieId,
    beside: Range<u32>,
    wires: WireWork,
    above: &mut A,
    now: SimTime,
) -> Option<Offer> {
    let (yielding, left) = dies.chips.may_yield(die, now)?;
    let mut next = Command::unformed();
    above.orders_mut().next_command_beside(beside, dies.chips.die(die).batch(), &mut next, now)?;
    if next.of_collection || !yielding.is_worth(next.operation, left) {
        return None;
    }
    let asked = above.orders().transactions().get(next.batch[0]).waits_since();
    let since = dies.chips.at(die).ready_since().max(asked);
    let transfer = command_transfer(die, dies.paths.chip_of(die), wires);
    let offer = dies.paths.offer(&transfer, now);
    if offer == Offer::Accepted {
        dies.sends(die, Sent::Suspend, now > since, above, now);
    }
    Some(offer)
}

fn offer_resume<F: Fabric + ?Sized, A: Above>(
    dies: &mut Dies<F>,
    die: DieId,
    wires: WireWork,
    above: &mut A,
    now: SimTime,
) -> Offer {
    let transfer = command_transfer(die, dies.paths.chip_of(die), wires);
    let offer = dies.paths.offer(&transfer, now);
    if offer == Offer::Accepted {
        let (ready, mut conflicted) = (dies.chips.at(die).ready_since(), false);
        for &id in dies.chips.suspended(die) {
            conflicted |= charge_wait(Departure { die, id, ready, for_pins: false }, above, now);
        }
        let (probes, reasons) = above.observed();
        probes.on_resumption(die, dies.chips.suspended(die)[0], reasons, now);
        dies.sends(die, Sent::Resume, conflicted, above, now);
    }
    offer
}

/// Forms the next command that may pass the suspended operation of `die`. Returns its die.
fn next_to_pass<F: Fabric + ?Sized>(
    dies: &Dies<F>,
    die: DieId,
    beside: Range<u32>,
    orders: &mut impl Orders,
    command: &mut Command,
    now: SimTime,
) -> Option<DieId> {
    let yielding = dies.chips.lets_pass(die)?;
    let next = orders.next_command_beside(beside, dies.chips.suspended(die), command, now)?;
    (!command.of_collection && yielding.lets_pass(command.operation)).then_some(next)
}
