//! A column's pages of one row group.

use std::io;

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

use crate::{Codec, Compressor};

/// Pages of a column, until their row group is full.
pub struct Chunk {
    encoding: Encoding,
    /// Words that the numbers of its pages stand for.
    words: &'static [&'static str],
    allowed: Codec,
    /// What the first page has shown to pay.
    chosen: Option<Codec>,
    pages: Vec<u8>,
    /// Bytes of the page of words, before the first page of numbers.
    words_bytes: usize,
    raw_bytes: usize,
    values: usize,
}

impl Chunk {
    /// None yet.
    pub fn new(encoding: Encoding, words: &'static [&'static str], allowed: Codec) -> Self {
        let (pages, chosen) = (Vec::new(), None);
        Self { encoding, words, allowed, chosen, pages, words_bytes: 0, raw_bytes: 0, values: 0 }
    }

    /// A further page of so many values.
    ///
    /// # Errors
    /// If the system has no memory.
    pub fn add(&mut self, page: &[u8], values: usize, compressor: &mut Compressor) -> io::Result<()> {
        let mut small = compressor.compress(page, self.chosen.unwrap_or(self.allowed))?;
        if self.chosen.is_none() {
            self.begin((page.len(), small.len()), compressor)?;
            if self.chosen == Some(Codec::None) {
                small = page.to_vec();
            }
        }
        self.values += values;
        let buf = Bytes::from(small);
        let (num_values, encoding) = (values as u32, self.encoding);
        // A column without gaps and lists has no levels.
        let (def_level_encoding, rep_level_encoding) = (Encoding::RLE, Encoding::RLE);
        self.write(
            Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding,
                rep_level_encoding,
                statistics: None,
            },
            page.len(),
        )
    }

    fn begin(&mut self, (before, after): (usize, usize), compressor: &mut Compressor) -> io::Result<()> {
        let codec = if Codec::pays(before, after) { self.allowed } else { Codec::None };
        self.chosen = Some(codec);
        if self.words.is_empty() {
            return Ok(());
        }
        let plain: Vec<u8> = self
            .words
            .iter()
            .flat_map(|word| [&(word.len() as u32).to_le_bytes(), word.as_bytes()].concat())
            .collect();
        let (num_values, encoding) = (self.words.len() as u32, Encoding::PLAIN);
        let buf = Bytes::from(compressor.compress(&plain, codec)?);
        self.write(Page::DictionaryPage { buf, num_values, encoding, is_sorted: false }, plain.len())?;
        self.words_bytes = self.pages.len();
        Ok(())
    }

    fn write(&mut self, page: Page, raw_bytes: usize) -> io::Result<()> {
        let mut out = TrackedWrite::new(std::mem::take(&mut self.pages));
        let written = SerializedPageWriter::new(&mut out).write_page(CompressedPage::new(page, raw_bytes));
        self.pages = out.into_inner().map_err(failed)?;
        self.raw_bytes += written.map_err(failed)?.uncompressed_size;
        Ok(())
    }

    /// All pages, what the file says of them if they begin there, and begins anew.
    ///
    /// # Errors
    /// None that is foreseen.
    pub fn finish(&mut self, column: ColumnDescPtr, at: usize) -> io::Result<(Vec<u8>, ColumnChunkMetaData)> {
        let pages = std::mem::take(&mut self.pages);
        let words_bytes = std::mem::take(&mut self.words_bytes);
        let codec = self.chosen.take().unwrap_or(Codec::None);
        let mut encodings = vec![Encoding::RLE, self.encoding];
        encodings.extend(self.words.first().map(|_| Encoding::PLAIN));
        let told = ColumnChunkMetaData::builder(column)
            .set_encodings(encodings)
            .set_compression(codec.told())
            .set_num_values(std::mem::take(&mut self.values) as i64)
            .set_total_compressed_size(pages.len() as i64)
            .set_total_uncompressed_size(std::mem::take(&mut self.raw_bytes) as i64)
            .set_dictionary_page_offset((words_bytes > 0).then_some(at as i64))
            .set_data_page_offset((at + words_bytes) as i64);
        Ok((pages, told.build().map_err(failed)?))
    }
}

pub(crate) fn failed(error: ParquetError) -> io::Error {
    io::Error::other(error)
}
