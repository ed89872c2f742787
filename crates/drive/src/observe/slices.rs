//! Trace of a run: slices (periods of activity) of all resources in a window of time.
//!
//! # How
//! When an activity begins, its start is stored with the resource: the die for a command and its array
//! operation, the chip for a transfer over its pins, the plane for garbage collection. When the activity
//! ends, a [`Slice`] is added. The probe interface provides neither the paths of the fabric nor request
//! numbers. They are queried after each event in which an activity began ([`Slices::complete`]).
//!
//! # What is left out
//! Slices of destaged pages and of operands of gathers do not name their requests. A chip-to-chip copy is
//! recorded for the destination chip only.

use arrayvec::ArrayVec;
use venice_fabric::{Fabric, PacketHop, ScoutTrip, Sender};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{DieTransfer, Operation, SearchOutput};
use venice_nand::geometry::{ChipId, DieId, Geometry, MAX_PLANES, PlaneId, RequestId, TransactionId};

use venice_requests::Op;

use super::slice::{ResourceActivity, ResourceKind, Slice, SliceSettings};
use super::{CommandStart, Completion, Probe, TransactionOrigins};

/// Request to which an activity belongs.
#[derive(Clone, Copy, Debug)]
enum ActivityOwner {
    /// The activity belongs to no request, or the request is unknown.
    Unowned,
    /// Entry of the request in the table of outstanding requests. Its number has not been queried yet.
    Slot(RequestId),
    /// Number of the request in the order of issue.
    Number(u32),
}

/// Page that a die's command accesses, with its plane and request.
#[derive(Clone, Copy, Debug)]
struct CommandPage {
    plane: PlaneId,
    owner: ActivityOwner,
}

/// Command that a die executes, with its pages.
#[derive(Clone, Debug, Default)]
struct DieCommand {
    operation: Operation,
    pages: ArrayVec<CommandPage, MAX_PLANES>,
}

/// Current activity of a die.
#[derive(Clone, Debug, Default)]
struct DieCourse {
    command: DieCommand,
    /// Number of pages of the current command that have already been sent from the die's registers.
    pages_sent: usize,
    /// Current activity of the array, and its start.
    at: Option<(ResourceActivity, SimTime)>,
    /// Suspended command, and the time at which it was suspended.
    parked: Option<(DieCommand, SimTime)>,
    /// Next command of the die, which was sent before the end of the current one (cache operations).
    next: Option<DieCommand>,
    /// True if a resume command has arrived at the die.
    resumes: bool,
}

impl DieCourse {
    /// Returns the command that the array executes. If the next command is a read, this is the next command,
    /// because the data of the current command is then being sent.
    fn at_work(&self) -> &DieCommand {
        self.next.as_ref().filter(|next| next.operation == Operation::Read).unwrap_or(&self.command)
    }
}

/// Transfer over the pins of a chip that is in progress.
#[derive(Clone, Debug)]
struct PinTransfer {
    die: DieId,
    what: ResourceActivity,
    begin: SimTime,
    owner: ActivityOwner,
    /// Paths of the fabric that the transfer occupies, from the time `placed` on.
    way: Vec<u32>,
    placed: Option<SimTime>,
}

/// Circuit to a chip, reserved by the last scout to this chip.
#[derive(Clone, Copy, Debug)]
struct ReservedCircuit {
    controller: u32,
    ready: SimTime,
    what: ResourceActivity,
}

/// Slices of all resources in a window of a run.
#[derive(Clone, Debug)]
pub struct Slices {
    window: SliceSettings,
    geometry: Geometry,
    kept: Vec<Slice>,
    trips: Vec<ScoutTrip>,
    full_at: Option<SimTime>,
    dies: Vec<DieCourse>,
    /// Current transfer over the pins of each chip.
    pins: Vec<Option<PinTransfer>>,
    /// Circuit reserved for each chip.
    circuits: Vec<Option<ReservedCircuit>>,
    /// Start of the garbage collection in progress in each plane.
    collecting: Vec<Option<SimTime>>,
    /// Dies whose commands belong to requests whose numbers have not been queried yet.
    unnumbered: Vec<DieId>,
    /// Chips whose current transfers use paths that have not been queried yet.
    unplaced: Vec<ChipId>,
}

impl Slices {
    /// Creates an empty set of slices.
    pub fn new(window: SliceSettings, geometry: Geometry) -> Self {
        let chips = geometry.array.chips() as usize;
        Self {
            window,
            geometry,
            kept: Vec::new(),
            trips: Vec::new(),
            full_at: None,
            dies: vec![DieCourse::default(); geometry.dies() as usize + SearchOutput::all(&geometry).count()],
            pins: vec![None; chips],
            circuits: vec![None; chips],
            collecting: vec![None; geometry.planes() as usize],
            unnumbered: Vec::new(),
            unplaced: Vec::new(),
        }
    }

    /// Returns the slices in the order of their ends. Slices of scouts and packets are in the order of their
    /// starts.
    pub fn kept(&self) -> &[Slice] {
        &self.kept
    }

    /// Returns the scouts whose slices were recorded, in the order of departure.
    pub fn trips(&self) -> &[ScoutTrip] {
        &self.trips
    }

    /// Returns the time at which the maximum number of slices was reached, if it was. Slices after this time
    /// are missing.
    pub const fn full_at(&self) -> Option<SimTime> {
        self.full_at
    }

    /// Adds the paths and the request numbers to the activities that began in the current event.
    pub fn complete<F: Fabric + ?Sized>(
        &mut self,
        fabric: &F,
        number: impl Fn(RequestId) -> u64,
        trips: Vec<ScoutTrip>,
        hops: Vec<PacketHop>,
        now: SimTime,
    ) {
        for die in self.unnumbered.drain(..) {
            let course = &mut self.dies[die.index()];
            let next = course.next.iter_mut().flat_map(|next| &mut next.pages);
            course.command.pages.iter_mut().chain(next).for_each(|page| page.owner.find(&number));
        }
        let pins = &mut self.pins;
        self.unplaced.retain(|&chip| {
            let Some(transfer) = &mut pins[chip.index()] else { return false };
            transfer.owner.find(&number);
            let topology = fabric.capabilities().topology;
            let is_placed =
                topology.is_none_or(|paths| paths.occupied_by(chip, transfer.die, &mut transfer.way));
            transfer.placed = is_placed.then_some(now);
            !is_placed
        });
        for trip in trips {
            self.scouted(trip, now);
        }
        for hop in hops {
            self.hopped(hop, now);
        }
    }

    /// Returns true if the window has ended, and all activities that began in the window have ended. Requests
    /// may still be in progress.
    pub fn is_over(&self, now: SimTime) -> bool {
        let to = self.window.to;
        let goes_on = |since: Option<SimTime>| since.is_some_and(|since| since < to);
        let die_goes_on = |die: &DieCourse| {
            goes_on(die.at.map(|(_, since)| since)) || goes_on(die.parked.as_ref().map(|&(_, since)| since))
        };
        now >= to
            && !self.dies.iter().any(die_goes_on)
            && !self.pins.iter().any(|pins| goes_on(pins.as_ref().map(|transfer| transfer.begin)))
            && !self.collecting.iter().any(|&since| goes_on(since))
    }

    fn keep(&mut self, slice: Slice, now: SimTime) -> bool {
        if self.full_at.is_some() || !slice.is_in(&self.window) {
            return false;
        }
        if self.kept.len() == self.window.most as usize {
            self.full_at = Some(now);
            return false;
        }
        self.kept.push(slice);
        true
    }

    fn scouted(&mut self, trip: ScoutTrip, now: SimTime) {
        let what = if trip.path.is_some() { ResourceActivity::Scout } else { ResourceActivity::FailedScout };
        let chip = trip.chip;
        self.circuits[chip.index()] = None;
        let Sender::Controller(index) = trip.sender else { return };
        let slice = |what, begin: SimTime, end: SimTime| Slice {
            begin,
            span: end.since(begin),
            index,
            request: Slice::NONE,
            chip: chip.0,
            row: ResourceKind::Controller,
            what,
        };
        if trip.in_vain_since < trip.set_out {
            self.keep(slice(ResourceActivity::FailedScouts, trip.in_vain_since, trip.set_out), now);
        }
        if trip.path.is_some() {
            let what = if trip.detour > 0 { ResourceActivity::Detour } else { ResourceActivity::Circuit };
            self.circuits[chip.index()] = Some(ReservedCircuit { controller: index, ready: trip.back, what });
        }
        if self.keep(slice(what, trip.set_out, trip.back), now) {
            self.trips.push(trip);
        }
    }

    /// Records that a packet enters a link.
    fn hopped(&mut self, hop: PacketHop, now: SimTime) {
        let PacketHop { path: index, chip: ChipId(chip), span } = hop;
        let Some(PinTransfer { what, owner, .. }) = &self.pins[chip as usize] else { return };
        let (what, request) = (*what, owner.number());
        self.keep(Slice { begin: now, span, index, request, chip, row: ResourceKind::Place, what }, now);
    }

    /// Returns the chip of a die or search output.
    fn chip_of(&self, die: DieId) -> ChipId {
        let output = SearchOutput::of(die, self.geometry.dies());
        output.map_or_else(|| self.geometry.chip_of(die), |output| output.chip)
    }

    fn sets_out(
        &mut self,
        die: DieId,
        chip: ChipId,
        what: ResourceActivity,
        owner: ActivityOwner,
        now: SimTime,
    ) {
        let transfer = PinTransfer { die, what, begin: now, owner, way: Vec::new(), placed: None };
        self.pins[chip.index()] = Some(transfer);
        if !self.unplaced.contains(&chip) {
            self.unplaced.push(chip);
        }
    }

    /// Records the slices of a completed transfer: for the pins of its chip, its controller, and its paths.
    fn arrived(&mut self, transfer: &PinTransfer, chip: ChipId, now: SimTime) {
        let &PinTransfer { what, begin, owner, .. } = transfer;
        let slice = |row, index, what, begin: SimTime| Slice {
            begin,
            span: now.since(begin),
            index,
            request: owner.number(),
            chip: chip.0,
            row,
            what,
        };
        self.keep(slice(ResourceKind::Pins, chip.0, what, begin), now);
        if let Some(circuit) = self.circuits[chip.index()] {
            let since = circuit.ready.max(begin);
            self.keep(slice(ResourceKind::Controller, circuit.controller, circuit.what, since), now);
        }
        if let Some(since) = transfer.placed {
            for &place in &transfer.way {
                self.keep(slice(ResourceKind::Place, place, what, since), now);
            }
        }
    }

    /// Records the end of an array's activity, for all planes of the command.
    fn worked(&mut self, die: DieId, now: SimTime) {
        let Some((what, since)) = self.dies[die.index()].at.take() else { return };
        if since == now {
            return;
        }
        let chip = self.geometry.chip_of(die).0;
        for page in self.dies[die.index()].at_work().pages.clone() {
            let (span, request) = (now.since(since), page.owner.number());
            let slice = Slice {
                begin: since,
                span,
                index: page.plane.0,
                request,
                chip,
                row: ResourceKind::Plane,
                what,
            };
            self.keep(slice, now);
        }
    }

    /// Records the end of the time for which an operation of a die was suspended.
    fn resumed(&mut self, die: DieId, now: SimTime) {
        let course = &mut self.dies[die.index()];
        course.resumes = false;
        let Some((command, since)) = course.parked.take() else { return };
        course.command = command;
        let request = course.command.pages.first().map_or(Slice::NONE, |page| page.owner.number());
        let (span, chip) = (now.since(since), self.geometry.chip_of(die).0);
        let (row, what) = (ResourceKind::Die, ResourceActivity::Suspended);
        self.keep(Slice { begin: since, span, index: die.0, request, chip, row, what }, now);
    }
}

impl ActivityOwner {
    fn of(request: Option<RequestId>) -> Self {
        request.map_or(Self::Unowned, Self::Slot)
    }

    fn find(&mut self, number: impl Fn(RequestId) -> u64) {
        if let Self::Slot(request) = *self {
            *self = Self::Number(number(request) as u32);
        }
    }

    const fn number(self) -> u32 {
        match self {
            Self::Number(number) => number,
            Self::Unowned | Self::Slot(_) => Slice::NONE,
        }
    }
}

const fn of_array(operation: Operation) -> ResourceActivity {
    match operation {
        Operation::Read => ResourceActivity::Read,
        Operation::Program => ResourceActivity::Program,
        Operation::Erase => ResourceActivity::Erase,
        Operation::Copyback => ResourceActivity::Copyback,
        Operation::Combine => ResourceActivity::Combine,
        Operation::Search => ResourceActivity::Search,
    }
}

const fn of_command(operation: Operation) -> ResourceActivity {
    match operation {
        Operation::Read => ResourceActivity::ReadCommand,
        Operation::Program => ResourceActivity::DataIn,
        Operation::Erase => ResourceActivity::EraseCommand,
        Operation::Copyback => ResourceActivity::CopybackCommand,
        Operation::Combine => ResourceActivity::CombineCommand,
        Operation::Search => ResourceActivity::SearchCommand,
    }
}

impl Probe for Slices {
    #[cold]
    fn on_command(&mut self, command: &CommandStart<'_>, why: &impl TransactionOrigins, now: SimTime) {
        let &CommandStart { die, chip, operation, batch, .. } = command;
        let mut pages = ArrayVec::new();
        for about in batch.iter().map(|&id| why.about(id)) {
            pages.push(CommandPage { plane: about.plane, owner: ActivityOwner::of(about.request) });
            if let Some(plane) = about.collects {
                self.collecting[plane.index()].get_or_insert(now);
            }
        }
        let owner = pages.first().map_or(ActivityOwner::Unowned, |page: &CommandPage| page.owner);
        let course = &mut self.dies[die.index()];
        if command.is_next {
            course.next = Some(DieCommand { operation, pages });
        } else {
            (course.command, course.pages_sent) = (DieCommand { operation, pages }, 0);
        }
        self.unnumbered.push(die);
        self.sets_out(die, chip, of_command(operation), owner, now);
    }

    #[cold]
    fn on_next_page(&mut self, page: &CommandStart<'_>, why: &impl TransactionOrigins, _now: SimTime) {
        let about = why.about(page.batch[0]);
        let next = CommandPage { plane: about.plane, owner: ActivityOwner::of(about.request) };
        let course = &mut self.dies[page.die.index()];
        course.command.pages.clear();
        course.command.pages.push(next);
        self.unnumbered.push(page.die);
    }

    #[cold]
    fn on_next_command(
        &mut self,
        die: DieId,
        _first: TransactionId,
        _works: bool,
        _why: &impl TransactionOrigins,
        _now: SimTime,
    ) {
        let course = &mut self.dies[die.index()];
        (course.command, course.pages_sent) = (course.next.take().unwrap_or_default(), 0);
    }

    #[cold]
    fn on_pins_taken(&mut self, die: DieId, sent: DieTransfer, now: SimTime) {
        let course = &self.dies[die.index()];
        let operation = course.command.operation;
        let (what, page) = match sent {
            DieTransfer::Data => (ResourceActivity::DataOut, course.command.pages.get(course.pages_sent)),
            DieTransfer::FormedCommand => (of_command(operation), course.command.pages.first()),
            DieTransfer::Suspend => (ResourceActivity::SuspendCommand, None),
            DieTransfer::Resume => (ResourceActivity::ResumeCommand, None),
        };
        let owner = page.map_or(ActivityOwner::Unowned, |page| page.owner);
        self.sets_out(die, self.chip_of(die), what, owner, now);
    }

    #[cold]
    fn on_pins_free(&mut self, chip: ChipId, arrived: bool, now: SimTime) {
        let Some(transfer) = self.pins[chip.index()].take().filter(|_| arrived) else { return };
        let course = &mut self.dies[transfer.die.index()];
        course.resumes |= transfer.what == ResourceActivity::ResumeCommand;
        course.pages_sent += usize::from(transfer.what == ResourceActivity::DataOut);
        self.arrived(&transfer, chip, now);
    }

    #[cold]
    fn on_array_begin(&mut self, die: DieId, now: SimTime) {
        if self.dies[die.index()].resumes {
            self.resumed(die, now);
        }
        let course = &mut self.dies[die.index()];
        course.at = Some((of_array(course.command.operation), now));
    }

    #[cold]
    fn on_array_end(&mut self, die: DieId, now: SimTime) {
        self.worked(die, now);
    }

    #[cold]
    fn on_settling(&mut self, die: DieId, _span: SimSpan, now: SimTime) {
        self.worked(die, now);
        self.dies[die.index()].at = Some((ResourceActivity::Settling, now));
    }

    #[cold]
    fn on_suspension(&mut self, die: DieId, _operation: Operation, now: SimTime) {
        let course = &mut self.dies[die.index()];
        course.parked = Some((std::mem::take(&mut course.command), now));
    }

    #[cold]
    fn on_collection(&mut self, plane: PlaneId, now: SimTime) {
        let Some(since) = self.collecting[plane.index()].take() else { return };
        let chip = self.geometry.chip_of(self.geometry.die_of(plane)).0;
        self.keep(
            Slice {
                begin: since,
                span: now.since(since),
                index: plane.0,
                request: Slice::NONE,
                chip,
                row: ResourceKind::Collection,
                what: ResourceActivity::Collecting,
            },
            now,
        );
    }

    #[cold]
    fn on_completion(&mut self, completion: &Completion<'_>, now: SimTime) {
        let request = completion.request;
        let what = match request.host.op {
            Op::Read => ResourceActivity::Read,
            Op::Write | Op::FuaWrite => ResourceActivity::Write,
            Op::Gather => ResourceActivity::Gather,
            Op::Search => ResourceActivity::Search,
            Op::Trim | Op::TrimRange => ResourceActivity::Trim,
            Op::Flush => ResourceActivity::Flush,
            Op::WriteZeroes | Op::DeallocateZeroes => ResourceActivity::WriteZeroes,
        };
        self.keep(
            Slice {
                begin: request.host.arrival,
                span: completion.latency,
                index: u32::from(request.host.queue),
                request: request.number as u32,
                chip: Slice::NONE,
                row: ResourceKind::Queue,
                what,
            },
            now,
        );
    }
}
