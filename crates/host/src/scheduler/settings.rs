//! Parameters and settings of the host's I/O queue and schedulers.

use venice_nand::geometry::Geometry;
use venice_params::{Choice, ParameterKind, choices, declare, one_of, whole};
use venice_requests::SECTOR_BYTES;

use super::{ChipStripes, SchedulerParameters, Scheme, UnitMap};

/// Scheme of the host scheduler; `None` if the host has no scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerChoice(pub Option<Scheme>);

/// Granularity of the location vector: the units in which conflicts of requests are detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorLevel {
    /// The units are channels.
    Channel,
    /// The units are chips.
    Chip,
    /// The units are planes.
    Plane,
    /// The units are chips; batches without a common channel are preferred.
    ChannelAndChip,
}

/// Level of the drive's parallel units that a request occupies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitLevel {
    /// The units are chips.
    Chip,
    /// The units are planes.
    Plane,
}

/// Treatment of requests that share a unit with a request in the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DispatchRule {
    /// The request is sent. In the drive, other requests may overtake it while it waits for a unit.
    Freely,
    /// The request waits in the host, and so do the requests behind it in the scheduler's order. The drive
    /// then serves requests in order.
    WithoutConflicts,
}

/// Requests that occupy entries of the host's I/O queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueCounts {
    /// Only waiting requests occupy entries.
    Waiting,
    /// Only waiting requests occupy entries; reads and writes have separate entries.
    WaitingByKind,
    /// Waiting requests and requests in the drive occupy entries.
    Outstanding,
}

choices! {
    QueueCounts, "kind of requests": "waiting" => Waiting,
        "waiting_by_kind" => WaitingByKind, "outstanding" => Outstanding;
    DispatchRule, "dispatch rule":
        "freely" => Freely, "without_conflicts" => WithoutConflicts;
    VectorLevel, "level of the location vector": "channel" => Channel, "chip" => Chip, "plane" => Plane,
        "channel_and_chip" => ChannelAndChip;
    UnitLevel, "level of units": "chip" => Chip, "plane" => Plane;
}

impl Choice for SchedulerChoice {
    const NOUN: &'static str = "host scheduler";
    const NAMES: &'static [&'static str] = &before_schemes("none", Scheme::NAMES);
    const ABOUT: &'static [&'static str] = &before_schemes("no I/O queue in the host", Scheme::ABOUT);
    fn from_name(name: &str) -> Option<Self> {
        let scheme = Scheme::from_name(name);
        (scheme.is_some() || name == "none").then_some(Self(scheme))
    }
}

/// Returns the names or the descriptions of all choices: `first`, the entry for "no scheduler", then those in
/// `of_schemes`.
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
    /// I/O queue of the host, and the scheduler that selects from it.
    pub struct IoQueueParameters in "host.scheduler." {
        /// Scheduling scheme of the host, which determines the order in which requests go to the drive.
        scheme: SchedulerChoice = one_of::<SchedulerChoice>(), unit "", default "none",
            source "Gao et al., PIQ, TCAD 2017, §II-B to §IV; Linux, block/deadline-iosched, block/kyber-iosched, block/cfq-iosched; Park, Shen, FIOS, FAST 2012; Shen, Park, FlashFQ, USENIX ATC 2013; Chen et al., SAC, SYSTOR 2012; by_unit is ours";
        /// Number of entries of the I/O queue, with any scheme but `none`.
        ///
        /// The scheduler selects among the requests in the entries; further requests wait in arrival order
        /// for a free entry.
        queue_length: u32 = whole(1, 65_536), unit "requests", default "64",
            source "Gao et al., PIQ, TCAD 2017, §V (64; Figure 18: 1 to 512)";
        /// Requests that count as occupying an entry of the I/O queue.
        ///
        /// `waiting`: requests waiting in the host. `waiting_by_kind`: requests waiting in the host, with
        /// separate entries for reads and for writes, like `nr_requests` of Linux. `outstanding`: requests in
        /// the host and in the drive.
        queue_counts: QueueCounts = one_of::<QueueCounts>(), unit "", default "waiting",
            source "Gao et al., PIQ, TCAD 2017, Figure 18: one entry leaves the other requests to the drive; Linux, block/queue-sysfs";
        /// Maximum number of incomplete requests in the drive, with any scheme but `none`.
        drive_slots: u32 = whole(1, 65_536), unit "requests", default "32",
            source "assumed: the tags of native command queueing";
        /// Level of the parallel units by which a scheduler detects conflicts between requests.
        ///
        /// `channel`: requests conflict if they share a channel. Pages are assumed to be striped over
        /// channels first. `chip` and `plane`: requests conflict if they share a chip or a plane.
        /// `channel_and_chip`: requests conflict if they share a chip; a request joins the first batch
        /// without requests on its channels or, if there is none, the first batch without requests on its
        /// chips.
        level: VectorLevel = one_of::<VectorLevel>(), unit "", default "chip",
            source "Gao et al., PIQ, TCAD 2017, §IV-A (chip, or plane with advanced commands); channel and channel_and_chip are ours";
        /// Number of parallel units of the drive that the scheduler assumes; 0: the actual number.
        units: u32 = whole(0, 65_536), unit "units", default "0",
            source "Gao et al., PIQ, TCAD 2017, Figure 19 (deliberately wrong numbers)";
        /// Dispatch of requests that share a parallel unit (see `drive_level`) with a request in the drive.
        ///
        /// `freely`: such requests are sent at once, and the drive may serve other requests before them.
        /// `without_conflicts`: such requests and all requests after them in the scheduler's order wait
        /// in the host, as for a drive that serves requests in order.
        issue: DispatchRule = one_of::<DispatchRule>(), unit "", default "freely",
            source "ours: today's drives; Gao et al., PIQ, TCAD 2017, Figures 6 and 7 have a drive in order";
        /// Level of the parallel units by which `issue = "without_conflicts"` detects conflicts in the drive.
        drive_level: UnitLevel = one_of::<UnitLevel>(), unit "", default "chip", source "ours: the units of the paper's drive are chips";
        /// If true, the drive notifies the host of chips that collect garbage, for schemes that form batches.
        ///
        /// The drive sends a message of the size of a completion when a chip begins or ends garbage
        /// collection. Requests for chips that collect garbage are sent after the other requests of their
        /// batch and after requests of the next batch.
        avoid_collecting: bool = ParameterKind::Boolean, unit "", default "false",
            source "ours; Gao et al., PIQ, TCAD 2017, §IV-A2 (future work)";
        with parameters: SchedulerParameters;
        /// Maximum number of intervals in the report's history of queue length and busy chips.
        history_points: u32 = whole(2, 65_536), unit "intervals", default "256", source "ours: the number of points of a figure";
    }
}

/// Settings of the host scheduler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchedulerSettings {
    /// Scheduling scheme.
    pub scheme: Scheme,
    /// Number of entries of the I/O queue. Further requests wait in arrival order for a free entry.
    pub queue_length: u32,
    /// Requests that occupy entries of the I/O queue.
    pub queue_counts: QueueCounts,
    /// Maximum number of incomplete requests in the drive.
    pub drive_slots: u32,
    /// Assumed striping of sectors over parallel units.
    pub units: UnitMap,
    /// Number of channels over which units are striped, if batches without a common channel are preferred.
    pub channels: Option<u32>,
    /// Assumed striping of sectors over chips, for notices of garbage collection.
    pub chips: ChipStripes,
    /// True if the drive notifies the host of garbage collection.
    pub avoids_collecting: bool,
    /// Treatment of requests that share a unit with a request in the drive.
    pub issue: DispatchRule,
    /// Striping of sectors over the units that requests occupy in the drive. It may differ from `units`,
    /// which the scheduler assumes.
    pub drive_units: UnitMap,
    /// Maximum number of intervals in the queue's history.
    pub history_points: u32,
    /// Parameters that the modules of the schedulers declare.
    pub parameters: SchedulerParameters,
}

impl SchedulerSettings {
    /// Returns the minimum drive capacity, in sectors, for a scheduler that moves requests to idle units;
    /// 0 if requests are not moved. The capacity is two stripes over the drive's units, within which a
    /// moved request of less than one stripe ends.
    pub fn min_capacity_sectors(&self) -> u64 {
        let moves = self.scheme == Scheme::ConflictFree;
        if moves { 2 * self.drive_units.sectors(self.drive_units.units()) } else { 0 }
    }
}

impl VectorLevel {
    /// Returns the number of units at this level in a drive.
    const fn count(self, geometry: &Geometry) -> u32 {
        match self {
            Self::Channel => geometry.array.rows,
            Self::Chip | Self::ChannelAndChip => UnitLevel::Chip.count(geometry),
            Self::Plane => UnitLevel::Plane.count(geometry),
        }
    }
}

impl UnitLevel {
    /// Returns the number of units at this level in a drive.
    const fn count(self, geometry: &Geometry) -> u32 {
        match self {
            Self::Chip => geometry.array.chips(),
            Self::Plane => geometry.planes(),
        }
    }
}

impl IoQueueParameters {
    /// Returns the settings of the scheduler, if there is one. If no number of units is configured, the
    /// actual number is assumed.
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
            channels: (self.level == VectorLevel::ChannelAndChip).then_some(geometry.array.rows),
            chips: ChipStripes {
                map: UnitMap::new(geometry.array.chips(), sectors_per_page),
                array: geometry.array,
            },
            avoids_collecting: self.avoid_collecting,
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
