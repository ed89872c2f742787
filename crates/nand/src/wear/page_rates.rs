//! Raw bit error rates of the page types of multi-level cells, and of pages in SLC mode.
//!
//! # What it models
//! The pages of a word line are distinguished by different numbers of read voltages, so their raw bit error
//! rates differ: by type (lower, middle, upper, top page), the rate of the [`WearModel`] is multiplied by a
//! factor. Pages of a block in SLC mode have a factor of their own.
//!
//! # What is left out
//! Separate constants of wear, retention and read disturb for each type; differences between word lines.
//!
//! # Source
//! Cai et al., "Error characterization, mitigation, and recovery in flash-memory-based solid-state
//! drives", Proceedings of the IEEE 2017: the pages of a word line have different error rates. The
//! factors are properties of a chip model; the defaults do not distinguish types.
//!
//! # Parameters
//! `flash.wear.page_type_factors`, `flash.wear.slc_factor`

use venice_params::{Conflict, ParameterKind, declare, number};

use crate::chip::PageTypeOrder;

use super::{HIGHEST_RATE, PageWear, WearModel};

declare! {
    /// Raw bit error rate of flash pages, used for read errors and by drives that search in flash: floor +
    /// cycling · PE^a + retention · PE^b · days^c + disturb · PE^d · reads^e, times a factor by page type.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PageErrorModel in "flash.wear." {
        with cells: WearModel;
        /// Raw bit error rate of a page relative to that of the wear model, by page type.
        ///
        /// One value for every page, or a list by page type, least significant bit first: lower and upper page
        /// (MLC), lower, middle and upper page (TLC), or lower, middle, upper and top page (QLC).
        /// A list is as long as that of `flash.t_read_us`, if that has several values, or has `ftl.slc_bits_per_cell`
        /// values on a drive with a pSLC cache. `flash.page_type_order` defines the types of the pages of a block.
        type_factors as page_type_factors: Vec<f64> = ParameterKind::Numbers { min: 0.0, max: 1000.0, max_len: 4 }, unit "", default "1",
            source "ours: equal rates; Cai et al., Proceedings of the IEEE 2017: rates differ by page type";
        /// Raw bit error rate of a page in SLC mode (one bit per cell) relative to that of the wear model.
        slc_factor: f64 = number(0.0, 1000.0), unit "", default "1", source "ours: equal rates";
    }
}

impl PageErrorModel {
    /// Returns the raw bit error rate of a page, 0 … 0.5, given the factor of its type.
    pub fn rate(&self, wear: PageWear, factor: f64) -> f64 {
        (self.cells.raw_bit_error_rate(wear) * factor).min(HIGHEST_RATE)
    }

    /// Returns the factor of `pages` consecutive pages from `offset` of a block: the mean of the factors of
    /// their types.
    pub fn factor(&self, order: PageTypeOrder, offset: u32, pages: u32) -> f64 {
        let types = self.type_factors.len();
        let sum: f64 =
            (offset..offset + pages).map(|page| self.type_factors[order.page_type(page, types)]).sum();
        sum / f64::from(pages)
    }

    /// Returns a conflict if there are several factors, but not one for each page type. The number of page
    /// types is `reads`, the number of array read times, if that is above one. Otherwise it is
    /// `slc_bits_per_cell`, the bits per cell of a drive with a pSLC cache. For other drives it is unknown,
    /// and there is no conflict.
    pub fn conflict(&self, reads: usize, slc_bits_per_cell: Option<u32>) -> Option<Conflict> {
        let factors = self.type_factors.len();
        let (types, origin) = match (reads, slc_bits_per_cell) {
            (2.., _) => (reads, format!("`t_read_us` has {reads}")),
            (_, Some(bits)) => (bits as usize, format!("`ftl.slc_bits_per_cell` is {bits}")),
            (_, None) => return None,
        };
        if factors == 1 || factors == types {
            return None;
        }
        let message = format!("`page_type_factors` has {factors} page types, but {origin}");
        let note = format!("expected: {types} numbers, one per page type, or a single number");
        let keys = &["flash.wear.page_type_factors", "flash.t_read_us", "ftl.slc_bits_per_cell"];
        Some(Conflict { keys, message, note: Some(note) })
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the expected values are exact")]
mod tests {
    use super::*;

    fn model(type_factors: &[f64]) -> PageErrorModel {
        PageErrorModel { type_factors: type_factors.to_vec(), ..PageErrorModel::default() }
    }

    #[test]
    fn pages_have_the_factors_of_their_types() {
        let tlc = model(&[0.5, 1.0, 2.0]);
        let of = |order, offset| tlc.factor(order, offset, 1);
        assert_eq!([0, 1, 2, 3].map(|offset| of(PageTypeOrder::Cyclic, offset)), [0.5, 1.0, 2.0, 0.5]);
        assert_eq!([5, 6, 12, 14].map(|offset| of(PageTypeOrder::Mqsim, offset)), [0.5, 1.0, 2.0, 0.5]);
        assert_eq!(model(&[3.0]).factor(PageTypeOrder::Cyclic, 2, 1), 3.0);
    }

    #[test]
    fn several_pages_have_the_mean_factor() {
        let qlc = model(&[0.5, 1.0, 1.5, 3.0]);
        assert_eq!(qlc.factor(PageTypeOrder::Cyclic, 0, 4), 1.5);
        assert_eq!(qlc.factor(PageTypeOrder::Cyclic, 2, 2), 2.25);
    }

    #[test]
    fn rate_is_that_of_the_cells_times_the_factor_and_at_most_one_half() {
        let wear = PageWear { program_erase_cycles: 1_000.0, retention_days: 90.0, reads: 0.0 };
        let (model, cells) = (model(&[1.0]), WearModel::default().raw_bit_error_rate(wear));
        assert_eq!([0.0, 1.0, 4.0].map(|factor| model.rate(wear, factor)), [0.0, cells, 4.0 * cells]);
        assert_eq!(model.rate(wear, 1e3), HIGHEST_RATE);
    }

    #[test]
    fn factors_are_as_many_as_page_types() {
        let conflict = |factors, reads, bits| {
            model(&[1.0; 4][..factors]).conflict(reads, bits).map(|conflict| conflict.note)
        };
        for (factors, reads, bits) in
            [(1, 3, None), (1, 1, Some(3)), (3, 3, None), (3, 1, Some(3)), (2, 1, None)]
        {
            assert_eq!(conflict(factors, reads, bits), None, "{factors}, {reads}, {bits:?}");
        }
        for (factors, reads, bits, types) in [(2, 3, None, 3), (3, 1, Some(4), 4), (4, 3, Some(4), 3)] {
            let note = conflict(factors, reads, bits).flatten().unwrap_or_default();
            assert!(
                note.starts_with(&format!("expected: {types} numbers")),
                "{factors}, {reads}, {bits:?}: {note}"
            );
        }
    }
}
