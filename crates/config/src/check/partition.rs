//! Validation of the address ranges of `[partition]`.

use std::ops::Range;

use venice_drive::ftl::{HierarchyLevel, Resources, address_ranges, overfull_plane};
use venice_params::Conflict;

use super::super::settings::{ftl, geometry};
use super::super::table::Config;

const COUNT: &str = "partition.count";

/// List in the section `[partition]`: the keys of the list and of the setting that limits its numbers, the
/// name of a resource, the hierarchy level, and the numbers of the resources of each address range.
type NamedList<'a> = (&'static [&'static str], &'static str, HierarchyLevel, &'a [Vec<u32>]);

fn lists(config: &Config) -> [NamedList<'_>; 4] {
    let partition = &config.partition;
    [
        (&["partition.channels", "array.rows"], "channel", HierarchyLevel::Channel, &partition.channels),
        (&["partition.ways", "array.cols"], "way", HierarchyLevel::Way, &partition.ways),
        (&["partition.dies", "flash.dies_per_chip"], "die", HierarchyLevel::Die, &partition.dies),
        (&["partition.planes", "flash.planes_per_die"], "plane", HierarchyLevel::Plane, &partition.planes),
    ]
}

/// Reports a list whose length is not the number of address ranges.
pub(super) fn wrong_count(config: &Config) -> Option<Conflict> {
    let count = config.partition.count as usize;
    let wrong = |(_, _, _, list): &NamedList<'_>| !list.is_empty() && list.len() != count;
    let (keys, _, _, list) = lists(config).into_iter().find(wrong)?;
    let message =
        format!("`{}` has lists for {} address ranges, but `{COUNT}` is {count}", keys[0], list.len());
    let note = "expected: one list of numbers per range, or no list at all".to_owned();
    Some(Conflict { keys, message, note: Some(note) })
}

/// Reports a list that names a resource which the drive does not have.
pub(super) fn beyond_the_drive(config: &Config) -> Option<Conflict> {
    let drive = geometry(config);
    lists(config).into_iter().find_map(|(keys, name, level, list)| {
        let available = Resources::available(&drive, level);
        let beyond = list.iter().flatten().find(|&&number| number >= available)?;
        let message = format!("`{}` contains {name} {beyond}, but the drive has {available}", keys[0]);
        let note = format!("expected: numbers from 0 to {}", available - 1);
        Some(Conflict { keys, message, note: Some(note) })
    })
}

/// Reports a resource that appears twice in the list of one range.
pub(super) fn twice(config: &Config) -> Option<Conflict> {
    lists(config).into_iter().find_map(|(keys, name, _, list)| {
        let again = list.iter().find_map(|entry| {
            entry.iter().enumerate().find(|(place, number)| entry[..*place].contains(number))
        });
        let message = format!("`{}` contains {name} {} twice for one range", keys[0], again?.1);
        Some(Conflict { keys, message, note: Some("expected: each number once".to_owned()) })
    })
}

/// Reports an address range without pages.
pub(super) fn no_page(config: &Config) -> Option<Conflict> {
    let ranges = address_ranges(&geometry(config), &ftl(config));
    let empty = ranges.iter().position(Range::is_empty)?;
    let message = format!("address range {empty} has no page: too many ranges share its planes");
    let note = "expected: fewer ranges, larger planes, or separate resources for each range".to_owned();
    Some(Conflict { keys: &[COUNT], message, note: Some(note) })
}

/// Reports a plane on which the address ranges leave no free block for garbage collection.
pub(super) fn overfull(config: &Config) -> Option<Conflict> {
    if config.partition.count == 1 {
        return None;
    }
    let pages = overfull_plane(&geometry(config), &ftl(config))?;
    let message = format!(
        "the address ranges fill {pages} pages of one plane, including translation pages, which leaves too few for garbage collection"
    );
    let note = "expected: more over-provisioning, or separate resources for each range".to_owned();
    Some(Conflict { keys: &["ftl.over_provisioning_pct", COUNT], message, note: Some(note) })
}

/// Reports more values of the cache mode than address ranges.
pub(super) fn too_many_modes(config: &Config) -> Option<Conflict> {
    let (modes, count) = (config.cache.modes.len(), config.partition.count);
    if modes <= count as usize {
        return None;
    }
    let message = format!("`cache.modes` has {modes} modes, but there are {count} address ranges");
    let note = format!("expected: at most {count}, or a larger `{COUNT}`");
    Some(Conflict { keys: &["cache.modes", COUNT], message, note: Some(note) })
}
