//! The formats there are.

use venice_kernel::SimSpan;

use super::TraceFormat;
use super::blktrace::{self, BlktraceRows};
use super::error::TraceError;
use super::format_info::FormatInfo;
use super::formats::{
    alibaba_csv::AlibabaCsv, blkparse::Blkparse, disksim_ascii::DisksimAscii, fio_iolog::FioIolog,
    fiu_blkparse::FiuBlkparse, mqsim_ascii::MqsimAscii, msr_blank::MsrBlank, msr_csv::MsrCsv,
    msr_rounded::MsrRounded, replay_ms::ReplayMs, spc::Spc, ssdsim_100ns::Ssdsim100Ns, ssdsim_us::SsdsimUs,
    systor_csv::SystorCsv, tencent_cbs::TencentCbs, tencent_replay::TencentReplay, vscsi_csv::VscsiCsv,
};
use super::line::{Line, Numbered, TraceText};
use super::lines::Lines;
use super::options::TraceOptions;
use super::parquet;
use super::reader::TraceReader;
use super::rows::TextRows;
use crate::request::{FormatChoice, RequestSource};

/// Keeps some of the lines.
pub(super) type Reads = for<'a> fn(&[&'a [u8]]) -> Vec<&'a [u8]>;
type Source = Box<dyn RequestSource + Send>;

/// A format with its behaviour.
pub(super) struct Entry {
    pub(super) info: FormatInfo,
    pub(super) rule: Option<&'static str>,
    /// Those of the lines, the first of a file, that it reads.
    pub(super) reads: Reads,
    /// Whether lines that it reads are of this format rather than of another that reads them, too.
    pub(super) claims: fn(&[&[u8]]) -> bool,
    pub(super) source: fn(Lines, &TraceOptions, FormatChoice) -> Source,
}

macro_rules! trace_formats {
    ($($name:literal => $format:ty, $columns:literal;)*) => {
        /// The formats whose rows are lines.
        pub(super) const TEXT: &[Entry] = &[$(Entry {
            info: FormatInfo { name: $name, columns: $columns },
            rule: <$format as TraceFormat>::RULE,
            reads: lines_read::<$format>,
            claims: <$format as TraceFormat>::claims,
            source: text_source::<$format>,
        }),*];

        /// Every format, in the order in which detection prefers them.
        pub const fn trace_formats() -> &'static [FormatInfo] {
            &[$(FormatInfo { name: $name, columns: $columns },)* BINARY.info, parquet::INFO]
        }
    };
}

trace_formats! {
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

/// A format in which requests are written.
pub(super) struct Text {
    pub(super) name: &'static str,
    /// Whether another format has the same columns.
    pub(super) needs_name: bool,
    pub(super) tick: SimSpan,
    pub(super) header: &'static str,
    pub(super) has_devices: bool,
    pub(super) write: fn(&Numbered, &mut Line),
}

macro_rules! text_writers {
    ($($name:literal => $format:ty),* $(,)?) => {
        /// The formats of lines that requests are written in.
        pub(super) fn text_writers() -> &'static [Text] {
            const WRITERS: &[Text] = &[$(Text {
                name: $name,
                needs_name: <$format as TraceFormat>::RULE.is_some(),
                tick: <$format as TraceFormat>::TICK,
                header: <$format as TraceText>::HEADER,
                has_devices: <$format as TraceText>::HAS_DEVICES,
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

/// The format whose rows are not lines.
pub(super) const BINARY: Entry = Entry {
    info: FormatInfo {
        name: "blktrace",
        columns: "binary: struct blk_io_trace, of either byte order (ns, bytes)",
    },
    rule: None,
    reads: |_| Vec::new(),
    claims: |_| false,
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
) -> Source {
    let path = lines.path().to_owned();
    let rows = TextRows::new(lines, F::new(options));
    Box::new(TraceReader::new(rows, &path, F::TICK, options, format_choice))
}

/// The format that the user named.
pub(super) fn by_name(name: &str) -> Result<&'static Entry, TraceError> {
    let found = TEXT.iter().chain([&BINARY]).find(|entry| entry.info.name == name);
    found.ok_or_else(|| TraceError::UnknownFormatName { name: name.to_owned(), known: known() })
}

/// The formats there are, one to a line.
pub(super) fn known() -> String {
    let width = trace_formats().iter().map(|format| format.name.len()).max().unwrap_or_default();
    let lines = trace_formats().iter().map(|format| format!("  {:<width$}  {}", format.name, format.columns));
    format!("formats known:\n{}", lines.collect::<Vec<_>>().join("\n"))
}
