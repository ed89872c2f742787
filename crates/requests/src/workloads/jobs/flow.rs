//! Conversion of a fio job to flows.

use venice_kernel::{SimSpan, SimTime};

use super::super::spec::{
    AddressPattern, AddressSpec, Footprint, Gaps, OpenLoop, Pacing, SizeChoice, SizeMix, Trims, WorkloadSpec,
    WriteKinds, mean_bytes,
};
use super::super::workload::{DrivePart, FlowSpec};
use super::JobProblem;
use super::lines::JobSection;
use super::option::{FioJob, JobSize, LONGEST_BYTES, ReadWriteMode, SteadyRule};
use crate::request::SECTOR_BYTES;
use crate::{FlowShare, SteadyFigure, SteadyStateCriterion};

/// Default block size of fio, in bytes.
const BLOCK_BYTES: u64 = 4096;
/// Number of requests of a job without a limit. No run reaches this number.
pub(super) const WITHOUT_END: u64 = 1_000_000_000_000;
/// Default of fio's option `ss_interval`.
const STEADY_INTERVAL: SimSpan = SimSpan::from_us(1_000_000);
/// Default of fio's option `ss`: `iops_slope:0.01%`.
const STEADY_RULE: SteadyRule =
    SteadyRule { figure: SteadyFigure::Iops, by_slope: true, limit: 0.01, limit_is_pct: true };
/// Array index for reads. `WRITES` and `TRIMS` are the indices for writes and for trims.
const READS: usize = 0;
const WRITES: usize = 1;
const TRIMS: usize = 2;

/// Returns the flows of a job: `numjobs` flows, or twice as many if reads and writes have separate rates.
/// Their queues are numbered from `first_queue` on; reads and writes of one job share its queue. Steady state
/// is evaluated for each group of flows. With `group_reporting`, all flows form the group of number `group`;
/// otherwise each flow is a group, and `alone` is the number of the first one.
pub(super) fn clones(
    job: &FioJob,
    section: &JobSection<'_>,
    label: &str,
    group: u32,
    alone: u32,
    first_queue: u16,
) -> Result<Vec<FlowSpec>, Vec<JobProblem>> {
    let fault = |message: &str| JobProblem::new(section.line, format!("[{}] {message}", section.name));
    let found: Vec<_> = by_rate(job).iter().flat_map(|(_, part)| problems(part)).map(fault).collect();
    if !found.is_empty() {
        return Err(found);
    }
    let fault = |message: &str| vec![fault(message)];
    let count = job.clones.unwrap_or(1);
    let mut flows = Vec::new();
    for (direction, part) in by_rate(job) {
        let spec = spec(&part).map_err(fault)?;
        for number in 0..count {
            let number_text = if count > 1 { format!(".{number}") } else { String::new() };
            let label = format!("{label}/{}{number_text}{direction}", section.name);
            let space = space(&part, number).map_err(fault)?;
            let judged_with = if job.group_reporting { group } else { alone + number as u32 };
            let steady = spec.steady.map(|goal| SteadyStateCriterion { group: judged_with, ..goal });
            let spec = WorkloadSpec { label, steady, ..spec.clone() };
            flows.push(FlowSpec { spec, space, queue: first_queue.saturating_add(number as u16) });
        }
    }
    Ok(flows)
}

/// Returns all problems of a job.
fn problems(job: &FioJob) -> Vec<&'static str> {
    let (sizes, write_sizes) = sizes(job);
    let read_ratio = read_ratio(job);
    let mean_bytes = mean_request_bytes(job, &sizes, write_sizes.as_ref(), read_ratio.unwrap_or(1.0));
    let found = [
        lengths(job, &sizes, write_sizes.as_ref()).err(),
        ranges(job).err(),
        read_ratio.err(),
        requests(job, mean_bytes).err(),
        places(job, &sizes, write_sizes.as_ref()).err(),
        pacing(job, mean_bytes).err(),
        share(job).err(),
        steady(job).err(),
        space(job, 0).err(),
    ];
    found.into_iter().flatten().collect()
}

/// Splits a job with a rate that both reads and writes into one job for each, since fio applies the rate to
/// each direction.
fn by_rate(job: &FioJob) -> Vec<(&'static str, FioJob)> {
    let has_rate = job.bytes_per_s.iter().chain(&job.iops).any(Option::is_some);
    if !(has_rate && job.kind.reads && job.kind.writes) {
        return vec![("", job.clone())];
    }
    let part = |reads| FioJob {
        kind: ReadWriteMode { reads, writes: !reads, ..job.kind },
        most_requests: job.most_requests.map(|most| share_of(job, most, reads)),
        io_bytes: job.io_bytes.map(|bytes| share_of(job, bytes, reads)),
        ..job.clone()
    };
    vec![(".reads", part(true)), (".writes", part(false))]
}

/// Returns the part of `whole` that belongs to reads or to writes, at least 1.
fn share_of(job: &FioJob, whole: u64, reads: bool) -> u64 {
    let read_pct = job.read_pct.unwrap_or(50);
    let pct = if reads { read_pct } else { 100 - read_pct };
    (u128::from(whole) * u128::from(pct) / 100).max(1) as u64
}

fn spec(job: &FioJob) -> Result<WorkloadSpec, &'static str> {
    let (sizes, write_sizes) = sizes(job);
    let start = SimTime::ZERO + job.start;
    let read_ratio = read_ratio(job)?;
    let mean_bytes = mean_request_bytes(job, &sizes, write_sizes.as_ref(), read_ratio);
    Ok(WorkloadSpec {
        label: String::new(),
        description: "a job of fio".to_owned(),
        source: "the user's job file".to_owned(),
        requests: requests(job, mean_bytes)?,
        has_extra_flushes: true,
        most_passes: passes(job),
        gather_ratio: 0.0,
        search_ratio: 0.0,
        pattern_set: 0,
        trims: trims(job),
        // A number of ranges without trims stays, so that it is named as a setting without effect.
        trim_ranges: if trims(job) == Trims::NONE { job.trim_ranges.unwrap_or(1) } else { trim_ranges(job) },
        writes: write_kinds(job),
        read_ratio,
        strata: None,
        places: places(job, &sizes, write_sizes.as_ref())?,
        read_after_write: None,
        pacing: pacing(job, mean_bytes)?,
        share: share(job)?,
        sizes,
        write_sizes,
        start,
        stop: job.runtime.map(|runtime| start + job.ramp + runtime),
        ramp: job.ramp,
        steady: steady(job)?,
    })
}

/// Returns the flushes and the kinds of writes of a job.
fn write_kinds(job: &FioJob) -> WriteKinds {
    let flush_every = job.fsync.or(job.fdatasync).filter(|_| job.kind.writes);
    let fua_ratio = f64::from(u8::from(job.writes_are_durable || job.writes_are_forced));
    WriteKinds { flush_every: flush_every.unwrap_or(0) as u32, fua_ratio, ..WriteKinds::default() }
}

/// Returns the length distribution of the requests of one direction.
fn sizes_of(job: &FioJob, direction: usize) -> SizeMix {
    match &job.split[direction] {
        Some(choices) => SizeMix::Choices(choices.clone()),
        None => SizeMix::Fixed(
            (job.block_bytes[direction].unwrap_or(BLOCK_BYTES) / u64::from(SECTOR_BYTES)) as u32,
        ),
    }
}

/// Returns the length distribution of requests and, if writes have a separate one, that of writes.
fn sizes(job: &FioJob) -> (SizeMix, Option<SizeMix>) {
    let of = |direction| sizes_of(job, direction);
    match (job.kind.reads, job.kind.writes) {
        (true, true) => (of(READS), Some(of(WRITES)).filter(|writes| *writes != of(READS))),
        _ => (of(direction(job)), None),
    }
}

/// Returns an error if a job that reads or writes has blocks of more than 64 MiB. Trims may be longer.
fn lengths(job: &FioJob, sizes: &SizeMix, write_sizes: Option<&SizeMix>) -> Result<(), &'static str> {
    let longest = sizes.longest().max(write_sizes.map_or(0, SizeMix::longest));
    let is_long = u64::from(longest) * u64::from(SECTOR_BYTES) > LONGEST_BYTES;
    if is_long && (job.kind.reads || job.kind.writes) {
        return Err("has blocks of more than 64 MiB; expected: reads and writes of at most 64 MiB");
    }
    Ok(())
}

/// Returns the array index for the requests of a job that has one direction. For a job with trims and writes,
/// this is the index for writes.
const fn direction(job: &FioJob) -> usize {
    match job.kind {
        ReadWriteMode { reads: true, .. } => READS,
        ReadWriteMode { trims: true, writes: false, .. } => TRIMS,
        _ => WRITES,
    }
}

/// Returns the trims that a job issues.
const fn trims(job: &FioJob) -> Trims {
    match (job.kind.trims, job.kind.writes) {
        (false, _) => Trims::NONE,
        (true, false) => Trims::Share(1.0),
        (true, true) => Trims::BeforeWrites,
    }
}

/// Returns the number of ranges of each trim of a job. As in fio, `num_range` has no effect without trims.
fn trim_ranges(job: &FioJob) -> u32 {
    let has_only_trims = matches!(trims(job), Trims::Share(ratio) if ratio > 0.0);
    job.trim_ranges.filter(|_| has_only_trims).unwrap_or(1)
}

/// Returns the mean number of bytes of a request of a job.
fn mean_request_bytes(job: &FioJob, sizes: &SizeMix, write_sizes: Option<&SizeMix>, read_ratio: f64) -> f64 {
    mean_bytes(sizes, write_sizes, read_ratio) * f64::from(trim_ranges(job))
}

/// Returns an error if a job that trims each block before its write has trims with several ranges.
fn ranges(job: &FioJob) -> Result<(), &'static str> {
    let has_several = job.trim_ranges.is_some_and(|ranges| ranges > 1);
    if has_several && trims(job) == Trims::BeforeWrites {
        return Err(
            "has `num_range` above 1 with `rw=trimwrite` or `randtrimwrite`; expected: `rw=trim`, `randtrim` or one \
             range, as in fio",
        );
    }
    Ok(())
}

fn read_ratio(job: &FioJob) -> Result<f64, &'static str> {
    match (job.kind.reads, job.kind.writes) {
        (true, false) => Ok(1.0),
        (false, true) => Ok(0.0),
        (true, true) => Ok(job.read_pct.unwrap_or(50) as f64 / 100.0),
        (false, false) if job.kind.trims => Ok(0.0),
        (false, false) => Err("has no operation; expected: `rw`"),
    }
}

/// Returns the number of requests of a job. It follows from `size` and `loops`, or from `io_size`, and is
/// limited by `number_ios`.
fn requests(job: &FioJob, mean_bytes: f64) -> Result<u64, &'static str> {
    if job.time_based && job.runtime.is_none() && job.steady_window.is_zero() {
        return Err("has `time_based` without `runtime`; expected: both");
    }
    let region_bytes = match job.size {
        Some(JobSize::Bytes(bytes)) => Some(bytes.saturating_mul(job.loops.unwrap_or(1))),
        _ => None,
    };
    let by_bytes = job.io_bytes.or(region_bytes).map(|bytes| (bytes as f64 / mean_bytes).ceil() as u64);
    let by_bytes = if by_time(job) { None } else { by_bytes };
    match (by_bytes, job.most_requests) {
        (None, None) if job.runtime.is_none() && passes(job).is_none() => {
            Err("has neither a size nor a runtime; expected: `size`, `io_size`, `number_ios` or `runtime`")
        }
        (by_bytes, most) => {
            let blocks = by_bytes.unwrap_or(WITHOUT_END).min(most.unwrap_or(WITHOUT_END)).max(1);
            // As in fio, each block counts twice in a job with trims and writes: for its trim and for its
            // write.
            Ok(if job.kind.trims && job.kind.writes { blocks.saturating_mul(2) } else { blocks })
        }
    }
}

/// Returns true if a job ends only after its runtime. As in fio, `time_based` without `runtime` has no
/// effect.
fn by_time(job: &FioJob) -> bool {
    job.time_based && job.runtime.is_some()
}

/// Returns the steady-state criterion at which a job ends; `None` without `ss_dur`.
fn steady(job: &FioJob) -> Result<Option<SteadyStateCriterion>, &'static str> {
    let (window, interval) = (job.steady_window, job.steady_interval.unwrap_or(STEADY_INTERVAL));
    if window.is_zero() {
        return Ok(None);
    }
    if window <= interval || !window.as_ps().is_multiple_of(interval.as_ps()) {
        return Err(
            "has an invalid `ss_dur`; expected: a multiple of `ss_interval` (1 s by default), at least 2",
        );
    }
    let SteadyRule { figure, by_slope, limit, limit_is_pct } = job.steady.unwrap_or(STEADY_RULE);
    let ramp = job.steady_ramp;
    Ok(Some(SteadyStateCriterion { figure, by_slope, limit, limit_is_pct, window, interval, ramp, group: 0 }))
}

/// Returns the number of passes over its region after which a job ends, if the length of the region depends
/// on the drive; otherwise `None`. Without `size`, only `loops` sets such a limit.
fn passes(job: &FioJob) -> Option<u64> {
    let whole_drive = job.size.is_none() && job.loops.is_some();
    let by_drive = whole_drive || matches!(job.size, Some(JobSize::DrivePct(_)));
    (by_drive && !by_time(job) && job.io_bytes.is_none()).then_some(job.loops.unwrap_or(1))
}

/// Returns the region of the drive that a job, or one of its clones, uses.
fn space(job: &FioJob, number: u64) -> Result<DrivePart, &'static str> {
    let align_bytes = job.offset_align_bytes.or(job.align_bytes[direction(job)]).unwrap_or(BLOCK_BYTES);
    let align_sectors = (align_bytes / u64::from(SECTOR_BYTES)) as u32;
    let from = |bytes: u64| DrivePart::From(bytes / u64::from(SECTOR_BYTES));
    let share = |pct: f64| DrivePart::FromShare { ratio: pct / 100.0, align_sectors };
    let step = number as f64;
    match (job.offset, job.offset_step) {
        (None, None) => Ok(from(0)),
        (Some(JobSize::Bytes(start)), None) => Ok(from(start)),
        (Some(JobSize::Bytes(start)), Some(JobSize::Bytes(by))) => Ok(from(start + number * by)),
        (None, Some(JobSize::Bytes(by))) => Ok(from(number * by)),
        (Some(JobSize::DrivePct(start)), None) => Ok(share(start)),
        (Some(JobSize::DrivePct(start)), Some(JobSize::DrivePct(by))) => Ok(share(start + step * by)),
        (None, Some(JobSize::DrivePct(by))) => Ok(share(step * by)),
        _ => Err(
            "has `offset` and `offset_increment` in different units; expected: both in %, or both in bytes",
        ),
    }
}

fn places(job: &FioJob, sizes: &SizeMix, write_sizes: Option<&SizeMix>) -> Result<AddressSpec, &'static str> {
    let footprint = match job.size {
        Some(JobSize::Bytes(bytes)) => Footprint::Sectors(bytes / u64::from(SECTOR_BYTES)),
        Some(JobSize::DrivePct(pct)) => Footprint::DriveRatio(pct / 100.0),
        None => Footprint::DriveRatio(1.0),
    };
    if footprint == Footprint::Sectors(0) {
        return Err("has a `size` below one sector; expected: at least 512 bytes");
    }
    let mean_runs = job.random_pct.map(|pct| mean_run(job, pct));
    let (run_requests, of_writes) = (mean_runs[direction(job)], mean_runs[WRITES]);
    Ok(AddressSpec {
        align_sectors: if job.kind.random { alignment(job, direction(job), sizes) } else { 1 },
        write_align_sectors: (job.kind.random && job.kind.reads && job.kind.writes)
            .then(|| alignment(job, WRITES, write_sizes.unwrap_or(sizes))),
        offset_sectors: 0,
        footprint,
        pattern: pattern(job),
        run_requests,
        write_run_requests: (job.kind.reads && job.kind.writes).then_some(of_writes),
        runs_by_operation: true,
    })
}

/// Returns the mean length of sequential runs, which is the number of requests per random address. Sequential
/// jobs have no runs.
fn mean_run(job: &FioJob, random_pct: Option<u64>) -> f64 {
    if job.kind.random { 100.0 / random_pct.unwrap_or(100) as f64 } else { 1.0 }
}

/// Returns the alignment of the start addresses of one direction in sectors: `blockalign` or, without it, the
/// smallest block size.
fn alignment(job: &FioJob, direction: usize, sizes: &SizeMix) -> u32 {
    job.align_bytes[direction]
        .map_or_else(|| smallest(sizes), |bytes| (bytes / u64::from(SECTOR_BYTES)) as u32)
}

/// Returns true if `blockalign` differs from the smallest block size in some direction, which disables fio's
/// random map (fio 3.42, `init.c`, `fixup_options`).
fn has_own_alignment(job: &FioJob) -> bool {
    [READS, WRITES, TRIMS].into_iter().any(|direction| {
        let sizes = sizes_of(job, direction);
        alignment(job, direction, &sizes) != smallest(&sizes)
    })
}

fn smallest(sizes: &SizeMix) -> u32 {
    match sizes {
        SizeMix::Choices(choices) => {
            choices.iter().map(|choice: &SizeChoice| choice.sectors).min().unwrap_or(1)
        }
        SizeMix::Fixed(sectors) | SizeMix::Normal { mean_sectors: sectors, .. } => *sectors,
    }
}

fn pattern(job: &FioJob) -> AddressPattern {
    match job.distribution {
        _ if !job.kind.random => AddressPattern::Sequential,
        Some(law) => law,
        None if job.visits_once => AddressPattern::Permutation,
        None if job.without_map || has_own_alignment(job) => AddressPattern::Uniform,
        None => AddressPattern::Permutation,
    }
}

fn pacing(job: &FioJob, mean_bytes: f64) -> Result<Pacing, &'static str> {
    let depth = depth(job)?;
    let Some(mean_gap) = mean_gap(job, mean_bytes)? else {
        let think_requests = job.think_requests.unwrap_or(1) as u32;
        return Ok(Pacing::ClosedLoop { depth, think: job.think, think_requests });
    };
    let think_requests = job.think_requests.unwrap_or(1);
    // fio applies both the think time and the rate; the slower one determines the rate of requests.
    if job.think > mean_gap * think_requests {
        return Ok(Pacing::ClosedLoop { depth, think: job.think, think_requests: think_requests as u32 });
    }
    let gaps = if job.poisson { Gaps::Exponential } else { Gaps::Constant };
    Ok(Pacing::OpenLoop(OpenLoop { mean_gap, gaps, bursts: None, most_outstanding: Some(depth) }))
}

/// Returns the share of a job in the requests of its group; `None` without `flow`.
fn share(job: &FioJob) -> Result<Option<FlowShare>, &'static str> {
    let Some(weight) = job.flow_weight else { return Ok(None) };
    if !job.think.is_zero() || job.bytes_per_s.iter().chain(&job.iops).any(Option::is_some) {
        return Err("combines `flow` with a rate or a think time; expected: one of them");
    }
    if !job.steady_window.is_zero() {
        return Err("combines `flow` with `ss_dur`; expected: one of them");
    }
    let pause = Some(job.flow_pause).filter(|pause| !pause.is_zero());
    Ok(Some(FlowShare { group: job.flow_group, weight, pause }))
}

/// Returns the queue depth. A think time after every request limits it to 1.
fn depth(job: &FioJob) -> Result<u32, &'static str> {
    let depth = job.depth.unwrap_or(1) as u32;
    if depth > 1 && job.synchronous.is_some() {
        return Err(
            "combines an `iodepth` above 1 with an `ioengine` of one outstanding request; expected: one of them",
        );
    }
    let thinks_after_each = !job.think.is_zero() && job.think_requests.unwrap_or(1) == 1;
    Ok(if thinks_after_each { 1 } else { depth })
}

/// Returns the mean gap between requests, as limited by the bandwidth and the request rate of the job's
/// direction; `None` without a rate.
fn mean_gap(job: &FioJob, mean_bytes: f64) -> Result<Option<SimSpan>, &'static str> {
    let direction = direction(job);
    let by_bytes = job.bytes_per_s[direction].map(|rate| mean_bytes / rate as f64);
    let by_count = job.iops[direction].map(|rate| 1.0 / rate as f64);
    let Some(gap_s) = by_bytes.into_iter().chain(by_count).max_by(f64::total_cmp) else { return Ok(None) };
    // In a job with trims and writes, the rate applies to each of them.
    let requests_per_block = if job.kind.trims && job.kind.writes { 2.0 } else { 1.0 };
    let gap_us = gap_s * 1e6 / requests_per_block;
    if !(1e-3..=1e9).contains(&gap_us) {
        return Err("has a rate out of range; expected: a mean gap from 0.001 µs to 1000 s");
    }
    Ok(Some(SimSpan::from_us_f64(gap_us)))
}
