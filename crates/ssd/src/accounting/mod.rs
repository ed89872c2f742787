//! Where time goes: the stages of a request and the clock that gives every instant to one of them.

mod stages;

pub use stages::{STAGES, Stage, StageClock};
