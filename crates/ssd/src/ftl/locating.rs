//! Where a page is read whose entry of the map is known, and the place that a read gives a page which has none.
//!
//! # Parameters
//! `ftl.unwritten_data`, `ftl.unwritten_place`

use venice_kernel::SimTime;

use crate::geometry::{Lpn, Ppn, TransactionId};

use super::Ftl;
use super::collecting::collect_if_short;
use super::paging::mapping_changed;
use super::reads::send_read;
use super::remap::moved;
use super::space::Stream;

/// A read whose page was looked up waits for its die.
#[inline]
pub(super) fn place_read(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) {
    let mut written = ftl.translation.map.physical(lpn);
    if written.is_none() && ftl.translation.is_mapped_by(ftl.transactions.get(id)) {
        written = map_unwritten(ftl, id, lpn, now);
    }
    let place = match written {
        Some(ppn) => (ppn, true),
        None => (ftl.translation.place_before_the_run(lpn), false),
    };
    send_read(ftl, id, place, now);
}

/// A read of a page that was never written gives it a place, if there is room: the sectors that it
/// reads count as programmed there.
fn map_unwritten(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) -> Option<Ppn> {
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
    Some(ppn)
}
