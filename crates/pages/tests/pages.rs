//! Whatever is written is what Parquet's own reader reads.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type, Int64Type};
use arrow_array::{RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use proptest::prelude::*;
use venice_pages::{Chunk, Codec, Compressor, Differences, Encoding, File, Flags, Places};

const WORDS: [&str; 5] = ["array", "transfer", "", "a word with blanks", "queue"];

#[derive(Clone, Debug, PartialEq)]
struct Row {
    wide: i64,
    narrow: i32,
    flag: bool,
    word: u8,
}

fn schema() -> Schema {
    let words = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let kinds = [DataType::Int64, DataType::Int32, DataType::Boolean, words];
    let fields = ["wide", "narrow", "flag", "word"].into_iter().zip(kinds);
    Schema::new(fields.map(|(name, kind)| Field::new(name, kind, false)).collect::<Vec<_>>())
}

/// Writes rows in pages and groups of so many, some at a time.
fn written(rows: &[Row], (some, page, group): (usize, usize, usize), codec: Codec) -> Bytes {
    let mut file = File::new(&schema()).unwrap();
    let mut bytes = file.begin().to_vec();
    let mut compressor = Compressor::new().unwrap();
    let differences = Encoding::DELTA_BINARY_PACKED;
    let kinds = [
        (differences, &[][..]),
        (differences, &[]),
        (Encoding::PLAIN, &[]),
        (Encoding::RLE_DICTIONARY, &WORDS[..]),
    ];
    let mut chunks = kinds.map(|(encoding, words)| Chunk::new(encoding, words, codec));
    let (mut wide, mut narrow) = (Differences::default(), Differences::default());
    let (mut flags, mut places) = (Flags::default(), Places::among(WORDS.len()));
    for group in rows.chunks(group) {
        for page in group.chunks(page) {
            for some in page.chunks(some) {
                wide.extend(some, |row| row.wide);
                narrow.extend(some, |row| row.narrow);
                flags.extend(some, |row| row.flag);
                places.extend(some, |row| row.word);
            }
            let ends: [&mut dyn FnMut(&mut Vec<u8>) -> usize; 4] = [
                &mut |page| wide.finish(page),
                &mut |page| narrow.finish(page),
                &mut |page| flags.finish(page),
                &mut |page| places.finish(page),
            ];
            for (chunk, end) in chunks.iter_mut().zip(ends) {
                let mut bytes = Vec::new();
                let values = end(&mut bytes);
                assert_eq!(values, page.len());
                chunk.add(&bytes, values, &mut compressor).unwrap();
            }
        }
        bytes.extend(file.group(group.len(), chunks.iter_mut()).unwrap().concat());
    }
    bytes.extend(file.end().unwrap());
    bytes.into()
}

fn read(file: Bytes) -> Vec<Row> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    assert_eq!(reader.schema().as_ref(), &schema());
    reader.build().unwrap().flat_map(|batch| rows_of(&batch.unwrap())).collect()
}

fn rows_of(batch: &RecordBatch) -> Vec<Row> {
    let words = batch["word"].as_dictionary::<Int8Type>();
    let names: &StringArray = words.values().as_string();
    let place = |name: &str| WORDS.iter().position(|word| *word == name).unwrap() as u8;
    let row = |at| Row {
        wide: batch["wide"].as_primitive::<Int64Type>().value(at),
        narrow: batch["narrow"].as_primitive::<Int32Type>().value(at),
        flag: batch["flag"].as_boolean().value(at),
        word: place(names.value(words.keys().value(at) as usize)),
    };
    (0..batch.num_rows()).map(row).collect()
}

/// Numbers of each width, constant runs, and leaps from one end of the range to the other.
fn wide() -> impl Strategy<Value = i64> {
    prop_oneof![
        2 => Just(7),
        3 => (0_u32..64, any::<u64>()).prop_map(|(width, bits)| (bits & ((1 << width) - 1)).cast_signed()),
        1 => prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(-1), any::<i64>()],
    ]
}

fn row() -> impl Strategy<Value = Row> {
    (wide(), any::<bool>(), 0..WORDS.len() as u8).prop_map(|(wide, flag, word)| Row {
        wide,
        narrow: wide as i32,
        flag,
        word,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rows_that_are_written_are_read(
        rows in prop::collection::vec(row(), 0..1500),
        some in 1_usize..400,
        page in 1_usize..700,
        codec in prop::sample::select(Codec::ALL.map(|(_, codec)| codec).to_vec()),
    ) {
        let pages_of_a_group = 2;
        let file = written(&rows, (some, page, pages_of_a_group * page), codec);
        prop_assert_eq!(read(file), rows);
    }
}

fn counted(count: usize) -> Vec<Row> {
    let mixed = |at: u64| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 29).wrapping_pow(3) >> 13;
    let row = |at: usize| Row { wide: at as i64, narrow: mixed(at as u64 + 1) as i32, flag: false, word: 3 };
    (0..count).map(row).collect()
}

#[test]
fn what_is_constant_takes_almost_nothing_and_what_compression_does_not_shorten_is_not_compressed() {
    let rows = counted(10_000);
    let file = written(&rows, (256, 4096, 1 << 20), Codec::Zstd);
    assert_eq!(read(file.clone()), rows);
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let columns = reader.metadata().row_group(0).columns();
    let codecs: Vec<_> =
        columns.iter().map(parquet::file::metadata::ColumnChunkMetaData::compression).collect();
    let bytes: Vec<_> = columns.iter().map(|column| column.compressed_size()).collect();
    let is_expected =
        matches!(codecs[..], [Compression::ZSTD(_), Compression::UNCOMPRESSED, Compression::ZSTD(_), _]);
    assert!(is_expected, "{codecs:?} {bytes:?}");
    assert!(bytes[0] < 300 && bytes[2] < 300 && bytes[3] < 300, "{bytes:?}");
    assert!((40_000..42_000).contains(&bytes[1]), "{bytes:?}");
}

#[test]
fn a_file_without_rows_is_a_file() {
    assert_eq!(read(written(&[], (1, 1, 1), Codec::Zstd)), []);
}
