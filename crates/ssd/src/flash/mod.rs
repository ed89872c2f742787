//! Flash chips, their dies and planes.
//!
//! # What it models
//! A die is idle, receiving a command, working in its array, or giving its data back, plane by
//! plane. Dies of a chip work independently but share the chip's pins: one transfer at a time.
//! Planes of a die work together in one multi-plane command of one kind.
//!
//! # What is left out
//! Suspend and resume, cache read (double buffering of the page register), copyback: a die holds
//! one command at a time, from its first cycle to its last byte.
//!
//! # Source
//! ONFI 4.2, chapters 3 (addressing, multi-plane) and 5 (commands); Tavakkol et al., "MQSim",
//! FAST 2018, §4.

mod die;
mod settings;

pub use die::{Chip, Die, Operation, Phase};
pub use settings::{ArrayTimes, CommandTimes, DieWork, FlashSettings};
