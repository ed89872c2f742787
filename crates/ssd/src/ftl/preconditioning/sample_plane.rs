//! One plane at work without time: what allocation and collection do when each step is done at once.
//!
//! # How
//! A layer over a drive of one plane, with the settings of the whole one, so that room, victims and wear are decided by
//! the code that decides them in a run. A write takes a page of the host's open block; collection then runs until it
//! has nothing to do. The table of a demand-paged map has the plane's share of entries, and a changed entry that
//! has to make room has its translation page programmed.

use arrayvec::ArrayVec;
use venice_kernel::RandomStream;

use super::overwrites::{Plan, Position};
use super::plane_image::PlaneImage;
use crate::ftl::Ftl;
use crate::ftl::allocation::{Allocation, Level};
use crate::ftl::foresight::{FORESEEN, foresee_pages};
use crate::ftl::settings::{CachedMapping, FtlSettings, Mapping, MappingWriteBack};
use crate::ftl::space::{Cause, Stream};
use crate::ftl::translation::CachedTable;
use crate::geometry::{Array, BlockId, Geometry, Lpn, PlaneId};

/// The only plane.
const PLANE: PlaneId = PlaneId(0);

/// A plane that is written.
pub(super) struct SamplePlane {
    ftl: Ftl,
    table: Option<(CachedTable, u32)>,
    random: RandomStream,
    position: Position,
}

impl SamplePlane {
    /// An erased plane like those of this drive.
    pub(super) fn new(drive: &Ftl, seed: u64) -> Self {
        let geometry = Geometry {
            array: Array { rows: 1, cols: 1 },
            dies_per_chip: 1,
            planes_per_die: 1,
            ..drive.geometry
        };
        let settings = FtlSettings {
            allocation: Allocation::Static([Level::Channel, Level::Way, Level::Die, Level::Plane]),
            partitions: Vec::new(),
            ..drive.settings.clone()
        };
        let table = match settings.mapping {
            Mapping::Cached(CachedMapping {
                table_entries,
                entries_per_page,
                write_back: MappingWriteBack::Flash,
                ..
            }) => {
                let pages = drive.translation.host_pages() / drive.geometry.planes();
                let entries = table_entries.div_ceil(drive.geometry.planes());
                Some((CachedTable::new(&(0..pages), entries), entries_per_page))
            }
            _ => None,
        };
        Self {
            ftl: Ftl::new(geometry, settings, drive.flash.clone(), false),
            table,
            random: RandomStream::new(seed, "ftl.preconditioning.writes"),
            position: Position::default(),
        }
    }

    /// Writes all that is to hold data once, in order, and the map.
    pub(super) fn write_first(&mut self, plan: &Plan) {
        for page in self.ftl.translation.host_pages()..self.ftl.translation.map.logical_pages() {
            program_at_once(&mut self.ftl, PLANE, Lpn(page), Stream::Mapping(0));
        }
        for page in plan.written() {
            program_at_once(&mut self.ftl, PLANE, Lpn(page), Stream::Host(0));
        }
    }

    /// Goes on with the plan's overwrites.
    pub(super) fn overwrite(&mut self, plan: &Plan, writes: u64) {
        let mut left = writes;
        while left > 0 {
            let count = left.min(FORESEEN as u64);
            let draw = |_| plan.draw(&mut self.position, &mut self.random).map(Lpn);
            let pages: ArrayVec<Lpn, FORESEEN> = (0..count).map_while(draw).collect();
            if pages.is_empty() {
                return;
            }
            foresee_pages(&self.ftl, &pages);
            for &page in &pages {
                program_at_once(&mut self.ftl, PLANE, page, Stream::Host(0));
                self.write_map_back(page);
            }
            left -= count;
        }
    }

    /// What the plane is like now.
    pub(super) fn image(&self) -> PlaneImage {
        PlaneImage::of(&self.ftl, PLANE)
    }

    fn write_map_back(&mut self, changed: Lpn) {
        let Some((table, per_page)) = &mut self.table else { return };
        let Some(evicted) = table.insert(changed, true) else { return };
        let page = evicted.0 / *per_page;
        table.clean(page * *per_page..((page + 1) * *per_page).min(self.ftl.translation.host_pages()));
        let translation_page = Lpn(self.ftl.translation.host_pages() + page);
        program_at_once(&mut self.ftl, PLANE, translation_page, Stream::Mapping(0));
    }
}

/// Programs a page, with the collections that make room for it before and those that follow from it.
pub(in crate::ftl) fn program_at_once(ftl: &mut Ftl, plane: PlaneId, lpn: Lpn, stream: Stream) {
    while ftl.space.blocks.next_offset(plane, stream).is_none() {
        let victim = ftl.collector.victim(&mut ftl.space, plane).expect("a plane never comes to a halt");
        collect_at_once(ftl, plane, victim);
    }
    place_at_once(ftl, plane, lpn, stream);
    while collects_now(ftl, plane) {
        let Some(victim) = ftl.collector.victim(&mut ftl.space, plane) else { return };
        collect_at_once(ftl, plane, victim);
    }
}

/// Collection that yields goes on when the host has used up what it may.
fn collects_now(ftl: &Ftl, plane: PlaneId) -> bool {
    !ftl.settings.gc_yields_to_host || ftl.collector.is_pressed(&ftl.space, plane)
}

/// Puts a logical page on the next physical page of a stream, as if programmed.
pub(super) fn place_at_once(ftl: &mut Ftl, plane: PlaneId, lpn: Lpn, stream: Stream) {
    let ppn = ftl.space.blocks.allocate_written(plane, stream).expect("room was made");
    if let Some(old) = ftl.translation.map.remap(lpn, ppn) {
        ftl.space.blocks.invalidate(old);
    }
}

/// Moves what a block holds, erases it, and lets wear levelling have its turn.
fn collect_at_once(ftl: &mut Ftl, plane: PlaneId, victim: BlockId) {
    empty_at_once(ftl, plane, victim, Cause::Space);
    if let Some(cold) = ftl.collector.wear.due_block(&ftl.space.blocks, plane) {
        empty_at_once(ftl, plane, cold, Cause::Wear);
    }
}

/// Puts logical pages that a block holds on the next physical pages of the collection in progress.
fn move_at_once(ftl: &mut Ftl, plane: PlaneId, from: BlockId, mut pages: &[Lpn]) {
    let stream = ftl.space.blocks.stream_of_moves(plane);
    while !pages.is_empty() {
        let (first, count) =
            ftl.space.blocks.allocate_row_written(plane, stream, pages.len() as u32).expect("room was made");
        let (now, later) = pages.split_at(count as usize);
        ftl.translation.map.remap_row(now, first);
        ftl.space.blocks.invalidate_pages(from, count);
        pages = later;
    }
}

fn empty_at_once(ftl: &mut Ftl, plane: PlaneId, victim: BlockId, cause: Cause) {
    ftl.collector.begin(&mut ftl.space, plane, victim, cause);
    let pages = ftl.geometry.pages_per_block;
    for first in (0..pages).step_by(FORESEEN) {
        let ppns = (first..pages.min(first + FORESEEN as u32)).map(|offset| ftl.geometry.ppn(victim, offset));
        let valid: ArrayVec<Lpn, FORESEEN> =
            ppns.filter_map(|ppn| ftl.translation.map.logical(ppn)).collect();
        move_at_once(ftl, plane, victim, &valid);
    }
    ftl.space.blocks.planes[plane].collection = None;
    ftl.space.blocks.erase(victim);
}
