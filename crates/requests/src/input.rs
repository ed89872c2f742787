//! Reading of input files written by users, such as drives and workloads.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Maximum size of an input file in bytes, which protects against devices and pipes without an end.
const MAX_BYTES: u64 = 16 << 20;

/// Returns true if a path, with links resolved, is a regular file with one of these extensions. Paths that
/// occur in input files are checked in this way, because they could be devices or confidential system files.
pub fn is_regular(path: &Path, endings: &[&str]) -> bool {
    let Ok(real) = path.canonicalize() else { return false };
    let has_ending = |ending: &&str| real.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    real.is_file() && endings.iter().any(has_ending)
}

/// Returns the content of a file.
///
/// # Errors
/// I/O errors, and [`ErrorKind::FileTooLarge`] beyond 16 MiB.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("it goes on after {} MiB, which no such file does", MAX_BYTES >> 20);
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Returns the content of a text file.
///
/// # Errors
/// Errors of [`read`], and [`ErrorKind::InvalidData`] for invalid UTF-8.
pub fn read_to_string(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}
