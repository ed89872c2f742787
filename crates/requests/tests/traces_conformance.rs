//! Conformance of formats: one workload gives equal requests in every format.
//!
//! This test writes the files in `conformance/traces/` from the list below (`VENICE_BLESS=1` rewrites them),
//! so that all formats have an identical workload.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use venice_kernel::SimTime;
use venice_requests::request::{HostRequest, Op, RequestSource};
use venice_requests::traces::{BlockLayerEvent, TraceOptions, open, open_trace, trace_formats, trace_info};

/// Request of the workload in `conformance/traces/README.md`.
struct Tiny {
    us: u64,
    op: Op,
    sector: u64,
    sectors: u32,
}

const fn tiny(us: u64, op: Op, sector: u64, sectors: u32) -> Tiny {
    Tiny { us, op, sector, sectors }
}

const WORKLOAD: [Tiny; 8] = [
    tiny(0, Op::Write, 2_048, 8),
    tiny(25, Op::Read, 2_056, 16),
    tiny(25, Op::Read, 0, 1),
    tiny(1_000, Op::Write, 4_194_304, 128),
    tiny(1_250, Op::Read, 4_194_304, 128),
    tiny(50_000, Op::Write, 7, 9),
    tiny(50_001, Op::Read, 7, 9),
    tiny(2_000_000, Op::Read, 33_554_431, 1),
];

impl Tiny {
    fn bytes(&self) -> u64 {
        u64::from(self.sectors) * 512
    }

    fn offset(&self) -> u64 {
        self.sector * 512
    }

    /// Returns `read` for a read, otherwise `write`.
    fn op<T>(&self, read: T, write: T) -> T {
        if self.op == Op::Read { read } else { write }
    }

    /// Time divided by 1,000, with three decimals: milliseconds if the unit is microseconds.
    fn thousandths(&self) -> String {
        format!("{}.{:03}", self.us / 1_000, self.us % 1_000)
    }

    fn seconds(&self) -> String {
        format!("{}.{:06}", self.us / 1_000_000, self.us % 1_000_000)
    }
}

/// File of the workload.
struct Rendering {
    file: &'static str,
    format: &'static str,
    /// True if eight lines suffice to detect the format among similar ones.
    recognised: bool,
    /// Resolution of its times in microseconds.
    tick_us: u64,
    /// True for a format without operations.
    reads_only: bool,
    render: fn() -> Vec<u8>,
}

const fn rendering(file: &'static str, format: &'static str, render: fn() -> Vec<u8>) -> Rendering {
    Rendering { file, format, recognised: true, tick_us: 1, reads_only: false, render }
}

const RENDERINGS: [Rendering; 23] = [
    rendering("msr-csv.txt", "msr-csv", msr_csv),
    rendering("msr-blank.txt", "msr-blank", msr_blank),
    rendering("msr-rounded.txt", "msr-rounded", msr_rounded),
    rendering("mqsim-ascii.txt", "mqsim-ascii", || five_columns(" ", 1_000)),
    rendering("ssdsim-100ns.txt", "ssdsim-100ns", || five_columns("\t", 10)),
    Rendering { recognised: false, ..rendering("ssdsim-us.txt", "ssdsim-us", || five_columns(" ", 1)) },
    rendering("disksim-ascii.txt", "disksim-ascii", disksim_ascii),
    rendering("replay-ms.txt", "replay-ms", replay_ms),
    rendering("spc.txt", "spc", spc),
    rendering("blkparse.txt", "blkparse", blkparse),
    rendering("vscsi-csv.txt", "vscsi-csv", vscsi_csv),
    rendering("fiu-blkparse.txt", "fiu-blkparse", fiu_blkparse),
    rendering("tencent-replay.txt", "tencent-replay", tencent_replay),
    Rendering { tick_us: 1_000_000, ..rendering("tencent-cbs.txt", "tencent-cbs", tencent_cbs) },
    rendering("alibaba-csv.txt", "alibaba-csv", alibaba_csv),
    rendering("systor-csv.txt", "systor-csv", systor_csv),
    Rendering { tick_us: 1_000, ..rendering("fio-iolog-2.txt", "fio-iolog", fio_iolog_2) },
    rendering("fio-iolog-3.txt", "fio-iolog", fio_iolog_3),
    rendering("blktrace-little.bin", "blktrace", || {
        blktrace(&u16::to_le_bytes, &u32::to_le_bytes, &u64::to_le_bytes)
    }),
    rendering("blktrace-big.bin", "blktrace", || {
        blktrace(&u16::to_be_bytes, &u32::to_be_bytes, &u64::to_be_bytes)
    }),
    rendering("vscsi-1.bin", "vscsi-1", vscsi_1),
    rendering("vscsi-2.bin", "vscsi-2", vscsi_2),
    Rendering {
        tick_us: 1_000_000,
        reads_only: true,
        ..rendering("oracle-general.bin", "oracle-general", oracle_general)
    },
];

/// Text with a header, and one line per request.
fn lines(header: &str, line: impl Fn(&Tiny) -> String) -> Vec<u8> {
    let lines: Vec<String> = WORKLOAD.iter().map(|tiny| line(tiny) + "\n").collect();
    (header.to_owned() + &lines.concat()).into_bytes()
}

/// FILETIME in the week of the MSR traces.
fn filetime(tiny: &Tiny) -> u64 {
    128_166_386_783_630_075 + tiny.us * 10
}

fn msr_csv() -> Vec<u8> {
    lines("", |tiny| {
        let op = tiny.op("Read", "Write");
        format!("{},tiny,0,{op},{},{},100", filetime(tiny), tiny.offset(), tiny.bytes())
    })
}

fn msr_blank() -> Vec<u8> {
    lines("", |tiny| {
        let op = tiny.op("Read", "Write");
        format!("{} tiny 0 {op} {} {} 100", 2_466_061_072 + tiny.us * 10, tiny.offset(), tiny.bytes())
    })
}

fn msr_rounded() -> Vec<u8> {
    lines("", |tiny| {
        format!("{} \t{}\t{}\t{}", filetime(tiny), tiny.op("Read", "Write"), tiny.offset(), tiny.bytes())
    })
}

fn five_columns(separator: &str, ticks_per_us: u64) -> Vec<u8> {
    lines("", |tiny| {
        let numbers = [tiny.us * ticks_per_us, 0, tiny.sector, tiny.sectors.into(), tiny.op(1, 0)];
        numbers.map(|number| number.to_string()).join(separator)
    })
}

fn disksim_ascii() -> Vec<u8> {
    lines("", |tiny| format!("{} 0 {} {} {}", tiny.thousandths(), tiny.sector, tiny.sectors, tiny.op(1, 0)))
}

fn replay_ms() -> Vec<u8> {
    lines("", |tiny| format!("{} 0 {} {} {}", tiny.thousandths(), tiny.offset(), tiny.bytes(), tiny.op(1, 0)))
}

fn spc() -> Vec<u8> {
    lines("", |tiny| format!("0,{},{},{},{}", tiny.sector, tiny.bytes(), tiny.op("r", "w"), tiny.seconds()))
}

/// All events of a request, and the summary.
fn blkparse() -> Vec<u8> {
    let mut text = String::new();
    let mut events = 0;
    for tiny in &WORKLOAD {
        for event in ["Q", "G", "I", "D", "C"] {
            events += 1;
            let process = if event == "C" { "0" } else { "tiny" };
            let (seconds, op) = (tiny.seconds(), tiny.op("R", "WS"));
            writeln!(
                text,
                "  8,16   0 {events:8} {seconds:>9}000  3645  {event}  {op:>2} {} + {} [{process}]",
                tiny.sector, tiny.sectors
            )
            .unwrap();
        }
    }
    text +=
        "CPU0 (8,16):\n Reads Queued:           5,       78KiB\t Writes Queued:           3,       73KiB\n\n";
    text += "Throughput (R/W): 39KiB/s / 36KiB/s\nEvents (8,16): 40 entries\n";
    text.into_bytes()
}

fn vscsi_csv() -> Vec<u8> {
    lines("version,time,op,size,lbn\n", |tiny| {
        format!("1,{},{},{},{}", 5_633_898_368_802 + tiny.us, tiny.op("28", "2a"), tiny.bytes(), tiny.sector)
    })
}

fn fiu_blkparse() -> Vec<u8> {
    lines("", |tiny| {
        let (ns, op) = (89_966_527_950_584 + tiny.us * 1_000, tiny.op("R", "W"));
        format!("{ns} 4253 tiny {} {} {op} 6 0 88b93b628d84082186026d9da044f173", tiny.sector, tiny.sectors)
    })
}

fn tencent_replay() -> Vec<u8> {
    lines("", |tiny| {
        let (ms, op, bytes) = (tiny.thousandths(), tiny.op(1, 0), tiny.bytes());
        format!("{ms},120,{op},{bytes},{},{ms},{bytes}", tiny.offset())
    })
}

fn tencent_cbs() -> Vec<u8> {
    lines("", |tiny| {
        let s = 1_538_323_200 + tiny.us / 1_000_000;
        format!("{s},{},{},{},0", tiny.sector, tiny.sectors, tiny.op(0, 1))
    })
}

fn alibaba_csv() -> Vec<u8> {
    lines("", |tiny| {
        let us = 1_577_808_000_000_046 + tiny.us;
        format!("0,{},{},{},{us}", tiny.op("R", "W"), tiny.offset(), tiny.bytes())
    })
}

fn systor_csv() -> Vec<u8> {
    lines("Timestamp,Response,IOType,LUN,Offset,Size\n", |tiny| {
        let us = 145_133_076 + tiny.us;
        let stamp = format!("1456095{:03}.{:06}000", us / 1_000_000, us % 1_000_000);
        format!("{stamp},0.000806000,{},0,{},{}", tiny.op("R", "W"), tiny.offset(), tiny.bytes())
    })
}

fn fio_iolog_2() -> Vec<u8> {
    let mut waited = 0;
    let mut text = "fio version 2 iolog\n/dev/tiny add\n/dev/tiny open\n".to_owned();
    for tiny in &WORKLOAD {
        let ms = tiny.us / 1_000;
        if ms > waited {
            writeln!(text, "/dev/tiny wait {ms} 0").unwrap();
            waited = ms;
        }
        writeln!(text, "/dev/tiny {} {} {}", tiny.op("read", "write"), tiny.offset(), tiny.bytes()).unwrap();
    }
    (text + "/dev/tiny close\n").into_bytes()
}

fn fio_iolog_3() -> Vec<u8> {
    let header = "fio version 3 iolog\n2 /dev/tiny add\n872 /dev/tiny open\n";
    lines(header, |tiny| {
        let us = 878 + tiny.us;
        format!("{us} /dev/tiny {} {} {}", tiny.op("read", "write"), tiny.offset(), tiny.bytes())
    })
}

/// Queue event, dispatch event with a payload, and completion event of each request, after a process
/// notification.
fn blktrace(
    u16: &dyn Fn(u16) -> [u8; 2],
    u32: &dyn Fn(u32) -> [u8; 4],
    u64: &dyn Fn(u64) -> [u8; 8],
) -> Vec<u8> {
    const NOTIFY_PROCESS: u32 = 1 << (10 + 16);
    const EVENTS: [(u32, &[u8]); 3] =
        [(1 | 1 << (4 + 16), b""), (7 | 1 << (6 + 16), b"tiny"), (8 | 1 << (7 + 16), b"")];
    let mut bytes = Vec::new();
    let mut record = |sequence: u32, tiny: &Tiny, action: u32, payload: &[u8]| {
        let head = [u32(0x6561_7407), u32(sequence)].concat();
        let place = [u64(7_000_000_000 + tiny.us * 1_000), u64(tiny.sector)].concat();
        let what = [u32(tiny.bytes() as u32), u32(action), u32(3645), u32(8 << 20 | 16), u32(0)].concat();
        let tail = [u16(0), u16(payload.len() as u16)].concat();
        bytes.extend([head, place, what, tail].concat());
        bytes.extend(payload);
    };
    record(0, &tiny(0, Op::Read, 0, 0), NOTIFY_PROCESS, b"tiny\0\0\0\0");
    for (number, tiny) in (1..).zip(&WORKLOAD) {
        let category = tiny.op(1, 1 << 1) << 16;
        for (action, payload) in EVENTS {
            record(number, tiny, action | category, payload);
        }
    }
    bytes
}

/// Serial number, length, segments, operation code, version, address, time.
fn vscsi_1() -> Vec<u8> {
    let record = |(number, tiny): (u32, &Tiny)| {
        let numbers = [number, tiny.bytes() as u32, 1].map(u32::to_le_bytes).concat();
        let what = [tiny.op(0x28, 0x2a), 0x0100].map(u16::to_le_bytes).concat();
        [numbers, what, vscsi_place(tiny)].concat()
    };
    (1..).zip(&WORKLOAD).flat_map(record).collect()
}

/// Operation code, version, serial number, length, segments, address, time, response time.
fn vscsi_2() -> Vec<u8> {
    let record = |(number, tiny): (u32, &Tiny)| {
        let what = [tiny.op(0x28, 0x2a), 0x0200].map(u16::to_le_bytes).concat();
        let numbers = [number, tiny.bytes() as u32, 1].map(u32::to_le_bytes).concat();
        [what, numbers, vscsi_place(tiny), 120_u64.to_le_bytes().to_vec()].concat()
    };
    (1..).zip(&WORKLOAD).flat_map(record).collect()
}

fn vscsi_place(tiny: &Tiny) -> Vec<u8> {
    [tiny.sector, 5_633_898_368_802 + tiny.us].map(u64::to_le_bytes).concat()
}

/// Time, address, size, number of the next access to the address.
fn oracle_general() -> Vec<u8> {
    let record = |(number, tiny): (usize, &Tiny)| {
        let later = WORKLOAD[number..].iter().position(|other| other.sector == tiny.sector);
        let next = later.map_or(-1, |later| i64::try_from(number + later + 1).unwrap());
        let s = (tiny.us / 1_000_000) as u32;
        let what = [&s.to_le_bytes()[..], &tiny.sector.to_le_bytes(), &(tiny.bytes() as u32).to_le_bytes()];
        [what.concat(), next.to_le_bytes().to_vec()].concat()
    };
    (1..).zip(&WORKLOAD).flat_map(record).collect()
}

fn path_of(rendering: &Rendering) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/traces").join(rendering.file)
}

fn expected(rendering: &Rendering) -> Vec<HostRequest> {
    let to_read = |request: HostRequest| HostRequest { op: Op::Read, ..request };
    let requests = expected_at(rendering.tick_us).into_iter();
    requests.map(|request| if rendering.reads_only { to_read(request) } else { request }).collect()
}

fn expected_at(tick_us: u64) -> Vec<HostRequest> {
    let request = |tiny: &Tiny| HostRequest {
        arrival: SimTime::from_ps(tiny.us / tick_us * tick_us * 1_000_000),
        start_sector: tiny.sector,
        sectors: tiny.sectors,
        queue: 0,
        op: tiny.op,
        pattern_set: 0,
    };
    WORKLOAD.iter().map(request).collect()
}

fn requests(path: &Path, options: &TraceOptions) -> Vec<HostRequest> {
    let mut source = open_trace(path, options).unwrap();
    let mut all = Vec::new();
    while source.fill(&mut all, 3).unwrap() > 0 {}
    all
}

#[test]
fn the_files_are_the_workload_in_each_format() {
    for rendering in &RENDERINGS {
        let (path, content) = (path_of(rendering), (rendering.render)());
        if std::env::var_os("VENICE_BLESS").is_some() {
            fs::write(&path, &content).unwrap();
        }
        let there = fs::read(&path).unwrap_or_default();
        assert!(there == content, "{} is not the workload; VENICE_BLESS=1 writes it anew", rendering.file);
    }
}

/// Output of pandas for a data frame: an index, quotes where necessary, dates, and floats for columns with
/// missing values.
fn data_frame() -> Vec<u8> {
    let line = |(index, tiny): (usize, &Tiny)| {
        let (s, us) = (tiny.us / 1_000_000, tiny.us % 1_000_000);
        let op = tiny.op("READ", "WRITE");
        format!(
            "{index},2024-06-01 12:00:{s:02}.{us:06},\"tiny, \"\"a\"\"\",{op},{}.0,{}\n",
            tiny.offset(),
            tiny.bytes()
        )
    };
    let lines: String = WORKLOAD.iter().enumerate().map(line).collect();
    (",timestamp,disk,type,offset,nbytes\n".to_owned() + &lines).into_bytes()
}

#[test]
fn a_data_frame_gives_the_same_requests() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/traces/data-frame.txt");
    if std::env::var_os("VENICE_BLESS").is_some() {
        fs::write(&path, data_frame()).unwrap();
    }
    assert!(fs::read(&path).unwrap_or_default() == data_frame(), "VENICE_BLESS=1 writes the file anew");
    assert_eq!(requests(&path, &TraceOptions::default()), expected_at(1));
}

#[test]
fn every_format_has_its_file() {
    let named: Vec<&str> = RENDERINGS.iter().map(|rendering| rendering.format).collect();
    assert!(trace_formats().len() >= 21, "the registry lost its formats");
    for format in trace_formats() {
        assert!(named.contains(&format.name), "no rendering of {}", format.name);
    }
}

#[test]
fn the_same_workload_gives_the_same_requests_in_every_format() {
    for rendering in &RENDERINGS {
        let path = path_of(rendering);
        let options = TraceOptions::format(rendering.format);
        let expected = expected(rendering);
        assert_eq!(requests(&path, &options), expected, "{} by name", rendering.file);
        if rendering.recognised {
            assert_eq!(open(&path, &TraceOptions::default()).unwrap().format, rendering.format);
            assert_eq!(requests(&path, &TraceOptions::default()), expected, "{} by its look", rendering.file);
        }
    }
}

#[test]
fn the_same_workload_measures_the_same_in_every_format() {
    let reference = trace_info(&path_of(&RENDERINGS[0]), &TraceOptions::default()).unwrap();
    for rendering in RENDERINGS.iter().filter(|rendering| rendering.tick_us == 1) {
        let mut info = trace_info(&path_of(rendering), &TraceOptions::format(rendering.format)).unwrap();
        info.format_choice = reference.format_choice.clone();
        assert_eq!(info.devices.len(), 1);
        info.devices[0].name.clone_from(&reference.devices[0].name);
        assert_eq!(info, reference, "{}", rendering.file);
    }
}

#[test]
fn queued_and_dispatched_stand_for_the_same_requests_here() {
    let options = TraceOptions { event: BlockLayerEvent::Queued, ..TraceOptions::default() };
    let mut files = RENDERINGS.iter().filter(|file| file.format.starts_with("bl"));
    assert_eq!(files.clone().count(), 3);
    assert!(files.all(|file| requests(&path_of(file), &options) == expected_at(1)));
}

#[test]
fn a_description_of_columns_reads_what_its_format_reads() {
    for (file, columns) in [
        ("msr-csv.txt", "time:100ns,-,device,op,offset,size,-"),
        ("msr-csv.txt", "time:100ns,-,device,op,offset,size,..."),
        ("msr-blank.txt", "time:100ns - device op offset size ..."),
        ("mqsim-ascii.txt", "time:ns device offset:sector size:512 op:1:0"),
        ("ssdsim-us.txt", "time:us device offset:sector size:512 op:1:0"),
        ("replay-ms.txt", "time:ms - offset size op:1:0"),
        ("spc.txt", "device,offset:sector,size,op,time:s"),
        ("vscsi-csv.txt", "-,time:us,op:28:2a,size,offset:sector"),
        ("systor-csv.txt", "time:s,-,op,device,offset:byte,size:byte"),
        (
            "blkparse.txt",
            r"/^\s*(?<device>\d+,\d+)\s+\d+\s+\d+\s+(?<time>[\d.]+)\s+\d+\s+D\s+(?<op>[RW])\w*\s+(?<offset>\d+) \+ (?<size>\d+)/ time:s offset:sector size:sector ...",
        ),
        (
            "fio-iolog-3.txt",
            r"/^(?<time>\d+) (?<device>\S+) (?<op>read|write) (?<offset>\d+) (?<size>\d+)$/ time:us ...",
        ),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/traces").join(file);
        let options = TraceOptions { columns: Some(columns.to_owned()), ..TraceOptions::default() };
        assert_eq!(requests(&path, &options), expected_at(1), "{file} by {columns}");
    }
}
