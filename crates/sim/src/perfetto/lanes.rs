//! Assignment of slices to lanes (tracks of a Perfetto trace). Slices of one lane belong to the same row and
//! do not overlap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use venice_drive::observe::{ResourceKind, Slice};
use venice_kernel::SimTime;

/// Slices of one row that do not overlap, as indices into the list of slices, in order of time.
pub(super) struct TrackLane {
    pub(super) row: ResourceKind,
    pub(super) index: u32,
    pub(super) slices: Vec<u32>,
}

/// Divides the slices of each row into as few lanes as possible. The lanes are ordered by kind and index of
/// their row.
pub(super) fn lanes_of(slices: &[Slice]) -> Vec<TrackLane> {
    let mut places: Vec<u32> = (0..slices.len() as u32).collect();
    let slice = |place: u32| &slices[place as usize];
    places.sort_by_key(|&place| {
        let Slice { row, index, begin, .. } = *slice(place);
        (row, index, begin, slice(place).end())
    });
    let same_row = |one: &u32, other: &u32| {
        (slice(*one).row, slice(*one).index) == (slice(*other).row, slice(*other).index)
    };
    places.chunk_by(same_row).flat_map(|row| lanes_of_row(slices, row)).collect()
}

fn lanes_of_row(slices: &[Slice], places: &[u32]) -> Vec<TrackLane> {
    let mut lanes: Vec<TrackLane> = Vec::new();
    let mut ends: BinaryHeap<Reverse<(SimTime, usize)>> = BinaryHeap::new();
    for &place in places {
        let slice = &slices[place as usize];
        let free =
            ends.peek().filter(|Reverse((end, _))| *end <= slice.begin).map(|Reverse((_, lane))| *lane);
        let lane = free.unwrap_or(lanes.len());
        if free.is_some() {
            ends.pop();
        } else {
            lanes.push(TrackLane { row: slice.row, index: slice.index, slices: Vec::new() });
        }
        ends.push(Reverse((slice.end(), lane)));
        lanes[lane].slices.push(place);
    }
    lanes
}
