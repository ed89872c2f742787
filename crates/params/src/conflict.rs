//! Inconsistent combinations of valid values.

/// Two or more individually valid values that are inconsistent.
#[derive(Debug)]
pub struct Conflict {
    /// Keys of the inconsistent values; messages show the place of the latest.
    pub keys: &'static [&'static str],
    /// Message with the values.
    pub message: String,
    /// Remedy.
    pub note: Option<String>,
}
