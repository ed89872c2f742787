//! What stands between the columns of a line.

use super::super::fields::{blank_field, separated_field};

/// A separator of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// One byte, also twice in a row: the column between is empty.
    Byte(u8),
    /// Any run of blanks and tabs.
    Blanks,
}

impl Separator {
    /// Returns the first of those there are that a description, or a line, contains.
    pub(super) fn of(text: &[u8]) -> Self {
        let byte = [b',', b';', b'|', b'\t'].into_iter().find(|byte| text.contains(byte));
        byte.map_or(Self::Blanks, Self::Byte)
    }

    /// Returns the separator between the words of a description.
    pub(super) fn text(self) -> String {
        let Self::Byte(byte) = self else { return " ".to_owned() };
        char::from(byte).to_string()
    }

    /// Returns all columns of a line.
    pub(super) fn fields(self, line: &[u8]) -> Vec<&[u8]> {
        let mut rest = line;
        let field = || (!rest.is_empty()).then(|| self.field(&mut rest));
        std::iter::from_fn(field).collect()
    }

    /// Returns the words of a description.
    pub(super) fn words(self, text: &str) -> Vec<&str> {
        match self {
            Self::Byte(byte) => text.split(char::from(byte)).map(str::trim).collect(),
            Self::Blanks => text.split_whitespace().collect(),
        }
    }

    /// Takes the next column off the front.
    #[inline]
    pub(super) fn field<'a>(self, rest: &mut &'a [u8]) -> &'a [u8] {
        match self {
            Self::Byte(separator) => separated_field(rest, separator),
            Self::Blanks => blank_field(rest),
        }
    }
}
