//! Program and erase suspension.
//!
//! # What it models
//! A die that programs or erases receives a suspend command. The array takes some time to stop (tPSPD,
//! tESPD). The die then executes other commands until it receives a resume command. The array takes some time
//! to restart and executes the remaining time of the operation. No work is lost.
//!
//! An array that works in pulses stops between two of them (inter-phase suspension): the current pulse ends
//! before the time to stop begins.
//!
//! # How
//! An operation is suspended only if its remaining array time is at least a configured minimum. The number of
//! suspensions of an operation and the number of commands during a suspension are limited, so every operation
//! ends under any load of reads. A die with a suspended operation does not suspend another one.
//!
//! # What is left out
//! Loss of progress by a suspension (a restarted erase pulse). A minimum time between a resume and the next
//! suspension, other than the restart time.
//!
//! # Source
//! Wu, He, "Reducing SSD read latency via NAND flash program and erase suspension", FAST 2012; the minimum
//! times follow MQSim (Tavakkol et al., FAST 2018), which implements suspension but never uses it.
//!
//! # Parameters
//! `flash.suspend.*`

use venice_kernel::SimSpan;
use venice_params::{LONGEST_US, ParameterKind, choices, declare, number, one_of, whole};

use super::Operation;

/// Operations that can be suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspendableOperations {
    /// No operation can be suspended.
    None,
    /// Only erases can be suspended.
    Erase,
    /// Only programs can be suspended.
    Program,
    /// Erases and programs can be suspended.
    Both,
}

choices! {
    SuspendableOperations, "set of suspendable operations":
        "none" => None, "erase" => Erase, "program" => Program, "both" => Both;
}

declare! {
    /// Suspension of programs and erases for other commands.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SuspendParameters in "flash.suspend." {
        /// Operations that can be suspended.
        ///
        /// `none`, `erase`, `program`, or `both`. An operation is suspended when the die's next command
        /// is a read for a host request or a mapping look-up.
        operations: SuspendableOperations = one_of::<SuspendableOperations>(), unit "", default "none",
            source "Wu, He, FAST 2012; MQSim, CMD_Suspension_Support, which has no effect there";
        /// Time to stop an erase (tESPD).
        t_espd as t_espd_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "20", source "assumed: 2 % of an erase of 1 ms";
        /// Time to stop a program (tPSPD).
        t_pspd as t_pspd_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "5", source "assumed: 5 % of a program of 100 µs";
        /// Number of equal pulses of an erase, between which it can be suspended.
        ///
        /// The current pulse ends before the array stops, and an erase in its last pulse is not suspended. 0: the
        /// array stops at any time.
        erase_pulses: u32 = whole(0, 1_000), unit "pulses", default "0",
            source "ours: stops at any time; Wu, He, FAST 2012, inter-phase suspension";
        /// Number of equal pulses of a program, between which it can be suspended; 0: the array stops at
        /// any time.
        program_pulses: u32 = whole(0, 1_000), unit "pulses", default "0",
            source "ours: stops at any time; Wu, He, FAST 2012, inter-phase suspension";
        /// Time to resume a suspended operation.
        t_resume as t_resume_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "5", source "assumed: equal to the suspension time of a program";
        /// Minimum array time of an erase that must remain after its current pulse for a suspension in favour
        /// of a read.
        erase_for_read as erase_for_read_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "25",
            source "MQSim, Preferred_suspend_erase_time_for_read; 25 is ours: what a suspension costs";
        /// Minimum array time of an erase that must remain after its current pulse for a suspension in favour
        /// of a write, with `erase_for_writes`.
        erase_for_write as erase_for_write_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "25",
            source "MQSim, Preferred_suspend_erase_time_for_write; 25 is ours: what a suspension costs";
        /// Minimum array time of a program that must remain after its current pulse for a suspension in
        /// favour of a read.
        program_for_read as program_for_read_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "10",
            source "MQSim, Preferred_suspend_write_time_for_read; 10 is ours: what a suspension costs";
        /// If true, erases are suspended for writes as well as for reads.
        erase_for_writes: bool = ParameterKind::Boolean, unit "", default "false",
            source "MQSim, TSU_OutOfOrder.cpp, where it has no effect";
        /// Maximum number of suspensions of one operation.
        ///
        /// Together with `max_commands`, it bounds the duration of an operation under any load of reads.
        max_times: u32 = whole(1, 65_535), unit "times", default "4", source "assumed";
        /// Maximum number of commands that a die executes during one suspension.
        ///
        /// The limit includes commands that arrive during the suspension.
        max_commands: u32 = whole(1, 65_535), unit "commands", default "16", source "assumed";
    }
}

impl SuspendParameters {
    /// Returns the suspension rules, or `None` if no operation can be suspended.
    pub fn suspension(&self) -> Option<Suspension> {
        let erase = SuspensionRule {
            suspend: self.t_espd,
            pulses: self.erase_pulses,
            for_read: self.erase_for_read,
            for_write: self.erase_for_writes.then_some(self.erase_for_write),
        };
        let program = SuspensionRule {
            suspend: self.t_pspd,
            pulses: self.program_pulses,
            for_read: self.program_for_read,
            for_write: None,
        };
        let (erase, program) = match self.operations {
            SuspendableOperations::None => return None,
            SuspendableOperations::Erase => (Some(erase), None),
            SuspendableOperations::Program => (None, Some(program)),
            SuspendableOperations::Both => (Some(erase), Some(program)),
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

/// Suspension rule for erases or for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuspensionRule {
    /// Time to stop the array (tESPD, tPSPD).
    pub suspend: SimSpan,
    /// Number of equal pulses of an operation, between which the array stops; 0 if it stops at any time.
    pub pulses: u32,
    /// Minimum remaining array time for a suspension in favour of a read.
    pub for_read: SimSpan,
    /// Minimum remaining array time for a suspension in favour of a write; `None` if writes wait.
    pub for_write: Option<SimSpan>,
}

impl SuspensionRule {
    /// Returns the remaining time of the current pulse of an operation that takes the array time `whole`, of
    /// which `left` remains.
    #[inline]
    pub fn rest_of_pulse(&self, whole: SimSpan, left: SimSpan) -> SimSpan {
        let pulse_ps = whole.as_ps().checked_div(u64::from(self.pulses)).unwrap_or(0);
        SimSpan::from_ps(left.as_ps().checked_rem(pulse_ps).unwrap_or(0))
    }

    /// True if an operation with the remaining array time `left` should be suspended in favour of the
    /// operation `waiting`.
    #[inline]
    pub fn is_worth(&self, waiting: Operation, left: SimSpan) -> bool {
        self.least(waiting).is_some_and(|least| left >= least)
    }

    /// True if an operation with the remaining array time `left` should be suspended for a read or for a
    /// write.
    #[inline]
    pub fn is_worth_anything(&self, left: SimSpan) -> bool {
        left >= self.for_write.map_or(self.for_read, |write| write.min(self.for_read))
    }

    /// True if the operation `waiting` may be executed during a suspension under this rule.
    #[inline]
    pub const fn lets_pass(&self, waiting: Operation) -> bool {
        self.least(waiting).is_some()
    }

    const fn least(&self, waiting: Operation) -> Option<SimSpan> {
        match waiting {
            Operation::Read => Some(self.for_read),
            Operation::Program => self.for_write,
            Operation::Erase | Operation::Copyback | Operation::Combine | Operation::Search => None,
        }
    }
}

/// Suspension rules of all operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspension {
    /// Rule of erases, if they can be suspended.
    pub erase: Option<SuspensionRule>,
    /// Rule of programs, if they can be suspended.
    pub program: Option<SuspensionRule>,
    /// Time to restart the array.
    pub resume: SimSpan,
    /// Maximum number of suspensions of one operation.
    pub most_times: u32,
    /// Maximum number of commands executed during one suspension.
    pub most_commands: u32,
}

impl Suspension {
    /// Returns the rule of an operation, if it can be suspended.
    #[inline]
    pub const fn of(&self, operation: Operation) -> Option<&SuspensionRule> {
        match operation {
            Operation::Program => self.program.as_ref(),
            Operation::Erase => self.erase.as_ref(),
            Operation::Read | Operation::Copyback | Operation::Combine | Operation::Search => None,
        }
    }
}
