//! Where a page is read whose entry of the map is known, and the place that a read gives a page which has none.
//!
//! # Parameters
//! `ftl.unwritten_data`, `ftl.unwritten_place`

use venice_kernel::SimTime;

use crate::geometry::{Lpn, PlaneId, Ppn, TransactionId};

use super::Ftl;
use super::collecting::collect_if_short;
use super::paging::mapping_changed;
use super::reads::{Place, send_read};
use super::remap::moved;
use super::space::Stream;

/// A read whose page was looked up waits for its die.
pub(super) fn place_read(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) {
    let place = match ftl.translation.map.physical(lpn) {
        Some(ppn) => Place { ppn, plane: ftl.geometry.plane_of_page(ppn), is_mapped: true },
        None => place_unwritten(ftl, id, lpn, now),
    };
    send_read(ftl, id, place, now);
}

/// Where a page is read that has no place.
fn place_unwritten(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) -> Place {
    if ftl.translation.is_mapped_by(ftl.transactions.get(id))
        && let Some((ppn, plane)) = map_unwritten(ftl, id, lpn, now)
    {
        return Place { ppn, plane, is_mapped: true };
    }
    let (ppn, plane) = ftl.translation.place_before_the_run(lpn);
    Place { ppn, plane, is_mapped: false }
}

/// A read of a page that was never written gives it a place, if there is room: the sectors that it
/// reads count as programmed there.
fn map_unwritten(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) -> Option<(Ppn, PlaneId)> {
    let read = ftl.transactions.get(id);
    let plane = ftl.translation.place_of_unwritten(lpn);
    let sectors = ftl.translation.taken_sectors(read, lpn);
    let stream = Stream::Host(read.stream);
    let addresses = &ftl.translation.addresses;
    if ftl.space.is_taken_up(addresses, addresses.range_of(lpn), plane) {
        return None;
    }
    let ppn = ftl.space.blocks.allocate_written(plane, stream)?;
    ftl.space.commit(addresses, lpn, plane, 1);
    ftl.books.unwritten_page_mapped(lpn, ppn);
    let old = ftl.translation.map.remap_blank(lpn, ppn, sectors, ftl.translation.sectors.bits());
    moved(ftl, lpn, old, ppn, now);
    mapping_changed(ftl, lpn, now);
    collect_if_short(ftl, plane, now);
    Some((ppn, plane))
}
