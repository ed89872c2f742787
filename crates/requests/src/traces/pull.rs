//! Batches of requests, obtained from a function that returns one request at a time.

use super::TraceError;
use crate::request::{HostRequest, SourceError};

/// Appends up to `at_most` requests that `next` returns. Sets `spent` at the end or after an error; from then
/// on it appends none.
#[inline]
pub(super) fn fill(
    spent: &mut bool,
    into: &mut Vec<HostRequest>,
    at_most: usize,
    mut next: impl FnMut() -> Result<Option<HostRequest>, TraceError>,
) -> Result<usize, SourceError> {
    let before = into.len();
    while into.len() - before < at_most && !*spent {
        match next() {
            Ok(Some(request)) => into.push(request),
            end => {
                *spent = true;
                end?;
            }
        }
    }
    Ok(into.len() - before)
}
