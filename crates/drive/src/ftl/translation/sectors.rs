//! Which sectors of which pages a request, a read or a write is taken to touch.
//!
//! # How
//! Sets of sectors are bits of a number, one for each sector of a page. A request is cut where pages end. A partial write is extended
//! to the sectors that its page has; what it does not bring is to be read.
//!
//! # What is left out
//! Exact sets are what a drive does. Requests cut elsewhere, and sets that lie beyond their page, are those of MQSim, for comparison.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), `Address_Mapping_Unit_Page_Level` and its sets of sectors.
//!
//! # Parameters
//! `ftl.sector_sets`, `ftl.update_transfer`, `ftl.unwritten_data`

use venice_nand::geometry::{Geometry, Lpn, long_quotient};
use venice_nand::transactions::{Origin, Purpose, Transaction};
use venice_requests::SECTOR_BYTES;

use crate::ftl::settings::{FtlSettings, SectorSets, UnwrittenData, UpdateTransfer};

/// The rules by which sets of sectors are made.
#[derive(Clone, Debug)]
pub struct SectorRules {
    per_page: u32,
    /// All sectors of a page.
    whole_page: u64,
    /// All bits that sets of sectors have.
    bits: u64,
    /// Sectors before the end of a page at which requests are cut, by address range; empty for the end itself.
    cuts: Vec<u32>,
    sets: SectorSets,
    update_transfer: UpdateTransfer,
    unwritten: UnwrittenData,
}

impl SectorRules {
    /// Those of a drive.
    pub fn new(geometry: &Geometry, settings: &FtlSettings) -> Self {
        let per_page = geometry.page_bytes / SECTOR_BYTES;
        let whole_page = sector_mask(0, per_page);
        Self {
            per_page,
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
        }
    }

    /// Sectors of a page.
    #[inline]
    pub const fn per_page(&self) -> u32 {
        self.per_page
    }

    /// The address range's cut, if any range has one.
    #[inline]
    pub fn cut_of(&self, range: impl FnOnce() -> usize) -> u32 {
        if self.cuts.is_empty() { 0 } else { self.cuts.get(range()).copied().unwrap_or(0) }
    }

    /// Returns true if a page that was never written has no data, so that the written sectors of each are recorded.
    #[inline]
    pub const fn absent_unless_written(&self) -> bool {
        self.unwritten.is_absent()
    }

    /// Returns true if a page that was never written has data.
    #[inline]
    pub fn present_though_unwritten(&self) -> bool {
        self.unwritten == UnwrittenData::Present
    }

    /// Returns true if reads map pages that have no place.
    #[inline]
    pub fn mapped_on_read(&self) -> bool {
        self.unwritten == UnwrittenData::MappedOnRead
    }

    /// All sectors of a page.
    #[inline]
    pub const fn whole_page(&self) -> u64 {
        self.whole_page
    }

    /// All bits that sets of sectors have.
    #[inline]
    pub const fn bits(&self) -> u64 {
        self.bits
    }

    /// Returns the sectors of its page that a read or a write of the host is taken to touch; `range` is the page's.
    #[inline]
    pub fn taken(&self, transaction: &Transaction, range: impl FnOnce() -> usize) -> u64 {
        match (self.sets, transaction.purpose) {
            (SectorSets::Exact, _) | (_, Purpose::HostWrite(Origin::Cache(_))) => transaction.sectors,
            _ => shifted(self.per_page, self.cut_of(range), transaction.sectors),
        }
    }

    /// Extends a write that touches the `new` sectors to all that are `present`, and sends what the settings say.
    #[inline]
    pub fn extend(&self, write: &mut Transaction, new: u64, present: u64) {
        let (touched, merged) = (write.sectors, new | present);
        write.sectors = merged;
        // What it touches it sends in any case.
        if merged != touched && self.update_transfer == UpdateTransfer::Merged {
            write.bytes = merged.count_ones().min(self.per_page) * SECTOR_BYTES;
        }
    }

    /// The pages that the sectors from `start` up to, but not including, `end` touch, each with the sectors of it that are meant.
    #[inline]
    pub fn pieces(&self, cut: u32, start: u64, end: u64) -> impl Iterator<Item = (Lpn, u64)> + use<> {
        page_pieces(self.per_page, cut, start, end)
    }
}

/// The pages that the sectors from `start` up to, but not including, `end` touch, each with the
/// sectors of it that are meant. Cut `cut` sectors before the end of each page, a piece is of the page that its first sector
/// lies in, and what of it would lie beyond the page's end lies at its beginning.
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

/// So many sectors of a page from one on, at least one, those beyond its end at its beginning.
#[inline]
fn wrapped_mask(per_page: u32, offset: u32, length: u32) -> u64 {
    let end = offset + length;
    if end <= per_page {
        return sectors_from(offset, length);
    }
    sector_mask(offset, per_page) | sector_mask(0, end - per_page)
}

/// A set of sectors, cut as above, as MQSim has it: those beyond the page's end are bits beyond it, and all 64 are none, since a
/// number of 64 bits shifted by as many is the same number.
#[cold]
fn shifted(per_page: u32, cut: u32, sectors: u64) -> u64 {
    let whole = sector_mask(0, per_page);
    if sectors == whole {
        // A piece as long as a page begins where one of the device does.
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

/// So many sectors of a page from one on, at least one, of which none lies beyond its end.
#[inline]
const fn sectors_from(offset: u32, length: u32) -> u64 {
    (u64::MAX >> (u64::BITS - length)) << offset
}

/// One bit for each sector from `from` up to, but not including, `to`; at most 64.
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
        // A flow that begins at the fourth sector of a page: its twelfth begins a page of the device.
        assert_eq!(pieces(4, 12, 16), [(0, 0xffff)], "a whole page of the device");
        assert_eq!(pieces(4, 0, 16), [(0, 0x0fff), (0, 0xf000)], "a whole page of the flow");
        assert_eq!(pieces(4, 4, 24), [(0, 0x0ff0), (0, 0xffff)], "the first two pieces lie on one page");
    }

    #[test]
    fn shifted_sets_go_beyond_a_page_and_lose_what_64_bits_cannot_hold() {
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
