//! Compression of pages, where it makes them smaller.

use std::io;

use parquet::basic::{Compression, ZstdLevel};

/// The quickest of Zstandard's usual levels.
const ZSTD_LEVEL: i32 = 1;

/// How pages may be compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// Not at all.
    None,
    /// Zstandard, at its quickest usual level.
    Zstd,
    /// Lz4, each page by itself.
    Lz4,
    /// Snappy.
    Snappy,
}

impl Codec {
    /// Every way with its name.
    pub const ALL: [(&str, Self); 4] =
        [("zstd", Self::Zstd), ("lz4", Self::Lz4), ("snappy", Self::Snappy), ("none", Self::None)];

    /// As the file says it.
    pub(crate) fn told(self) -> Compression {
        match self {
            Self::None => Compression::UNCOMPRESSED,
            Self::Zstd => Compression::ZSTD(ZstdLevel::default()),
            Self::Lz4 => Compression::LZ4_RAW,
            Self::Snappy => Compression::SNAPPY,
        }
    }

    /// Whether that takes enough of a page away to be worth the reader's time, too.
    pub(crate) const fn pays(before: usize, after: usize) -> bool {
        after * 8 <= before * 7
    }
}

/// Compresses pages, one after another in the same memory.
pub struct Compressor {
    zstd: zstd::bulk::Compressor<'static>,
    snappy: snap::raw::Encoder,
}

impl Compressor {
    /// One that has compressed nothing.
    ///
    /// # Errors
    /// If the library has no memory.
    pub fn new() -> io::Result<Self> {
        Ok(Self { zstd: zstd::bulk::Compressor::new(ZSTD_LEVEL)?, snappy: snap::raw::Encoder::new() })
    }

    /// A page, compressed.
    ///
    /// # Errors
    /// If the library has no memory.
    pub(crate) fn compress(&mut self, page: &[u8], codec: Codec) -> io::Result<Vec<u8>> {
        match codec {
            Codec::None => Ok(page.to_vec()),
            Codec::Zstd => self.zstd.compress(page),
            Codec::Lz4 => Ok(lz4_flex::block::compress(page)),
            Codec::Snappy => self.snappy.compress_vec(page).map_err(io::Error::other),
        }
    }
}
