//! pnSSD with the Omnibus topology: a horizontal bus per row of chips and a vertical bus per column.
//!
//! # What it models
//! Controller *i* drives row bus *i* and column bus *i*, so each chip has two paths and the array must be
//! square. Each bus has the baseline rate: the data pins of the packetised channel (twice the baseline) are
//! divided between the two buses.
//!
//! # How
//! With `path_choice = free` a transfer takes the bus of its row if that is free, else the bus of its column.
//! With `by_chip` each chip has one fixed bus: the row bus where row + column is even, else the column bus.
//! Each bus then serves half of its chips. With `by_content` commands without data take the column bus, and data
//! takes the row bus, with the command of a program. A bus is available if it is idle and its controller uses fewer
//! than `transfers_per_controller` of its two buses. Otherwise the transfer is refused. The response is
//! [`Offer::DomainBusy`] if no bus is idle or no controller may use a further bus, else [`Offer::PathBusy`].
//! A transfer takes T = command time + bytes / rate. All chips form one arbitration domain, since the column
//! buses connect the rows. The paths of this fabric are the row buses, then the column buses.
//!
//! With `hold = operation` a read keeps its bus and its controller from the command to the end of its data. With
//! `by_content` this is the row bus: it is held from the start of the command, which also needs the column bus.
//! If one controller drives both buses and may use only one of them, the command takes the row bus.
//!
//! With `fabric.chip_to_chip` a page can be copied between two chips of a column over the column bus, if it
//! is free. This takes as long as a program transfer. The copy occupies no controller.
//!
//! With any `path_choice`, the chips of a failed bus use their other bus. The controller's other bus keeps
//! working. A chip is lost if both of its buses have failed.
//!
//! # What is left out
//! The messages by which a controller grants a column bus to a chip-to-chip copy and notifies the chips.
//!
//! # Source
//! Kim et al., "Networked SSD", MICRO 2022 (pnSSD, Omnibus topology); Nadig et al., "Venice", ISCA 2023, §3.2
//! (N horizontal and N vertical channels, each chip on one of both). The latter leaves open how a bus is
//! chosen and how many buses a controller uses at once. The rules of `by_content` are our choice.
//!
//! # Parameters
//! `fabric.hold`, `fabric.channel_rate_mb_per_s`, `fabric.chip_to_chip`, and all of `fabric.pnssd`.

use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Array, ChipId, DieId};
use venice_params::{choices, declare, one_of, whole};

use super::channel::{ChannelBank, WireCost};
use super::loss::UnreachableChips;
use super::{
    Capabilities, Copies, Delivery, DieRequirement, DomainId, Fabric, FabricCounters, FabricError,
    FabricEvent, FabricModel, FabricSettings, Holds, NamedPath, Offer, Outbox, Topology, Transfer, Wiring,
    path,
};

/// Number of wires of a bus, relative to the packetised channel, whose data pins are divided between two
/// buses.
const HALF: f64 = 0.5;

/// Arbitration domain of all chips; pnSSD has no other.
const ALL: DomainId = DomainId(0);

/// Choice between a chip's two buses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusChoice {
    /// The row bus if it is free, otherwise the column bus.
    Free,
    /// A fixed bus for each chip: the row bus if row + column is even, otherwise the column bus.
    ByChip,
    /// The column bus for commands without data, the row bus for data.
    ByContent,
}

choices! {
    BusChoice, "choice of bus": "free" => Free, "by_chip" => ByChip, "by_content" => ByContent;
}

declare! {
    /// Row and column buses of `pnssd`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PnssdSettings in "fabric.pnssd." {
        /// Choice between a chip's two buses.
        ///
        /// `free`: the row bus if it is free, else the column bus. `by_chip`: a fixed bus for each chip, the
        /// row bus where row + column is even, else the column bus; each bus then serves half of its chips.
        /// `by_content`: the column bus for commands without data, the row bus for data.
        path_choice: BusChoice = one_of::<BusChoice>(), unit "", default "free",
            source "Nadig et al., Venice, ISCA 2023, §3.2: either a horizontal or a vertical channel; by_chip and by_content are ours";
        /// Maximum number of buses that a controller uses at the same time.
        ///
        /// Controller *i* drives row bus *i* and column bus *i*.
        transfers_per_controller: u32 = whole(1, 2), unit "transfers", default "2",
            source "assumed: the Venice paper states N + N channels and N controllers, but not their concurrency";
    }
}

/// Fabric of one bus per row, one bus per column, and the controllers that drive them.
#[derive(Clone, Debug)]
pub struct PnSsd {
    array: Array,
    choice: BusChoice,
    /// State of the buses: first the row buses, then the column buses.
    buses: ChannelBank,
    /// Maximum number of buses that a controller can use at the same time.
    most_at_once: u32,
    /// Number of buses that each controller uses now.
    at_once: Vec<u32>,
    /// Number of controllers that use `most_at_once` buses now.
    fully_taken: u32,
    /// True if chip-to-chip copies are enabled.
    copies: bool,
    /// For each column, true while its bus carries a chip-to-chip copy.
    is_copying: Vec<bool>,
}

impl FabricModel for PnSsd {
    type Parameters = PnssdSettings;

    /// Checks that the array is square.
    ///
    /// # Errors
    /// Returns [`FabricError::NotSquare`] if rows and columns differ.
    fn check(settings: &FabricSettings) -> Result<(), FabricError> {
        let Array { rows, cols } = settings.array;
        if rows == cols { Ok(()) } else { Err(FabricError::NotSquare { rows, cols }) }
    }

    /// Returns the chips whose row bus and column bus both fail.
    fn loss(settings: &FabricSettings) -> UnreachableChips {
        let array = settings.array;
        let lost = |chip| {
            settings.faults.fails(array.row(chip)) && settings.faults.fails(array.rows + array.col(chip))
        };
        UnreachableChips::of(settings.array, "their buses", lost)
    }
}

impl PnSsd {
    /// Creates the buses for the array. The settings must have passed [`PnSsd::check`].
    pub fn new(settings: &FabricSettings) -> Self {
        let array = settings.array;
        let wire = WireCost {
            rate: settings.bus.rate,
            header_bytes: 0,
            pins: HALF,
            dies: DieRequirement::Packetised,
        };
        Self {
            array,
            choice: settings.own.pnssd.path_choice,
            buses: ChannelBank::new(wire, array.rows + array.cols, settings),
            most_at_once: settings.own.pnssd.transfers_per_controller,
            at_once: vec![0; array.rows as usize],
            fully_taken: 0,
            copies: settings.chip_to_chip,
            is_copying: vec![false; array.cols as usize],
        }
    }

    #[inline]
    fn row_bus(&self, chip: ChipId) -> u32 {
        self.array.row(chip)
    }

    #[inline]
    fn column_bus(&self, chip: ChipId) -> u32 {
        self.array.rows + self.array.col(chip)
    }

    /// Returns the fixed bus of a chip for [`BusChoice::ByChip`]. Row and column buses alternate as the
    /// colours of a checkerboard, so that each bus serves half of its chips.
    #[inline]
    fn own_bus(&self, chip: ChipId) -> u32 {
        let is_dark = (self.array.row(chip) + self.array.col(chip)).is_multiple_of(2);
        if is_dark { self.row_bus(chip) } else { self.column_bus(chip) }
    }

    /// Returns `bus`, which is a bus of the chip. If the controllers have detected that this bus failed, returns
    /// the chip's other bus.
    #[inline]
    fn working_bus(&self, bus: u32, chip: ChipId) -> u32 {
        if !self.buses.is_given_up(bus) {
            return bus;
        }
        if bus == self.row_bus(chip) { self.column_bus(chip) } else { self.row_bus(chip) }
    }

    /// Returns the bus of commands without data for [`BusChoice::ByContent`].
    fn command_bus(&self, chip: ChipId) -> u32 {
        self.working_bus(self.column_bus(chip), chip)
    }

    /// Returns the bus of data for [`BusChoice::ByContent`].
    fn data_bus(&self, chip: ChipId) -> u32 {
        self.working_bus(self.row_bus(chip), chip)
    }

    /// Returns the controller of a bus: controller *i* drives row bus *i* and column bus *i*.
    #[inline]
    fn controller_of(&self, bus: u32) -> usize {
        (if bus < self.array.rows { bus } else { bus - self.array.rows }) as usize
    }

    /// True if a bus is idle and its controller may use a further bus.
    #[inline]
    fn is_open(&self, bus: u32) -> bool {
        self.buses.is_free(bus) && self.at_once[self.controller_of(bus)] < self.most_at_once
    }

    #[inline]
    fn open_bus(&self, transfer: &Transfer) -> Option<u32> {
        let chip = transfer.chip;
        let bus = match self.choice {
            BusChoice::Free => {
                let buses = [self.row_bus(chip), self.column_bus(chip)];
                return buses.into_iter().find(|&bus| self.is_open(bus));
            }
            BusChoice::ByChip => self.working_bus(self.own_bus(chip), chip),
            BusChoice::ByContent if transfer.bytes == 0 => self.command_bus(chip),
            BusChoice::ByContent => self.data_bus(chip),
        };
        Some(bus).filter(|&bus| self.is_open(bus))
    }

    /// Returns the bus that is held for the data of a command without data, with [`BusChoice::ByContent`].
    fn held_for_data(&self, transfer: &Transfer) -> Option<u32> {
        let holds = self.choice == BusChoice::ByContent && self.buses.keeps(transfer) && transfer.bytes == 0;
        holds.then(|| self.data_bus(transfer.chip))
    }

    /// Offers a command without data on its own bus, while the bus `held` is held for the command's die. If
    /// the controller may not use a further bus, the command takes the bus `held`.
    fn offer_with_hold(&mut self, transfer: &Transfer, held: u32, now: SimTime, out: &mut Outbox) -> Offer {
        if !self.is_open(held) {
            return self.refuse();
        }
        let own = self.command_bus(transfer.chip);
        let is_limited = self.most_at_once == 1 && self.controller_of(own) == self.controller_of(held);
        self.take_controller(held);
        if own == held || is_limited {
            self.buses.carry(held, transfer, now, out);
            return Offer::Accepted;
        }
        if !self.is_open(own) {
            self.release_controller(held);
            return self.refuse();
        }
        self.take_controller(own);
        self.buses.hold_for(held, transfer.die, now);
        self.buses.carry(own, &Transfer { keeps_path: false, ..*transfer }, now, out);
        Offer::Accepted
    }

    #[inline]
    fn take_controller(&mut self, bus: u32) {
        let controller = self.controller_of(bus);
        self.at_once[controller] += 1;
        self.fully_taken += u32::from(self.at_once[controller] == self.most_at_once);
    }

    #[inline]
    fn release_controller(&mut self, bus: u32) {
        let controller = self.controller_of(bus);
        self.fully_taken -= u32::from(self.at_once[controller] == self.most_at_once);
        self.at_once[controller] -= 1;
    }

    /// Releases the controller of `bus` at the end of a transfer. Chip-to-chip copies occupy no controller.
    #[inline]
    fn release_controller_unless_copying(&mut self, bus: u32) {
        let column = bus.checked_sub(self.array.rows);
        let was_copying = column.is_some_and(|column| std::mem::take(&mut self.is_copying[column as usize]));
        if !was_copying {
            self.release_controller(bus);
        }
    }

    #[inline]
    fn refuse(&self) -> Offer {
        let none_left = self.buses.all_in_use() || self.fully_taken == self.array.rows;
        if none_left { Offer::DomainBusy } else { Offer::PathBusy }
    }
}

impl Fabric for PnSsd {
    #[allow(clippy::single_range_in_vec_init, reason = "one domain, which is a range of chips")]
    fn domains(&self) -> Vec<Range<u32>> {
        vec![0..self.array.chips()]
    }

    #[inline]
    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        if let Some(bus) = self.buses.kept_for(transfer.die) {
            self.buses.carry(bus, transfer, now, out);
            return Offer::Accepted;
        }
        if let Some(held) = self.held_for_data(transfer) {
            return self.offer_with_hold(transfer, held, now, out);
        }
        let Some(bus) = self.open_bus(transfer) else { return self.refuse() };
        self.take_controller(bus);
        self.buses.carry(bus, transfer, now, out);
        Offer::Accepted
    }

    fn release_path(&mut self, _chip: ChipId, die: DieId, now: SimTime, out: &mut Outbox) {
        if let Some(bus) = self.buses.release(die, now) {
            self.release_controller(bus);
            out.woken.push(ALL);
        }
    }

    #[inline]
    fn handle(&mut self, event: FabricEvent, now: SimTime, out: &mut Outbox) {
        let FabricEvent(bus) = event;
        let (die, is_free) = self.buses.finish(bus, now);
        out.delivered.push(Delivery { die, path_wait: SimSpan::ZERO, hops: 0 });
        if is_free {
            self.release_controller_unless_copying(bus);
            out.woken.push(ALL);
        }
    }

    #[inline]
    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        self.buses.idle_time(transfer)
    }

    fn faults_due(&mut self, now: SimTime, out: &mut Outbox) {
        self.buses.faults_due(now);
        out.woken.push(ALL);
    }

    fn reaches(&self, chip: ChipId) -> bool {
        let buses = [self.row_bus(chip), self.column_bus(chip)];
        buses.into_iter().any(|bus| !self.buses.is_given_up(bus))
    }

    fn is_quiet(&self) -> bool {
        self.buses.is_quiet()
    }

    fn counters(&self, now: SimTime) -> FabricCounters {
        FabricCounters { paths_kept: self.buses.kept(now), ..FabricCounters::default() }
    }

    fn wiring(&self) -> Wiring {
        self.buses.wiring()
    }

    fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
        self.buses.busy(now)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        let copies: Option<&dyn Copies> = if self.copies { Some(self) } else { None };
        Capabilities { holds: Some(self), copies, topology: Some(self), ..Capabilities::default() }
    }

    fn copies_mut(&mut self) -> Option<&mut dyn Copies> {
        if self.copies { Some(self) } else { None }
    }
}

impl Holds for PnSsd {
    #[inline]
    fn holds_path(&self, die: DieId) -> bool {
        self.buses.kept_for(die).is_some()
    }
}

impl Copies for PnSsd {
    fn joins(&self, from: ChipId, to: ChipId) -> bool {
        let same_column = from != to && self.array.col(from) == self.array.col(to);
        same_column && !self.buses.is_given_up(self.column_bus(to))
    }

    fn offer_copy(&mut self, transfer: &Transfer, _from: ChipId, now: SimTime, out: &mut Outbox) -> Offer {
        let bus = self.column_bus(transfer.chip);
        if !self.buses.is_free(bus) {
            return Offer::PathBusy;
        }
        self.is_copying[self.array.col(transfer.chip) as usize] = true;
        self.buses.carry(bus, transfer, now, out);
        Offer::Accepted
    }

    /// Returns the time of a copy on idle buses. It equals the time of a transfer to the chip, since both
    /// cross one bus.
    fn idle_time_of_copy(&self, transfer: &Transfer, _from: ChipId) -> SimSpan {
        self.idle_time(transfer)
    }
}

impl Topology for PnSsd {
    fn occupied_by(&self, chip: ChipId, die: DieId, paths: &mut Vec<u32>) -> bool {
        let buses = [self.row_bus(chip), self.column_bus(chip)];
        paths.extend(buses.into_iter().filter(|&bus| self.buses.carries(bus, die)));
        true
    }

    fn paths(&self) -> Vec<NamedPath> {
        let array = self.array;
        let row = |row| NamedPath::along(format!("row bus {row}"), row, path::row(array, row));
        let column = |col| {
            let chips = (0..array.rows).map(move |row| array.chip(row, col));
            NamedPath::along(format!("column bus {col}"), col, chips)
        };
        (0..array.rows).map(row).chain((0..array.cols).map(column)).collect()
    }
}
