//! Validation of the table `[address]`.

use super::super::definition::{self, Pattern};
use super::super::ranges::{PARETO_H, RUN_REQUESTS, THETA};
use super::super::spec::{AddressPattern, AddressSpec, Footprint};
use super::{CheckResult, Validator, that};
use crate::request::SECTOR_BYTES;

impl Validator {
    pub(super) fn places(raw: &definition::Address) -> CheckResult<AddressSpec> {
        let align_sectors = Self::sectors("address.align_bytes", raw.align_bytes)?;
        let run_requests = raw.run_requests;
        let in_range = RUN_REQUESTS.contains(&run_requests);
        that("address.run_requests", run_requests, in_range, "from 1 to 1000000")?;
        Ok(AddressSpec {
            align_sectors,
            write_align_sectors: None,
            offset_sectors: Self::offset(raw.align_offset_bytes, align_sectors)?,
            footprint: Self::footprint(&raw.footprint)?,
            pattern: Self::pattern(&raw.pattern)?,
            run_requests,
            write_run_requests: None,
            runs_by_operation: raw.runs_by_operation,
        })
    }

    fn offset(bytes: u64, align_sectors: u32) -> CheckResult<u32> {
        let sectors = bytes / u64::from(SECTOR_BYTES);
        let fits = bytes.is_multiple_of(u64::from(SECTOR_BYTES)) && sectors < u64::from(align_sectors);
        that("address.align_offset_bytes", bytes, fits, "a multiple of 512 below align_bytes")?;
        Ok(sectors as u32)
    }

    fn footprint(footprint: &definition::FootprintDefinition) -> CheckResult<Footprint> {
        match *footprint {
            definition::FootprintDefinition::Bytes(bytes) => {
                Ok(Footprint::Sectors(Self::extent("address.footprint.bytes", bytes)?))
            }
            definition::FootprintDefinition::AtMostBytes(bytes) => {
                Ok(Footprint::AtMost(Self::extent("address.footprint.at_most_bytes", bytes)?))
            }
            definition::FootprintDefinition::DrivePct(pct) => {
                let in_range = pct > 0.0 && pct <= 100.0;
                that("address.footprint.drive_pct", pct, in_range, "above 0 and up to 100")?;
                Ok(Footprint::DriveRatio(pct / 100.0))
            }
        }
    }

    fn extent(key: &'static str, bytes: u64) -> CheckResult<u64> {
        let whole = bytes > 0 && bytes.is_multiple_of(u64::from(SECTOR_BYTES));
        that(key, bytes, whole, "a multiple of 512, at least 512")?;
        Ok(bytes / u64::from(SECTOR_BYTES))
    }

    fn pattern(pattern: &Pattern) -> CheckResult<AddressPattern> {
        Ok(match pattern {
            Pattern::Uniform => AddressPattern::Uniform,
            Pattern::Permutation => AddressPattern::Permutation,
            Pattern::Sequential => AddressPattern::Sequential,
            Pattern::Zipf(zipf) => {
                let in_range = THETA.contains(&zipf.theta);
                that("address.pattern.zipf.theta", zipf.theta, in_range, "from 0.01 to 5")?;
                AddressPattern::Zipf { theta: zipf.theta }
            }
            Pattern::HotCold(part) => AddressPattern::HotCold {
                hot_access_ratio: Self::share(
                    "address.pattern.hot_cold.hot_access_pct",
                    part.hot_access_pct,
                )?,
                hot_space_ratio: Self::inner_share(
                    "address.pattern.hot_cold.hot_space_pct",
                    part.hot_space_pct,
                )?,
            },
            Pattern::Pareto(pareto) => {
                let in_range = PARETO_H.contains(&pareto.h);
                that("address.pattern.pareto.h", pareto.h, in_range, "from 0.001 to 0.999")?;
                AddressPattern::Pareto { h: pareto.h }
            }
            Pattern::Normal(normal) => AddressPattern::Normal {
                deviation_ratio: Self::inner_share(
                    "address.pattern.normal.deviation_pct",
                    normal.deviation_pct,
                )?,
            },
        })
    }
}
