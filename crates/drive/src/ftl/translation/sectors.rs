//! Sets of sectors of a page that requests and transactions cover.
//!
//! # How
//! A set of sectors is a bit mask with one bit for each sector of a page. A request is divided at the ends of
//! pages. A partial write is extended to all sectors with data in its page; the sectors that it does not
//! contain are read first.
//!
//! # What is left out
//! Nothing, with exact sets as in a real drive. Other divisions of requests, and sets that extend beyond
//! their page, reproduce MQSim for comparison.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), `Address_Mapping_Unit_Page_Level` and its sets of sectors.
//!
//! # Parameters
//! `ftl.sector_sets`, `ftl.update_transfer`, `ftl.unwritten_data`

use std::ops::Range;

use venice_nand::geometry::{Geometry, Lpn, long_quotient};
use venice_nand::transactions::{Origin, Purpose, Transaction};
use venice_requests::SECTOR_BYTES;

use crate::ftl::PartialUnits;
use crate::ftl::settings::{FtlSettings, SectorSets, UnwrittenData, UpdateTransfer};

/// Rules by which sectors of a page are represented as bits of a mask, called a set of sectors.
#[derive(Clone, Debug)]
pub struct SectorRules {
    /// Number of bits in a page's sector mask. Each bit represents `per_bit` sectors.
    per_page: u32,
    /// Number of sectors that each bit of a sector mask represents. The number is more than one only if a
    /// page has more than 64 sectors.
    per_bit: u32,
    /// Mask of all sectors of a page.
    whole_page: u64,
    /// Mask of all bits that a set of sectors can contain.
    bits: u64,
    /// Distance, in sectors, between an address at which requests are divided and the end of the page that
    /// contains it, for each address range. Empty if requests are divided at the ends of pages.
    cuts: Vec<u32>,
    sets: SectorSets,
    update_transfer: UpdateTransfer,
    unwritten: UnwrittenData,
    /// True if a trim of a part of a page zeroes the covered sectors.
    zeroes_parts: bool,
    /// True if reads of sectors without data end with an error.
    refuses_reads: bool,
}

impl SectorRules {
    /// Returns the rules for sets of sectors for these settings.
    pub fn new(geometry: &Geometry, settings: &FtlSettings) -> Self {
        let sectors = geometry.page_bytes / SECTOR_BYTES;
        let per_bit = sectors.div_ceil(u64::BITS);
        let per_page = sectors / per_bit;
        let whole_page = sector_mask(0, per_page);
        Self {
            per_page,
            per_bit,
            whole_page,
            bits: match settings.sector_sets {
                SectorSets::Exact => whole_page,
                SectorSets::Shifted => u64::MAX,
            },
            cuts: if settings.page_cuts.iter().all(|&cut| cut == 0) {
                Vec::new()
            } else {
                settings.page_cuts.clone()
            },
            sets: settings.sector_sets,
            update_transfer: settings.update_transfer,
            unwritten: settings.unwritten_data,
            refuses_reads: settings.trim.dulbe,
            zeroes_parts: settings.trim.partial_units == PartialUnits::Zeroed,
        }
    }

    /// Returns the number of sectors per page.
    #[inline]
    pub const fn per_page(&self) -> u32 {
        self.per_page * self.per_bit
    }

    /// Returns the number of sectors that each bit of a page's sector mask represents.
    #[inline]
    pub const fn per_bit(&self) -> u32 {
        self.per_bit
    }

    /// Returns the number of parts into which sector masks divide a page. Each part is one sector if the page
    /// has at most 64 sectors.
    #[inline]
    pub const fn parts(&self) -> u32 {
        self.per_page
    }

    /// Returns the number of bytes in the sectors of a set.
    #[inline]
    pub const fn bytes_of(&self, set: u64) -> u32 {
        // Most sets are whole pages. Without an instruction of its own, counting takes a dozen instructions.
        let bits = if set == self.whole_page { self.per_page } else { set.count_ones() };
        bits * self.per_bit * SECTOR_BYTES
    }

    /// Returns the largest part of a sector range that consists of whole parts of pages ([`Self::parts`]).
    /// Used for commands that must not affect sectors outside the range.
    pub fn within(&self, Range { start, end }: Range<u64>) -> Range<u64> {
        let per_bit = u64::from(self.per_bit);
        let start = start.div_ceil(per_bit) * per_bit;
        start..(end / per_bit * per_bit).max(start)
    }

    /// Returns the distance, in sectors, from an address at which requests are divided to the next page
    /// boundary. The distance is 0 if requests to this address range are divided at page boundaries.
    #[inline]
    pub fn cut_of(&self, range: impl FnOnce() -> usize) -> u32 {
        if self.cuts.is_empty() { 0 } else { self.cuts.get(range()).copied().unwrap_or(0) }
    }

    /// Returns true if a page that was never written has no data, so that the written sectors of each page
    /// are recorded.
    #[inline]
    pub const fn absent_unless_written(&self) -> bool {
        self.unwritten.is_absent()
    }

    /// Returns true if a trim of a part of a page zeroes the covered sectors.
    #[inline]
    pub const fn zeroes_parts(&self) -> bool {
        self.zeroes_parts
    }

    /// Returns true if reads of sectors without data end with an error.
    pub const fn refuses_reads(&self) -> bool {
        self.refuses_reads
    }

    /// Returns true if the map records which sectors of a page contain data.
    #[inline]
    pub const fn are_recorded(&self) -> bool {
        self.absent_unless_written() || self.zeroes_parts
    }

    /// Returns true if a page that was never written has data from before the run.
    #[inline]
    pub fn present_though_unwritten(&self) -> bool {
        self.unwritten == UnwrittenData::Present
    }

    /// Returns true if a read of an unmapped page maps the page.
    #[inline]
    pub fn mapped_on_read(&self) -> bool {
        self.unwritten == UnwrittenData::MappedOnRead
    }

    /// Returns the mask of all sectors of a page.
    #[inline]
    pub const fn whole_page(&self) -> u64 {
        self.whole_page
    }

    /// Returns the mask of all bits that a set of sectors can contain.
    #[inline]
    pub const fn bits(&self) -> u64 {
        self.bits
    }

    /// Returns a bit mask of the sectors of a page that a host read or write covers. `range` returns the
    /// address range of the page.
    #[inline]
    pub fn taken(&self, transaction: &Transaction, range: impl FnOnce() -> usize) -> u64 {
        match (self.sets, transaction.purpose) {
            (SectorSets::Exact, _) | (_, Purpose::HostWrite(Origin::Cache(_))) => transaction.sectors,
            _ => shifted(self.per_page, self.cut_of(range), transaction.sectors),
        }
    }

    /// Extends a write of the sectors `new` to the sectors `present`, which contain data in the old page.
    /// With [`UpdateTransfer::Merged`] all of these sectors are sent to the chip, otherwise only the sectors
    /// that the host wrote.
    #[inline]
    pub fn extend(&self, write: &mut Transaction, new: u64, present: u64) {
        let (touched, merged) = (write.sectors, new | present);
        write.sectors = merged;
        // The sectors that the host wrote are transferred in any case.
        if merged != touched && self.update_transfer == UpdateTransfer::Merged {
            write.bytes = merged.count_ones().min(self.per_page) * self.per_bit * SECTOR_BYTES;
        }
    }

    /// Iterates over the pages that the sectors `start..end` cover, each with a bit mask of the covered
    /// sectors.
    #[inline]
    pub fn pieces(&self, cut: u32, start: u64, end: u64) -> impl Iterator<Item = (Lpn, u64)> + use<> {
        let per_bit = u64::from(self.per_bit);
        let (start, end) = if per_bit == 1 { (start, end) } else { (start / per_bit, end.div_ceil(per_bit)) };
        page_pieces(self.per_page, cut, start, end)
    }
}

/// Iterates over the pages that the sectors `start..end` cover, each with a bit mask of the covered sectors.
///
/// Requests are divided `cut` sectors before the end of each page. A piece belongs to the page that contains
/// its first sector. Its sectors beyond the end of this page wrap around to the beginning of the page.
#[inline]
fn page_pieces(per_page: u32, cut: u32, start: u64, end: u64) -> impl Iterator<Item = (Lpn, u64)> + use<> {
    let mut page = long_quotient(start, per_page);
    let mut offset = (start - page * u64::from(per_page)) as u32;
    let mut within = if offset + cut < per_page { offset + cut } else { offset + cut - per_page };
    let mut left = end - start;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let length = left.min(u64::from(per_page - within)) as u32;
        let piece = (Lpn(page as u32), wrapped_mask(per_page, offset, length));
        left -= u64::from(length);
        (offset, within) = (offset + length, 0);
        if offset >= per_page {
            (offset, page) = (offset - per_page, page + 1);
        }
        Some(piece)
    })
}

/// Returns the mask of `length` sectors from `offset`. Sectors beyond the end of the page wrap around to its
/// beginning. `length` must be at least one.
#[inline]
fn wrapped_mask(per_page: u32, offset: u32, length: u32) -> u64 {
    let end = offset + length;
    if end <= per_page {
        return sectors_from(offset, length);
    }
    sector_mask(offset, per_page) | sector_mask(0, end - per_page)
}

/// Returns the sector mask of a page as MQSim represents it. Sectors that [`page_pieces`] has wrapped around
/// are represented by bits beyond the end of the page. The mask of all sectors is empty for a page of 64
/// sectors, since MQSim shifts a 64-bit number by 64.
#[cold]
fn shifted(per_page: u32, cut: u32, sectors: u64) -> u64 {
    let whole = sector_mask(0, per_page);
    if sectors == whole {
        // A piece of the length of a page begins at the start of a device page.
        let offset = if cut == 0 { 0 } else { per_page - cut };
        return if per_page == u64::BITS { 0 } else { whole << offset };
    }
    let is_wrapped = sectors & 1 == 1 && (sectors >> (per_page - 1)) & 1 == 1;
    if !is_wrapped {
        return sectors;
    }
    let at_the_beginning = sector_mask(0, sectors.trailing_ones());
    (sectors & !at_the_beginning) | at_the_beginning.checked_shl(per_page).unwrap_or(0)
}

/// Returns the mask of `length` sectors from `offset`. `length` must be at least one, and no sector may lie
/// beyond the end of the page.
#[inline]
const fn sectors_from(offset: u32, length: u32) -> u64 {
    (u64::MAX >> (u64::BITS - length)) << offset
}

/// Returns the mask of the sectors `from..to`. `to` must be at most 64.
#[inline]
fn sector_mask(from: u32, to: u32) -> u64 {
    let below = |n: u32| if n >= 64 { u64::MAX } else { (1 << n) - 1 };
    below(to) & !below(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(cut: u32, start: u64, sectors: u64) -> Vec<(u32, u64)> {
        page_pieces(16, cut, start, start + sectors).map(|(lpn, mask)| (lpn.0, mask)).collect()
    }

    #[test]
    fn requests_are_cut_where_pages_end() {
        assert_eq!(pieces(0, 20, 8), [(1, 0x0ff0)]);
        assert_eq!(pieces(0, 8, 40), [(0, 0xff00), (1, 0xffff), (2, 0xffff)]);
    }

    #[test]
    fn requests_cut_before_pages_end_keep_the_pages_of_their_first_sectors() {
        // A flow that begins at the fourth sector of a device page; its twelfth sector is the first of a
        // device page.
        assert_eq!(pieces(4, 12, 16), [(0, 0xffff)], "a whole page of the device");
        assert_eq!(pieces(4, 0, 16), [(0, 0x0fff), (0, 0xf000)], "a whole page of the flow");
        assert_eq!(pieces(4, 4, 24), [(0, 0x0ff0), (0, 0xffff)], "the first two pieces lie on one page");
    }

    #[test]
    fn shifted_sector_sets_exceed_the_page_and_are_truncated_to_64_bits() {
        assert_eq!(shifted(16, 0, 0xffff), 0xffff);
        assert_eq!(shifted(16, 4, 0xffff), 0xffff << 12, "a whole page of the device");
        assert_eq!(shifted(16, 4, 0xf003), 0x3_f000, "two sectors beyond the end");
        assert_eq!(shifted(16, 4, 0x0ff0), 0x0ff0);
        assert_eq!(shifted(64, 20, u64::MAX), 0, "all of 64 are none");
        assert_eq!(shifted(64, 20, (0xff << 56) | 0xf), 0xff << 56, "what lies beyond 64 bits is lost");
    }

    #[test]
    fn a_mask_covers_exactly_its_sectors() {
        assert_eq!(sector_mask(0, 8), 0xff);
        assert_eq!(sector_mask(3, 5), 0b11000);
        assert_eq!(sector_mask(0, 64), u64::MAX);
        assert_eq!(sector_mask(63, 64), 1 << 63);
    }
}
