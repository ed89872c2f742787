//! Latency breakdown: the stages of a request, and the clock that assigns every instant to one stage.

mod stages;

pub use stages::{STAGES, Stage, StageClock};
