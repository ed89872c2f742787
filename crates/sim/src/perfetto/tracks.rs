//! Identifiers, names and hierarchy of the tracks in a trace file.

use std::collections::BTreeMap;

use venice_drive::observe::ResourceKind;
use venice_nand::geometry::{DieId, Geometry, PlaneId};

use super::lanes::TrackLane;
use super::proto::{EXPLICIT, TrackDescriptor};

/// Data from which the names of a trace's rows (resources with slices) are formed.
pub struct RowNames {
    /// Geometry of the drive.
    pub geometry: Geometry,
    /// Names of the fabric's paths.
    pub places: Vec<String>,
}

/// Track of a trace that groups other tracks as its children.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TrackGroup {
    Drive,
    Queues,
    Controllers,
    Places,
    Chips,
    Chip(u32),
    Collection,
}

impl TrackGroup {
    fn of(row: ResourceKind, index: u32, names: &RowNames) -> Self {
        let geometry = &names.geometry;
        match row {
            ResourceKind::Queue => Self::Queues,
            ResourceKind::Controller => Self::Controllers,
            ResourceKind::Place => Self::Places,
            ResourceKind::Pins => Self::Chip(index),
            ResourceKind::Plane => Self::Chip(geometry.chip_of(geometry.die_of(PlaneId(index))).0),
            ResourceKind::Die => Self::Chip(geometry.chip_of(DieId(index)).0),
            ResourceKind::Collection => Self::Collection,
        }
    }

    const fn parent(self) -> Option<Self> {
        match self {
            Self::Drive => None,
            Self::Chip(_) => Some(Self::Chips),
            _ => Some(Self::Drive),
        }
    }

    fn name(self) -> String {
        let fixed = match self {
            Self::Drive => "drive",
            Self::Queues => "host queues",
            Self::Controllers => "flash controllers",
            Self::Places => "paths",
            Self::Chips => "chips",
            Self::Collection => "collection",
            Self::Chip(chip) => return format!("chip {chip}"),
        };
        fixed.to_owned()
    }

    const fn rank(self) -> i32 {
        match self {
            Self::Drive | Self::Queues => 0,
            Self::Controllers => 1,
            Self::Places => 2,
            Self::Chips => 3,
            Self::Collection => 4,
            Self::Chip(chip) => chip.cast_signed(),
        }
    }
}

impl RowNames {
    /// Returns the full name of a trace's row (a resource), for use outside the track hierarchy.
    pub fn of(&self, row: ResourceKind, index: u32) -> String {
        match TrackGroup::of(row, index, self) {
            TrackGroup::Chip(chip) => format!("chip {chip} {}", name_of(row, index, self)),
            _ => name_of(row, index, self),
        }
    }
}

fn name_of(row: ResourceKind, index: u32, names: &RowNames) -> String {
    let Geometry { dies_per_chip, planes_per_die, .. } = names.geometry;
    let die_in_chip = |die: u32| die % dies_per_chip;
    let plane = || {
        let die = index / planes_per_die;
        format!("die {} plane {}", die_in_chip(die), index % planes_per_die)
    };
    match row {
        ResourceKind::Queue => format!("queue {index}"),
        ResourceKind::Controller => format!("controller {index}"),
        ResourceKind::Place => names.places[index as usize].clone(),
        ResourceKind::Pins => "pins".to_owned(),
        ResourceKind::Plane => plane(),
        ResourceKind::Die => format!("die {} put aside", die_in_chip(index)),
        ResourceKind::Collection => format!("chip {} {}", index / planes_per_die / dies_per_chip, plane()),
    }
}

/// Returns the identifier of each lane's track, and the descriptors of all tracks. Parents precede their
/// children. Tracks with many slices have small identifiers, which need fewer bytes.
pub(super) fn tracks_of(lanes: &[TrackLane], names: &RowNames) -> (Vec<u64>, Vec<TrackDescriptor>) {
    let mut by_size: Vec<usize> = (0..lanes.len()).collect();
    by_size.sort_by_key(|&lane| std::cmp::Reverse(lanes[lane].slices.len()));
    let mut numbers = vec![0; lanes.len()];
    for (number, lane) in (1..).zip(by_size) {
        numbers[lane] = number;
    }
    let mut groups: BTreeMap<TrackGroup, u64> = BTreeMap::new();
    for lane in lanes {
        let mut group = Some(TrackGroup::of(lane.row, lane.index, names));
        while let Some(one) = group {
            groups.insert(one, 0);
            group = one.parent();
        }
    }
    for (number, uuid) in (lanes.len() as u64 + 1..).zip(groups.values_mut()) {
        *uuid = number;
    }
    let above = groups.iter().map(|(group, &uuid)| TrackDescriptor {
        uuid: Some(uuid),
        name: Some(group.name()),
        parent_uuid: group.parent().map(|parent| groups[&parent]),
        child_ordering: Some(EXPLICIT),
        sibling_order_rank: Some(group.rank()),
    });
    let below = (0..).zip(lanes.iter().zip(&numbers)).map(|(rank, (lane, &uuid))| TrackDescriptor {
        uuid: Some(uuid),
        name: Some(name_of(lane.row, lane.index, names)),
        parent_uuid: Some(groups[&TrackGroup::of(lane.row, lane.index, names)]),
        child_ordering: None,
        sibling_order_rank: Some(rank),
    });
    let all = above.chain(below).collect();
    (numbers, all)
}
