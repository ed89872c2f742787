//! A job to its flows.

use venice_kernel::{SimSpan, SimTime};

use super::super::spec::{
    AddressPattern, Footprint, Gaps, OpenLoop, Pacing, Places, SizeChoice, SizeMix, WorkloadSpec,
};
use super::super::workload::{FlowSpec, Space};
use super::Fault;
use super::lines::Section;
use super::option::{Job, Size};
use crate::host::request::SECTOR_BYTES;

/// fio's default block.
const BLOCK_BYTES: u64 = 4096;
/// More requests than any run issues.
const WITHOUT_END: u64 = 1_000_000_000_000;

/// The flows of a job: one, or as many as `numjobs` says.
pub(super) fn clones(job: &Job, section: &Section<'_>, label: &str) -> Result<Vec<FlowSpec>, Fault> {
    let fault = |message: &str| Fault::new(section.line, format!("[{}] {message}", section.name));
    let spec = spec(job).map_err(fault)?;
    let count = job.clones.unwrap_or(1);
    let clone = |number: u64| {
        let number_text = if count > 1 { format!(".{number}") } else { String::new() };
        let label = format!("{label}/{}{number_text}", section.name);
        let start_bytes = job.offset_bytes + number * job.offset_step_bytes;
        let space = Space::From(start_bytes / u64::from(SECTOR_BYTES));
        FlowSpec { spec: WorkloadSpec { label, ..spec.clone() }, space }
    };
    Ok((0..count).map(clone).collect())
}

fn spec(job: &Job) -> Result<WorkloadSpec, &'static str> {
    let sizes = sizes(job);
    let start = SimTime::ZERO + job.start;
    Ok(WorkloadSpec {
        label: String::new(),
        description: "a job of fio".to_owned(),
        source: "the user's job file".to_owned(),
        requests: requests(job, &sizes)?,
        gather_ratio: 0.0,
        read_ratio: read_ratio(job)?,
        strata: None,
        places: places(job, &sizes)?,
        read_after_write: None,
        pacing: pacing(job, &sizes)?,
        sizes,
        write_sizes: None,
        start,
        stop: job.runtime.map(|runtime| start + runtime),
    })
}

fn sizes(job: &Job) -> SizeMix {
    match &job.split {
        Some(choices) => SizeMix::Choices(choices.clone()),
        None => SizeMix::Fixed((job.block_bytes.unwrap_or(BLOCK_BYTES) / u64::from(SECTOR_BYTES)) as u32),
    }
}

fn read_ratio(job: &Job) -> Result<f64, &'static str> {
    match (job.kind.reads, job.kind.writes) {
        (true, false) => Ok(1.0),
        (false, true) => Ok(0.0),
        (true, true) => Ok(job.read_pct.unwrap_or(50) as f64 / 100.0),
        (false, false) => Err("does not say what to do: set `rw`"),
    }
}

/// Until as many bytes as the region has, or `io_size`, are transferred, and no longer than `number_ios`.
fn requests(job: &Job, sizes: &SizeMix) -> Result<u64, &'static str> {
    let region_bytes = match job.size {
        Some(Size::Bytes(bytes)) => Some(bytes),
        _ => None,
    };
    let by_bytes =
        job.io_bytes.or(region_bytes).map(|bytes| (bytes as f64 / sizes.mean_bytes()).ceil() as u64);
    let by_bytes = if job.time_based { None } else { by_bytes };
    if job.time_based && job.runtime.is_none() {
        return Err("is `time_based` and has no `runtime`");
    }
    match (by_bytes, job.most_requests) {
        (None, None) if job.runtime.is_none() => {
            Err("has no end: set `size` in bytes, `io_size`, `number_ios` or `runtime`")
        }
        (by_bytes, most) => Ok(by_bytes.unwrap_or(WITHOUT_END).min(most.unwrap_or(WITHOUT_END)).max(1)),
    }
}

fn places(job: &Job, sizes: &SizeMix) -> Result<Places, &'static str> {
    let footprint = match job.size {
        Some(Size::Bytes(bytes)) => Footprint::Sectors(bytes / u64::from(SECTOR_BYTES)),
        Some(Size::DrivePct(pct)) => Footprint::DriveRatio(pct / 100.0),
        None => Footprint::DriveRatio(1.0),
    };
    if footprint == Footprint::Sectors(0) {
        return Err("has a `size` below one sector");
    }
    Ok(Places {
        align_sectors: if job.kind.random { alignment(job, sizes) } else { 1 },
        offset_sectors: 0,
        footprint,
        pattern: pattern(job),
        run_requests: 1.0,
        runs_by_operation: true,
    })
}

/// The smallest block, unless `blockalign` says otherwise.
fn alignment(job: &Job, sizes: &SizeMix) -> u32 {
    let smallest = match sizes {
        SizeMix::Choices(choices) => {
            choices.iter().map(|choice: &SizeChoice| choice.sectors).min().unwrap_or(1)
        }
        SizeMix::Fixed(sectors) | SizeMix::Normal { mean_sectors: sectors, .. } => *sectors,
    };
    job.align_bytes.map_or(smallest, |bytes| (bytes / u64::from(SECTOR_BYTES)) as u32)
}

fn pattern(job: &Job) -> AddressPattern {
    match job.distribution {
        _ if !job.kind.random => AddressPattern::Sequential,
        Some(law) => law,
        // An alignment of one's own turns the random map off.
        None if job.without_map || job.align_bytes.is_some() => AddressPattern::Uniform,
        None => AddressPattern::Permutation,
    }
}

fn pacing(job: &Job, sizes: &SizeMix) -> Result<Pacing, &'static str> {
    let depth = depth(job)?;
    let Some(mean_gap) = mean_gap(job, sizes)? else {
        return Ok(Pacing::ClosedLoop { depth, think: job.think });
    };
    if !job.think.is_zero() {
        return Err("has both `thinktime` and a rate; leave one out");
    }
    let gaps = if job.poisson { Gaps::Exponential } else { Gaps::Constant };
    Ok(Pacing::OpenLoop(OpenLoop { mean_gap, gaps, bursts: None, most_outstanding: Some(depth) }))
}

/// Thinking after every request leaves one outstanding.
fn depth(job: &Job) -> Result<u32, &'static str> {
    let depth = job.depth.unwrap_or(1) as u32;
    if depth > 1 && job.synchronous.is_some() {
        return Err(
            "has an `ioengine` that keeps one request outstanding, and an `iodepth` above 1; leave one out",
        );
    }
    Ok(if job.think.is_zero() { depth } else { 1 })
}

/// The longer of the two that the rates ask for. A rate is for each direction, so a job with both has none.
fn mean_gap(job: &Job, sizes: &SizeMix) -> Result<Option<SimSpan>, &'static str> {
    let by_bytes = job.bytes_per_s.map(|rate| sizes.mean_bytes() / rate as f64);
    let by_count = job.iops.map(|rate| 1.0 / rate as f64);
    let Some(gap_s) = by_bytes.into_iter().chain(by_count).max_by(f64::total_cmp) else { return Ok(None) };
    if job.kind.reads && job.kind.writes {
        return Err("has a rate, which is for each direction, and both directions; make two jobs of it");
    }
    let gap_us = gap_s * 1e6;
    if !(1e-3..=1e9).contains(&gap_us) {
        return Err("has a rate at which the mean gap is not from 0.001 us to 1000 s");
    }
    Ok(Some(SimSpan::from_us_f64(gap_us)))
}
