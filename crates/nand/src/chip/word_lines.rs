//! Word lines: the cells that store several pages of a block, and bitwise operations on the bits of a cell.
//!
//! # What it models
//! The cells of a word line store one page of each type. The states of a cell are in the order of a
//! reflected Gray code whose first state, the erased one, has ones only: 11, 10, 00, 01 for two bits. A read
//! voltage distinguishes the states below it from those above it. Sensing a function of a cell's bits needs
//! one read voltage for each pair of neighbouring states with different values of the function. A page of
//! type *i* needs 2^*i* voltages.
//!
//! # What is left out
//! Codes with balanced numbers of voltages (2-3-2 for three bits).
//!
//! # Source
//! Gao et al., "`ParaBit`", MICRO 2021: with two bits, AND is 1 in the first state only, OR is 0 in the third
//! only. Its order of control signals may take more steps; this was not compared.

use venice_params::choices;

use super::PageTypeOrder;

/// Bitwise operation on pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitOperation {
    /// A bit of the result is 1 if all operands have a 1.
    And,
    /// A bit of the result is 1 if at least one operand has a 1.
    Or,
    /// A bit of the result is 1 if an odd number of operands have a 1.
    Xor,
}

choices! {
    BitOperation, "bitwise operation": "and" => And, "or" => Or, "xor" => Xor;
}

/// Arrangement of the pages of a block on word lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordLines {
    /// Order of page types within a block.
    pub order: PageTypeOrder,
    /// Number of page types, that is, of bits per cell.
    pub types: u32,
}

impl WordLines {
    /// Returns the type of the page at `offset` in its block.
    pub const fn page_type(self, offset: u32) -> u32 {
        self.order.page_type(offset, self.types as usize) as u32
    }

    /// Returns the number of the word line that stores the page at `offset` in its block. The n-th page of
    /// each type is stored on the n-th word line.
    pub fn word_line(self, offset: u32) -> u32 {
        let page_type = self.page_type(offset);
        match self.order {
            PageTypeOrder::Mqsim if self.types == 3 => {
                (0..offset).filter(|&before| self.page_type(before) == page_type).count() as u32
            }
            _ => offset / self.types,
        }
    }

    /// Returns the number of read voltages of a page of type `page_type`.
    pub const fn voltages_of(self, page_type: usize) -> u32 {
        1 << page_type
    }

    /// Returns the number of read voltages that sense `operation` on the pages of one word line whose types
    /// are set in the bit mask `types`.
    pub fn voltages(self, types: u32, operation: BitOperation) -> u32 {
        let result = |state: u32| {
            let bits = self.bits(state) & types;
            match operation {
                BitOperation::And => bits == types,
                BitOperation::Or => bits != 0,
                BitOperation::Xor => bits.count_ones() % 2 == 1,
            }
        };
        (1..1 << self.types).filter(|&state| result(state) != result(state - 1)).count() as u32
    }

    /// Returns the bits of a cell in `state`; bit *i* belongs to the page of type *i*.
    const fn bits(self, state: u32) -> u32 {
        let gray = state ^ (state >> 1);
        let by_type = gray.reverse_bits() >> (u32::BITS - self.types);
        !by_type & ((1 << self.types) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cyclic(types: u32) -> WordLines {
        WordLines { order: PageTypeOrder::Cyclic, types }
    }

    #[test]
    fn two_bits_are_coded_as_in_parabit() {
        let states = [0, 1, 2, 3].map(|state| cyclic(2).bits(state));
        // LSB and MSB, the least significant bit being bit 0 of the value: 11, 10, 00, 01.
        assert_eq!(states, [0b11, 0b01, 0b00, 0b10]);
        let voltages = |operation| cyclic(2).voltages(0b11, operation);
        assert_eq!([BitOperation::And, BitOperation::Or, BitOperation::Xor].map(voltages), [1, 2, 3]);
    }

    #[test]
    fn single_page_needs_the_voltages_of_its_type_whatever_the_operation() {
        for types in 1..=4 {
            for page_type in 0..types {
                for operation in [BitOperation::And, BitOperation::Or, BitOperation::Xor] {
                    let found = cyclic(types).voltages(1 << page_type, operation);
                    assert_eq!(found, cyclic(types).voltages_of(page_type as usize));
                }
            }
        }
    }

    #[test]
    fn exclusive_or_of_all_bits_changes_at_every_state() {
        for types in 2..=4 {
            let all = (1 << types) - 1;
            assert_eq!(cyclic(types).voltages(all, BitOperation::Xor), all);
            assert_eq!(cyclic(types).voltages(all, BitOperation::And), 1);
            assert_eq!(cyclic(types).voltages(all, BitOperation::Or), 2);
        }
    }

    #[test]
    fn word_line_has_one_page_of_each_type() {
        for (order, types) in [
            (PageTypeOrder::Cyclic, 1),
            (PageTypeOrder::Cyclic, 3),
            (PageTypeOrder::Mqsim, 2),
            (PageTypeOrder::Mqsim, 3),
        ] {
            let lines = WordLines { order, types };
            let mut pages: Vec<_> =
                (0..96).map(|offset| (lines.word_line(offset), lines.page_type(offset))).collect();
            pages.sort_unstable();
            pages.dedup();
            assert_eq!(pages.len(), 96, "no two pages share a bit of a cell");
            let complete = (0..8).all(|line| (0..types).all(|bit| pages.contains(&(line, bit))));
            assert!(complete, "{order:?}, {types}");
        }
    }
}
