//! Files of drive states, written atomically and verified before use.
//!
//! # How
//! A file starts with a header of 32 bytes: an eight-byte signature, the format version, four bytes of zero,
//! and the length and checksum of the rest (XXH3, 64 bits, seeded with the version). The rest contains the
//! drive's configuration and then the state, encoded by postcard and compressed by Zstandard. A file is
//! written under a temporary name in the same folder, flushed to disk, and renamed. A symbolic link is kept,
//! and its target is replaced. Devices and pipes are written to directly. The whole file is verified before
//! it is decoded.
//!
//! # What is left out
//! States of other versions are rejected, not converted.
//!
//! # Source
//! Collet, "xxHash", github.com/Cyan4973/xxHash; wire format of postcard, postcard.jamesmunns.com; RFC 8878
//! (Zstandard).

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

/// Signature of a state file. Its first byte is no ASCII character, so the file is not mistaken for text. Its
/// last two bytes reveal a conversion of line ends.
const MAGIC: [u8; 8] = *b"\xf1VENST\r\n";
/// Format version. It must be increased with any change of the stored data.
const VERSION: u32 = 7;
const HEADER_BYTES: usize = 32;
/// Compression level of Zstandard. Compression at this level is fast, and reduces a state to about a third of
/// its size.
const COMPRESSION_LEVEL: i32 = 1;
/// Size of the read buffer, in bytes.
const BUFFER_BYTES: usize = 1 << 16;

/// Error of writing or reading a state file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file could not be read.
    #[error("cannot read the drive's state: {why}\n  --> {path}\n   = expected: a file written by `--save-state`", path = path.display(), why = unread(error))]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write the drive's state: {why}\n  --> {path}", path = path.display(), why = plainly(error))]
    Unwritable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The drive has a feature that a state file does not describe.
    #[error("cannot save the state of a drive {feature}\n  --> {path}\n   = expected: {expected}", path = path.display())]
    Unsupported {
        /// Path of the file.
        path: PathBuf,
        /// Feature of the drive, such as `with parity`.
        feature: &'static str,
        /// Settings of a drive without the feature.
        expected: &'static str,
    },
    /// The file does not begin with the signature of a state file.
    #[error("the file does not contain a drive state\n  --> {path}\n   = expected: a file written by `--save-state`", path = path.display())]
    Foreign {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file was written in another format version.
    #[error(
        "the state has format {found}\n  --> {path}\n   = expected: format {VERSION}; save the state again with this version",
        path = path.display()
    )]
    OtherVersion {
        /// Path of the file.
        path: PathBuf,
        /// Format version of the file.
        found: u32,
    },
    /// The file is truncated or too long.
    #[error("the file is damaged: it has {found} bytes instead of {expected}\n  --> {path}\n   = expected: an undamaged file; save the state again", path = path.display())]
    WrongLength {
        /// Path of the file.
        path: PathBuf,
        /// Actual size of the file, in bytes.
        found: u64,
        /// Expected size of the file, in bytes.
        expected: u64,
    },
    /// The checksum does not match the contents.
    #[error("the file is damaged: its checksum is wrong\n  --> {path}\n   = expected: an undamaged file; save the state again", path = path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
    },
    /// The checksum matches, but decoding fails. The cause is a bug in the simulator or a forged file.
    #[error("the file does not contain a valid drive state, although its checksum is correct: {reason}\n  --> {path}", path = path.display())]
    Undecodable {
        /// Path of the file.
        path: PathBuf,
        /// Reason of the decoding failure.
        reason: String,
    },
    /// The state belongs to another drive.
    #[error(
        "the state belongs to another drive: `{key}` is {theirs} in the state and {ours} in this drive\n  --> {path}\n   = \
         expected: the drive from which the state was saved",
        path = path.display()
    )]
    OtherDrive {
        /// Path of the file.
        path: PathBuf,
        /// First configuration key whose value in the file differs from the value in this run's drive.
        key: String,
        /// Value of the key in the file.
        theirs: String,
        /// Value of the key in the drive of this run.
        ours: String,
    },
}

/// Writes a state together with the configuration of its drive.
///
/// # Errors
/// Returns [`StateError::Unwritable`] if the file cannot be written. An existing file then remains unchanged.
pub fn write<T: Serialize>(path: &Path, of: &[(String, String)], state: &T) -> Result<(), StateError> {
    write_new(path, of, state).map_err(|error| StateError::Unwritable { path: path.to_owned(), error })
}

/// Checks that a state can be written to this path, so that an error is found before a long run.
///
/// # Errors
///
/// Returns [`StateError::Unwritable`] if the file cannot be written.
pub fn check_writable(path: &Path) -> Result<(), StateError> {
    let unwritable = |error| StateError::Unwritable { path: path.to_owned(), error };
    let place = place_of(path);
    if place.is_dir() {
        return Err(unwritable(io::ErrorKind::IsADirectory.into()));
    }
    if is_no_file(&place) {
        return Ok(());
    }
    NamedTempFile::new_in(folder_of(&place)).map(drop).map_err(unwritable)
}

/// Returns the path to which a file is written: the target of a symbolic link, even if this does not exist,
/// or `path` itself.
fn place_of(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let target = path.read_link();
        target.map_or_else(|_| path.to_owned(), |target| folder_of(path).join(target))
    })
}

/// Returns true for a device or a pipe, which has no content to preserve.
fn is_no_file(place: &Path) -> bool {
    place.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn write_new<T: Serialize>(path: &Path, of: &[(String, String)], state: &T) -> io::Result<()> {
    let place = place_of(path);
    if is_no_file(&place) {
        // The state is first written to a temporary file, since the header is written last and a device or
        // pipe may not support seeking.
        let mut file = tempfile::tempfile()?;
        write_all(&mut file, of, state)?;
        file.seek(SeekFrom::Start(0))?;
        return io::copy(&mut file, &mut File::options().write(true).open(place)?).map(drop);
    }
    let mut file = NamedTempFile::new_in(folder_of(&place))?;
    write_all(file.as_file_mut(), of, state)?;
    file.as_file().sync_all()?;
    allow_others_what_the_folder_allows(file.as_file())?;
    file.persist(place).map_err(|error| error.error)?;
    Ok(())
}

fn write_all<T: Serialize>(file: &mut File, of: &[(String, String)], state: &T) -> io::Result<()> {
    file.write_all(&[0; HEADER_BYTES])?;
    let hash = Xxh3::with_seed(VERSION.into());
    let mut counted = CountingWriter { inner: &mut *file, bytes: 0, hash, failure: None };
    let encoded = encode(&mut counted, of, state);
    // The encoder does not return the error of the operating system, so it is taken from the counter.
    if let Some(failure) = counted.failure {
        return Err(failure);
    }
    encoded?;
    let header = header(counted.bytes, counted.hash.digest());
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header)
}

fn encode<T: Serialize>(into: impl Write, of: &[(String, String)], state: &T) -> io::Result<()> {
    let mut encoder = zstd::Encoder::new(into, COMPRESSION_LEVEL)?;
    postcard::to_io(&of, &mut encoder).map_err(io::Error::other)?;
    postcard::to_io(state, &mut encoder).map_err(io::Error::other)?;
    encoder.finish().map(drop)
}

/// Makes the file readable for all users. Temporary files are accessible to their owner only.
#[cfg(unix)]
fn allow_others_what_the_folder_allows(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn allow_others_what_the_folder_allows(_: &File) -> io::Result<()> {
    Ok(())
}

fn header(bytes: u64, checksum: u64) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[16..24].copy_from_slice(&bytes.to_le_bytes());
    header[24..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Reads a state that was saved from a drive with the same configuration.
///
/// # Errors
///
/// Returns any [`StateError`] other than [`StateError::Unwritable`].
pub fn read<T: DeserializeOwned>(path: &Path, of: &[(String, String)]) -> Result<T, StateError> {
    let unreadable = |error| StateError::Unreadable { path: path.to_owned(), error };
    let mut file = File::open(path).map_err(unreadable)?;
    check(path, &mut file)?;
    file.seek(SeekFrom::Start(HEADER_BYTES as u64)).map_err(unreadable)?;
    decode(path, BufReader::with_capacity(BUFFER_BYTES, file), of)
}

/// Checks that the file is complete and has this version of the format.
fn check(path: &Path, file: &mut File) -> Result<(), StateError> {
    let unreadable = |error| StateError::Unreadable { path: path.to_owned(), error };
    let found = file.metadata().map_err(unreadable)?.len();
    let mut header = Vec::new();
    Read::by_ref(file).take(HEADER_BYTES as u64).read_to_end(&mut header).map_err(unreadable)?;
    if header.get(..MAGIC.len()) != Some(&MAGIC[..]) {
        return Err(StateError::Foreign { path: path.to_owned() });
    }
    let Ok(header) = <[u8; HEADER_BYTES]>::try_from(header) else {
        return Err(StateError::WrongLength { path: path.to_owned(), found, expected: HEADER_BYTES as u64 });
    };
    let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|n| header[at + n]));
    let version = number(8) as u32;
    if version != VERSION {
        return Err(StateError::OtherVersion { path: path.to_owned(), found: version });
    }
    let expected = number(16).saturating_add(HEADER_BYTES as u64);
    if found != expected {
        return Err(StateError::WrongLength { path: path.to_owned(), found, expected });
    }
    let is_padded = header[12..16] == [0; 4];
    if !is_padded || checksum(file).map_err(unreadable)? != number(24) {
        return Err(StateError::Damaged { path: path.to_owned() });
    }
    Ok(())
}

/// Computes the checksum of the file's content after the header.
fn checksum(file: &mut File) -> io::Result<u64> {
    let mut hash = Xxh3::with_seed(VERSION.into());
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.digest()),
            bytes => hash.update(&buffer[..bytes]),
        }
    }
}

fn decode<T: DeserializeOwned>(
    path: &Path,
    file: impl Read,
    of: &[(String, String)],
) -> Result<T, StateError> {
    let undecodable = |reason: String| StateError::Undecodable { path: path.to_owned(), reason };
    let decoder = zstd::Decoder::new(file).map_err(|error| undecodable(error.to_string()))?;
    let mut scratch = vec![0; BUFFER_BYTES];
    let (theirs, (decoder, _)) = postcard::from_io::<Vec<(String, String)>, _>((decoder, &mut scratch))
        .map_err(|error| undecodable(error.to_string()))?;
    compare(path, &theirs, of)?;
    let (state, _) =
        postcard::from_io((decoder, &mut scratch)).map_err(|error| undecodable(error.to_string()))?;
    Ok(state)
}

/// Checks that the state was saved from a drive with the configuration `ours`.
fn compare(path: &Path, theirs: &[(String, String)], ours: &[(String, String)]) -> Result<(), StateError> {
    let nothing = (String::new(), "absent".to_owned());
    for place in 0..theirs.len().max(ours.len()) {
        let (their, our) = (theirs.get(place).unwrap_or(&nothing), ours.get(place).unwrap_or(&nothing));
        if their != our {
            let key = if our.0.is_empty() { &their.0 } else { &our.0 };
            let [theirs, ours] = [&their.1, &our.1].map(Clone::clone);
            return Err(StateError::OtherDrive { path: path.to_owned(), key: key.clone(), theirs, ours });
        }
    }
    Ok(())
}

/// Returns the reason of a write error, for messages.
fn plainly(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "its folder does not exist".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder, not a file".to_owned(),
        _ => without_number(error),
    }
}

/// Returns the reason of a read error, for messages.
fn unread(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder, not a file".to_owned(),
        _ => without_number(error),
    }
}

/// Returns the text of a system error, without temporary file name and error number.
fn without_number(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::StorageFull => "no space left on the device".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_owned()
        }
    }
}

/// Writer that passes bytes on, and computes their number and checksum.
struct CountingWriter<W> {
    inner: W,
    bytes: u64,
    hash: Xxh3,
    /// First error of the operating system.
    failure: Option<io::Error>,
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer).inspect_err(|error| {
            self.failure = Some(error.raw_os_error().map_or_else(
                || io::Error::new(error.kind(), error.to_string()),
                io::Error::from_raw_os_error,
            ));
        })?;
        self.bytes += written as u64;
        self.hash.update(&buffer[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
