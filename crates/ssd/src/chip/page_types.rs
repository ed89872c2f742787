//! Which of a cell's bits a page holds, by its place in the block.
//!
//! # What it models
//! A cell of n bits holds a bit of n pages, and these differ in how long they take to read and program:
//! the least significant first, the most significant last.
//!
//! # How
//! Cyclic: the pages of a block take turns through the types, a page of each for every word line. Pairs: the
//! order that MQSim assumes for three bits: six least significant pages, two central ones, and from the
//! ninth page on two pages of each type in turn. For two bits MQSim's pages alternate, for one all are alike.
//!
//! # What is left out
//! Orders of program that differ from the order of pages; edge word lines that hold fewer bits.
//!
//! # Source
//! Yaakobi et al., "Characterization and error-correcting codes for TLC flash memories", ICNC 2012, as MQSim
//! (Tavakkol et al., FAST 2018, `Flash_Chip.h`) reads it.
//!
//! # Parameters
//! `flash.page_type_order`

use crate::parameters::choices;

/// In which order the pages of a block have the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageTypeOrder {
    /// Page by page through the types.
    Cyclic,
    /// As MQSim has it: of three types, two pages of each at a time; otherwise cyclic.
    Mqsim,
}

choices! {
    PageTypeOrder, "order of page types": "cyclic" => Cyclic, "mqsim" => Mqsim;
}

/// Pages at the start of a block that are all least significant, and where the regular order begins.
const FIRST: (u32, u32) = (6, 8);

impl PageTypeOrder {
    /// The type of the page at this offset of its block, of so many types.
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
