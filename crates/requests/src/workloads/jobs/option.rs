//! Parsing of those fio options that are simulated.

use venice_kernel::SimSpan;

use super::super::spec::{AddressPattern, SizeChoice};
use super::JobProblem;
use super::lines::JobOption;
use super::values::{KbBase, bytes, span_us};
use crate::SteadyFigure;
use crate::request::{MOST_RANGES, SECTOR_BYTES};

/// Options of a job. `None` stands for fio's default.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of fio's")]
#[derive(Clone, Debug, Default)]
pub(super) struct FioJob {
    pub(super) kb_base: KbBase,
    pub(super) kind: ReadWriteMode,
    pub(super) read_pct: Option<u64>,
    pub(super) block_bytes: ByDirection<u64>,
    pub(super) split: ByDirection<Vec<SizeChoice>>,
    pub(super) align_bytes: ByDirection<u64>,
    pub(super) depth: Option<u64>,
    pub(super) synchronous: Option<String>,
    pub(super) without_map: bool,
    /// True if each block is accessed once, in random order, with or without fio's map of accessed blocks.
    pub(super) visits_once: bool,
    pub(super) distribution: Option<AddressPattern>,
    pub(super) random_pct: ByDirection<u64>,
    pub(super) bytes_per_s: ByDirection<u64>,
    pub(super) iops: ByDirection<u64>,
    pub(super) poisson: bool,
    pub(super) think: SimSpan,
    pub(super) think_requests: Option<u64>,
    /// Weight of the job in its group, from `flow`.
    pub(super) flow_weight: Option<u32>,
    pub(super) flow_group: u32,
    pub(super) flow_pause: SimSpan,
    pub(super) runtime: Option<SimSpan>,
    pub(super) time_based: bool,
    pub(super) most_requests: Option<u64>,
    /// Number of ranges of each trim.
    pub(super) trim_ranges: Option<u32>,
    pub(super) clones: Option<u64>,
    pub(super) size: Option<JobSize>,
    pub(super) io_bytes: Option<u64>,
    pub(super) loops: Option<u64>,
    pub(super) offset: Option<JobSize>,
    pub(super) offset_step: Option<JobSize>,
    pub(super) offset_align_bytes: Option<u64>,
    pub(super) start: SimSpan,
    pub(super) ramp: SimSpan,
    pub(super) steady: Option<SteadyRule>,
    pub(super) steady_window: SimSpan,
    pub(super) steady_interval: Option<SimSpan>,
    pub(super) steady_ramp: SimSpan,
    pub(super) group_reporting: bool,
    pub(super) new_group: bool,
    /// Number of writes before each flush, from `fsync` or `fdatasync`.
    pub(super) fsync: Option<u64>,
    pub(super) fdatasync: Option<u64>,
    /// True if a write is complete only when its data is durable, from `sync`.
    pub(super) writes_are_durable: bool,
    /// True if every write has forced unit access (FUA), from `writefua`.
    pub(super) writes_are_forced: bool,
    /// Problem of a job that uses the host's page cache, from `direct` or `buffered`.
    pub(super) page_cache: Option<JobProblem>,
    /// Line number of the option `stonewall`, if set.
    pub(super) after_others: Option<usize>,
    /// Line number of the option `exitall`, if set.
    pub(super) ends_others: Option<usize>,
}

/// Value of the option `ss`, the steady-state criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SteadyRule {
    pub(super) figure: SteadyFigure,
    pub(super) by_slope: bool,
    pub(super) limit: f64,
    pub(super) limit_is_pct: bool,
}

/// Separate values for reads, writes and trims.
pub(super) type ByDirection<T> = [Option<T>; 3];

/// Value of the option `rw`: the operations of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "fio combines these four in one value")]
pub(super) struct ReadWriteMode {
    pub(super) random: bool,
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// True if the job trims blocks. With writes, each block is trimmed and then written.
    pub(super) trims: bool,
}

/// Value of the option `size` or `offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum JobSize {
    Bytes(u64),
    DrivePct(f64),
}

/// I/O engines that keep one request outstanding.
const SYNCHRONOUS: &[&str] = &["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice"];
/// I/O engines that do not read or write data.
const WITHOUT_REQUESTS: &[&str] = &[
    "cpuio",
    "exec",
    "net",
    "netsplice",
    "rdma",
    "falloc",
    "ftruncate",
    "e4defrag",
    "filecreate",
    "filestat",
    "filedelete",
    "dircreate",
    "dirstat",
    "dirdelete",
];

const SECOND_US: f64 = 1e6;
/// Maximum weight of a job in its group (fio 3.32, `flow.h`: `FLOW_MAX_WEIGHT`).
const MAX_FLOW_WEIGHT: u64 = 1_000;
/// Maximum value of `flow_sleep`, in µs.
const MAX_FLOW_PAUSE_US: u64 = 1_000_000_000;
/// Maximum number of writes between flushes.
const FLUSH_EVERY: u64 = 1_000_000_000;

/// Sets the option called `name` in `job`. The key of `entry` may be an alias of this name.
pub(super) fn apply(job: &mut FioJob, name: &str, entry: &JobOption<'_>) -> Result<(), JobProblem> {
    match name {
        "kb_base" => job.kb_base = kb_base(entry)?,
        "rw" => job.kind = kind(entry)?,
        "rwmixread" => job.read_pct = Some(entry.number(0, 100)?),
        "rwmixwrite" => job.read_pct = Some(100 - entry.number(0, 100)?),
        "bs" => job.block_bytes = each_number(entry, |one| block(one, job.kb_base))?,
        "bssplit" => job.split = each(entry, |one| split(one, job.kb_base))?,
        "blockalign" => job.align_bytes = each_number(entry, |one| sectors(&number_of(one), job.kb_base))?,
        "iodepth" => job.depth = Some(depth(entry)?),
        // Number of requests collected before submission. Not simulated, since fio submits collected requests
        // before it waits for anything.
        "iodepth_batch" => drop(entry.number(0, 65_536)?),
        "ioengine" => job.synchronous = synchronous(entry)?,
        "direct" => job.page_cache = page_cache(entry, true)?,
        "buffered" => job.page_cache = page_cache(entry, false)?,
        "filename" | "directory" => one_file(entry)?,
        "norandommap" => job.without_map = entry.switch()?,
        "random_generator" => job.visits_once = visits_once(entry)?,
        "random_distribution" => job.distribution = distribution(entry)?,
        "percentage_random" => job.random_pct = each(entry, |one| one.number(0, 100))?,
        _ => apply_time_and_extent(job, name, entry)?,
    }
    Ok(())
}

fn apply_time_and_extent(job: &mut FioJob, name: &str, entry: &JobOption<'_>) -> Result<(), JobProblem> {
    match name {
        "rate" => job.bytes_per_s = each(entry, |one| one.bytes(job.kb_base))?,
        "rate_iops" => job.iops = each(entry, |one| one.bytes(job.kb_base))?,
        "rate_process" => job.poisson = poisson(entry)?,
        "thinktime" => job.think = entry.span(1.0)?,
        "thinktime_blocks" => job.think_requests = Some(entry.number(1, 1_000_000_000)?),
        "flow" => {
            job.flow_weight = Some(entry.number(0, MAX_FLOW_WEIGHT)? as u32).filter(|&weight| weight > 0);
        }
        "flow_id" => job.flow_group = entry.number(0, u64::from(u32::MAX))? as u32,
        "flow_sleep" => job.flow_pause = flow_pause(entry)?,
        "loops" => job.loops = Some(entry.number(1, 1_000_000_000)?),
        "ramp_time" => job.ramp = entry.span(SECOND_US)?,
        "runtime" => job.runtime = Some(entry.span(SECOND_US)?).filter(|span| !span.is_zero()),
        "time_based" => job.time_based = entry.switch()?,
        "number_ios" => job.most_requests = Some(entry.number(1, 1_000_000_000_000)?),
        "num_range" => job.trim_ranges = Some(entry.number(1, u64::from(MOST_RANGES))? as u32),
        "numjobs" => job.clones = Some(entry.number(1, 1024)?),
        "size" => job.size = Some(size(entry, job.kb_base)?),
        "io_size" => job.io_bytes = Some(entry.bytes(job.kb_base)?),
        "offset" => job.offset = Some(offset(entry, job.kb_base)?),
        "offset_increment" => job.offset_step = Some(offset(entry, job.kb_base)?),
        "offset_align" => job.offset_align_bytes = Some(sectors(entry, job.kb_base)?),
        "startdelay" => job.start = entry.span(SECOND_US)?,
        "stonewall" => job.after_others = entry.switch()?.then_some(entry.line),
        "exitall" => job.ends_others = entry.switch()?.then_some(entry.line),
        _ => apply_steady_state(job, name, entry)?,
    }
    Ok(())
}

fn apply_steady_state(job: &mut FioJob, name: &str, entry: &JobOption<'_>) -> Result<(), JobProblem> {
    match name {
        "steadystate" => job.steady = Some(steady(entry, job.kb_base)?),
        "steadystate_duration" => job.steady_window = entry.span(SECOND_US)?,
        "steadystate_ramp_time" => job.steady_ramp = entry.span(SECOND_US)?,
        "steadystate_check_interval" => job.steady_interval = Some(steady_interval(entry)?),
        "fsync" => job.fsync = every(entry)?,
        "fdatasync" => job.fdatasync = every(entry)?,
        "sync" => job.writes_are_durable = is_durable(entry)?,
        "writefua" => job.writes_are_forced = entry.switch()?,
        "group_reporting" => job.group_reporting = entry.switch()?,
        "new_group" => job.new_group = entry.switch()?,
        _ => {
            return Err(JobProblem::new(
                entry.line,
                format!("`{name}` is not handled; this is a bug in Venice"),
            ));
        }
    }
    Ok(())
}

/// Parses a number of writes between flushes; 0 stands for no flushes.
fn every(entry: &JobOption<'_>) -> Result<Option<u64>, JobProblem> {
    Ok(Some(entry.number(0, FLUSH_EVERY)?).filter(|&writes| writes > 0))
}

/// Returns true if a write is complete only when its data is durable.
fn is_durable(entry: &JobOption<'_>) -> Result<bool, JobProblem> {
    match entry.value {
        None | Some("1" | "sync" | "dsync") => Ok(true),
        Some("0" | "none") => Ok(false),
        Some(_) => Err(entry.wrong("none, 0, sync, 1 or dsync")),
    }
}

/// Parses an option with separate values for reads, writes and trims.
fn each<T>(
    entry: &JobOption<'_>,
    mut read: impl FnMut(&JobOption<'_>) -> Result<T, JobProblem>,
) -> Result<ByDirection<T>, JobProblem> {
    read_each(entry.by_direction()?, &mut read)
}

/// Parses an option with separate numbers for reads, writes and trims.
fn each_number<T>(
    entry: &JobOption<'_>,
    mut read: impl FnMut(&JobOption<'_>) -> Result<T, JobProblem>,
) -> Result<ByDirection<T>, JobProblem> {
    read_each(entry.numbers_by_direction()?, &mut read)
}

fn read_each<T>(
    [reads, writes, trims]: [Option<JobOption<'_>>; 3],
    mut read: impl FnMut(&JobOption<'_>) -> Result<T, JobProblem>,
) -> Result<ByDirection<T>, JobProblem> {
    Ok([
        reads.as_ref().map(&mut read).transpose()?,
        writes.as_ref().map(&mut read).transpose()?,
        trims.as_ref().map(&mut read).transpose()?,
    ])
}

/// Parses a queue depth. As in fio, 0 is an error.
fn depth(entry: &JobOption<'_>) -> Result<u64, JobProblem> {
    let expected = "a whole number from 1 to 65536, as in fio, which refuses a depth of 0";
    match entry.number(0, 65_536)? {
        0 => Err(entry.wrong(expected)),
        depth => Ok(depth),
    }
}

/// Returns the number at the start of an entry of a list of sizes and shares. As in fio, it ends at a `/`.
fn number_of<'a>(entry: &JobOption<'a>) -> JobOption<'a> {
    JobOption { value: entry.value.and_then(|value| value.split('/').next()), ..*entry }
}

/// Returns a problem if requests use the host's page cache. A later option can solve it.
fn page_cache(entry: &JobOption<'_>, expected: bool) -> Result<Option<JobProblem>, JobProblem> {
    let is_bypassed = entry.switch()? == expected;
    let expected = format!("{}, since the host's page cache is not simulated", u8::from(expected));
    Ok((!is_bypassed).then(|| entry.wrong(&expected)))
}

/// Returns an error if the job has several files. In fio, a colon separates file names unless it follows a
/// backslash.
fn one_file(entry: &JobOption<'_>) -> Result<(), JobProblem> {
    if entry.text_with_commas()?.replace("\\:", "").contains(':') {
        return Err(entry.wrong("one name; make a job for each file, with `offset` and `size`"));
    }
    Ok(())
}

/// Parses the pause of a job that is beyond its share, which fio takes in µs, without a unit.
fn flow_pause(entry: &JobOption<'_>) -> Result<SimSpan, JobProblem> {
    let pause_us = entry.number(0, MAX_FLOW_PAUSE_US);
    let wrong = |_| entry.wrong(&format!("microseconds without a unit, from 0 to {MAX_FLOW_PAUSE_US}"));
    pause_us.map(SimSpan::from_us).map_err(wrong)
}

fn kb_base(entry: &JobOption<'_>) -> Result<KbBase, JobProblem> {
    match entry.text()? {
        "1024" => Ok(KbBase::Compatible),
        "1000" => Ok(KbBase::Standard),
        _ => Err(entry.wrong("1024 or 1000")),
    }
}

fn kind(entry: &JobOption<'_>) -> Result<ReadWriteMode, JobProblem> {
    let of = |random, reads, writes| Ok(ReadWriteMode { random, reads, writes, trims: false });
    let trims = |random, writes| Ok(ReadWriteMode { random, reads: false, writes, trims: true });
    match entry.text()? {
        "trim" => trims(false, false),
        "trimwrite" => trims(false, true),
        "randtrim" => trims(true, false),
        "randtrimwrite" => trims(true, true),
        "read" => of(false, true, false),
        "write" => of(false, false, true),
        "rw" | "readwrite" => of(false, true, true),
        "randread" => of(true, true, false),
        "randwrite" => of(true, false, true),
        "randrw" => of(true, true, true),
        text if text.contains(':') => {
            Err(entry.wrong("no number; use `percentage_random` for runs of requests"))
        }
        _ => Err(entry.wrong("read, write, rw, trim or trimwrite, or one of these with `rand` before it")),
    }
}

/// Maximum block length of a read or write, in bytes.
pub(super) const LONGEST_BYTES: u64 = 64 << 20;
/// Maximum block length of a trim, in bytes.
const LONGEST_TRIM_BYTES: u64 = 1 << 40;

/// Parses the length of a block. Lengths above [`LONGEST_BYTES`] are valid only for trims, which is checked
/// when the job is converted.
fn block(entry: &JobOption<'_>, base: KbBase) -> Result<u64, JobProblem> {
    let entry = &number_of(entry);
    let is_long = |bytes: &u64| bytes.is_multiple_of(u64::from(SECTOR_BYTES)) && *bytes <= LONGEST_TRIM_BYTES;
    entry.bytes(base).ok().filter(is_long).map_or_else(|| sectors(entry, base), Ok)
}

/// Parses a length or an alignment in bytes and converts it to whole sectors.
fn sectors(entry: &JobOption<'_>, base: KbBase) -> Result<u64, JobProblem> {
    let in_range = |bytes: &u64| bytes.is_multiple_of(u64::from(SECTOR_BYTES)) && *bytes <= LONGEST_BYTES;
    let found = entry.bytes(base).ok().filter(in_range);
    found.ok_or_else(|| match entry.text() {
        Ok(_) => entry.wrong("a multiple of 512 bytes up to 64m"),
        Err(fault) => fault,
    })
}

/// Parses a list of sizes and shares such as `4k/10:64k/50:32k/40`. Sizes without a share divide the
/// remainder equally.
fn split(entry: &JobOption<'_>, base: KbBase) -> Result<Vec<SizeChoice>, JobProblem> {
    let expected = "sizes, multiples of 512, with their shares, such as 4k/10:64k/50:32k/40";
    let part = |part: &str| {
        let (size, share) = part.split_once('/').unwrap_or((part, ""));
        // fio reads only the lower end of a range such as 36k-60k.
        let lower = size.split_once('-').map_or(size, |(lower, _)| lower);
        let bytes = bytes(lower, base)
            .filter(|bytes| bytes.is_multiple_of(512) && (512..=LONGEST_TRIM_BYTES).contains(bytes))?;
        // As in fio, a trailing point of a share is ignored.
        let share = share.strip_suffix('.').unwrap_or(share);
        let share: Option<u32> = if share.is_empty() { None } else { Some(share.parse().ok()?) };
        Some((bytes, share))
    };
    let parts: Option<Vec<_>> = entry.text()?.split(':').map(part).collect();
    let parts = parts.ok_or_else(|| entry.wrong(expected))?;
    let given: u32 = parts.iter().filter_map(|(_, share)| *share).fold(0, u32::saturating_add);
    let open = parts.iter().filter(|(_, share)| share.is_none()).count() as u32;
    if given > 100 || (open > 0 && given == 100) {
        return Err(entry.wrong("shares that add up to 100"));
    }
    // The unit of weights is chosen so that the remainder can be divided evenly.
    let unit = open.max(1);
    let mut choices: Vec<SizeChoice> = parts
        .into_iter()
        .map(|(bytes, share)| SizeChoice {
            sectors: (bytes / u64::from(SECTOR_BYTES)) as u32,
            weight: share.map_or(100 - given, |share| share * unit),
        })
        .collect();
    // If all sizes have shares, the last one receives the remainder, as in fio.
    if let Some(last) = choices.last_mut().filter(|_| open == 0) {
        last.weight += 100 - given;
    }
    choices.retain(|choice| choice.weight > 0);
    Ok(choices)
}

/// Parses a steady-state criterion such as `iops_slope:0.3%`, `bw:20m` or `lat:50us`: a figure, and a limit
/// of its slope or of its deviation from the mean.
fn steady(entry: &JobOption<'_>, base: KbBase) -> Result<SteadyRule, JobProblem> {
    let expected = "iops, bw or lat, or one with _slope, and a limit: iops:2%, bw_slope:1m, lat:50us";
    let text = entry.text()?;
    let (what, limit) = text.split_once(':').ok_or_else(|| entry.wrong(expected))?;
    let (name, by_slope) = what.strip_suffix("_slope").map_or((what, false), |name| (name, true));
    let figure = match name {
        "iops" => SteadyFigure::Iops,
        "bw" => SteadyFigure::Bandwidth,
        "lat" => SteadyFigure::Latency,
        _ => return Err(entry.wrong(expected)),
    };
    let limit_is_pct = limit.ends_with('%');
    let found = match (limit.strip_suffix('%'), figure) {
        (Some(pct), _) => pct.trim().parse().ok(),
        (None, SteadyFigure::Iops) => limit.parse().ok(),
        (None, SteadyFigure::Bandwidth) => bytes(limit, base).map(|bytes| bytes as f64),
        (None, SteadyFigure::Latency) => span_us(limit, 1.0).map(|us| us * 1e3),
    };
    let limit = found.filter(|limit: &f64| limit.is_finite() && *limit > 0.0);
    let limit = limit.ok_or_else(|| entry.wrong(expected))?;
    Ok(SteadyRule { figure, by_slope, limit, limit_is_pct })
}

fn steady_interval(entry: &JobOption<'_>) -> Result<SimSpan, JobProblem> {
    let span = entry.span(SECOND_US)?;
    if span.is_zero() { Err(entry.wrong("above 0")) } else { Ok(span) }
}

fn synchronous(entry: &JobOption<'_>) -> Result<Option<String>, JobProblem> {
    let engine = entry.text()?;
    if WITHOUT_REQUESTS.contains(&engine) {
        return Err(entry.wrong("an engine that reads and writes data"));
    }
    Ok(SYNCHRONOUS.contains(&engine).then(|| engine.to_owned()))
}

/// Parses an address distribution. `None` stands for fio's `random`, a uniform distribution.
fn distribution(entry: &JobOption<'_>) -> Result<Option<AddressPattern>, JobProblem> {
    let text = entry.text()?;
    let expected = "random, zipf:THETA, pareto:POWER or normal:DEVIATION";
    let (law, parameter) = text.split_once(':').unwrap_or((text, ""));
    if law == "random" && parameter.is_empty() {
        return Ok(None);
    }
    let parameter: f64 = parameter.parse().map_err(|_| entry.wrong(expected))?;
    let within = |low: f64, high: f64, pattern, range| {
        if (low..=high).contains(&parameter) { Ok(Some(pattern)) } else { Err(entry.wrong(range)) }
    };
    match law {
        "zipf" => {
            within(0.01, 5.0, AddressPattern::Zipf { theta: parameter }, "zipf with a theta from 0.01 to 5")
        }
        "pareto" => within(
            0.001,
            0.999,
            AddressPattern::Pareto { h: parameter },
            "pareto with a power from 0.001 to 0.999",
        ),
        "normal" => {
            let pattern = AddressPattern::Normal { deviation_ratio: parameter / 100.0 };
            within(0.001, 99.999, pattern, "normal with a deviation above 0 and below 100")
        }
        _ => Err(entry.wrong(expected)),
    }
}

/// Returns true for `lfsr`, a random generator that returns each block once.
fn visits_once(entry: &JobOption<'_>) -> Result<bool, JobProblem> {
    match entry.text()? {
        "lfsr" => Ok(true),
        "tausworthe" | "tausworthe64" => Ok(false),
        _ => Err(entry.wrong("tausworthe, tausworthe64 or lfsr")),
    }
}

fn poisson(entry: &JobOption<'_>) -> Result<bool, JobProblem> {
    match entry.text()? {
        "linear" => Ok(false),
        "poisson" => Ok(true),
        _ => Err(entry.wrong("linear or poisson")),
    }
}

fn size(entry: &JobOption<'_>, base: KbBase) -> Result<JobSize, JobProblem> {
    match entry.per_cent()? {
        Some(pct) => Ok(JobSize::DrivePct(pct)),
        None => Ok(JobSize::Bytes(entry.bytes(base)?)),
    }
}

/// Parses an offset in bytes or as a share of the drive. Zero is allowed.
fn offset(entry: &JobOption<'_>, base: KbBase) -> Result<JobSize, JobProblem> {
    let expected = "a multiple of 512 bytes, or from 0% to 99%";
    let text = entry.text()?;
    if let Some(number) = text.strip_suffix('%') {
        let pct = number.trim().parse().ok().filter(|pct| (0.0..=99.0).contains(pct));
        return pct.map(JobSize::DrivePct).ok_or_else(|| entry.wrong(expected));
    }
    let whole = |bytes: &u64| bytes.is_multiple_of(u64::from(SECTOR_BYTES));
    bytes(text, base).filter(whole).map(JobSize::Bytes).ok_or_else(|| entry.wrong(expected))
}
