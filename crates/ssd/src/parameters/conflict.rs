//! Inconsistent combinations of valid values.

/// Two or more individually valid values that are inconsistent.
#[derive(Debug)]
pub(crate) struct Conflict {
    /// Keys of the inconsistent values; messages show the place of the latest.
    pub(crate) keys: &'static [&'static str],
    /// Message with the values.
    pub(crate) message: String,
    /// Remedy.
    pub(crate) note: Option<String>,
}
