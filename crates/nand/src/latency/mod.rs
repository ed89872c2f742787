//! Latency breakdown: stages of a request, and the clock that assigns each instant to one stage.

mod stages;

pub use stages::{STAGES, Stage, StageClock};
