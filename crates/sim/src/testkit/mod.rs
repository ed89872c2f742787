//! Drives for tests, and checks of their reports.
//!
//! Compiled only with the feature `testkit`.

pub mod drive;
pub mod shares;
