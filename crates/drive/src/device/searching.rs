//! Pages of searches in the controller, on the host link and in the host.
//!
//! # How
//! A page without a match in the chip ends on its arrival. A page that matched in the chip, or its result, is sent
//! to the host.
//! Any other page is decoded, if the controller has decoders, and then searched by the controller or sent to
//! the host, which searches it.

use venice_kernel::{EventQueue, SimTime};
use venice_nand::geometry::TransactionId;
use venice_nand::latency::Stage;
use venice_nand::transactions::{Purpose, SearchStep};

use crate::controller::{CommandSource, SearchServers, UpperLayer};
use crate::ftl::{ChipWork, PageArrival, SearchLocation, SearchSettings};

use super::DriveEvent;
use super::front_end::FrontEnd;

/// Matchers of the controller and of the host.
#[derive(Clone, Debug)]
pub(super) struct Searchers {
    controller: SearchServers,
    host: SearchServers,
}

impl Searchers {
    /// Creates the matchers of the controller and of the host, all of them idle.
    pub(super) fn new(settings: &SearchSettings) -> Self {
        Self {
            controller: SearchServers::new(settings.controller_matchers, settings.controller_rate),
            host: SearchServers::new(1, settings.host_rate),
        }
    }
}

impl FrontEnd {
    /// Processes the arrival of a result of a search from a chip.
    #[cold]
    pub(super) fn search_result(
        &mut self,
        id: TransactionId,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        let page = self.ftl.transactions().get(id);
        let (step, bytes, has_failed) = (page.search, page.bytes, page.has_failed);
        if !has_failed {
            let counters = self.ftl.search_counters_mut();
            counters.bytes_from_chips += u64::from(bytes);
            counters.pages_from_chips +=
                u64::from(!matches!(step, SearchStep::NotFound | SearchStep::Computed));
        }
        if self.ftl.searched_page(id).chip_work == ChipWork::Repeat {
            return self.repeat_arrived(id, now, future);
        }
        if has_failed {
            return self.finish(id, None, now, future);
        }
        match step {
            SearchStep::NotFound => self.finish(id, None, now, future),
            SearchStep::Matched | SearchStep::Computed => self.send_result(id, now, future),
            _ => self.decode_for_search(id, now, future),
        }
    }

    /// Processes the end of a repeated read for a page of a search. After the last repeated read of the page,
    /// the page is decoded again.
    fn repeat_arrived(&mut self, id: TransactionId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let repeated = self.ftl.last_repeat_of(id, now);
        self.finish(id, None, now, future);
        if let Some(page) = repeated {
            self.search_decoded(page, now, future);
        }
    }

    /// Sends a page to a decoder if the controller has decoders, otherwise to a matcher.
    fn decode_for_search(&mut self, id: TransactionId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        // Repeated reads of the page are not searched in the chip.
        self.ftl.transactions_mut().get_mut(id).search = SearchStep::InController;
        let chip = self.ftl.chip_of(self.ftl.transactions().get(id).plane);
        match (&mut self.decoders, self.ftl.page_arrived(id)) {
            (Some(_), PageArrival::ReadAgain) => self.ftl.read_again(id, now),
            (Some(decoders), PageArrival::Decode { decoding, bytes }) => {
                let at = decoders.accept(decoding, bytes, self.ftl.row_of(chip), now);
                future.schedule(at, DriveEvent::Decoded(id));
            }
            _ => self.search_decoded(id, now, future),
        }
    }

    /// Processes a page of a search that needs no further decoding.
    #[cold]
    pub(super) fn search_decoded(
        &mut self,
        id: TransactionId,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        if self.ftl.transactions().get(id).has_failed {
            return self.finish(id, None, now, future);
        }
        let (page_bytes, passes) = (self.ftl.unit_bytes(), self.ftl.searched_page(id).controller_passes);
        if passes == 0 {
            return self.send_to_host(id, page_bytes, now, future);
        }
        let bytes = u64::from(page_bytes) * u64::from(passes);
        let (end, time) = self.searchers.controller.accept(bytes, now);
        let counters = self.ftl.search_counters_mut();
        counters.controller_bytes += bytes;
        counters.loaded_bytes += u64::from(page_bytes);
        counters.controller_busy_ps += time.as_ps();
        future.schedule(end, DriveEvent::Searched(id));
    }

    /// Sends a page with a match, or the result of a page, to the host. If there is neither, the page's part
    /// of the search ends.
    fn send_result(&mut self, id: TransactionId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        match self.ftl.search_bytes_to_host(id) {
            0 => self.finish(id, None, now, future),
            bytes => self.send_to_host(id, bytes, now, future),
        }
    }

    /// Sends `bytes` bytes of a page to the host.
    fn send_to_host(
        &mut self,
        id: TransactionId,
        bytes: u32,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        let bytes = u64::from(bytes);
        self.ftl.search_counters_mut().bytes_to_host += bytes;
        self.ftl.transactions_mut().get_mut(id).search = SearchStep::OnLink;
        future.schedule(self.host.transport.send_page(bytes, now), DriveEvent::Searched(id));
    }

    /// Processes the end of a page's search in the controller, of its transfer to the host, or of its search in
    /// the host.
    #[cold]
    pub(super) fn searched(&mut self, id: TransactionId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let page = self.ftl.transactions_mut().get_mut(id);
        let step = page.search;
        let stage = if step == SearchStep::OnLink { Stage::HostLink } else { Stage::Decoding };
        page.clock.charge(stage, now);
        match step {
            SearchStep::InController if self.ftl.repeat_search_page(id, now) => {}
            SearchStep::InController => self.send_result(id, now, future),
            SearchStep::OnLink if self.ftl.search_settings().location == SearchLocation::Host => {
                self.search_in_host(id, now, future);
            }
            _ => self.finish(id, None, now, future),
        }
    }

    fn search_in_host(&mut self, id: TransactionId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let (end, time) = self.searchers.host.accept(u64::from(self.ftl.unit_bytes()), now);
        self.ftl.search_counters_mut().host_busy_ps += time.as_ps();
        self.ftl.transactions_mut().get_mut(id).search = SearchStep::InHost;
        future.schedule(end, DriveEvent::Searched(id));
    }

    /// Returns true if a transaction is a page of a search.
    pub(super) fn is_search(&self, id: TransactionId) -> bool {
        matches!(self.ftl.transactions().get(id).purpose, Purpose::Search(_))
    }
}
