//! Fabric `NAME`: several buses for each row of chips, each connected to all chips of the row.
//!
//! Contract: the documentation of the crate `venice_fabric`.

use std::ops::Range;

use venice_engine::crates::fabric::{
    Delivery, DomainId, Fabric as FabricModel, FabricCounters, FabricError, FabricEvent, FabricSettings, Hold, Offer,
    Outbox, Transfer, Wiring,
};
use venice_engine::crates::kernel::{Rate, SimSpan, SimTime};
use venice_engine::crates::nand::geometry::{Array, ChipId, DieId};
use venice_engine::crates::params::{declare, whole};

declare! {
    /// Parameters of the fabric `NAME`.
    pub struct FabricParameters in "fabric.NAME." {
        /// Number of buses of a row.
        buses: u32 = whole(1, 64), unit "buses", default "2", source "ours";
    }
}

/// Fabric `NAME`. Bus *b* of row *r* is path `buses` × *r* + *b*.
#[derive(Clone, Debug)]
pub struct Fabric {
    array: Array,
    buses: u32,
    rate: Rate,
    /// Die of the transfer in progress, by path.
    carries: Vec<Option<DieId>>,
    /// Time in use, by path; the time of a transfer is added at its start.
    busy: Vec<SimSpan>,
    /// End of the last transfer, by path.
    ends: Vec<SimTime>,
}

impl Fabric {
    /// Returns idle buses at the rate of the baseline's channel.
    ///
    /// # Errors
    /// [`FabricError::External`] unless paths are held for a single transfer.
    pub fn new(own: &FabricParameters, settings: &FabricSettings) -> Result<Self, FabricError> {
        if settings.hold != Hold::Transfer {
            let wrong = "a bus is held for a single transfer; set fabric.hold to \"transfer\"";
            return Err(FabricError::External(wrong.to_owned()));
        }
        let paths = (settings.array.rows * own.buses) as usize;
        Ok(Self {
            array: settings.array,
            buses: own.buses,
            rate: settings.bus.rate,
            carries: vec![None; paths],
            busy: vec![SimSpan::ZERO; paths],
            ends: vec![SimTime::ZERO; paths],
        })
    }

    fn free_path(&self, row: u32) -> Option<u32> {
        (row * self.buses..(row + 1) * self.buses).find(|&path| self.carries[path as usize].is_none())
    }
}

impl FabricModel for Fabric {
    fn domains(&self) -> Vec<Range<u32>> {
        let Array { rows, cols } = self.array;
        (0..rows).map(|row| row * cols..(row + 1) * cols).collect()
    }

    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        let Some(path) = self.free_path(self.array.row(transfer.chip)) else { return Offer::DomainBusy };
        let time = self.idle_time(transfer);
        self.carries[path as usize] = Some(transfer.die);
        self.busy[path as usize] += time;
        self.ends[path as usize] = now + time;
        out.schedule(now + time, FabricEvent(path));
        Offer::Accepted
    }

    fn handle(&mut self, FabricEvent(path): FabricEvent, _now: SimTime, out: &mut Outbox) {
        let ended = self.carries[path as usize].take();
        out.delivered.extend(ended.map(|die| Delivery { die, path_wait: SimSpan::ZERO, hops: 0 }));
        out.woken.push(DomainId(path / self.buses));
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
        Wiring { channels: self.array.rows * self.buses, path_rate: self.rate, ..Wiring::default() }
    }

    fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
        let ahead = self.ends.iter().map(|&end| end.max(now).since(now));
        self.busy.iter().zip(ahead).map(|(&busy, ahead)| busy - ahead).collect()
    }
}
