//! What stands between the host and the drive: as it is stated, and as schedulers are told it.

use super::{SchedulerParameters, Scheme, UnitMap};
use crate::geometry::{Geometry, SECTOR_BYTES};
use crate::parameters::{Choice, choices, declare, one_of, whole};

/// Which scheduler orders requests in the host, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerChoice(pub Option<Scheme>);

/// What the host's scheduler takes for units that work in parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitLevel {
    /// Chips.
    Chip,
    /// Planes.
    Plane,
}

/// Whether requests are handed over that touch a unit which one in the drive touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Issue {
    /// They are: the drive lets those that wait for a unit be passed.
    Freely,
    /// They wait in the host, and so does what the scheme puts behind them: the drive takes requests in order, and none passes
    /// one that waits for a unit.
    WithoutConflicts,
}

/// What the entries of the I/O queue are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueCounts {
    /// Requests that wait.
    Waiting,
    /// Requests that wait, reads and writes each.
    WaitingByKind,
    /// Requests that wait, and those in the drive.
    Outstanding,
}

choices! {
    QueueCounts, "kind of requests": "waiting" => Waiting,
        "waiting_by_kind" => WaitingByKind, "outstanding" => Outstanding;
    Issue, "way to hand requests over":
        "freely" => Freely, "without_conflicts" => WithoutConflicts;
    UnitLevel, "level of units": "chip" => Chip, "plane" => Plane;
}

impl Choice for SchedulerChoice {
    const NOUN: &'static str = "host scheduler";
    const NAMES: &'static [&'static str] = &before_schemes("none", Scheme::NAMES);
    const ABOUT: &'static [&'static str] =
        &before_schemes("there is no I/O queue in the host", Scheme::ABOUT);
    fn from_name(name: &str) -> Option<Self> {
        let scheme = Scheme::from_name(name);
        (scheme.is_some() || name == "none").then_some(Self(scheme))
    }
}

/// Puts a text for the absence of a scheduler before those of the schemes.
const fn before_schemes(
    first: &'static str,
    of_schemes: &[&'static str],
) -> [&'static str; Scheme::ALL.len() + 1] {
    let mut all = [first; Scheme::ALL.len() + 1];
    let (_, rest) = all.split_at_mut(1);
    rest.copy_from_slice(of_schemes);
    all
}

declare! {
    /// The scheduler between the host's I/O queue and the drive.
    pub struct IoQueueParameters in "host.scheduler." {
        /// In which order requests go to the drive.
        scheme: SchedulerChoice = one_of::<SchedulerChoice>(), unit "", default "none",
            source "Gao et al., PIQ, TCAD 2017, §III and §IV; Linux, block/deadline-iosched, block/kyber-iosched; by_unit is ours";
        /// Entries of the I/O queue, for every scheme but `none`, as all that follows.
        ///
        /// The scheduler chooses from those that wait in them; further requests wait behind, in order.
        queue_length: u32 = whole(1, 65_536), unit "requests", default "64",
            source "Gao et al., PIQ, TCAD 2017, §V (64; Figure 18: 1 to 512)";
        /// Which requests have an entry.
        ///
        /// `waiting`: those that wait in the host. `waiting_by_kind`: as many reads and as many writes, as Linux's `nr_requests`
        /// limits each. `outstanding`: those in the drive, too.
        queue_counts: QueueCounts = one_of::<QueueCounts>(), unit "", default "waiting",
            source "Gao et al., PIQ, TCAD 2017, Figure 18: one entry leaves the drive its other requests; Linux, block/queue-sysfs";
        /// Requests handed to the drive and not complete.
        drive_slots: u32 = whole(1, 65_536), unit "requests", default "32",
            source "assumed: the tags of native command queueing";
        /// What the scheduler takes for units that work in parallel.
        level: UnitLevel = one_of::<UnitLevel>(), unit "", default "chip",
            source "Gao et al., PIQ, TCAD 2017, §IV-A (chip, or plane with advanced commands)";
        /// How many of them it believes there are; 0: as many as there are.
        units: u32 = whole(0, 65_536), unit "units", default "0",
            source "Gao et al., PIQ, TCAD 2017, Figure 19 (a wrong number on purpose)";
        /// What happens to a request that touches a unit which one in the drive touches.
        ///
        /// `freely`: it is handed over; the drive's own scheduler lets others pass it. `without_conflicts`: it waits in the
        /// host, and what the scheme puts behind it, as on a drive that takes requests in order.
        issue: Issue = one_of::<Issue>(), unit "", default "freely",
            source "ours: today's drives; Gao et al., PIQ, TCAD 2017, Figures 6 and 7 have a drive in order";
        /// The units of the drive for which requests wait, with `issue = "without_conflicts"`.
        drive_level: UnitLevel = one_of::<UnitLevel>(), unit "", default "chip", source "ours: the paper's drive has chips";
        with parameters: SchedulerParameters;
        /// Intervals in which the report tells how long the queue was and how many chips were at work, at most.
        history_points: u32 = whole(2, 65_536), unit "intervals", default "256", source "ours: as many as a figure shows";
    }
}

/// What host schedulers are told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchedulerSettings {
    /// Which one.
    pub scheme: Scheme,
    /// Entries of the I/O queue; further requests wait behind, in order.
    pub queue_length: u32,
    /// Which requests have one.
    pub queue_counts: QueueCounts,
    /// Requests handed to the drive and not complete.
    pub drive_slots: u32,
    /// How sectors are believed to be spread over parallel units.
    pub units: UnitMap,
    /// What is handed over while a unit of the drive that it touches is in use.
    pub issue: Issue,
    /// How sectors are spread over those units of the drive.
    pub drive_units: UnitMap,
    /// Intervals in which the queue's history is told, at most.
    pub history_points: u32,
    /// What the schedulers are told, each its own.
    pub parameters: SchedulerParameters,
}

impl UnitLevel {
    /// How many of them a drive has.
    const fn count(self, geometry: &Geometry) -> u32 {
        match self {
            Self::Chip => geometry.array.chips(),
            Self::Plane => geometry.planes(),
        }
    }
}

impl IoQueueParameters {
    /// What the scheduler is told, if there is one. What the host believes of the drive is right unless it was told otherwise.
    pub fn settings(&self, geometry: &Geometry) -> Option<SchedulerSettings> {
        let sectors_per_page = geometry.page_bytes / SECTOR_BYTES;
        let believed = match self.units {
            0 => self.level.count(geometry),
            believed => believed,
        };
        Some(SchedulerSettings {
            scheme: self.scheme.0?,
            queue_length: self.queue_length,
            queue_counts: self.queue_counts,
            drive_slots: self.drive_slots,
            units: UnitMap::new(believed, sectors_per_page),
            issue: self.issue,
            drive_units: UnitMap::new(self.drive_level.count(geometry), sectors_per_page),
            history_points: self.history_points,
            parameters: self.parameters,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_to_a_scheme_but_none() {
        for name in SchedulerChoice::NAMES {
            let choice = SchedulerChoice::from_name(name);
            assert_eq!(choice.and_then(|choice| choice.0).is_none(), *name == "none", "{name}");
        }
        assert_eq!(SchedulerChoice::from_name("lottery"), None);
    }
}
