//! Selection of a chip's next command. It is a command that was refused earlier, a new command of one of its
//! dies, a suspend or resume command, or a cache operation.
//!
//! # How
//! On drives with suspension, the controller also selects the command that a busy die would execute if it
//! were idle. It offers a suspend command to the fabric under two conditions: a request waits for a read
//! (during an erase, also for a write) in the selected command, and the remaining array time is long enough.
//! When the suspend command arrives, the array stops and its operation is saved. The die then executes
//! further commands as long as their kind and the limits of suspension permit. A resume command follows. A
//! path held for the operation is released with the suspend command and reserved again with the resume
//! command.

use std::ops::Range;

use venice_fabric::{Fabric, Offer, Transfer};
use venice_kernel::SimTime;
use venice_nand::chip::{AcceptedCommands, DieTransfer, FlashSettings, WireWork};
use venice_nand::geometry::{ChipId, DieId, TransactionId};
use venice_nand::transactions::{TransactionClass, Transactions};

use crate::observe::{Departure, Probe};

use super::dies::Dies;
use super::transfers::{charge_wait, command_transfer};
use super::{Command, CommandSource, UpperLayer};

/// Filter of the commands that may be offered to the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandFilter {
    /// All commands are offered.
    All,
    /// Only commands without data are offered, but none of scrub.
    WithoutData,
    /// All commands are offered, except those of scrub.
    WithoutScrub,
}

impl CommandFilter {
    /// Returns true if the filter excludes the command whose first transaction is `first`. `bytes` is the
    /// amount of data that the command carries.
    #[inline]
    pub(super) fn excludes(self, bytes: u32, first: TransactionId, all: &Transactions) -> bool {
        let is_scrub = || all.get(first).purpose.class() == TransactionClass::Scrub;
        match self {
            Self::All => false,
            Self::WithoutData => bytes > 0 || is_scrub(),
            Self::WithoutScrub => is_scrub(),
        }
    }
}

/// Result of the search for a command of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandSearchResult {
    /// A command was found and offered.
    Offered(Offer),
    /// A command was found, but skipped because the [`CommandFilter`] excludes it.
    PassedOver {
        /// True if the command programs host data. It is then the chip's next command until further
        /// transactions come. A command of garbage collection may become obsolete at any time.
        is_host_write: bool,
    },
    /// The chip has no command to send.
    HasNone,
}

impl From<Option<Offer>> for CommandSearchResult {
    fn from(offer: Option<Offer>) -> Self {
        offer.map_or(Self::HasNone, Self::Offered)
    }
}

/// Selects the next command of each chip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commands {
    /// Wire time of a suspend or resume command; `None` without suspension.
    suspension: Option<WireWork>,
    /// True if the drive supports cache program or cache read.
    are_cached: bool,
}

impl Commands {
    /// Creates the command selection for these flash chips.
    pub(super) fn new(flash: &FlashSettings) -> Self {
        let wires = WireWork { command: flash.commands.suspend, bytes: 0 };
        let suspension = flash.suspension.as_ref().map(|_| wires);
        Self { suspension, are_cached: flash.cache_operations.are_some() }
    }

    /// Offers a command of one of a chip's dies to the fabric.
    pub(super) fn offer<F: Fabric + ?Sized, A: UpperLayer>(
        &self,
        dies: &mut Dies<F>,
        chip: ChipId,
        which: CommandFilter,
        upper_layer: &mut A,
        now: SimTime,
    ) -> CommandSearchResult {
        let of_chip = dies.chips.dies_of(chip);
        let package = dies.chips.package(chip);
        if package.pins_are_busy() {
            upper_layer.command_source_mut().look_past(of_chip);
            return CommandSearchResult::HasNone;
        }
        if package.has_formed_command() {
            return offer_formed(dies, of_chip, which, upper_layer, now);
        }
        // Dies that work one at a time form one group.
        let has_independent_dies = !package.works_one_at_a_time();
        let group = if has_independent_dies { 1 } else { of_chip.len() as u32 };
        let mut result = CommandSearchResult::HasNone;
        let mut first = of_chip.start;
        while first < of_chip.end {
            match self.offer_for_dies(dies, chip, first..first + group, which, upper_layer, now) {
                CommandSearchResult::HasNone => {}
                // A command of scrub delays no other die of its chip, whose command may be the chip's next one.
                CommandSearchResult::PassedOver { .. }
                    if has_independent_dies && upper_layer.command_source().has_scrub() =>
                {
                    result = CommandSearchResult::PassedOver { is_host_write: false };
                }
                found => return found,
            }
            first += group;
        }
        if result == CommandSearchResult::HasNone && has_independent_dies && self.are_cached {
            result = dies.offer_next_commands(of_chip, which, upper_layer, now);
        }
        result
    }

    /// Offers a command for the dies in `group`: a single die, or all dies of a chip if they work one at a
    /// time.
    #[inline]
    fn offer_for_dies<F: Fabric + ?Sized, A: UpperLayer>(
        &self,
        dies: &mut Dies<F>,
        chip: ChipId,
        group: Range<u32>,
        which: CommandFilter,
        upper_layer: &mut A,
        now: SimTime,
    ) -> CommandSearchResult {
        let work_one_at_a_time = dies.chips.package(chip).works_one_at_a_time();
        let may_begin = if work_one_at_a_time {
            dies.chips.package(chip).is_at_rest()
        } else {
            dies.chips.die(DieId(group.start)).accepts() == AcceptedCommands::Command
        };
        if may_begin {
            offer_next(dies, chip, group, which, upper_layer, now)
        } else {
            self.offer_to_busy(dies, chip, group, upper_layer, now)
        }
    }

    /// Offers a command for a busy die, or for a group of dies of which at least one is busy. A die with a
    /// suspended operation does not count as busy.
    fn offer_to_busy<F: Fabric + ?Sized, A: UpperLayer>(
        &self,
        dies: &mut Dies<F>,
        chip: ChipId,
        group: Range<u32>,
        upper_layer: &mut A,
        now: SimTime,
    ) -> CommandSearchResult {
        let accepted = dies.chips.die(DieId(group.start)).accepts();
        let may_interrupt = dies.chips.package(chip).works_one_at_a_time()
            || matches!(accepted, AcceptedCommands::Suspend | AcceptedCommands::PassingOrResume);
        if self.suspension.is_none() || !may_interrupt {
            upper_layer.command_source_mut().look_past(group);
            return CommandSearchResult::HasNone;
        }
        let active = group.clone().map(DieId).find(|&die| !dies.chips.die(die).is_idle());
        let Some(die) = active.filter(|&die| is_only_active(dies, die, group.clone())) else {
            return CommandSearchResult::HasNone;
        };
        self.offer_beside(dies, die, group, upper_layer, now).into()
    }

    /// Offers a command for a die that holds its path during the array operation: the program command of a
    /// copyback, or a suspend command. The die can use this path even if all other paths are occupied.
    /// Returns true if the fabric accepted the command.
    pub(super) fn offer_to_holder<F: Fabric + ?Sized, A: UpperLayer>(
        &self,
        dies: &mut Dies<F>,
        chip: ChipId,
        upper_layer: &mut A,
        now: SimTime,
    ) -> bool {
        let of_chip = dies.chips.dies_of(chip);
        // The states of dies are checked first, because a query of the fabric takes longer.
        let may_use_held_path = |die| {
            let accepted = dies.chips.die(die).accepts();
            matches!(accepted, AcceptedCommands::ItsCommand | AcceptedCommands::Suspend)
        };
        if dies.chips.package(chip).pins_are_busy() || !of_chip.clone().map(DieId).any(may_use_held_path) {
            return false;
        }
        let holder = of_chip.clone().map(DieId).find(|&die| dies.paths.hold(die));
        let Some(die) = holder else { return false };
        let offer = match (dies.chips.die(die).accepts(), self.suspension) {
            (AcceptedCommands::ItsCommand, _) => Some(dies.offer_formed(die, upper_layer, now)),
            (AcceptedCommands::Suspend, Some(wires)) if !dies.chips.package(chip).works_one_at_a_time() => {
                offer_suspend(dies, die, die.0..die.0 + 1, wires, upper_layer, now)
            }
            (AcceptedCommands::Suspend, Some(wires)) if is_only_active(dies, die, of_chip.clone()) => {
                offer_suspend(dies, die, of_chip, wires, upper_layer, now)
            }
            _ => None,
        };
        offer == Some(Offer::Accepted)
    }

    /// Offers a suspend or resume command for `die`, or a command for a die in `beside` that can run while
    /// `die` is suspended. `beside` is `die` alone or all dies of its chip.
    fn offer_beside<F: Fabric + ?Sized, A: UpperLayer>(
        &self,
        dies: &mut Dies<F>,
        die: DieId,
        beside: Range<u32>,
        upper_layer: &mut A,
        now: SimTime,
    ) -> Option<Offer> {
        let wires = self.suspension?;
        match dies.chips.die(die).accepts() {
            AcceptedCommands::Suspend => offer_suspend(dies, die, beside, wires, upper_layer, now),
            AcceptedCommands::PassingOrResume => {
                let mut command = Command::unformed();
                let command_source = upper_layer.command_source_mut();
                if let Some(other) = next_to_pass(dies, die, beside, command_source, &mut command, now) {
                    let chip = dies.chips.die(other).chip();
                    return Some(dies.offer_new(other, chip, &command, Some(die), upper_layer, now));
                }
                Some(offer_resume(dies, die, wires, upper_layer, now))
            }
            _ => None,
        }
    }
}

/// Returns true if no die in `of` other than `die` is active.
fn is_only_active<F: Fabric + ?Sized>(dies: &Dies<F>, die: DieId, of: Range<u32>) -> bool {
    of.map(DieId).all(|other| other == die || dies.chips.die(other).is_idle())
}

/// Offers a command that was formed earlier and not yet accepted, for the first die in `of` that has one.
fn offer_formed<F: Fabric + ?Sized, A: UpperLayer>(
    dies: &mut Dies<F>,
    of: Range<u32>,
    which: CommandFilter,
    upper_layer: &mut A,
    now: SimTime,
) -> CommandSearchResult {
    let has_formed = |&die: &DieId| dies.chips.die(die).accepts() == AcceptedCommands::ItsCommand;
    let Some(die) = of.map(DieId).find(has_formed) else { return CommandSearchResult::HasNone };
    let state = dies.chips.die(die);
    if which.excludes(state.wires().bytes, state.batch()[0], upper_layer.command_source().transactions()) {
        return CommandSearchResult::PassedOver { is_host_write: false };
    }
    CommandSearchResult::Offered(dies.offer_formed(die, upper_layer, now))
}

/// Offers a new command of one of the idle dies in `of`.
fn offer_next<F: Fabric + ?Sized, A: UpperLayer>(
    dies: &mut Dies<F>,
    chip: ChipId,
    of: Range<u32>,
    which: CommandFilter,
    upper_layer: &mut A,
    now: SimTime,
) -> CommandSearchResult {
    let mut command = Command::unformed();
    let Some(die) = upper_layer.command_source_mut().next_command(of, &mut command, now) else {
        return CommandSearchResult::HasNone;
    };
    let all = upper_layer.command_source().transactions();
    if which.excludes(command.bytes, command.batch[0], all) {
        let class = all.get(command.batch[0]).purpose.class();
        return CommandSearchResult::PassedOver { is_host_write: class == TransactionClass::HostWrite };
    }
    CommandSearchResult::Offered(dies.offer_new(die, chip, &command, None, upper_layer, now))
}

fn offer_suspend<F: Fabric + ?Sized, A: UpperLayer>(
    dies: &mut Dies<F>,
    die: DieId,
    beside: Range<u32>,
    wires: WireWork,
    upper_layer: &mut A,
    now: SimTime,
) -> Option<Offer> {
    let (yielding, left) = dies.chips.may_yield(die, now)?;
    let mut next = Command::unformed();
    upper_layer.command_source_mut().next_command_beside(
        beside,
        dies.chips.die(die).batch(),
        &mut next,
        now,
    )?;
    if next.is_background || !yielding.is_worth(next.operation, left) {
        return None;
    }
    let waits_since = upper_layer.command_source().transactions().get(next.batch[0]).waits_since();
    let since = dies.chips.at(die).ready_since().max(waits_since);
    let transfer = command_transfer(die, dies.paths.chip_of(die), wires);
    let offer = dies.paths.offer(&transfer, now);
    if offer == Offer::Accepted {
        dies.sends(die, DieTransfer::Suspend, now > since, upper_layer, now);
    }
    Some(offer)
}

fn offer_resume<F: Fabric + ?Sized, A: UpperLayer>(
    dies: &mut Dies<F>,
    die: DieId,
    wires: WireWork,
    upper_layer: &mut A,
    now: SimTime,
) -> Offer {
    let keeps_path = dies.paths.are_held_during(dies.chips.suspended_operation(die));
    let transfer = Transfer { keeps_path, ..command_transfer(die, dies.paths.chip_of(die), wires) };
    let offer = dies.paths.offer(&transfer, now);
    if offer == Offer::Accepted {
        let (ready, mut conflicted) = (dies.chips.at(die).ready_since(), false);
        for &id in dies.chips.suspended(die) {
            conflicted |= charge_wait(Departure { die, id, ready, for_pins: false }, upper_layer, now);
        }
        let (probes, reasons) = upper_layer.observed();
        probes.on_resumption(die, dies.chips.suspended(die)[0], reasons, now);
        dies.sends(die, DieTransfer::Resume, conflicted, upper_layer, now);
    }
    offer
}

/// Forms a command that may run during the suspension of `die`, and returns the die that executes it.
fn next_to_pass<F: Fabric + ?Sized>(
    dies: &Dies<F>,
    die: DieId,
    beside: Range<u32>,
    command_source: &mut impl CommandSource,
    command: &mut Command,
    now: SimTime,
) -> Option<DieId> {
    let yielding = dies.chips.lets_pass(die)?;
    let next = command_source.next_command_beside(beside, dies.chips.suspended(die), command, now)?;
    (!command.is_background && yielding.lets_pass(command.operation)).then_some(next)
}
