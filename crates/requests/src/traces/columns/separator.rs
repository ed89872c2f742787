//! Separators between the columns of a trace line.

use super::super::fields::{blank_field, separated_field};

/// Separator of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// Single byte. Two consecutive ones enclose an empty column.
    Byte(u8),
    /// Any sequence of blanks and tabs.
    Blanks,
}

impl Separator {
    /// Returns the separator of a description or line: the first of comma, semicolon, bar and tab that it
    /// contains, otherwise blanks.
    pub(super) fn of(text: &[u8]) -> Self {
        let byte = [b',', b';', b'|', b'\t'].into_iter().find(|byte| text.contains(byte));
        byte.map_or(Self::Blanks, Self::Byte)
    }

    /// Returns the separator as text, for a column description.
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

    /// Returns the words of a column description.
    pub(super) fn words(self, text: &str) -> Vec<&str> {
        match self {
            Self::Byte(byte) => text.split(char::from(byte)).map(str::trim).collect(),
            Self::Blanks => text.split_whitespace().collect(),
        }
    }

    /// Removes and returns the next column.
    #[inline]
    pub(super) fn field<'a>(self, rest: &mut &'a [u8]) -> &'a [u8] {
        match self {
            Self::Byte(separator) => separated_field(rest, separator),
            Self::Blanks => blank_field(rest),
        }
    }
}
