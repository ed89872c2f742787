//! How a file is compressed, by its first bytes and never by its name.

use std::fmt;
use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;
use serde::Serialize;

/// A compression that traces come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Plain text.
    None,
    /// gzip, RFC 1952, also of several members.
    Gzip,
    /// Zstandard, RFC 8878, also of several frames.
    Zstd,
}

impl Compression {
    /// Which one a file has that begins with these bytes.
    fn of(magic: &[u8]) -> Self {
        match magic {
            [0x1f, 0x8b, ..] => Self::Gzip,
            // The second pattern is a skippable frame; parallel compressors put one in front.
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Self::Zstd,
            _ => Self::None,
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "Zstandard",
        })
    }
}

/// The decoded text of `file`, and how it was compressed.
pub(super) fn decoded<R: Read + Send + 'static>(
    mut file: R,
) -> io::Result<(Box<dyn Read + Send>, Compression)> {
    let mut magic = Vec::with_capacity(4);
    file.by_ref().take(4).read_to_end(&mut magic)?;
    let compression = Compression::of(&magic);
    let whole = Cursor::new(magic).chain(file);
    let text: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(MultiGzDecoder::new(whole)),
        Compression::Zstd => Box::new(zstd::Decoder::new(whole)?),
    };
    Ok((text, compression))
}
