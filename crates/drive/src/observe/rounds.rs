//! Cumulative counts at several instants of the measured phase, from which rounds of equal length are formed.
//!
//! # How
//! The counts are recorded at the first completion in each period; such a record is called a mark. When there
//! are [`MOST`] marks, every second one is dropped and the period doubles. This limits the memory for a run
//! of any length. Since counts are cumulative, the counts of a round are the difference between two marks.

use venice_kernel::{SimSpan, SimTime};
use venice_requests::SECTOR_BYTES;

use super::{Completion, Probe};

/// Initial length of the periods between marks (recorded cumulative counts).
const FIRST_PERIOD: SimSpan = SimSpan::from_us(1);
/// Maximum number of marks (recorded cumulative counts). At least half of the marks always remain, so that
/// the ends of the five rounds are accurate to 2 % of the phase.
const MOST: usize = 512;

/// Sizes of a drive that the evaluation of write amplification needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteSizes {
    /// Number of bytes in a page.
    pub page_bytes: u64,
    /// Number of mapping units in a superblock (one block of each plane).
    pub stripe_units: u64,
    /// Number of pages in a block.
    pub block_pages: u64,
    /// True if the drive was preconditioned to steady state. Garbage collection then starts with the first
    /// write.
    pub is_prepared: bool,
}

/// Operations of the drive from the start of the measured phase up to an instant, and its free blocks and
/// buffered data at that instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DriveCounts {
    /// Number of programmed pages.
    pub programs: u64,
    /// Number of mapping units programmed for the host.
    pub host_programs: u64,
    /// Number of mapping units moved by garbage collection.
    pub gc_moves: u64,
    /// Number of erased blocks.
    pub erases: u64,
    /// Number of free blocks of the drive.
    pub free_blocks: u64,
    /// Number of mapping units, or parts of them, that the host wrote to the write buffer.
    pub buffer_writes: u64,
    /// Number of mapping units in the write buffer whose newest data is not on flash.
    pub buffered_units: u64,
}

/// Cumulative counts at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountMark {
    /// Instant at which the counts were recorded.
    pub at: SimTime,
    /// Number of completed requests.
    pub completed: u64,
    /// Sum of the latencies of completed requests, in picoseconds.
    pub latency_ps: u128,
    /// Number of bytes written by the host.
    pub written_bytes: u64,
    /// Counters of the drive's operations.
    pub drive: DriveCounts,
}

/// Cumulative counts at several instants of the measured phase.
#[derive(Clone, Debug)]
pub struct Rounds {
    sizes: WriteSizes,
    now: CountMark,
    /// Time from which the counts should be recorded again.
    next: SimTime,
    period: SimSpan,
    marks: Vec<CountMark>,
    is_closed: bool,
}

impl Default for Rounds {
    fn default() -> Self {
        Self::new(WriteSizes::default())
    }
}

impl Rounds {
    /// Creates an empty record for a drive with these sizes.
    pub fn new(sizes: WriteSizes) -> Self {
        Self {
            sizes,
            now: CountMark::default(),
            next: SimTime::ZERO,
            period: FIRST_PERIOD,
            marks: Vec::new(),
            is_closed: false,
        }
    }

    /// Stops the recording of counts, so that requests still outstanding do not change the verdict that ended
    /// the run.
    pub const fn close(&mut self) {
        self.is_closed = true;
    }

    /// Returns the sizes on which the evaluation of write amplification depends.
    pub const fn sizes(&self) -> WriteSizes {
        self.sizes
    }

    /// Returns the number of requests completed in the measured phase.
    pub const fn completed(&self) -> u64 {
        self.now.completed
    }

    /// Returns the recorded counts in chronological order.
    pub fn marks(&self) -> &[CountMark] {
        &self.marks
    }

    /// Returns true if the counts should be recorded now.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.now.at >= self.next && self.now.completed > 0 && !self.is_closed
    }

    /// Records the counts at the time of the last completion. `drive` contains the counters of the drive.
    pub fn mark(&mut self, drive: DriveCounts) {
        self.marks.push(CountMark { drive, ..self.now });
        if self.marks.len() == MOST {
            let mut place = 0;
            self.marks.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.period = self.period * 2;
        }
        self.next = self.now.at + self.period;
    }
}

impl Probe for Rounds {
    fn on_measuring(&mut self, _requests: u64, _now: SimTime) {
        *self = Self::new(self.sizes);
    }

    #[inline]
    fn on_completion(&mut self, completion: &Completion<'_>, now: SimTime) {
        let request = completion.request;
        if !completion.is_measured || request.has_failed {
            return;
        }
        self.now.at = now;
        self.now.completed += 1;
        self.now.latency_ps += u128::from(completion.latency.as_ps());
        if request.host.op.sends_data() {
            self.now.written_bytes += u64::from(request.host.sectors) * u64::from(SECTOR_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(requests: u64, gap_us: u64) -> Rounds {
        let mut rounds = Rounds::default();
        for n in 1..=requests {
            rounds.now.at = SimTime::ZERO + SimSpan::from_us(n * gap_us);
            rounds.now.completed = n;
            if rounds.is_due() {
                rounds.mark(DriveCounts { programs: n, ..DriveCounts::default() });
            }
        }
        rounds
    }

    #[test]
    fn marks_are_bounded_evenly_spaced_and_cover_the_phase() {
        for requests in [1, 300, 512, 513, 40_000, 1_000_000] {
            let rounds = rounds(requests, 3);
            let marks = rounds.marks();
            assert!(
                marks.len() < MOST && marks.len() as u64 >= requests.min(MOST as u64 / 2 - 1),
                "{requests}"
            );
            assert_eq!(marks[0].completed, 1);
            let last = marks[marks.len() - 1].completed;
            assert!(last as f64 > requests as f64 * 0.99, "{last} of {requests}");
            assert!(marks.iter().all(|mark| mark.drive.programs == mark.completed));
        }
    }
}
