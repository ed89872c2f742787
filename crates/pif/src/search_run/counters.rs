//! Counters of a search.

use venice_kernel::SimSpan;

/// Counters of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCounters {
    /// Page reads of the flash array, including repeated reads with shifted thresholds.
    pub senses: u64,
    /// Pages that chips decoded and matched.
    pub matched_in_chips: u64,
    /// Pages transferred over the fabric.
    pub pages_sent: u64,
    /// Bytes transferred over the fabric: pages, answers, and page heads (first bytes of pages).
    pub fabric_bytes: u64,
    /// Bytes transferred over the host link.
    pub link_bytes: u64,
    /// Data bytes decoded or matched by the controller. A byte counts once for each pass.
    pub controller_bytes: u64,
    /// Data bytes that the accelerators read from the drive's memory.
    pub loaded_bytes: u64,
    /// Transfers of matcher tables to chips.
    pub tables_filled: u64,
    /// Total busy time of the controller's accelerators.
    pub accelerators_busy: SimSpan,
    /// Total busy time of the chips' matchers.
    pub matcher_busy: SimSpan,
    /// Time for which the host was busy with the search.
    pub host_busy: SimSpan,
}

impl SearchCounters {
    /// Returns the number of bytes that are written to and read from the drive's memory. Each page from the
    /// fabric is written once. It is read once if an accelerator processes it, and once if it is sent to the
    /// host.
    pub(super) const fn memory_bytes(&self, page_bytes: u32) -> u64 {
        self.pages_sent * page_bytes as u64 + self.loaded_bytes + self.link_bytes
    }
}
