//! Search patterns and their limits.

use thiserror::Error;
use venice_nand::functions::TABLE_PATTERNS;

/// Maximum number of patterns, equal to the number of bits of a partial match vector.
pub const MAX_PATTERNS: usize = TABLE_PATTERNS as usize;
/// Maximum length of a pattern in bytes.
pub const LONGEST_PATTERN: usize = 32;

/// Reason why the chip cannot search for a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    /// There are more than [`MAX_PATTERNS`] patterns.
    #[error("too many patterns; expected: at most {MAX_PATTERNS} per pass, and a second pass for the others")]
    TooMany,
    /// The pattern is empty and would match everywhere.
    #[error("pattern {} is empty; expected: 1 to {LONGEST_PATTERN} bytes", index + 1)]
    Empty {
        /// Index of the pattern, from 0.
        index: usize,
    },
    /// The pattern is longer than [`LONGEST_PATTERN`] bytes.
    #[error(
        "pattern {} has {length} bytes; expected: 1 to {LONGEST_PATTERN} bytes; search for a part of it, and check the matches",
        index + 1
    )]
    TooLong {
        /// Index of the pattern, from 0.
        index: usize,
        /// Length of the pattern in bytes.
        length: usize,
    },
    /// The case-insensitive patterns need more states than the matcher's table has entries.
    #[error(
        "these case-insensitive patterns need more states than the matcher's table has; expected: fewer patterns per search"
    )]
    TooManyStates,
}

/// Set of up to 8 patterns of 1 … 32 bytes. Duplicates are allowed.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PatternSet {
    patterns: Vec<Vec<u8>>,
    folds_case: bool,
}

impl PatternSet {
    /// Returns a case-sensitive set of `patterns`.
    ///
    /// # Errors
    /// [`PatternError`] for the first pattern that the chip cannot search for.
    pub fn new<P: AsRef<[u8]>>(patterns: impl IntoIterator<Item = P>) -> Result<Self, PatternError> {
        let mut set = Self::default();
        for pattern in patterns {
            set.set_pattern(pattern.as_ref())?;
        }
        Ok(set)
    }

    /// Returns the set with case-insensitive (`folds_case`) or case-sensitive matching of ASCII letters.
    #[must_use]
    pub fn folding_case(self, folds_case: bool) -> Self {
        Self { folds_case, ..self }
    }

    /// Returns true if ASCII letters match in either case.
    pub const fn folds_case(&self) -> bool {
        self.folds_case
    }

    /// Adds a pattern and returns its index, from 0.
    ///
    /// # Errors
    /// [`PatternError`]; the set is unchanged.
    pub fn set_pattern(&mut self, pattern: &[u8]) -> Result<usize, PatternError> {
        let index = self.patterns.len();
        match pattern.len() {
            _ if index == MAX_PATTERNS => Err(PatternError::TooMany),
            0 => Err(PatternError::Empty { index }),
            length if length > LONGEST_PATTERN => Err(PatternError::TooLong { index, length }),
            _ => {
                self.patterns.push(pattern.to_vec());
                Ok(index)
            }
        }
    }

    /// Returns the patterns in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.patterns.iter().map(Vec::as_slice)
    }

    /// Returns the two bytes that match a byte of a pattern. The first is the byte itself. The second is the
    /// other case of a letter if case is ignored, otherwise the byte again.
    pub(super) fn stands_for(&self, byte: u8) -> [u8; 2] {
        /// Bit in which the cases of an ASCII letter differ.
        const CASE: u8 = 0x20;
        [byte, if self.folds_case && byte.is_ascii_alphabetic() { byte ^ CASE } else { byte }]
    }

    /// Returns the number of patterns.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_values_are_accepted_and_others_reported() {
        let mut set = PatternSet::default();
        assert_eq!(set.set_pattern(b""), Err(PatternError::Empty { index: 0 }));
        assert_eq!(set.set_pattern(&[7; 33]), Err(PatternError::TooLong { index: 0, length: 33 }));
        for index in 0..8 {
            assert_eq!(set.set_pattern(&[0; 32]), Ok(index));
        }
        assert_eq!(set.set_pattern(b"x"), Err(PatternError::TooMany));
        assert_eq!((set.len(), set.is_empty()), (8, false));
    }

    #[test]
    fn messages_count_patterns_from_one() {
        let refused = |patterns: &[&str]| PatternSet::new(patterns).unwrap_err().to_string();
        assert_eq!(refused(&["a", ""]), "pattern 2 is empty; expected: 1 to 32 bytes");
        assert_eq!(
            refused(&["0123456789012345678901234567890123"]),
            "pattern 1 has 34 bytes; expected: 1 to 32 bytes; search for a part of it, and check the matches"
        );
        assert_eq!(
            refused(&["a"; 9]),
            "too many patterns; expected: at most 8 per pass, and a second pass for the others"
        );
    }
}
