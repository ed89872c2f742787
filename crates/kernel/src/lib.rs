//! A discrete-event engine that knows nothing of what it simulates.
//!
//! # The four pieces
//!
//! - [`SimTime`] and [`SimSpan`]: integer picoseconds. 2^64 ps is about 213 days.
//! - [`Rate`]: an exact rational number of picoseconds per byte, rounded up once per transfer.
//! - [`EventQueue`]: the future, in a total order.
//! - [`Engine`]: takes the next event, hands it to a [`World`], and notices when time stands still.
//! - [`TimeSeries`]: a quantity over the time of a run, in bounded memory.
//! - [`RandomStream`]: one independent random stream per component, derived from (seed, name).
//!
//! # The order of events is a specification
//!
//! 1. Events leave in the order of their instants.
//! 2. Events of one instant leave in the order in which they were scheduled.
//!
//! Nothing else decides: no hash, pointer, thread or host. Scheduling for the present instant is
//! allowed; scheduling for the past is a bug of the caller and panics. A world that keeps
//! scheduling for the present instant is stopped by [`EngineError::TimeStandsStill`].

mod catalogue;
mod counters;
mod engine;
mod entry;
mod key;
mod lanes;
mod queue;
mod random;
mod rate;
mod series;
mod sorted;
mod time;

pub use engine::{Engine, EngineError, Progress, World};
pub use queue::EventQueue;
pub use random::RandomStream;
pub use rate::Rate;
pub use series::TimeSeries;
pub use time::{SimSpan, SimTime};
