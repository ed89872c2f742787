//! Checks that built-in and user-defined victim policies obey their rules.
//!
//! # How
//!
//! The function [`victim::check`] generates inputs from seeds and creates a new policy for each. If the
//! policy violates a rule, it panics with a description. The tests of the built-in policies also call the
//! individual checks with other inputs.

#![allow(clippy::missing_panics_doc, reason = "a check fails by panicking")]

pub mod victim;
