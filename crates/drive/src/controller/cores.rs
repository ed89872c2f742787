//! Processor cores of the drive's controller, which process each host command.
//!
//! # What it models
//! The cores are a queueing station between host interface and flash translation layer, with one queue and
//! `controller.cores` equal servers. A command that has arrived completely takes the core that is free first,
//! in order of arrival. It occupies the core for a cost per command plus a cost per mapping unit that it
//! covers. With constant costs and Poisson arrivals the station is an M/D/c queue.
//!
//! Two kinds of parameters separate latency from occupancy. `controller.hidden_pct` is the share of a cost
//! that falls after the command has left its core: it limits the rate, but delays only later commands. The
//! delays (`controller.read_delay_ns` …) model pipelined firmware and hardware: they add to the latency and
//! occupy no core.
//!
//! Reads of at most `controller.fast_read_bytes` have a separate cost and delay, since drives read a single
//! mapping unit on a path that bypasses most of the firmware. Writes of at most
//! `controller.short_write_bytes` have a separate cost, since a drive must read and merge the rest of a
//! mapping unit that a write covers in part.
//!
//! # How
//! The departure of a command can be computed when it arrives, since costs are known and commands are served
//! in order of arrival. No queue is stored, and a command causes one event.
//!
//! # What is left out
//! Garbage collection, wear levelling and destages of the data cache take no time of a core. The cost of a
//! completion is part of its command's cost. Priority classes have no effect on the order of service.
//!
//! # Source
//! `NVMeVirt` (Kim et al., FAST 2023) distinguishes the two paths of reads (`FW_4KB_READ_LATENCY`,
//! `FW_READ_LATENCY`). `SimpleSSD` 2.0 (Gouk et al., MICRO 2018) has cores that process commands one at a
//! time (`cpu/cpu.cc`).
//!
//! # Parameters
//! `controller.*`

use std::ops::Sub;

use venice_kernel::{SimSpan, SimTime};
use venice_params::{declare, number, whole};
use venice_requests::{Op, SECTOR_BYTES};

use super::write_admission::{AdmissionCounters, AdmissionParameters, WriteAdmission};

/// Maximum number of cores.
const MOST_CORES: u64 = 256;

declare! {
    /// Processor cores of the controller, and the core times of commands.
    pub struct CoreParameters in "controller." {
        /// Number of processor cores of the controller.
        ///
        /// Every command of the host waits for a core, in order of arrival. 0: commands take no time in
        /// the controller, and the parameters of core times and delays have no effect.
        cores: u32 = whole(0, MOST_CORES), unit "cores", default "0", source "ours: MQSim has none";
        /// Time for which a read occupies a core; `read_unit_ns` is added for each mapping unit.
        read_command as read_command_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
        /// Additional time for which each mapping unit of a read occupies a core.
        read_unit as read_unit_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
        /// Additional latency of a read, during which it occupies no core, so that the request rate is
        /// not limited.
        read_delay as read_delay_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
        /// Maximum size of a read on the fast path, where `fast_read_command_ns` and `fast_read_delay_ns`
        /// replace the other read times; 0: no fast path.
        fast_read_bytes: u64 = whole(0, 1 << 30), unit "bytes", default "0",
            source "ours: no fast path; NVMeVirt (Kim et al., FAST 2023) has one of 4 KiB";
        /// Time for which a read on the fast path occupies a core.
        fast_read_command as fast_read_command_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0",
            source "assumed";
        /// Additional latency of a read on the fast path, during which it occupies no core.
        fast_read_delay as fast_read_delay_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0",
            source "assumed";
        /// Time for which a read occupies a core if read-ahead (`cache.read_ahead_bytes`) has already read or
        /// requested all of its data. `cached_read_unit_ns` is added for each mapping unit. Such reads have
        /// no additional latency in the controller.
        cached_read_command as cached_read_command_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0",
            source "assumed; 2.4 µs on the WD ZN540 (Doekemeijer et al., CLUSTER 2023)";
        /// Additional time, for each mapping unit, for which a read occupies a core if
        /// `cached_read_command_ns` applies to it.
        cached_read_unit as cached_read_unit_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
        /// Time for which a write or a flush occupies a core; `write_unit_ns` is added for each mapping unit.
        write_command as write_command_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
        /// Additional time for which each mapping unit of a write occupies a core.
        write_unit as write_unit_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
        /// Additional latency of a write, during which it occupies no core, so that the request rate is
        /// not limited.
        write_delay as write_delay_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
        /// Maximum size of a short write, which occupies a core for `short_write_command_ns`; 0: no write is
        /// short.
        ///
        /// Some drives take longer for a write smaller than a mapping unit, since they read and merge the
        /// rest of the unit.
        short_write_bytes: u64 = whole(0, 1 << 30), unit "bytes", default "0", source "ours: all writes cost the same";
        /// Time for which a write of at most `short_write_bytes` occupies a core.
        short_write_command as short_write_command_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0",
            source "assumed; 25 µs for writes of 512 to 2,048 bytes on the WD ZN540 (Doekemeijer et al., CLUSTER 2023)";
        /// Time for which a trim command occupies a core, before the latency `ftl.trim_base_ns`;
        /// `trim_unit_ns` is added for each mapping unit.
        trim_command as trim_command_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
        /// Additional time for which each mapping unit of a trim, or of a write-zeroes command that permits
        /// deallocation, occupies a core.
        trim_unit as trim_unit_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
        /// Share of the core time that does not delay its own command, because the core forwards the command
        /// early.
        ///
        /// The core stays occupied for its whole time, which limits the request rate and delays later
        /// commands.
        hidden_pct: f64 = number(0.0, 100.0), unit "%", default "0", source "assumed";
        with admission: AdmissionParameters;
    }
}

/// Properties of a host command that determine its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandSize {
    /// Operation of the command.
    pub op: Op,
    /// Number of sectors of the command.
    pub sectors: u32,
    /// Number of mapping units that the command covers, at least in part.
    pub units: u64,
    /// True for a read whose data has all been read ahead, or is being read ahead.
    pub is_read_ahead: bool,
}

/// Cost and delay of a host command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CommandCost {
    /// Time for which the command occupies a core.
    core: SimSpan,
    /// Additional latency, during which no core is occupied.
    delay: SimSpan,
}

impl CoreParameters {
    fn cost(&self, command: CommandSize) -> CommandCost {
        let CommandSize { op, sectors, units, is_read_ahead } = command;
        let cost =
            |command: SimSpan, unit: SimSpan, delay| CommandCost { core: command + unit * units, delay };
        let bytes = u64::from(sectors) * u64::from(SECTOR_BYTES);
        match op {
            Op::Read if is_read_ahead => cost(self.cached_read_command, self.cached_read_unit, SimSpan::ZERO),
            Op::Read if bytes <= self.fast_read_bytes => {
                cost(self.fast_read_command, SimSpan::ZERO, self.fast_read_delay)
            }
            Op::Read | Op::Gather | Op::Search => cost(self.read_command, self.read_unit, self.read_delay),
            Op::Write | Op::FuaWrite | Op::WriteZeroes if bytes <= self.short_write_bytes => {
                cost(self.short_write_command, SimSpan::ZERO, self.write_delay)
            }
            Op::Write | Op::FuaWrite | Op::WriteZeroes => {
                cost(self.write_command, self.write_unit, self.write_delay)
            }
            Op::Flush => cost(self.write_command, SimSpan::ZERO, SimSpan::ZERO),
            Op::Trim | Op::TrimRange | Op::DeallocateZeroes => {
                cost(self.trim_command, self.trim_unit, SimSpan::ZERO)
            }
        }
    }

    /// Returns the part of a command's core time that adds to its latency. The rest is hidden
    /// (`controller.hidden_pct`).
    fn visible(&self, core: SimSpan) -> SimSpan {
        SimSpan::from_ps((core.as_ps() as f64 * (1.0 - self.hidden_pct / 100.0)).round() as u64)
    }
}

/// Number of commands that the cores have processed, their waiting time, and the busy time of the cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreCounters {
    /// Number of commands.
    pub commands: u64,
    /// Number of commands that had to wait for a core.
    pub delayed: u64,
    /// Total time that commands waited for a core, in picoseconds.
    pub wait_ps: u128,
    /// Busy time in picoseconds, summed over all cores.
    pub busy_ps: u128,
    /// Counters of the rate limit of writes, or `None` without a limit.
    pub admission: Option<AdmissionCounters>,
}

impl Sub for CoreCounters {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            commands: self.commands - earlier.commands,
            delayed: self.delayed - earlier.delayed,
            wait_ps: self.wait_ps - earlier.wait_ps,
            busy_ps: self.busy_ps - earlier.busy_ps,
            admission: self.admission.map(|later| later - earlier.admission.unwrap_or_default()),
        }
    }
}

/// Processor cores of the drive's controller.
#[derive(Clone, Debug)]
pub struct Cores {
    parameters: CoreParameters,
    /// Instant at which each core has finished all commands accepted so far.
    free_at: Vec<SimTime>,
    /// Rate limit that writes pass after their core. `None`: writes are not limited.
    write_admission: Option<WriteAdmission>,
    /// Counters of all accepted commands. The busy time includes work still to be done.
    accepted: CoreCounters,
}

impl Cores {
    /// Creates idle cores. Returns `None` for a drive whose commands take no core time.
    pub fn new(parameters: &CoreParameters) -> Option<Self> {
        (parameters.cores > 0).then(|| Self {
            parameters: *parameters,
            free_at: vec![SimTime::ZERO; parameters.cores as usize],
            write_admission: WriteAdmission::new(&parameters.admission),
            accepted: CoreCounters::default(),
        })
    }

    /// Returns the number of cores.
    pub fn count(&self) -> u32 {
        self.parameters.cores
    }

    /// Accepts a command that arrives at `now`. Returns the time at which it leaves the core.
    pub fn accept(&mut self, command: CommandSize, now: SimTime) -> SimTime {
        let CommandCost { core, delay } = self.parameters.cost(command);
        let visible = self.parameters.visible(core);
        let first = self.first_free();
        let start = now.max(self.free_at[first]);
        self.free_at[first] = start + core;
        let wait = start.since(now);
        self.accepted.commands += 1;
        self.accepted.delayed += u64::from(!wait.is_zero());
        self.accepted.wait_ps += u128::from(wait.as_ps());
        self.accepted.busy_ps += u128::from(core.as_ps());
        self.admitted(command, start + visible) + delay
    }

    /// Returns the instant at which a command that leaves its core at `at` passes the rate limit of writes.
    fn admitted(&mut self, CommandSize { op, units, .. }: CommandSize, at: SimTime) -> SimTime {
        match (op, &mut self.write_admission) {
            (Op::Write | Op::FuaWrite | Op::WriteZeroes, Some(limit)) => limit.admit(units, at),
            _ => at,
        }
    }

    /// Returns the index of the core that is free first.
    fn first_free(&self) -> usize {
        let free_at = &self.free_at;
        (1..free_at.len()).fold(0, |first, core| if free_at[core] < free_at[first] { core } else { first })
    }

    /// Returns the counters up to `now`, without the work still to be done.
    pub fn counters(&self, now: SimTime) -> CoreCounters {
        // Work that is still to be done occupies a core from `now` without a gap.
        let ahead = |free_at: &SimTime| u128::from(free_at.max(&now).since(now).as_ps());
        let ahead_ps: u128 = self.free_at.iter().map(ahead).sum();
        let admission = self.write_admission.as_ref().map(|limit| *limit.counters());
        CoreCounters { busy_ps: self.accepted.busy_ps - ahead_ps, admission, ..self.accepted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: CommandSize = CommandSize { op: Op::Read, sectors: 8, units: 1, is_read_ahead: false };

    fn cores(change: impl FnOnce(&mut CoreParameters)) -> Cores {
        let mut parameters = CoreParameters { cores: 1, ..CoreParameters::default() };
        change(&mut parameters);
        Cores::new(&parameters).expect("a drive with cores")
    }

    fn passes(cores: &mut Cores, command: CommandSize, at: u64) -> u64 {
        cores.accept(command, SimTime::from_ps(at)).as_ps()
    }

    #[test]
    fn commands_take_the_core_that_is_free_first_in_order_of_arrival() {
        let mut cores = cores(|it| (it.cores, it.read_command) = (2, SimSpan::from_ps(10)));
        let passed = [0, 4, 5, 5, 40].map(|at| passes(&mut cores, READ, at));
        assert_eq!(passed, [10, 14, 20, 24, 50]);
    }

    #[test]
    fn each_operation_has_a_cost_for_the_command_and_for_its_units() {
        let spans = |command, unit| (SimSpan::from_ps(command), SimSpan::from_ps(unit));
        let mut cores = cores(|it| {
            (it.read_command, it.read_unit) = spans(100, 1);
            (it.write_command, it.write_unit) = spans(200, 2);
            (it.trim_command, it.trim_unit) = spans(300, 3);
            (it.read_delay, it.write_delay) = spans(5, 7);
        });
        let mut latency =
            |op, at| passes(&mut cores, CommandSize { op, sectors: 32, units: 4, ..READ }, at) - at;
        let latencies = [latency(Op::Read, 0), latency(Op::Write, 1000), latency(Op::Trim, 2000)];
        assert_eq!(latencies, [109, 215, 312]);
    }

    #[test]
    fn only_reads_up_to_the_limit_take_the_fast_path() {
        let mut cores = cores(|it| {
            it.fast_read_bytes = 4096;
            it.read_unit = SimSpan::from_ps(50);
            it.read_delay = SimSpan::from_ps(1000);
            (it.fast_read_command, it.fast_read_delay) = (SimSpan::from_ps(10), SimSpan::from_ps(3));
        });
        let mut latency =
            |op, sectors, at| passes(&mut cores, CommandSize { op, sectors, units: 2, ..READ }, at) - at;
        assert_eq!(
            [latency(Op::Read, 8, 0), latency(Op::Read, 9, 5000), latency(Op::Write, 8, 9000)],
            [13, 1100, 0]
        );
    }

    #[test]
    fn reads_of_data_read_ahead_have_their_own_cost_and_no_delay() {
        let mut cores = cores(|it| {
            (it.fast_read_bytes, it.fast_read_delay) = (4096, SimSpan::from_ps(1000));
            (it.cached_read_command, it.cached_read_unit) = (SimSpan::from_ps(10), SimSpan::from_ps(3));
        });
        let mut latency =
            |is_read_ahead, at| passes(&mut cores, CommandSize { units: 2, is_read_ahead, ..READ }, at) - at;
        assert_eq!([latency(true, 0), latency(false, 5000)], [16, 1000]);
    }

    #[test]
    fn only_writes_up_to_the_limit_have_the_cost_of_short_writes() {
        let mut cores = cores(|it| {
            it.short_write_bytes = 2048;
            (it.write_unit, it.write_delay) = (SimSpan::from_ps(50), SimSpan::from_ps(3));
            it.short_write_command = SimSpan::from_ps(700);
        });
        let mut latency = |op, sectors, at| passes(&mut cores, CommandSize { op, sectors, ..READ }, at) - at;
        assert_eq!(
            [latency(Op::Write, 4, 0), latency(Op::Write, 5, 5000), latency(Op::Read, 4, 9000)],
            [703, 53, 0]
        );
    }

    #[test]
    fn the_hidden_part_of_a_cost_delays_only_the_commands_behind() {
        let mut cores = cores(|it| (it.read_command, it.hidden_pct) = (SimSpan::from_ps(100), 75.0));
        assert_eq!([0, 0, 500].map(|at| passes(&mut cores, READ, at)), [25, 125, 525]);
    }

    #[test]
    fn busy_time_up_to_an_instant_excludes_the_work_ahead() {
        let mut cores = cores(|it| (it.cores, it.read_command) = (2, SimSpan::from_ps(100)));
        for at in [0, 10, 20] {
            passes(&mut cores, READ, at);
        }
        let busy = |at| cores.counters(SimTime::from_ps(at)).busy_ps;
        assert_eq!([20, 100, 110, 200, 900].map(busy), [30, 190, 210, 300, 300]);
        let CoreCounters { commands, delayed, wait_ps, .. } = cores.counters(SimTime::from_ps(900));
        assert_eq!((commands, delayed, wait_ps), (3, 1, 80));
    }

    #[test]
    fn a_drive_without_cores_has_no_station() {
        assert!(Cores::new(&CoreParameters::default()).is_none());
    }
}
