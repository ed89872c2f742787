//! The options that are read, one by one.

use venice_kernel::SimSpan;

use super::super::spec::{AddressPattern, SizeChoice};
use super::Fault;
use super::lines::Entry;
use super::values::{KbBase, bytes, span_us};
use crate::SteadyFigure;
use crate::request::SECTOR_BYTES;

/// What a job was told so far; what it was not told is fio's default.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of fio's")]
#[derive(Clone, Debug, Default)]
pub(super) struct Job {
    pub(super) kb_base: KbBase,
    pub(super) kind: Kind,
    pub(super) read_pct: Option<u64>,
    pub(super) block_bytes: ByDirection<u64>,
    pub(super) split: ByDirection<Vec<SizeChoice>>,
    pub(super) align_bytes: Option<u64>,
    pub(super) depth: Option<u64>,
    pub(super) synchronous: Option<String>,
    pub(super) without_map: bool,
    pub(super) distribution: Option<AddressPattern>,
    pub(super) random_pct: ByDirection<u64>,
    pub(super) bytes_per_s: ByDirection<u64>,
    pub(super) iops: ByDirection<u64>,
    pub(super) poisson: bool,
    pub(super) think: SimSpan,
    pub(super) think_requests: Option<u64>,
    pub(super) runtime: Option<SimSpan>,
    pub(super) time_based: bool,
    pub(super) most_requests: Option<u64>,
    pub(super) clones: Option<u64>,
    pub(super) size: Option<Size>,
    pub(super) io_bytes: Option<u64>,
    pub(super) loops: Option<u64>,
    pub(super) offset: Option<Size>,
    pub(super) offset_step: Option<Size>,
    pub(super) offset_align_bytes: Option<u64>,
    pub(super) start: SimSpan,
    pub(super) ramp: SimSpan,
    pub(super) steady: Option<SteadyRule>,
    pub(super) steady_window: SimSpan,
    pub(super) steady_interval: Option<SimSpan>,
    pub(super) steady_ramp: SimSpan,
    pub(super) group_reporting: bool,
    pub(super) new_group: bool,
}

/// What `ss` says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SteadyRule {
    pub(super) figure: SteadyFigure,
    pub(super) by_slope: bool,
    pub(super) limit: f64,
    pub(super) limit_is_pct: bool,
}

/// What is said of reads and of writes.
pub(super) type ByDirection<T> = [Option<T>; 2];

/// What `rw` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) random: bool,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// What `size` and `offset` say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Size {
    Bytes(u64),
    DrivePct(f64),
}

/// Options that say how fio works, and nothing of the requests that reach the drive.
const WITHOUT_MEANING: &[&str] = &[
    "description",
    "name",
    "filename",
    "directory",
    "thread",
    "direct",
    "buffered",
    "invalidate",
    "randrepeat",
    "allrandrepeat",
    "random_generator",
    "unlink",
    "do_verify",
    "randseed",
    "exitall",
    "end_fsync",
    "create_on_open",
    "refill_buffers",
    "scramble_buffers",
    "zero_buffers",
    "buffer_compress_percentage",
    "dedupe_percentage",
    "gtod_reduce",
    "disable_lat",
    "disable_clat",
    "disable_slat",
    "clat_percentiles",
    "lat_percentiles",
    "percentile_list",
    "log_avg_msec",
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "cpus_allowed",
    "numa_cpu_nodes",
    "iodepth_batch",
    "iodepth_batch_submit",
    "iodepth_batch_complete",
    "fallocate",
    "eta_newline",
    "unified_rw_reporting",
    "stats",
];

/// Options that are known and not read, and what to do instead.
const REFUSED: &[(&str, &str)] = &[
    ("stonewall", "all jobs of a file run at once; put what comes after into a file of its own"),
    ("wait_for_previous", "all jobs of a file run at once; put what comes after into a file of its own"),
    ("bsrange", "list the sizes with `bssplit`"),
    ("bs_unaligned", "set `blockalign=512`"),
    ("fsync", "requests are reads and writes alone"),
    ("fdatasync", "requests are reads and writes alone"),
    ("verify", "use --audit"),
    ("read_iolog", "give the log with --trace"),
    ("iodepth_low", "a job keeps `iodepth` requests outstanding"),
    ("latency_target", "the load is what the job says; see `venice sweep`"),
    ("nrfiles", "a job has one region: `offset` and `size`"),
    ("zonemode", "the drive has no zones"),
    ("gflags", "it is for an engine that serves other machines"),
];

/// Engines that keep one request outstanding.
const SYNCHRONOUS: &[&str] = &["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"];

/// The options that are read.
const READ: &[&str] = &[
    "rw",
    "readwrite",
    "bs",
    "blocksize",
    "bssplit",
    "blockalign",
    "ba",
    "iodepth",
    "ioengine",
    "rwmixread",
    "rwmixwrite",
    "norandommap",
    "random_distribution",
    "rate",
    "rate_iops",
    "rate_process",
    "thinktime",
    "thinktime_blocks",
    "percentage_random",
    "loops",
    "ramp_time",
    "offset_align",
    "runtime",
    "timeout",
    "time_based",
    "number_ios",
    "numjobs",
    "size",
    "io_size",
    "io_limit",
    "offset",
    "offset_increment",
    "startdelay",
    "kb_base",
    "steadystate",
    "steadystate_duration",
    "steadystate_ramp_time",
    "steadystate_check_interval",
    "group_reporting",
    "new_group",
];

const SECOND_US: f64 = 1e6;

/// Takes over what one option says.
pub(super) fn apply(job: &mut Job, entry: &Entry<'_>) -> Result<(), Fault> {
    match entry.key {
        "kb_base" => job.kb_base = kb_base(entry)?,
        "rw" | "readwrite" => job.kind = kind(entry)?,
        "rwmixread" => job.read_pct = Some(entry.number(0, 100)?),
        "rwmixwrite" => job.read_pct = Some(100 - entry.number(0, 100)?),
        "bs" | "blocksize" => job.block_bytes = each(entry, |one| sectors(one, job.kb_base))?,
        "bssplit" => job.split = each(entry, |one| split(one, job.kb_base))?,
        "blockalign" | "ba" => job.align_bytes = Some(sectors(entry, job.kb_base)?),
        "iodepth" => job.depth = Some(entry.number(1, 65_536)?),
        "ioengine" => job.synchronous = synchronous(entry)?,
        "norandommap" => job.without_map = entry.switch()?,
        "random_distribution" => job.distribution = distribution(entry)?,
        "percentage_random" => job.random_pct = each(entry, |one| one.number(0, 100))?,
        "rate" => job.bytes_per_s = each(entry, |one| one.bytes(job.kb_base))?,
        "rate_iops" => job.iops = each(entry, |one| one.bytes(job.kb_base))?,
        "rate_process" => job.poisson = poisson(entry)?,
        "thinktime" => job.think = entry.span(1.0)?,
        "thinktime_blocks" => job.think_requests = Some(entry.number(1, 1_000_000_000)?),
        "loops" => job.loops = Some(entry.number(1, 1_000_000_000)?),
        "ramp_time" => job.ramp = entry.span(SECOND_US)?,
        "runtime" | "timeout" => job.runtime = Some(entry.span(SECOND_US)?).filter(|span| !span.is_zero()),
        "time_based" => job.time_based = entry.switch()?,
        "number_ios" => job.most_requests = Some(entry.number(1, 1_000_000_000_000)?),
        "numjobs" => job.clones = Some(entry.number(1, 1024)?),
        "size" => job.size = Some(size(entry, job.kb_base)?),
        "io_size" | "io_limit" => job.io_bytes = Some(entry.bytes(job.kb_base)?),
        "offset" => job.offset = Some(offset(entry, job.kb_base)?),
        "offset_increment" => job.offset_step = Some(offset(entry, job.kb_base)?),
        "offset_align" => job.offset_align_bytes = Some(sectors(entry, job.kb_base)?),
        "startdelay" => job.start = entry.span(SECOND_US)?,
        "steadystate" | "ss" => job.steady = Some(steady(entry, job.kb_base)?),
        "steadystate_duration" | "ss_dur" => job.steady_window = entry.span(SECOND_US)?,
        "steadystate_ramp_time" | "ss_ramp" => job.steady_ramp = entry.span(SECOND_US)?,
        "steadystate_check_interval" | "ss_interval" => job.steady_interval = Some(steady_interval(entry)?),
        "group_reporting" => job.group_reporting = entry.switch()?,
        "new_group" => job.new_group = entry.switch()?,
        key if WITHOUT_MEANING.contains(&key) => {}
        _ => return Err(refused(entry)),
    }
    Ok(())
}

/// What is said of reads and of writes, each by itself.
fn each<T>(
    entry: &Entry<'_>,
    mut read: impl FnMut(&Entry<'_>) -> Result<T, Fault>,
) -> Result<ByDirection<T>, Fault> {
    let [reads, writes] = entry.by_direction()?;
    Ok([reads.as_ref().map(&mut read).transpose()?, writes.as_ref().map(&mut read).transpose()?])
}

fn refused(entry: &Entry<'_>) -> Fault {
    let key = entry.key;
    if let Some((_, instead)) = REFUSED.iter().find(|(known, _)| *known == key) {
        return Fault::new(entry.line, format!("`{key}` is not simulated; {instead}"));
    }
    let likeness = |known: &&&str| (strsim::jaro_winkler(known, key) * 1e6) as u64;
    let nearest = READ.iter().max_by_key(likeness).filter(|known| likeness(known) >= 850_000);
    let hint = nearest.map_or_else(String::new, |known| format!("did you mean `{known}`? "));
    let text = format!("`{key}` is not an option that is read; {hint}remove it if it changes no request");
    Fault::new(entry.line, text)
}

fn kb_base(entry: &Entry<'_>) -> Result<KbBase, Fault> {
    match entry.text()? {
        "1024" => Ok(KbBase::Compatible),
        "1000" => Ok(KbBase::Standard),
        _ => Err(entry.wrong("1024 or 1000")),
    }
}

fn kind(entry: &Entry<'_>) -> Result<Kind, Fault> {
    let of = |random, reads, writes| Ok(Kind { random, reads, writes });
    match entry.text()? {
        "read" => of(false, true, false),
        "write" => of(false, false, true),
        "rw" | "readwrite" => of(false, true, true),
        "randread" => of(true, true, false),
        "randwrite" => of(true, false, true),
        "randrw" => of(true, true, true),
        _ => Err(entry.wrong("read, write, rw, randread, randwrite or randrw; trims are not simulated")),
    }
}

/// A length or an alignment: whole sectors.
fn sectors(entry: &Entry<'_>, base: KbBase) -> Result<u64, Fault> {
    let in_range = |bytes: &u64| bytes.is_multiple_of(u64::from(SECTOR_BYTES)) && *bytes <= 64 << 20;
    let found = entry.bytes(base).ok().filter(in_range);
    found.ok_or_else(|| match entry.text() {
        Ok(_) => entry.wrong("a multiple of 512 bytes up to 64m"),
        Err(fault) => fault,
    })
}

/// `4k/10:64k/50:32k/40`; what has no share divides the rest.
fn split(entry: &Entry<'_>, base: KbBase) -> Result<Vec<SizeChoice>, Fault> {
    let expected = "sizes, multiples of 512, with their shares, such as 4k/10:64k/50:32k/40";
    let part = |part: &str| {
        let (size, share) = part.split_once('/').unwrap_or((part, ""));
        // Of a range, 36k-60k, fio reads the lower end and passes over what follows its unit.
        let lower = size.split_once('-').map_or(size, |(lower, _)| lower);
        let bytes = bytes(lower, base)
            .filter(|bytes| bytes.is_multiple_of(512) && (512..=64 << 20).contains(bytes))?;
        // As in fio, a point at the end of a share says nothing.
        let share = share.strip_suffix('.').unwrap_or(share);
        let share: Option<u32> = if share.is_empty() { None } else { Some(share.parse().ok()?) };
        Some((bytes, share))
    };
    let parts: Option<Vec<_>> = entry.text()?.split(':').map(part).collect();
    let parts = parts.ok_or_else(|| entry.wrong(expected))?;
    let given: u32 = parts.iter().filter_map(|(_, share)| *share).fold(0, u32::saturating_add);
    let open = parts.iter().filter(|(_, share)| share.is_none()).count() as u32;
    if given > 100 || (open > 0 && given == 100) {
        return Err(entry.wrong("of shares that add up to 100"));
    }
    // Shares in units that divide the rest evenly.
    let unit = open.max(1);
    let mut choices: Vec<SizeChoice> = parts
        .into_iter()
        .map(|(bytes, share)| SizeChoice {
            sectors: (bytes / u64::from(SECTOR_BYTES)) as u32,
            weight: share.map_or(100 - given, |share| share * unit),
        })
        .collect();
    // Where all have shares, what is missing is the last one's, as in fio.
    if let Some(last) = choices.last_mut().filter(|_| open == 0) {
        last.weight += 100 - given;
    }
    choices.retain(|choice| choice.weight > 0);
    Ok(choices)
}

/// `iops_slope:0.3%`, `bw:20m`, `lat:50us`: a figure and what its slope, or its distance from the mean, stays below.
fn steady(entry: &Entry<'_>, base: KbBase) -> Result<SteadyRule, Fault> {
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

fn steady_interval(entry: &Entry<'_>) -> Result<SimSpan, Fault> {
    let span = entry.span(SECOND_US)?;
    if span.is_zero() { Err(entry.wrong("above 0")) } else { Ok(span) }
}

fn synchronous(entry: &Entry<'_>) -> Result<Option<String>, Fault> {
    let engine = entry.text()?;
    Ok(SYNCHRONOUS.contains(&engine).then(|| engine.to_owned()))
}

/// None is fio's `random`: even.
fn distribution(entry: &Entry<'_>) -> Result<Option<AddressPattern>, Fault> {
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

fn poisson(entry: &Entry<'_>) -> Result<bool, Fault> {
    match entry.text()? {
        "linear" => Ok(false),
        "poisson" => Ok(true),
        _ => Err(entry.wrong("linear or poisson")),
    }
}

fn size(entry: &Entry<'_>, base: KbBase) -> Result<Size, Fault> {
    match entry.per_cent()? {
        Some(pct) => Ok(Size::DrivePct(pct)),
        None => Ok(Size::Bytes(entry.bytes(base)?)),
    }
}

/// Bytes or a share of the drive, zero among them.
fn offset(entry: &Entry<'_>, base: KbBase) -> Result<Size, Fault> {
    let expected = "a multiple of 512 bytes, or from 0% to 99%";
    let text = entry.text()?;
    if let Some(number) = text.strip_suffix('%') {
        let pct = number.trim().parse().ok().filter(|pct| (0.0..=99.0).contains(pct));
        return pct.map(Size::DrivePct).ok_or_else(|| entry.wrong(expected));
    }
    let whole = |bytes: &u64| bytes.is_multiple_of(u64::from(SECTOR_BYTES));
    bytes(text, base).filter(whole).map(Size::Bytes).ok_or_else(|| entry.wrong(expected))
}
