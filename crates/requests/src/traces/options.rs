//! How a trace is to be read.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;

use super::devices::DeviceLayout;
use super::parquet::ParquetDecoder;

/// Which of a request's events in a block-layer trace stands for the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
pub enum Event {
    /// Queued: the request as the file system made it, before merging.
    #[schemars(rename = "Q")]
    Queued,
    /// Dispatched: the request as the driver got it, after merging.
    #[default]
    #[schemars(rename = "D")]
    Dispatched,
}

impl Event {
    /// The one that this is not.
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Queued => Self::Dispatched,
            Self::Dispatched => Self::Queued,
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Queued => "Q",
            Self::Dispatched => "D",
        })
    }
}

impl FromStr for Event {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "Q" | "q" => Ok(Self::Queued),
            "D" | "d" => Ok(Self::Dispatched),
            _ => Err(format!("`{text}` is no event of a request; it should be D (dispatched) or Q (queued)")),
        }
    }
}

/// What a user may say of a trace; nothing needs to be said.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename = "Trace", default)]
pub struct TraceOptions {
    /// Its format, when it is not to be found out from its first lines.
    pub format: Option<String>,
    /// A description of its columns, when its format is none of those known.
    pub columns: Option<String>,
    /// The event that stands for a request, where a trace has several for each: `D` is dispatched, `Q` is queued.
    pub event: Event,
    /// Bad lines that may be passed over.
    #[schemars(extend("unit" = "lines"))]
    pub skip_bad: u64,
    /// Placement of its devices on the drive: `side-by-side` (each has an address range of its own), `overlay` (all share
    /// one), or the name of the only device whose requests are kept.
    #[schemars(with = "Option<String>")]
    pub devices: Option<DeviceLayout>,
    /// Decoder for Parquet files, if the program has one.
    #[schemars(skip)]
    pub parquet: Option<ParquetDecoder>,
}

impl TraceOptions {
    /// The options that name a format and nothing else.
    pub fn format(name: &str) -> Self {
        Self { format: Some(name.to_owned()), ..Self::default() }
    }
}
