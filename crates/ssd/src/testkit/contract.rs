//! The contracts of three seams as checks of any member, of a catalogue or from outside.
//!
//! # How
//! `check` of each module draws what it offers from seeds, builds a member for it anew, and panics with what was broken. The tests of the
//! catalogues call the single rules with cases of their own.

#![allow(clippy::missing_panics_doc, reason = "a check fails by panicking")]

pub mod fabric;
pub mod host_scheduler;
pub mod victim;
