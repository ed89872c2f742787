//! A drive whose planes differ, because address ranges have planes of their own: every plane is written.
//!
//! # How
//! The plan's writes go to the drive itself, page by page, each step done at once. That takes the time of all planes
//! where otherwise one stands for all.
//!
//! # What is left out
//! Write-backs of a map on flash: its pages are written once.

use venice_kernel::RandomStream;

use super::at_once::AtOnce;
use super::overwrites::{Plan, Position};
use crate::ftl::Ftl;
use crate::ftl::space::Stream;
use crate::geometry::Lpn;

/// Writes all that is to hold data, and the overwrites of a plan.
pub(super) fn fill(ftl: &mut Ftl, plan: &Plan, seed: u64) {
    for page in ftl.translation.host_pages()..ftl.translation.map.logical_pages() {
        program(ftl, page, Stream::Mapping(0));
    }
    for page in plan.written() {
        program(ftl, page, Stream::Host(0));
    }
    let mut random = RandomStream::new(seed, "ftl.preconditioning.writes");
    let mut position = Position::default();
    for _ in 0..plan.settling_writes() {
        let Some(page) = plan.draw(&mut position, &mut random) else { return };
        program(ftl, page, Stream::Host(0));
    }
}

fn program(ftl: &mut Ftl, page: u32, stream: Stream) {
    let (plane, _) = ftl.translation.addresses.place(Lpn(page));
    AtOnce::of(ftl).program(plane, Lpn(page), stream);
}
