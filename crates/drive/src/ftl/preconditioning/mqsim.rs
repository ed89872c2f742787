//! Preconditioning by MQSim's method.
//!
//! # What it models
//! MQSim's initial state, for comparison with its results. For each flow, a share of its pages is selected at
//! random in the flow's address space. The pages are then written to blocks, from the last page to the first.
//! A formula (`mean_field`) gives the number of valid pages in each block. Blocks with more valid pages are
//! filled first. Invalid pages come last in each block.
//!
//! # How
//! The number of blocks with a given number of valid pages is rounded down, and the remaining pages are added
//! to the fullest blocks. Fewer blocks are therefore used than the formula assumes, and the drive starts with
//! more free blocks than the threshold of garbage collection (GC). Each flow has three open blocks in each
//! plane from the start: for data, for the map and for GC. The map occupies flash even if it is ideal.
//!
//! MQSim divides a request into pieces of at most one page. It marks only the first sector of each piece as
//! written, instead of all sectors that the request covers. `precondition.filled_sectors` selects this
//! behaviour.
//!
//! # What is left out
//! Traces: MQSim fills the pages that a trace accesses first. Here random pages are filled, as for uniform
//! requests.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `FTL::Perform_precondition`,
//! `Address_Mapping_Unit_Page_Level::Allocate_address_for_preconditioning`.
//!
//! # Parameters
//! `[precondition]`; with MQSim's files, `Initial_Occupancy_Percentage` and `Working_Set_Percentage` of each
//! flow.

use std::ops::Range;

use venice_kernel::RandomStream;
use venice_nand::geometry::{Lpn, PlaneId};
use venice_requests::SECTOR_BYTES;

use super::ErasedDrive;
use super::mean_field::{self, MeanFieldInputs, ValidPageShares};
use super::mqsim_random::MqsimRandom;
use super::mqsim_range::DrawRange;
use super::mqsim_requests::{AddressDraws, DrawnRequest};
use super::settings::{DrawnRequests, FilledSectors, PageRegion, PreconditionSettings, WritePattern};
use crate::ftl::gc::PlaneShape;
use crate::ftl::space::{KEPT_FOR_COLLECTION, OpenBlockCounts, WriteStream};
use crate::ftl::{Allocation, logical_pages_per_plane, most_logical_pages_per_plane};

/// Maximum share of hot pages. If more pages are hot, MQSim treats the pattern as uniform.
const LARGEST_HOT_SHARE: f64 = 0.3;
/// Minimum ratio of available pages to pages that are selected at random.
pub(super) const ROOM_TO_CHOOSE: f64 = 1.1;
/// Share of the available pages that is filled if there are too few of them. [`ROOM_TO_CHOOSE`] states the
/// number of available pages that is enough.
pub(super) const MAX_OCCUPANCY: f64 = 0.9;
/// Maximum number of requests drawn for each page to be filled. MQSim has no such limit, so its loop might
/// never end.
const MAX_DRAWS: usize = 64;
/// Number of open blocks of each flow in each plane: for data, mapping table and garbage collection.
const OPEN_BLOCKS: u32 = 3;

/// Fills the drive by MQSim's method.
pub(super) fn fill(
    drive: &mut ErasedDrive<'_>,
    settings: &PreconditionSettings,
    cached_pages: Option<u32>,
) -> Vec<Lpn> {
    let mut random = RandomStream::new(settings.seed, "ftl.preconditioning.mqsim");
    let mut warm = Vec::new();
    let flows = settings.regions.len() as u32;
    for plane in (0..drive.shared.geometry.planes()).map(PlaneId) {
        open_blocks_of_flows(drive, plane, flows);
    }
    store_map(drive);
    let fullest = settings.regions.iter().map(|region| region.occupancy).fold(0.0, f64::max);
    for region in &settings.regions {
        let pages = Pages::of(drive, region, &mut random);
        let shape = shape(drive, region, fullest);
        lay(drive, region, &pages.chosen, &shape, 1.0 / f64::from(flows));
        if settings.filled == FilledSectors::FirstOfPieces {
            keep_first_sectors(drive, region, &pages.first_sectors);
        }
        if let Some(entries) = cached_pages {
            warm.extend(warm_pages(&pages, region, entries as usize, settings.seed));
        }
    }
    // Blocks that became full here must not start garbage collection.
    for plane in (0..drive.shared.geometry.planes()).map(PlaneId) {
        drive.shared.space.blocks.planes[plane].owed_collections = 0;
    }
    warm
}

/// Pages of a region that are selected to be filled with data.
struct Pages {
    /// True for each page that is filled, by its index in the region.
    chosen: Vec<bool>,
    /// Pages that the requests of the run may access, in the order in which they were drawn, hot pages first.
    drawn: Vec<u32>,
    /// Number of hot pages that were drawn before the first request outside the hot region.
    hot: usize,
    count: usize,
    /// Bit mask of the sectors at which pieces of drawn requests begin, for each page of the region.
    first_sectors: Vec<u64>,
}

impl Pages {
    fn of(drive: &ErasedDrive<'_>, region: &PageRegion, random: &mut RandomStream) -> Self {
        // In MQSim, the address space of a flow may have a few more pages: the remainder after its division
        // among the planes.
        let of_flow = |flow: &DrawnRequests| {
            flow.sectors.div_ceil(drive.shared.translation.sectors.per_page().into()) as u32
        };
        let all = region.drawn.as_ref().map_or(region.pages.end - region.pages.start, of_flow);
        let wanted = (region.occupancy * f64::from(all)) as u32;
        let mut pages = Self {
            chosen: vec![false; all as usize],
            drawn: Vec::new(),
            hot: 0,
            count: 0,
            first_sectors: Vec::new(),
        };
        match (&region.drawn, pattern(region)) {
            (Some(drawn), pattern) => {
                pages.draw(drawn, pattern, wanted, drive.shared.translation.sectors.per_page());
                pages.drawn.retain(|&page| region.pages.contains(&(region.pages.start + page)));
            }
            (None, WritePattern::Uniform) => pages.spread(region.working_set, wanted, random),
            (None, WritePattern::Sequential) => pages.stream(region.working_set, wanted, random),
            (None, WritePattern::HotCold { region: hot, .. }) => {
                pages.heat(region.working_set, hot, wanted, random);
            }
        }
        if region.drawn.is_none() {
            let in_use = (0..region.working_set).filter(|&page| pages.chosen[page as usize]);
            pages.drawn = in_use.collect();
        }
        pages
    }

    /// Draws requests of a flow until they cover `wanted` pages. Their addresses are in the flow's working
    /// set, or in its whole address space if the working set has too few pages.
    fn draw(&mut self, flow: &DrawnRequests, pattern: WritePattern, wanted: u32, page_sectors: u32) {
        let page = u64::from(page_sectors);
        let range = DrawRange::new(flow, pattern, wanted, page);
        let wanted = (range.wanted as usize).min(self.chosen.len());
        let mut draws = AddressDraws::new(flow, (range.first, range.last), range.hot_end, range.hot_first);
        if pattern == WritePattern::Sequential {
            draws.begin_stream(range.working_set_last);
        }
        let mut cold = Vec::new();
        self.first_sectors = vec![0; self.chosen.len()];
        for _ in 0..MAX_DRAWS * wanted.max(1) {
            if self.count >= wanted {
                break;
            }
            let DrawnRequest { start, sectors, is_hot } = draws.draw(pattern);
            for number in start / page..(start + sectors).div_ceil(page) {
                self.touch(number as usize, start.max(number * page) % page);
                let is_new = (number as usize) < self.chosen.len() && !self.chosen[number as usize];
                if is_new {
                    self.add(number as u32);
                    if number <= range.last_page_in_use {
                        self.note_drawn(number as u32, is_hot, &mut cold);
                    }
                }
            }
        }
        self.drawn.append(&mut cold);
    }

    /// Records a page that the requests of the run may access. Cold pages are collected in `cold`, since they
    /// come after all hot pages in the list of drawn pages.
    fn note_drawn(&mut self, page: u32, is_hot: bool, cold: &mut Vec<u32>) {
        if is_hot {
            return self.drawn.push(page);
        }
        if self.hot == 0 {
            self.hot = self.drawn.len() + cold.len();
        }
        cold.push(page);
    }

    fn all(&self) -> u32 {
        self.chosen.len() as u32
    }

    /// Records that a piece of a request begins at the sector `sector` of a page.
    fn touch(&mut self, page: usize, sector: u64) {
        if let Some(sectors) = self.first_sectors.get_mut(page) {
            *sectors |= 1 << sector;
        }
    }

    fn add(&mut self, page: u32) {
        let chosen = &mut self.chosen[page as usize];
        self.count += usize::from(!*chosen);
        *chosen = true;
    }

    /// Selects `wanted` random pages of the working set, or of the whole address space if the working set has
    /// too few pages.
    fn spread(&mut self, working_set: u32, wanted: u32, random: &mut RandomStream) {
        let enough = |pages: u32| f64::from(pages) >= ROOM_TO_CHOOSE * f64::from(wanted);
        let from = if enough(working_set) { working_set } else { self.all() };
        let wanted = if enough(from) { wanted } else { (f64::from(from) * MAX_OCCUPANCY) as u32 };
        self.choose(0..from, wanted, random);
    }

    /// Selects consecutive pages, beginning with a random one.
    fn stream(&mut self, working_set: u32, wanted: u32, random: &mut RandomStream) {
        let from = if working_set < wanted { self.all() } else { working_set };
        if from > 0 {
            let first = random.below(u64::from(from));
            let pages = (0..u64::from(wanted.min(from))).map(|n| ((first + n) % u64::from(from)) as u32);
            pages.for_each(|page| self.add(page));
        }
    }

    /// Selects all hot pages, and other pages at random. If there are `wanted` or more hot pages, selects
    /// pages by random draws instead. A draw takes a cold page with the probability `hot`, otherwise a hot
    /// page.
    fn heat(&mut self, working_set: u32, hot: f64, wanted: u32, random: &mut RandomStream) {
        let border = (f64::from(working_set) * hot) as u32;
        if border < wanted {
            (0..border).for_each(|page| self.add(page));
            let cold = wanted - border;
            let enough = f64::from(working_set - border) >= ROOM_TO_CHOOSE * f64::from(cold);
            let end = if enough { working_set } else { self.all() };
            return self.choose(border..end, cold.min(end - border), random);
        }
        while self.count < wanted as usize {
            let range = if random.chance(hot) { border..working_set } else { 0..border };
            let page = range.start + random.below(u64::from(range.end - range.start).max(1)) as u32;
            self.add(page.min(self.all() - 1));
        }
    }

    /// Selects `wanted` pages of a range. All sets of this size have the same probability (Knuth, volume 2,
    /// 3.4.2, algorithm S).
    fn choose(&mut self, range: Range<u32>, mut wanted: u32, random: &mut RandomStream) {
        for page in range.clone() {
            if random.below(u64::from(range.end - page)) < u64::from(wanted) {
                self.add(page);
                wanted -= 1;
            }
        }
    }
}

fn pattern(region: &PageRegion) -> WritePattern {
    match region.pattern {
        WritePattern::HotCold { region: hot, .. } if hot > LARGEST_HOT_SHARE => WritePattern::Uniform,
        pattern => pattern,
    }
}

fn shape(drive: &ErasedDrive<'_>, region: &PageRegion, fullest: f64) -> ValidPageShares {
    let blocks = drive.shared.geometry.blocks_per_plane;
    let kept_free = f64::from(drive.settings.gc_start_free_blocks) / f64::from(blocks);
    let raw_density = region.occupancy * (1.0 - drive.settings.over_provisioning_ratio);
    let field = MeanFieldInputs {
        pages: drive.shared.geometry.pages_per_block,
        density: (raw_density / (1.0 - kept_free)).min(1.0 - f64::EPSILON),
        raw_density,
        threshold_occupancy: fullest,
    };
    let shape = PlaneShape { blocks, pages: drive.shared.geometry.pages_per_block };
    let formula = drive.settings.victim.mean_field(&drive.settings.victim_parameters, shape);
    match pattern(region) {
        WritePattern::Uniform => mean_field::uniform(formula, &field),
        WritePattern::Sequential => mean_field::streaming(&field),
        WritePattern::HotCold { region: hot, traffic } => mean_field::hot_cold(formula, &field, hot, traffic),
    }
}

/// Returns the number of valid pages of each block of a plane, in descending order. The blocks contain
/// `count` valid pages in total, and there are at most `goal` blocks.
fn valid_pages(shape: &ValidPageShares, count: u32, goal: u32) -> Vec<u32> {
    let full = shape.len() - 1;
    let shape = moved_to(shape, f64::from(count) / f64::from(goal * full as u32) * full as f64);
    let blocks_with = |valid: usize| (shape[valid] * f64::from(goal)) as u32;
    let placed: u32 = (0..=full).map(|valid| valid as u32 * blocks_with(valid)).sum();
    let (mut left_over, mut unplaced, mut blocks_left) = (count.saturating_sub(placed), count, goal);
    let mut blocks = Vec::new();
    let mut valid = full as u32;
    loop {
        let mut number = blocks_with(valid as usize);
        if number > 0 && left_over > 0 && valid > 0 {
            number += left_over.div_ceil(valid);
            left_over = 0;
        }
        number = number.min(blocks_left);
        blocks_left -= number;
        for _ in 0..number {
            valid = valid.min(unplaced);
            unplaced -= valid;
            blocks.push(valid);
        }
        match valid.checked_sub(1) {
            Some(less) => valid = less,
            None => return blocks,
        }
    }
}

/// Returns the distribution of valid pages, shifted by whole pages so that its mean is `mean`. The share of
/// full blocks does not change.
fn moved_to(shape: &ValidPageShares, mean: f64) -> ValidPageShares {
    let by = (mean - mean_field::mean(shape)) as i64;
    let full = shape.len() - 1;
    let from = |valid: usize| {
        i64::try_from(valid)
            .ok()
            .and_then(|valid| usize::try_from(valid - by).ok())
            .filter(|&from| from < full)
    };
    let share =
        |valid: usize| if valid == full { shape[full] } else { from(valid).map_or(0.0, |n| shape[n]) };
    (0..=full).map(share).collect()
}

/// Returns the pages whose entries fill a mapping table of `entries` entries: hot pages for the share `share`
/// of the entries, other pages for the rest. As in MQSim, the first `pages.hot` of the other pages are
/// skipped, and the number of hot pages is subtracted twice from the number of entries.
fn hot_first(pages: &Pages, share: f64, entries: usize) -> Vec<u32> {
    let hot = ((share * entries as f64) as usize).min(pages.hot);
    let drawn = pages.drawn.iter().copied();
    let others = drawn.clone().skip(hot + pages.hot).take(entries.saturating_sub(2 * hot));
    drawn.take(hot).chain(others).collect()
}

/// Opens blocks of a plane for the data, the mapping table and the garbage collection of each flow. In
/// Venice, flows share open blocks, so the blocks that MQSim would open for further flows are marked as
/// unusable.
fn open_blocks_of_flows(drive: &mut ErasedDrive<'_>, plane: PlaneId, flows: u32) {
    let OpenBlockCounts { host, map } = drive.settings.streams();
    let streams = (0..host).map(WriteStream::Host).chain((0..map).map(WriteStream::Mapping));
    for stream in streams.chain([WriteStream::Collection]) {
        drive.shared.space.blocks.open_early(plane, stream);
    }
    let opened = u32::from(host) + u32::from(map) + 1;
    keep_from_use(drive, plane, (OPEN_BLOCKS * flows).saturating_sub(opened));
}

/// Marks up to `blocks` blocks of a plane as unusable. Blocks that host writes may need are excluded.
fn keep_from_use(drive: &mut ErasedDrive<'_>, plane: PlaneId, blocks: u32) {
    let pages = drive.shared.geometry.pages_per_block;
    let logical = match drive.settings.allocation {
        Allocation::Static(_) => {
            let ratio = drive.settings.over_provisioning_ratio;
            drive
                .shared
                .translation
                .addresses
                .pages_of(plane, logical_pages_per_plane(&drive.shared.geometry, ratio))
        }
        _ => most_logical_pages_per_plane(&drive.shared.geometry, drive.settings.units),
    };
    let needed = (logical + 1).div_ceil(pages) + KEPT_FOR_COLLECTION;
    let spare = drive.shared.geometry.blocks_per_plane.saturating_sub(needed);
    let plane = &mut drive.shared.space.blocks.planes[plane];
    for _ in 0..blocks.min(spare).min(plane.free_blocks().saturating_sub(KEPT_FOR_COLLECTION)) {
        plane.keep_from_use();
    }
}

/// Programs the translation pages. An ideal mapping table is never read from flash, so the blocks that its
/// translation pages would fill are only marked as unusable.
fn store_map(drive: &mut ErasedDrive<'_>) {
    for lpn in (drive.shared.translation.host_pages()..drive.shared.translation.map.logical_pages()).map(Lpn)
    {
        let plane = drive.shared.translation.addresses.place(lpn).0;
        let stream = drive.settings.streams().of_map(drive.shared.translation.range_of(lpn));
        drive.plane_locations().place(plane, lpn, stream);
    }
    if !drive.shared.translation.is_paged {
        let pages = drive.shared.translation.host_pages()
            / entries_of_a_map_page(drive)
            / drive.shared.geometry.planes();
        for plane in (0..drive.shared.geometry.planes()).map(PlaneId) {
            keep_from_use(drive, plane, pages / drive.shared.geometry.pages_per_block);
        }
    }
}

/// Returns the number of entries in a translation page of MQSim. Each entry consists of a page number and one
/// bit for each sector, in whole bytes.
fn entries_of_a_map_page(drive: &ErasedDrive<'_>) -> u32 {
    let bits = libm::log2(drive.shared.geometry.pages() as f64)
        + f64::from(drive.shared.geometry.page_bytes / SECTOR_BYTES);
    (drive.shared.geometry.page_bytes / (bits / 8.0).ceil() as u32).max(1)
}

/// Writes the selected pages of a region to blocks of the region's planes.
fn lay(
    drive: &mut ErasedDrive<'_>,
    region: &PageRegion,
    chosen: &[bool],
    shape: &ValidPageShares,
    share: f64,
) {
    let planes = drive.shared.geometry.planes();
    let pages = || region.pages.clone().zip(chosen).filter(|(_, chosen)| **chosen);
    let mut counts = vec![0_u32; planes as usize];
    for (lpn, _) in pages() {
        counts[drive.shared.translation.addresses.place(Lpn(lpn)).0.index()] += 1;
    }
    let spare = drive.settings.gc_start_free_blocks / 2;
    let goal = (f64::from(drive.shared.geometry.blocks_per_plane.saturating_sub(spare)) * share) as u32;
    let plans: Vec<Vec<u32>> = counts.iter().map(|&count| valid_pages(shape, count, goal.max(1))).collect();
    let mut next = vec![NextPage::default(); planes as usize];
    for (lpn, _) in pages().rev() {
        let plane = drive.shared.translation.addresses.place(Lpn(lpn)).0;
        lay_page(drive, plane, Lpn(lpn), &plans[plane.index()], &mut next[plane.index()]);
    }
    for (plane, (plan, NextPage { block, .. })) in (0..).map(PlaneId).zip(plans.iter().zip(next)) {
        // Blocks without a valid page come last.
        let empty = plan.iter().skip(block).filter(|&&valid| valid == 0).count();
        for _ in 0..empty {
            fill_up_block(drive, plane);
        }
    }
}

/// Position in a plane at which the next page is written.
#[derive(Clone, Copy, Default)]
struct NextPage {
    /// Index of the block in the list of the plane's blocks to be filled.
    block: usize,
    /// Number of valid pages written to the block so far.
    laid: u32,
}

fn lay_page(drive: &mut ErasedDrive<'_>, plane: PlaneId, lpn: Lpn, plan: &[u32], next: &mut NextPage) {
    let NextPage { block, laid } = next;
    let Some(&valid) = plan.get(*block) else { return };
    if valid == 0 || !has_block_to_fill(drive, plane) {
        return;
    }
    drive.plane_locations().place(plane, lpn, WriteStream::Host(0));
    *laid += 1;
    if *laid == valid {
        (*block, *laid) = (*block + 1, 0);
        if valid < drive.shared.geometry.pages_per_block {
            fill_up_block(drive, plane);
        }
    }
}

/// Marks only some sectors of a region's pages as containing data. `sectors` has a bit mask of these sectors
/// for each page of the region.
fn keep_first_sectors(drive: &mut ErasedDrive<'_>, region: &PageRegion, sectors: &[u64]) {
    if !drive.settings.unwritten_data.is_absent() {
        return;
    }
    let whole = drive.shared.translation.sectors.bits();
    for (lpn, &sectors) in region.pages.clone().map(Lpn).zip(sectors) {
        if drive.shared.translation.map.physical(lpn).is_some() {
            drive.shared.translation.map.keep_sectors(lpn, sectors, whole);
        }
    }
}

/// Returns true if a plane has a free page for the host and a reserved block for garbage collection.
fn has_block_to_fill(drive: &ErasedDrive<'_>, plane: PlaneId) -> bool {
    let is_open =
        drive.shared.space.blocks.next_offset(plane, WriteStream::Host(0)).is_some_and(|offset| offset > 0);
    is_open || drive.shared.space.blocks.planes[plane].free_blocks() > KEPT_FOR_COLLECTION + 1
}

/// Marks the free pages of a plane's open block for host writes as invalid.
fn fill_up_block(drive: &mut ErasedDrive<'_>, plane: PlaneId) {
    if has_block_to_fill(drive, plane) {
        drive.shared.space.blocks.fill_up(plane);
    }
}

/// Returns pages that the requests of the run may access, as many as the cached mapping table has entries. By
/// default, these are every n-th of the drawn pages. For a sequential flow, they are the last drawn pages.
/// For hot and cold pages, [`hot_first`] selects them.
fn warm_pages(
    pages: &Pages,
    region: &PageRegion,
    entries: usize,
    seed: u64,
) -> impl Iterator<Item = Lpn> + use<> {
    let room = entries.min(pages.drawn.len());
    let mut random = MqsimRandom::new(seed as u32);
    // MQSim draws a start address here, but uses only the bounds of the draw.
    random.within(0, 1);
    let drawn = pages.drawn.iter().copied();
    let chosen: Vec<u32> = match pattern(region) {
        WritePattern::Sequential => drawn.rev().take(room).collect(),
        WritePattern::Uniform => {
            let most = pages.drawn.len() / room.max(1);
            let step = random.within(0, most as u64) as usize;
            drawn.skip(step).step_by(step + 1).take(room).collect()
        }
        WritePattern::HotCold { region: share, .. } => hot_first(pages, share, entries),
    };
    let first = region.pages.start;
    chosen.into_iter().map(move |page| Lpn(first + page))
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::ftl::Ftl;
    use crate::ftl::gc::{MeanField, VictimParameters};
    use crate::ftl::preconditioning::settings::{DrawnSize, PreconditionMode};
    use crate::ftl::pump::Pump;
    use crate::ftl::{UnwrittenData, VictimPolicy};
    use crate::testkit::settings::SmallDrive;

    /// Returns the inputs for 256 blocks of 256 pages, 7 % over-provisioning, a threshold of 12 free blocks,
    /// and an occupancy of 80 %.
    fn field() -> MeanFieldInputs {
        let raw_density = 0.8 * (1.0 - 0.07);
        let density = raw_density / (1.0 - 12.0 / 256.0);
        MeanFieldInputs { pages: 256, density, raw_density, threshold_occupancy: 0.8 }
    }

    fn formula(policy: VictimPolicy) -> MeanField {
        policy.mean_field(&VictimParameters::default(), PlaneShape { blocks: 256, pages: 256 })
    }

    #[test]
    fn a_table_is_warmed_with_hot_pages_and_past_as_many_others() {
        let pages = Pages {
            chosen: Vec::new(),
            drawn: (0..100).collect(),
            hot: 10,
            count: 0,
            first_sectors: Vec::new(),
        };
        let expected = |hot: u32, others: std::ops::Range<u32>| (0..hot).chain(others).collect::<Vec<u32>>();
        assert_eq!(hot_first(&pages, 0.1, 40), expected(4, 14..46), "four entries are the hot pages' share");
        assert_eq!(hot_first(&pages, 0.1, 1_000), expected(10, 20..100), "ten cold pages are never there");
    }

    #[test]
    fn blocks_have_the_same_valid_pages_as_in_mqsim() {
        // Values of the first plane in a run of MQSim with RGA: 48,689 pages, in at most 256 − 12 / 2 blocks.
        let blocks = valid_pages(&mean_field::uniform(formula(VictimPolicy::Rga), &field()), 48_689, 250);
        let runs = [(252, 252, 43), (240, 251, 1), (157, 239, 2), (144, 156, 1), (89, 89, 1)];
        let run = |(least, most, times)| (least..=most).rev().flat_map(move |valid| vec![valid; times]);
        assert_eq!(blocks, runs.into_iter().flat_map(run).collect::<Vec<u32>>());
    }

    #[test]
    fn every_page_finds_a_block_under_every_policy() {
        for &policy in VictimPolicy::ALL {
            let shape = mean_field::uniform(formula(policy), &field());
            assert!((shape.iter().sum::<f64>() - 1.0).abs() < 0.01, "{policy:?}");
            let blocks = valid_pages(&shape, 48_689, 250);
            assert_eq!(blocks.iter().sum::<u32>(), 48_689, "{policy:?}");
            assert!(blocks.len() <= 250 && blocks.is_sorted_by(|a, b| a >= b), "{policy:?}");
        }
    }

    fn region(working_set: u32, occupancy: f64, pattern: WritePattern) -> PageRegion {
        PageRegion { pages: 0..1000, working_set, occupancy, pattern, drawn: None, traffic: 1.0 }
    }

    fn chosen(region: &PageRegion) -> Vec<u32> {
        let drive = SmallDrive::new(1, 1);
        let mut ftl = Ftl::new(drive.geometry, drive.ftl, &drive.flash, false);
        let Pump { shared, collector, .. } = &mut ftl.pump;
        let erased = ErasedDrive { settings: &ftl.settings, collector, shared };
        let pages = Pages::of(&erased, region, &mut RandomStream::new(1, "test"));
        (0..1000).filter(|&page| pages.chosen[page as usize]).collect()
    }

    #[test]
    fn a_working_set_with_room_to_choose_is_kept_to_and_another_is_not() {
        let within = chosen(&region(800, 0.7, WritePattern::Uniform));
        assert!(within.len() == 700 && within.iter().all(|&page| page < 800));
        let beyond = chosen(&region(800, 0.8, WritePattern::Uniform));
        assert!(beyond.len() == 800 && beyond.iter().any(|&page| page >= 950));
        assert_eq!(chosen(&region(1000, 0.95, WritePattern::Uniform)).len(), 900, "0.9 at most");
    }

    #[test]
    fn hot_pages_all_hold_data_and_streams_are_without_gaps() {
        let pattern = WritePattern::HotCold { region: 0.2, traffic: 0.8 };
        let hot = chosen(&region(1000, 0.5, pattern));
        assert!(hot.len() == 500 && hot.iter().take(200).copied().eq(0..200));
        let stream = chosen(&region(1000, 0.5, WritePattern::Sequential));
        let gaps = stream.windows(2).filter(|pair| pair[0] + 1 != pair[1]).count();
        assert!(stream.len() == 500 && gaps <= 1, "but for where it begins anew");
    }

    #[test]
    fn the_first_sectors_of_pieces_hold_data_and_the_map_stays_whole() {
        let mut drive = SmallDrive::new(1, 1);
        drive.geometry.blocks_per_plane = 64;
        drive.ftl.unwritten_data = UnwrittenData::MappedOnRead;
        let mut ftl = Ftl::new(drive.geometry, drive.ftl, &drive.flash, false);
        let drawn = DrawnRequests {
            first_sector: 0,
            sectors: 500 * 8,
            working_set_ratio: 1.0,
            seed: 5,
            has_hot_seeds: false,
            alignment: Some(2),
            size: DrawnSize::Fixed(8),
        };
        let pages = 0..500;
        let region = PageRegion { pages, drawn: Some(drawn), ..region(500, 0.5, WritePattern::Uniform) };
        let settings = PreconditionSettings {
            mode: PreconditionMode::Mqsim,
            filled: FilledSectors::FirstOfPieces,
            regions: vec![region],
            settling_turns: 4.0,
            gc_pace: crate::ftl::GcPace::AtOnce,
            seed: 1,
        };
        ftl.precondition(&settings);
        let filled: Vec<Lpn> =
            (0..500).map(Lpn).filter(|&lpn| ftl.translation().map.physical(lpn).is_some()).collect();
        assert!(filled.len() >= 240, "{} pages", filled.len());
        for lpn in filled {
            let ppn = ftl.translation().map.physical(lpn).unwrap();
            assert_eq!(ftl.translation().map.logical(ppn), Some(lpn), "its page knows it");
            let sectors = ftl.translation().map.written_sectors(lpn, 0xff);
            assert!(sectors != 0 && sectors & !0b0101_0101 == 0, "pieces begin at even sectors: {sectors:b}");
        }
    }
}
