//! Test bench for the flash translation layer. The test acts as the host, and a mock drive executes commands
//! in fixed times.

use venice_kernel::SimTime;
use venice_nand::chip::{ArrayWork, Operation};
use venice_nand::geometry::{ChipId, DieId, Geometry, Lpn, PlaneId, Ppn, Priority, RequestId};
use venice_nand::testkit::paper_flash;
use venice_nand::transactions::{Origin, Purpose, Transaction};

use crate::controller::CommandSource;
use crate::ftl::{FinishedPage, Ftl, FtlSettings, Initiator};

use super::settings::SmallDrive;
use crate::controller::Command;

/// Bit mask of all sectors of a page.
pub const WHOLE: u64 = 0xff;

/// Page that a started command accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartedPage {
    /// Purpose of the transaction.
    pub purpose: Purpose,
    /// Logical page of the transaction; `None` for an erase.
    pub lpn: Option<Lpn>,
    /// Bit mask of the sectors that are read or that the programmed page will contain.
    pub sectors: u64,
    /// Number of bytes transferred over the fabric.
    pub bytes: u32,
}

/// Command that a die has started.
#[derive(Clone, Debug)]
pub struct StartedCommand {
    /// Die that executes the command.
    pub die: DieId,
    /// Array operation of the command.
    pub operation: Operation,
    /// Pages that the command accesses.
    pub pages: Vec<StartedPage>,
    /// Time at which the command ends.
    pub ends: SimTime,
}

/// Test bench with the flash translation layer, a host, and a drive without transfer times.
pub struct FtlBench {
    /// Flash translation layer under test.
    pub ftl: Ftl,
    /// Current time.
    pub now: SimTime,
    geometry: Geometry,
    /// Command in progress of each die, with the time at which it ends.
    working: Vec<Option<(SimTime, Command)>>,
    requests: u32,
}

impl FtlBench {
    /// Creates chips with one die of one plane, with 50 % over-provisioning and an audit. A plane has eight
    /// blocks of four pages of eight sectors.
    pub fn new(chips: u32, set: impl FnOnce(&mut FtlSettings)) -> Self {
        let mut drive = SmallDrive::new(1, chips);
        drive.geometry.planes_per_die = 1;
        (drive.geometry.blocks_per_plane, drive.geometry.pages_per_block) = (8, 4);
        drive.ftl.over_provisioning_ratio = 0.5;
        set(&mut drive.ftl);
        Self {
            ftl: Ftl::new(drive.geometry, drive.ftl, &paper_flash(1), true),
            now: SimTime::ZERO,
            geometry: drive.geometry,
            working: vec![None; drive.geometry.dies() as usize],
            requests: 0,
        }
    }

    fn next_request(&mut self) -> Initiator {
        self.requests += 1;
        Initiator { id: RequestId(self.requests - 1), priority: Priority::default(), sectors: 8 }
    }

    /// Issues a host read of the sectors in the bit mask `sectors` of a page.
    pub fn read(&mut self, lpn: u32, sectors: u64) -> RequestId {
        let initiator = self.next_request();
        self.ftl.read_page(initiator, 0, Lpn(lpn), sectors, self.now, self.now);
        initiator.id
    }

    /// Issues a host write of the sectors in the bit mask `sectors` of a page.
    pub fn write(&mut self, lpn: u32, sectors: u64) -> RequestId {
        let Initiator { id, priority, .. } = self.next_request();
        self.ftl.write_page(Origin::Request(id), 0, priority, Lpn(lpn), sectors, self.now);
        id
    }

    /// Starts and returns all commands that idle dies can execute.
    pub fn begin(&mut self) -> Vec<StartedCommand> {
        let mut begun = Vec::new();
        for die in (0..self.geometry.dies()).map(DieId) {
            if self.working[die.index()].is_some() {
                continue;
            }
            let Some((die, command)) = self.next_command(die) else { continue };
            let (times, mut work) = (paper_flash(1).array, ArrayWork::default());
            CommandSource::start(&mut self.ftl, die, &command, self.now, |page| {
                work = work.max(times.work(page));
            });
            let ends = self.now + work.first + work.program;
            let page = |id| {
                let &Transaction { purpose, lpn, sectors, bytes, .. } = self.ftl.transactions().get(id);
                StartedPage { purpose, lpn, sectors, bytes }
            };
            let pages = command.batch.iter().map(|&id| page(id)).collect();
            begun.push(StartedCommand { die, operation: command.operation, pages, ends });
            self.working[die.index()] = Some((ends, command));
        }
        begun
    }

    /// Returns the next command of a die. Obsolete transactions are removed, and the search is repeated.
    fn next_command(&mut self, die: DieId) -> Option<(DieId, Command)> {
        loop {
            self.ftl.have_come();
            let mut command = Command::unformed();
            let next = self.ftl.next_command(die.0..die.0 + 1, &mut command, self.now);
            if next.is_some() || !self.ftl.have_come() {
                return next.map(|die| (die, command));
            }
        }
    }

    /// Advances the time to the earliest end of a command. Returns the completed pages of requests, or `None`
    /// if no die is busy.
    pub fn end(&mut self) -> Option<Vec<FinishedPage>> {
        let ends = self.working.iter().flatten().map(|&(ends, _)| ends).min()?;
        self.now = ends;
        let working =
            self.working.iter_mut().find(|work| work.as_ref().is_some_and(|&(end, _)| end == ends))?;
        let (_, command) = working.take()?;
        let ftl = &mut self.ftl;
        let mut done = Vec::new();
        for &id in &command.batch {
            if let Some(page) = ftl.finish(id, ends) {
                done.push(page);
                ftl.transactions_mut().forget(id);
            }
        }
        Some(done)
    }

    /// Runs until all dies are idle. Returns the commands in the order of their starts.
    pub fn run(&mut self) -> Vec<StartedCommand> {
        let mut all = Vec::new();
        loop {
            all.extend(self.begin());
            if self.end().is_none() {
                return all;
            }
        }
    }

    /// Reports chips as lost. The commands of their dies fail.
    pub fn lose(&mut self, chips: &[ChipId]) {
        for (die, working) in (0..).map(DieId).zip(&self.working) {
            let lost = working.iter().filter(|_| chips.contains(&self.geometry.chip_of(die)));
            lost.flat_map(|(_, command)| &command.batch).for_each(|&id| self.ftl.note_failure(id));
        }
        CommandSource::lose(&mut self.ftl, chips, self.now);
    }

    /// Fails the writes for which the remaining planes have no free page. Returns their pages.
    pub fn give_up(&mut self) -> Vec<FinishedPage> {
        let mut given_up = Vec::new();
        while let Some(id) = self.ftl.next_failed_write() {
            given_up.extend(self.ftl.give_up_write(id, self.now));
            self.ftl.transactions_mut().forget(id);
        }
        given_up
    }

    /// Returns the physical page of a logical page, or `None` if it has never been written.
    pub fn place(&self, lpn: u32) -> Option<Ppn> {
        let (ppn, is_mapped) = self.ftl.translation().locate(Lpn(lpn));
        is_mapped.then_some(ppn)
    }

    /// Returns the plane of a logical page, or `None` if it has never been written.
    pub fn plane(&self, lpn: u32) -> Option<PlaneId> {
        self.place(lpn).map(|ppn| self.geometry.plane_of_page(ppn))
    }

    /// Returns the number of free blocks of a plane.
    pub fn free(&self, plane: PlaneId) -> u32 {
        self.ftl.space().blocks().planes[plane].free_blocks()
    }

    /// Returns the number of transactions in flight whose purpose `is_counted` accepts.
    pub fn count(&self, is_counted: impl Fn(Purpose) -> bool) -> usize {
        self.ftl.transactions().iter().filter(|transaction| is_counted(transaction.purpose)).count()
    }

    /// Returns true if the audit has found no violation. All commands must have ended.
    pub fn is_sound(&mut self) -> bool {
        self.ftl.check_balance();
        self.ftl.audit_mut().is_some_and(|audit| audit.violation().is_none())
    }
}
