//! Untimed simulation of one plane, which represents all planes of a drive.

use std::hint::black_box;
use std::mem;
use std::ops::Range;

use arrayvec::ArrayVec;
use venice_kernel::RandomStream;
use venice_nand::geometry::{Array, Geometry, Lpn, PlaneId, Ppn};

use super::ErasedDrive;
use super::background::{Background, WritesAndMoves};
use super::overwrites::{OverwritePlan, OverwriteProgress};
use super::plane_moments::{PlaneAtMoment, PlaneSeries};
use super::settings::GcPace;
use super::untimed_model::PlaneLocations;
use crate::ftl::allocation::{Allocation, HierarchyLevel};
use crate::ftl::collector::Collector;
use crate::ftl::mapper::CachedTable;
use crate::ftl::prefetch::FORESEEN;
use crate::ftl::settings::{CachedMapping, FtlSettings, Mapping, MappingWriteBack};
use crate::ftl::space::{Space, WriteStream};
use crate::ftl::translation::{PlaneRecording, Translation};

/// Number of the simulated plane, on a drive that has only this plane.
const PLANE: PlaneId = PlaneId(0);

/// Simulated plane that represents the planes of a drive.
pub(super) struct SamplePlane {
    geometry: Geometry,
    collector: Collector,
    space: Space,
    /// Logical pages of the simulated plane: host pages, followed by translation pages.
    pages: Range<u32>,
    map: PlaneRecording,
    background: Background,
    moments: Vec<PlaneAtMoment>,
    table: Option<(CachedTable, u32)>,
    random: RandomStream,
    position: OverwriteProgress,
}

impl SamplePlane {
    /// Creates an erased plane like the planes of `drive`. `pace` determines how many pages garbage
    /// collection moves per page written.
    pub(super) fn new(drive: &ErasedDrive<'_>, pace: GcPace, seed: u64) -> Self {
        let geometry = Geometry {
            array: Array { rows: 1, cols: 1 },
            dies_per_chip: 1,
            planes_per_die: 1,
            ..drive.shared.geometry
        };
        let settings = FtlSettings {
            allocation: match drive.settings.allocation {
                // With one plane, a line (superblock) consists of one block.
                striped @ Allocation::Striped(_) => striped,
                _ => Allocation::Static([
                    HierarchyLevel::Channel,
                    HierarchyLevel::Way,
                    HierarchyLevel::Die,
                    HierarchyLevel::Plane,
                ]),
            },
            partitions: Vec::new(),
            rain_data_units: 0,
            bad_blocks: drive.settings.bad_blocks_of_sample(&drive.shared.geometry),
            gc_start_free_blocks: match pace {
                GcPace::AtOnceUpTo(free_blocks) => free_blocks,
                _ => drive.settings.gc_start_free_blocks,
            },
            ..drive.settings.clone()
        };
        let background = Background::new(pace, &settings);
        let table = match settings.mapping {
            Mapping::Cached(CachedMapping {
                table_entries,
                entries_per_page,
                write_back: MappingWriteBack::Flash,
                ..
            }) => {
                let pages = drive.shared.translation.host_pages() / drive.data_planes();
                let entries = table_entries.div_ceil(drive.data_planes());
                Some((CachedTable::new(&(0..pages.div_ceil(entries_per_page)), entries), entries_per_page))
            }
            _ => None,
        };
        let translation = Translation::new(geometry, &settings);
        let pages = translation.host_pages()..translation.map.logical_pages();
        Self {
            map: PlaneRecording::new(pages.end, geometry.pages() as u32),
            background,
            moments: Vec::new(),
            collector: Collector::new(&geometry, &settings),
            space: Space::new(geometry, &settings, &translation),
            pages,
            geometry,
            table,
            random: RandomStream::new(seed, "ftl.preconditioning.writes"),
            position: OverwriteProgress::default(),
        }
    }

    /// Writes all pages that hold data once, in the order of `plan`, and all translation pages.
    pub(super) fn write_first(&mut self, plan: &OverwritePlan) {
        for page in self.pages.clone() {
            self.program(Lpn(page), WriteStream::Mapping(0));
        }
        for page in plan.written() {
            self.program(Lpn(page), WriteStream::Host(0));
        }
    }

    /// Performs the next `writes` overwrites of the plan.
    pub(super) fn overwrite(&mut self, plan: &OverwritePlan, writes: u64) {
        let mut left = writes;
        while left > 0 {
            let count = left.min(FORESEEN as u64);
            let draw = |_| plan.draw(&mut self.position, &mut self.random).map(Lpn);
            let pages: ArrayVec<Lpn, FORESEEN> = (0..count).map_while(draw).collect();
            if pages.is_empty() {
                return;
            }
            self.foresee(&pages);
            for &page in &pages {
                self.program(page, WriteStream::Host(0));
                self.write_map_back(page);
            }
            left -= count;
        }
    }

    /// Returns the total number of page writes and of GC moves so far.
    pub(super) const fn done(&self) -> WritesAndMoves {
        self.background.done()
    }

    /// Records the current state of the plane as the next moment of the series.
    pub(super) fn take_moment(&mut self) {
        self.plane_locations().give_back_kept_block(PLANE);
        let moment = self.map.take_moment();
        self.moments.push(PlaneAtMoment::new(&self.space.blocks, PLANE, moment));
    }

    /// Ends the series of recorded states and returns it. The next recorded state begins a new series.
    pub(super) fn end_series(&mut self) -> PlaneSeries {
        PlaneSeries { history: self.map.end(), moments: mem::take(&mut self.moments) }
    }

    fn plane_locations(&mut self) -> PlaneLocations<'_, PlaneRecording> {
        PlaneLocations::new(&self.geometry, &mut self.collector, &mut self.space, &mut self.map)
    }

    fn program(&mut self, lpn: Lpn, stream: WriteStream) {
        let Self { geometry, collector, space, map, background, .. } = self;
        PlaneLocations::new(geometry, collector, space, map).program(PLANE, lpn, stream, background);
    }

    /// Prefetches the map entries and blocks of up to [`FORESEEN`] pages that will be overwritten soon into
    /// the CPU cache, to speed up the simulation.
    fn foresee(&self, lpns: &[Lpn]) {
        let map = self.map.tables();
        let ppns: ArrayVec<Ppn, FORESEEN> = lpns.iter().filter_map(|&lpn| map.physical(lpn)).collect();
        let (blocks, geometry) = (&self.space.blocks.table, &self.geometry);
        let looked_at = |ppn: Ppn| blocks[geometry.block_of(ppn)].valid ^ map.to_logical[ppn.index()];
        black_box(ppns.into_iter().fold(0, |all, ppn| all ^ looked_at(ppn)));
    }

    fn write_map_back(&mut self, changed: Lpn) {
        let Some((table, per_page)) = &mut self.table else { return };
        let Some(evicted) = table.insert(changed, changed.0 / *per_page, true) else { return };
        let page = evicted.0 / *per_page;
        table.clean(page);
        let translation_page = Lpn(self.pages.start + page);
        self.program(translation_page, WriteStream::Mapping(0));
    }
}
