//! Links of an intrusive list.

use crate::geometry::TransactionId;

/// Links of a transaction to its neighbours in a list. Only [`List`](super::List) modifies them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListLinks {
    pub(super) prev: Option<TransactionId>,
    pub(super) next: Option<TransactionId>,
}
