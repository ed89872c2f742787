//! A logical page gets another place: what the old plane, its address range and writes that wait for room have of it.

use venice_kernel::SimTime;

use crate::accounting::Stage;
use crate::geometry::{Lpn, Ppn, TransactionId};

use super::Ftl;
use super::collecting::collect_if_short;

/// A logical page is at `to` from now on.
pub(super) fn remap(ftl: &mut Ftl, lpn: Lpn, to: Ppn, now: SimTime) {
    let old = ftl.translation.map.remap(lpn, to);
    moved(ftl, lpn, old, to, now);
}

/// A logical page that was at `old`, if anywhere, is at `to` now.
pub(super) fn moved(ftl: &mut Ftl, lpn: Lpn, old: Option<Ppn>, to: Ppn, now: SimTime) {
    match old {
        Some(old) => left(ftl, lpn, old, to, now),
        None if ftl.space.losses().is_some() => {
            ftl.collector.destinations.count_new_guest(&ftl.translation.addresses, lpn, to);
        }
        None => {}
    }
}

/// A logical page has left its old place.
fn left(ftl: &mut Ftl, lpn: Lpn, old: Ppn, to: Ppn, now: SimTime) {
    let plane = ftl.space.blocks.invalidate(old);
    // Room for translation pages is set aside once and for all.
    if !ftl.translation.is_translation_page(lpn) {
        ftl.collector.destinations.count_guest(&ftl.translation.addresses, lpn, old, to);
        ftl.space.commit(&ftl.translation.addresses, lpn, plane, -1);
        if !ftl.settings.page_allocation.is_early() {
            place_waiting_write(ftl, lpn, now);
        }
    }
    if plane != ftl.geometry.plane_of_page(to) {
        // A plane that had nothing worth collecting may have now.
        collect_if_short(ftl, plane, now);
    }
}

/// A write with all its data at hand waits for its die, which gives it its page.
pub(super) fn enqueue_write(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) {
    let Some(plane) = ftl.space.plane_of_write(&ftl.translation, ftl.transactions.get(id), lpn) else {
        return ftl.space.find_no_plane(id);
    };
    ftl.transactions.get_mut(id).plane = plane;
    ftl.space.count_write(&ftl.translation.addresses, lpn, plane);
    wait_for_page(ftl, id, now);
}

/// A plane holds a page less of this one's address range than before: a write of it that found all planes full may go
/// there.
pub(super) fn place_waiting_write(ftl: &mut Ftl, lpn: Lpn, now: SimTime) {
    if ftl.space.without_plane().is_empty() {
        return;
    }
    let range = ftl.translation.addresses.range_of(lpn);
    let is_of_range = |&id: &TransactionId| {
        let waiting = ftl.transactions.get(id).lpn;
        waiting.is_some_and(|lpn| ftl.translation.addresses.range_of(lpn) == range)
    };
    let waiting = ftl.space.without_plane();
    let place = waiting.iter().position(is_of_range);
    if let Some(id) = place.and_then(|place| waiting.remove(place)) {
        let write = ftl.transactions.get_mut(id);
        write.clock.charge(Stage::ChipWait, now);
        if let Some(lpn) = write.lpn {
            enqueue_write(ftl, id, lpn, now);
        }
    }
}

/// A write waits for its die, which gives it its page. One that finds no room and no program whose end asks for a
/// collection asks for it itself: a run may begin with a plane in which only collection can make room.
pub(super) fn wait_for_page(ftl: &mut Ftl, id: TransactionId, now: SimTime) {
    let write = ftl.transactions.get(id);
    let (plane, stream) = (write.plane, ftl.space.stream_of(write));
    ftl.queues.join(&mut ftl.transactions, id, now);
    if ftl.space.blocks.planes[plane].pending_programs == 0
        && ftl.space.blocks.next_offset(plane, stream).is_none()
    {
        collect_if_short(ftl, plane, now);
    }
}
