//! Registry of the trace formats.

use venice_kernel::SimSpan;

use super::TraceFormat;
use super::binary::blktrace::{self, BlktraceRows};
use super::binary::oracle_general::OracleGeneral;
use super::binary::vscsi::{Vscsi1, Vscsi2};
use super::binary::{RecordFormat, RecordRows};
use super::error::TraceError;
use super::format_info::{FormatInfo, listed};
use super::formats::{
    alibaba_csv::AlibabaCsv, blkparse::Blkparse, disksim_ascii::DisksimAscii, fio_iolog::FioIolog,
    fiu_blkparse::FiuBlkparse, mqsim_ascii::MqsimAscii, msr_blank::MsrBlank, msr_csv::MsrCsv,
    msr_rounded::MsrRounded, replay_ms::ReplayMs, spc::Spc, ssdsim_100ns::Ssdsim100Ns, ssdsim_us::SsdsimUs,
    systor_csv::SystorCsv, tencent_cbs::TencentCbs, tencent_replay::TencentReplay, vscsi_csv::VscsiCsv,
};
use super::line::{LineBuffer, NumberedRequest, TraceText};
use super::lines::Lines;
use super::options::TraceOptions;
use super::parquet::PARQUET;
use super::reader::TraceReader;
use super::rows::TextRows;
use crate::request::{BoxedSource, FormatChoice, Op};

/// Function that selects, from the first lines of a file, those that a format can parse.
pub(super) type LineSelector = for<'a> fn(&[&'a [u8]]) -> Vec<&'a [u8]>;
/// Trace format with its functions for detection and reading.
pub(super) struct FormatEntry {
    pub(super) info: FormatInfo,
    pub(super) rule: Option<&'static str>,
    /// Function that returns true if a binary file of this format can begin with these bytes.
    pub(super) begins: fn(&[u8]) -> bool,
    /// Function that returns those of a file's first lines that the format can parse.
    pub(super) reads: LineSelector,
    /// Function that returns true if the first lines belong to this format and not to another one with equal
    /// columns.
    pub(super) claims: fn(&[&[u8]]) -> bool,
    /// Function that returns a remark on the interpretation of a file with these first lines.
    pub(super) remark: fn(&[&[u8]]) -> Option<&'static str>,
    pub(super) source: fn(Lines, &TraceOptions, FormatChoice) -> BoxedSource,
}

macro_rules! trace_formats {
    (
        lines { $($name:literal => $format:ty, $columns:literal;)* }
        records { $($record_name:literal => $record:ty, $record_columns:literal;)* }
    ) => {
        /// Trace formats with lines of text.
        pub(super) const TEXT: &[FormatEntry] = &[$(FormatEntry {
            info: FormatInfo { name: $name, columns: $columns },
            rule: <$format as TraceFormat>::RULE,
            begins: |_| false,
            reads: lines_read::<$format>,
            claims: <$format as TraceFormat>::claims,
            remark: <$format as TraceFormat>::remark,
            source: text_source::<$format>,
        }),*];

        /// Trace formats with binary records.
        pub(super) const BINARY: &[FormatEntry] = &[BLKTRACE, $(FormatEntry {
            info: FormatInfo { name: $record_name, columns: $record_columns },
            begins: <$record as RecordFormat>::begins,
            remark: |_| <$record as RecordFormat>::REMARK,
            source: record_source::<$record>,
            ..BLKTRACE
        }),*];

        /// Returns the formats that this crate can read, in the order in which detection prefers them.
        pub const fn trace_formats() -> &'static [FormatInfo] {
            &[
                $(FormatInfo { name: $name, columns: $columns },)*
                BLKTRACE.info,
                $(FormatInfo { name: $record_name, columns: $record_columns },)*
            ]
        }
    };
}

trace_formats! {
    lines {
        "msr-csv" => MsrCsv, "FILETIME,host,disk,Read|Write,offset,size[,response] (100-ns ticks, bytes)";
        "msr-blank" => MsrBlank, "ticks host disk Read|Write offset size [response] (100-ns ticks, bytes)";
        "msr-rounded" => MsrRounded, "FILETIME Read|Write offset size (100-ns ticks, bytes, also as 1.8E+11)";
        "mqsim-ascii" => MqsimAscii, "time device lba size op (ns, 512-byte sectors, 1 = read)";
        "ssdsim-100ns" => Ssdsim100Ns, "time device lba size op (100-ns ticks, 512-byte sectors, 1 = read)";
        "ssdsim-us" => SsdsimUs, "time device lba size op (us, 512-byte sectors, 1 = read)";
        "disksim-ascii" => DisksimAscii, "time device lba size flags (ms with decimals, 512-byte sectors, bit 0 = read)";
        "replay-ms" => ReplayMs, "time device offset size op (ms with decimals, bytes, 1 = read)";
        "spc" => Spc, "ASU,lba,size,r|w,time (512-byte sectors, bytes, s with decimals)";
        "blkparse" => Blkparse, "maj,min cpu seq time pid event RWBS sector + sectors [process] (s with decimals)";
        "vscsi-csv" => VscsiCsv, "version,time,op,size,lbn (us, SCSI opcode in hex, bytes, 512-byte sectors)";
        "fiu-blkparse" => FiuBlkparse, "time pid process lba size R|W major minor md5 (ns, 512-byte sectors)";
        "tencent-replay" => TencentReplay, "time,latency,op,size,offset,submitted[,size] (ms with decimals, 1 = read, bytes)";
        "tencent-cbs" => TencentCbs, "time,lba,size,op,volume (s, 512-byte sectors, 0 = read)";
        "alibaba-csv" => AlibabaCsv, "device,R|W,offset,size,time (bytes, us)";
        "systor-csv" => SystorCsv, "time,response,R|W,LUN,offset,size (s with decimals, bytes)";
        "fio-iolog" => FioIolog, "`fio version 2|3 iolog`, then [time] file op offset size (us, bytes)";
    }
    records {
        "vscsi-1" => Vscsi1, "binary: CloudPhysics, 32-byte records (us, SCSI opcode, bytes, 512-byte sectors)";
        "vscsi-2" => Vscsi2, "binary: CloudPhysics, 40-byte records (us, SCSI opcode, bytes, 512-byte sectors)";
        "oracle-general" => OracleGeneral, "binary: libCacheSim, 24-byte records (s, 512-byte sectors, bytes, reads only)";
    }
}

/// Text format that can be written.
pub(super) struct TextFormat {
    pub(super) name: &'static str,
    /// True if another format has equal columns, so that `--format` is needed to read the written file.
    pub(super) needs_name: bool,
    pub(super) tick: SimSpan,
    pub(super) header: &'static str,
    pub(super) has_devices: bool,
    pub(super) other_ops: &'static [Op],
    pub(super) write: fn(&NumberedRequest, &mut LineBuffer),
}

macro_rules! text_writers {
    ($($name:literal => $format:ty),* $(,)?) => {
        /// Returns the text formats that can be written.
        pub(super) fn text_writers() -> &'static [TextFormat] {
            const WRITERS: &[TextFormat] = &[$(TextFormat {
                name: $name,
                needs_name: <$format as TraceFormat>::RULE.is_some(),
                tick: <$format as TraceFormat>::TICK,
                header: <$format as TraceText>::HEADER,
                has_devices: <$format as TraceText>::HAS_DEVICES,
                other_ops: <$format as TraceText>::OTHER_OPS,
                write: <$format as TraceText>::write,
            }),*];
            WRITERS
        }
    };
}

text_writers! {
    "msr-csv" => MsrCsv, "msr-blank" => MsrBlank, "msr-rounded" => MsrRounded, "mqsim-ascii" => MqsimAscii,
    "ssdsim-100ns" => Ssdsim100Ns, "ssdsim-us" => SsdsimUs, "disksim-ascii" => DisksimAscii, "replay-ms" => ReplayMs,
    "spc" => Spc, "blkparse" => Blkparse, "vscsi-csv" => VscsiCsv, "alibaba-csv" => AlibabaCsv,
    "systor-csv" => SystorCsv, "fio-iolog" => FioIolog,
}

/// Entry of `blktrace`, whose binary records have variable length.
const BLKTRACE: FormatEntry = FormatEntry {
    info: FormatInfo {
        name: "blktrace",
        columns: "binary: struct blk_io_trace, of either byte order (ns, bytes)",
    },
    rule: None,
    begins: blktrace::begins,
    reads: |_| Vec::new(),
    claims: |_| false,
    remark: |_| None,
    source: |lines, options, format_choice| {
        let path = lines.path().to_owned();
        let rows = BlktraceRows::new(lines, options.event);
        Box::new(TraceReader::new(rows, &path, blktrace::TICK, options, format_choice))
    },
};

fn lines_read<'a, F: TraceFormat>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let mut format = F::new(&TraceOptions::default());
    lines.iter().copied().filter(|line| format.parse(line).is_ok()).collect()
}

fn text_source<F: TraceFormat + Send + 'static>(
    lines: Lines,
    options: &TraceOptions,
    format_choice: FormatChoice,
) -> BoxedSource {
    let path = lines.path().to_owned();
    let rows = TextRows::new(lines, F::new(options));
    Box::new(TraceReader::new(rows, &path, F::TICK, options, format_choice))
}

fn record_source<F: RecordFormat + Send + 'static>(
    bytes: Lines,
    options: &TraceOptions,
    format_choice: FormatChoice,
) -> BoxedSource {
    let path = bytes.path().to_owned();
    let rows = RecordRows::<F>::new(bytes);
    Box::new(TraceReader::new(rows, &path, F::TICK, options, format_choice))
}

/// Returns the format called `name`.
pub(super) fn by_name(name: &str, options: &TraceOptions) -> Result<&'static FormatEntry, TraceError> {
    let found = TEXT.iter().chain(BINARY).find(|entry| entry.info.name == name);
    found.ok_or_else(|| TraceError::UnknownFormatName { name: name.to_owned(), known: known(options) })
}

/// Returns the names of the binary formats that can be read with these options.
pub(super) fn binary_names(options: &TraceOptions) -> String {
    let names = BINARY.iter().map(|entry| entry.info).chain(decoded(options)).map(|format| format.name);
    names.collect::<Vec<_>>().join(", ")
}

/// Returns a list of the formats that can be read with these options, one per line.
pub(super) fn known(options: &TraceOptions) -> String {
    let formats = trace_formats().iter().copied().chain(decoded(options));
    listed(formats)
}

/// Returns the format `parquet` if the options include a decoder for it.
fn decoded(options: &TraceOptions) -> Option<FormatInfo> {
    options.parquet.map(|_| PARQUET)
}
