//! How many blocks a trace touches, in bounded memory.
//!
//! Blocks are kept in a compressed bitmap, which counts exactly. Should it outgrow its memory, as with accesses
//! strewn over petabytes, half of the address space is left out by chance, and what is found in the rest counts
//! double; then half of that, and so on: the adaptive sampling of Flajolet ("On Adaptive Sampling", Computing 43,
//! 1990), by granules of 64 blocks.

use roaring::RoaringTreemap;

/// Memory that the bitmap may take.
const LIMIT_BYTES: u64 = 64 << 20;
/// A container's share of the bitmap's own structure, beside its contents.
const CONTAINER_BYTES: u64 = 64;
/// Insertions after which memory is looked at again; they cannot take more than a few tens of megabytes.
const INSERTIONS_PER_CHECK: u64 = 1 << 18;

/// Block numbers stay below this: addresses end at 1 EiB.
const BLOCK_BITS: u32 = 48;
/// Blocks of a granule, as bits of the block number.
const GRANULE_BITS: u32 = 6;
/// Blocks of a container of the bitmap, likewise.
const CONTAINER_BLOCK_BITS: u32 = 16;

/// The blocks touched so far.
pub(super) struct Footprint {
    blocks: RoaringTreemap,
    /// Of the granules, one in 2^this is looked at.
    halvings: u32,
    limit_bytes: u64,
    unchecked: u64,
}

impl Footprint {
    pub(super) fn new() -> Self {
        Self::within(LIMIT_BYTES)
    }

    fn within(limit_bytes: u64) -> Self {
        Self { blocks: RoaringTreemap::new(), halvings: 0, limit_bytes, unchecked: 0 }
    }

    /// The blocks from `first` to `last` of a device are touched.
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

    /// Blocks touched.
    pub(super) fn blocks(&self) -> u64 {
        self.blocks.len() << self.halvings
    }

    /// Whether all were looked at.
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

/// Whether a granule is among one in 2^`halvings`; those kept after more halvings are kept after fewer.
#[inline]
fn is_kept(granule: u64, halvings: u32) -> bool {
    scrambled(granule).trailing_zeros() >= halvings
}

/// The finalizer of `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014).
#[inline]
fn scrambled(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_count_once_and_devices_apart() {
        let mut footprint = Footprint::new();
        footprint.touch(0, 3, 5);
        footprint.touch(0, 5, 5);
        let (end, longest) = (1 << BLOCK_BITS, 1 << 29);
        footprint.touch(65_535, end - longest, end - 1);
        footprint.touch(65_534, end - 1, end - 1);
        assert_eq!(footprint.blocks(), 3 + longest + 1);
        assert!(footprint.is_exact());
    }

    #[test]
    fn a_footprint_beyond_its_memory_is_estimated_to_a_hundredth() {
        let limit_bytes = 4 << 20;
        let mut footprint = Footprint::within(limit_bytes);
        let requests = 2_000_000;
        for number in 0..requests {
            // Two blocks each, strewn over the whole space.
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
        let mut footprint = Footprint { halvings: 3, ..Footprint::new() };
        footprint.touch(0, 100, 10_000_000);
        let ratio = footprint.blocks() as f64 / 9_999_901.0;
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    }
}
