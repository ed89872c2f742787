//! Edited traces: filtered, scaled, limited and merged.
//!
//! # What it models
//!
//! A pipeline applies the [adapters](super::super::adapters) in this order: merge of the traces, each with
//! its device layout; filter; scaling of the arrival rate; wrapping of addresses; limit of the number of
//! requests.
//!
//! # How
//!
//! Requests are processed as a stream. A target mean gap and a side-by-side layout need an additional pass
//! over the traces.
//!
//! # What is left out
//!
//! Individual requests cannot be changed. Other programs can do so, through `--columns` or a Parquet file.
//!
//! # Source
//!
//! See the adapters.

use std::ops::Range;
use std::path::PathBuf;

use super::{TraceOptions, open_trace};
use crate::adapters::{
    FilteredSource, LimitedSource, MergedSource, RateScale, RateScaledSource, RequestFilter, WrappedSource,
};
use crate::request::{BoxedSource, SourceError};

/// Number of requests read per batch.
const BATCH: usize = 4096;

/// Trace to be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceInput {
    /// Path of the file.
    pub path: PathBuf,
    /// Reading options of the trace.
    pub options: TraceOptions,
}

/// Change of the arrival rate, as a factor or as a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateChange {
    /// Factor by which the arrival rate is multiplied.
    Factor(f64),
    /// Target for the mean time between requests, in microseconds.
    MeanGapUs(f64),
}

/// Address ranges of a drive, into which addresses are wrapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrapRanges {
    /// Address ranges of the drive, in sectors.
    pub ranges: Vec<Range<u64>>,
    /// Number of sectors per page.
    pub page_sectors: u32,
}

/// Changes to apply to a trace; the default has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    /// Conditions on the requests to keep.
    pub keep: RequestFilter,
    /// Change of the arrival rate.
    pub tempo: Option<RateChange>,
    /// Address ranges into which requests are wrapped.
    pub fold: Option<WrapRanges>,
    /// Maximum number of requests to keep.
    pub requests: Option<u64>,
}

/// Returns the edited requests of one or several traces.
///
/// # Errors
/// Errors of opening a trace and of an additional pass over it; [`SourceError::RateScale`] for a rate out of
/// range.
pub fn edited(inputs: &[TraceInput], edit: &Edit) -> Result<BoxedSource, SourceError> {
    let source = kept(inputs, edit)?;
    let source: BoxedSource = match edit.tempo {
        None => source,
        Some(RateChange::Factor(factor)) => scaled(source, factor)?,
        Some(RateChange::MeanGapUs(wanted)) => scaled(source, mean_gap_us(kept(inputs, edit)?)? / wanted)?,
    };
    let source: BoxedSource = match &edit.fold {
        None => source,
        Some(WrapRanges { ranges, page_sectors }) => {
            Box::new(WrappedSource::into_ranges(source, ranges.iter().cloned(), *page_sectors))
        }
    };
    Ok(match edit.requests {
        None => source,
        Some(requests) => Box::new(LimitedSource::new(source, requests)),
    })
}

/// Returns the requests after the merge and the filter.
fn kept(inputs: &[TraceInput], edit: &Edit) -> Result<BoxedSource, SourceError> {
    let opened: Result<Vec<BoxedSource>, _> =
        inputs.iter().map(|input| open_trace(&input.path, &input.options)).collect();
    let mut opened = opened?;
    let source = match opened.len() {
        1 => opened.remove(0),
        _ => Box::new(MergedSource::new(opened)),
    };
    Ok(if edit.keep == RequestFilter::default() {
        source
    } else {
        Box::new(FilteredSource::new(source, edit.keep.clone()))
    })
}

fn scaled(source: BoxedSource, factor: f64) -> Result<BoxedSource, SourceError> {
    Ok(Box::new(RateScaledSource::new(source, RateScale::new(factor)?)))
}

/// Returns the mean time between requests in microseconds; zero for a single request.
fn mean_gap_us(mut source: BoxedSource) -> Result<f64, SourceError> {
    let (mut ends, mut requests, mut batch) = (None, 0_u64, Vec::with_capacity(BATCH));
    while source.fill(&mut batch, BATCH)? > 0 {
        requests += batch.len() as u64;
        let last = batch[batch.len() - 1].arrival;
        ends = Some((ends.map_or(batch[0].arrival, |(first, _)| first), last));
        batch.clear();
    }
    let (first, last) = ends.unwrap_or_default();
    Ok((last.as_ps() - first.as_ps()) as f64 / 1e6 / requests.saturating_sub(1).max(1) as f64)
}
