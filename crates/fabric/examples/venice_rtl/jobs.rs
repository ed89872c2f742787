//! Sources of transfers: random, or from a recorded trace.

use std::error::Error;
use std::path::Path;

use venice_fabric::Direction;
use venice_kernel::RandomStream;
use venice_nand::geometry::ChipId;
use venice_requests::traces::{TraceOptions, open_trace};
use venice_requests::{HostRequest, Op, RequestSource};

use crate::options::Options;

/// Transfer with its earliest start cycle.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub cycle: u64,
    pub chip: ChipId,
    pub direction: Direction,
    pub words: u32,
}

/// Sectors per page of the recorded traces; pages are striped over the chips.
const PAGE_SECTORS: u64 = 8;

/// Returns endless transfers with random chips, directions, lengths and start cycles.
pub fn random(options: &Options) -> Box<dyn Iterator<Item = Job>> {
    let mut stream = RandomStream::new(options.seed, "lockstep/traffic");
    let (chips, words, gap) = (u64::from(options.array.chips()), options.words, options.gap);
    let mut cycle = 0;
    Box::new(std::iter::from_fn(move || {
        cycle += stream.below(2 * gap + 1);
        let direction = if stream.chance(0.5) { Direction::ToChip } else { Direction::FromChip };
        let (chip, words) = (ChipId(stream.below(chips) as u32), 1 + stream.below(words) as u32);
        Some(Job { cycle, chip, direction, words })
    }))
}

/// Returns the pages accessed by a trace's requests, in trace order, with `words` words each, `gap` cycles
/// apart.
pub fn recorded(options: &Options) -> Result<Box<dyn Iterator<Item = Job>>, Box<dyn Error>> {
    let mut trace = open_trace(Path::new(&options.file), &TraceOptions::default())?;
    let mut requests = Vec::new();
    while trace.fill(&mut requests, 1024)? > 0 {}
    let (chips, words, gap) = (u64::from(options.array.chips()), options.words as u32, options.gap);
    let pages = requests.into_iter().flat_map(|request: HostRequest| {
        let pages = request.start_sector / PAGE_SECTORS..request.end_sector().div_ceil(PAGE_SECTORS);
        pages.map(move |page| (page, request.op))
    });
    Ok(Box::new(pages.enumerate().map(move |(number, (page, op))| {
        let direction = if op == Op::Write { Direction::ToChip } else { Direction::FromChip };
        Job { cycle: number as u64 * gap, chip: ChipId((page % chips) as u32), direction, words }
    })))
}
