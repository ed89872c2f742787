//! Flash chips, their dies and planes.
//!
//! # What it models
//! A die is idle, receiving a command, working in its array, or giving its data back, plane by
//! plane. Dies of a chip work independently but share the chip's pins: one transfer at a time.
//! Planes of a die work together in one multi-plane command of one kind. A program or erase may be suspended
//! for others. A page may be moved inside its plane without crossing the pins (copyback).
//!
//! # What is left out
//! Cache read (double buffering of the page register): but for a suspended one, a die holds one command at a
//! time, from its first cycle to its last byte.
//!
//! # Source
//! ONFI 4.2, chapters 3 (addressing, multi-plane) and 5 (commands); Tavakkol et al., "MQSim",
//! FAST 2018, §4.

mod die;
mod page_types;
mod settings;
mod suspension;

pub use die::{Chip, DataFor, Die, Operation, Phase};
pub use page_types::PageTypeOrder;
pub use settings::{ArrayTimes, CommandTimes, DieWork, FlashSettings};
pub use suspension::{Parked, Suspension, Yielding};
