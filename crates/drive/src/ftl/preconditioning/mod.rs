//! Preconditioning: creates the state of a drive before the run, without simulating the time of the writes
//! that lead to it.
//!
//! # Rules
//!
//! 1. A preconditioning method receives an erased drive and regions of logical pages. When the method
//!    returns, the configured share of each region's pages is mapped, and the drive is in a state that a
//!    sequence of writes could have produced. Blocks are programmed in order, the valid pages are those in
//!    the map, translation pages are at their locations in the map, every plane has its reserved block, and
//!    nothing is in flight.
//! 2. Counters stay at zero, since they count only the run. Erase counts include the erases of the
//!    preconditioning.
//! 3. Random numbers depend only on the seed in the settings, so that the same settings give the same drive.
//! 4. The audit, if there is one, is informed of the contents of the drive.
//!
//! To add a method: write its file with a function `fill`, add a mode, and add a line in
//! [`Ftl::precondition`].

mod all_planes;
mod background;
mod fill;
mod mean_field;
mod mqsim;
mod mqsim_random;
mod mqsim_range;
mod mqsim_requests;
mod overwrites;
mod plane_moments;
mod sample_plane;
mod settings;
mod steady_state;
mod untimed_model;

use venice_kernel::SimTime;
use venice_nand::geometry::{Lpn, PlaneId};

use super::Ftl;
use super::collector::Collector;
use super::pump::Pump;
use super::settings::FtlSettings;
use super::shared::Shared;
use super::translation::PageMap;

pub(super) use background::Background;
pub use mqsim_random::MqsimRandom;
pub use settings::{
    DrawnRequests, DrawnSize, FilledSectors, GcLoad, GcPace, PageRegion, PatternKind, PreconditionMode,
    PreconditionParameters, PreconditionSettings, WritePattern,
};
pub(super) use untimed_model::PlaneLocations;

/// Erased drive that a preconditioning method fills with data.
struct ErasedDrive<'a> {
    settings: &'a FtlSettings,
    collector: &'a mut Collector,
    shared: &'a mut Shared,
}

impl Ftl {
    /// Fills the drive according to the settings. The drive must be erased.
    pub fn precondition(&mut self, settings: &PreconditionSettings) {
        let Pump { shared, collector, mapper, .. } = &mut self.pump;
        if settings.mode == PreconditionMode::None {
            mapper.place_full_pages(shared);
            return self.pump.run_tasks(SimTime::ZERO);
        }
        let cached_pages = mapper.entries_of_one_range(settings.regions.len() as u32);
        let mut drive = ErasedDrive { settings: &self.settings, collector, shared };
        mapper.warm(&fill_as(&mut drive, settings, cached_pages));
        drive.count_committed_pages();
        shared.finish_pages();
        shared.begin_audit();
    }
}

/// Fills a drive. Returns the pages whose map entries are in memory at the start of the run, at most
/// `cached_pages` for each address range.
fn fill_as(
    drive: &mut ErasedDrive<'_>,
    settings: &PreconditionSettings,
    cached_pages: Option<u32>,
) -> Vec<Lpn> {
    match settings.mode {
        PreconditionMode::None => {}
        PreconditionMode::Fill => fill::fill(drive, settings),
        PreconditionMode::SteadyState => steady_state::fill(drive, settings),
        PreconditionMode::Mqsim => return mqsim::fill(drive, settings, cached_pages),
    }
    Vec::new()
}

impl ErasedDrive<'_> {
    /// Returns the number of planes that contain data.
    fn data_planes(&self) -> u32 {
        self.settings.data_planes(&self.shared.geometry)
    }

    fn plane_locations(&mut self) -> PlaneLocations<'_, PageMap> {
        PlaneLocations::of(self.collector, self.shared)
    }

    /// Adds the valid host pages of each plane to its page count. Translation pages are not added, since the
    /// count includes all of them from the start.
    fn count_committed_pages(&mut self) {
        let Shared { geometry, space, translation, .. } = &mut *self.shared;
        for plane in (0..geometry.planes()).map(PlaneId) {
            let valid: u32 = space.blocks.table.of_plane(plane).iter().map(|block| block.valid).sum();
            space.blocks.planes[plane].committed_pages += valid;
        }
        space.count_commitments(translation);
        space.count_foreign_pages(translation);
        for page in (translation.host_pages()..translation.map.logical_pages()).map(Lpn) {
            if let Some(ppn) = translation.map.physical(page) {
                space.blocks.planes[geometry.plane_of_page(ppn)].committed_pages -= 1;
            }
        }
    }
}
