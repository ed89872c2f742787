//! Drive with a page under test, and the durations of operations on that page without interference.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::observe::{LogRows, RequestRow};
use venice_fabric::{Direction, Transfer};
use venice_host::testkit::{Script, pages};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};
use venice_nand::latency::Stage;
use venice_nand::testkit::COMMAND;
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};

pub const T_READ: SimSpan = SimSpan::from_us(3);
pub const T_PROGRAM: SimSpan = SimSpan::from_us(100);
pub const T_ERASE: SimSpan = SimSpan::from_us(1000);

pub const fn us(n: u64) -> SimSpan {
    SimSpan::from_us(n)
}

pub fn at(span: SimSpan) -> SimTime {
    SimTime::ZERO + span
}

/// Drive with a page under test. Its methods return the durations of operations on that page without
/// interference.
pub struct Bench {
    pub settings: DriveSettings,
    pub page: u32,
    pub chip: ChipId,
}

impl Bench {
    pub fn new(settings: DriveSettings, page: u32) -> Self {
        let (rows, cols) = (settings.geometry.array.rows, settings.geometry.array.cols);
        // With the order CWDP, page p is on channel p mod rows.
        let chip = ChipId(page % rows * cols + page / rows % cols);
        Self { settings, page, chip }
    }

    pub fn transfer(&self, direction: Direction, command: SimSpan, bytes: u32) -> SimSpan {
        let fabric = self.settings.fabric_kind.build(&self.settings.fabric).unwrap();
        let die = DieId(self.chip.0);
        fabric.idle_time(&Transfer {
            die,
            chip: self.chip,
            direction,
            command,
            bytes,
            keeps_path: false,
            moved: None,
            waiting_since: None,
        })
    }

    pub fn command(&self, time: SimSpan) -> SimSpan {
        self.transfer(Direction::ToChip, time, 0)
    }

    pub fn data_out(&self) -> SimSpan {
        self.transfer(Direction::FromChip, SimSpan::ZERO, 4096)
    }

    pub fn read(&self) -> SimSpan {
        self.command(COMMAND) + T_READ + self.data_out()
    }

    pub fn program_transfer(&self, pages: u32) -> SimSpan {
        self.program_of(COMMAND, pages)
    }

    pub fn program_of(&self, command: SimSpan, pages: u32) -> SimSpan {
        self.transfer(Direction::ToChip, command, pages * 4096)
    }

    pub fn write(&self) -> SimSpan {
        self.program_transfer(1) + T_PROGRAM
    }

    pub fn request(&self, op: Op, arrival: SimTime) -> HostRequest {
        pages(op, u64::from(self.page), 1, arrival)
    }

    pub fn run(&self, requests: Vec<HostRequest>) -> Ran {
        run(&self.settings, LoopMode::Open, requests)
    }
}

/// Results of a run on a [`Bench`].
pub struct Ran {
    pub rows: Vec<RequestRow>,
    pub plane_busy: SimSpan,
    pub chip_busy: SimSpan,
    pub suspended_erases: u64,
    pub suspended_programs: u64,
    pub transfers: u64,
    pub transfer_time: SimSpan,
    pub path_busy: SimSpan,
}

impl Ran {
    pub fn latency(&self, number: usize) -> SimSpan {
        self.rows[number].completed.since(self.rows[number].arrival)
    }

    pub fn completed(&self, number: usize) -> SimTime {
        self.rows[number].completed
    }

    pub fn stage(&self, number: usize, stage: Stage) -> SimSpan {
        self.rows[number].stages[stage as usize]
    }
}

pub fn run(settings: &DriveSettings, mode: LoopMode, requests: Vec<HostRequest>) -> Ran {
    let options = RunOptions { audit: true, log_rows: LogRows::WithCauses, ..RunOptions::default() };
    let flow = Flow::new(Box::new(Script::new(requests)), mode);
    let mut simulation = Simulation::new(settings, vec![flow], options).unwrap();
    simulation.run().unwrap_or_else(|error| panic!("{error}"));
    let mut rows = simulation.take_log();
    rows.sort_by_key(|row| row.number);
    for row in &rows {
        let stages: SimSpan = row.stages.iter().copied().sum();
        assert_eq!(stages, row.completed.since(row.arrival), "the stages are the latency");
    }
    let recorder = simulation.device().recorder();
    Ran {
        rows,
        plane_busy: recorder.drive.arrays.total(),
        chip_busy: recorder.drive.chip_busy(),
        suspended_erases: recorder.drive.suspended_erases,
        suspended_programs: recorder.drive.suspended_programs,
        transfers: recorder.drive.transfers(),
        transfer_time: recorder.drive.transfer_time,
        path_busy: simulation.device().fabric().path_busy(simulation.now()).into_iter().sum(),
    }
}
