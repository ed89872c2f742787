//! Initial states of all planes of a drive, copied from a few simulated planes.
//!
//! # How
//! The state of a simulated plane is recorded at several points of its simulation, called moments. A
//! recording contains the states of the blocks, and the changes of the plane's map since the first recording
//! (`PlaneHistory`). Each plane of the drive gets a different recorded state, in random order, so that planes
//! collect garbage independently of each other.
//!
//! Pages that are overwritten with the same probability are interchangeable. Each plane therefore shifts
//! their numbers by a random offset, so that consecutive logical pages do not have the same location in
//! different planes. The map of the drive is not filled. A look-up uses the history until the entry is
//! changed for the first time in the run (`translation::FirstMap`).

use std::ops::Range;
use std::sync::Arc;

use venice_kernel::RandomStream;
use venice_nand::geometry::{Lpn, PlaneId, Ppn};

use super::ErasedDrive;
use crate::ftl::space::{Block, Blocks, Plane};
use crate::ftl::translation::{FirstMap, PageShift, PlaneHistory, PlaneMoment};

/// State of a plane's blocks, recorded at one moment of the plane's simulation.
pub(super) struct PlaneAtMoment {
    plane: Plane,
    blocks: Vec<Block>,
    closed_so_far: u64,
    moment: u32,
}

impl PlaneAtMoment {
    /// Records the state of the blocks of a drive with a single plane. A garbage collection in progress is
    /// aborted, which leaves its victim as a full block with few valid pages.
    pub(super) fn new(blocks: &Blocks, plane: PlaneId, moment: u32) -> Self {
        let mut state = blocks.planes[plane].clone();
        state.break_off_collection();
        Self {
            plane: state,
            blocks: blocks.table.of_plane(plane).to_vec(),
            closed_so_far: blocks.table.closed_so_far(),
            moment,
        }
    }
}

/// Series of recorded states of a simulated plane, with the history of its map.
pub(super) struct PlaneSeries {
    pub(super) history: PlaneHistory,
    pub(super) moments: Vec<PlaneAtMoment>,
}

/// Copies one of the recorded states in `series` to each plane of an erased drive. If there are fewer states
/// than planes, several planes get the same state.
pub(super) fn install(
    drive: &mut ErasedDrive<'_>,
    series: Vec<PlaneSeries>,
    alike: &[Range<u32>],
    seed: u64,
) {
    let mut random = RandomStream::new(seed, "ftl.preconditioning.planes");
    let planes = drive.shared.geometry.planes();
    let shifts = (0..planes).map(|_| shifts(alike, &mut random)).collect();
    let order = shuffled(planes, &mut random);
    let mut moments = vec![PlaneMoment { history: 0, moment: 0 }; planes as usize];
    for (turn, plane) in order.into_iter().enumerate() {
        let (history, round) = (turn % series.len(), turn / series.len());
        let PlaneSeries { moments: taken, .. } = &series[history];
        let blocks = &taken[round % taken.len()];
        drive.shared.space.blocks.install(plane, &blocks.plane, &blocks.blocks, blocks.closed_so_far);
        moments[plane.index()] = PlaneMoment { history: history as u32, moment: blocks.moment };
    }
    if let Some(layout) = &drive.shared.parity {
        for plane in layout.parity_planes() {
            drive.shared.space.blocks.discard_data(plane);
        }
    }
    let histories = series.into_iter().map(|series| series.history).collect();
    let map = FirstMap::new(
        drive.shared.translation.addresses.planes(0),
        drive.shared.geometry,
        drive.settings.units,
        drive.shared.translation.host_pages()..drive.shared.translation.map.logical_pages(),
        histories,
        moments,
        shifts,
    );
    // The last translation page exists only in some planes of the drive, but it existed in the simulated
    // plane.
    let (logical_pages, planes) = (drive.shared.translation.map.logical_pages(), drive.data_planes());
    for lpn in (logical_pages..logical_pages.next_multiple_of(planes)).map(Lpn) {
        if let Some(ppn) = map.physical(lpn).checked_sub(1) {
            drive.shared.space.blocks.invalidate(Ppn(ppn));
        }
    }
    drive.shared.translation.map.start_from(Arc::new(map));
}

/// Returns all planes in random order (Fisher-Yates shuffle).
fn shuffled(planes: u32, random: &mut RandomStream) -> Vec<PlaneId> {
    let mut order: Vec<PlaneId> = (0..planes).map(PlaneId).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    order
}

fn shifts(alike: &[Range<u32>], random: &mut RandomStream) -> Vec<PageShift> {
    let shift = |range: &Range<u32>| PageShift {
        range: range.clone(),
        by: random.below(u64::from(range.end - range.start)) as u32,
    };
    alike.iter().map(shift).collect()
}
