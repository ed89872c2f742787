//! A trace made from others: parts of them, faster or slower, side by side, together.
//!
//! # What it models
//!
//! Nothing: requests are passed over or moved, by the adapters of [`super::super::adapters`], in this order: the
//! traces, each with its devices placed as its options say, are put together, requests that are not kept are passed over,
//! the rate is scaled, addresses are wrapped into the drive, and the first ones up to a limit stay.
//!
//! # How
//!
//! As a stream. A mean gap to reach, and a layout, take reading the traces once before.
//!
//! # What is left out
//!
//! Changing requests one by one: that is for `--columns`, or a program over Parquet.
//!
//! # Source
//!
//! The adapters' own pages.

use std::ops::Range;
use std::path::PathBuf;

use super::{TraceOptions, open_trace};
use crate::adapters::{Filtered, Folded, Keep, Limited, Merged, RateScale, RateScaled};
use crate::request::{RequestSource, SourceError};

/// Requests asked for at a time.
const BATCH: usize = 4096;

type Source = Box<dyn RequestSource + Send>;

/// A trace to take requests from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceInput {
    /// The file.
    pub path: PathBuf,
    /// How it is read.
    pub options: TraceOptions,
}

/// How fast requests shall come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tempo {
    /// So many times as fast.
    Factor(f64),
    /// This long after each other on average, in microseconds.
    MeanGapUs(f64),
}

/// A drive's addresses, to fold requests into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldInto {
    /// Its address ranges, in sectors.
    pub ranges: Vec<Range<u64>>,
    /// Sectors of a page.
    pub page_sectors: u32,
}

/// What is done to the requests; nothing needs to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    /// Which requests stay.
    pub keep: Keep,
    /// How fast they come.
    pub tempo: Option<Tempo>,
    /// Where addresses end.
    pub fold: Option<FoldInto>,
    /// How many there are at most.
    pub requests: Option<u64>,
}

/// The requests of one trace, or of several together.
///
/// # Errors
/// As opening them; as reading them, where that is done beforehand; [`SourceError::RateScale`] for a rate out of range.
pub fn edited(inputs: &[TraceInput], edit: &Edit) -> Result<Source, SourceError> {
    let source = kept(inputs, edit)?;
    let source: Source = match edit.tempo {
        None => source,
        Some(Tempo::Factor(factor)) => scaled(source, factor)?,
        Some(Tempo::MeanGapUs(wanted)) => scaled(source, mean_gap_us(kept(inputs, edit)?)? / wanted)?,
    };
    let source: Source = match &edit.fold {
        None => source,
        Some(FoldInto { ranges, page_sectors }) => {
            Box::new(Folded::into_ranges(source, ranges.iter().cloned(), *page_sectors))
        }
    };
    Ok(match edit.requests {
        None => source,
        Some(requests) => Box::new(Limited::new(source, requests)),
    })
}

/// Those that stay, at their own times.
fn kept(inputs: &[TraceInput], edit: &Edit) -> Result<Source, SourceError> {
    let opened: Result<Vec<Source>, _> =
        inputs.iter().map(|input| open_trace(&input.path, &input.options)).collect();
    let mut opened = opened?;
    let source = match opened.len() {
        1 => opened.remove(0),
        _ => Box::new(Merged::new(opened)),
    };
    Ok(if edit.keep == Keep::default() { source } else { Box::new(Filtered::new(source, edit.keep.clone())) })
}

fn scaled(source: Source, factor: f64) -> Result<Source, SourceError> {
    Ok(Box::new(RateScaled::new(source, RateScale::new(factor)?)))
}

/// The mean time from one request to the next; nothing, which no rate can change, for a single one.
fn mean_gap_us(mut source: Source) -> Result<f64, SourceError> {
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
