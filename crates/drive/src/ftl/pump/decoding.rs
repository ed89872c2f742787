//! Decoding of pages that have arrived in a controller, and repetition of reads whose decoding fails.

use venice_ecc::code::DATA_BYTES;
use venice_kernel::SimTime;
use venice_nand::geometry::{GatherId, Lpn, Ppn, TransactionId};
use venice_nand::latency::Stage;
use venice_nand::transactions::{PageState, Purpose, Transaction, TransactionClass};
use venice_requests::SECTOR_BYTES;

use crate::controller::Decoding;
use crate::ftl::Pump;
use crate::ftl::reads::errors::{DataOrigin, DecodeOutcome, DecodedRead, SensedPage};
use crate::ftl::shared::Shared;
use crate::ftl::translation::PageLocation;

/// Number of data sectors in a codeword.
const CODEWORD_SECTORS: usize = DATA_BYTES / SECTOR_BYTES as usize;

/// Next step of a read after its decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodedPage {
    /// The read ends, successfully or not.
    Ends,
    /// The page must be read again.
    ReadAgain,
    /// The page is rebuilt from other pages of its stripe. The read ends after the rebuild.
    Rebuilds,
}

/// Next step of a page that has arrived in a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageArrival {
    /// The read ends without decoding of the page.
    Ends,
    /// The page must be read again before it can be decoded.
    ReadAgain,
    /// The page is to be decoded.
    Decode {
        /// Decoding method: hard-decision or soft-decision.
        decoding: Decoding,
        /// Number of data bytes in the codewords, without check bits.
        bytes: u32,
    },
}

impl Pump {
    /// Records the arrival of a page in a flash controller. Returns the next step.
    pub(in crate::ftl) fn page_arrived(&mut self, id: TransactionId) -> PageArrival {
        let Some(errors) = &mut self.reads.errors else { return PageArrival::Ends };
        let read = *self.shared.transactions.get(id);
        let (Some(ppn), Some(_)) = (read.ppn(), DecodedRead::of(read.purpose)) else {
            self.fail_where_unreadable(id);
            return PageArrival::Ends;
        };
        if read.has_failed {
            return PageArrival::Ends;
        }
        if let Some(ages) = &mut self.shared.ages {
            ages.note_read(self.shared.geometry.block_of(ppn));
        }
        errors.arrived(id).map_or(PageArrival::ReadAgain, |decoding| PageArrival::Decode {
            decoding,
            bytes: codewords(&read) * DATA_BYTES as u32,
        })
    }

    /// Processes the end of a page's decoding at `now`. Returns the next step.
    pub(in crate::ftl) fn decoded(&mut self, id: TransactionId, now: SimTime) -> DecodedPage {
        let read = self.shared.transactions.get_mut(id);
        read.clock.charge(Stage::Decoding, now);
        let read = *read;
        let (Some(ppn), Some(class)) = (read.ppn(), DecodedRead::of(read.purpose)) else {
            return DecodedPage::Ends;
        };
        let at = self.sensed_page(id, ppn);
        let Some(errors) = &mut self.reads.errors else { return DecodedPage::Ends };
        let (outcome, has_excess_errors) = errors.decode(id, class, codewords(&read), at, now);
        if has_excess_errors && class.can_refresh() && at.origin != DataOrigin::NeverWritten {
            let block = self.shared.geometry.block_of(ppn);
            self.collector.refresh_block(&mut self.shared, block, now);
            self.run_tasks(now);
        }
        match outcome {
            DecodeOutcome::ReadAgain => return DecodedPage::ReadAgain,
            DecodeOutcome::Corrected | DecodeOutcome::Uncorrectable if class == DecodedRead::Rebuild => {
                let is_corrected = outcome == DecodeOutcome::Corrected && !at.is_unreadable;
                self.shared.transactions.get_mut(id).has_failed |= !is_corrected;
            }
            DecodeOutcome::Corrected => self.fail_where_unreadable(id),
            DecodeOutcome::Uncorrectable if class == DecodedRead::Search => self.fail_page(id),
            DecodeOutcome::Uncorrectable if self.begin_rebuild(id, ppn, now) => return DecodedPage::Rebuilds,
            DecodeOutcome::Uncorrectable => self.lose_page(id),
        }
        DecodedPage::Ends
    }

    /// Returns true if the decoder of a chip cannot correct a page of a search that the chip has sensed.
    pub(super) fn fails_in_chip(&mut self, id: TransactionId, now: SimTime) -> bool {
        let read = *self.shared.transactions.get(id);
        let (Some(ppn), true) = (read.ppn(), self.reads.errors.is_some()) else { return false };
        let at = self.sensed_page(id, ppn);
        let Some(errors) = &mut self.reads.errors else { return false };
        errors.fails_in_chip(codewords(&read), at, now)
    }

    /// Returns the page that a read accesses, with the state of its block, from which the read's error rate
    /// is computed.
    fn sensed_page(&mut self, id: TransactionId, ppn: Ppn) -> SensedPage {
        let is_unwritten = stored_slot(self.shared.transactions.get(id)).is_none();
        let is_unreadable = self.reads_unreadable_data(id);
        SensedPage { is_unreadable, ..SensedPage::new(&self.shared, ppn, is_unwritten) }
    }

    /// Returns true if some of the data of a read, or of the reads that share it, is known to be unreadable.
    fn reads_unreadable_data(&mut self, id: TransactionId) -> bool {
        if self.shared.unreadable.is_empty() {
            return false;
        }
        let Shared { transactions, unreadable, translation, units, .. } = &self.shared;
        let read = transactions.get(id);
        let mut slots = read.ppn().into_iter().flat_map(|page| units.slots_of_page(page)).map(Ppn);
        match read.purpose {
            // Outdated data is not needed.
            Purpose::ScrubRead => {
                slots.any(|slot| unreadable.contains(slot) && translation.map.logical(slot).is_some())
            }
            // Parity covers outdated data, too.
            Purpose::RebuildRead { .. } => slots.any(|slot| unreadable.contains(slot)),
            _ => self.units_of(id).into_iter().any(|unit| self.is_unreadable(unit)),
        }
    }

    /// Returns true if the data of a read is known to be unreadable.
    fn is_unreadable(&self, read: TransactionId) -> bool {
        let Shared { transactions, unreadable, translation, .. } = &self.shared;
        let read = transactions.get(read);
        match (stored_slot(read), read.lpn) {
            (Some(slot), _) => unreadable.contains(slot),
            // A deallocated page is read as zeroes.
            (None, Some(lpn)) => {
                unreadable.contains_unwritten(lpn)
                    && translation.map.location(lpn) != PageLocation::Deallocated
            }
            (None, None) => false,
        }
    }

    /// Queues another read of a page that could not be corrected.
    pub(in crate::ftl) fn read_again(&mut self, id: TransactionId, now: SimTime) {
        if let Some(registers) = &mut self.registers {
            registers.clear(self.shared.transactions.get(id).plane);
        }
        self.shared.enqueue(id, now);
        self.run_tasks(now);
    }

    /// Marks the data in a programmed slot (location of a mapping unit) as unreadable. Used after a write
    /// that could not read the missing sectors of the old page.
    pub(in crate::ftl) fn note_unreadable(&mut self, slot: Ppn) {
        if self.reads.errors.is_some() {
            self.shared.lose_slot(slot);
        }
    }

    /// Fails a read of uncorrectable data together with the reads that share it, and marks their data as
    /// unreadable.
    pub(in crate::ftl) fn lose_page(&mut self, id: TransactionId) {
        let read = self.shared.transactions.get(id);
        if let (Purpose::ScrubRead, Some(page)) = (read.purpose, read.ppn()) {
            return self.shared.units.slots_of_page(page).for_each(|slot| self.lose_data_at(Ppn(slot)));
        }
        for unit in self.units_of(id) {
            self.lose_unit(unit);
        }
    }

    /// Fails the read of a page for a search, together with the reads that share it. Its data is not marked as
    /// unreadable, since searches do not rebuild pages from parity, and change no data.
    fn fail_page(&mut self, id: TransactionId) {
        for unit in self.units_of(id) {
            self.fail_read(unit);
        }
    }

    fn lose_unit(&mut self, unit: TransactionId) {
        self.fail_read(unit);
        let read = self.shared.transactions.get(unit);
        match (stored_slot(read), read.lpn) {
            (Some(slot), _) => self.lose_data_at(slot),
            (None, Some(lpn)) => self.lose_unwritten_data_of(lpn),
            (None, None) => {}
        }
    }

    /// Marks the data that a logical page had before the run as unreadable, unless it is a translation page.
    fn lose_unwritten_data_of(&mut self, lpn: Lpn) {
        let translation = &self.shared.translation;
        let is_unmapped = translation.map.location(lpn) == PageLocation::Unmapped;
        if is_unmapped && !translation.is_translation_page(lpn) {
            self.shared.unreadable.insert_unwritten(lpn);
        }
    }

    /// Marks the data in a slot (location of a mapping unit) as unreadable, unless it is a translation page,
    /// whose entries can be rebuilt, or outdated data, which is not needed.
    fn lose_data_at(&mut self, slot: Ppn) {
        let translation = &self.shared.translation;
        let logical = translation.map.logical(slot);
        if logical.is_some_and(|lpn| !translation.is_translation_page(lpn)) {
            self.shared.lose_slot(slot);
        }
    }

    /// Fails a read, and the reads that share it, if their data is known to be unreadable.
    pub(in crate::ftl) fn fail_where_unreadable(&mut self, id: TransactionId) {
        if self.shared.unreadable.is_empty() {
            return;
        }
        for unit in self.units_of(id) {
            if self.is_unreadable(unit) {
                self.fail_read(unit);
            }
        }
    }

    /// Returns the transactions that a read of a page serves: the read itself, and the reads that share its
    /// operation.
    fn units_of(&mut self, id: TransactionId) -> Vec<TransactionId> {
        let mut units = vec![id];
        self.shared.for_each_member(id, |_, unit| units.push(unit));
        units
    }

    /// Fails a gather if the data of one of its operands is known to be unreadable.
    pub(super) fn check_operand(&mut self, id: TransactionId, gather: GatherId) {
        let Shared { transactions, unreadable, translation, .. } = &self.shared;
        let operand = transactions.get(id);
        let is_lost = |lpn| {
            unreadable.contains_unwritten(lpn) && translation.map.location(lpn) == PageLocation::Unmapped
        };
        if operand.ppn().is_some_and(|slot| unreadable.contains(slot)) || operand.lpn.is_some_and(is_lost) {
            self.shared.transactions.get_mut(id).has_failed = true;
            self.reads.gathers.operand_is_unreadable(gather);
        }
    }

    /// Marks a read of the host or of a search as failed. For a read of the sectors that a write does not
    /// cover, marks the write as failed. Other reads, such as reads of garbage collection, continue.
    fn fail_read(&mut self, id: TransactionId) {
        let read = self.shared.transactions.get_mut(id);
        read.has_failed |=
            matches!(read.purpose.class(), TransactionClass::HostRead | TransactionClass::Search);
        if let Purpose::UpdateRead(write) = read.purpose {
            self.shared.transactions.get_mut(write).has_failed = true;
        }
    }
}

/// Returns the location from which a read takes its data, if data is stored there; `None` otherwise.
const fn stored_slot(read: &Transaction) -> Option<Ppn> {
    match read.page {
        PageState::At { ppn, is_pinned: true } | PageState::From(ppn) => Some(ppn),
        _ => None,
    }
}

/// Returns the number of codewords that a read transfers to a decoder.
fn codewords(read: &Transaction) -> u32 {
    let of_sector = |sector: usize| read.sectors >> sector & ((1 << CODEWORD_SECTORS) - 1) != 0;
    let touched =
        (0..u64::BITS as usize).step_by(CODEWORD_SECTORS).filter(|&sector| of_sector(sector)).count();
    (touched as u32).max(read.bytes.div_ceil(DATA_BYTES as u32)).max(1)
}
