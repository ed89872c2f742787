//! What a user needs to know of a format.

/// What a user needs to know of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatInfo {
    /// The name that `--format` takes.
    pub name: &'static str,
    /// What a line looks like.
    pub columns: &'static str,
}
