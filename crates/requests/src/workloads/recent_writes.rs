//! Generation of reads that repeat recent writes.
//!
//! # What it models
//!
//! Programs often read data that they have just written. A share of the reads has the address and length of
//! one of the latest writes.
//!
//! # How
//!
//! The latest writes are kept in a ring buffer. A read that repeats a write uses any of them with equal
//! probability. Before the first write, reads use the addresses of the pattern.
//!
//! # What is left out
//!
//! A read repeats exactly one whole write. The write may still be outstanding when the read arrives, as in
//! real programs.
//!
//! # Source
//!
//! None.
//!
//! # Parameters
//!
//! `read_after_write.pct` and `read_after_write.within_writes`.

use venice_kernel::RandomStream;

use super::spec::ReadAfterWrite;
use crate::request::Op;

/// Latest writes, and the probability that a read repeats one of them.
#[derive(Clone, Debug)]
pub(super) struct RecentWrites {
    law: ReadAfterWrite,
    /// Ring buffer of the latest writes, each as start sector and length.
    ring: Vec<(u64, u32)>,
    oldest: usize,
    stream: RandomStream,
}

impl RecentWrites {
    pub(super) fn new(law: ReadAfterWrite, stream: RandomStream) -> Self {
        Self { law, ring: Vec::with_capacity(law.within_writes as usize), oldest: 0, stream }
    }

    /// Returns the start sector and the length that a request should have: those of a recent write for a read
    /// that repeats one, otherwise `start_sector` and `sectors`.
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
