//! Reads of recently written data.
//!
//! # What it models
//!
//! Programs that read their own writes: a share of the reads has the address and length of one of the latest
//! writes.
//!
//! # How
//!
//! The latest writes are kept in a ring buffer. A repeating read uses any of them with equal probability.
//! Before the first write, reads use the addresses of the pattern.
//!
//! # What is left out
//!
//! Reads of a part of a write, or of several writes. A write may still be outstanding when its read arrives;
//! this is intended.
//!
//! # Source
//!
//! None; the user configures share and distance.
//!
//! # Parameters
//!
//! `read_after_write.pct` and `read_after_write.within_writes`.

use venice_kernel::RandomStream;

use super::spec::ReadAfterWrite;
use crate::request::Op;

/// Latest writes, with the probability that a read repeats one.
#[derive(Clone, Debug)]
pub(super) struct RecentWrites {
    law: ReadAfterWrite,
    /// Start and length of each write; the oldest is overwritten first.
    ring: Vec<(u64, u32)>,
    oldest: usize,
    stream: RandomStream,
}

impl RecentWrites {
    pub(super) fn new(law: ReadAfterWrite, stream: RandomStream) -> Self {
        Self { law, ring: Vec::with_capacity(law.within_writes as usize), oldest: 0, stream }
    }

    /// Returns start and length of a request. For a read that repeats a write, these are the start and length
    /// of a recent write; otherwise they are unchanged.
    #[inline]
    pub(super) fn instead_of(&mut self, op: Op, start_sector: u64, sectors: u32) -> (u64, u32) {
        match op {
            Op::Write | Op::FuaWrite => self.note((start_sector, sectors)),
            Op::Read if !self.ring.is_empty() && self.stream.chance(self.law.ratio) => {
                return self.ring[self.stream.below(self.ring.len() as u64) as usize];
            }
            _ => {}
        }
        (start_sector, sectors)
    }

    fn note(&mut self, write: (u64, u32)) {
        if self.ring.len() < self.law.within_writes as usize {
            return self.ring.push(write);
        }
        self.ring[self.oldest] = write;
        self.oldest = (self.oldest + 1) % self.ring.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_repeat_one_of_the_last_writes_and_no_older_one() {
        let law = ReadAfterWrite { ratio: 1.0, within_writes: 3 };
        let mut recent = RecentWrites::new(law, RandomStream::new(1, "recent"));
        assert_eq!(recent.instead_of(Op::Read, 7, 8), (7, 8), "nothing was written yet");
        for start in 0..10 {
            assert_eq!(recent.instead_of(Op::Write, start, 4), (start, 4));
        }
        let mut found: Vec<u64> = (0..200).map(|_| recent.instead_of(Op::Read, 99, 8).0).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, [7, 8, 9]);
    }
}
