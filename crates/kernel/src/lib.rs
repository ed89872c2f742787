//! Discrete-event engine, independent of the simulated system.
//!
//! # Contents
//!
//! - [`SimTime`] and [`SimSpan`]: integer picoseconds. 2^64 ps is about 213 days.
//! - [`Rate`]: a transfer rate as an exact rational number of picoseconds per byte.
//! - [`EventQueue`]: scheduled events, in a total order.
//! - [`Engine`]: event loop, which passes each event to an [`EventHandler`].
//! - [`TimeSeries`]: values of a quantity over the time of a run, in bounded memory.
//! - [`RandomStream`]: an independent random stream for each component, derived from (seed, name).
//! - [`mem`]: sparse tables, packed tables and slots, for state that is indexed by number.
//!
//! # Order of events
//!
//! The order is part of the specification:
//!
//! 1. Events are handled in the order of their instants.
//! 2. Events at the same instant are handled in the order in which they were scheduled.
//!
//! The order does not depend on hashes, pointers, threads or the host. Scheduling for the present instant is
//! allowed. Scheduling for the past is a bug in the caller and panics. If too many events occur at one
//! instant, the run ends with [`EngineError::EventStorm`].

mod counters;
mod engine;
mod key;
mod lanes;
pub mod mem;
mod queue;
mod random;
mod rate;
mod scheduled_event;
mod series;
mod sorted_queue;
mod time;

pub use engine::{Engine, EngineError, EventHandler, Progress};
pub use queue::EventQueue;
pub use random::RandomStream;
pub use rate::Rate;
pub use series::TimeSeries;
pub use time::{SimSpan, SimTime};
