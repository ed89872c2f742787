//! Files that people write: drives, workloads.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The longest such file, bytes. None comes near; a device or a pipe may have no end.
const MOST_BYTES: u64 = 16 << 20;

/// Returns true if a path, also through links, is that of a regular file with one of these endings. A file that another one names and
/// that is none may be a secret of the system's or a device: it is not read.
pub fn is_regular(path: &Path, endings: &[&str]) -> bool {
    let Ok(real) = path.canonicalize() else { return false };
    let has_ending = |ending: &&str| real.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    real.is_file() && endings.iter().any(has_ending)
}

/// What is in a file.
///
/// # Errors
/// Those of the system, and [`ErrorKind::FileTooLarge`] for one that goes on after 16 MiB.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        let message = format!("it goes on after {} MiB, which no such file does", MOST_BYTES >> 20);
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The text in a file.
///
/// # Errors
/// As [`read`], and [`ErrorKind::InvalidData`] for what is no UTF-8.
pub fn read_to_string(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}
