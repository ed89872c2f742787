//! Compression of traces that are written.

use std::io::{self, Write};

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;

use crate::traces::Compression;

/// Compression level for xz, the default of the `xz` tool.
const XZ_PRESET: u32 = 6;

/// Encoder that writes a compressed file. [`Self::finish`] must be called at the end.
pub(super) trait TraceEncoder: Write {
    /// Writes the remaining bytes of the compressed file.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

struct Uncompressed<W>(W);

impl<W: Write> Write for Uncompressed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> TraceEncoder for Uncompressed<W> {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}

macro_rules! packs {
    ($($encoder:ty),*) => {$(
        impl<W: Write> TraceEncoder for $encoder {
            fn finish(self: Box<Self>) -> io::Result<()> {
                (*self).finish()?.flush()
            }
        }
    )*};
}

packs!(GzEncoder<W>, BzEncoder<W>, XzEncoder<W>, zstd::Encoder<'static, W>);

/// Wraps `out` in an encoder with the default level of the tool for this compression.
pub(super) fn packed<'a>(
    out: impl Write + 'a,
    compression: Compression,
) -> io::Result<Box<dyn TraceEncoder + 'a>> {
    Ok(match compression {
        Compression::None => Box::new(Uncompressed(out)),
        Compression::Gzip => Box::new(GzEncoder::new(out, flate2::Compression::default())),
        Compression::Zstd => Box::new(zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?),
        Compression::Xz => Box::new(XzEncoder::new(out, XZ_PRESET)),
        Compression::Bzip2 => Box::new(BzEncoder::new(out, bzip2::Compression::default())),
    })
}
