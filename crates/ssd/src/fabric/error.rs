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
}
