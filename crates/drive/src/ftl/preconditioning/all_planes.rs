//! Preconditioning that writes every plane, for drives whose planes differ because address ranges have
//! separate planes.
//!
//! # How
//! The writes are applied to the drive itself, page by page, in zero simulated time. This takes longer to
//! compute than writing one sample plane for all planes. Since planes are written page by page, they are in
//! different phases of garbage collection (GC) at the end. A GC in progress is aborted, which leaves its
//! victim as a full block with few valid pages.
//!
//! # What is left out
//! Write-backs of a map that is stored on flash. Each translation page is written once.

use venice_kernel::RandomStream;
use venice_nand::geometry::{Lpn, PlaneId};

use super::ErasedDrive;
use super::background::{Background, WritesAndMoves};
use super::overwrites::{OverwritePlan, OverwriteProgress};
use super::settings::PreconditionSettings;
use crate::ftl::space::WriteStream;

/// Writes all pages that hold data, then performs the overwrites of `plan`. Returns the number of pages that
/// garbage collection moves per overwrite.
pub(super) fn fill(
    drive: &mut ErasedDrive<'_>,
    plan: &OverwritePlan,
    settings: &PreconditionSettings,
) -> f64 {
    let background = Background::new(settings.gc_pace, drive.settings);
    let mut writer =
        PageWriter { backgrounds: vec![background; drive.shared.geometry.planes() as usize], drive };
    writer.write_first(plan);
    let before = writer.done();
    writer.overwrite(plan, settings.seed);
    let moves_per_write = writer.done().ratio_since(before);
    for plane in (0..drive.shared.geometry.planes()).map(PlaneId) {
        drive.plane_locations().give_back_kept_block(plane);
        drive.shared.space.blocks.planes[plane].break_off_collection();
    }
    moves_per_write
}

/// Writer that programs the pages of a drive, each on its plane under static allocation.
struct PageWriter<'a, 'd> {
    drive: &'a mut ErasedDrive<'d>,
    /// Garbage collection of each plane during the preconditioning writes.
    backgrounds: Vec<Background>,
}

impl PageWriter<'_, '_> {
    fn done(&self) -> WritesAndMoves {
        self.backgrounds.iter().fold(WritesAndMoves::default(), |all, background| {
            let WritesAndMoves { writes, moves } = background.done();
            WritesAndMoves { writes: all.writes + writes, moves: all.moves + moves }
        })
    }

    fn write_first(&mut self, plan: &OverwritePlan) {
        for page in
            self.drive.shared.translation.host_pages()..self.drive.shared.translation.map.logical_pages()
        {
            self.program(page, WriteStream::Mapping(0));
        }
        for page in plan.written() {
            self.program(page, WriteStream::Host(0));
        }
    }

    fn overwrite(&mut self, plan: &OverwritePlan, seed: u64) {
        let mut random = RandomStream::new(seed, "ftl.preconditioning.writes");
        let mut position = OverwriteProgress::default();
        for _ in 0..plan.settling_writes() {
            let Some(page) = plan.draw(&mut position, &mut random) else { return };
            self.program(page, WriteStream::Host(0));
        }
    }

    fn program(&mut self, page: u32, stream: WriteStream) {
        let (plane, _) = self.drive.shared.translation.addresses.place(Lpn(page));
        let background = &mut self.backgrounds[plane.index()];
        self.drive.plane_locations().program(plane, Lpn(page), stream, background);
    }
}
