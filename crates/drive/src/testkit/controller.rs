//! Test bench for the queues of dies and the formation of commands. The test acts as the host and the dies,
//! and sets the state of the layer above.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use venice_kernel::SimTime;
use venice_nand::chip::FlashSettings;
use venice_nand::geometry::{Array, DieId, Geometry, Lpn, MappingUnits, PlaneId, TransactionId};
use venice_nand::latency::StageClock;
use venice_nand::transactions::{PageState, Purpose, Transaction, TransactionClass, Transactions};

use crate::controller::queues::{
    Command, FoundCommand, Legality, OffsetRule, QueueSettings, Queues, all_readable, readable_beside,
};
use crate::controller::scheduling::SchedulingSettings;

/// Number of planes in a die.
pub const PLANES: u32 = 4;

/// Drive of one chip, with two dies of four planes and blocks of four pages.
pub const GEOMETRY: Geometry = Geometry {
    array: Array { rows: 1, cols: 1 },
    dies_per_chip: 2,
    planes_per_die: PLANES,
    blocks_per_plane: 4,
    pages_per_block: 4,
    page_bytes: 4096,
};

/// State of the layer above the controller, which the test sets. Transactions are identified by their logical
/// pages, which are unique in this bench.
#[derive(Clone, Debug, Default)]
pub struct UpperLayerState {
    /// Dies on which garbage collection is urgent.
    pub urgent: BTreeSet<DieId>,
    /// Dies on which all garbage collection moves data only to preserve it (read reclaim, refresh).
    pub due_only: BTreeSet<DieId>,
    /// Relocations that are urgent because their plane is almost full.
    pub urgent_moves: BTreeSet<Lpn>,
    /// Planes with garbage collection in progress.
    pub collected: BTreeSet<PlaneId>,
    /// Dies without a free page.
    pub full: BTreeSet<DieId>,
    /// Writes that must not start.
    pub blocked: BTreeSet<Lpn>,
    /// Relocations that have become unnecessary.
    pub unwanted: BTreeSet<Lpn>,
    /// Offset of the next page of a plane, by class and stream; 0 for missing entries.
    pub next: BTreeMap<(PlaneId, u8, u16), u32>,
}

impl Legality for UpperLayerState {
    fn collection_is_urgent(&self, die: DieId) -> bool {
        self.urgent.contains(&die)
    }

    fn collects_only_due_data(&self, die: DieId) -> bool {
        self.due_only.contains(&die)
    }

    fn is_urgent(&self, moved: &Transaction) -> bool {
        moved.lpn.is_some_and(|lpn| self.urgent_moves.contains(&lpn))
    }

    fn is_collected(&self, plane: PlaneId) -> bool {
        self.collected.contains(&plane)
    }

    fn has_room(&self, die: DieId) -> bool {
        !self.full.contains(&die)
    }

    fn can_program(&self, write: &Transaction) -> bool {
        !write.lpn.is_some_and(|lpn| self.blocked.contains(&lpn))
    }

    fn is_needless(&self, transaction: &Transaction) -> bool {
        transaction.lpn.is_some_and(|lpn| self.unwanted.contains(&lpn))
    }

    fn is_obsolete(&self, moved: &Transaction) -> bool {
        self.is_needless(moved)
    }

    fn offsets(&self, transaction: &Transaction) -> OffsetRule {
        let class = transaction.purpose.class();
        let stream = match class {
            TransactionClass::HostWrite => transaction.stream,
            _ => u16::from(transaction.is_guest()),
        };
        let page = match class {
            TransactionClass::GcErase => None,
            class if class.is_write() && !transaction.is_placed() => {
                self.next_offset(transaction.plane, class, stream)
            }
            _ => transaction.ppn().map(|ppn| GEOMETRY.page_offset(ppn)),
        };
        OffsetRule { page, source: None }
    }

    fn next_offset(&self, plane: PlaneId, class: TransactionClass, stream: u16) -> Option<u32> {
        Some(self.next.get(&(plane, class as u8, stream)).copied().unwrap_or(0))
    }
}

/// Test bench for the queues of dies. The test sets the state of the layer above and executes the commands.
pub struct ControllerBench {
    /// Queues under test.
    pub queues: Queues,
    /// All waiting transactions.
    pub all: Transactions,
    /// State of the layer above, set by the test.
    pub books: UpperLayerState,
    /// Relocations that were removed from their queue without being executed, in order.
    pub taken_back: Vec<TransactionId>,
    pages: u32,
}

/// Settings of a simple drive with one stream. Pages are allocated at the start of programs, and host
/// transactions precede garbage collection.
pub const PLAIN: QueueSettings = QueueSettings {
    units: MappingUnits::PAGES,
    streams: 1,
    collection_yields: true,
    copyback: false,
    pages_are_early: false,
    programs_take_turns: false,
    moves_leave: false,
    by_line: false,
};

impl ControllerBench {
    /// Creates empty queues for dies, below a layer whose state is the default.
    pub fn new(flash: &FlashSettings, settings: QueueSettings, scheduling: &SchedulingSettings) -> Self {
        Self {
            queues: Queues::new(&GEOMETRY, flash, settings, scheduling),
            all: Transactions::default(),
            books: UpperLayerState::default(),
            taken_back: Vec::new(),
            pages: 0,
        }
    }

    /// Returns the logical page of a transaction, which identifies it in [`UpperLayerState`].
    ///
    /// # Panics
    /// Panics if the test has removed the logical page.
    pub fn page(&self, id: TransactionId) -> Lpn {
        self.all.get(id).lpn.expect("every transaction of the bench has a page of its own")
    }

    /// Queues a transaction for its die.
    pub fn wait(&mut self, purpose: Purpose, plane: u32) -> TransactionId {
        self.wait_as(purpose, plane, |_| {})
    }

    /// Queues a transaction after `change` has modified it. Its page is at offset 0 unless `change` sets
    /// another one.
    pub fn wait_as(
        &mut self,
        purpose: Purpose,
        plane: u32,
        change: impl FnOnce(&mut Transaction),
    ) -> TransactionId {
        let plane = PlaneId(plane);
        let mut transaction = Transaction {
            lpn: Some(Lpn(self.pages)),
            page: PageState::At { ppn: GEOMETRY.ppn(GEOMETRY.block(plane, 0), 0), is_pinned: true },
            ..Transaction::new(purpose, plane, StageClock::start(SimTime::ZERO))
        };
        change(&mut transaction);
        self.pages += 1;
        let id = self.all.insert(transaction);
        self.queues.join(&mut self.all, id, SimTime::ZERO);
        id
    }

    /// Returns the next command of the dies `dies`, if one can be formed. Removes obsolete relocations from
    /// the queues.
    pub fn next(&mut self, dies: Range<u32>) -> Option<(DieId, Command)> {
        self.next_readable(dies, all_readable)
    }

    /// Returns the next command that can be executed while the transactions in `suspended` are suspended.
    pub fn next_beside(&mut self, dies: Range<u32>, suspended: &[TransactionId]) -> Option<(DieId, Command)> {
        self.next_readable(dies, readable_beside(suspended, MappingUnits::PAGES))
    }

    fn next_readable(
        &mut self,
        dies: Range<u32>,
        is_readable: impl Fn(&Transactions, &Transaction) -> bool + Copy,
    ) -> Option<(DieId, Command)> {
        let mut search = self.queues.search(dies, &self.all, &self.books)?;
        loop {
            match self.queues.find(&mut search, &self.all, &self.books, is_readable) {
                FoundCommand::Nothing => return None,
                FoundCommand::Lead(lead) => {
                    let mut command = Command::unformed();
                    self.queues.form(&lead, &self.all, &self.books, is_readable, &mut command);
                    return Some((lead.die, command));
                }
                FoundCommand::Obsolete(die, id) => {
                    self.queues.leave(&mut self.all, die, id, SimTime::ZERO);
                    self.taken_back.push(id);
                }
            }
        }
    }

    /// Starts a command: removes its transactions from their queue.
    pub fn start(&mut self, die: DieId, batch: &[TransactionId]) {
        self.queues.starts(die, batch, &self.all, &self.books);
        for &id in batch {
            self.queues.leave(&mut self.all, die, id, SimTime::ZERO);
        }
    }

    /// Starts the next command of a die. Returns its transactions.
    pub fn serve(&mut self, die: DieId) -> Vec<TransactionId> {
        let Some((_, command)) = self.next(die.0..die.0 + 1) else { return Vec::new() };
        self.start(die, &command.batch);
        command.batch.to_vec()
    }

    /// Queries a policy with `QueryScope::Everywhere` for a die that cannot accept a command.
    pub fn look_past(&self, die: DieId) {
        self.queues.look_past(die.0..die.0 + 1, &self.all, &self.books);
    }
}
