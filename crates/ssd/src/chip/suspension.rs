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
use crate::parameters::{Kind, LONGEST_US, choices, declare, number, one_of, whole};

/// Which operations of a die may be suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspendable {
    /// None.
    None,
    /// Erases.
    Erase,
    /// Programs.
    Program,
    /// Erases and programs.
    Both,
}

choices! {
    Suspendable, "set of suspendable operations":
        "none" => None, "erase" => Erase, "program" => Program, "both" => Both;
}

declare! {
    /// Programs and erases that are suspended for others.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SuspendParameters in "flash.suspend." {
        /// Which operations of a die's array may be suspended.
        ///
        /// `none`, `erase`, `program`, or `both`. An operation is suspended for what the die would do next, if that is a
        /// read that the host or a look-up waits for.
        operations: Suspendable = one_of::<Suspendable>(), unit "", default "none",
            source "Wu, He, FAST 2012; MQSim, CMD_Suspension_Support, which has no effect there";
        /// Time for an erase to come to rest (tESPD).
        t_espd as t_espd_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "20", source "assumed: 2 % of an erase of 1 ms";
        /// Time for a program to come to rest (tPSPD).
        t_pspd as t_pspd_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "5", source "assumed: 5 % of a program of 100 µs";
        /// Time for either to get going again.
        t_resume as t_resume_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "5", source "assumed: as a program's coming to rest";
        /// Array time that must be left of an erase to suspend it for a read.
        erase_for_read as erase_for_read_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "25",
            source "MQSim, Preferred_suspend_erase_time_for_read; 25 is ours: what a suspension costs";
        /// Array time that must be left of an erase to suspend it for a write, with `erase_for_writes`.
        erase_for_write as erase_for_write_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "25",
            source "MQSim, Preferred_suspend_erase_time_for_write; 25 is ours: what a suspension costs";
        /// Array time that must be left of a program to suspend it for a read.
        program_for_read as program_for_read_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "10",
            source "MQSim, Preferred_suspend_write_time_for_read; 10 is ours: what a suspension costs";
        /// Whether erases are suspended for writes too.
        erase_for_writes: bool = Kind::Boolean, unit "", default "false",
            source "MQSim, TSU_OutOfOrder.cpp, where it has no effect";
        /// How often one operation may be suspended.
        ///
        /// Together with `max_commands`, so that it ends however many reads keep coming.
        max_times: u32 = whole(1, 65_535), unit "times", default "4", source "assumed";
        /// How many commands a die does during one suspension.
        ///
        /// Those that wait when an operation is suspended, and those that come meanwhile.
        max_commands: u32 = whole(1, 65_535), unit "commands", default "16", source "assumed";
    }
}

impl SuspendParameters {
    /// Which operations give way, and how; nothing if none does.
    pub fn suspension(&self) -> Option<Suspension> {
        let erase = Yielding {
            suspend: self.t_espd,
            for_read: self.erase_for_read,
            for_write: self.erase_for_writes.then_some(self.erase_for_write),
        };
        let program = Yielding { suspend: self.t_pspd, for_read: self.program_for_read, for_write: None };
        let (erase, program) = match self.operations {
            Suspendable::None => return None,
            Suspendable::Erase => (Some(erase), None),
            Suspendable::Program => (None, Some(program)),
            Suspendable::Both => (Some(erase), Some(program)),
        };
        Some(Suspension {
            erase,
            program,
            resume: self.t_resume,
            most_times: self.max_times,
            most_commands: self.max_commands,
        })
    }
}

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
