//! Why a fabric cannot be built over certain settings.

use thiserror::Error;

/// Settings that are each in range but do not go together in this fabric. The run has not begun;
/// the configuration is to be changed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FabricError {
    /// pnSSD over an array that is not square.
    #[error(
        "pnSSD needs as many rows as columns: each controller drives one row bus and one column bus; \
         got {rows} rows × {cols} columns"
    )]
    NotSquare {
        /// Rows of the array.
        rows: u32,
        /// Columns of the array.
        cols: u32,
    },
    /// Some chips that hold data are reached by no controller once everything has failed that will.
    #[error(
        "{} of {chips} chips cannot be reached by {routing} once the given parts have failed: {}",
        .lost.len(), list(.lost)
    )]
    Unreachable {
        /// How paths are found.
        routing: &'static str,
        /// Chips there are.
        chips: u32,
        /// Row and column of each chip that is lost.
        lost: Vec<(u32, u32)>,
    },
    /// NoSSD with port buffers in which a lone transfer would stall.
    #[error(
        "NoSSD's port buffers of {have_bytes} bytes are too small: a lone transfer needs {need_bytes} bytes \
         to flow without stalling; make port_buffer_bytes larger or max_payload_bytes smaller"
    )]
    BufferTooSmall {
        /// Bytes of one port's buffer.
        have_bytes: u32,
        /// Bytes it must have at least.
        need_bytes: u64,
    },
    /// What a fabric from outside the catalogue says.
    #[error("{0}")]
    Own(String),
}

/// How many chips a message names before it goes on with dots.
const NAMED: usize = 8;

fn list(places: &[(u32, u32)]) -> String {
    let mut named: Vec<String> =
        places.iter().take(NAMED).map(|(row, column)| format!("row {row} column {column}")).collect();
    if places.len() > NAMED {
        named.push("…".to_owned());
    }
    named.join(", ")
}
