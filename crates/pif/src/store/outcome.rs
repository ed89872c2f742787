//! Outcome of reading a page.

use super::CorrectionResult;

/// Outcome of reading a page, which does not depend on its data.
#[derive(Clone, Debug)]
pub(super) struct PageReadOutcome {
    pub(super) fate: CorrectionResult,
    /// Sub-pages with undetected errors, and the positions of these errors.
    pub(super) left: Vec<(usize, Vec<u16>)>,
}

#[cfg(test)]
impl PageReadOutcome {
    /// Returns an outcome without undetected errors.
    pub(super) fn of(fate: CorrectionResult) -> Self {
        Self { fate, left: Vec::new() }
    }
}
