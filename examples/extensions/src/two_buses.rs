//! Two buses per row of chips, each connected to all chips of the row.
//!
//! # What it models
//! The baseline with twice the number of channels: a transfer uses the first free bus of its row.
//!
//! # How
//! A transfer occupies its bus for the command time + bytes / rate. Bus *b* of row *r* is path 2 *r* + *b*; a
//! row is an arbitration domain.
//!
//! # What is left out
//! Reservation of a bus from a read's command to its data: with `fabric.hold = "operation"`, the constructor
//! returns an error.
//!
//! # Source
//! None: this is an example of a minimal [`Fabric`].

use std::ops::Range;

use venice_fabric::{
    Delivery, DomainId, Fabric, FabricCounters, FabricError, FabricEvent, FabricSettings, Hold, Offer,
    Outbox, Transfer, Wiring,
};
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::geometry::{Array, ChipId, DieId};

const BUSES: u32 = 2;

/// Fabric of two buses per row.
#[derive(Clone, Debug)]
pub struct TwoBuses {
    array: Array,
    rate: Rate,
    /// Die of the transfer in progress, by bus.
    carries: Vec<Option<DieId>>,
    /// Busy time of each bus. The whole time of a transfer is added at its start.
    busy: Vec<SimSpan>,
    /// End of the last transfer on each bus.
    ends: Vec<SimTime>,
}

impl TwoBuses {
    /// Returns idle buses with the rate of the baseline's channel.
    ///
    /// # Errors
    /// [`FabricError::External`] with `fabric.hold` other than `"transfer"`.
    pub fn new(settings: &FabricSettings) -> Result<Self, FabricError> {
        if settings.hold != Hold::Transfer {
            let wrong = "two buses are held for a transfer at a time; set fabric.hold to \"transfer\"";
            return Err(FabricError::External(wrong.to_owned()));
        }
        let buses = (settings.array.rows * BUSES) as usize;
        let (carries, busy, ends) =
            (vec![None; buses], vec![SimSpan::ZERO; buses], vec![SimTime::ZERO; buses]);
        Ok(Self { array: settings.array, rate: settings.bus.rate, carries, busy, ends })
    }

    fn free_bus(&self, row: u32) -> Option<u32> {
        (row * BUSES..(row + 1) * BUSES).find(|&bus| self.carries[bus as usize].is_none())
    }
}

impl Fabric for TwoBuses {
    fn domains(&self) -> Vec<Range<u32>> {
        let Array { rows, cols } = self.array;
        (0..rows).map(|row| row * cols..(row + 1) * cols).collect()
    }

    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        let Some(bus) = self.free_bus(self.array.row(transfer.chip)) else { return Offer::DomainBusy };
        let time = self.idle_time(transfer);
        self.carries[bus as usize] = Some(transfer.die);
        self.busy[bus as usize] += time;
        self.ends[bus as usize] = now + time;
        out.schedule(now + time, FabricEvent(bus));
        Offer::Accepted
    }

    fn handle(&mut self, FabricEvent(bus): FabricEvent, _now: SimTime, out: &mut Outbox) {
        let ended = self.carries[bus as usize].take();
        out.delivered.extend(ended.map(|die| Delivery { die, path_wait: SimSpan::ZERO, hops: 0 }));
        out.woken.push(DomainId(bus / BUSES));
    }

    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        transfer.command + self.rate.time_for(u64::from(transfer.bytes))
    }

    fn faults_due(&mut self, _now: SimTime, _out: &mut Outbox) {}

    fn reaches(&self, _chip: ChipId) -> bool {
        true
    }

    fn is_quiet(&self) -> bool {
        self.carries.iter().all(Option::is_none)
    }

    fn counters(&self, _now: SimTime) -> FabricCounters {
        FabricCounters::default()
    }

    fn wiring(&self) -> Wiring {
        Wiring { channels: self.array.rows * BUSES, path_rate: self.rate, ..Wiring::default() }
    }

    fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
        let ahead = self.ends.iter().map(|&end| end.max(now).since(now));
        self.busy.iter().zip(ahead).map(|(&busy, ahead)| busy - ahead).collect()
    }
}
