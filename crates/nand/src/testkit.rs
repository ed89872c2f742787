//! Test bench for chips, without a controller or a fabric. The test acts as both, and observes each step of a
//! die.

use venice_kernel::{SimSpan, SimTime};

use crate::chip::{
    ArrayEnd, ArrayTimes, ArrayWork, CacheOperations, Chips, CommandTimes, DieTransfer, DieWork,
    EndedTransfer, FlashSettings, IssuedCommand, Operation, PageTypeOrder, ProgramScheme, SuspendEffect,
    WireWork,
};
use crate::geometry::{Array, ChipId, DieId, Geometry, TransactionId};

/// True if the environment variable `VENICE_NIGHTLY` is set, for example by `make nightly`. Tests then check
/// all their cases.
pub fn is_nightly() -> bool {
    std::env::var_os("VENICE_NIGHTLY").is_some()
}

/// Returns the number of random cases of a test: `nightly` in a nightly run, else `quick`.
pub fn cases(quick: u32, nightly: u32) -> u32 {
    if is_nightly() { nightly } else { quick }
}

/// Channel time of a command in Nadig et al., "Venice", ISCA 2023, §3.1.
pub const COMMAND: SimSpan = SimSpan::from_ns(10);

/// Returns the times of Nadig et al., "Venice", ISCA 2023, Table 1 (performance-optimised): tR 3 µs, tPROG
/// 100 µs, tBERS 1 ms, each command 10 ns.
pub fn paper_flash(planes: u32) -> FlashSettings {
    let each = vec![COMMAND; planes as usize];
    FlashSettings {
        array: ArrayTimes {
            partial_read_bytes: 0,
            partial_read_pct: 100.0,
            read: vec![SimSpan::from_us(3)],
            register: SimSpan::ZERO,
            program: vec![SimSpan::from_us(100)],
            program_pages: 1,
            scheme: ProgramScheme::OnePass,
            coarse: SimSpan::from_us(200),
            fine: SimSpan::from_us(600),
            page_types: PageTypeOrder::Cyclic,
            erase: SimSpan::from_us(1000),
            slc_read: SimSpan::from_us(2),
            slc_program: SimSpan::from_us(20),
            slc_erase: SimSpan::from_us(500),
        },
        commands: CommandTimes {
            read: each.clone(),
            data_out: SimSpan::ZERO,
            program: each.clone(),
            erase: each,
            suspend: COMMAND,
        },
        multiplane: true,
        multiplane_same_offset: true,
        die_work: DieWork::Independent,
        suspension: None,
        cache_operations: CacheOperations::default(),
    }
}

/// Number of the bench's only chip.
pub const CHIP: ChipId = ChipId(0);

/// Bench with one chip of two dies with four planes each. Its clock is advanced by the test.
pub struct ChipBench {
    /// Chips under test.
    pub chips: Chips,
    /// Current time.
    pub now: SimTime,
    transactions: u32,
}

impl ChipBench {
    /// Creates an idle chip at time zero.
    pub fn new(settings: FlashSettings) -> Self {
        let geometry = Geometry {
            array: Array { rows: 1, cols: 1 },
            dies_per_chip: 2,
            planes_per_die: 4,
            blocks_per_plane: 4,
            pages_per_block: 4,
            page_bytes: 4096,
        };
        Self { chips: Chips::new(settings, &geometry), now: SimTime::ZERO, transactions: 0 }
    }

    /// Advances the clock of the bench by `span`.
    pub fn wait(&mut self, span: SimSpan) {
        self.now = self.now + span;
    }

    /// Issues a command for `planes` planes, whose transfer starts at once. Returns its transactions, and
    /// true if another die of the chip is active.
    pub fn issue(
        &mut self,
        die: DieId,
        operation: Operation,
        planes: u32,
        work: ArrayWork,
    ) -> (Vec<TransactionId>, bool) {
        let batch: Vec<_> = (0..planes).map(|plane| TransactionId(self.transactions + plane)).collect();
        self.transactions += planes;
        let wires = WireWork::default();
        let command =
            IssuedCommand { operation, batch: &batch, wires, work, fed_by: None, conflicted: false };
        let is_interleaved = self.chips.at(die).issue(&command, self.now);
        (batch, is_interleaved)
    }

    /// Issues a command for one plane of `die`, which completes at once. Counts it for the operation of
    /// `passed`, which is suspended during the command.
    pub fn pass(&mut self, die: DieId, passed: DieId) {
        let (operation, batch) = (Operation::Read, [TransactionId(self.transactions)]);
        self.transactions += 1;
        let (wires, work) = (WireWork::default(), ArrayWork::default());
        let command =
            IssuedCommand { operation, batch: &batch, wires, work, fed_by: None, conflicted: false };
        self.chips.at(die).issue(&command, self.now);
        self.chips.let_pass(passed);
        self.transfer_takes(die, SimSpan::ZERO);
        self.chips.at(die).ends(self.now);
    }

    /// Ends the transfer of a die after the time `span`.
    pub fn transfer_takes(&mut self, die: DieId, span: SimSpan) -> EndedTransfer {
        self.wait(span);
        self.chips.at(die).transfer_ends(self.now)
    }

    /// Issues a command whose transfer takes `span`, and starts its array operation. Returns the end of the
    /// operation.
    pub fn start(
        &mut self,
        die: DieId,
        operation: Operation,
        planes: u32,
        work: ArrayWork,
        wires: SimSpan,
    ) -> SimTime {
        self.issue(die, operation, planes, work);
        self.transfer_takes(die, wires);
        self.chips.at(die).array_begins(self.now)
    }

    /// Advances the clock to `instant`, and processes the end of an array activity of `die` at that instant.
    /// Returns its effect.
    pub fn array_at(&mut self, die: DieId, instant: SimTime) -> ArrayEnd {
        self.now = instant;
        self.chips.array_ends(die, instant)
    }

    /// Sends a suspend command, which arrives after the time `wires`.
    pub fn suspend(&mut self, die: DieId, wires: SimSpan) -> SuspendEffect {
        self.chips.at(die).sends(DieTransfer::Suspend, false, self.now);
        self.transfer_takes(die, wires);
        self.chips.suspension_arrives(die, self.now)
    }

    /// Sends a resume command, which arrives after the time `wires`.
    pub fn resume(&mut self, die: DieId, wires: SimSpan) -> SuspendEffect {
        self.chips.at(die).sends(DieTransfer::Resume, false, self.now);
        self.transfer_takes(die, wires);
        self.chips.suspension_arrives(die, self.now)
    }
}
