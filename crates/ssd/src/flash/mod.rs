//! Flash chips, their dies and planes.

mod settings;

pub use settings::{ArrayTimes, CommandTimes, FlashSettings};
