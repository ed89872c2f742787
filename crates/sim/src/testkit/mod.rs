//! Drives for tests, and checks of their reports.

pub mod drive;
pub mod shares;
