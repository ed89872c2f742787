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
use crate::geometry::{ChipId, DieId, RequestId, Slots, TransactionId};
use venice_requests::Op;

use super::growing::entry;
use super::holder::{Behind, CHORES, Chore, Holder};
use super::{CommandStart, Departure, PageEnd, Probe, Reasons};

/// Which of some kinds something is of.
type Kind = u8;

/// Of no kind.
const NONE: Kind = Kind::MAX;

/// Something was so for a while.
#[derive(Clone, Copy, Debug)]
struct Spell<const KINDS: usize> {
    from: SimTime,
    until: SimTime,
    kind: Kind,
    /// For how long each kind had lasted before.
    before: [u64; KINDS],
}

impl<const KINDS: usize> Spell<KINDS> {
    /// For how long each kind had lasted by then.
    fn up_to(&self, at: SimTime) -> [u64; KINDS] {
        let mut sums = self.before;
        sums[usize::from(self.kind)] += at.min(self.until).since(self.from.min(at)).as_ps();
        sums
    }
}

/// When something was of one kind or another, or of none, as far back as anybody asks. What is of no kind leaves no trace.
#[derive(Clone, Debug)]
struct Timeline<const KINDS: usize> {
    now: Kind,
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
    fn new(now: Kind) -> Self {
        Self { now, since: SimTime::ZERO, over: VecDeque::new(), sums: [0; KINDS], most: FEW }
    }

    #[inline]
    fn set(&mut self, kind: Kind, now: SimTime) {
        if kind != self.now {
            self.turn(kind, now);
        }
    }

    #[inline(never)]
    fn turn(&mut self, kind: Kind, now: SimTime) {
        if self.now != NONE && now > self.since {
            let spell = Spell { from: self.since, until: now, kind: self.now, before: self.sums };
            self.sums = spell.up_to(now);
            self.over.push_back(spell);
        }
        self.now = kind;
        self.since = now;
    }

    #[inline]
    fn is_long(&self) -> bool {
        self.over.len() > self.most
    }

    /// Whether it was of any kind after an instant. What waits began to do so not long ago, as a rule, and mostly the answer is no.
    #[inline]
    fn was_any(&self, after: SimTime) -> bool {
        self.now != NONE || self.over.back().is_some_and(|last| last.until > after)
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
        if self.over.back().is_some_and(|last| last.until > from) {
            let (before, after) = (self.up_to(from), self.up_to(to));
            sums = std::array::from_fn(|kind| after[kind] - before[kind]);
        }
        if self.now != NONE {
            sums[usize::from(self.now)] += to.since(self.since.max(from).min(to)).as_ps();
        }
        sums
    }
}

/// By chore.
type ByChore<T> = [T; CHORES.len()];

/// Who holds something: a chore by its place among [`CHORES`], or one of the two below.
type Hold = u8;

/// The host's own commands.
const HOST: Hold = CHORES.len() as u8;

/// Nobody.
const NOBODY: Hold = HOST + 1;

/// The one, or the other if the one is nobody.
const fn either(one: Hold, other: Hold) -> Hold {
    if one == NOBODY { other } else { one }
}

const fn hold_of(holder: Holder) -> Hold {
    match holder {
        Holder::Nobody => NOBODY,
        Holder::Host => HOST,
        Holder::Drive(chore) => chore as u8,
    }
}

/// The chore that holds it, if one does.
const fn chore_of(hold: Hold) -> Kind {
    if hold < HOST { hold } else { NONE }
}

/// Of a die: who holds it, which of the drive's chores keeps it from taking a command, and when nothing does.
#[derive(Clone, Debug)]
struct DieTime {
    chip: ChipId,
    hold: Hold,
    /// Who keeps it from taking a command.
    kept_by: Hold,
    chores: Timeline<{ CHORES.len() }>,
    free: Timeline<1>,
}

impl DieTime {
    fn new(chip: ChipId) -> Self {
        Self { chip, hold: NOBODY, kept_by: NOBODY, chores: Timeline::new(NONE), free: Timeline::new(0) }
    }

    #[inline]
    fn set(&mut self, kept_by: Hold, now: SimTime) {
        if kept_by != self.kept_by {
            self.kept_by = kept_by;
            self.chores.set(chore_of(kept_by), now);
            self.free.set(if kept_by == NOBODY { 0 } else { NONE }, now);
        }
    }

    #[inline]
    fn is_long(&self) -> bool {
        self.chores.is_long() || self.free.is_long()
    }

    fn forget_before(&mut self, oldest: SimTime) {
        self.chores.forget_before(oldest);
        self.free.forget_before(oldest);
    }
}

/// Of a chip's pins: who holds them, and which of the drive's chores does.
#[derive(Clone, Debug)]
struct PinTime {
    hold: Hold,
    /// Dies of the chip that nobody holds.
    idle: usize,
    chores: Timeline<{ CHORES.len() }>,
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

/// What something has waited behind. Small, since it is passed on at every end, and mostly it was nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Waited {
    chip: Option<ChipId>,
    /// The place of the time by chore, if any of it is not zero.
    behind: Option<u32>,
    /// All of its wait that was looked at.
    looked_at: SimSpan,
}

/// Time by chore of what waits, and has waited behind one.
#[derive(Clone, Debug)]
struct Spans(Slots<ByChore<u64>>);

impl Spans {
    /// So much more for `waited`.
    #[cold]
    fn add(&mut self, waited: &mut Waited, more_ps: ByChore<u64>) {
        if more_ps != [0; CHORES.len()] {
            let place = *waited.behind.get_or_insert_with(|| self.0.put([0; CHORES.len()]));
            let sums = self.0.get_mut(place);
            *sums = std::array::from_fn(|chore| sums[chore] + more_ps[chore]);
        }
    }

    /// So much more of one chore.
    #[cold]
    fn add_one(&mut self, waited: &mut Waited, chore: Chore, more: SimSpan) {
        let mut more_ps = [0; CHORES.len()];
        more_ps[chore as usize] = more.as_ps();
        self.add(waited, more_ps);
    }

    /// What `waited` has, which is forgotten here.
    #[inline]
    fn take(&mut self, waited: &Waited) -> ByChore<u64> {
        waited.behind.map_or([0; CHORES.len()], |place| self.take_at(place))
    }

    #[cold]
    fn take_at(&mut self, place: u32) -> ByChore<u64> {
        let taken = *self.0.get(place);
        self.0.give_up(place);
        taken
    }
}

/// Who holds what in a drive, and who waits behind whom.
#[derive(Clone, Debug)]
pub struct Blame {
    dies_per_chip: usize,
    /// Whether a chip's dies work one at a time.
    takes_turns: bool,
    /// Who holds the pins of a chip matters to its dies if more of them are idle.
    idle_in_vain: usize,
    dies: Vec<DieTime>,
    /// By chip.
    pins: Vec<PinTime>,
    spans: Spans,
    /// By transaction.
    waits: Vec<Waited>,
    /// Of the page that ended last.
    ended: Waited,
    /// By request: of the page that ended last.
    requests: Vec<Waited>,
}

impl Blame {
    /// Nobody holds anything. `takes_turns` says whether a chip's dies work one at a time.
    pub fn new(chips: u32, dies_per_chip: u32, takes_turns: bool) -> Self {
        let dies = (0..chips * dies_per_chip).map(|die| DieTime::new(ChipId(die / dies_per_chip)));
        let dies_per_chip = dies_per_chip as usize;
        let pins = PinTime { hold: NOBODY, idle: dies_per_chip, chores: Timeline::new(NONE) };
        Self {
            dies_per_chip,
            takes_turns,
            idle_in_vain: if takes_turns { dies_per_chip - 1 } else { 0 },
            dies: dies.collect(),
            pins: vec![pins; chips as usize],
            spans: Spans(Slots::new(0, [0; CHORES.len()])),
            waits: Vec::new(),
            ended: Waited::default(),
            requests: Vec::new(),
        }
    }

    /// A die begins a command, or goes on with one.
    #[inline]
    pub fn die_is_taken(&mut self, die: DieId, holder: Holder, now: SimTime) {
        let hold = hold_of(holder);
        let chip = self.die_passes_to(hold, die);
        self.pins_pass_to(hold, chip, now);
        self.look_at(chip, now);
    }

    /// A die is free for a command.
    #[inline]
    pub fn die_is_free(&mut self, die: DieId, now: SimTime) {
        let chip = self.die_passes_to(NOBODY, die);
        self.look_at(chip, now);
    }

    /// Something for a die, or from it, is on its chip's pins.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "only asks whether it matters")]
    pub fn pins_are_taken(&mut self, die: DieId, now: SimTime) {
        let &DieTime { chip, hold, .. } = &self.dies[die.index()];
        self.pins_pass_to(hold, chip, now);
    }

    /// Nothing is on a chip's pins.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "only asks whether it matters")]
    pub fn pins_are_free(&mut self, chip: ChipId, now: SimTime) {
        self.pins_pass_to(NOBODY, chip, now);
    }

    /// The chip of the die.
    #[inline]
    fn die_passes_to(&mut self, hold: Hold, die: DieId) -> ChipId {
        let it = &mut self.dies[die.index()];
        let before = std::mem::replace(&mut it.hold, hold);
        let idle = &mut self.pins[it.chip.index()].idle;
        *idle = *idle + usize::from(hold == NOBODY) - usize::from(before == NOBODY);
        it.chip
    }

    /// It matters where a chore has them, or had, and where a die might be kept from a command by them alone. Mostly neither is so.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "only asks whether it matters")]
    fn pins_pass_to(&mut self, hold: Hold, chip: ChipId, now: SimTime) {
        let pins = &mut self.pins[chip.index()];
        let before = std::mem::replace(&mut pins.hold, hold);
        if before.min(hold) < HOST || pins.idle > self.idle_in_vain {
            self.pins_have_passed(chip, now);
        }
    }

    #[cold]
    fn pins_have_passed(&mut self, chip: ChipId, now: SimTime) {
        let pins = &mut self.pins[chip.index()];
        pins.chores.set(chore_of(pins.hold), now);
        if pins.idle > self.idle_in_vain {
            self.look_at(chip, now);
        }
    }

    /// Somebody holds a die of this chip, or its pins, or does no longer.
    #[inline]
    fn look_at(&mut self, chip: ChipId, now: SimTime) {
        let on_pins = self.pins[chip.index()].hold;
        if self.dies_per_chip == 1 {
            let die = &mut self.dies[chip.index()];
            die.set(either(die.hold, on_pins), now);
        } else {
            self.look_at_all(chip, on_pins, now);
        }
    }

    /// The same where a chip has several dies.
    #[inline(never)]
    fn look_at_all(&mut self, chip: ChipId, on_pins: Hold, now: SimTime) {
        let first = chip.index() * self.dies_per_chip;
        let dies = &mut self.dies[first..first + self.dies_per_chip];
        let others = if self.takes_turns { hold_of_any(dies) } else { NOBODY };
        for die in dies {
            die.set(either(either(die.hold, others), on_pins), now);
        }
    }

    /// Whether a die's history is worth shortening.
    #[inline]
    pub fn is_long(&self, die: DieId) -> bool {
        let die = &self.dies[die.index()];
        die.is_long() || self.pins[die.chip.index()].chores.is_long()
    }

    /// Nothing that still waits has done so since before `oldest`.
    pub fn forget_before(&mut self, die: DieId, oldest: SimTime) {
        let die = &mut self.dies[die.index()];
        die.forget_before(oldest);
        self.pins[die.chip.index()].chores.forget_before(oldest);
    }

    /// A transaction has waited.
    #[inline]
    pub fn on_waited(&mut self, id: TransactionId, wait: &Wait) {
        let die = &self.dies[wait.die.index()];
        let waited = entry(&mut self.waits, id.index());
        waited.chip = Some(die.chip);
        if wait.to <= wait.from {
            return;
        }
        waited.looked_at += wait.to.since(wait.from);
        let chores = if wait.is_data { &self.pins[die.chip.index()].chores } else { &die.chores };
        if chores.was_any(wait.from) {
            self.spans.add(waited, chores.between(wait.from, wait.to));
        }
        // Whose data waits has a page to go to.
        let room = wait.no_room_until.min(wait.to);
        if room > wait.from {
            let [free] = die.free.between(wait.from, room);
            self.spans.add_one(waited, Chore::NoRoom, SimSpan::from_ps(free));
        }
    }

    /// A transaction is over; what it waited for is that of another one, which goes on from there, or of a page.
    #[inline]
    pub fn transaction_ends(&mut self, id: TransactionId, goes_on: Option<TransactionId>) {
        let waited = std::mem::take(entry(&mut self.waits, id.index()));
        let unasked = std::mem::replace(&mut self.ended, waited);
        self.spans.take(&unasked);
        if let Some(next) = goes_on {
            self.go_on_as(next);
        }
    }

    #[cold]
    fn go_on_as(&mut self, next: TransactionId) {
        let before = std::mem::take(&mut self.ended);
        let behind = self.spans.take(&before);
        let waited = entry(&mut self.waits, next.index());
        waited.chip = before.chip.or(waited.chip);
        waited.looked_at += before.looked_at;
        self.spans.add(waited, behind);
    }

    /// The page of the transaction that ended last is of this request; it waited for a chip so long in all. What was not looked at is, of
    /// a write, the wait for a page.
    #[inline]
    pub fn page_ends(&mut self, request: RequestId, is_write: bool, waited: SimSpan) {
        let mut ended = std::mem::take(&mut self.ended);
        if is_write && waited > ended.looked_at {
            let elsewhere = waited.saturating_sub(ended.looked_at);
            self.spans.add_one(&mut ended, Chore::NoRoom, elsewhere);
        }
        self.request_has(request, ended);
    }

    /// The part of a request that ended last has waited for no chip.
    pub fn served_without_flash(&mut self, request: RequestId) {
        self.request_has(request, Waited::default());
    }

    #[inline]
    fn request_has(&mut self, request: RequestId, ended: Waited) {
        let before = std::mem::replace(entry(&mut self.requests, request.index()), ended);
        self.spans.take(&before);
    }

    /// What a request that is complete has waited behind, which is forgotten.
    #[inline]
    pub fn take(&mut self, request: RequestId) -> Behind {
        let waited = std::mem::take(entry(&mut self.requests, request.index()));
        Behind { spans: self.spans.take(&waited).map(SimSpan::from_ps), chip: waited.chip }
    }
}

/// Who holds any of these dies.
fn hold_of_any(dies: &[DieTime]) -> Hold {
    dies.iter().fold(NOBODY, |all, die| either(all, die.hold))
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

    #[inline]
    fn on_pins_taken(&mut self, die: DieId, _sent: Sent, now: SimTime) {
        self.pins_are_taken(die, now);
    }

    #[inline]
    fn on_pins_free(&mut self, chip: ChipId, _arrived: bool, now: SimTime) {
        self.pins_are_free(chip, now);
    }

    #[cold]
    fn on_resumption(&mut self, die: DieId, first: TransactionId, why: &impl Reasons, now: SimTime) {
        self.die_is_taken(die, why.holder(first), now);
    }

    #[cold]
    fn on_die_free(&mut self, die: DieId, now: SimTime) {
        self.die_is_free(die, now);
    }

    #[cold]
    fn on_transaction_end(&mut self, id: TransactionId, why: &impl Reasons, _now: SimTime) {
        self.transaction_ends(id, why.follower(id));
    }

    #[cold]
    fn on_passing_on(&mut self, read: TransactionId, to: TransactionId, _now: SimTime) {
        self.transaction_ends(read, Some(to));
    }

    #[cold]
    fn on_page(&mut self, page: &PageEnd<'_>, _now: SimTime) {
        let is_write = page.request.host.op == Op::Write;
        self.page_ends(page.id, is_write, page.clock.spans[Stage::ChipWait as usize]);
    }

    #[cold]
    fn on_cache_service(&mut self, id: RequestId, _now: SimTime) {
        self.served_without_flash(id);
    }
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
