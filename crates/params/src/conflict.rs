//! Conflicts: combinations of valid values that are inconsistent.

/// Two or more values that are valid individually but inconsistent together.
#[derive(Debug)]
pub struct Conflict {
    /// Keys of the inconsistent values. The message points at the key that occurs last in the file.
    pub keys: &'static [&'static str],
    /// Message that states the inconsistent values.
    pub message: String,
    /// Remedy, if one can be stated.
    pub note: Option<String>,
}
