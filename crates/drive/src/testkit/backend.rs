//! Test bench for the flash back end alone. The test queues operations and controls the fabric.
//!
//! # How
//!
//! [`BackendBench`] connects a [`Backend`] with two mocks. The upper mock is a source of commands
//! ([`CommandSource`]) with a FIFO queue for each die. It records the queries for commands and their results.
//! The lower mock is a fabric with a limited number of concurrent transfers, each of one nanosecond per byte.
//! It refuses and fails transfers as the test specifies, and records all offers.

use std::cell::{Ref, RefCell, RefMut};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use venice_fabric::testkit::paper_settings;
use venice_fabric::{
    Capabilities, DomainId, Fabric, FabricCounters, FabricEvent, FabricSettings, Holds, Offer, Outbox,
    Transfer, Wiring,
};
use venice_kernel::{EventQueue, SimSpan, SimTime};
use venice_nand::chip::{FlashSettings, Operation, PageOperation};
use venice_nand::geometry::{Array, ChipId, DieId, Geometry, PlaneId, RequestId, TransactionId};
use venice_nand::latency::StageClock;
use venice_nand::testkit::COMMAND;
use venice_nand::transactions::{Origin, Purpose, Transaction, Transactions};

use crate::controller::{
    Backend, Command, CommandSource, CopyDestination, FlashEvent, FlashEventSink, UpperLayer,
};
use crate::observe::{DieUser, Probes, TransactionInfo, TransactionOrigins};

/// Event with which the mock fabric wakes its arbitration domain. Events with other numbers end the transfer
/// of the die with this number.
const WAKE: FabricEvent = FabricEvent(u32::MAX);

/// State of the mock fabric, and the record of all offers of transfers.
#[derive(Debug, Default)]
pub struct MockWires {
    /// Maximum number of concurrent transfers of the mock fabric.
    pub room: usize,
    /// Chips to which the mock fabric has no free path.
    pub refused: BTreeSet<ChipId>,
    /// Chips that the mock fabric reports as unreachable.
    pub unreached: BTreeSet<ChipId>,
    /// Number of transfers that the mock fabric will fail to route, from the next one that ends.
    pub bounces: u32,
    /// True if the mock fabric holds paths until the last transfer of an operation has ended.
    pub holds: bool,
    /// All offers of transfers, with their times and results.
    pub offers: Vec<(SimTime, Transfer, Offer)>,
    in_use: usize,
    held: BTreeSet<DieId>,
    /// Accepted transfer in progress of each die.
    under_way: Vec<Option<Transfer>>,
}

impl MockWires {
    fn offer(&mut self, transfer: &Transfer, now: SimTime) -> Offer {
        let is_held = self.held.remove(&transfer.die);
        let offer = if is_held {
            Offer::Accepted
        } else if self.in_use >= self.room {
            Offer::DomainBusy
        } else if self.refused.contains(&transfer.chip) {
            Offer::PathBusy
        } else {
            Offer::Accepted
        };
        self.in_use += usize::from(offer == Offer::Accepted && !is_held);
        self.offers.push((now, *transfer, offer));
        offer
    }

    /// Returns true if no path is in use.
    pub const fn is_quiet(&self) -> bool {
        self.in_use == 0
    }

    /// Ends the transfer of a die. Returns two flags: true if the transfer was delivered, and true if its
    /// path was released.
    fn end(&mut self, die: DieId) -> (bool, bool) {
        let transfer = self.under_way[die.index()].take().expect("a transfer is under way");
        let is_delivered = self.bounces == 0;
        self.bounces -= u32::from(!is_delivered);
        let is_held = self.holds && is_delivered && transfer.keeps_path;
        if is_held {
            self.held.insert(die);
        } else {
            self.in_use -= 1;
        }
        (is_delivered, !is_held)
    }
}

/// Mock fabric with one arbitration domain, controlled by the test.
pub struct MockFabric {
    chips: u32,
    wires: Rc<RefCell<MockWires>>,
}

impl Fabric for MockFabric {
    fn domains(&self) -> Vec<Range<u32>> {
        std::iter::once(0..self.chips).collect()
    }

    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        let mut wires = self.wires.borrow_mut();
        let offer = wires.offer(transfer, now);
        if offer == Offer::Accepted {
            wires.under_way[transfer.die.index()] = Some(*transfer);
            out.schedule(now + self.idle_time(transfer), FabricEvent(transfer.die.0));
        }
        offer
    }

    fn release_path(&mut self, _chip: ChipId, die: DieId, _now: SimTime, out: &mut Outbox) {
        let mut wires = self.wires.borrow_mut();
        if wires.held.remove(&die) {
            wires.in_use -= 1;
            out.woken.push(DomainId(0));
        }
    }

    fn handle(&mut self, event: FabricEvent, _now: SimTime, out: &mut Outbox) {
        if event == WAKE {
            return out.woken.push(DomainId(0));
        }
        let die = DieId(event.0);
        let (is_delivered, is_free) = self.wires.borrow_mut().end(die);
        if is_delivered {
            out.delivered.push(venice_fabric::Delivery { die, path_wait: SimSpan::ZERO, hops: 0 });
        } else {
            out.bounced.push(die);
        }
        if is_free {
            out.woken.push(DomainId(0));
        }
    }

    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        transfer.command + SimSpan::from_ns(u64::from(transfer.bytes))
    }

    fn faults_due(&mut self, _now: SimTime, _out: &mut Outbox) {}

    fn reaches(&self, chip: ChipId) -> bool {
        !self.wires.borrow().unreached.contains(&chip)
    }

    fn is_quiet(&self) -> bool {
        self.wires.borrow().is_quiet()
    }

    fn counters(&self, _now: SimTime) -> FabricCounters {
        FabricCounters::default()
    }

    fn wiring(&self) -> Wiring {
        Wiring::default()
    }

    fn path_busy(&self, _now: SimTime) -> Vec<SimSpan> {
        Vec::new()
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { holds: Some(self), ..Capabilities::default() }
    }
}

impl Holds for MockFabric {
    fn holds_path(&self, die: DieId) -> bool {
        self.wires.borrow().held.contains(&die)
    }
}

/// Operation that waits in the queue of a die.
#[derive(Clone, Copy, Debug)]
struct DieOperation {
    id: TransactionId,
    operation: Operation,
}

/// Mock source of commands, with a FIFO queue for each die.
#[derive(Debug)]
pub struct MockCommandSource {
    /// Transactions in flight.
    pub transactions: Transactions,
    /// Queries for a command, each with its range of dies.
    pub command_requests: Vec<Range<u32>>,
    /// Chips that the back end has reported as lost.
    pub lost: Vec<ChipId>,
    /// Transactions that have failed.
    pub failed: Vec<TransactionId>,
    waiting: Vec<VecDeque<DieOperation>>,
    ready: Vec<DieId>,
}

impl MockCommandSource {
    fn first(&self, dies: Range<u32>, command: &mut Command) -> Option<DieId> {
        let (die, order) = dies.map(DieId).find_map(|die| Some((die, self.waiting[die.index()].front()?)))?;
        let carries = order.operation == Operation::Program;
        *command = Command {
            operation: order.operation,
            batch: std::iter::once(order.id).collect(),
            command: COMMAND,
            bytes: if carries { self.transactions.get(order.id).bytes } else { 0 },
            is_background: false,
        };
        Some(die)
    }
}

impl TransactionOrigins for MockCommandSource {
    fn about(&self, id: TransactionId) -> TransactionInfo {
        TransactionInfo { plane: self.transactions.get(id).plane, request: None, collects: None }
    }

    fn holder(&self, _id: TransactionId) -> DieUser {
        DieUser::Host
    }

    fn is_waited_for(&self, _id: TransactionId) -> bool {
        true
    }

    fn waits_since(&self, id: TransactionId) -> SimTime {
        self.transactions.get(id).waits_since()
    }

    fn no_room_until(&self, _id: TransactionId) -> SimTime {
        SimTime::ZERO
    }

    fn follower(&self, _id: TransactionId) -> Option<TransactionId> {
        None
    }

    fn oldest_wait(&self) -> Option<SimTime> {
        None
    }
}

impl CommandSource for MockCommandSource {
    fn transactions(&self) -> &Transactions {
        &self.transactions
    }

    fn transactions_mut(&mut self) -> &mut Transactions {
        &mut self.transactions
    }

    fn next_ready_die(&mut self) -> Option<DieId> {
        self.ready.pop()
    }

    fn has_ready_dies(&self) -> bool {
        !self.ready.is_empty()
    }

    fn waits_for(&self, die: DieId) -> bool {
        !self.waiting[die.index()].is_empty()
    }

    fn next_command(&mut self, dies: Range<u32>, command: &mut Command, _now: SimTime) -> Option<DieId> {
        self.command_requests.push(dies.clone());
        self.first(dies, command)
    }

    fn next_command_beside(
        &mut self,
        dies: Range<u32>,
        _beside: &[TransactionId],
        command: &mut Command,
        _now: SimTime,
    ) -> Option<DieId> {
        self.first(dies, command)
    }

    fn start(
        &mut self,
        die: DieId,
        command: &Command,
        _now: SimTime,
        mut on_page: impl FnMut(PageOperation),
    ) {
        self.waiting[die.index()].pop_front();
        on_page(match command.operation {
            Operation::Program => PageOperation::Program(0),
            Operation::Erase => PageOperation::Erase,
            _ => PageOperation::Sense(0),
        });
    }

    fn looks_everywhere(&self) -> bool {
        false
    }

    fn has_stable_host_writes(&self) -> bool {
        true
    }

    fn has_scrub(&self) -> bool {
        false
    }

    fn has_foreground(&self, die: DieId) -> bool {
        !self.waiting[die.index()].is_empty()
    }

    fn have_come(&mut self) -> bool {
        false
    }

    fn look_past(&mut self, _dies: Range<u32>) {}

    fn copy_destination(&mut self, _read: TransactionId, _can: impl Fn(DieId) -> bool) -> Option<PlaneId> {
        None
    }

    fn gathers(&self) -> bool {
        false
    }

    fn operand_target(&self, _read: TransactionId) -> Option<PlaneId> {
        None
    }

    fn operand_waits(&self, _die: DieId) -> bool {
        false
    }

    fn gives_result(&self, _id: TransactionId) -> bool {
        false
    }

    fn start_moving(&mut self, _read: TransactionId, _plane: PlaneId, _now: SimTime) -> CopyDestination {
        unreachable!("the mock's wires join no chips")
    }

    fn copied(&mut self, _read: TransactionId, _now: SimTime) {}

    fn lose(&mut self, chips: &[ChipId], _now: SimTime) {
        self.lost.extend(chips);
    }

    fn note_failure(&mut self, id: TransactionId) {
        self.failed.push(id);
    }
}

/// Transaction that has ended, with its latency.
#[derive(Clone, Copy, Debug)]
pub struct FinishedTransaction {
    /// Id of the transaction that has ended.
    pub id: TransactionId,
    /// Time of the transaction's end.
    pub at: SimTime,
    /// Latency of the transaction, divided into stages.
    pub clock: StageClock,
    /// True if the transaction had to wait for a path.
    pub conflicted: bool,
}

/// Mock of the layers above the back end: source of commands, probes, and record of completed transactions.
pub struct MockUpperLayer {
    /// Mock source of commands.
    pub command_source: MockCommandSource,
    /// Transactions that have ended, in order.
    pub done: Vec<FinishedTransaction>,
    /// Probes of the run.
    pub probes: Probes,
}

impl FlashEventSink for EventQueue<FlashEvent> {
    fn post(&mut self, at: SimTime, event: FlashEvent) {
        self.schedule(at, event);
    }
}

impl UpperLayer for MockUpperLayer {
    type CommandSource = MockCommandSource;
    type EventSink = EventQueue<FlashEvent>;

    fn command_source(&self) -> &MockCommandSource {
        &self.command_source
    }

    fn command_source_mut(&mut self) -> &mut MockCommandSource {
        &mut self.command_source
    }

    fn observed(&mut self) -> (&mut Probes, &MockCommandSource) {
        (&mut self.probes, &self.command_source)
    }

    fn finish(
        &mut self,
        id: TransactionId,
        _read_on: Option<ChipId>,
        now: SimTime,
        _agenda: &mut EventQueue<FlashEvent>,
    ) {
        let Transaction { clock, conflicted, .. } = self.command_source.transactions.remove(id);
        self.done.push(FinishedTransaction { id, at: now, clock, conflicted });
    }

    fn answer_failed_writes(&mut self, _now: SimTime, _agenda: &mut EventQueue<FlashEvent>) -> bool {
        false
    }
}

/// Test bench: a back end between two mocks.
pub struct BackendBench {
    /// Mock of the layer above the back end.
    pub upper_layer: MockUpperLayer,
    backend: Backend<MockFabric>,
    wires: Rc<RefCell<MockWires>>,
    event_sink: EventQueue<FlashEvent>,
}

impl BackendBench {
    /// Creates a row of chips with `dies_per_chip` dies of one plane each, and a fabric that carries one
    /// transfer at a time.
    pub fn new(chips: u32, dies_per_chip: u32, flash: FlashSettings, settings: &FabricSettings) -> Self {
        let geometry = Geometry {
            array: Array { rows: 1, cols: chips },
            dies_per_chip,
            planes_per_die: 1,
            blocks_per_plane: 4,
            pages_per_block: 4,
            page_bytes: 4096,
        };
        let dies = geometry.dies() as usize;
        let wires = MockWires { room: 1, under_way: vec![None; dies], ..MockWires::default() };
        let wires = Rc::new(RefCell::new(wires));
        let command_source = MockCommandSource {
            transactions: Transactions::default(),
            command_requests: Vec::new(),
            lost: Vec::new(),
            failed: Vec::new(),
            waiting: vec![VecDeque::new(); dies],
            ready: Vec::new(),
        };
        let fabric = MockFabric { chips, wires: Rc::clone(&wires) };
        let bench = Self {
            upper_layer: MockUpperLayer { command_source, done: Vec::new(), probes: Probes::default() },
            backend: Backend::new(geometry, flash, settings, fabric, false),
            wires,
            event_sink: EventQueue::new(),
        };
        let mut event_sink = bench.event_sink;
        bench.backend.paths().losses().schedule(&mut event_sink);
        Self { event_sink, ..bench }
    }

    /// Creates the bench with the fabric settings of Nadig et al., "Venice", ISCA 2023.
    pub fn of_paper(chips: u32, flash: FlashSettings) -> Self {
        Self::new(chips, 1, flash, &paper_settings(1, chips))
    }

    /// Returns the state of the mock fabric.
    pub fn wires(&self) -> Ref<'_, MockWires> {
        self.wires.borrow()
    }

    /// Returns the state of the mock fabric for modification.
    pub fn wires_mut(&self) -> RefMut<'_, MockWires> {
        self.wires.borrow_mut()
    }

    /// Returns the current time.
    pub fn now(&self) -> SimTime {
        self.event_sink.now()
    }

    /// Queues an operation with `bytes` bytes of data for a die.
    pub fn order(&mut self, die: DieId, operation: Operation, bytes: u32) -> TransactionId {
        let request = RequestId(0);
        let purpose = match operation {
            Operation::Program => Purpose::HostWrite(Origin::Request(request)),
            Operation::Erase => Purpose::GcErase,
            _ => Purpose::HostRead(Origin::Request(request)),
        };
        let clock = StageClock::start(self.now());
        let transaction = Transaction { bytes, ..Transaction::new(purpose, PlaneId(die.0), clock) };
        let id = self.upper_layer.command_source.transactions.insert(transaction);
        self.upper_layer.command_source.waiting[die.index()].push_back(DieOperation { id, operation });
        self.upper_layer.command_source.ready.push(die);
        id
    }

    /// Offers all transfers that are possible at the current time.
    pub fn offer(&mut self) {
        let now = self.now();
        self.backend.offer_work(&mut self.upper_layer, now, &mut self.event_sink);
    }

    /// Schedules a wake-up of the arbitration domain after `span`.
    pub fn wake_in(&mut self, span: SimSpan) {
        self.event_sink.schedule(self.now() + span, FlashEvent::Fabric(WAKE));
    }

    /// Processes the next event. Returns false if there is none.
    pub fn step(&mut self) -> bool {
        let Some((now, event)) = self.event_sink.pop() else { return false };
        let Self { backend, upper_layer, event_sink, .. } = self;
        match event {
            FlashEvent::Fabric(event) => backend.fabric_event(event, upper_layer, now, event_sink),
            FlashEvent::ArrayDone(die) => backend.array_done(die, upper_layer, now, event_sink),
            FlashEvent::Faults => backend.faults_due(&mut upper_layer.command_source, now),
            FlashEvent::Matched(chip) => backend.page_matched(chip, upper_layer, now, event_sink),
            FlashEvent::CameToNothing(die) => backend.came_to_nothing(die, upper_layer, now, event_sink),
        }
        backend.offer_work(upper_layer, now, event_sink);
        true
    }

    /// Offers all possible transfers, then processes all events.
    pub fn run(&mut self) {
        self.offer();
        while self.step() {}
    }

    /// Offers all possible transfers, then processes the events up to `until`, inclusive.
    pub fn run_until(&mut self, until: SimTime) {
        self.offer();
        while self.event_sink.next_at().is_some_and(|next| next <= until) {
            self.step();
        }
    }

    /// Returns the dies of the accepted transfers, in order.
    pub fn sent(&self) -> Vec<u32> {
        let wires = self.wires();
        let accepted = wires.offers.iter().filter(|(_, _, offer)| *offer == Offer::Accepted);
        accepted.map(|(_, transfer, _)| transfer.die.0).collect()
    }
}
