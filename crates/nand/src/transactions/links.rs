//! Links of an intrusive list.

use crate::geometry::TransactionId;

/// Neighbours of a transaction in its list; modified by [`List`](super::List) only.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListLinks {
    pub(super) prev: Option<TransactionId>,
    pub(super) next: Option<TransactionId>,
}
