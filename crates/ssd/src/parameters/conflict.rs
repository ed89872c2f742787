//! What single values cannot show.

/// Two or more values that do not go together.
#[derive(Debug)]
pub(crate) struct Conflict {
    /// The keys whose values do not go together; the one said last is shown.
    pub(crate) keys: &'static [&'static str],
    /// What does not go together, with the numbers.
    pub(crate) message: String,
    /// What would do.
    pub(crate) note: Option<String>,
}
