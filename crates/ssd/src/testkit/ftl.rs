//! A bench for the translation layer alone: the test is the host that asks for pages, and a drive that executes commands in given times.

use venice_kernel::SimTime;

use crate::chip::Operation;
use crate::controller::Orders;
use crate::ftl::{Finished, Ftl, FtlSettings, Initiator};
use crate::geometry::{ChipId, DieId, Geometry, Lpn, PlaneId, Ppn, Priority, RequestId};
use crate::work::{Origin, Purpose, Transaction};

use super::drive::{paper_flash, small_drive};
use crate::controller::Command;
use crate::registry::FabricKind;

/// All sectors of a page.
pub const WHOLE: u64 = 0xff;

/// A page that a command works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// What for.
    pub purpose: Purpose,
    /// The logical page; an erase has none.
    pub lpn: Option<Lpn>,
    /// Its sectors that are read, or that the program will hold.
    pub sectors: u64,
    /// Bytes that cross the fabric.
    pub bytes: u32,
}

/// A command that a die has begun.
#[derive(Clone, Debug)]
pub struct Begun {
    /// The die.
    pub die: DieId,
    /// What it does.
    pub operation: Operation,
    /// To which pages.
    pub pages: Vec<Page>,
    /// When it ends.
    pub ends: SimTime,
}

/// The layer, a host and a drive whose wires take no time.
pub struct FtlBench {
    /// The layer.
    pub ftl: Ftl,
    /// The present instant.
    pub now: SimTime,
    geometry: Geometry,
    /// By die: what it does, and until when.
    working: Vec<Option<(SimTime, Command)>>,
    requests: u32,
}

impl FtlBench {
    /// Chips of one die of one plane of eight blocks of four pages of eight sectors, half of it for the host, and an audit.
    pub fn new(chips: u32, set: impl FnOnce(&mut FtlSettings)) -> Self {
        let mut drive = small_drive(FabricKind::Bus, 1, chips);
        drive.geometry.planes_per_die = 1;
        (drive.geometry.blocks_per_plane, drive.geometry.pages_per_block) = (8, 4);
        drive.ftl.over_provisioning_ratio = 0.5;
        set(&mut drive.ftl);
        Self {
            ftl: Ftl::new(drive.geometry, drive.ftl, paper_flash(1), true),
            now: SimTime::ZERO,
            geometry: drive.geometry,
            working: vec![None; drive.geometry.dies() as usize],
            requests: 0,
        }
    }

    fn next_request(&mut self) -> Initiator {
        self.requests += 1;
        Initiator { id: RequestId(self.requests - 1), priority: Priority::default() }
    }

    /// The host reads sectors of a page.
    pub fn read(&mut self, lpn: u32, sectors: u64) -> RequestId {
        let initiator = self.next_request();
        self.ftl.read_page(initiator, 0, Lpn(lpn), sectors, self.now);
        initiator.id
    }

    /// The host writes sectors of a page.
    pub fn write(&mut self, lpn: u32, sectors: u64) -> RequestId {
        let Initiator { id, priority } = self.next_request();
        self.ftl.write_page(Origin::Request(id), 0, priority, Lpn(lpn), sectors, self.now);
        id
    }

    /// Idle dies begin what they can now.
    pub fn begin(&mut self) -> Vec<Begun> {
        let mut begun = Vec::new();
        for die in (0..self.geometry.dies()).map(DieId) {
            if self.working[die.index()].is_some() {
                continue;
            }
            let Some((die, command)) = self.next_command(die) else { continue };
            let work = Orders::start(&mut self.ftl, die, &command, self.now);
            let ends = self.now + work.first + work.program;
            let page = |id| {
                let &Transaction { purpose, lpn, sectors, bytes, .. } = self.ftl.transactions.get(id);
                Page { purpose, lpn, sectors, bytes }
            };
            let pages = command.batch.iter().map(|&id| page(id)).collect();
            begun.push(Begun { die, operation: command.operation, pages, ends });
            self.working[die.index()] = Some((ends, command));
        }
        begun
    }

    /// The next command of a die. What is dropped when it is looked at may let something else come, which is looked at, too.
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

    /// The clock goes to the earliest end of a command, if any works: the requests that are done.
    pub fn end(&mut self) -> Option<Vec<Finished>> {
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
                ftl.transactions.forget(id);
            }
        }
        Some(done)
    }

    /// Goes on until nothing is left to do: all commands, in the order in which they began.
    pub fn run(&mut self) -> Vec<Begun> {
        let mut all = Vec::new();
        loop {
            all.extend(self.begin());
            if self.end().is_none() {
                return all;
            }
        }
    }

    /// These chips are lost, and what their dies do comes to nothing.
    pub fn lose(&mut self, chips: &[ChipId]) {
        for (die, working) in (0..).map(DieId).zip(&self.working) {
            let lost = working.iter().filter(|_| chips.contains(&self.geometry.chip_of(die)));
            lost.flat_map(|(_, command)| &command.batch).for_each(|&id| self.ftl.note_failure(id));
        }
        Orders::lose(&mut self.ftl, chips, self.now);
    }

    /// Writes that found no room on what is left are answered.
    pub fn give_up(&mut self) -> Vec<Finished> {
        let mut given_up = Vec::new();
        while let Some(id) = self.ftl.next_failed_write() {
            given_up.extend(self.ftl.give_up_write(id, self.now));
            self.ftl.transactions.forget(id);
        }
        given_up
    }

    /// Where a page is, if it was ever written.
    pub fn place(&self, lpn: u32) -> Option<Ppn> {
        let (ppn, is_mapped) = self.ftl.translation().locate(Lpn(lpn));
        is_mapped.then_some(ppn)
    }

    /// The plane of a page that was written.
    pub fn plane(&self, lpn: u32) -> Option<PlaneId> {
        self.place(lpn).map(|ppn| self.geometry.plane_of_page(ppn))
    }

    /// Free blocks of a plane.
    pub fn free(&self, plane: PlaneId) -> u32 {
        self.ftl.space().blocks().planes[plane].free_blocks()
    }

    /// How many transactions of a kind wait or are under way.
    pub fn count(&self, is_counted: impl Fn(Purpose) -> bool) -> usize {
        self.ftl.transactions.iter().filter(|transaction| is_counted(transaction.purpose)).count()
    }

    /// Whether the audit has found nothing wrong, once nothing is in flight.
    pub fn is_sound(&mut self) -> bool {
        self.ftl.check_balance();
        self.ftl.audit_mut().is_some_and(|audit| audit.violation().is_none())
    }
}
