//! Attribution of waits for chips and for space in the data cache to their causes.
//!
//! # How
//! Each die, and the pins of each chip, have a timeline of the causes that occupied them. It reaches back to
//! the start of the oldest wait in progress. When a wait for a chip ends, each instant of it is attributed to
//! the cause that occupied the die. If the die was free, the instant is attributed to the cause that occupied
//! the pins. If the pins were also free, either the plane had no free page ([`WaitCause::NoRoom`]), or no
//! path was free ([`WaitCause::PathHeld`]). Data in a register waits only for the pins. The causes thus add
//! up to the stage `chip_wait`; the [recorder](super::Recorder) checks this.
//!
//! A die that executes a host command has an array operation or a transfer in progress, or it waits with data
//! or a command until pins and path are free. In the latter case, a transfer of another die over the pins is
//! the cause. A transfer that the fabric accepted and then could not route counts as a wait for a path from its
//! start. A die that executes an internal command of the drive is occupied by this command from start to end.
//!
//! A write that waits for space in the data cache waits for destages to end. [`space_attribution`] describes
//! how their causes are found.
//!
//! # What is left out
//! Waits in other stages (for the mapping, for locks of pages, and in queues) are not attributed. Commands of
//! the same request count as other host commands. Waits inside a buffered network count as transfers. The
//! wait of a gather for its target and for its other operands counts as array time of the host.

use venice_kernel::mem::Slots;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{DieTransfer, OUTPUTS_PER_CHIP};
use venice_nand::geometry::{ChipId, DieId, RequestId, TransactionId};
use venice_nand::latency::{Stage, StageClock};
use venice_requests::Op;

use super::space_attribution::{self, SpaceOccupancy};
use super::timeline::{ByCause, CauseIndex, FREE, OccupationTimeline};
use super::vec_growth::entry;
use super::wait_causes::{CAUSES, CausedWait, DieUser, WaitCause};
use super::{CommandStart, Departure, PageCompletion, Probe, TransactionOrigins};

const NOTHING: ByCause = [0; CAUSES.len()];

/// Activity of a die that executes a host command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DieActivity {
    /// A transfer over the chip's pins is in progress.
    Transfer,
    /// An array operation is in progress.
    Array,
    /// Data or a command of the die waits for pins or a path.
    Held,
}

/// Current use of a die, and the timeline of the causes that occupied it.
#[derive(Clone, Debug)]
struct DieTime {
    chip: ChipId,
    user: DieUser,
    activity: DieActivity,
    history: OccupationTimeline,
}

impl DieTime {
    const fn new(chip: ChipId) -> Self {
        Self { chip, user: DieUser::Unused, activity: DieActivity::Held, history: OccupationTimeline::new() }
    }

    /// Returns the cause to which a wait for this die is currently attributed, regardless of other dies of
    /// the chip.
    #[inline]
    const fn kind(&self, on_pins: CauseIndex) -> CauseIndex {
        match (self.user, self.activity) {
            (DieUser::Unused, _) => FREE,
            (DieUser::Drive(work), _) => work as CauseIndex,
            (DieUser::Host, DieActivity::Transfer) => WaitCause::HostTransfer as CauseIndex,
            (DieUser::Host, DieActivity::Array) => WaitCause::HostArray as CauseIndex,
            (DieUser::Host, DieActivity::Held) if on_pins != FREE => on_pins,
            (DieUser::Host, DieActivity::Held) => WaitCause::PathHeld as CauseIndex,
        }
    }

    /// Returns the cause to which waits for the chip's pins are attributed during a transfer of this die.
    #[inline]
    const fn kind_on_pins(&self) -> CauseIndex {
        match self.user {
            DieUser::Drive(work) => work as CauseIndex,
            DieUser::Host | DieUser::Unused => WaitCause::HostTransfer as CauseIndex,
        }
    }
}

/// Timeline of the causes that occupied a chip's pins, and the die whose transfer occupies them now.
#[derive(Clone, Debug)]
struct PinTime {
    die: DieId,
    kind: CauseIndex,
    /// Start of the current transfer.
    taken_at: SimTime,
    history: OccupationTimeline,
}

/// Wait of a transaction for a chip that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// Die for which the transaction has waited.
    pub die: DieId,
    /// Start of the wait for the chip.
    pub from: SimTime,
    /// End of the wait for the chip.
    pub to: SimTime,
    /// Instant until which the plane had no free page for a write, if this has been queried.
    pub no_room_until: SimTime,
    /// True if the transaction waited only for pins and path, not for the die: its data was in a register, or
    /// its command was formed earlier.
    pub is_data: bool,
}

/// Causes found so far for a wait. The struct is kept small because it is copied at the end of each
/// transaction.
#[derive(Clone, Copy, Debug, Default)]
struct AttributedWait {
    chip: Option<ChipId>,
    /// Entry in [`CauseSpans`] with the time of each cause, or `None` if no cause has taken time.
    behind: Option<u32>,
    /// Part of the wait that has already been attributed to causes.
    explained: SimSpan,
}

/// Time of each cause, for the waits that are in progress.
#[derive(Clone, Debug)]
struct CauseSpans(Slots<ByCause>);

impl CauseSpans {
    /// Adds the time of several causes to a wait.
    fn add(&mut self, waited: &mut AttributedWait, more_ps: ByCause) {
        if more_ps != NOTHING {
            let place = *waited.behind.get_or_insert_with(|| self.0.put(NOTHING));
            let sums = self.0.get_mut(place);
            *sums = std::array::from_fn(|cause| sums[cause] + more_ps[cause]);
        }
    }

    /// Adds the time of one cause to a wait.
    fn add_one(&mut self, waited: &mut AttributedWait, cause: WaitCause, more: SimSpan) {
        let mut more_ps = NOTHING;
        more_ps[cause as usize] = more.as_ps();
        self.add(waited, more_ps);
    }

    /// Removes and returns the time of each cause of a wait.
    #[inline]
    fn take(&mut self, waited: &AttributedWait) -> ByCause {
        waited.behind.map_or(NOTHING, |place| self.take_at(place))
    }

    fn take_at(&mut self, place: u32) -> ByCause {
        let taken = *self.0.get(place);
        self.0.give_up(place);
        taken
    }
}

/// Timelines of a drive's dies and pins, and attribution of waits for them.
#[derive(Clone, Debug)]
pub struct WaitAttribution {
    dies_per_chip: usize,
    /// True if the dies of a chip can only work one at a time.
    takes_turns: bool,
    /// Timelines of the dies, then of the search outputs.
    dies: Vec<DieTime>,
    /// Timeline of the pins of each chip.
    pins: Vec<PinTime>,
    spans: CauseSpans,
    /// Causes of the wait of each transaction in flight.
    waits: Vec<AttributedWait>,
    /// Causes of the wait of the last transaction that has ended.
    ended: AttributedWait,
    /// Causes of the wait of each request's page that ended last.
    requests: Vec<AttributedWait>,
    /// Cache space occupied by all destages so far, by cause.
    occupied: SpaceOccupancy,
    /// Value of `occupied` at the arrival of each request's write at the cache.
    at_arrival: Vec<SpaceOccupancy>,
    /// Causes of each request's wait for cache space.
    waits_for_room: Vec<ByCause>,
}

impl WaitAttribution {
    /// Creates the state of an idle drive. `takes_turns` is true if the dies of a chip can only work one at a
    /// time.
    pub fn new(chips: u32, dies_per_chip: u32, takes_turns: bool) -> Self {
        let die = |die| DieTime::new(ChipId(die / dies_per_chip));
        let outputs = (0..chips).flat_map(|chip| [ChipId(chip); OUTPUTS_PER_CHIP]).map(DieTime::new);
        let pins = |chip| PinTime {
            die: DieId(chip * dies_per_chip),
            kind: FREE,
            taken_at: SimTime::ZERO,
            history: OccupationTimeline::new(),
        };
        Self {
            dies_per_chip: dies_per_chip as usize,
            takes_turns,
            dies: (0..chips * dies_per_chip).map(die).chain(outputs).collect(),
            pins: (0..chips).map(pins).collect(),
            spans: CauseSpans(Slots::new(0, NOTHING)),
            waits: Vec::new(),
            ended: AttributedWait::default(),
            requests: Vec::new(),
            occupied: SpaceOccupancy::default(),
            at_arrival: Vec::new(),
            waits_for_room: Vec::new(),
        }
    }

    /// Records the start or resumption of a die's command, whose transfer occupies the pins.
    #[inline]
    pub fn die_is_taken(&mut self, die: DieId, user: DieUser, now: SimTime) {
        self.dies[die.index()].user = user;
        self.pins_are_taken(die, now);
    }

    /// Records that a die can accept a command.
    #[inline]
    pub fn die_is_free(&mut self, die: DieId, now: SimTime) {
        let it = &mut self.dies[die.index()];
        (it.user, it.activity) = (DieUser::Unused, DieActivity::Held);
        let chip = it.chip;
        self.update(chip, now);
    }

    /// Records the start of a transfer of a die, which occupies its chip's pins.
    #[inline]
    pub fn pins_are_taken(&mut self, die: DieId, now: SimTime) {
        self.dies[die.index()].activity = DieActivity::Transfer;
        self.pins_are_used(die, now);
    }

    /// Records that a transfer of a die occupies its chip's pins. The state of the die itself does not
    /// change.
    fn pins_are_used(&mut self, die: DieId, now: SimTime) {
        let (chip, kind) = (self.dies[die.index()].chip, self.dies[die.index()].kind_on_pins());
        let pins = &mut self.pins[chip.index()];
        (pins.die, pins.kind, pins.taken_at) = (die, kind, now);
        pins.history.set(kind, now);
        self.update(chip, now);
    }

    /// Records the end of a transfer over a chip's pins. The transfer's die then waits for its next step.
    #[inline]
    pub fn pins_are_free(&mut self, chip: ChipId, now: SimTime) {
        let pins = &mut self.pins[chip.index()];
        pins.kind = FREE;
        pins.history.set(FREE, now);
        let die = &mut self.dies[pins.die.index()];
        if die.activity == DieActivity::Transfer {
            die.activity = DieActivity::Held;
        }
        self.update(chip, now);
    }

    /// Records that the fabric could not route a transfer over a chip's pins. It counts as a wait of its die
    /// for a path from its start on.
    fn pins_are_withdrawn(&mut self, chip: ChipId, now: SimTime) {
        let pins = &mut self.pins[chip.index()];
        let begin = pins.taken_at;
        pins.kind = FREE;
        pins.history.withdraw(begin, FREE, now);
        let die = &mut self.dies[pins.die.index()];
        if die.activity == DieActivity::Transfer {
            die.activity = DieActivity::Held;
        }
        self.update_with(chip, |history, kind| history.withdraw(begin, kind, now));
    }

    /// Records the start or end of a die's array operation.
    #[inline]
    pub fn array_works(&mut self, die: DieId, works: bool, now: SimTime) {
        let it = &mut self.dies[die.index()];
        it.activity = if works { DieActivity::Array } else { DieActivity::Held };
        let chip = it.chip;
        self.update(chip, now);
    }

    /// Updates, from `now` on, the causes to which waits for the dies of a chip are attributed.
    #[inline]
    fn update(&mut self, chip: ChipId, now: SimTime) {
        self.update_with(chip, |history, kind| history.set(kind, now));
    }

    /// Passes the timeline of each die of a chip, with the cause to which waits for the die are now
    /// attributed, to `update`.
    #[inline]
    fn update_with(&mut self, chip: ChipId, mut update: impl FnMut(&mut OccupationTimeline, CauseIndex)) {
        let on_pins = self.pins[chip.index()].kind;
        let first = chip.index() * self.dies_per_chip;
        let dies = &mut self.dies[first..first + self.dies_per_chip];
        let shared = if self.takes_turns { shared_kind(dies, on_pins) } else { on_pins };
        for die in dies {
            let own = die.kind(on_pins);
            update(&mut die.history, if own == FREE { shared } else { own });
        }
    }

    /// Returns true if the timeline of a die is so long that old entries should be removed.
    #[inline]
    pub fn is_long(&self, die: DieId) -> bool {
        let die = &self.dies[die.index()];
        die.history.is_long() || self.pins[die.chip.index()].history.is_long()
    }

    /// Removes the entries before `oldest`, the start of the oldest wait in progress, from a die's timeline.
    pub fn forget_before(&mut self, die: DieId, oldest: SimTime) {
        let die = &mut self.dies[die.index()];
        die.history.forget_before(oldest);
        self.pins[die.chip.index()].history.forget_before(oldest);
    }

    /// Attributes a transaction's wait for a chip, which has ended, to causes.
    #[inline]
    pub fn on_waited(&mut self, id: TransactionId, wait: &Wait) {
        let die = &self.dies[wait.die.index()];
        let waited = entry(&mut self.waits, id.index());
        waited.chip = Some(die.chip);
        if wait.to > wait.from {
            let history = if wait.is_data { &self.pins[die.chip.index()].history } else { &die.history };
            waited.explained += wait.to.since(wait.from);
            self.spans.add(waited, explain(history, wait));
        }
    }

    /// Ends a transaction. The causes of its waits are passed to the transaction `goes_on`, which continues
    /// the operation. Without such a transaction, the causes are kept for the page to which the ended
    /// transaction belongs.
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
        waited.explained += before.explained;
        self.spans.add(waited, behind);
    }

    /// Returns the causes of the waits of the last transaction that has ended. `waited` is the total length
    /// of its waits for chips. Time without a recorded cause is attributed to the lack of a free page if
    /// `is_write` is true. For a gather, it is attributed to array operations of the host.
    fn take_ended(&mut self, is_write: bool, waited: SimSpan) -> AttributedWait {
        let mut ended = std::mem::take(&mut self.ended);
        let rest = waited.saturating_sub(ended.explained);
        if !rest.is_zero() {
            let cause = if is_write { WaitCause::NoRoom } else { WaitCause::HostArray };
            self.spans.add_one(&mut ended, cause, rest);
        }
        ended
    }

    /// Records the waits of the last ended transaction, with their causes, for a page of this request.
    /// `waited` is the total length of the page's waits for chips.
    #[inline]
    pub fn page_ends(&mut self, request: RequestId, is_write: bool, waited: SimSpan) {
        let ended = self.take_ended(is_write, waited);
        self.set_request(request, ended);
    }

    /// Adds a completed destage, with the causes of its transaction's wait, to the occupancy of the cache.
    pub fn destage_ends(&mut self, clock: &StageClock, sectors: u32) {
        let spent = |stage: Stage| clock.spans[stage as usize];
        let ended = self.take_ended(true, spent(Stage::ChipWait));
        let mut causes = self.spans.take(&ended);
        for (cause, stages) in OF_A_DESTAGE {
            causes[cause as usize] += stages.iter().map(|&stage| spent(stage).as_ps()).sum::<u64>();
        }
        space_attribution::add(&mut self.occupied, &causes, sectors);
    }

    /// Records the arrival of a write at the data cache, where it may wait for space.
    pub fn cache_write_comes(&mut self, request: RequestId) {
        *entry(&mut self.at_arrival, request.index()) = self.occupied;
        *entry(&mut self.waits_for_room, request.index()) = NOTHING;
    }

    /// Attributes the wait of a write for cache space to causes, after the cache has accepted the whole
    /// write.
    pub fn cache_takes(&mut self, request: RequestId, wait: SimSpan) {
        let before = entry(&mut self.at_arrival, request.index());
        let parts =
            if wait.is_zero() { NOTHING } else { space_attribution::split(wait, before, &self.occupied) };
        *entry(&mut self.waits_for_room, request.index()) = parts;
    }

    /// Records the causes of a request's wait for cache space. The request was served without access to
    /// flash.
    pub fn served_by_cache(&mut self, request: RequestId) {
        let mut waited = AttributedWait::default();
        let room = self.waits_for_room.get(request.index()).copied().unwrap_or(NOTHING);
        self.spans.add(&mut waited, room);
        self.set_request(request, waited);
    }

    #[inline]
    fn set_request(&mut self, request: RequestId, ended: AttributedWait) {
        let before = std::mem::replace(entry(&mut self.requests, request.index()), ended);
        self.spans.take(&before);
    }

    /// Removes and returns the causes of the wait of a completed request.
    #[inline]
    pub fn take(&mut self, request: RequestId) -> CausedWait {
        if let Some(room) = self.waits_for_room.get_mut(request.index()) {
            *room = NOTHING;
        }
        let waited = std::mem::take(entry(&mut self.requests, request.index()));
        CausedWait { spans: self.spans.take(&waited).map(SimSpan::from_ps), chip: waited.chip }
    }
}

/// Causes to which the latency stages of a destage are attributed, for writes that wait for the destage to
/// end. The causes of the destage's own wait for a chip are added to these. A wait for an earlier write of
/// the same page counts as array time of the host.
const OF_A_DESTAGE: [(WaitCause, &[Stage]); 4] = [
    (WaitCause::HostArray, &[Stage::Array, Stage::Queue]),
    (WaitCause::HostTransfer, &[Stage::Transfer]),
    (WaitCause::PathHeld, &[Stage::PathWait]),
    (WaitCause::Mapping, &[Stage::Mapping]),
];

/// Returns the cause to which a wait for a die is attributed if the dies of its chip work one at a time. The
/// cause may be the operation of another die.
fn shared_kind(dies: &[DieTime], on_pins: CauseIndex) -> CauseIndex {
    let busy = dies.iter().map(|die| die.kind(on_pins)).find(|&kind| kind != FREE);
    busy.unwrap_or(on_pins)
}

/// Divides a wait by cause.
fn explain(history: &OccupationTimeline, wait: &Wait) -> ByCause {
    let room = wait.no_room_until.clamp(wait.from, wait.to);
    // Data that waits in a register needs no free page.
    let without_page = explain_part(history, (wait.from, room), WaitCause::NoRoom);
    let with_page = explain_part(history, (room, wait.to), WaitCause::PathHeld);
    std::array::from_fn(|cause| without_page[cause] + with_page[cause])
}

/// Divides a part of a wait by cause. Time in which the resource was free is attributed to `otherwise`.
fn explain_part(
    history: &OccupationTimeline,
    (from, to): (SimTime, SimTime),
    otherwise: WaitCause,
) -> ByCause {
    if from == to {
        return NOTHING;
    }
    let mut causes = history.between(from, to);
    causes[otherwise as usize] += to.since(from).as_ps() - causes.iter().sum::<u64>();
    causes
}

impl Probe for WaitAttribution {
    #[cold]
    fn on_command(&mut self, command: &CommandStart<'_>, why: &impl TransactionOrigins, now: SimTime) {
        let die = command.die;
        if self.is_long(die) {
            self.forget_before(die, why.oldest_wait().unwrap_or(now).min(now));
        }
        if command.is_next {
            self.pins_are_used(die, now);
        } else {
            self.die_is_taken(die, why.holder(command.batch[0]), now);
        }
    }

    #[cold]
    fn on_next_command(
        &mut self,
        die: DieId,
        first: TransactionId,
        works: bool,
        why: &impl TransactionOrigins,
        now: SimTime,
    ) {
        self.dies[die.index()].user = why.holder(first);
        self.array_works(die, works, now);
    }

    #[cold]
    fn on_next_page(&mut self, page: &CommandStart<'_>, why: &impl TransactionOrigins, _now: SimTime) {
        self.dies[page.die.index()].user = why.holder(page.batch[0]);
    }

    #[cold]
    fn on_departure(&mut self, departure: &Departure, why: &impl TransactionOrigins, now: SimTime) {
        let &Departure { die, id, ready, for_pins } = departure;
        if !why.is_waited_for(id) {
            return;
        }
        let no_room_until = why.no_room_until(id);
        let to = ready.max(no_room_until).min(now);
        let from = why.waits_since(id).min(to);
        self.on_waited(id, &Wait { die, from, to, no_room_until, is_data: for_pins });
    }

    #[cold]
    fn on_pins_taken(&mut self, die: DieId, sent: DieTransfer, now: SimTime) {
        match sent {
            // The array operation continues until the suspend command arrives.
            DieTransfer::Suspend => self.pins_are_used(die, now),
            DieTransfer::Data | DieTransfer::FormedCommand | DieTransfer::Resume => {
                self.pins_are_taken(die, now);
            }
        }
    }

    #[cold]
    fn on_pins_free(&mut self, chip: ChipId, arrived: bool, now: SimTime) {
        if arrived {
            self.pins_are_free(chip, now);
        } else {
            self.pins_are_withdrawn(chip, now);
        }
    }

    #[cold]
    fn on_array_begin(&mut self, die: DieId, now: SimTime) {
        self.array_works(die, true, now);
    }

    #[cold]
    fn on_array_end(&mut self, die: DieId, now: SimTime) {
        self.array_works(die, false, now);
    }

    #[cold]
    fn on_resumption(
        &mut self,
        die: DieId,
        first: TransactionId,
        why: &impl TransactionOrigins,
        now: SimTime,
    ) {
        self.die_is_taken(die, why.holder(first), now);
    }

    #[cold]
    fn on_die_free(&mut self, die: DieId, now: SimTime) {
        self.die_is_free(die, now);
    }

    #[cold]
    fn on_transaction_end(&mut self, id: TransactionId, why: &impl TransactionOrigins, _now: SimTime) {
        self.transaction_ends(id, why.follower(id));
    }

    #[cold]
    fn on_passing_on(&mut self, read: TransactionId, to: TransactionId, _now: SimTime) {
        self.transaction_ends(read, Some(to));
    }

    #[cold]
    fn on_page(&mut self, page: &PageCompletion<'_>, _now: SimTime) {
        let is_write = page.request.host.op.side() == Op::Write;
        self.page_ends(page.id, is_write, page.clock.spans[Stage::ChipWait as usize]);
    }

    #[cold]
    fn on_cache_write(&mut self, id: RequestId, _now: SimTime) {
        self.cache_write_comes(id);
    }

    #[cold]
    fn on_cache_access(&mut self, id: RequestId, wait: SimSpan, _now: SimTime) {
        self.cache_takes(id, wait);
    }

    #[cold]
    fn on_destage(&mut self, clock: &StageClock, sectors: u32, _now: SimTime) {
        self.destage_ends(clock, sectors);
    }

    #[cold]
    fn on_cache_service(&mut self, id: RequestId, _now: SimTime) {
        self.served_by_cache(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIE: DieId = DieId(0);
    const OTHER: DieId = DieId(1);
    const COLLECTION: DieUser = DieUser::Drive(WaitCause::CollectionProgram);

    fn at(us: u64) -> SimTime {
        SimTime::ZERO + SimSpan::from_us(us)
    }

    fn waited(attribution: &mut WaitAttribution, wait: Wait) -> CausedWait {
        attribution.on_waited(TransactionId(3), &wait);
        attribution.transaction_ends(TransactionId(3), None);
        attribution.page_ends(RequestId(5), false, SimSpan::ZERO);
        attribution.take(RequestId(5))
    }

    fn command(from: u64, to: u64) -> Wait {
        Wait { die: DIE, from: at(from), to: at(to), no_room_until: SimTime::ZERO, is_data: false }
    }

    fn of(behind: &CausedWait, cause: WaitCause) -> SimSpan {
        behind.spans[cause as usize]
    }

    const fn us(n: u64) -> SimSpan {
        SimSpan::from_us(n)
    }

    fn own_work(behind: &CausedWait) -> SimSpan {
        let own = [
            WaitCause::CollectionRead,
            WaitCause::CollectionProgram,
            WaitCause::Erase,
            WaitCause::WearLevelling,
            WaitCause::Mapping,
            WaitCause::NoRoom,
        ];
        own.into_iter().map(|cause| of(behind, cause)).sum()
    }

    #[test]
    fn each_instant_of_a_wait_is_owed_to_who_held_the_die_then() {
        let mut attribution = WaitAttribution::new(1, 1, false);
        attribution.die_is_taken(DIE, DieUser::Host, at(0));
        attribution.pins_are_free(ChipId(0), at(2));
        attribution.die_is_free(DIE, at(10));
        attribution.die_is_taken(DIE, COLLECTION, at(10));
        attribution.pins_are_free(ChipId(0), at(12));
        attribution.die_is_free(DIE, at(30));
        attribution.die_is_taken(DIE, DieUser::Drive(WaitCause::Erase), at(30));
        let behind = waited(&mut attribution, command(5, 34));
        assert_eq!(
            (of(&behind, WaitCause::CollectionProgram), of(&behind, WaitCause::Erase)),
            (us(20), us(4))
        );
        assert_eq!((own_work(&behind), behind.chip), (us(24), Some(ChipId(0))));
        assert_eq!(own_work(&waited(&mut attribution, command(5, 10))), SimSpan::ZERO);
    }

    #[test]
    fn pins_that_a_die_shares_count_while_its_array_does_not_work() {
        let mut attribution = WaitAttribution::new(1, 2, false);
        attribution.die_is_taken(DIE, DieUser::Host, at(0));
        attribution.pins_are_free(ChipId(0), at(1));
        attribution.die_is_taken(OTHER, COLLECTION, at(2));
        attribution.die_is_free(DIE, at(3));
        attribution.pins_are_free(ChipId(0), at(7));
        assert_eq!(own_work(&waited(&mut attribution, command(1, 9))), us(5), "from 2 to 7");
        let data = Wait { is_data: true, ..command(1, 9) };
        assert_eq!(own_work(&waited(&mut attribution, data)), us(5), "from 2 to 7");
    }

    #[test]
    fn where_dies_take_turns_one_waits_behind_the_other() {
        for (takes_turns, expected) in [(false, us(0)), (true, us(8))] {
            let mut attribution = WaitAttribution::new(1, 2, takes_turns);
            attribution.die_is_taken(OTHER, COLLECTION, at(0));
            attribution.pins_are_free(ChipId(0), at(1));
            assert_eq!(own_work(&waited(&mut attribution, command(1, 9))), expected);
        }
    }

    #[test]
    fn a_write_without_a_page_waits_for_collection_while_its_die_is_free() {
        let mut attribution = WaitAttribution::new(1, 1, false);
        attribution.die_is_taken(DIE, DieUser::Host, at(0));
        attribution.pins_are_free(ChipId(0), at(1));
        attribution.die_is_free(DIE, at(4));
        let behind = waited(&mut attribution, Wait { no_room_until: at(9), ..command(2, 12) });
        assert_eq!(of(&behind, WaitCause::NoRoom), us(5), "from 4 to 9");
    }

    #[test]
    fn transfers_without_a_path_count_as_waits_for_a_path() {
        let mut attribution = WaitAttribution::new(1, 2, false);
        attribution.die_is_taken(DIE, DieUser::Host, at(0));
        attribution.pins_are_withdrawn(ChipId(0), at(1));
        for start in 2..1_000 {
            attribution.pins_are_taken(DIE, at(start));
            attribution.pins_are_withdrawn(ChipId(0), at(start + 1));
        }
        let behind = waited(&mut attribution, command(0, 1_000));
        assert_eq!(of(&behind, WaitCause::PathHeld), us(1_000));
        assert!(!attribution.is_long(DIE), "failed transfers do not lengthen the timeline");
    }

    #[test]
    fn what_was_waited_for_before_a_queue_was_joined_is_a_write_s_wait_for_a_page() {
        let mut attribution = WaitAttribution::new(1, 1, false);
        attribution.on_waited(TransactionId(0), &command(10, 12));
        attribution.transaction_ends(TransactionId(0), Some(TransactionId(1)));
        attribution.transaction_ends(TransactionId(1), None);
        attribution.page_ends(RequestId(0), true, SimSpan::from_us(9));
        assert_eq!(of(&attribution.take(RequestId(0)), WaitCause::NoRoom), us(7));
        assert_eq!(attribution.take(RequestId(0)), CausedWait::default(), "a request is asked for once");
    }
}
