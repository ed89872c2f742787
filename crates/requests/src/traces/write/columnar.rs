//! Requests as the columns of a Parquet file: see [`super::super::parquet`] for what they are.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use super::super::parquet::{ARRIVAL_PS, NAME, OP, SCHEMA, START_SECTOR};
use super::{WriteError, Written, for_each_batch};
use crate::request::{HostRequest, Op, RequestSource};

/// Requests of a row group: six megabytes of them are held at a time.
const GROUP_REQUESTS: usize = 1 << 18;

type File<W> = SerializedFileWriter<W>;

/// Writes all requests of a source. Times are kept to the picosecond.
pub(super) fn write(source: &mut dyn RequestSource, out: impl Write + Send) -> Result<Written, WriteError> {
    let schema = Arc::new(parse_message_type(SCHEMA).map_err(failed)?);
    let mut file = File::new(out, schema, Arc::new(properties()?)).map_err(failed)?;
    let (mut written, mut group) = (Written::new(NAME, false), Vec::with_capacity(GROUP_REQUESTS));
    for_each_batch(source, |batch| {
        written.requests += batch.len() as u64;
        group.extend_from_slice(batch);
        if group.len() >= GROUP_REQUESTS {
            write_group(&mut file, &group)?;
            group.clear();
        }
        Ok(())
    })?;
    if !group.is_empty() {
        write_group(&mut file, &group)?;
    }
    file.close().map_err(failed)?;
    Ok(written)
}

/// Zstandard everywhere; of the numbers that grow or lie close together, the differences.
fn properties() -> Result<WriterProperties, WriteError> {
    let level = ZstdLevel::try_new(zstd::DEFAULT_COMPRESSION_LEVEL).map_err(failed)?;
    let differences = |properties: parquet::file::properties::WriterPropertiesBuilder, name: &str| {
        let column = ColumnPath::from(name);
        properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED)
    };
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(format!("venice {}", env!("CARGO_PKG_VERSION")));
    Ok([ARRIVAL_PS, START_SECTOR].into_iter().fold(properties, differences).build())
}

fn write_group<W: Write + Send>(file: &mut File<W>, requests: &[HostRequest]) -> Result<(), WriteError> {
    let (read, write) = (ByteArray::from(OP.0), ByteArray::from(OP.1));
    let mut group = file.next_row_group().map_err(failed)?;
    column::<Int64Type, _>(&mut group, requests, |request| request.arrival.as_ps().cast_signed())?;
    column::<ByteArrayType, _>(&mut group, requests, |request| match request.op {
        Op::Read | Op::Gather => read.clone(),
        Op::Write => write.clone(),
    })?;
    column::<Int64Type, _>(&mut group, requests, |request| request.start_sector.cast_signed())?;
    column::<Int32Type, _>(&mut group, requests, |request| request.sectors.cast_signed())?;
    column::<Int32Type, _>(&mut group, requests, |request| request.queue.into())?;
    group.close().map_err(failed)?;
    Ok(())
}

fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    requests: &[HostRequest],
    value: impl Fn(&HostRequest) -> T::T,
) -> Result<(), WriteError> {
    let values: Vec<T::T> = requests.iter().map(value).collect();
    let column = group.next_column().map_err(failed)?;
    let mut column = column.expect("the schema has a column for each call");
    column.typed::<T>().write_batch(&values, None, None).map_err(failed)?;
    column.close().map_err(failed)
}

/// What the file said, if it was the file.
fn failed(error: ParquetError) -> WriteError {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => (*error).into(),
            Err(other) => io::Error::other(other).into(),
        },
        other => io::Error::other(other).into(),
    }
}
