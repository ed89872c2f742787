//! Interface of a Parquet decoder, which a program sets in [`super::TraceOptions::parquet`].

use std::path::Path;

use venice_kernel::SimSpan;

use crate::request::{BoxedError, Op};

/// Parquet decoder: a function that opens a file.
#[derive(Clone, Copy, Debug)]
pub struct ParquetDecoder(pub fn(&Path) -> Result<ParquetColumns, BoxedError>);

/// Compares any two decoders as equal, since a program has only one.
impl PartialEq for ParquetDecoder {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ParquetDecoder {}

/// Batches of decoded rows in the order of the file.
pub type ParquetBatches = Box<dyn Iterator<Item = Result<Vec<ParquetRow>, BoxedError>> + Send>;

/// Parquet file that a decoder has opened.
pub struct ParquetColumns {
    /// Unit of the arrival times.
    pub tick: SimSpan,
    /// Rows of the file.
    pub batches: ParquetBatches,
}

/// Decoded row. `None` represents values that are missing, negative or invalid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParquetRow {
    /// Arrival time of the request in ticks.
    pub arrival: Option<u64>,
    /// Operation of the request.
    pub op: Option<Op>,
    /// First sector of the request.
    pub start_sector: Option<u64>,
    /// Length of the request in sectors.
    pub sectors: Option<u64>,
    /// Number of the request's device.
    pub queue: Option<u64>,
    /// Number of the pattern set of a search.
    pub pattern_set: Option<u64>,
}
