//! From one plane to all planes of a drive.
//!
//! # How
//! An image is a plane's blocks and where its pages are, by number within the plane. Pages that are alike (those
//! of one part of a plan) may stand for each other: each plane shifts them by a number of its own, so that pages which
//! are neighbours on different planes do not lie at the same place there. Tables of the whole drive are not
//! written: the map asks the image about an entry until that is first changed (`mapping::FirstMap`).

use std::ops::Range;
use std::sync::Arc;

use venice_kernel::RandomStream;

use crate::ftl::Ftl;
use crate::ftl::space::{Block, Plane};
use crate::ftl::translation::{FirstMap, PlaneTables, Shift};
use crate::geometry::{Lpn, PlaneId, Ppn};

/// A plane at one instant.
pub(super) struct PlaneImage {
    plane: Plane,
    blocks: Vec<Block>,
    closed_so_far: u64,
    tables: PlaneTables,
}

impl PlaneImage {
    /// A plane of a drive that has no other, and its map.
    pub(super) fn of(ftl: &Ftl, plane: PlaneId, tables: PlaneTables) -> Self {
        Self {
            plane: ftl.space.blocks.planes[plane].clone(),
            blocks: ftl.space.blocks.table.of_plane(plane).to_vec(),
            closed_so_far: ftl.space.blocks.table.closed_so_far(),
            tables,
        }
    }
}

/// Makes every plane of an erased drive one of these images, in turn.
pub(super) fn install(ftl: &mut Ftl, images: Vec<PlaneImage>, alike: &[Range<u32>], seed: u64) {
    let mut random = RandomStream::new(seed, "ftl.preconditioning.planes");
    let planes = ftl.geometry.planes();
    let shifts = (0..planes).map(|_| shifts(alike, &mut random)).collect();
    for plane in (0..planes).map(PlaneId) {
        let image = &images[plane.index() % images.len()];
        ftl.space.blocks.install(plane, &image.plane, &image.blocks, image.closed_so_far);
    }
    let tables = images.into_iter().map(|image| image.tables).collect();
    let map = FirstMap::new(
        ftl.translation.addresses.planes(0),
        ftl.geometry,
        ftl.translation.map.logical_pages(),
        tables,
        shifts,
    );
    // The last translation page is not on every plane, but it was on the one that was written.
    let logical_pages = ftl.translation.map.logical_pages();
    for lpn in (logical_pages..logical_pages.next_multiple_of(planes)).map(Lpn) {
        if let Some(ppn) = map.physical(lpn).checked_sub(1) {
            ftl.space.blocks.invalidate(Ppn(ppn));
        }
    }
    ftl.translation.map.start_from(Arc::new(map));
}

fn shifts(alike: &[Range<u32>], random: &mut RandomStream) -> Vec<Shift> {
    let shift = |range: &Range<u32>| Shift {
        range: range.clone(),
        by: random.below(u64::from(range.end - range.start)) as u32,
    };
    alike.iter().map(shift).collect()
}
