//! Name and columns of a trace format.

use std::fmt;

/// Name and columns of a trace format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatInfo {
    /// Name of the format, as used with `--format`.
    pub name: &'static str,
    /// Description of the columns in a line.
    pub columns: &'static str,
}

/// Formats the format as one line of a list.
impl fmt::Display for FormatInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {:<14}  {}", self.name, self.columns)
    }
}

/// Returns a list of formats, which follows a line of an error message.
pub(super) fn listed(formats: impl Iterator<Item = FormatInfo>) -> String {
    formats.fold(String::new(), |list, format| list + "\n   " + &format.to_string())
}
