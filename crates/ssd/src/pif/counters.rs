//! What a search did, counted.

use venice_kernel::SimSpan;

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCounters {
    /// Pages sensed, those with moved thresholds included.
    pub senses: u64,
    /// Pages that a chip decoded and matched.
    pub matched_in_chips: u64,
    /// Pages that crossed the fabric.
    pub pages_sent: u64,
    /// Bytes that crossed the fabric: pages, answers and heads.
    pub fabric_bytes: u64,
    /// Bytes that crossed the host link.
    pub link_bytes: u64,
    /// Data bytes that the controller decoded or matched, as often as it did.
    pub controller_bytes: u64,
    /// Data bytes that its accelerators read from the drive's memory.
    pub loaded_bytes: u64,
    /// Chips' tables that were filled.
    pub tables_filled: u64,
    /// Time for which the controller's accelerators worked.
    pub accelerators_busy: SimSpan,
    /// Time for which chips' matchers worked.
    pub matcher_busy: SimSpan,
    /// Time for which the host searched.
    pub host_busy: SimSpan,
}

impl SearchCounters {
    /// Bytes to and from the drive's memory: each page that crossed the fabric is written, and read by who needs it.
    pub(super) const fn memory_bytes(&self, page_bytes: u32) -> u64 {
        self.pages_sent * page_bytes as u64 + self.loaded_bytes + self.link_bytes
    }
}
