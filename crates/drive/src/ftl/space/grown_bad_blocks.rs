//! Grown bad blocks: blocks that fail during the run.
//!
//! # What it models
//! Every plane has a reserve of blocks that hold no data. Every erase of garbage collection fails with the same
//! probability. A block whose erase has failed is never used again; a block of the reserve takes its place.
//! When a plane has used up its reserve, the drive becomes read-only: it refuses commands that change data, and
//! further erases succeed.
//!
//! # How
//! The block of the reserve gets the index of the failed block, and has not been erased before.
//!
//! # What is left out
//! Failed programs, and probabilities that rise with wear. In a line (superblock), a block of the reserve takes
//! over the erase count of the failed block.
//!
//! # Source
//! NVMe base specification 2.0, SMART / Health Information: available spare, and the critical warning of
//! media in read-only mode.
//!
//! # Parameters
//! `flash.erase_failure_ppm`, `flash.grown_bad_block_reserve_pct`

use venice_kernel::RandomStream;
use venice_nand::geometry::PlaneId;

/// Failures of erases, and the reserve for failed blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrownBadBlockSettings {
    /// Probability that an erase fails.
    pub erase_failure: f64,
    /// Number of blocks of a plane that replace failed ones.
    pub reserve_blocks: u32,
}

/// Blocks that have failed during the run.
#[derive(Clone, Debug)]
pub struct GrownBadBlocks {
    settings: GrownBadBlockSettings,
    random: RandomStream,
    /// Number of failed blocks by plane.
    failed: Vec<u32>,
    /// Largest number of failed blocks in a plane.
    most_failed: u32,
}

impl GrownBadBlocks {
    /// Creates the state of a drive of `planes` planes, before any block has failed.
    pub fn new(settings: GrownBadBlockSettings, planes: u32, seed: u64) -> Self {
        let random = RandomStream::new(seed, "flash.grown_bad_blocks");
        Self { settings, random, failed: vec![0; planes as usize], most_failed: 0 }
    }

    /// Draws at random if an erase in `plane` fails, and returns true if so. A block of the reserve then
    /// replaces the failed block.
    pub(super) fn replaces(&mut self, plane: PlaneId) -> bool {
        let fails = !self.is_read_only() && self.random.unit() < self.settings.erase_failure;
        if fails {
            let failed = &mut self.failed[plane.index()];
            *failed += 1;
            self.most_failed = self.most_failed.max(*failed);
        }
        fails
    }

    /// Returns true if the drive refuses commands that change data, since a plane has used up its reserve.
    pub const fn is_read_only(&self) -> bool {
        self.most_failed >= self.settings.reserve_blocks
    }

    /// Returns the number of failed blocks.
    pub fn failed_blocks(&self) -> u64 {
        self.failed.iter().copied().map(u64::from).sum()
    }

    /// Returns the number of blocks that are left in the reserves of all planes.
    pub fn spare_blocks(&self) -> u64 {
        let reserve = self.failed.len() as u64 * u64::from(self.settings.reserve_blocks);
        reserve - self.failed_blocks()
    }

    /// Returns the remaining share of the reserve, from 0 to 1, in the plane in which this share is smallest.
    pub fn reserve_left(&self) -> f64 {
        1.0 - f64::from(self.most_failed) / f64::from(self.settings.reserve_blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P0: PlaneId = PlaneId(0);
    const P1: PlaneId = PlaneId(1);

    fn blocks(erase_failure: f64, reserve_blocks: u32) -> GrownBadBlocks {
        GrownBadBlocks::new(GrownBadBlockSettings { erase_failure, reserve_blocks }, 2, 1)
    }

    #[test]
    fn drive_is_read_only_when_one_plane_has_used_its_reserve() {
        let mut grown = blocks(1.0, 2);
        assert!(grown.replaces(P0) && grown.replaces(P1));
        assert!(!grown.is_read_only());
        assert!((grown.reserve_left() - 0.5).abs() < 1e-9);
        assert!(grown.replaces(P1));
        assert!(grown.is_read_only());
        assert!(!grown.replaces(P0), "erases of a read-only drive succeed");
        assert_eq!((grown.failed_blocks(), grown.spare_blocks()), (3, 1));
    }

    #[test]
    fn erases_fail_at_the_stated_rate() {
        let mut grown = blocks(0.02, u32::MAX);
        let failed = (0..100_000).filter(|_| grown.replaces(P0)).count() as f64;
        assert!((failed / 2_000.0 - 1.0).abs() < 0.07, "{failed}");
    }
}
