//! Page types (least significant, central, most significant): the bit of its cells that a page stores, by
//! page offset.
//!
//! # What it models
//! A cell of n bits stores one bit of each of n pages. These page types have different read and program
//! times, from the least to the most significant bit.
//!
//! # How
//! Cyclic: the pages of a block cycle through the types, one page of each type per word line. MQSim's order
//! for three bits: six least significant pages, two central ones, then two pages of each type in turn from
//! the ninth page. For two bits MQSim's pages alternate, for one bit all are equal.
//!
//! # What is left out
//! Program orders that differ from the page order; edge word lines that store fewer bits.
//!
//! # Source
//! Yaakobi et al., "Characterization and error-correcting codes for TLC flash memories", ICNC 2012, as
//! interpreted by MQSim (Tavakkol et al., FAST 2018, `Flash_Chip.h`).
//!
//! # Parameters
//! `flash.page_type_order`

use venice_params::choices;

/// Order of page types within a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageTypeOrder {
    /// Consecutive pages have consecutive types.
    Cyclic,
    /// MQSim's order: with three types, pairs of pages have consecutive types; otherwise cyclic.
    Mqsim,
}

choices! {
    PageTypeOrder, "order of page types": "cyclic" => Cyclic, "mqsim" => Mqsim;
}

/// Number of least significant pages at the start of a block, and page offset at which the regular order
/// starts.
const FIRST: (u32, u32) = (6, 8);

impl PageTypeOrder {
    /// Returns the type of the page at `offset` in its block, given the number of types.
    #[inline]
    pub const fn page_type(self, offset: u32, types: usize) -> usize {
        match (self, types) {
            (_, 1) => 0,
            (Self::Mqsim, 3) => three_bits(offset),
            _ => offset as usize % types,
        }
    }
}

const fn three_bits(offset: u32) -> usize {
    let (least, regular) = FIRST;
    if offset < least {
        0
    } else if offset < regular {
        1
    } else {
        ((offset - regular) / 2 % 3) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(order: PageTypeOrder, types: usize) -> Vec<usize> {
        (0..18).map(|offset| order.page_type(offset, types)).collect()
    }

    #[test]
    fn pages_of_a_cyclic_block_take_turns() {
        assert_eq!(types(PageTypeOrder::Cyclic, 1), [0; 18]);
        assert_eq!(types(PageTypeOrder::Cyclic, 3), [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
        assert_eq!(types(PageTypeOrder::Cyclic, 4), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
    }

    #[test]
    fn three_bits_come_in_pairs_from_the_ninth_page_on_and_fewer_as_in_a_cyclic_block() {
        let three = [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1];
        assert_eq!(types(PageTypeOrder::Mqsim, 3), three);
        for fewer in [1, 2] {
            assert_eq!(types(PageTypeOrder::Mqsim, fewer), types(PageTypeOrder::Cyclic, fewer));
        }
    }
}
