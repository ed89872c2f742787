//! Behind whose work requests wait for their chips.
//!
//! # How
//! Of each die, and of the pins of each chip, it is known who held them when, as far back as anything still waits. When a wait for a
//! chip is over, each instant of it belongs to whoever held the die then; if nobody did, to whoever held the pins that the die
//! shares. A wait for data to leave a register is one for the pins alone. What is not the drive's own work is waiting behind
//! the host's, so that the two add up to the wait.
//!
//! A write may also wait because its plane has no page for it. Where the die is free while it does, it is collection that it waits
//! for; so it is where it waits for a page before it joins a queue.
//!
//! # What is left out
//! Waits in other stages: for the map, for the lock of a page, for the cache's room. A gather's operands wait as well, but only the last way of
//! the last one is looked at.

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};

use crate::accounting::Stage;
use crate::chip::Sent;
use crate::geometry::{ChipId, DieId, RequestId, TransactionId};
use venice_requests::Op;

use super::holder::{Behind, CHORES, Chore, Holder};
use super::{CommandStart, Departure, PageEnd, Probe, Reasons};

/// Something was so for a while.
#[derive(Clone, Copy, Debug)]
struct Spell<const KINDS: usize> {
    from: SimTime,
    until: SimTime,
    /// Of which kind.
    kind: usize,
    /// For how long each kind had lasted before.
    before: [u64; KINDS],
}

impl<const KINDS: usize> Spell<KINDS> {
    /// For how long each kind had lasted by then.
    fn up_to(&self, at: SimTime) -> [u64; KINDS] {
        let mut sums = self.before;
        sums[self.kind] += at.min(self.until).since(self.from.min(at)).as_ps();
        sums
    }
}

/// When something was of one kind or another, or of none, as far back as anybody asks. What is of no kind leaves no trace.
#[derive(Clone, Debug)]
struct Timeline<const KINDS: usize> {
    now: Option<usize>,
    since: SimTime,
    over: VecDeque<Spell<KINDS>>,
    /// Of all that are over.
    sums: [u64; KINDS],
    /// How many there may be before those are forgotten that nobody asks for any more.
    most: usize,
}

/// Spells of a timeline that are not worth forgetting.
const FEW: usize = 32;

impl<const KINDS: usize> Timeline<KINDS> {
    fn new(now: Option<usize>) -> Self {
        Self { now, since: SimTime::ZERO, over: VecDeque::new(), sums: [0; KINDS], most: FEW }
    }

    #[inline]
    fn set(&mut self, kind: Option<usize>, now: SimTime) {
        if kind != self.now {
            self.turn(kind, now);
        }
    }

    fn turn(&mut self, kind: Option<usize>, now: SimTime) {
        if let Some(kind) = self.now.filter(|_| now > self.since) {
            let spell = Spell { from: self.since, until: now, kind, before: self.sums };
            self.sums = spell.up_to(now);
            self.over.push_back(spell);
        }
        self.now = kind;
        self.since = now;
    }

    fn is_long(&self) -> bool {
        self.over.len() > self.most
    }

    /// Nobody asks for what was before `oldest`.
    fn forget_before(&mut self, oldest: SimTime) {
        let forgotten = self.over.partition_point(|spell| spell.until <= oldest);
        self.over.drain(..forgotten);
        self.most = (2 * self.over.len()).max(FEW);
    }

    /// For how long each kind had lasted by then, but for what still lasts.
    fn up_to(&self, at: SimTime) -> [u64; KINDS] {
        let begun = self.over.partition_point(|spell| spell.from <= at);
        match begun.checked_sub(1) {
            Some(last) => self.over[last].up_to(at),
            None => self.over.front().map_or(self.sums, |first| first.before),
        }
    }

    /// For how long each kind lasted between two instants, the second of which is not in the future.
    fn between(&self, from: SimTime, to: SimTime) -> [u64; KINDS] {
        let mut sums = [0; KINDS];
        // What waits began to do so not long ago, as a rule.
        if self.over.back().is_some_and(|last| last.until > from) {
            let (before, after) = (self.up_to(from), self.up_to(to));
            sums = std::array::from_fn(|kind| after[kind] - before[kind]);
        }
        if let Some(kind) = self.now {
            sums[kind] += to.since(self.since.max(from).min(to)).as_ps();
        }
        sums
    }
}

/// Of a die: which of the drive's chores keeps it from taking a command, and when nothing does.
#[derive(Clone, Debug)]
struct DieTime {
    chores: Timeline<{ CHORES.len() }>,
    free: Timeline<1>,
}

impl DieTime {
    fn new() -> Self {
        Self { chores: Timeline::new(None), free: Timeline::new(Some(0)) }
    }

    #[inline]
    fn set(&mut self, holder: Holder, now: SimTime) {
        self.chores.set(holder.chore(), now);
        self.free.set((holder == Holder::Nobody).then_some(0), now);
    }

    fn is_long(&self) -> bool {
        self.chores.is_long() || self.free.is_long()
    }

    fn forget_before(&mut self, oldest: SimTime) {
        self.chores.forget_before(oldest);
        self.free.forget_before(oldest);
    }
}

/// A wait for a chip that is over.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// The die that was waited for.
    pub die: DieId,
    /// From when.
    pub from: SimTime,
    /// Until when the chip kept it waiting.
    pub to: SimTime,
    /// Until when there was no page to write to, if that was asked for.
    pub no_room_until: SimTime,
    /// Whether it was data that waited, for the pins alone.
    pub is_data: bool,
}

/// Who holds what in a drive, and who waits behind whom.
#[derive(Clone, Debug)]
pub struct Blame {
    dies_per_chip: u32,
    /// Whether a chip's dies work one at a time.
    takes_turns: bool,
    /// By die: who holds it.
    on_die: Vec<Holder>,
    /// By chip: who holds its pins.
    on_pins: Vec<Holder>,
    /// By die: what keeps it from taking a command.
    dies: Vec<DieTime>,
    /// By chip: which of the drive's chores has its pins.
    pins: Vec<Timeline<{ CHORES.len() }>>,
    /// By transaction.
    waits: Vec<Behind>,
    /// Of the page that ended last.
    ended: Behind,
    /// By request: of the page that ended last.
    requests: Vec<Behind>,
}

impl Blame {
    /// Nobody holds anything. `takes_turns` says whether a chip's dies work one at a time.
    pub fn new(chips: u32, dies_per_chip: u32, takes_turns: bool) -> Self {
        let dies = (chips * dies_per_chip) as usize;
        Self {
            dies_per_chip,
            takes_turns,
            on_die: vec![Holder::Nobody; dies],
            on_pins: vec![Holder::Nobody; chips as usize],
            dies: vec![DieTime::new(); dies],
            pins: vec![Timeline::new(None); chips as usize],
            waits: Vec::new(),
            ended: Behind::default(),
            requests: Vec::new(),
        }
    }

    fn chip_of(&self, die: DieId) -> ChipId {
        ChipId(die.0 / self.dies_per_chip)
    }

    /// A die begins a command, or goes on with one.
    #[cold]
    pub fn die_is_taken(&mut self, die: DieId, holder: Holder, now: SimTime) {
        self.on_die[die.index()] = holder;
        self.pins_are_taken(die, now);
    }

    /// A die is free for a command.
    #[cold]
    pub fn die_is_free(&mut self, die: DieId, now: SimTime) {
        self.on_die[die.index()] = Holder::Nobody;
        self.look_at(self.chip_of(die), now);
    }

    /// Something for a die, or from it, is on its chip's pins.
    #[cold]
    pub fn pins_are_taken(&mut self, die: DieId, now: SimTime) {
        let chip = self.chip_of(die);
        self.on_pins[chip.index()] = self.on_die[die.index()];
        self.look_at(chip, now);
    }

    /// Nothing is on a chip's pins.
    #[cold]
    pub fn pins_are_free(&mut self, chip: ChipId, now: SimTime) {
        self.on_pins[chip.index()] = Holder::Nobody;
        self.look_at(chip, now);
    }

    fn look_at(&mut self, chip: ChipId, now: SimTime) {
        let on_pins = self.on_pins[chip.index()];
        self.pins[chip.index()].set(on_pins.chore(), now);
        let dies = (chip.0 * self.dies_per_chip) as usize..((chip.0 + 1) * self.dies_per_chip) as usize;
        let of_chip = self.on_die[dies.clone()].iter().fold(Holder::Nobody, |all, &one| all.or(one));
        let others = if self.takes_turns { of_chip } else { Holder::Nobody };
        for die in dies {
            let holder = self.on_die[die].or(others).or(on_pins);
            self.dies[die].set(holder, now);
        }
    }

    /// Whether a die's history is worth shortening.
    pub fn is_long(&self, die: DieId) -> bool {
        self.dies[die.index()].is_long() || self.pins[self.chip_of(die).index()].is_long()
    }

    /// Nothing that still waits has done so since before `oldest`.
    pub fn forget_before(&mut self, die: DieId, oldest: SimTime) {
        let chip = self.chip_of(die);
        self.dies[die.index()].forget_before(oldest);
        self.pins[chip.index()].forget_before(oldest);
    }

    /// A transaction has waited.
    #[cold]
    pub fn on_waited(&mut self, id: TransactionId, wait: &Wait) {
        let chip = self.chip_of(wait.die);
        if wait.to <= wait.from {
            place(&mut self.waits, id.index()).chip = Some(chip);
            return;
        }
        let die = &self.dies[wait.die.index()];
        let chores = if wait.is_data { &self.pins[chip.index()] } else { &die.chores };
        let mut spans = chores.between(wait.from, wait.to).map(SimSpan::from_ps);
        // Whose data waits has a page to go to.
        let room = wait.no_room_until.min(wait.to);
        if room > wait.from {
            let [free] = die.free.between(wait.from, room);
            spans[Chore::NoRoom as usize] = SimSpan::from_ps(free);
        }
        let behind = Behind { spans, chip: Some(chip), looked_at: wait.to.since(wait.from) };
        place(&mut self.waits, id.index()).add(&behind);
    }

    /// A transaction is over; what it waited for is that of another one, which goes on from there, or of a page.
    #[cold]
    pub fn transaction_ends(&mut self, id: TransactionId, goes_on: Option<TransactionId>) {
        let behind = std::mem::take(place(&mut self.waits, id.index()));
        self.ended = Behind::default();
        match goes_on {
            Some(next) => place(&mut self.waits, next.index()).add(&behind),
            None => self.ended = behind,
        }
    }

    /// The page of the transaction that ended last is of this request; it waited for a chip so long in all. What was not looked at is, of
    /// a write, the wait for a page.
    #[cold]
    pub fn page_ends(&mut self, request: RequestId, is_write: bool, waited: SimSpan) {
        let mut behind = std::mem::take(&mut self.ended);
        if is_write {
            behind.spans[Chore::NoRoom as usize] += waited.saturating_sub(behind.looked_at);
        }
        *place(&mut self.requests, request.index()) = behind;
    }

    /// The part of a request that ended last has waited for no chip.
    #[cold]
    pub fn served_without_flash(&mut self, request: RequestId) {
        *place(&mut self.requests, request.index()) = Behind::default();
    }

    /// What a request that is complete has waited behind, which is forgotten.
    pub fn take(&mut self, request: RequestId) -> Behind {
        std::mem::take(place(&mut self.requests, request.index()))
    }
}

impl Probe for Blame {
    #[cold]
    fn on_command(&mut self, command: &CommandStart<'_>, why: &impl Reasons, now: SimTime) {
        let die = command.die;
        if self.is_long(die) {
            self.forget_before(die, why.oldest_wait().unwrap_or(now).min(now));
        }
        self.die_is_taken(die, why.holder(command.batch[0]), now);
    }

    #[cold]
    fn on_departure(&mut self, departure: &Departure, why: &impl Reasons, now: SimTime) {
        let &Departure { die, id, ready, for_pins } = departure;
        if !why.is_waited_for(id) {
            return;
        }
        let no_room_until = why.no_room_until(id);
        let to = ready.max(no_room_until).min(now);
        let from = why.waits_since(id).min(to);
        self.on_waited(id, &Wait { die, from, to, no_room_until, is_data: for_pins });
    }

    fn on_pins_taken(&mut self, die: DieId, _sent: Sent, now: SimTime) {
        self.pins_are_taken(die, now);
    }

    fn on_pins_free(&mut self, chip: ChipId, _arrived: bool, now: SimTime) {
        self.pins_are_free(chip, now);
    }

    fn on_resumption(&mut self, die: DieId, first: TransactionId, why: &impl Reasons, now: SimTime) {
        self.die_is_taken(die, why.holder(first), now);
    }

    fn on_die_free(&mut self, die: DieId, now: SimTime) {
        self.die_is_free(die, now);
    }

    fn on_transaction_end(&mut self, id: TransactionId, why: &impl Reasons, _now: SimTime) {
        self.transaction_ends(id, why.follower(id));
    }

    fn on_passing_on(&mut self, read: TransactionId, to: TransactionId, _now: SimTime) {
        self.transaction_ends(read, Some(to));
    }

    fn on_page(&mut self, page: &PageEnd<'_>, _now: SimTime) {
        let is_write = page.request.host.op == Op::Write;
        self.page_ends(page.id, is_write, page.clock.spans[Stage::ChipWait as usize]);
    }

    fn on_cache_service(&mut self, id: RequestId, _now: SimTime) {
        self.served_without_flash(id);
    }
}

fn place(list: &mut Vec<Behind>, index: usize) -> &mut Behind {
    if list.len() <= index {
        list.resize(index + 1, Behind::default());
    }
    &mut list[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIE: DieId = DieId(0);
    const OTHER: DieId = DieId(1);
    const COLLECTION: Holder = Holder::Drive(Chore::CollectionProgram);

    fn at(us: u64) -> SimTime {
        SimTime::ZERO + SimSpan::from_us(us)
    }

    fn waited(blame: &mut Blame, wait: Wait) -> Behind {
        blame.on_waited(TransactionId(3), &wait);
        blame.transaction_ends(TransactionId(3), None);
        blame.page_ends(RequestId(5), false, SimSpan::ZERO);
        blame.take(RequestId(5))
    }

    fn command(from: u64, to: u64) -> Wait {
        Wait { die: DIE, from: at(from), to: at(to), no_room_until: SimTime::ZERO, is_data: false }
    }

    fn of(behind: &Behind, chore: Chore) -> SimSpan {
        behind.spans[chore as usize]
    }

    const fn us(n: u64) -> SimSpan {
        SimSpan::from_us(n)
    }

    #[test]
    fn each_instant_of_a_wait_is_owed_to_who_held_the_die_then() {
        let mut blame = Blame::new(1, 1, false);
        blame.die_is_taken(DIE, Holder::Host, at(0));
        blame.pins_are_free(ChipId(0), at(2));
        blame.die_is_free(DIE, at(10));
        blame.die_is_taken(DIE, COLLECTION, at(10));
        blame.pins_are_free(ChipId(0), at(12));
        blame.die_is_free(DIE, at(30));
        blame.die_is_taken(DIE, Holder::Drive(Chore::Erase), at(30));
        let behind = waited(&mut blame, command(5, 34));
        assert_eq!((of(&behind, Chore::CollectionProgram), of(&behind, Chore::Erase)), (us(20), us(4)));
        assert_eq!((behind.total(), behind.chip), (us(24), Some(ChipId(0))));
        assert_eq!(waited(&mut blame, command(5, 10)).total(), SimSpan::ZERO);
    }

    #[test]
    fn pins_that_a_die_shares_count_while_it_is_free_itself() {
        let mut blame = Blame::new(1, 2, false);
        blame.die_is_taken(DIE, Holder::Host, at(0));
        blame.pins_are_free(ChipId(0), at(1));
        blame.die_is_taken(OTHER, COLLECTION, at(2));
        blame.die_is_free(DIE, at(3));
        blame.pins_are_free(ChipId(0), at(7));
        assert_eq!(waited(&mut blame, command(1, 9)).total(), us(4), "from 3 to 7");
        let data = Wait { is_data: true, ..command(1, 9) };
        assert_eq!(waited(&mut blame, data).total(), us(5), "from 2 to 7");
    }

    #[test]
    fn where_dies_take_turns_one_waits_behind_the_other() {
        for (takes_turns, expected) in [(false, us(0)), (true, us(8))] {
            let mut blame = Blame::new(1, 2, takes_turns);
            blame.die_is_taken(OTHER, COLLECTION, at(0));
            blame.pins_are_free(ChipId(0), at(1));
            assert_eq!(waited(&mut blame, command(1, 9)).total(), expected);
        }
    }

    #[test]
    fn a_write_without_a_page_waits_for_collection_while_its_die_is_free() {
        let mut blame = Blame::new(1, 1, false);
        blame.die_is_taken(DIE, Holder::Host, at(0));
        blame.pins_are_free(ChipId(0), at(1));
        blame.die_is_free(DIE, at(4));
        let behind = waited(&mut blame, Wait { no_room_until: at(9), ..command(2, 12) });
        assert_eq!(of(&behind, Chore::NoRoom), us(5), "from 4 to 9");
    }

    #[test]
    fn what_was_waited_for_before_a_queue_was_joined_is_a_write_s_wait_for_a_page() {
        let mut blame = Blame::new(1, 1, false);
        blame.on_waited(TransactionId(0), &command(10, 12));
        blame.transaction_ends(TransactionId(0), Some(TransactionId(1)));
        blame.transaction_ends(TransactionId(1), None);
        blame.page_ends(RequestId(0), true, SimSpan::from_us(9));
        assert_eq!(of(&blame.take(RequestId(0)), Chore::NoRoom), us(7));
        assert_eq!(blame.take(RequestId(0)), Behind::default(), "a request is asked for once");
    }

    #[test]
    fn what_nobody_asks_for_is_forgotten_and_changes_nothing() {
        let (mut blame, mut all) = (Blame::new(1, 1, false), Blame::new(1, 1, false));
        for round in 0..1000 {
            for blame in [&mut blame, &mut all] {
                blame.die_is_taken(
                    DIE,
                    if round % 3 == 0 { COLLECTION } else { Holder::Host },
                    at(10 * round),
                );
                blame.pins_are_free(ChipId(0), at(10 * round + 1));
                blame.die_is_free(DIE, at(10 * round + 1 + round % 8));
            }
            if blame.is_long(DIE) {
                blame.forget_before(DIE, at(10 * round.saturating_sub(20) + 3));
            }
        }
        let (chores, free) = (blame.dies[0].chores.over.len(), blame.dies[0].free.over.len());
        assert!(chores <= FEW + 2 && free <= FEW + 2, "{chores} {free}");
        assert_eq!(all.dies[0].free.over.len(), 999, "nothing is forgotten there");
        let wait = command(9803, 9_985);
        assert_eq!(waited(&mut blame, wait), waited(&mut all, wait));
    }
}
