//! Operands of an in-flash operation, brought together on one chip.
//!
//! # What it models
//! Bulk bitwise operations in flash chips work on pages of one chip. A gather is a request for such an operation over some
//! pages, its operands, which lie wherever they were written. One chip, the target, combines them: an operand that lies there is
//! sensed and combined; any other is read on its own chip and moves to the target, from chip to chip where the fabric can, else out to
//! a controller and in again, as pages of collection do ([`super::moves`]), and is combined when it is there. The host is sent the result, or told
//! that the target's latch holds it.
//!
//! # How
//! The target is known when the request comes; it keeps the running result of one gather at a time, in a latch that its reads and
//! programs leave alone, and further gathers of the same target wait before anything of them is read. So what has begun waits for dies and paths
//! only. All operands of a gather are asked for at once. They arrive in any order, which is for the operation to allow; the first one is kept,
//! and each further one takes `t_operation` to be combined. Whatever is combined last sends the result.
//!
//! # What is left out
//! Where in a chip an operand lies: what is on the target's chip but on another die or plane of it reaches the latch in no time. Errors:
//! operands are combined as they were sensed. Programming the result.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §8 (operands of in-flash operations must be gathered on one chip; no mechanism). Gao et al.,
//! "`ParaBit`", MICRO 2021, and Park et al., "Flash-Cosmos", MICRO 2022 (the operations).
//!
//! # Parameters
//! `gather.*`, `fabric.chip_to_chip`

use std::collections::VecDeque;

use arrayvec::ArrayVec;
use slab::Slab;
use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{Stage, StageClock};
use crate::chip::ArrayWork;
use crate::geometry::{ChipId, DieId, GatherId, Lpn, PlaneId, RequestId, TransactionId};
use crate::parameters::{LONGEST_US, choices, declare, number, one_of, whole};

use super::Ftl;
use super::books::OperandWay;
use super::intake::Initiator;
use crate::work::{PageState, Purpose, Transaction};

/// Most operands of a gather.
pub const MOST_OPERANDS: usize = 64;

type Operands = ArrayVec<Lpn, MOST_OPERANDS>;

/// Which pages are operands together with the one that a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherPlacement {
    /// Any of its address range; the same ones whenever it is named.
    Random,
    /// Those that follow it.
    Consecutive,
}

/// Which chip combines the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherTarget {
    /// That of the operand that the request names.
    FirstOperand,
    /// That on which most of them lie; of equals, that of the first of these operands.
    MostOperands,
}

/// How long an operand stays in its register for a target that is busy, where the fabric could carry it from chip to chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherWait {
    /// Until the target can take it.
    Always,
    /// Until something else waits for its die.
    WhileIdle,
    /// Not at all: it goes by a controller.
    Never,
}

/// What becomes of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherResult {
    /// The host is sent it.
    Host,
    /// It stays in the chip; the host is told that it is there.
    Flash,
}

choices! {
    GatherPlacement, "placement of operands": "random" => Random, "consecutive" => Consecutive;
    GatherTarget, "target of a gather": "first_operand" => FirstOperand, "most_operands" => MostOperands;
    GatherWait, "wait of operands": "always" => Always, "while_idle" => WhileIdle, "never" => Never;
    GatherResult, "place of a gather's result": "host" => Host, "flash" => Flash;
}

declare! {
    /// Gathers: requests that have a chip combine pages from all over the drive.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct GatherSettings in "gather." {
        /// Pages that a gather combines, the one that the request names among them.
        operands: u32 = whole(2, MOST_OPERANDS as u64), unit "pages", default "4",
            source "assumed; Park et al., Flash-Cosmos, MICRO 2022, combines tens of pages";
        /// Which pages they are, besides the one that the request names.
        ///
        /// `random`: any of its address range, the same ones whenever it is named. `consecutive`: those that follow it.
        placement: GatherPlacement = one_of::<GatherPlacement>(), unit "", default "random",
            source "assumed: operands lie where they were written";
        /// Which chip combines them.
        ///
        /// `first_operand`: that of the page that the request names. `most_operands`: that on which most of them lie.
        target: GatherTarget = one_of::<GatherTarget>(), unit "", default "first_operand", source "ours";
        /// How long an operand stays in its register for a target that is busy, where it can go from chip to chip.
        ///
        /// `always`: until the target can take it. `while_idle`: until something else waits for its die. `never`: not at all. Then it
        /// goes by a controller.
        wait: GatherWait = one_of::<GatherWait>(), unit "", default "while_idle", source "ours";
        /// What becomes of the result.
        ///
        /// `host`: the host is sent it. `flash`: it stays in the chip, and the host is told that it is there.
        result: GatherResult = one_of::<GatherResult>(), unit "", default "host", source "ours";
        /// Time in which a chip combines a page with those before.
        operation as t_operation_us: SimSpan = number(0.0, LONGEST_US), unit "us", default "1",
            source "assumed: latches of a page buffer work beside each other, in far less than a read";
    }
}

/// A gather that has not begun.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    initiator: Initiator,
    queue: u16,
    first: Lpn,
    sectors: u64,
    target: PlaneId,
    since: SimTime,
}

/// A gather that has begun.
#[derive(Clone, Copy, Debug)]
struct Gather {
    request: RequestId,
    target: PlaneId,
    /// Operands whose combination has begun.
    begun: u32,
    /// Operands that are still to be combined.
    left: u32,
}

/// A chip as a target.
#[derive(Clone, Debug, Default)]
struct Target {
    is_taken: bool,
    waiting: VecDeque<Wanted>,
}

/// Gathers that have begun, and those that wait for their target.
#[derive(Clone, Debug)]
pub(super) struct Gathers {
    settings: GatherSettings,
    /// Seed of the placement.
    seed: u64,
    begun: Slab<Gather>,
    /// By chip.
    targets: Vec<Target>,
    waiting: usize,
}

impl Gathers {
    /// None, on so many chips.
    pub(super) fn new(settings: GatherSettings, seed: u64, chips: u32) -> Self {
        let targets = vec![Target::default(); chips as usize];
        Self { settings, seed, begun: Slab::new(), targets, waiting: 0 }
    }

    /// How many have begun or wait.
    pub(super) fn under_way(&self) -> usize {
        self.begun.len() + self.waiting
    }
}

impl Ftl {
    /// Whether operands are on their way.
    #[inline]
    pub fn gathers(&self) -> bool {
        !self.gathers.begun.is_empty()
    }

    /// Takes in a gather of the host's queue `queue`, whose first operand is `sectors` sectors from `start` on: one result for each page that
    /// they touch. Says how many.
    pub fn accept_gather(
        &mut self,
        (initiator, queue): (Initiator, u16),
        (start, sectors): (u64, u32),
        now: SimTime,
    ) -> u32 {
        self.for_pages(start, sectors, |ftl, first, sectors| {
            let target = ftl.target_of(&ftl.operands_of(first));
            let wanted = Wanted { initiator, queue, first, sectors, target, since: now };
            let chip = ftl.chip_of(target);
            let state = &mut ftl.gathers.targets[chip.index()];
            if state.is_taken {
                state.waiting.push_back(wanted);
                ftl.gathers.waiting += 1;
            } else {
                ftl.begin_gather(&wanted, now);
            }
        })
    }

    fn chip_of(&self, plane: PlaneId) -> ChipId {
        self.geometry.chip_of(self.geometry.die_of(plane))
    }

    /// The operands of the gather that names this one, each once.
    fn operands_of(&self, first: Lpn) -> Operands {
        let GatherSettings { operands, placement, .. } = self.gathers.settings;
        let range = self.translation.addresses.pages_of_range(self.translation.addresses.range_of(first));
        let pages = range.end - range.start;
        let mut chosen = Operands::new();
        chosen.push(first);
        let mut draw = self.gathers.seed ^ u64::from(first.0);
        let mut next = first.0 - range.start;
        while chosen.len() < operands.min(pages) as usize {
            next = match placement {
                GatherPlacement::Consecutive => (next + 1) % pages,
                GatherPlacement::Random => below(&mut draw, pages),
            };
            while chosen.contains(&Lpn(range.start + next)) {
                next = (next + 1) % pages;
            }
            chosen.push(Lpn(range.start + next));
        }
        chosen
    }

    /// The plane to whose die operands are brought.
    fn target_of(&self, operands: &Operands) -> PlaneId {
        let planes: ArrayVec<PlaneId, MOST_OPERANDS> =
            operands.iter().map(|&lpn| self.geometry.plane_of_page(self.translation.locate(lpn).0)).collect();
        match self.gathers.settings.target {
            GatherTarget::FirstOperand => planes[0],
            GatherTarget::MostOperands => {
                let on_chip = |&plane: &PlaneId| {
                    planes.iter().filter(|&&other| self.chip_of(other) == self.chip_of(plane)).count()
                };
                // Of equals, the last of the reversed ones.
                planes.iter().rev().copied().max_by_key(on_chip).unwrap_or(planes[0])
            }
        }
    }

    /// The target is free: all operands are asked for.
    fn begin_gather(&mut self, wanted: &Wanted, now: SimTime) {
        let &Wanted { initiator, queue, first, sectors, target, since } = wanted;
        let operands = self.operands_of(first);
        let chip = self.chip_of(target);
        self.gathers.targets[chip.index()].is_taken = true;
        let left = operands.len() as u32;
        let gather = Gather { request: initiator.id, target, begun: 0, left };
        let id = GatherId(self.gathers.begun.insert(gather) as u32);
        self.books.gather_begins(left);
        let mut clock = StageClock::start(since);
        clock.charge(Stage::ChipWait, now);
        for lpn in operands {
            let read = self.insert_read((Purpose::OperandRead(id), initiator.priority), lpn, sectors, clock);
            self.transactions.get_mut(read).stream = self.space.stream_of_queue(queue);
            if self.look_up(read, lpn, now) {
                self.place_read(read, lpn, now);
            }
        }
    }

    /// Where an operand lies is known: on the target it is sensed, elsewhere it is read to be moved.
    pub(super) fn operand_found(&mut self, id: TransactionId, gather: GatherId) {
        let plane = self.transactions.get(id).plane;
        let target = self.gathers.begun[gather.index()].target;
        let is_there = self.chip_of(plane) == self.chip_of(target);
        let operand = self.transactions.get_mut(id);
        operand.collected = plane;
        if is_there {
            operand.purpose = Purpose::OperandSense(gather);
            self.books.operand_comes(OperandWay::InPlace, 0);
        }
    }

    /// Whether an operand that a die has read stays in its register while the target is busy.
    pub fn operand_waits(&self, die: DieId) -> bool {
        match self.gathers.settings.wait {
            GatherWait::Always => true,
            GatherWait::WhileIdle => !self.queues.waits_for(die),
            GatherWait::Never => false,
        }
    }

    /// The plane to whose die an operand is to be brought that was read on another chip.
    #[inline]
    pub fn operand_target(&self, read: TransactionId) -> Option<PlaneId> {
        match self.transactions.get(read).purpose {
            Purpose::OperandRead(gather) => Some(self.gathers.begun[gather.index()].target),
            _ => None,
        }
    }

    /// An operand has come to a controller: it waits for the target's die.
    pub(super) fn load_operand(&mut self, gather: GatherId, read: &Transaction, now: SimTime) {
        self.books.operand_comes(OperandWay::ByController, read.bytes);
        let id = self.insert_load(gather, read);
        self.queues.join(&mut self.transactions, id, now);
    }

    /// An operand goes from its register to the target: the transaction that it is there, and how long its array will work.
    pub fn start_load(&mut self, read: TransactionId, now: SimTime) -> Option<(TransactionId, ArrayWork)> {
        let operand = *self.transactions.get(read);
        let Purpose::OperandRead(gather) = operand.purpose else { return None };
        self.books.operand_comes(OperandWay::BetweenChips, operand.bytes);
        let id = self.insert_load(gather, &operand);
        let work = self.start_one(id, now);
        Some((id, work))
    }

    fn insert_load(&mut self, gather: GatherId, read: &Transaction) -> TransactionId {
        let plane = self.gathers.begun[gather.index()].target;
        let purpose = Purpose::OperandLoad(gather);
        let page = read.ppn().map_or(PageState::Unknown, |ppn| PageState::At { ppn, is_pinned: false });
        self.transactions.insert(Transaction { purpose, plane, page, ..*read })
    }

    /// The target begins to combine an operand. Says how long that takes.
    pub(super) fn combination_begins(&mut self, gather: GatherId) -> SimSpan {
        let state = &mut self.gathers.begun[gather.index()];
        state.begun += 1;
        if state.begun == 1 { SimSpan::ZERO } else { self.gathers.settings.operation }
    }

    /// Whether what a die has combined is the result, and the host is sent it.
    pub fn gives_result(&self, id: TransactionId) -> bool {
        let (Purpose::OperandLoad(gather) | Purpose::OperandSense(gather)) =
            self.transactions.get(id).purpose
        else {
            return false;
        };
        self.gathers.settings.result == GatherResult::Host && self.gathers.begun[gather.index()].left == 1
    }

    /// An operand has been combined, and the result, if that was the last one, is where it is to be. Whose it is, if so.
    pub(super) fn combination_ended(&mut self, gather: GatherId, now: SimTime) -> Option<RequestId> {
        let state = &mut self.gathers.begun[gather.index()];
        state.left -= 1;
        if state.left > 0 {
            return None;
        }
        let Gather { request, target, .. } = self.gathers.begun.remove(gather.index());
        let chip = self.chip_of(target);
        let state = &mut self.gathers.targets[chip.index()];
        state.is_taken = false;
        if let Some(next) = state.waiting.pop_front() {
            self.gathers.waiting -= 1;
            self.begin_gather(&next, now);
        }
        Some(request)
    }
}

/// A number below `bound`, and the state of the next draw (Steele, Lea and Flood's `SplitMix64`, OOPSLA 2014): the operands of a page
/// depend on nothing but the page and the seed, so no stream is kept.
fn below(state: &mut u64, bound: u32) -> u32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((u128::from(mixed ^ (mixed >> 31)) * u128::from(bound)) >> 64) as u32
}
