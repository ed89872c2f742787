//! Outcome of reading a page.

use super::CorrectionResult;

/// Outcome of reading a page. It does not depend on the page's data.
#[derive(Clone, Debug)]
pub(super) struct PageReadOutcome {
    pub(super) fate: CorrectionResult,
    /// Sub-pages with errors that the decoder did not detect, and the positions of these errors.
    pub(super) left: Vec<(usize, Vec<u16>)>,
}

#[cfg(test)]
impl PageReadOutcome {
    /// Returns an outcome without undetected errors.
    pub(super) fn of(fate: CorrectionResult) -> Self {
        Self { fate, left: Vec::new() }
    }
}
