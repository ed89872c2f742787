//! One write of a logical page at a time, so that partial writes of one page never lose each other.

use std::collections::VecDeque;

use crate::geometry::{Lpn, TransactionId};

/// Which logical pages have a write in progress, and who waits behind it.
///
/// Waiting is rare (two writes of one page in flight together), so waiters share one short list.
#[derive(Clone, Debug)]
pub struct WriteLocks {
    /// A bit for each page. Few enough for one piece of memory, of which the system gives what is touched.
    held: Vec<u64>,
    waiting: VecDeque<(Lpn, TransactionId)>,
}

impl WriteLocks {
    /// No page is locked.
    pub fn new(logical_pages: u32) -> Self {
        Self { held: vec![0; (logical_pages as usize).div_ceil(64)], waiting: VecDeque::new() }
    }

    /// Locks `lpn` for `write`, or lets it wait. Says whether the lock is held now.
    #[inline]
    pub fn acquire(&mut self, lpn: Lpn, write: TransactionId) -> bool {
        let word = &mut self.held[lpn.index() / 64];
        let bit = 1_u64 << (lpn.0 % 64);
        if *word & bit == 0 {
            *word |= bit;
            return true;
        }
        self.waiting.push_back((lpn, write));
        false
    }

    /// Ends the write of `lpn`. The write that waited longest for it now holds the lock and is returned.
    #[inline]
    pub fn release(&mut self, lpn: Lpn) -> Option<TransactionId> {
        if let Some(place) = self.waiting.iter().position(|&(waiting_for, _)| waiting_for == lpn) {
            return self.waiting.remove(place).map(|(_, write)| write);
        }
        self.held[lpn.index() / 64] &= !(1_u64 << (lpn.0 % 64));
        None
    }

    /// Writes that wait for another of the same page.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_of_one_page_proceed_in_the_order_they_came() {
        let mut locks = WriteLocks::new(100);
        assert!(locks.acquire(Lpn(5), TransactionId(1)));
        assert!(!locks.acquire(Lpn(5), TransactionId(2)));
        assert!(!locks.acquire(Lpn(5), TransactionId(3)));
        assert!(locks.acquire(Lpn(6), TransactionId(4)), "another page is free");
        assert_eq!(locks.release(Lpn(5)), Some(TransactionId(2)));
        assert_eq!(locks.release(Lpn(5)), Some(TransactionId(3)));
        assert_eq!(locks.release(Lpn(5)), None);
        assert!(locks.acquire(Lpn(5), TransactionId(5)));
    }
}
