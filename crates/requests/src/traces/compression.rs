//! Compression of trace files, detected from their first bytes.

use std::fmt;
use std::io::{self, Cursor, Read};
use std::str::FromStr;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use liblzma::read::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};
use serde::Serialize;

/// Number of bytes at the start of a file that identify its compression.
const MAGIC_BYTES: u64 = 6;

/// Memory limit for decoding xz, in bytes. The largest preset of the `xz` tool needs a quarter of it, but
/// malicious headers could request gigabytes.
const XZ_LIMIT_BYTES: u64 = 256 << 20;

/// Compression of a trace file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// The file is not compressed.
    None,
    /// gzip, RFC 1952; multiple members are supported.
    Gzip,
    /// Zstandard, RFC 8878; multiple frames are supported.
    Zstd,
    /// xz; multiple streams are supported.
    Xz,
    /// bzip2; multiple streams are supported.
    Bzip2,
}

impl Compression {
    /// Returns the compression of a file that starts with the bytes `magic`.
    fn of(magic: &[u8]) -> Self {
        match magic {
            [0x1f, 0x8b, ..] => Self::Gzip,
            // The second pattern is a skippable frame, which parallel compressors write first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0] => Self::Xz,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..] => Self::Bzip2,
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
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
        })
    }
}

impl FromStr for Compression {
    type Err = String;

    /// Parses the name of a compression as serialised, such as `zstd`.
    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "none" => Ok(Self::None),
            "gzip" => Ok(Self::Gzip),
            "zstd" => Ok(Self::Zstd),
            "xz" => Ok(Self::Xz),
            "bzip2" => Ok(Self::Bzip2),
            _ => Err(format!("unknown compression `{name}`; expected: none, gzip, zstd, xz or bzip2")),
        }
    }
}

/// Returns a reader of the decompressed content of `file`, and its compression.
pub(super) fn decoded<R: Read + Send + 'static>(
    mut file: R,
) -> io::Result<(Box<dyn Read + Send>, Compression)> {
    let mut magic = Vec::with_capacity(MAGIC_BYTES as usize);
    file.by_ref().take(MAGIC_BYTES).read_to_end(&mut magic)?;
    let compression = Compression::of(&magic);
    let whole = Cursor::new(magic).chain(file);
    let text: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(MultiGzDecoder::new(whole)),
        Compression::Zstd => Box::new(zstd::Decoder::new(whole)?),
        Compression::Xz => Box::new(XzDecoder::new_stream(whole, xz_stream()?)),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(whole)),
    };
    Ok((text, compression))
}

fn xz_stream() -> io::Result<Stream> {
    Stream::new_stream_decoder(XZ_LIMIT_BYTES, CONCATENATED).map_err(io::Error::other)
}
