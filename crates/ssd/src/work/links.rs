//! The links of a list, which its members carry.

use crate::geometry::TransactionId;

/// The neighbours of a transaction in the list in which it waits, which alone changes them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Links {
    pub(super) prev: Option<TransactionId>,
    pub(super) next: Option<TransactionId>,
}
