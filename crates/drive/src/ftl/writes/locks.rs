//! Locks of logical pages. They permit one write of a page at a time, so that partial writes of a page do not
//! overwrite each other.

use std::collections::VecDeque;

use venice_kernel::mem::EntryPosition;
use venice_nand::geometry::{Lpn, TransactionId};

use crate::ftl::translation::PageMap;

/// Writes that wait for the lock of their page. The page map marks locked pages. Waits are rare, so that all
/// waiting writes share one short list.
#[derive(Clone, Debug, Default)]
pub struct WriteLocks {
    waiting: VecDeque<(Lpn, TransactionId)>,
}

impl WriteLocks {
    /// Locks `lpn` for `write` and returns true. If the page is locked, makes the write wait and returns
    /// false.
    #[inline]
    pub fn acquire(&mut self, map: &mut PageMap, lpn: Lpn, write: TransactionId) -> bool {
        let is_free = map.lock(lpn);
        if !is_free {
            self.waiting.push_back((lpn, write));
        }
        is_free
    }

    /// Releases the lock of `lpn`, whose map entry is at `spot`. If a write waits for the lock, the one that has
    /// waited longest gets it and is returned.
    #[inline]
    pub fn release(&mut self, map: &mut PageMap, spot: EntryPosition, lpn: Lpn) -> Option<TransactionId> {
        let next = if self.waiting.is_empty() { None } else { self.next(lpn) };
        if next.is_none() {
            map.unlock(spot);
        }
        next
    }

    /// Removes and returns the write that has waited longest for the lock of a page.
    fn next(&mut self, lpn: Lpn) -> Option<TransactionId> {
        let place = self.waiting.iter().position(|&(waiting_for, _)| waiting_for == lpn)?;
        self.waiting.remove(place).map(|(_, write)| write)
    }

    /// Returns the number of writes that wait for locks.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_of_one_page_proceed_in_the_order_they_came() {
        let (mut locks, mut map) = (WriteLocks::default(), PageMap::new(100, 100, 8));
        assert!(locks.acquire(&mut map, Lpn(5), TransactionId(1)));
        assert!(!locks.acquire(&mut map, Lpn(5), TransactionId(2)));
        assert!(!locks.acquire(&mut map, Lpn(5), TransactionId(3)));
        assert!(locks.acquire(&mut map, Lpn(6), TransactionId(4)), "another page is free");
        let spot = map.spot(Lpn(5));
        assert_eq!(locks.release(&mut map, spot, Lpn(5)), Some(TransactionId(2)));
        assert_eq!(locks.release(&mut map, spot, Lpn(5)), Some(TransactionId(3)));
        assert_eq!(locks.release(&mut map, spot, Lpn(5)), None);
        assert!(locks.acquire(&mut map, Lpn(5), TransactionId(5)));
    }
}
