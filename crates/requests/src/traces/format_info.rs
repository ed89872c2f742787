//! What a user needs to know of a format.

use std::fmt;

/// What a user needs to know of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatInfo {
    /// The name that `--format` takes.
    pub name: &'static str,
    /// What a line looks like.
    pub columns: &'static str,
}

/// Writes a line of a list of formats.
impl fmt::Display for FormatInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {:<14}  {}", self.name, self.columns)
    }
}

/// Lists formats, one to a line.
pub(super) fn listed(formats: impl Iterator<Item = FormatInfo>) -> String {
    formats.map(|format| format.to_string()).collect::<Vec<_>>().join("\n")
}
