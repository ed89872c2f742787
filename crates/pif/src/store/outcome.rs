//! Outcome of reading a page.

use super::Fate;

/// Outcome of reading a page, independent of its data.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) fate: Fate,
    /// Sub-pages with undetected errors, and the positions of these errors.
    pub(super) left: Vec<(usize, Vec<u16>)>,
}

#[cfg(test)]
impl Outcome {
    /// Returns an outcome without undetected errors.
    pub(super) fn of(fate: Fate) -> Self {
        Self { fate, left: Vec::new() }
    }
}
