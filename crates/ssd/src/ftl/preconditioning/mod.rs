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

use crate::geometry::{Lpn, PlaneId};

use super::Ftl;
use super::paging::store_map_at_start;

pub(super) use at_once::AtOnce;
pub(super) use background::Background;
pub use mqsim_random::MqsimRandom;
pub use settings::{
    DrawnRequests, DrawnSize, FilledSectors, GcLoad, GcPace, PatternKind, PreconditionMode,
    PreconditionParameters, PreconditionSettings, Region, WritePattern,
};

impl Ftl {
    /// Fills the drive, which must be erased, as the settings say.
    pub fn precondition(&mut self, settings: &PreconditionSettings) {
        match settings.mode {
            PreconditionMode::None => return store_map_at_start(self),
            PreconditionMode::Fill => fill::fill(self, settings),
            PreconditionMode::SteadyState => steady_state::fill(self, settings),
            PreconditionMode::Mqsim => mqsim::fill(self, settings),
        }
        count_committed_pages(self);
        self.books.begin_with(&self.geometry, &self.translation, &self.space);
    }
}

/// A plane's data takes room; that of its translation pages is set aside in any case.
fn count_committed_pages(ftl: &mut Ftl) {
    for plane in (0..ftl.geometry.planes()).map(PlaneId) {
        let valid: u32 = ftl.space.blocks.table.of_plane(plane).iter().map(|block| block.valid).sum();
        ftl.space.blocks.planes[plane].committed_pages += valid;
    }
    ftl.space.count_commitments(&ftl.translation);
    ftl.collector.destinations.count_guests(&ftl.space.blocks, &ftl.translation);
    for page in (ftl.translation.host_pages()..ftl.translation.map.logical_pages()).map(Lpn) {
        if let Some(ppn) = ftl.translation.map.physical(page) {
            let plane = ftl.geometry.plane_of_page(ppn);
            ftl.space.blocks.planes[plane].committed_pages -= 1;
        }
    }
}
