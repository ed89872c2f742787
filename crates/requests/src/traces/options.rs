//! Options for reading a trace.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;

use super::devices::DeviceLayout;
use super::parquet_decoder::ParquetDecoder;

/// Event in a block-layer trace that represents a request: queued or dispatched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
#[serde(rename = "Event")]
pub enum BlockLayerEvent {
    /// Queued event: the request as issued by the file system, before merging.
    #[schemars(rename = "Q")]
    Queued,
    /// Dispatched event: the request as sent to the driver, after merging.
    #[default]
    #[schemars(rename = "D")]
    Dispatched,
}

impl BlockLayerEvent {
    /// Returns the event that this one is not: queued for dispatched, dispatched for queued.
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Queued => Self::Dispatched,
            Self::Dispatched => Self::Queued,
        }
    }
}

impl fmt::Display for BlockLayerEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Queued => "Q",
            Self::Dispatched => "D",
        })
    }
}

impl FromStr for BlockLayerEvent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "Q" | "q" => Ok(Self::Queued),
            "D" | "d" => Ok(Self::Dispatched),
            _ => Err(format!("unknown event `{text}`; expected: D (dispatched) or Q (queued)")),
        }
    }
}

/// Options for reading a trace. All are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename = "Trace", default)]
pub struct TraceOptions {
    /// Trace format [default: detected from the first lines].
    pub format: Option<String>,
    /// Column description, for unknown formats.
    pub columns: Option<String>,
    /// Event that represents a request in a block-layer trace: `D` for dispatched, `Q` for queued [default:
    /// D].
    pub event: BlockLayerEvent,
    /// Maximum number of bad lines to skip.
    #[schemars(extend("unit" = "lines"))]
    pub skip_bad: u64,
    /// Placement of the trace's devices on the drive: `side-by-side` (separate address ranges), `overlay`
    /// (common address range), or the name of a single device to keep.
    #[schemars(with = "Option<String>")]
    pub devices: Option<DeviceLayout>,
    /// Decoder for Parquet files, if the program has one.
    #[schemars(skip)]
    pub parquet: Option<ParquetDecoder>,
}

impl TraceOptions {
    /// Creates options that set only the format.
    pub fn format(name: &str) -> Self {
        Self { format: Some(name.to_owned()), ..Self::default() }
    }
}
