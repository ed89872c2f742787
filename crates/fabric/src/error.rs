//! Errors in the combination of fabric settings.

use thiserror::Error;

/// Conflict between fabric settings that are valid individually. It is detected before a run starts.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FabricError {
    /// pnSSD needs an array with as many rows as columns.
    #[error(
        "pnSSD needs equal numbers of rows and columns, since each controller drives one row bus and one column bus \
         (found {rows} rows × {cols} columns)"
    )]
    NotSquare {
        /// Number of rows of the array.
        rows: u32,
        /// Number of columns of the array.
        cols: u32,
    },
    /// Chips that hold data cannot be reached by any controller after all configured faults.
    #[error(
        "{} of {chips} chips are unreachable by {routing} after the configured failures: {}",
        .lost.len(), list(.lost)
    )]
    Unreachable {
        /// Routing of a mesh, or kind of the failed parts of another fabric, as named in the message.
        routing: &'static str,
        /// Number of chips in the array.
        chips: u32,
        /// Row and column of each unreachable chip.
        lost: Vec<(u32, u32)>,
    },
    /// The port buffers of NoSSD are too small for a single transfer on an idle mesh.
    #[error(
        "NoSSD's port buffers of {have_bytes} bytes are too small: an uncontended transfer needs {need_bytes} \
         bytes to avoid stalls"
    )]
    BufferTooSmall {
        /// Capacity of one port buffer, in bytes.
        have_bytes: u32,
        /// Minimum capacity of a port buffer, in bytes.
        need_bytes: u64,
    },
    /// Error of a fabric that is not in the catalogue.
    #[error("{0}")]
    External(String),
}

/// Maximum number of chips that a message lists. An ellipsis stands for further chips.
const NAMED: usize = 8;

fn list(places: &[(u32, u32)]) -> String {
    let mut named: Vec<String> =
        places.iter().take(NAMED).map(|(row, column)| format!("row {row} column {column}")).collect();
    if places.len() > NAMED {
        named.push("…".to_owned());
    }
    named.join(", ")
}
