//! Transfers to and from dies: new commands, commands that were refused earlier, and read data.
//!
//! # How
//!
//! A transfer is created and offered to the fabric. If the fabric accepts it, the waiting time of its
//! transactions is added to latency stages, the probes are notified, and the die's state advances. Otherwise
//! no state changes.

use std::ops::Range;

use venice_fabric::{Direction, Fabric, Offer, Transfer};
use venice_kernel::SimTime;
use venice_nand::chip::{
    AcceptedCommands, ArrayWork, Die, DieAccess, DieTransfer, IssuedCommand, Operation, WireWork,
};
use venice_nand::geometry::{ChipId, DieId, TransactionId};

use crate::observe::{CommandStart, Departure, Probe, TransactionOrigins};

use super::chip_to_chip::may_be_copied;
use super::dies::Dies;
use super::paths::Paths;
use super::{Command, CommandSource, UpperLayer};

impl<F: Fabric + ?Sized> Dies<F> {
    /// Returns true if a die might accept a new command, because it is idle or may suspend its operation.
    #[inline]
    pub(super) fn take_work(&self, die: DieId) -> bool {
        let settings = self.chips.settings();
        match self.chips.die(die).accepts() {
            AcceptedCommands::Command | AcceptedCommands::PassingOrResume => true,
            AcceptedCommands::Suspend => settings.suspension.is_some() || settings.cache_operations.program,
            AcceptedCommands::NextRead => settings.cache_operations.read,
            AcceptedCommands::ItsCommand | AcceptedCommands::Nothing => false,
        }
    }

    /// Returns true if a chip without suspension may have a command to send. The check is fast, because it
    /// forms no command.
    pub(super) fn may_have_command(&self, chip: ChipId, command_source: &impl CommandSource) -> bool {
        let package = self.chips.package(chip);
        if package.has_formed_command() {
            return true;
        }
        if package.works_one_at_a_time() {
            // If the dies of a chip work one at a time, either all of them are idle or none accepts a
            // command.
            return package.is_at_rest() && waits_for_any(self.chips.dies_of(chip), command_source);
        }
        let mut dies = (self.chips.dies_of(chip).start..).zip(self.chips.states_of(chip));
        let has_work = |(die, state): (u32, &Die)| {
            state.accepts() == AcceptedCommands::Command && command_source.waits_for(DieId(die))
        };
        dies.any(has_work)
    }

    /// Offers the next command of a die, which may run during the suspension of the die `passes`. If the
    /// fabric accepts the command, the die starts it.
    pub(super) fn offer_new<A: UpperLayer>(
        &mut self,
        die: DieId,
        chip: ChipId,
        command: &Command,
        passes: Option<DieId>,
        upper_layer: &mut A,
        now: SimTime,
    ) -> Offer {
        let offer = self.offer_command(die, chip, command, upper_layer.command_source(), now);
        if offer == Offer::Accepted {
            let issue = self.start_command(die, chip, command, upper_layer, now);
            begin(&mut self.chips.at(die), die, &issue, upper_layer, now);
            if let Some(passed) = passes {
                self.chips.let_pass(passed);
            }
        }
        offer
    }

    /// Offers the transfer of a new command to the fabric.
    #[inline]
    pub(super) fn offer_command(
        &mut self,
        die: DieId,
        chip: ChipId,
        command: &Command,
        command_source: &impl CommandSource,
        now: SimTime,
    ) -> Offer {
        let paths = &mut self.paths;
        let all = command_source.transactions();
        let keeps_path = keeps_path(paths, command.operation, &command.batch, command_source);
        let moved = if command.bytes == 0 { None } else { paths.moved(all, &command.batch, chip) };
        let waiting_since = command.batch.first().map(|&first| all.get(first).requested_since());
        let wires = wires_of(command);
        let transfer = Transfer { keeps_path, moved, waiting_since, ..command_transfer(die, chip, wires) };
        paths.offer(&transfer, now)
    }

    /// Processes the acceptance of a new command: removes its transactions from the queues, and adds their
    /// waiting time to latency stages. Returns the command for the die.
    #[inline]
    pub(super) fn start_command<'a, A: UpperLayer>(
        &mut self,
        die: DieId,
        chip: ChipId,
        command: &'a Command,
        upper_layer: &mut A,
        now: SimTime,
    ) -> IssuedCommand<'a> {
        let Self { chips, paths, .. } = self;
        let conflicted = charge_new(die, chips.at(die).ready_since(), &command.batch, upper_layer, now);
        let (times, mut work) = (&chips.settings().array, ArrayWork::default());
        upper_layer.command_source_mut().start(die, command, now, |page| work = work.max(times.work(page)));
        if paths.losses().is_lost(chip) {
            work = ArrayWork::default();
        }
        let (operation, batch) = (command.operation, &command.batch[..]);
        IssuedCommand { operation, batch, wires: wires_of(command), work, fed_by: None, conflicted }
    }

    /// Offers a die's command that was refused earlier and waits for a path.
    pub(super) fn offer_formed<A: UpperLayer>(
        &mut self,
        die: DieId,
        upper_layer: &mut A,
        now: SimTime,
    ) -> Offer {
        let command_source = upper_layer.command_source();
        let (state, all) = (self.chips.die(die), command_source.transactions());
        let (chip, wires, batch) = (state.chip(), state.wires(), state.batch());
        let keeps_path = keeps_path(&self.paths, state.operation(), batch, command_source);
        let moved = if wires.bytes == 0 { None } else { self.paths.moved(all, batch, chip) };
        let waiting_since = Some(all.get(batch[0]).requested_since());
        let transfer = Transfer { keeps_path, moved, waiting_since, ..command_transfer(die, chip, wires) };
        let offer = self.paths.offer(&transfer, now);
        if offer == Offer::Accepted {
            let conflicted = self.charge_formed(die, upper_layer, now);
            self.sends(die, DieTransfer::FormedCommand, conflicted, upper_layer, now);
        }
        offer
    }

    /// Adds the waiting time of a command that was refused earlier to latency stages. Returns true if the
    /// command waited for a path. The result is always true if the fabric had accepted the command and then
    /// could not route it.
    fn charge_formed<A: UpperLayer>(&mut self, die: DieId, upper_layer: &mut A, now: SimTime) -> bool {
        let at = self.chips.at(die);
        let (ready, bounced) = (at.waits_since(), at.state().has_bounced());
        let mut conflict = bounced;
        for &id in at.batch() {
            if bounced {
                upper_layer.command_source_mut().transactions_mut().get_mut(id).charge_path_wait(now);
            } else {
                conflict |= charge_wait(Departure { die, id, ready, for_pins: true }, upper_layer, now);
            }
        }
        conflict
    }

    /// Offers the first of the pages that a die's registers hold.
    pub(super) fn offer_data<A: UpperLayer>(
        &mut self,
        die: DieId,
        upper_layer: &mut A,
        now: SimTime,
    ) -> Offer {
        let Self { chips, paths, .. } = self;
        let (command, command_source) = (chips.settings().commands.data_out, upper_layer.command_source());
        let mut at = chips.at(die);
        let (chip, batch, all) = (at.chip(), at.batch(), command_source.transactions());
        let id = batch[0];
        // A page that may be copied to another chip must not hold a path, since nothing would release the
        // path after the copy.
        let may_go_elsewhere = paths.carry_copies() && may_be_copied(&batch[1..], command_source);
        let transfer = Transfer {
            die,
            chip,
            direction: Direction::FromChip,
            command,
            bytes: all.get(id).bytes,
            keeps_path: batch.len() > 1 && !may_go_elsewhere,
            moved: paths.moved(all, &batch[..1], chip),
            waiting_since: Some(all.get(id).requested_since()),
        };
        let offer = paths.offer(&transfer, now);
        if offer == Offer::Accepted {
            let departure = Departure { die, id, ready: at.waits_since(), for_pins: true };
            let conflicted = charge_wait(departure, upper_layer, now);
            at.sends(DieTransfer::Data, conflicted, now);
            upper_layer.observed().0.on_pins_taken(die, DieTransfer::Data, now);
        }
        offer
    }

    /// Processes the acceptance of a transfer. `conflicted` is true if the transfer had to wait for a path.
    pub(super) fn sends<A: UpperLayer>(
        &mut self,
        die: DieId,
        sent: DieTransfer,
        conflicted: bool,
        upper_layer: &mut A,
        now: SimTime,
    ) {
        self.chips.at(die).sends(sent, conflicted, now);
        upper_layer.observed().0.on_pins_taken(die, sent, now);
    }
}

/// Returns true if a die keeps its path after the transfer of a command. If the page may be copied to another
/// chip, the die must not hold a path to a controller.
#[inline]
fn keeps_path<F: Fabric + ?Sized>(
    paths: &Paths<F>,
    operation: Operation,
    batch: &[TransactionId],
    command_source: &impl CommandSource,
) -> bool {
    if operation == Operation::Read {
        !(paths.carry_copies() && may_be_copied(batch, command_source))
    } else {
        paths.are_held_during(operation)
    }
}

/// Returns true if a transaction waits for at least one of the dies. The function contains a loop because the
/// compiler does not inline `Iterator::any` on this hot path.
fn waits_for_any(dies: Range<u32>, command_source: &impl CommandSource) -> bool {
    for die in dies {
        if command_source.waits_for(DieId(die)) {
            return true;
        }
    }
    false
}

/// Adds the waiting time of a new command's transactions to latency stages. `ready` is the instant at which
/// the die became ready. Returns true if one of the transactions waited for a path.
fn charge_new<A: UpperLayer>(
    die: DieId,
    ready: SimTime,
    batch: &[TransactionId],
    upper_layer: &mut A,
    now: SimTime,
) -> bool {
    let Some((&lead, others)) = batch.split_first() else { return false };
    let conflicted = charge_new_one(die, lead, ready, upper_layer, now);
    if others.is_empty() {
        conflicted
    } else {
        charge_others(die, ready, others, upper_layer, now) || conflicted
    }
}

/// Adds the waiting time of a command's transactions, except for the first one, to latency stages. Not
/// inlined, because most commands have only one transaction.
fn charge_others<A: UpperLayer>(
    die: DieId,
    ready: SimTime,
    others: &[TransactionId],
    upper_layer: &mut A,
    now: SimTime,
) -> bool {
    let mut conflicted = false;
    for &id in others {
        conflicted |= charge_new_one(die, id, ready, upper_layer, now);
    }
    conflicted
}

/// Adds the waiting time of a transaction of a new command to latency stages. Returns true if the transaction
/// waited for a path.
pub(super) fn charge_new_one<A: UpperLayer>(
    die: DieId,
    id: TransactionId,
    ready: SimTime,
    upper_layer: &mut A,
    now: SimTime,
) -> bool {
    let (probes, reasons) = upper_layer.observed();
    probes.on_departure(&Departure { die, id, ready, for_pins: false }, reasons, now);
    // A write is not ready before its plane has had a free page.
    let ready = ready.max(reasons.no_room_until(id));
    upper_layer.command_source_mut().transactions_mut().get_mut(id).charge_wait(ready, now)
}

/// Starts a command that the fabric has accepted. The die is then busy.
pub(super) fn begin<A: UpperLayer>(
    at: &mut DieAccess<'_>,
    die: DieId,
    issue: &IssuedCommand<'_>,
    upper_layer: &mut A,
    now: SimTime,
) {
    let is_interleaved = at.issue(issue, now);
    let &IssuedCommand { operation, batch, work, .. } = issue;
    let (probes, reasons) = upper_layer.observed();
    let start = CommandStart { die, chip: at.chip(), operation, batch, work, is_interleaved, is_next: false };
    probes.on_command(&start, reasons, now);
}

/// Adds the waiting time of read data, or of a command formed earlier, to latency stages. Returns true if the
/// data or command waited for a path.
#[inline]
pub(super) fn charge_wait<A: UpperLayer>(departure: Departure, upper_layer: &mut A, now: SimTime) -> bool {
    let Departure { id, ready, .. } = departure;
    let (probes, reasons) = upper_layer.observed();
    probes.on_departure(&departure, reasons, now);
    upper_layer.command_source_mut().transactions_mut().get_mut(id).charge_wait(ready, now)
}

/// Returns the size and the command time of a new command, as sent over the wires.
#[inline]
const fn wires_of(command: &Command) -> WireWork {
    WireWork { command: command.command, bytes: command.bytes }
}

/// Creates the transfer of a command, without a held path and without relocated pages.
#[inline]
pub(super) const fn command_transfer(die: DieId, chip: ChipId, wires: WireWork) -> Transfer {
    let WireWork { command, bytes } = wires;
    Transfer {
        die,
        chip,
        direction: Direction::ToChip,
        command,
        bytes,
        keeps_path: false,
        moved: None,
        waiting_since: None,
    }
}
