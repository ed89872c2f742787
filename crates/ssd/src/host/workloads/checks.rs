//! From a definition to a spec: every range is stated here, once.

use std::fmt::Display;
use std::ops::RangeInclusive;

use venice_kernel::SimSpan;

use super::definition::{self, Definition};
use super::error::WorkloadError;
use super::spec::{
    AddressPattern, Bursts, Footprint, OpenLoop, Pacing, SizeChoice, SizeMix, Spacing, WorkloadSpec,
};
use crate::host::request::SECTOR_BYTES;

/// The longest request.
const MAX_REQUEST_BYTES: u64 = 64 << 20;

/// Reads and checks a definition. `file` is what messages call it.
pub(super) fn checked(text: &str, file: &str, label: &str) -> Result<WorkloadSpec, WorkloadError> {
    let raw: Definition = toml::from_str(text).map_err(|error| WorkloadError::Definition {
        file: file.to_owned(),
        message: error.to_string().trim_end().to_owned(),
    })?;
    let check = Check { file };
    check.that("synthetic", raw.synthetic, raw.synthetic, "true: requests from a definition always are")?;
    check.that(
        "requests",
        raw.requests,
        (1..=1_000_000_000_000).contains(&raw.requests),
        "from 1 to 10^12",
    )?;
    Ok(WorkloadSpec {
        label: label.to_owned(),
        requests: raw.requests,
        read_ratio: check.share("read_pct", raw.read_pct)?,
        sizes: check.sizes(&raw.size)?,
        align_sectors: check.sectors("address.align_bytes", raw.address.align_bytes)?,
        footprint: check.footprint(&raw.address.footprint)?,
        pattern: check.pattern(&raw.address.pattern)?,
        pacing: check.pacing(raw.closed_loop_depth, raw.open_loop.as_ref())?,
        description: raw.description,
        source: raw.source,
    })
}

/// What messages need to know.
#[derive(Clone, Copy)]
struct Check<'a> {
    file: &'a str,
}

type Checked<T> = Result<T, WorkloadError>;

impl Check<'_> {
    /// The message for a value that is not as `expected`.
    fn that(
        self,
        key: &'static str,
        found: impl Display,
        holds: bool,
        expected: &'static str,
    ) -> Checked<()> {
        if holds {
            return Ok(());
        }
        Err(WorkloadError::Value { file: self.file.to_owned(), key, found: found.to_string(), expected })
    }

    /// A percentage as a ratio.
    fn share(self, key: &'static str, pct: f64) -> Checked<f64> {
        self.that(key, pct, (0.0..=100.0).contains(&pct), "from 0 to 100")?;
        Ok(pct / 100.0)
    }

    /// A percentage that leaves something on both sides.
    fn inner_share(self, key: &'static str, pct: f64) -> Checked<f64> {
        self.that(key, pct, pct > 0.0 && pct < 100.0, "above 0 and below 100")?;
        Ok(pct / 100.0)
    }

    /// Bytes of a request or of an alignment, as sectors.
    fn sectors(self, key: &'static str, bytes: u64) -> Checked<u32> {
        let whole = bytes.is_multiple_of(u64::from(SECTOR_BYTES));
        let in_range = (u64::from(SECTOR_BYTES)..=MAX_REQUEST_BYTES).contains(&bytes);
        self.that(key, bytes, whole && in_range, "a multiple of 512, from 512 to 67108864 (64 MiB)")?;
        Ok((bytes / u64::from(SECTOR_BYTES)) as u32)
    }

    /// Microseconds in a range, as a span.
    fn span(
        self,
        key: &'static str,
        us: f64,
        range: RangeInclusive<f64>,
        expected: &'static str,
    ) -> Checked<SimSpan> {
        self.that(key, us, range.contains(&us), expected)?;
        Ok(SimSpan::from_us_f64(us))
    }

    fn sizes(self, size: &definition::Size) -> Checked<SizeMix> {
        let choices = match size {
            definition::Size::FixedBytes(bytes) => {
                return Ok(SizeMix::Fixed(self.sectors("size.fixed_bytes", *bytes)?));
            }
            definition::Size::Normal(normal) => return self.normal(normal),
            definition::Size::Choices(choices) => choices,
        };
        self.that("size.choices", "empty", !choices.is_empty(), "a list of at least one size")?;
        let choices = choices.iter().map(|choice| {
            let in_range = (1..=1_000_000).contains(&choice.weight);
            self.that("size.choices.weight", choice.weight, in_range, "from 1 to 1000000")?;
            let sectors = self.sectors("size.choices.bytes", choice.bytes)?;
            Ok(SizeChoice { sectors, weight: choice.weight })
        });
        Ok(SizeMix::Choices(choices.collect::<Checked<_>>()?))
    }

    fn normal(self, normal: &definition::Normal) -> Checked<SizeMix> {
        let mean_sectors = self.sectors("size.normal.mean_bytes", normal.mean_bytes)?;
        let deviation_sectors = self.sectors("size.normal.deviation_bytes", normal.deviation_bytes)?;
        Ok(SizeMix::Normal { mean_sectors, deviation_sectors })
    }

    fn footprint(self, footprint: &definition::Footprint) -> Checked<Footprint> {
        match *footprint {
            definition::Footprint::Bytes(bytes) => {
                let whole = bytes > 0 && bytes.is_multiple_of(u64::from(SECTOR_BYTES));
                self.that("address.footprint.bytes", bytes, whole, "a multiple of 512, at least 512")?;
                Ok(Footprint::Sectors(bytes / u64::from(SECTOR_BYTES)))
            }
            definition::Footprint::DrivePct(pct) => {
                let in_range = pct > 0.0 && pct <= 100.0;
                self.that("address.footprint.drive_pct", pct, in_range, "above 0 and up to 100")?;
                Ok(Footprint::DriveRatio(pct / 100.0))
            }
        }
    }

    fn pattern(self, pattern: &definition::Pattern) -> Checked<AddressPattern> {
        Ok(match pattern {
            definition::Pattern::Uniform => AddressPattern::Uniform,
            definition::Pattern::Sequential => AddressPattern::Sequential,
            definition::Pattern::Zipf(zipf) => {
                let in_range = (0.01..=5.0).contains(&zipf.theta);
                self.that("address.pattern.zipf.theta", zipf.theta, in_range, "from 0.01 to 5")?;
                AddressPattern::Zipf { theta: zipf.theta }
            }
            definition::Pattern::HotCold(part) => AddressPattern::HotCold {
                hot_access_ratio: self
                    .share("address.pattern.hot_cold.hot_access_pct", part.hot_access_pct)?,
                hot_space_ratio: self
                    .inner_share("address.pattern.hot_cold.hot_space_pct", part.hot_space_pct)?,
            },
        })
    }

    fn pacing(self, depth: Option<u32>, open_loop: Option<&definition::OpenLoop>) -> Checked<Pacing> {
        let expected = "given, or else the table `open_loop`, and not both";
        match (depth, open_loop) {
            (Some(depth), None) => {
                self.that("closed_loop_depth", depth, (1..=65_536).contains(&depth), "from 1 to 65536")?;
                Ok(Pacing::ClosedLoop { depth })
            }
            (None, Some(open_loop)) => Ok(Pacing::OpenLoop(self.open_loop(open_loop)?)),
            (Some(_), Some(_)) => Err(self.refused("closed_loop_depth", "given with `open_loop`", expected)),
            (None, None) => Err(self.refused("closed_loop_depth", "missing", expected)),
        }
    }

    fn refused(self, key: &'static str, found: &str, expected: &'static str) -> WorkloadError {
        WorkloadError::Value { file: self.file.to_owned(), key, found: found.to_owned(), expected }
    }

    fn open_loop(self, raw: &definition::OpenLoop) -> Checked<OpenLoop> {
        let expected = "from 0.001 to 1000000000 (1000 s)";
        let mean_gap = self.span("open_loop.mean_gap_us", raw.mean_gap_us, 1e-3..=1e9, expected)?;
        let bursts = raw.bursts.as_ref().map(|bursts| self.bursts(bursts, mean_gap)).transpose()?;
        Ok(OpenLoop { mean_gap, gaps: raw.gaps.into(), bursts })
    }

    fn bursts(self, raw: &definition::Bursts, mean_gap: SimSpan) -> Checked<Bursts> {
        let expected = "from 0.001 to 1000000000 (1000 s)";
        let on = self.span("open_loop.bursts.on_us", raw.on_us, 1e-3..=1e9, expected)?;
        let off = self.span("open_loop.bursts.off_us", raw.off_us, 1e-3..=1e9, expected)?;
        // Fewer than one request per burst is no burst, and would have the generator count empty ones.
        let full = on + off >= mean_gap;
        self.that(
            "open_loop.bursts.on_us",
            raw.on_us,
            full,
            "so long that on_us + off_us reach mean_gap_us",
        )?;
        Ok(Bursts { on, off, lengths: raw.lengths.into() })
    }
}

impl From<definition::Spacing> for Spacing {
    fn from(raw: definition::Spacing) -> Self {
        match raw {
            definition::Spacing::Constant => Self::Constant,
            definition::Spacing::Exponential => Self::Exponential,
        }
    }
}
