//! Omnibus: a horizontal bus per row of chips and a vertical bus per column.
//!
//! # What it models
//! Controller *i* drives row bus *i* and column bus *i*, so each chip can be reached by two paths and
//! the array must have as many rows as columns. Each bus is a channel as the baseline's: the doubled
//! pins of the packetised channel are split in two.
//!
//! # How
//! A transfer takes the bus of its row if that is free, else the bus of its column if that is free,
//! else it is refused: [`Offer::PathBusy`], or [`Offer::DomainBusy`] when every bus of the drive is in
//! use. With `fabric.chip_to_chip`, a page goes from chip to chip of a column over the column's bus, if that is free, in the
//! time of a program's transfer. T = command + bytes / rate. All chips form one domain, since rows are joined by columns. The
//! paths are the row buses, then the column buses.
//!
//! # What is left out
//! A controller is assumed to drive both its buses at once. Which of the controllers grants a column bus to a copy, and how the
//! chips learn of it.
//!
//! # Source
//! Kim et al., "Networked SSD", MICRO 2022 (pnSSD, Omnibus topology); Nadig et al., "Venice", ISCA 2023,
//! §3.2.
//!
//! # Parameters
//! `bus.rate`, `chip_to_chip`.

use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};

use super::channel::{ChannelBank, Wire};
use super::{
    DomainId, Fabric, FabricCounters, FabricError, FabricEvent, FabricSettings, Offer, Outbox, Transfer,
    Wiring,
};
use crate::geometry::{Array, ChipId};

/// The one domain.
const ALL: DomainId = DomainId(0);

/// A bus per row and a bus per column.
#[derive(Clone, Debug)]
pub struct PnSsd {
    array: Array,
    buses: ChannelBank,
    /// Whether chips of a column send pages to each other.
    copies: bool,
}

impl PnSsd {
    /// Whether the array has the shape that this fabric needs.
    ///
    /// # Errors
    /// [`FabricError::NotSquare`] unless there are as many rows as columns.
    pub fn check(settings: &FabricSettings) -> Result<(), FabricError> {
        let Array { rows, cols } = settings.array;
        if rows == cols { Ok(()) } else { Err(FabricError::NotSquare { rows, cols }) }
    }

    /// The buses over the settings' array, which [`PnSsd::check`] has passed.
    pub fn new(settings: &FabricSettings) -> Self {
        let array = settings.array;
        let wire = Wire { rate: settings.bus.rate, header_bytes: 0, width: 1.0 };
        let buses = ChannelBank::new(wire, array.rows + array.cols);
        Self { array, buses, copies: settings.chip_to_chip }
    }

    #[inline]
    fn row_bus(&self, chip: ChipId) -> u32 {
        self.array.row(chip)
    }

    #[inline]
    fn column_bus(&self, chip: ChipId) -> u32 {
        self.array.rows + self.array.col(chip)
    }

    #[inline]
    fn free_bus(&self, chip: ChipId) -> Option<u32> {
        [self.row_bus(chip), self.column_bus(chip)].into_iter().find(|&bus| self.buses.is_free(bus))
    }
}

impl Fabric for PnSsd {
    #[allow(clippy::single_range_in_vec_init, reason = "one domain, which is a range of chips")]
    fn domains(&self) -> Vec<Range<u32>> {
        vec![0..self.array.chips()]
    }

    #[inline]
    fn domain_of(&self, _chip: ChipId) -> DomainId {
        ALL
    }

    #[inline]
    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        if let Some(bus) = self.free_bus(transfer.chip) {
            self.buses.carry(bus, transfer, now, out);
            return Offer::Accepted;
        }
        if self.buses.all_in_use() { Offer::DomainBusy } else { Offer::PathBusy }
    }

    fn copies(&self) -> bool {
        self.copies
    }

    fn joins(&self, from: ChipId, to: ChipId) -> bool {
        self.copies && from != to && self.array.col(from) == self.array.col(to)
    }

    fn offer_copy(&mut self, transfer: &Transfer, _from: ChipId, now: SimTime, out: &mut Outbox) -> Offer {
        let bus = self.column_bus(transfer.chip);
        if !self.buses.is_free(bus) {
            return Offer::PathBusy;
        }
        self.buses.carry(bus, transfer, now, out);
        Offer::Accepted
    }

    #[inline]
    fn handle(&mut self, event: FabricEvent, _now: SimTime, out: &mut Outbox) {
        self.buses.finish(event.0, out);
        out.woken.push(ALL);
    }

    #[inline]
    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        self.buses.idle_time(transfer)
    }

    fn is_quiet(&self) -> bool {
        self.buses.is_quiet()
    }

    fn counters(&self) -> FabricCounters {
        FabricCounters::default()
    }

    fn wiring(&self) -> Wiring {
        self.buses.wiring()
    }

    fn path_busy(&self) -> Vec<SimSpan> {
        self.buses.busy()
    }
}
