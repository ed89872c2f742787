//! Queue lengths and activity of each chip, recorded only on request.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{DieTransfer, SearchOutput};
use venice_nand::geometry::{ChipId, DieId, PlaneId, TransactionId};

use super::{CommandStart, Probe, TransactionOrigins};

/// Measured queue of a chip: the queues of its dies for one class of transactions together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChipQueue {
    /// Number of transactions that were added to the queue.
    pub enqueued: u64,
    /// Number of transactions that were removed from the queue.
    pub dequeued: u64,
    /// Current number of transactions in the queue.
    pub length: u32,
    /// Maximum number of transactions in the queue.
    pub max_length: u32,
    /// Sum of the completed waiting times, in picoseconds.
    pub waited_ps: u128,
    /// Longest completed waiting time.
    pub longest_wait: SimSpan,
    /// Time of the last change of the queue's length.
    changed: SimTime,
    /// Integral of the length over time, in transactions × picoseconds.
    length_ps: u128,
    /// Integral of the squared length over time, in transactions² × picoseconds.
    squares_ps: u128,
}

impl ChipQueue {
    fn empty(now: SimTime) -> Self {
        Self { changed: now, ..Self::default() }
    }

    /// Returns the queue with its current length, and with measurements that start at `now`.
    fn restarted(&self, now: SimTime) -> Self {
        Self { length: self.length, max_length: self.length, ..Self::empty(now) }
    }

    fn passes(&mut self, now: SimTime) {
        let (length, ps) = (u128::from(self.length), u128::from(now.since(self.changed).as_ps()));
        self.length_ps += length * ps;
        self.squares_ps += length * length * ps;
        self.changed = now;
    }

    fn joins(&mut self, now: SimTime) {
        self.passes(now);
        self.enqueued += 1;
        self.length += 1;
        self.max_length = self.max_length.max(self.length);
    }

    fn leaves(&mut self, since: SimTime, now: SimTime) {
        self.passes(now);
        let waited = now.since(since);
        self.dequeued += 1;
        self.length -= 1;
        self.waited_ps += u128::from(waited.as_ps());
        self.longest_wait = self.longest_wait.max(waited);
    }

    /// Returns the mean and the standard deviation of the queue's length over `time`. The measurement must
    /// have been updated to the end of this time, unless the queue is empty.
    pub fn lengths(&self, time: SimSpan) -> (f64, f64) {
        if time.is_zero() {
            return (0.0, 0.0);
        }
        let share = |ps: u128| ps as f64 / time.as_ps() as f64;
        let mean = share(self.length_ps);
        (mean, (share(self.squares_ps) - mean * mean).max(0.0).sqrt())
    }
}

/// Measured queues of all chips.
#[derive(Clone, Debug)]
pub struct ChipQueues {
    /// Number of queues of each chip.
    per_chip: usize,
    /// Queues, indexed by chip, then by queue.
    queues: Vec<ChipQueue>,
    /// Time at which each transaction was added to its queue.
    joined: Vec<SimTime>,
    /// Start of the garbage collection that includes a plane's next erase, indexed by plane.
    erases: Vec<SimTime>,
}

impl ChipQueues {
    /// Creates empty queues.
    pub fn new(chips: u32, per_chip: usize, planes: u32) -> Self {
        Self {
            per_chip,
            queues: vec![ChipQueue::default(); chips as usize * per_chip],
            joined: Vec::new(),
            erases: vec![SimTime::ZERO; planes as usize],
        }
    }

    /// Returns the queues of a chip.
    pub fn of(&self, chip: ChipId) -> &[ChipQueue] {
        &self.queues[chip.index() * self.per_chip..][..self.per_chip]
    }

    /// Returns the measured queues, updated to `now`.
    #[must_use]
    pub fn at(&self, now: SimTime) -> Self {
        let mut queues = self.clone();
        queues.queues.iter_mut().for_each(|queue| queue.passes(now));
        queues
    }

    /// Discards the queue measurements before `now`.
    pub fn restart(&mut self, now: SimTime) {
        for queue in &mut self.queues {
            *queue = queue.restarted(now);
        }
    }

    fn queue(&mut self, chip: ChipId, queue: usize) -> &mut ChipQueue {
        &mut self.queues[chip.index() * self.per_chip + queue]
    }

    fn note(&mut self, id: TransactionId, since: SimTime) {
        if self.joined.len() <= id.index() {
            self.joined.resize(id.index() + 1, SimTime::ZERO);
        }
        self.joined[id.index()] = since;
    }

    /// Records that a transaction was added to a queue.
    #[cold]
    pub fn joins(&mut self, chip: ChipId, queue: usize, id: TransactionId, now: SimTime) {
        self.note(id, now);
        self.queue(chip, queue).joins(now);
    }

    /// Records a planned erase. The erase counts as waiting from the start of its garbage collection.
    #[cold]
    pub fn erase_is_planned(&mut self, chip: ChipId, queue: usize, plane: PlaneId, now: SimTime) {
        self.erases[plane.index()] = now;
        self.queue(chip, queue).joins(now);
    }

    /// Records that a planned erase is cancelled.
    #[cold]
    pub fn erase_is_cancelled(&mut self, chip: ChipId, queue: usize, plane: PlaneId, now: SimTime) {
        let since = self.erases[plane.index()];
        self.queue(chip, queue).leaves(since, now);
    }

    /// Records the transaction that executes a planned erase.
    #[cold]
    pub fn erase_is_ordered(&mut self, plane: PlaneId, id: TransactionId) {
        self.note(id, self.erases[plane.index()]);
    }

    /// Records that a transaction was removed from its queue.
    #[cold]
    pub fn leaves(&mut self, chip: ChipId, queue: usize, id: TransactionId, now: SimTime) {
        let since = self.joined[id.index()];
        self.queue(chip, queue).leaves(since, now);
    }
}

/// Activity of a chip over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChipTime {
    /// Number of the chip's arrays that are currently busy.
    working: u32,
    /// True if a transfer over the chip's pins is in progress now.
    transfers: bool,
    changed: SimTime,
    /// Time in which at least one array was busy.
    pub array: SimSpan,
    /// Time in which a transfer was in progress.
    pub transfer: SimSpan,
    /// Time in which at least one array was busy and a transfer was in progress.
    pub both: SimSpan,
}

impl ChipTime {
    fn passes(&mut self, now: SimTime) {
        let (span, works) = (now.since(self.changed), self.working > 0);
        let add = |sum: &mut SimSpan, is_so: bool| *sum += if is_so { span } else { SimSpan::ZERO };
        add(&mut self.array, works);
        add(&mut self.transfer, self.transfers);
        add(&mut self.both, works && self.transfers);
        self.changed = now;
    }
}

/// Activity of the arrays and pins of all chips over time.
#[derive(Clone, Debug)]
pub struct ChipTimes {
    dies_per_chip: u32,
    /// Activity of each chip.
    times: Vec<ChipTime>,
}

impl ChipTimes {
    /// Creates the record of the chips' activity, with all chips idle.
    pub fn new(chips: u32, dies_per_chip: u32) -> Self {
        Self { dies_per_chip, times: vec![ChipTime::default(); chips as usize] }
    }

    /// Returns the chip of a die or search output.
    fn chip_of(&self, die: DieId) -> ChipId {
        let dies = self.dies_per_chip * self.times.len() as u32;
        SearchOutput::of(die, dies).map_or(ChipId(die.0 / self.dies_per_chip), |output| output.chip)
    }

    /// Returns the activity of the chips up to `now`.
    #[must_use]
    pub fn up_to(&self, now: SimTime) -> Self {
        let mut times = self.clone();
        times.times.iter_mut().for_each(|time| time.passes(now));
        times
    }

    /// Returns the activity of a chip.
    pub fn of(&self, chip: ChipId) -> &ChipTime {
        &self.times[chip.index()]
    }

    /// Updates the activity of a chip to `now`, and returns it for modification.
    fn at(&mut self, chip: ChipId, now: SimTime) -> &mut ChipTime {
        let time = &mut self.times[chip.index()];
        time.passes(now);
        time
    }
}

impl Probe for ChipTimes {
    fn on_measuring(&mut self, _requests: u64, now: SimTime) {
        for chip in &mut self.times {
            *chip = ChipTime {
                working: chip.working,
                transfers: chip.transfers,
                changed: now,
                ..Default::default()
            };
        }
    }

    #[cold]
    fn on_command(&mut self, command: &CommandStart<'_>, _why: &impl TransactionOrigins, now: SimTime) {
        self.at(command.chip, now).transfers = true;
    }

    #[cold]
    fn on_pins_taken(&mut self, die: DieId, _sent: DieTransfer, now: SimTime) {
        self.at(self.chip_of(die), now).transfers = true;
    }

    #[cold]
    fn on_pins_free(&mut self, chip: ChipId, _arrived: bool, now: SimTime) {
        self.at(chip, now).transfers = false;
    }

    #[cold]
    fn on_array_begin(&mut self, die: DieId, now: SimTime) {
        self.at(self.chip_of(die), now).working += 1;
    }

    #[cold]
    fn on_array_end(&mut self, die: DieId, now: SimTime) {
        self.at(self.chip_of(die), now).working -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(us: u64) -> SimTime {
        SimTime::from_ps(us * 1_000_000)
    }

    #[test]
    fn lengths_are_weighted_with_the_time_for_which_they_held() {
        let mut queues = ChipQueues::new(2, 3, 1);
        let (chip, place) = (ChipId(1), 2);
        for (us, id) in [(10, 0), (20, 1)] {
            queues.joins(chip, place, TransactionId(id), at(us));
        }
        queues.leaves(chip, place, TransactionId(0), at(40));
        queues.leaves(chip, place, TransactionId(1), at(70));
        let queue = queues.of(ChipId(1))[2];
        assert_eq!((queue.enqueued, queue.dequeued, queue.length, queue.max_length), (2, 2, 0, 2));
        assert_eq!((queue.waited_ps, queue.longest_wait), (80_000_000, SimSpan::from_us(50)));
        // The length is 0 for 10 + 30 µs, 1 for 10 + 30 µs, and 2 for 20 µs.
        let (mean, deviation) = queue.lengths(SimSpan::from_us(100));
        assert!((mean - 0.8).abs() < 1e-12, "{mean}");
        assert!((deviation - (1.2_f64 - 0.64).sqrt()).abs() < 1e-12, "{deviation}");
        assert_eq!(queues.of(ChipId(0)), [ChipQueue::default(); 3]);
    }

    #[test]
    fn what_waits_when_measuring_begins_counts_from_then_on_and_with_its_whole_wait() {
        let mut queues = ChipQueues::new(1, 1, 1);
        let (chip, place) = (ChipId(0), 0);
        queues.joins(chip, place, TransactionId(0), at(10));
        queues.restart(at(30));
        queues.leaves(chip, place, TransactionId(0), at(40));
        let queue = queues.of(ChipId(0))[0];
        assert_eq!((queue.enqueued, queue.dequeued, queue.max_length), (0, 1, 1));
        assert_eq!(queue.longest_wait, SimSpan::from_us(30));
        assert_eq!(queue.lengths(SimSpan::from_us(20)), (0.5, 0.5));
    }

    #[test]
    fn an_erase_waits_from_the_beginning_of_its_collection() {
        let mut queues = ChipQueues::new(1, 1, 2);
        let (chip, place) = (ChipId(0), 0);
        queues.erase_is_planned(chip, place, PlaneId(1), at(5));
        queues.erase_is_ordered(PlaneId(1), TransactionId(7));
        queues.leaves(chip, place, TransactionId(7), at(25));
        let queue = queues.of(ChipId(0))[0];
        assert_eq!((queue.enqueued, queue.longest_wait), (1, SimSpan::from_us(20)));
    }

    #[test]
    fn time_with_an_array_and_a_transfer_counts_for_each_and_for_both() {
        let mut times = ChipTimes::new(1, 1);
        let chip = ChipId(0);
        times.on_pins_taken(DieId(0), DieTransfer::Data, at(0));
        times.on_pins_free(chip, true, at(1));
        times.on_array_begin(DieId(0), at(1));
        times.on_pins_taken(DieId(0), DieTransfer::Data, at(4));
        times.on_array_begin(DieId(0), at(6));
        times.on_array_end(DieId(0), at(8));
        times.on_pins_free(chip, true, at(9));
        times.on_array_end(DieId(0), at(11));
        let time = *times.of(chip);
        assert_eq!((time.array, time.transfer), (SimSpan::from_us(10), SimSpan::from_us(6)));
        assert_eq!(time.both, SimSpan::from_us(5));
    }
}
