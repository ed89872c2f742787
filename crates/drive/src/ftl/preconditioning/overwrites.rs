//! Selection of the pages of a plane that preconditioning writes, and of the pages that it then overwrites.

use std::ops::Range;

use venice_kernel::RandomStream;

use super::ErasedDrive;
use super::settings::{PageRegion, PreconditionSettings, WritePattern};

/// Average number of overwrites per page (turns) after which the pages of a group are in steady state.
const TURNS_OF_A_PART: f64 = 2.0;
/// Maximum average number of overwrites per page (turns) before the run. A group that needs more would not
/// reach steady state in the run either.
const MAX_TURNS: f64 = 24.0;

/// Group of pages in a plane that are overwritten equally often.
#[derive(Clone, Debug)]
struct OverwrittenPages {
    range: Range<u32>,
    /// Pages of the group that hold data, in ascending order.
    written: Vec<u32>,
    /// Share of all overwrites that go to this group.
    traffic: f64,
    in_order: bool,
}

/// Plan of preconditioning writes: the pages of a plane to be written, and the frequency of their overwrites.
#[derive(Clone, Debug)]
pub(super) struct OverwritePlan {
    parts: Vec<OverwrittenPages>,
    /// Average number of overwrites per page (turns) after which uniform overwrites have reached steady
    /// state.
    settling_turns: f64,
}

/// Position of the next page to be overwritten in each group. Used for groups that are overwritten in the
/// order of page numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct OverwriteProgress(Vec<usize>);

impl OverwritePlan {
    /// Creates the plan that writes the first pages of each region once, without overwrites.
    pub(super) fn in_order(drive: &ErasedDrive<'_>, settings: &PreconditionSettings) -> Self {
        let part = |region: &PageRegion| {
            let range = in_plane(drive, region);
            let count = share(range.len(), region.occupancy);
            OverwrittenPages {
                written: range.clone().take(count).collect(),
                range,
                traffic: 0.0,
                in_order: true,
            }
        };
        Self { parts: settings.regions.iter().map(part).collect(), settling_turns: 0.0 }
    }

    /// Creates the plan that writes the configured share of each region's pages, and then overwrites them.
    pub(super) fn at_random(drive: &ErasedDrive<'_>, settings: &PreconditionSettings) -> Self {
        let mut random = RandomStream::new(settings.seed, "ftl.preconditioning.pages");
        let mut parts = Vec::new();
        for region in &settings.regions {
            for (range, traffic) in split(&in_plane(drive, region), region.pattern) {
                let in_order = region.pattern == WritePattern::Sequential;
                let count = share(range.len(), region.occupancy);
                let written = if in_order {
                    range.clone().take(count).collect()
                } else {
                    subset(&range, count, &mut random)
                };
                parts.push(OverwrittenPages { range, written, traffic: region.traffic * traffic, in_order });
            }
        }
        let total: f64 = parts.iter().filter(|part| !part.written.is_empty()).map(|part| part.traffic).sum();
        for part in &mut parts {
            part.traffic = if part.written.is_empty() || total <= 0.0 { 0.0 } else { part.traffic / total };
        }
        Self { parts, settling_turns: settings.settling_turns }
    }

    /// Returns the number of pages that hold data.
    pub(super) fn pages(&self) -> usize {
        self.parts.iter().map(|part| part.written.len()).sum()
    }

    /// Iterates over the pages that hold data, group by group, in the order of page numbers in each group.
    pub(super) fn written(&self) -> impl Iterator<Item = u32> + '_ {
        self.parts.iter().flat_map(|part| part.written.iter().copied())
    }

    /// Returns the number of overwrites after which the plane is in steady state.
    pub(super) fn settling_writes(&self) -> u64 {
        let pages = self.pages() as f64;
        let own =
            |part: &OverwrittenPages| TURNS_OF_A_PART * part.written.len() as f64 / (part.traffic * pages);
        let touched = self.parts.iter().filter(|part| part.traffic > 0.0);
        let turns = touched.map(own).fold(0.0, f64::max).min(MAX_TURNS).max(self.settling_turns);
        if self.is_still() { 0 } else { (turns * pages).ceil() as u64 }
    }

    /// Returns true if the plan contains no overwrites, so that each page stays where it was first written.
    pub(super) fn is_still(&self) -> bool {
        self.parts.iter().all(|part| part.traffic <= 0.0)
    }

    /// Returns true if all overwrites are in the order of page numbers, and therefore equal in all planes.
    pub(super) fn is_in_step(&self) -> bool {
        self.parts.iter().all(|part| part.in_order)
    }

    /// Returns ranges of interchangeable pages: all pages of a range have the same probability of being
    /// overwritten.
    pub(super) fn alike(&self) -> Vec<Range<u32>> {
        let alike = self.parts.iter().filter(|part| !part.in_order && !part.range.is_empty());
        alike.map(|part| part.range.clone()).collect()
    }

    /// Returns the page to be overwritten next, at random or in the order of page numbers.
    #[inline]
    pub(super) fn draw(&self, position: &mut OverwriteProgress, random: &mut RandomStream) -> Option<u32> {
        let part = self.part(random)?;
        let OverwrittenPages { written, in_order, .. } = &self.parts[part];
        if !in_order {
            return Some(written[random.below(written.len() as u64) as usize]);
        }
        position.0.resize(self.parts.len(), 0);
        let place = position.0[part];
        position.0[part] = (place + 1) % written.len();
        Some(written[place])
    }

    #[inline]
    fn part(&self, random: &mut RandomStream) -> Option<usize> {
        let has_traffic = |part: &OverwrittenPages| part.traffic > 0.0;
        if let [only] = self.parts.as_slice() {
            return has_traffic(only).then_some(0);
        }
        let mut left = random.unit();
        for (number, part) in self.parts.iter().enumerate() {
            left -= part.traffic;
            if left < 0.0 && has_traffic(part) {
                return Some(number);
            }
        }
        self.parts.iter().rposition(has_traffic)
    }
}

/// Returns true if all planes have equal shares of the same address range, so that one plane can represent
/// all of them.
pub(super) fn has_like_planes(drive: &ErasedDrive<'_>) -> bool {
    let planes_differ = drive.settings.bad_blocks.differ() && !drive.settings.allocation.is_striped();
    drive.shared.translation.addresses.len() == 1
        && !planes_differ
        && drive.shared.translation.addresses.planes(0).len() == drive.data_planes() as usize
}

/// Returns the pages of a region as indices within a plane. If planes differ, returns all logical pages of
/// the region.
fn in_plane(drive: &ErasedDrive<'_>, region: &PageRegion) -> Range<u32> {
    if !has_like_planes(drive) {
        return region.pages.clone();
    }
    let planes = drive.data_planes();
    region.pages.start.div_ceil(planes)..(region.pages.end / planes).max(region.pages.start.div_ceil(planes))
}

/// Divides a region into its hot and its cold part. Returns each part with its share of the writes.
fn split(range: &Range<u32>, pattern: WritePattern) -> Vec<(Range<u32>, f64)> {
    let WritePattern::HotCold { region, traffic } = pattern else { return vec![(range.clone(), 1.0)] };
    let border = range.start + share(range.len(), region) as u32;
    vec![(range.start..border, traffic), (border..range.end, 1.0 - traffic)]
}

fn share(of: usize, ratio: f64) -> usize {
    (of as f64 * ratio).round() as usize
}

/// Returns `count` different numbers of a range in ascending order. All sets of this size have the same
/// probability.
///
/// Source: Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S.
fn subset(range: &Range<u32>, count: usize, random: &mut RandomStream) -> Vec<u32> {
    let mut chosen = Vec::with_capacity(count);
    for number in range.clone() {
        let (left, wanted) = (u64::from(range.end - number), count - chosen.len());
        if left == wanted as u64 || random.below(left) < wanted as u64 {
            chosen.push(number);
        }
    }
    chosen
}
