//! Validation of a workload definition and conversion to a specification.

mod pacing;
mod places;

use std::fmt::Display;
use std::ops::RangeInclusive;

use venice_kernel::{SimSpan, SimTime};

use super::definition::{self, WorkloadDefinition};
use super::error::WorkloadError;
use super::fault::ValueFault;
use super::layers::LayeredDefinition as Layered;
use super::ranges::{
    ENDS_US, FLUSH_EVERY, PATTERN_SET, PCT, REQUEST_BYTES, REQUESTS, STRATA, TRIM_RANGES, WEIGHT,
    WITHIN_WRITES,
};
use super::spec::{ReadAfterWrite, SizeChoice, SizeMix, Trims, WorkloadSpec, WriteKinds};
use crate::request::SECTOR_BYTES;

/// Validates a definition and converts it to a specification. Reports the first problem of each group of
/// keys.
pub(super) fn checked(definition: &Layered) -> Result<WorkloadSpec, WorkloadError> {
    let raw: WorkloadDefinition = definition.parse()?;
    let mut faults = Vec::new();
    match spec(raw, &definition.label, &mut faults) {
        Some(spec) if faults.is_empty() => Ok(spec),
        _ => Err(definition.out_of_range(faults)),
    }
}

/// Returns the specification; `None` if at least one fault was found, which is appended to `faults`.
fn spec(raw: WorkloadDefinition, label: &str, faults: &mut Vec<ValueFault>) -> Option<WorkloadSpec> {
    let mut found = Findings { faults };
    found.ok(that("synthetic", raw.synthetic, raw.synthetic, ALWAYS_SYNTHETIC));
    found.ok(that("requests", raw.requests, REQUESTS.contains(&raw.requests), "from 1 to 10^12"));
    let sizes = found.ok(Validator::sizes(&raw.size));
    let read_ratio = found.ok(Validator::share("read_pct", raw.read_pct));
    let gather_ratio = found.ok(Validator::share("gather_pct", raw.gather_pct));
    let search_ratio = found.ok(Validator::share("search_pct", raw.search_pct));
    let has_set = PATTERN_SET.contains(&raw.pattern_set);
    found.ok(that("pattern_set", raw.pattern_set, has_set, "from 0 to 15"));
    let trim_ratio = found.ok(Validator::share("trim_pct", raw.trim_pct));
    let has_ranges = TRIM_RANGES.contains(&raw.trim_ranges);
    found.ok(that("trim_ranges", raw.trim_ranges, has_ranges, "from 1 to 256"));
    let writes = found.ok(Validator::write_kinds(&raw));
    let strata = found.ok(Validator::strata(raw.strata));
    let places = found.ok(Validator::places(&raw.address));
    let rereads = raw.read_after_write.as_ref().map(Validator::read_after_write).transpose();
    let read_after_write = found.ok(rereads);
    let ends = found.ok(Validator::ends(&raw));
    let (read_ratio, (sizes, write_sizes)) = (read_ratio?, sizes?);
    let pacing = found.ok(Validator::pacing(&raw, mean_bytes(&sizes, write_sizes.as_ref(), read_ratio)));
    let (start, stop) = ends?;
    Some(WorkloadSpec {
        label: label.to_owned(),
        requests: raw.requests,
        has_extra_flushes: false,
        read_ratio,
        gather_ratio: gather_ratio?,
        search_ratio: search_ratio?,
        pattern_set: raw.pattern_set as u8,
        trims: Trims::Share(trim_ratio?),
        trim_ranges: raw.trim_ranges,
        writes: writes?,
        strata: strata?,
        places: places?,
        read_after_write: read_after_write?,
        pacing: pacing?,
        sizes,
        write_sizes,
        start,
        stop,
        ramp: SimSpan::ZERO,
        most_passes: None,
        steady: None,
        share: None,
        description: raw.description,
        source: raw.source,
    })
}

/// Collector of the faults found in a definition.
struct Findings<'a> {
    faults: &'a mut Vec<ValueFault>,
}

impl Findings<'_> {
    /// Returns the value of a successful check, or records its fault.
    fn ok<T>(&mut self, result: CheckResult<T>) -> Option<T> {
        result.map_err(|fault| self.faults.push(fault)).ok()
    }
}

/// Returns the mean length of reads and writes together, in bytes.
fn mean_bytes(sizes: &SizeMix, write_sizes: Option<&SizeMix>, read_ratio: f64) -> f64 {
    let write_sizes = write_sizes.unwrap_or(sizes);
    sizes.mean_bytes() * read_ratio + write_sizes.mean_bytes() * (1.0 - read_ratio)
}

/// Description of `true`, the only valid value of `synthetic`, for messages.
pub(super) const ALWAYS_SYNTHETIC: &str = "true: requests from a definition always are";

/// Collection of the checks of a definition's keys.
struct Validator;

type CheckResult<T> = Result<T, ValueFault>;

impl Validator {
    /// Converts a percentage to a ratio.
    fn share(key: &'static str, pct: f64) -> CheckResult<f64> {
        that(key, pct, PCT.contains(&pct), "from 0 to 100")?;
        Ok(pct / 100.0)
    }

    /// Returns the kinds of writes and the flushes that a definition states.
    fn write_kinds(raw: &WorkloadDefinition) -> CheckResult<WriteKinds> {
        let every = raw.flush_every;
        that("flush_every", every, FLUSH_EVERY.contains(&every), "from 0 to 1000000000")?;
        Ok(WriteKinds {
            flush_every: every,
            fua_ratio: Self::share("fua_pct", raw.fua_pct)?,
            zeroes_ratio: Self::share("zeroes_pct", raw.zeroes_pct)?,
            zeroes_deallocate: raw.zeroes_deallocate,
        })
    }

    /// Converts a percentage above 0 and below 100 to a ratio.
    fn inner_share(key: &'static str, pct: f64) -> CheckResult<f64> {
        that(key, pct, pct > 0.0 && pct < 100.0, "above 0 and below 100")?;
        Ok(pct / 100.0)
    }

    /// Converts the length of a request or of an alignment from bytes to sectors.
    fn sectors(key: &'static str, bytes: u64) -> CheckResult<u32> {
        let whole = bytes.is_multiple_of(u64::from(SECTOR_BYTES));
        let in_range = REQUEST_BYTES.contains(&bytes);
        that(key, bytes, whole && in_range, "a multiple of 512, from 512 to 67108864 (64 MiB)")?;
        Ok((bytes / u64::from(SECTOR_BYTES)) as u32)
    }

    /// Converts microseconds to a duration. Returns an error if they are not in `range`.
    fn span(
        key: &'static str,
        us: f64,
        range: RangeInclusive<f64>,
        expected: &'static str,
    ) -> CheckResult<SimSpan> {
        that(key, us, range.contains(&us), expected)?;
        Ok(SimSpan::from_us_f64(us))
    }

    /// Returns the length distribution of requests and, if writes have a separate one, that of writes.
    fn sizes(size: &definition::SizeDefinition) -> CheckResult<(SizeMix, Option<SizeMix>)> {
        match size {
            definition::SizeDefinition::ByOperation(each) => {
                Ok((Self::size_mix(&each.read)?, Some(Self::size_mix(&each.write)?)))
            }
            other => Ok((Self::size_mix(other)?, None)),
        }
    }

    fn size_mix(size: &definition::SizeDefinition) -> CheckResult<SizeMix> {
        match size {
            definition::SizeDefinition::FixedBytes(bytes) => {
                Ok(SizeMix::Fixed(Self::sectors("size.fixed_bytes", *bytes)?))
            }
            definition::SizeDefinition::Normal(normal) => Self::normal(normal),
            definition::SizeDefinition::Choices(choices) => Self::choices(choices),
            definition::SizeDefinition::ByOperation(_) => {
                let expected = "fixed_bytes, choices or normal for each operation";
                Err(refused("size.by_operation", "by_operation", expected))
            }
        }
    }

    fn choices(choices: &[definition::SizeChoiceDefinition]) -> CheckResult<SizeMix> {
        that("size.choices", "empty", !choices.is_empty(), "a list of at least one size")?;
        let choices = choices.iter().map(|choice| {
            let in_range = WEIGHT.contains(&choice.weight);
            that("size.choices.weight", choice.weight, in_range, "from 1 to 1000000")?;
            let sectors = Self::sectors("size.choices.bytes", choice.bytes)?;
            Ok(SizeChoice { sectors, weight: choice.weight })
        });
        Ok(SizeMix::Choices(choices.collect::<CheckResult<_>>()?))
    }

    fn normal(normal: &definition::NormalSizes) -> CheckResult<SizeMix> {
        let mean_sectors = Self::sectors("size.normal.mean_bytes", normal.mean_bytes)?;
        let deviation_sectors = Self::sectors("size.normal.deviation_bytes", normal.deviation_bytes)?;
        Ok(SizeMix::Normal { mean_sectors, deviation_sectors })
    }

    fn strata(strata: Option<u32>) -> CheckResult<Option<u32>> {
        if let Some(strata) = strata {
            that("strata", strata, STRATA.contains(&strata), "from 2 to 1000000")?;
        }
        Ok(strata)
    }

    fn read_after_write(raw: &definition::ReadAfterWriteDefinition) -> CheckResult<ReadAfterWrite> {
        let in_range = WITHIN_WRITES.contains(&raw.within_writes);
        that("read_after_write.within_writes", raw.within_writes, in_range, "from 1 to 65536")?;
        let ratio = Self::share("read_after_write.pct", raw.pct)?;
        Ok(ReadAfterWrite { ratio, within_writes: raw.within_writes })
    }

    /// Returns the start of the flow and the time at which it stops, if one is set.
    fn ends(raw: &WorkloadDefinition) -> CheckResult<(SimTime, Option<SimTime>)> {
        let expected = "from 0 to 1000000000000 (11 days)";
        let start = Self::span("start_us", raw.start_us, ENDS_US, expected)?;
        let Some(stop_us) = raw.stop_us else { return Ok((SimTime::ZERO + start, None)) };
        let stop = Self::span("stop_us", stop_us, ENDS_US, expected)?;
        that("stop_us", stop_us, stop > start, "later than start_us")?;
        Ok((SimTime::ZERO + start, Some(SimTime::ZERO + stop)))
    }
}

/// Returns an error if `holds` is false; `expected` describes valid values.
fn that(key: &'static str, found: impl Display, holds: bool, expected: &'static str) -> CheckResult<()> {
    if holds {
        return Ok(());
    }
    Err(ValueFault { key, found: found.to_string(), expected })
}

fn refused(key: &'static str, found: &str, expected: &'static str) -> ValueFault {
    ValueFault { key, found: found.to_owned(), expected }
}
