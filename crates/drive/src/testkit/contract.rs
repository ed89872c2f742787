//! Contract checks of victim policies, for built-in and external implementations.
//!
//! # How
//!
//! The function [`victim::check`] draws inputs from seeds, creates a new policy for each, and panics with a
//! description of the violation. The tests of the catalogue call the individual checks with their own inputs.

#![allow(clippy::missing_panics_doc, reason = "a check fails by panicking")]

pub mod victim;
