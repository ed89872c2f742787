//! Who asks for pages.

use crate::geometry::{Priority, RequestId};

/// A request of the host, and the class of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Initiator {
    /// The request.
    pub id: RequestId,
    /// The class.
    pub priority: Priority,
}
