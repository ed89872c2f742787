//! Sources over other sources: they change what another source gives, whatever that source is.
//!
//! Each keeps the contract of [`super::request`] and passes on what it does not change.

mod folded;
mod limited;
mod moved;
mod rate_scaled;

pub use folded::Folded;
pub use limited::Limited;
pub use moved::Moved;
pub use rate_scaled::{RateScale, RateScaled};
