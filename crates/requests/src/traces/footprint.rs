//! Counter of the distinct blocks that a trace accesses, in bounded memory.
//!
//! A compressed bitmap counts blocks exactly. If it exceeds its memory limit, for example with random
//! accesses over petabytes, a random half of the address space is excluded and the count of the remainder is
//! doubled. This is repeated as often as necessary. The method is the adaptive sampling of Flajolet ("On
//! Adaptive Sampling", Computing 43, 1990), applied to groups of 64 blocks (granules).

use std::collections::BTreeMap;

use roaring::{RoaringBitmap, RoaringTreemap};

use crate::request::{HostRequest, SECTOR_BYTES};

/// Number of sectors per block. Blocks have 4 KiB, as is usual in the literature, regardless of the drive's
/// page size.
const BLOCK_SECTORS: u64 = 4096 / SECTOR_BYTES as u64;

/// Memory limit of the bitmap in bytes.
const LIMIT_BYTES: u64 = 64 << 20;
/// Memory for each container of the bitmap in bytes, without its content.
const CONTAINER_BYTES: u64 = 64;
/// Number of insertions between checks of the memory limit. They add at most a few tens of megabytes.
const INSERTIONS_PER_CHECK: u64 = 1 << 18;

/// Number of bits of a block number. Addresses are below 1 EiB.
const BLOCK_BITS: u32 = 48;
/// Number of low bits of a block number that select a block within its granule, the unit of sampling.
const GRANULE_BITS: u32 = 6;
/// Number of low bits of a block number that select a bit within a container of the bitmap.
const CONTAINER_BLOCK_BITS: u32 = 16;

/// Number of bits of a block number within one bitmap of a [`RoaringTreemap`].
const BITMAP_BITS: u32 = 32;

/// Count of the blocks that several devices access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoincidingPages {
    /// Number of blocks of 4 KiB.
    pub pages: u64,
    /// True for an exact count; false for an estimate beyond the memory limit.
    pub is_exact: bool,
}

/// Set of the distinct blocks accessed so far.
pub(super) struct FootprintCounter {
    blocks: RoaringTreemap,
    /// Number of times that the sample was halved. The sample contains one in 2^`halvings` granules.
    halvings: u32,
    limit_bytes: u64,
    unchecked: u64,
}

impl FootprintCounter {
    pub(super) fn new() -> Self {
        Self::within(LIMIT_BYTES)
    }

    fn within(limit_bytes: u64) -> Self {
        Self { blocks: RoaringTreemap::new(), halvings: 0, limit_bytes, unchecked: 0 }
    }

    /// Records that a device accessed the blocks from `first` to `last`.
    #[inline]
    pub(super) fn touch(&mut self, device: u16, first: u64, last: u64) {
        let space = u64::from(device) << BLOCK_BITS;
        if self.halvings == 0 {
            self.blocks.insert_range(space + first..=space + last);
        } else {
            self.touch_sampled(space + first, space + last);
        }
        self.unchecked += 1 + ((last - first) >> CONTAINER_BLOCK_BITS);
        if self.unchecked >= INSERTIONS_PER_CHECK {
            self.check();
        }
    }

    /// Records the blocks that a request accesses. A flush accesses none.
    #[inline]
    pub(super) fn touch_request(&mut self, request: &HostRequest) {
        if request.sectors == 0 {
            return;
        }
        let (first, last) = (request.start_sector, request.end_sector() - 1);
        self.touch(request.queue, first / BLOCK_SECTORS, last / BLOCK_SECTORS);
    }

    /// Returns the number of blocks that several devices have accessed. Only devices whose numbers are equal
    /// modulo `ranges` are compared, since they share an address range.
    pub(super) fn coinciding(&self, ranges: u16) -> CoincidingPages {
        let mut touched: BTreeMap<(u16, u32), (RoaringBitmap, RoaringBitmap)> = BTreeMap::new();
        for (key, bitmap) in self.blocks.bitmaps() {
            let device = (key >> (BLOCK_BITS - BITMAP_BITS)) as u16;
            let place = key & ((1 << (BLOCK_BITS - BITMAP_BITS)) - 1);
            let (once, again) = touched.entry((device % ranges, place)).or_default();
            *again |= &*once & bitmap;
            *once |= bitmap;
        }
        let pages: u64 = touched.values().map(|(_, again)| again.len()).sum();
        CoincidingPages { pages: pages << self.halvings, is_exact: self.is_exact() }
    }

    /// Returns the number of distinct blocks.
    pub(super) fn blocks(&self) -> u64 {
        self.blocks.len() << self.halvings
    }

    /// Returns true if the count is exact.
    pub(super) fn is_exact(&self) -> bool {
        self.halvings == 0
    }

    fn touch_sampled(&mut self, first: u64, last: u64) {
        for granule in first >> GRANULE_BITS..=last >> GRANULE_BITS {
            if is_kept(granule, self.halvings) {
                let begin = granule << GRANULE_BITS;
                let end = begin + (1 << GRANULE_BITS) - 1;
                self.blocks.insert_range(first.max(begin)..=last.min(end));
            }
        }
    }

    #[cold]
    fn check(&mut self) {
        self.unchecked = 0;
        while self.bytes() > self.limit_bytes {
            self.halvings += 1;
            let kept = self.blocks.iter().filter(|block| is_kept(block >> GRANULE_BITS, self.halvings));
            self.blocks = RoaringTreemap::from_sorted_iter(kept).expect("a bitmap is in order");
        }
    }

    fn bytes(&self) -> u64 {
        let statistics = self.blocks.bitmaps().map(|(_, bitmap)| bitmap.statistics());
        let bytes = statistics.map(|of| {
            let contents =
                [of.n_bytes_array_containers, of.n_bytes_run_containers, of.n_bytes_bitset_containers];
            u64::from(of.n_containers) * CONTAINER_BYTES + contents.iter().sum::<u64>()
        });
        bytes.sum()
    }
}

/// Returns true if a group of blocks (granule) belongs to the sample of one in 2^`halvings`. The sample is
/// the same for all devices, so that common blocks are found, and each halving takes a subset of it.
#[inline]
fn is_kept(granule: u64, halvings: u32) -> bool {
    let place = granule & ((1 << (BLOCK_BITS - GRANULE_BITS)) - 1);
    scrambled(place).trailing_zeros() >= halvings
}

/// Returns a hash of `number`, computed by the finalizer of `SplitMix64` (Steele, Lea and Flood, OOPSLA
/// 2014).
#[inline]
fn scrambled(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;

    use super::*;
    use crate::Op;

    #[test]
    fn blocks_count_once_and_devices_apart() {
        let mut footprint = FootprintCounter::new();
        footprint.touch(0, 3, 5);
        footprint.touch(0, 5, 5);
        let (end, longest) = (1 << BLOCK_BITS, 1 << 29);
        footprint.touch(65_535, end - longest, end - 1);
        footprint.touch(65_534, end - 1, end - 1);
        assert_eq!(footprint.blocks(), 3 + longest + 1);
        assert!(footprint.is_exact());
    }

    #[test]
    fn a_flush_touches_no_block() {
        let mut footprint = FootprintCounter::new();
        let (arrival, op) = (SimTime::ZERO, Op::Flush);
        footprint.touch_request(&HostRequest {
            arrival,
            start_sector: 0,
            sectors: 0,
            queue: 0,
            op,
            pattern_set: 0,
        });
        assert_eq!(footprint.blocks(), 0);
    }

    #[test]
    fn blocks_of_several_devices_coincide_once_however_many_touch_them() {
        let mut footprint = FootprintCounter::new();
        footprint.touch(0, 0, 99);
        footprint.touch(1, 90, 200);
        footprint.touch(2, 95, 95);
        footprint.touch(2, 1 << 40, 1 << 40);
        footprint.touch(1, 1 << 40, 1 << 40);
        assert_eq!(footprint.coinciding(1), CoincidingPages { pages: 11, is_exact: true });
        assert_eq!(footprint.coinciding(2), CoincidingPages { pages: 1, is_exact: true }, "0 and 2");
        assert_eq!(footprint.coinciding(3).pages, 0);
    }

    #[test]
    fn coinciding_blocks_are_estimated_from_the_same_sample_of_each_device() {
        let mut footprint = FootprintCounter { halvings: 3, ..FootprintCounter::new() };
        footprint.touch(0, 0, 10_000_000);
        footprint.touch(40_000, 5_000_000, 15_000_000);
        let ratio = footprint.coinciding(1).pages as f64 / 5_000_001.0;
        assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
    }

    #[test]
    fn a_footprint_beyond_its_memory_is_estimated_to_a_hundredth() {
        let limit_bytes = 4 << 20;
        let mut footprint = FootprintCounter::within(limit_bytes);
        let requests = 2_000_000;
        for number in 0..requests {
            // Ranges of two blocks, spread over the whole address space.
            let first = scrambled(number) >> 17 << 1;
            footprint.touch(0, first, first + 1);
        }
        footprint.check();
        assert!(!footprint.is_exact());
        assert!(footprint.bytes() <= limit_bytes, "{} bytes", footprint.bytes());
        let ratio = footprint.blocks() as f64 / (2 * requests) as f64;
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn a_long_range_counts_in_the_sample_as_its_parts() {
        let mut footprint = FootprintCounter { halvings: 3, ..FootprintCounter::new() };
        footprint.touch(0, 100, 10_000_000);
        let ratio = footprint.blocks() as f64 / 9_999_901.0;
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    }
}
