//! Programs and erases that give way to others, and go on later.
//!
//! # What it models
//! A die whose array programs or erases is told to suspend; the array needs a while to come to rest
//! (tPSPD, tESPD), serves other commands, is told to resume, needs a while to get going, and does
//! what was left. Nothing of the work done is lost.
//!
//! # How
//! A suspension is worth it while at least as much array time is left as the settings demand. One
//! operation is suspended a bounded number of times, and a suspension lets a bounded number of commands
//! pass: so every operation ends, however many reads keep coming. A suspended die does not suspend again.
//!
//! # What is left out
//! Work lost by suspending (the erase pulse in progress, begun again); a shortest time between resume
//! and the next suspension, besides the array's time to get going.
//!
//! # Source
//! Wu, He, "Reducing SSD read latency via NAND flash program and erase suspension", FAST 2012; the times
//! of preference are those of MQSim (Tavakkol et al., FAST 2018), which has the mechanism and never uses it.
//!
//! # Parameters
//! `flash.suspend.*`

use venice_kernel::SimSpan;

use super::Operation;

/// How one kind of operation gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Yielding {
    /// How long the array takes to come to rest: tESPD, tPSPD.
    pub suspend: SimSpan,
    /// Array time that must be left for a read to be worth it.
    pub for_read: SimSpan,
    /// The same for a write; without one, writes wait.
    pub for_write: Option<SimSpan>,
}

impl Yielding {
    /// Whether what waits is worth suspending an operation with so much array time left.
    #[inline]
    pub fn is_worth(&self, waiting: Operation, left: SimSpan) -> bool {
        self.least(waiting).is_some_and(|least| left >= least)
    }

    /// Whether anything could be worth it.
    #[inline]
    pub fn is_worth_anything(&self, left: SimSpan) -> bool {
        left >= self.for_write.map_or(self.for_read, |write| write.min(self.for_read))
    }

    /// Whether a suspended operation lets this pass.
    #[inline]
    pub const fn lets_pass(&self, waiting: Operation) -> bool {
        self.least(waiting).is_some()
    }

    const fn least(&self, waiting: Operation) -> Option<SimSpan> {
        match waiting {
            Operation::Read => Some(self.for_read),
            Operation::Program => self.for_write,
            Operation::Erase | Operation::Copyback | Operation::Combine => None,
        }
    }
}

/// Which operations give way, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspension {
    /// How erases do, if they do.
    pub erase: Option<Yielding>,
    /// How programs do.
    pub program: Option<Yielding>,
    /// How long the array takes to get going again.
    pub resume: SimSpan,
    /// How often one operation may be suspended.
    pub most_times: u32,
    /// How many commands of a die one suspension lets pass.
    pub most_commands: u32,
}

impl Suspension {
    /// How an operation gives way, if it does.
    #[inline]
    pub const fn of(&self, operation: Operation) -> Option<&Yielding> {
        match operation {
            Operation::Program => self.program.as_ref(),
            Operation::Erase => self.erase.as_ref(),
            Operation::Read | Operation::Copyback | Operation::Combine => None,
        }
    }
}
