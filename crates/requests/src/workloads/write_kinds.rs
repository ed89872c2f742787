//! Generation of the kinds of writes, and of flushes.

use venice_kernel::RandomStream;

use super::spec::WriteKinds;
use crate::request::Op;

/// Generator of the kinds of writes, and of flushes between writes.
#[derive(Clone, Debug)]
pub(super) struct WriteKindGenerator {
    kinds: WriteKinds,
    /// True if all writes are plain writes, so that no random numbers are drawn.
    are_plain: bool,
    forced: RandomStream,
    zeroes: RandomStream,
    /// Number of writes since the last flush.
    writes: u32,
}

impl WriteKindGenerator {
    /// Creates a generator with separate random streams for forced writes and for writes of zeroes.
    pub(super) fn new(kinds: WriteKinds, forced: RandomStream, zeroes: RandomStream) -> Self {
        let are_plain = kinds.fua_ratio == 0.0 && kinds.zeroes_ratio == 0.0;
        Self { kinds, are_plain, forced, zeroes, writes: 0 }
    }

    /// Returns the operation of the next write.
    #[inline]
    pub(super) fn write(&mut self) -> Op {
        if self.are_plain { Op::Write } else { self.drawn() }
    }

    fn drawn(&mut self) -> Op {
        if self.zeroes.chance(self.kinds.zeroes_ratio) {
            return if self.kinds.zeroes_deallocate { Op::DeallocateZeroes } else { Op::WriteZeroes };
        }
        if self.forced.chance(self.kinds.fua_ratio) { Op::FuaWrite } else { Op::Write }
    }

    /// Returns true if a flush must precede the next request, whose operation is `next`. As in fio, a flush
    /// that a write makes due is issued before the request after this write.
    #[inline]
    pub(super) fn flush_is_due(&mut self, next: Op) -> bool {
        if self.kinds.flush_every == 0 {
            return false;
        }
        let is_due = self.writes >= self.kinds.flush_every;
        if is_due {
            self.writes = 0;
        }
        self.writes += u32::from(next.side() == Op::Write && next != Op::Trim);
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generator(kinds: WriteKinds) -> WriteKindGenerator {
        WriteKindGenerator::new(kinds, RandomStream::new(1, "forced"), RandomStream::new(1, "zeroes"))
    }

    #[test]
    fn flush_follows_each_group_of_writes() {
        let mut kinds = generator(WriteKinds { flush_every: 2, ..WriteKinds::default() });
        let requests =
            [Op::Write, Op::Read, Op::FuaWrite, Op::Read, Op::Trim, Op::Write, Op::Write, Op::Write];
        let due = requests.map(|op| kinds.flush_is_due(op));
        assert_eq!(due, [false, false, false, true, false, false, false, true]);
    }

    #[test]
    fn shares_of_zeroes_and_of_forced_writes_multiply() {
        let shares = WriteKinds { fua_ratio: 0.5, zeroes_ratio: 0.25, ..WriteKinds::default() };
        let mut kinds = generator(shares);
        let drawn: Vec<Op> = (0..40_000).map(|_| kinds.write()).collect();
        let share = |op: Op| drawn.iter().filter(|&&drawn| drawn == op).count() as f64 / drawn.len() as f64;
        let found = [Op::WriteZeroes, Op::FuaWrite, Op::Write, Op::DeallocateZeroes].map(share);
        for (found, expected) in found.into_iter().zip([0.25, 0.375, 0.375, 0.0]) {
            assert!((found - expected).abs() < 0.01, "{found} instead of {expected}");
        }
    }
}
