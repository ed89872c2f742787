//! Filling a drive before the run, without simulating the writes that would fill it.
//!
//! # The contract
//!
//! 1. A method is given a layer over an erased drive, and regions of logical pages. When it returns, the share of
//!    each region's pages that was asked for is mapped, and the drive is one that writes could have led to:
//!    blocks are programmed in order, valid pages are those of the map, pages of the map itself are where the
//!    map finds them, a plane keeps the block that collection needs, and nothing is in flight.
//! 2. Counters stay at zero: they count the run. Erase counts are those of the filling.
//! 3. Chance comes from the seed in the settings alone, so the same settings give the same drive.
//! 4. What the audit remembers is what the drive holds.
//!
//! To add a method: write its file with a function like theirs, add a mode, and a line in [`Ftl::precondition`].

mod at_once;
mod background;
mod directly;
mod fill;
mod mean_field;
mod mqsim;
mod mqsim_random;
mod mqsim_requests;
mod overwrites;
mod plane_moments;
mod sample_plane;
mod settings;
mod steady_state;

use venice_kernel::SimTime;
use venice_nand::geometry::{Lpn, PlaneId};

use super::Ftl;
use super::collector::Collector;
use super::pump::Pump;
use super::settings::FtlSettings;
use super::shared::Shared;
use super::translation::PageMap;

pub(super) use at_once::PlaneLocations;
pub(super) use background::Background;
pub use mqsim_random::MqsimRandom;
pub use settings::{
    DrawnRequests, DrawnSize, FilledSectors, GcLoad, GcPace, PageRegion, PatternKind, PreconditionMode,
    PreconditionParameters, PreconditionSettings, WritePattern,
};

/// An erased drive that is to be filled.
struct ErasedDrive<'a> {
    settings: &'a FtlSettings,
    collector: &'a mut Collector,
    shared: &'a mut Shared,
}

impl Ftl {
    /// Fills the drive, which must be erased, as the settings say.
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
        shared.begin_audit();
    }
}

/// Fills a drive. Returns the pages whose map entries are in memory, of which an address range has `cached_pages`.
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
    fn at_once(&mut self) -> PlaneLocations<'_, PageMap> {
        PlaneLocations::of(self.collector, self.shared)
    }

    /// Counts the pages that the data of each plane takes; room for translation pages is set aside in any case.
    fn count_committed_pages(&mut self) {
        let Shared { geometry, space, translation, .. } = &mut *self.shared;
        for plane in (0..geometry.planes()).map(PlaneId) {
            let valid: u32 = space.blocks.table.of_plane(plane).iter().map(|block| block.valid).sum();
            space.blocks.planes[plane].committed_pages += valid;
        }
        space.count_commitments(translation);
        space.count_guests(translation);
        for page in (translation.host_pages()..translation.map.logical_pages()).map(Lpn) {
            if let Some(ppn) = translation.map.physical(page) {
                space.blocks.planes[geometry.plane_of_page(ppn)].committed_pages -= 1;
            }
        }
    }
}
