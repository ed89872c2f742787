//! What stands around the pages of a file.

use std::io;
use std::sync::Arc;

use arrow_schema::Schema;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, encode_arrow_schema};
use parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::schema::types::SchemaDescPtr;

use crate::chunk::{Chunk, failed};

/// What a file begins and ends with.
const MAGIC: &[u8; 4] = b"PAR1";
/// Of the format: with types of numbers without a sign.
const VERSION: i32 = 2;

/// Where in a file one is, and what it has.
pub struct File {
    schema: SchemaDescPtr,
    arrow_schema: String,
    groups: Vec<RowGroupMetaData>,
    at: usize,
}

impl File {
    /// A file with these columns, none of which may have gaps.
    ///
    /// # Errors
    /// If a column's type has no counterpart.
    pub fn new(schema: &Schema) -> io::Result<Self> {
        let arrow_schema = encode_arrow_schema(schema);
        let schema = Arc::new(ArrowSchemaConverter::new().convert(schema).map_err(failed)?);
        Ok(Self { schema, arrow_schema, groups: Vec::new(), at: 0 })
    }

    /// What the file has at first.
    pub fn begin(&mut self) -> &'static [u8] {
        self.at += MAGIC.len();
        MAGIC
    }

    /// The bytes of a row group: the chunks of all columns, which begin anew.
    ///
    /// # Errors
    /// None that is foreseen.
    pub fn group<'c>(
        &mut self,
        rows: usize,
        chunks: impl Iterator<Item = &'c mut Chunk>,
    ) -> io::Result<Vec<Vec<u8>>> {
        let mut group = RowGroupMetaData::builder(Arc::clone(&self.schema))
            .set_num_rows(rows as i64)
            .set_ordinal(i32::try_from(self.groups.len()).unwrap_or(i32::MAX))
            .set_file_offset(self.at as i64);
        let (mut all, mut raw_bytes) = (Vec::new(), 0);
        for (chunk, column) in chunks.zip(self.schema.columns()) {
            let (pages, told) = chunk.finish(Arc::clone(column), self.at)?;
            self.at += pages.len();
            raw_bytes += told.uncompressed_size();
            all.push(pages);
            group = group.add_column_metadata(told);
        }
        self.groups.push(group.set_total_byte_size(raw_bytes).build().map_err(failed)?);
        Ok(all)
    }

    /// What the file has at last.
    ///
    /// # Errors
    /// None that is foreseen.
    pub fn end(self) -> io::Result<Vec<u8>> {
        let rows = self.groups.iter().map(RowGroupMetaData::num_rows).sum();
        let arrow = KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), self.arrow_schema);
        let by = format!("venice {}", env!("CARGO_PKG_VERSION"));
        let told = FileMetaData::new(VERSION, rows, Some(by), Some(vec![arrow]), self.schema, None);
        let mut end = Vec::new();
        let told = ParquetMetaData::new(told, self.groups);
        ParquetMetaDataWriter::new(&mut end, &told).finish().map_err(failed)?;
        Ok(end)
    }
}
