//! Factory bad blocks: number of usable blocks in each plane.
//!
//! # What it models
//! A new drive has some bad blocks, which never hold data. Each plane has a random number of them. The bad
//! blocks, and the reserve for [grown bad blocks](super::space::GrownBadBlocks), reduce the spare space of their
//! plane.
//!
//! With lines (superblocks), a line contains one usable block of each plane. A bad block is replaced by
//! another block of its plane, so that the number of lines is that of the plane with the fewest usable
//! blocks. The other planes have blocks left over.
//!
//! # How
//! Blocks of a plane have equal properties, so the model does not need to know which of them are bad. The
//! bad blocks have the highest indices of their plane.
//!
//! # Parameters
//! `flash.bad_block_pct`, `flash.grown_bad_block_reserve_pct`

use venice_kernel::RandomStream;
use venice_nand::chip::BadBlockParameters;
use venice_nand::geometry::Geometry;

use super::settings::FtlSettings;
use super::space::GrownBadBlockSettings;

/// Factory bad blocks of a drive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum FactoryBadBlocks {
    /// No bad blocks.
    #[default]
    None,
    /// Every block is bad with this probability.
    Drawn(f64),
    /// Number of bad blocks in each plane.
    PerPlane(u32),
}

impl FactoryBadBlocks {
    /// Returns the factory bad blocks of a drive on which each block is bad with the probability `share`,
    /// from 0 to 1.
    pub fn of_share(share: f64) -> Self {
        if share > 0.0 { Self::Drawn(share) } else { Self::None }
    }

    /// Returns true if planes may have different numbers of usable blocks. Planes that form lines
    /// (superblocks) use equal numbers of blocks.
    pub(super) const fn differ(self) -> bool {
        matches!(self, Self::Drawn(_))
    }

    /// Returns the number of bad blocks in each plane.
    fn counts(self, geometry: &Geometry, seed: u64) -> Vec<u32> {
        let planes = geometry.planes() as usize;
        match self {
            Self::None => vec![0; planes],
            Self::PerPlane(blocks) => vec![blocks; planes],
            Self::Drawn(share) => {
                let mut random = RandomStream::new(seed, "flash.bad_blocks");
                (0..planes).map(|_| draw(geometry.blocks_per_plane, share, &mut random)).collect()
            }
        }
    }
}

/// Draws the number of bad blocks among `blocks` blocks, each of which is bad with the probability `share`.
/// The distances between bad blocks are geometrically distributed.
fn draw(blocks: u32, share: f64, random: &mut RandomStream) -> u32 {
    let scale = libm::log1p(-share).recip();
    let (mut bad, mut next) = (0, 0.0);
    loop {
        next += (libm::log1p(-random.unit()) * scale).floor();
        if next >= f64::from(blocks) {
            return bad;
        }
        (bad, next) = (bad + 1, next + 1.0);
    }
}

impl GrownBadBlockSettings {
    /// Returns the settings for planes with `blocks` blocks; `None` if erases always succeed.
    pub(super) fn of(stated: &BadBlockParameters, blocks: u32) -> Option<Self> {
        (stated.erase_failure_ppm > 0.0).then(|| Self {
            erase_failure: stated.erase_failure_ppm / 1e6,
            reserve_blocks: (f64::from(blocks) * stated.reserve_pct / 100.0).ceil() as u32,
        })
    }
}

impl FtlSettings {
    /// Returns the number of factory bad blocks in each plane.
    pub fn factory_bad_blocks(&self, geometry: &Geometry) -> Vec<u32> {
        self.bad_blocks.counts(geometry, self.seed)
    }

    /// Returns the number of blocks in each plane of a new drive that data can use.
    pub(super) fn usable_blocks(&self, geometry: &Geometry) -> Vec<u32> {
        let unused = self.unused_blocks(geometry);
        unused.into_iter().map(|unused| geometry.blocks_per_plane.saturating_sub(unused)).collect()
    }

    /// Returns the number of blocks in each plane of a new drive that data cannot use: bad blocks, the
    /// reserve for blocks that fail during the run and, with lines (superblocks), blocks that are left over.
    pub fn unused_blocks(&self, geometry: &Geometry) -> Vec<u32> {
        let mut bad = self.factory_bad_blocks(geometry);
        if self.allocation.is_striped() {
            let most = bad.iter().copied().max().unwrap_or(0);
            bad.fill(most);
        }
        let reserve = self.grown_bad_blocks.map_or(0, |grown| grown.reserve_blocks);
        bad.into_iter().map(|bad| bad + reserve).collect()
    }

    /// Returns the bad blocks of a plane that represents all planes of the drive.
    pub(super) fn bad_blocks_of_sample(&self, geometry: &Geometry) -> FactoryBadBlocks {
        match self.bad_blocks {
            FactoryBadBlocks::Drawn(_) => {
                FactoryBadBlocks::PerPlane(self.factory_bad_blocks(geometry).into_iter().max().unwrap_or(0))
            }
            alike => alike,
        }
    }

    /// Returns the geometry of a drive whose planes all have the same number of blocks: the usable blocks of
    /// the plane with the fewest usable ones, less the reserve for failed blocks.
    pub fn usable_geometry(&self, geometry: &Geometry) -> Geometry {
        let bad = self.factory_bad_blocks(geometry).into_iter().max().unwrap_or(0);
        let unusable = bad + self.grown_bad_blocks.map_or(0, |grown| grown.reserve_blocks);
        Geometry { blocks_per_plane: geometry.blocks_per_plane.saturating_sub(unusable), ..*geometry }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::{Allocation, HierarchyLevel};
    use crate::testkit::settings::SmallDrive;

    fn drive(share: f64, seed: u64) -> SmallDrive {
        let mut drive = SmallDrive::new(4, 4);
        drive.geometry.blocks_per_plane = 2_000;
        (drive.ftl.bad_blocks, drive.ftl.seed) = (FactoryBadBlocks::of_share(share), seed);
        drive
    }

    #[test]
    fn number_of_bad_blocks_is_binomial() {
        let counts: Vec<f64> = (0..40)
            .flat_map(|seed| {
                let drive = drive(0.02, seed);
                drive.ftl.factory_bad_blocks(&drive.geometry)
            })
            .map(f64::from)
            .collect();
        let planes = counts.len() as f64;
        let mean = counts.iter().sum::<f64>() / planes;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / planes;
        assert!((mean / 40.0 - 1.0).abs() < 0.02, "{mean}");
        assert!((variance / 39.2 - 1.0).abs() < 0.15, "{variance}");
    }

    #[test]
    fn bad_blocks_depend_on_the_seed_alone() {
        let of = |seed| {
            let drive = drive(0.02, seed);
            drive.ftl.factory_bad_blocks(&drive.geometry)
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn planes_of_lines_use_as_many_blocks_as_the_plane_with_the_fewest() {
        let mut drive = drive(0.02, 1);
        let usable = |drive: &SmallDrive| drive.ftl.usable_blocks(&drive.geometry);
        let of_planes = usable(&drive);
        let fewest = of_planes.iter().copied().min().unwrap();
        assert!(of_planes.iter().any(|&blocks| blocks > fewest));
        drive.ftl.allocation = Allocation::Striped([
            HierarchyLevel::Plane,
            HierarchyLevel::Channel,
            HierarchyLevel::Way,
            HierarchyLevel::Die,
        ]);
        assert!(usable(&drive).iter().all(|&blocks| blocks == fewest));
        assert_eq!(drive.ftl.usable_geometry(&drive.geometry).blocks_per_plane, fewest);
    }
}
