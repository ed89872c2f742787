//! Contract checks of victim policies, for any implementation, built-in or external.
//!
//! # How
//! The function [`victim::check`] draws inputs from seeds, builds a new instance for each, and panics with a
//! description of the violation. The tests of the catalogue call the individual checks with inputs of their
//! own.

#![allow(clippy::missing_panics_doc, reason = "a check fails by panicking")]

pub mod victim;
