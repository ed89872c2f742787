//! Fabric implemented in Python, as an object with the methods of `venice.FabricModel`.
//!
//! # How
//! For each offered transfer, the Python object returns the end of the transfer, or refuses the transfer. The
//! transfers in progress are stored in this module.
//!
//! # What is left out
//! A path cannot be held beyond a transfer. Python does not describe the wires, so the report contains the
//! areas of the bus.

use std::collections::BTreeMap;
use std::ops::Range;

use pyo3::prelude::*;
use venice_fabric::{
    Delivery, Direction, DomainId, Fabric, FabricCounters, FabricError, FabricEvent, FabricSettings, Hold,
    Offer, Outbox, Transfer, Wiring,
};
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::geometry::{Array, ChipId, DieId};
use venice_requests::LAST_ISSUE;

use crate::error;
use crate::python_policies::{PolicyFailure, expect_methods};

/// Maximum number of paths, far more than any array has.
const MAX_PATHS: usize = 1 << 20;

/// Transfer that is offered to a fabric.
#[pyclass(frozen, get_all, module = "venice._native")]
#[derive(Clone, Debug)]
pub struct OfferedTransfer {
    /// Number of the die. The die identifies the transfer, since it has at most one transfer in progress.
    die: u32,
    /// Number of the chip.
    chip: u32,
    /// Row of the chip.
    row: u32,
    /// Column of the chip.
    column: u32,
    /// True for a transfer to the chip, false for a transfer to a controller.
    to_chip: bool,
    /// Size of the data in bytes; 0 for a command without data.
    size_bytes: u32,
    /// Duration of the command cycles, in microseconds.
    command_us: f64,
    /// Duration of the transfer on an idle bus channel, in microseconds.
    channel_us: f64,
}

/// Path and die of a transfer in progress.
struct TransferInProgress {
    offered: Py<OfferedTransfer>,
    path: Option<usize>,
}

/// Fabric that calls a Python object for each offered transfer.
pub struct PythonFabric {
    object: Py<PyAny>,
    receives_ends: bool,
    array: Array,
    rate: Rate,
    domains: Vec<Range<u32>>,
    domain_of: Vec<DomainId>,
    /// Transfers in progress, by die.
    transfers: BTreeMap<u32, TransferInProgress>,
    /// Total time during which each path has at least one transfer. The time of a transfer is added when it
    /// starts.
    busy: Vec<SimSpan>,
    /// End of the last transfer of each path.
    ends: Vec<SimTime>,
    failure: PolicyFailure,
}

impl PythonFabric {
    /// Creates the fabric by calling the Python object `make` with the settings.
    ///
    /// # Errors
    /// Returns [`FabricError::External`] if the settings are unsuitable or Python raises an exception, which
    /// is stored in `failure`.
    pub fn create(
        make: &Py<PyAny>,
        settings: &FabricSettings,
        failure: PolicyFailure,
    ) -> Result<Self, FabricError> {
        if settings.hold != Hold::Transfer {
            let wrong = "a fabric written in Python holds paths for a single transfer; expected: fabric.hold = \"transfer\"";
            return Err(FabricError::External(wrong.to_owned()));
        }
        Python::attach(|py| Self::created(make.bind(py), settings, failure.clone())).map_err(|raised| {
            let text = raised.to_string();
            failure.set(raised);
            FabricError::External(text)
        })
    }

    fn created(make: &Bound<'_, PyAny>, settings: &FabricSettings, failure: PolicyFailure) -> PyResult<Self> {
        let (array, rate) = (settings.array, settings.bus.rate);
        let constructor = make.py().import("venice")?.getattr("FabricSettings")?;
        let object = make.call1((constructor.call1((array.rows, array.cols))?,))?;
        expect_methods(&object, "fabric_model", &["offer"])?;
        let paths: usize = if object.hasattr("paths")? { object.getattr("paths")?.extract()? } else { 0 };
        if paths > MAX_PATHS {
            let wrong = format!("`paths` is {paths}; expected: 0 to {MAX_PATHS}");
            return Err(error::usage(&wrong));
        }
        let domains = domains(&object, array)?;
        Ok(Self {
            receives_ends: object.hasattr("ended")?,
            object: object.unbind(),
            array,
            rate,
            domain_of: DomainId::of_chips(&domains),
            domains,
            transfers: BTreeMap::new(),
            busy: vec![SimSpan::ZERO; paths],
            ends: vec![SimTime::ZERO; paths],
            failure,
        })
    }

    fn channel_time(&self, transfer: &Transfer) -> SimSpan {
        transfer.command + self.rate.time_for(u64::from(transfer.bytes))
    }

    fn offered(&self, transfer: &Transfer) -> OfferedTransfer {
        OfferedTransfer {
            die: transfer.die.0,
            chip: transfer.chip.0,
            row: self.array.row(transfer.chip),
            column: self.array.col(transfer.chip),
            to_chip: transfer.direction == Direction::ToChip,
            size_bytes: transfer.bytes,
            command_us: transfer.command.as_us(),
            channel_us: self.channel_time(transfer).as_us(),
        }
    }

    /// Offers a transfer to the Python object. Returns the transfer's end and path, or `None` if it is
    /// refused.
    fn answer(&self, transfer: &Transfer, now: SimTime) -> PyResult<Option<(SimTime, TransferInProgress)>> {
        Python::attach(|py| {
            let offered = Py::new(py, self.offered(transfer))?;
            let answered = self.object.bind(py).call_method1("offer", (&offered, now.as_us()))?;
            if answered.is_none() {
                return Ok(None);
            }
            let (end_us, path) = end_and_path(&answered)?;
            if path.is_some_and(|path| path >= self.busy.len()) {
                return Err(error::usage("`offer` returned a path beyond the attribute `paths`"));
            }
            let end = Self::instant(end_us, now)?;
            Ok(Some((end, TransferInProgress { offered, path })))
        })
    }

    /// Converts the end of a transfer from microseconds to simulated time.
    fn instant(us: f64, now: SimTime) -> PyResult<SimTime> {
        // Rounding of microseconds moves a time by 0.1 ps at most, so that an end more than 1 ns before `now`
        // is an error.
        if !us.is_finite() || us > LAST_ISSUE.as_us() || us < now.as_us() - 1e-3 {
            let wrong = format!(
                "`offer` returned {us}; expected: a time of at least now_us = {}, or None",
                now.as_us()
            );
            return Err(error::usage(&wrong));
        }
        Ok((SimTime::ZERO + SimSpan::from_us_f64(us)).max(now))
    }
}

/// Returns the end of a transfer in microseconds and its path, if there is one, from the result of `offer`.
fn end_and_path(answered: &Bound<'_, PyAny>) -> PyResult<(f64, Option<usize>)> {
    let with_path = answered.extract::<(f64, usize)>().map(|(end_us, path)| (end_us, Some(path)));
    with_path.or_else(|_| answered.extract::<f64>().map(|end_us| (end_us, None))).map_err(|_| {
        error::wrong_result("offer", answered, "the end of the transfer in µs, alone or with a path, or None")
    })
}

/// Returns the arbitration domains that the Python object defines. Without a method `domains`, all chips are
/// in one domain.
fn domains(object: &Bound<'_, PyAny>, array: Array) -> PyResult<Vec<Range<u32>>> {
    if !object.hasattr("domains")? {
        return Ok(std::iter::once(0..array.chips()).collect());
    }
    let bounds: Vec<(u32, u32)> = object.call_method0("domains")?.extract()?;
    let mut next = 0;
    for &(first, end) in &bounds {
        if first != next || end <= first {
            let wrong = "`domains` returned ranges that do not follow one another; expected: (first chip, end) of each";
            return Err(error::usage(wrong));
        }
        next = end;
    }
    if next != array.chips() {
        let wrong = format!("`domains` covers {next} of {} chips; expected: all chips", array.chips());
        return Err(error::usage(&wrong));
    }
    Ok(bounds.into_iter().map(|(first, end)| first..end).collect())
}

impl Fabric for PythonFabric {
    fn domains(&self) -> Vec<Range<u32>> {
        self.domains.clone()
    }

    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        if self.failure.is_set() {
            return Offer::DomainBusy;
        }
        let (end, started) = match self.answer(transfer, now) {
            Ok(Some(accepted)) => accepted,
            Ok(None) => return Offer::PathBusy,
            Err(raised) => {
                self.failure.set(raised);
                return Offer::DomainBusy;
            }
        };
        if let Some(path) = started.path {
            // Until the end of the last transfer, the path is busy in any case.
            let idle_until = self.ends[path].max(now);
            self.ends[path] = idle_until.max(end);
            self.busy[path] += self.ends[path].since(idle_until);
        }
        self.transfers.insert(transfer.die.0, started);
        out.schedule(end, FabricEvent(transfer.die.0));
        Offer::Accepted
    }

    fn handle(&mut self, FabricEvent(die): FabricEvent, now: SimTime, out: &mut Outbox) {
        let Some(ended) = self.transfers.remove(&die) else { return };
        let offered = ended.offered.get();
        if self.receives_ends && !self.failure.is_set() {
            let called = Python::attach(|py| {
                self.object.bind(py).call_method1("ended", (&ended.offered, now.as_us())).map(drop)
            });
            called.unwrap_or_else(|raised| self.failure.set(raised));
        }
        let die = DieId(offered.die);
        out.delivered.push(Delivery { die, path_wait: SimSpan::ZERO, hops: 0 });
        out.woken.push(self.domain_of[offered.chip as usize]);
    }

    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        self.channel_time(transfer)
    }

    fn faults_due(&mut self, _now: SimTime, _out: &mut Outbox) {}

    fn reaches(&self, _chip: ChipId) -> bool {
        true
    }

    fn is_quiet(&self) -> bool {
        self.transfers.is_empty()
    }

    fn counters(&self, _now: SimTime) -> FabricCounters {
        FabricCounters::default()
    }

    fn wiring(&self) -> Wiring {
        Wiring { channels: self.array.rows, path_rate: self.rate, ..Wiring::default() }
    }

    fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
        let ahead = self.ends.iter().map(|&end| end.max(now).since(now));
        self.busy.iter().zip(ahead).map(|(&busy, ahead)| busy - ahead).collect()
    }
}
