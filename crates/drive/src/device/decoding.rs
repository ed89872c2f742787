//! Decoding of pages read from flash by the controller.

use venice_kernel::{EventQueue, SimTime};
use venice_nand::geometry::{ChipId, TransactionId};
use venice_nand::transactions::Origin;
use venice_requests::Op;

use crate::controller::{CommandSource, UpperLayer};
use crate::ftl::{DecodedPage, FinishedPage, PageArrival};

use super::DriveEvent;
use super::front_end::FrontEnd;

impl FrontEnd {
    /// Sends a page that arrived from `chip` to a decoder.
    #[cold]
    pub(super) fn decode(
        &mut self,
        id: TransactionId,
        chip: ChipId,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        match (self.ftl.page_arrived(id), &mut self.decoders) {
            (PageArrival::Decode { decoding, bytes }, Some(decoders)) => {
                let at = decoders.accept(decoding, bytes, self.ftl.row_of(chip), now);
                future.schedule(at, DriveEvent::Decoded(id));
            }
            (PageArrival::ReadAgain, _) => self.ftl.read_again(id, now),
            _ => self.finish_read(id, chip, now, future),
        }
    }

    /// Processes the end of a page's decoding.
    #[cold]
    pub(super) fn decoded(&mut self, id: TransactionId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        match self.ftl.decoded(id, now) {
            DecodedPage::Ends if self.is_search(id) => self.search_decoded(id, now, future),
            DecodedPage::Ends => {
                let chip = self.ftl.chip_of(self.ftl.transactions().get(id).plane);
                self.finish_read(id, chip, now, future);
            }
            DecodedPage::ReadAgain => self.ftl.read_again(id, now),
            DecodedPage::Rebuilds => {}
        }
    }

    /// Ends a read from `chip`. If the data of another read has been rebuilt with it, ends that read, too.
    fn finish_read(
        &mut self,
        id: TransactionId,
        chip: ChipId,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        self.finish(id, Some(chip), now, future);
        while let Some(rebuilt) = self.ftl.next_rebuilt() {
            let chip = self.ftl.chip_of(self.ftl.transactions().get(rebuilt).plane);
            self.finish(rebuilt, Some(chip), now, future);
        }
    }

    /// Marks the data in the new physical page of a failed write as unreadable, since sectors of the old page
    /// are missing in it.
    #[cold]
    pub(super) fn page_failed(&mut self, page: &FinishedPage) {
        let is_write = match page.origin {
            Origin::Cache(_) => true,
            Origin::ReadAhead(_) => false,
            Origin::Request(id) => self.host.transport.requests[id].host.op.side() == Op::Write,
        };
        if let (true, Some(slot)) = (is_write, page.ppn) {
            self.ftl.note_unreadable(slot);
        }
    }
}
