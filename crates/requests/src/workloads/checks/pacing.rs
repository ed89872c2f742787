//! Validation of arrivals and closed loops.

use venice_kernel::SimSpan;

use super::super::definition::{self, WorkloadDefinition};
use super::super::ranges::{OUTSTANDING, PARETO_SHAPE, SPAN_US, THINK_US};
use super::super::spec::{Bursts, Gaps, OpenLoop, Pacing, Spacing};
use super::{CheckResult, Validator, refused, that};

/// Description of valid durations, for messages.
const SPAN: &str = "from 0.001 to 1000000000 (1000 s)";

impl Validator {
    pub(super) fn pacing(raw: &WorkloadDefinition, mean_bytes: f64) -> CheckResult<Pacing> {
        let expected = "a value, unless the table `open_loop` exists; not both";
        match (raw.closed_loop_depth, &raw.open_loop) {
            (Some(depth), None) => Self::closed_loop(depth, raw.think_us),
            (None, Some(_)) if raw.think_us.is_some() => Err(refused(
                "think_us",
                "given with `open_loop`",
                "absent, since `open_loop` sets the arrival times",
            )),
            (None, Some(open_loop)) => Ok(Pacing::OpenLoop(Self::open_loop(open_loop, mean_bytes)?)),
            (Some(_), Some(_)) => Err(refused("closed_loop_depth", "given with `open_loop`", expected)),
            (None, None) => Err(refused("closed_loop_depth", "missing", expected)),
        }
    }

    fn closed_loop(depth: u32, think_us: Option<f64>) -> CheckResult<Pacing> {
        that("closed_loop_depth", depth, OUTSTANDING.contains(&depth), "from 1 to 65536")?;
        let think =
            Self::span("think_us", think_us.unwrap_or(0.0), THINK_US, "from 0 to 1000000000 (1000 s)")?;
        Ok(Pacing::ClosedLoop { depth, think, think_requests: 1 })
    }

    fn open_loop(raw: &definition::OpenLoopDefinition, mean_bytes: f64) -> CheckResult<OpenLoop> {
        let mean_gap = Self::mean_gap(raw, mean_bytes)?;
        let bursts = raw.bursts.as_ref().map(|bursts| Self::bursts(bursts, mean_gap)).transpose()?;
        if let Some(most) = raw.most_outstanding {
            let in_range = OUTSTANDING.contains(&most);
            that("open_loop.most_outstanding", most, in_range, "from 1 to 65536")?;
        }
        let (gaps, most_outstanding) = (Self::gaps(&raw.gaps)?, raw.most_outstanding);
        Ok(OpenLoop { mean_gap, gaps, bursts, most_outstanding })
    }

    /// Returns the configured mean gap or, if a bandwidth is configured, the mean length divided by the
    /// bandwidth.
    fn mean_gap(raw: &definition::OpenLoopDefinition, mean_bytes: f64) -> CheckResult<SimSpan> {
        let expected = "a value, unless `open_loop.mb_per_s` has one; not both";
        match (raw.mean_gap_us, raw.mb_per_s) {
            (Some(mean_gap_us), None) => Self::span("open_loop.mean_gap_us", mean_gap_us, SPAN_US, SPAN),
            (None, Some(mb_per_s)) => {
                let mean_gap_us = mean_bytes / mb_per_s;
                let in_range = mb_per_s > 0.0 && SPAN_US.contains(&mean_gap_us);
                let expected = "above 0, and such that a mean request takes from 0.001 µs to 1000 s";
                that("open_loop.mb_per_s", mb_per_s, in_range, expected)?;
                Ok(SimSpan::from_us_f64(mean_gap_us))
            }
            (Some(_), Some(_)) => Err(refused("open_loop.mean_gap_us", "given with `mb_per_s`", expected)),
            (None, None) => Err(refused("open_loop.mean_gap_us", "missing", expected)),
        }
    }

    fn gaps(raw: &definition::GapsDefinition) -> CheckResult<Gaps> {
        Ok(match raw {
            definition::GapsDefinition::Constant => Gaps::Constant,
            definition::GapsDefinition::Exponential => Gaps::Exponential,
            definition::GapsDefinition::Hyperexponential(two) => Gaps::Hyperexponential {
                long_ratio: Self::inner_share("open_loop.gaps.hyperexponential.long_pct", two.long_pct)?,
                short_mean: Self::inner_share(
                    "open_loop.gaps.hyperexponential.short_mean_pct",
                    two.short_mean_pct,
                )?,
            },
            definition::GapsDefinition::Pareto(pareto) => {
                let in_range = PARETO_SHAPE.contains(&pareto.shape);
                that("open_loop.gaps.pareto.shape", pareto.shape, in_range, "from 1.01 to 100")?;
                Gaps::Pareto { shape: pareto.shape }
            }
        })
    }

    fn bursts(raw: &definition::BurstsDefinition, mean_gap: SimSpan) -> CheckResult<Bursts> {
        let on = Self::span("open_loop.bursts.on_us", raw.on_us, SPAN_US, SPAN)?;
        let off = Self::span("open_loop.bursts.off_us", raw.off_us, SPAN_US, SPAN)?;
        // With less than one request per burst there would be no bursts, and the generator would iterate over
        // empty ones.
        let full = on + off >= mean_gap;
        that("open_loop.bursts.on_us", raw.on_us, full, "at least mean_gap_us - off_us")?;
        Ok(Bursts { on, off, lengths: raw.lengths.into() })
    }
}

impl From<definition::SpacingDefinition> for Spacing {
    fn from(raw: definition::SpacingDefinition) -> Self {
        match raw {
            definition::SpacingDefinition::Constant => Self::Constant,
            definition::SpacingDefinition::Exponential => Self::Exponential,
        }
    }
}
