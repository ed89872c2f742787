//! Page types: the bit of a multi-level cell that a page stores (least significant, central, most
//! significant).

use venice_params::choices;

/// Order of page types within a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageTypeOrder {
    /// Consecutive pages have consecutive types.
    Cyclic,
    /// MQSim's order. With three page types, a type applies to two pages in succession; otherwise the order
    /// is cyclic.
    Mqsim,
}

choices! {
    PageTypeOrder, "order of page types": "cyclic" => Cyclic, "mqsim" => Mqsim;
}

/// Irregular start of a block in MQSim's order with three types. The first value is the number of least
/// significant pages at the start, the second the offset of the first page in the regular order.
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
