//! Sources over other sources: they change what another source gives, whatever that source is.
//!
//! Each keeps the contract of [`super::request`] and passes on what it does not change.

mod filtered;
mod folded;
mod limited;
mod merged;
mod moved;
mod rate_scaled;
mod side_by_side;

pub use filtered::{Filtered, Keep};
pub use folded::{Folded, Folding};
pub use limited::Limited;
pub use merged::Merged;
pub use moved::Moved;
pub use rate_scaled::{RateScale, RateScaled};
pub use side_by_side::{Layout, SideBySide};
